/* PLINK's .bed, .bim and .fam: what they say, and every way in which they can be wrong. */
#include "support/genotypes.h"
#include "support/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three people, two variants. */
static const unsigned char copies[] = {0, 1, 2, NO_CALL, 1, 2};

static const char *write_small(const char *name, const char *bim, const char *fam)
{
    return genotypes_write(
        &(genotype_files){.name = name, .people = 3, .variants = 2, .copies = copies, .bim = bim, .fam = fam});
}

static void people_are_rows_and_variants_columns(void **state)
{
    (void)state;
    const char *path = write_small("plain", NULL, NULL);
    assert_table(path, NULL, 3, 2, 0, 1, 2, NAN, 1, 2);
    em_data *data = open_table(path);
    assert_string_equal(em_data_format(data), "bed");
    assert_string_equal(em_data_column_name(data, 1), "rs2 1 2 A G");
    assert_string_equal(em_data_label(data, 2), "f3\ti3");
    assert_string_equal(em_data_remarks(data), "PLINK genotypes");
    em_data_free(&data);
}

/* People that fill their last byte, or leave one, two or three places of it. */
static void any_number_of_people(void **state)
{
    (void)state;
    for (size_t people = 1; people < 14; people++) {
        unsigned char *drawn = genotypes_draw(people, 5, (unsigned)people);
        double wanted[14 * 5];
        for (size_t n = 0; n < people * 5; n++) wanted[n] = drawn[n] == NO_CALL ? NAN : drawn[n];
        const char *path =
            genotypes_write(&(genotype_files){.name = "any", .people = people, .variants = 5, .copies = drawn});
        check_table(path, NULL, people, 5, wanted, __FILE__, __LINE__);
        free(drawn);
    }
}

/* Copies of the allele that is first in the alphabet, whichever is A1; with "chr" or without, and carriage returns. */
static void alleles_have_an_order(void **state)
{
    (void)state;
    const char *path = write_small("swapped", "chr1 rs1 0 10 G A\r\n\n1\trs2\t0.5\t20\tAT\tA\r\n", NULL);
    assert_table(path, NULL, 3, 2, 2, 1, 0, NAN, 1, 0);
    em_data *data = open_table(path);
    assert_string_equal(em_data_column_name(data, 0), "rs1 1 10 A G");
    assert_string_equal(em_data_column_name(data, 1), "rs2 1 20 A AT");
    em_data_free(&data);
}

static void columns_by_name_and_by_position(void **state)
{
    (void)state;
    const char *path = write_small("some", NULL, NULL);
    const em_read_options second = {.size = sizeof second, .columns = "1"},
                          named = {.size = sizeof named, .columns = "-rs1 1 1 A G"};
    assert_table(path, &second, 3, 1, 1, NAN, 2);
    assert_table(path, &named, 3, 1, 1, NAN, 2);
}

/* As another file has them: in its order; swapped ones flipped; others left out. */
static void variants_of_another_file(void **state)
{
    (void)state;
    const char *path = write_small("other", "1 rs2 0 2 G A\n1 rs1 0 1 A G\n", NULL);
    const char *const both[] = {"rs1 1 1 A G", "rs2 1 2 A G"};
    em_read_options options = {
        .size = sizeof options, .features = both, .feature_count = 2, .features_of = "first.bed"};
    assert_table(path, &options, 3, 2, 1, 2, NAN, 0, 2, 1);
    options.feature_count = 1;
    assert_table(path, &options, 3, 1, 1, NAN, 2);
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_open(&data, path, &options, &err), &err);
    assert_string_equal(em_data_remarks(data), "PLINK genotypes, without 1 variant that first.bed lacks");
    em_data_free(&data);
    options.columns = "rs1"; /* of the first file too, which may have the other one */
    assert_ok(em_data_open(&data, path, &options, &err), &err);
    assert_string_equal(em_data_remarks(data),
                        "PLINK genotypes, without 1 variant that is no feature of first.bed here");
    em_data_free(&data);
    options.columns = NULL;
    path = write_small("other", "X rs2 0 2 G A\n1 rs1 0 1 A G\n", NULL);
    assert_ok(em_data_open(&data, path, &options, &err), &err);
    assert_string_equal(em_data_remarks(data), "PLINK genotypes, without 1 of X, Y or MT (plink2 leaves them out too)");
    em_data_free(&data);
}

