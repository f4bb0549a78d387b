/* .npz as NumPy writes it, and archives that no NumPy would write (files/make_npz.py). */
#include "data/npz.h"
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES EM_TEST_DATA "/data/files/"

static void arrays_are_read_by_name_and_alone(void **state)
{
    (void)state;
    static const char *const paths[] = {FILES "stored.npz",     FILES "stored.npz:X",   FILES "stored.npz:X.npy",
                                        FILES "deflated.npz",   FILES "deflated.npz:X", FILES "zip64.npz",
                                        FILES "zip64.npz:X",    FILES "beside.npz",     FILES "several.npz:x",
                                        FILES "mixed.npz:plain"};
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++) assert_table(paths[n], NULL, 3, 2, 0, 1, 2, 3, 4, 5);
    const em_read_options second = {.size = sizeof(em_read_options), .columns = "1"};
    assert_table(FILES "stored.npz", &second, 3, 1, 1, 3, 5);
    assert_table(FILES "deflated.npz", &second, 3, 1, 1, 3, 5);
    em_data *data = open_table(FILES "several.npz:z");
    assert_string_equal(em_data_format(data), "npz");
    assert_int_equal(em_data_type(data), EM_U8);
    assert_int_equal(em_data_columns(data), 12);
    em_data_free(&data);
}

static void what_is_not_one_table_is_refused_with_what_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        em_status code;
        const char *words;
    } cases[] = {
        {FILES "several.npz", EM_EINVAL,
         "2 tables in it (x 3x2, z 2x3x4, y 3, note no table); try " FILES "several.npz:x"},
        {FILES "several.npz:q", EM_EDATA, "no array q in it (x 3x2, z 2x3x4, y 3, note no table)"},
        {FILES "several.npz:", EM_EDATA, "no array  in it"},
        {FILES "several.npz:y", EM_EDATA, "1 dimension"},
        {FILES "several.npz:note", EM_ENOTSUP, "holds text"},
        {FILES "no-table.npz", EM_EDATA, "no array of numbers with rows and columns in it (y 3, note no table)"},
        {FILES "complex.npz", EM_ENOTSUP, "complex numbers"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        assert_refused(cases[n].path, NULL, cases[n].code, cases[n].words);
    const char empty[22] = "PK\5\6";
    assert_refused(scratch_file("empty.npz", empty, sizeof empty), NULL, EM_EDATA, "in it (it is empty)");
}

static void damage_has_its_own_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"wrong-crc", "X.npy is damaged (CRC error)"},
        {"claims-more", "the archive is damaged"},
        {"claims-less", "X.npy is damaged (CRC error)"},
        {"longer", "X.npy holds more than its header promises"},
        {"short-array", "X.npy is cut short"},
        {"encrypted", "X.npy is encrypted"},
        {"method-97", "X.npy is compressed in a way NumPy does not use"},
        {"mixed", "squeezed.npy is compressed in a way NumPy does not use"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char path[1024];
        (void)snprintf(path, sizeof path, FILES "%s.npz", cases[n][0]);
        assert_refused(path, NULL, EM_EDATA, cases[n][1]);
    }
    assert_refused(FILES "wrong-crc.npz:X", NULL, EM_EDATA, "CRC error");
    assert_refused(FILES "encrypted.npz:X", NULL, EM_EDATA, "encrypted");
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {FILES "stored.npz", FILES "deflated.npz", FILES "zip64.npz"};
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++) {
        size_t count;
        unsigned char *bytes = file_bytes(paths[n], &count);
        assert_no_prefix_opens("cut.npz", bytes, count);
        free(bytes);
    }
}

/* A number that is not the one that was stored is never handed out. */
static void a_flipped_bit_is_noticed_or_harmless(void **state)
{
    (void)state;
    static const double wanted[6] = {0, 1, 2, 3, 4, 5};
    static const char *const paths[] = {FILES "stored.npz", FILES "deflated.npz"};
    for (size_t n = 0; n < 2; n++) {
        size_t count, opened = 0;
        unsigned char *bytes = file_bytes(paths[n], &count);
        for (size_t bit = 0; bit < 8 * count; bit++) {
            em_data *data = NULL;
            em_error err = {0};
            double got[6];
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            const char *path = scratch_file("flipped.npz", bytes, count);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            if (em_data_open(&data, path, NULL, &err) != EM_OK) continue;
            assert_int_equal(em_data_rows(data) * em_data_columns(data), 6);
            assert_ok(em_data_read(data, 0, em_data_rows(data), got, &err), &err);
            assert_memory_equal(got, wanted, sizeof wanted);
            em_data_free(&data);
            opened++;
        }
        assert_true(opened > 0 && opened < 4 * count); /* dates, a name's letters and the like */
        free(bytes);
    }
}

/* What is stored as it is is used where it lies; what is packed, is not. */
static void stored_arrays_are_not_copied(void **state)
{
    (void)state;
    static const char *const paths[] = {FILES "stored.npz", FILES "zip64.npz", FILES "deflated.npz"};
    for (size_t n = 0; n < 3; n++) {
        em_error err = {0};
        emi_npz *npz = NULL;
        emi_npy header;
        emi_bytes archive = {.kind = EMI_HELD}, array = {0};
        unsigned char *bytes = file_bytes(paths[n], &archive.size);
        archive.at = bytes;
        assert_ok(emi_npz_open(&npz, &archive, paths[n], &err), &err);
        assert_ok(emi_npz_read(npz, (size_t)emi_npz_find(npz, "X"), &header, &array, &err), &err);
        assert_int_equal(array.kind, n < 2 ? EMI_BORROWED : EMI_HELD);
        if (n < 2) assert_true(array.at > bytes && array.at + array.size < bytes + archive.size);
        assert_int_equal(array.size, header.data_offset + 6 * sizeof(double));
        emi_bytes_release(&array);
        emi_npz_close(&npz);
        free(bytes);
    }
}

/* The table borrows nothing that is gone: all formats of archives, read after opening ended. */
static void an_archive_in_a_gz_is_read_too(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = file_bytes(FILES "stored.npz", &count);
    assert_table(scratch_gz("stored.npz.gz", bytes, count), NULL, 3, 2, 0, 1, 2, 3, 4, 5);
    assert_table(scratch("stored.npz.gz:X"), NULL, 3, 2, 0, 1, 2, 3, 4, 5);
    assert_refused(scratch_gz("cut.npz.gz", bytes, count - 1), NULL, EM_EDATA, "the archive is damaged");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read_by_name_and_alone),
        cmocka_unit_test(what_is_not_one_table_is_refused_with_what_is_there),
        cmocka_unit_test(damage_has_its_own_words),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_flipped_bit_is_noticed_or_harmless),
        cmocka_unit_test(stored_arrays_are_not_copied),
        cmocka_unit_test(an_archive_in_a_gz_is_read_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