static void other_variants_are_refused_by_name(void **state)
{
    (void)state;
    enum { MANY = 12 };
    char text[MANY][32];
    const char *wanted[MANY];
    for (int n = 0; n < MANY; n++) {
        (void)snprintf(text[n], sizeof text[n], "rs%d 1 %d A C", n + 1, n + 1); /* of other alleles, and ten more */
        wanted[n] = text[n];
    }
    const em_read_options options = {
        .size = sizeof options, .features = wanted, .feature_count = MANY, .features_of = "first.bed"};
    const char *path = write_small("strand", NULL, NULL);
    assert_refused(path, &options, EM_EDATA,
                   "lacks 12 variants of first.bed, or has other chromosomes, positions or alleles: rs1, rs2, "
                   "rs3, rs4, rs5, rs6, rs7, rs8, rs9, rs10 and 2 more; try");
    const char *const twice[] = {"rs1 1 1 A G", "rs1 1 1 A G"};
    const em_read_options again = {
        .size = sizeof again, .features = twice, .feature_count = 1, .features_of = "first.bed"};
    assert_refused(write_small("twice", "1 rs1 0 1 A G\n1 rs1 0 1 G A\n", NULL), &again, EM_EDATA,
                   "more than one variant rs1");
    const em_read_options both = {
        .size = sizeof both, .features = twice, .feature_count = 2, .features_of = "first.bed"};
    assert_refused(write_small("once", "1 rs1 0 1 A G\n1 rs2 0 2 G A\n", NULL), &both, EM_EDATA,
                   "lacks 1 variant of first.bed");
    assert_refused(write_small("header", NULL, "#FID IID PAT MAT SEX PHENO1\na a 0 0 0 -9\nb b 0 0 0 -9\n"), NULL,
                   EM_EDATA, "line 1 has names of columns, and no person");
    assert_refused(write_small("header", NULL, "FID IID PAT MAT SEX PHENO1\na a 0 0 0 -9\nb b 0 0 0 -9\n"), NULL,
                   EM_EDATA, "line 1 has names of columns, and no person");
}

/* Those that plink2's PCA leaves out are left out and counted, unless they are asked for. */
static void what_is_no_autosome(void **state)
{
    (void)state;
    static const struct {
        const char *bim, *columns;
        size_t left;
        const char *remarks;
    } cases[] = {
        {"1 a 0 1 A G\nchrX b 0 1 A G\n", NULL, 1, "without 1 of X, Y or MT"},
        {"01 a 0 1 A G\nmt b 0 1 A G\n", NULL, 1, "without 1 of X, Y or MT"},
        {"22 a 0 1 A G\n23 b 0 1 A G\n", NULL, 1, "without 1 of X, Y or MT"},
        {"1 a 0 1 A G\n25 b 0 1 A G\n", NULL, 2, "PLINK genotypes"}, /* the ends that X and Y share */
        {"PAR1 a 0 1 A G\nXY b 0 1 A G\n", NULL, 2, "PLINK genotypes"},
        {"\xef\xbb\xbfX a 0 1 A G\n1 b 0 1 A G\n", NULL, 1, "without 1 of X, Y or MT"},
        {"29 a 0 1 A G\n23 b 0 1 A G\n", NULL, 2, "PLINK genotypes"}, /* of cows */
        {"1 a 0 1 A G\n1 b 0 -5 A G\n", NULL, 1, "without 1 that a negative position marks"},
        {"1 a 0 1 A G\nX b 0 1 A G\n", "b", 1, "PLINK genotypes"},
        {"1 a 0 1 A G\nX b 0 1 A G\n", "0-1", 2, "PLINK genotypes"},
        {"1 a 0 1 A G\n1 a 0 1 G A\n", NULL, 2, "1 that is there twice (a), told apart by their order"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const em_read_options options = {.size = sizeof options, .columns = cases[n].columns};
        em_data *data = NULL;
        em_error err = {0};
        assert_ok(em_data_open(&data, write_small("kinds", cases[n].bim, NULL), &options, &err), &err);
        assert_int_equal(em_data_columns(data), cases[n].left);
        if (!strstr(em_data_remarks(data), cases[n].remarks)) fail_msg("case %zu: %s", n, em_data_remarks(data));
        em_data_free(&data);
    }
    const em_read_options but_one = {.size = sizeof but_one, .columns = "-a"};
    assert_refused(write_small("kinds", "1 a 0 1 A G\nX b 0 1 A G\n", NULL), &but_one, EM_EDATA,
                   "no variant of an autosome");
}

static void parents_are_told_of(void **state)
{
    (void)state;
    em_data *data = open_table(write_small("parents", NULL, "F1 I1 0 0 1 2\nF1 I2 I1 0 2 -9\nF3 I3 0 I9 0 1\n"));
    assert_non_null(strstr(em_data_remarks(data), "of whom 2 have parents"));
    em_data_free(&data);
}

static void people_of_one_name_are_told_of(void **state)
{
    (void)state;
    em_data *data = open_table(write_small("namesakes", NULL, "F I 0 0 1 2\nG I 0 0 2 -9\nF I 0 0 0 1\n"));
    assert_string_equal(em_data_remarks(data), "PLINK genotypes, 1 named as somebody before, which plink2 refuses");
    em_data_free(&data);
    assert_table(scratch("namesakes.bed"), (&(em_read_options){.size = sizeof(em_read_options), .label = "SEX"}), 3, 2,
                 0, 1, 2, NAN, 1, 2); /* labels may be alike */
}

/* Identifiers in Latin-1 are found again by the names that columns have. */
static void letters_of_latin1(void **state)
{
    (void)state;
    const char *path = write_small("latin1", "1 rs\xe9 0 1 A G\n1 rs2 0 2 A G\n", NULL);
    em_data *data = open_table(path);
    assert_string_equal(em_data_column_name(data, 0), "rs\xc3\xa9 1 1 A G");
    const char *const both[] = {em_data_column_name(data, 1), em_data_column_name(data, 0)};
    const em_read_options same = {.size = sizeof same, .features = both, .feature_count = 2, .features_of = "a.bed"},
                          one = {.size = sizeof one, .columns = "rs\xc3\xa9"};
    assert_table(path, &same, 3, 2, 1, 0, NAN, 2, 2, 1);
    assert_table(path, &one, 3, 1, 0, 2, 1);
    em_data_free(&data);
}

static void people_have_labels(void **state)
{
    (void)state;
    const char *path = write_small("labels", NULL, "F1 I1 0 0 1 2\nF1 I2 0 0 2 -9\nF3 I3 0 0 0 1\n");
    static const struct {
        const char *label, *wanted, *last; /* of the second person and of the third; what is not known is "" */
    } cases[] = {
        {"FID", "F1", "F3"}, {"IID", "I2", "I3"}, {"SEX", "2", ""}, {"PHENO", "", "1"}, {NULL, "F1\tI2", "F3\tI3"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const em_read_options options = {.size = sizeof options, .label = cases[n].label};
        em_data *data = NULL;
        em_error err = {0};
        assert_ok(em_data_open(&data, path, &options, &err), &err);
        assert_string_equal(em_data_label(data, 1), cases[n].wanted);
        assert_string_equal(em_data_label(data, 2), cases[n].last);
        em_data_free(&data);
    }
    const em_read_options none = {.size = sizeof none, .label = "AGE"};
    assert_refused(path, &none, EM_EINVAL, "try FID, IID, SEX or PHENO");
}

static void bytes_that_are_no_bed(void **state)
{
    (void)state;
    (void)write_small("bytes", NULL, NULL);
    const unsigned char whole[] = {0x6c, 0x1b, 1, 0x1b, 0x2c, 0};
    assert_no_prefix_opens("bytes.bed", whole, 5);
    assert_refused(scratch_file("bytes.bed", whole, 4), NULL, EM_EDATA, "4 bytes, where 2 variants of 3 people take 5");
    assert_refused(scratch_file("bytes.bed", whole, 6), NULL, EM_EDATA, "6 bytes, where 2 variants of 3 people take 5");
    assert_refused(scratch_file("bytes.bed", "\x6c\x1b\0abc", 6), NULL, EM_EDATA, "person after person");
    assert_refused(scratch_file("bytes.bed", "\x6c\x1b", 2), NULL, EM_EDATA, "ends after 2 bytes");
    assert_refused(scratch_file("bytes.bed", "\x6c\x1b\2abc", 6), NULL, EM_EDATA, "its third byte is 02");
    assert_refused(scratch_file("bytes.bed", "\x01\x02\x03", 3), NULL, EM_EDATA, "is no .bed of PLINK");
    assert_refused(scratch_file("bytes.dat", whole, 5), NULL, EM_EDATA, "a name that ends in .bed");
}

static void texts_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *bim, *fam, *words;
    } cases[] = {
        {"1 rs1 0 1 A G\n1 rs2 0 2 A\n", NULL, "line 2 has 5 fields, not 6"},
        {"1 rs1 0 1 A G\n1 rs2 0 2 A G T\n", NULL, "line 2 has 7 fields, not 6"},
        {"1 rs1 0 x A G\n1 rs2 0 2 A G\n", NULL, "line 1 has 'x' as its position; try a whole number"},
        {"1 rs1 0 - A G\n1 rs2 0 2 A G\n", NULL, "line 1 has '-' as its position"},
        {"X rs1 0 1 A G\n1 rs2 0 -2 A G\n", NULL, "has no variant of an autosome; try option columns, 0-1"},
        {"1 rs1 0 1 A G\n", NULL, "where 1 variants of 3 people take 4"},
        {"\n", NULL, "has no variant"},
        {NULL, "f i 0 0 0\n", "line 1 has 5 fields, not 6"},
        {NULL, " \n", "has nobody"},
        {NULL, "a b 0 0 0 1\na c 0 0 0 1\na d 0 0 0 1\na e 0 0 0 1\na f 0 0 0 1\n",
         "where 2 variants of 5 people take 7"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        assert_refused(write_small("wrong", cases[n].bim, cases[n].fam), NULL, EM_EDATA, cases[n].words);
    char line[400];
    (void)snprintf(line, sizeof line, "1 rs1 0 1 A %0300d\n1 rs2 0 2 A G\n", 1);
    assert_refused(write_small("wrong", line, NULL), NULL, EM_EDATA, "longer than 250 letters");
    const char *path = write_small("zero", NULL, NULL);
    (void)scratch_file("zero.bim", "1 rs1 0 1 A G\n\0", 15);
    assert_refused(path, NULL, EM_EDATA, "a byte of zero");
}

static void files_that_are_not_there(void **state)
{
    (void)state;
    const char *path = write_small("alone", NULL, NULL);
    assert_int_equal(remove(scratch("alone.fam")), 0);
    assert_refused(path, NULL, EM_EIO, "alone.fam beside it; try the three files");
    assert_int_equal(remove(scratch("alone.bim")), 0);
    assert_refused(path, NULL, EM_EIO, "alone.bim beside it");
}

/* Though lines of fields might pass for a table. */
static void the_texts_are_no_tables(void **state)
{
    (void)state;
    (void)write_small("texts", NULL, NULL);
    assert_refused(scratch("texts.bim"), NULL, EM_EDATA, "has no genotypes; try the .bed beside it");
    assert_refused(scratch("texts.fam"), NULL, EM_EDATA, "has no genotypes; try the .bed beside it");
}

static void options_that_do_not_suit(void **state)
{
    (void)state;
    const char *path = write_small("options", NULL, NULL);
    const em_read_options delimiter = {.size = sizeof delimiter, .delimiter = ","},
                          drop = {.size = sizeof drop, .missing = EM_MISSING_DROP},
                          mean = {.size = sizeof mean, .missing = EM_MISSING_MEAN};
    assert_refused(path, &delimiter, EM_EINVAL, "a delimiter is of a CSV");
    assert_refused(path, &drop, EM_EINVAL, "try missing=mean");
    assert_table(path, &mean, 3, 2, 0, 1, 2, NAN, 1, 2);
}

static void a_gz_too(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = file_bytes(write_small("packed", NULL, NULL), &count);
    assert_table(scratch_gz("packed.bed.gz", bytes, count), NULL, 3, 2, 0, 1, 2, NAN, 1, 2);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(people_are_rows_and_variants_columns),
                                       cmocka_unit_test(any_number_of_people),
                                       cmocka_unit_test(alleles_have_an_order),
                                       cmocka_unit_test(columns_by_name_and_by_position),
                                       cmocka_unit_test(variants_of_another_file),
                                       cmocka_unit_test(other_variants_are_refused_by_name),
                                       cmocka_unit_test(what_is_no_autosome),
                                       cmocka_unit_test(parents_are_told_of),
                                       cmocka_unit_test(people_of_one_name_are_told_of),
                                       cmocka_unit_test(letters_of_latin1),
                                       cmocka_unit_test(the_texts_are_no_tables),
                                       cmocka_unit_test(people_have_labels),
                                       cmocka_unit_test(bytes_that_are_no_bed),
                                       cmocka_unit_test(texts_that_are_wrong),
                                       cmocka_unit_test(files_that_are_not_there),
                                       cmocka_unit_test(options_that_do_not_suit),
                                       cmocka_unit_test(a_gz_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
