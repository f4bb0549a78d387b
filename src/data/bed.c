/* PLINK's genotypes: a .bed of codes beside the .bim of its variants and the .fam of its people (C. Chang et al.,
 * Second-generation PLINK, GigaScience 4, 2015).  Three bytes say what it is, the third that variants come one after the other;
 * each takes whole bytes of four people.  Rows are people, columns variants. */
#include "base/memory.h"
#include "data/genotypes.h"
#include "data/plink.h"
#include "data/reader.h"

#include <string.h>
#include <unistd.h>

static const unsigned char magic[] = {0x6c, 0x1b, 0x01};

static int is_bed(const emi_input *input)
{
    return input->bytes.size >= 2 && memcmp(input->bytes.at, magic, 2) == 0;
}

/* The texts beside it are no tables of their own, though they look like some. */
static int is_beside_bed(const char *path)
{
    return emi_path_ends(path, ".bim") || emi_path_ends(path, ".fam");
}

static int bed_by_content(const emi_input *input)
{
    return is_bed(input) || is_beside_bed(input->path);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

static em_status bed_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    enum { AT_ONCE = 16 }; /* variants: a line of the cache of each is used for all people, and one of the output */
    size_t columns = data->columns;
    for (size_t from = 0; from < columns; from += AT_ONCE) {
        size_t some = columns - from < AT_ONCE ? columns - from : AT_ONCE;
        const unsigned char *codes[AT_ONCE];
        double numbers[AT_ONCE][EMI_GENOTYPES];
        for (size_t c = 0; c < some; c++) {
            codes[c] = emi_genotype_codes(data, from + c);
            emi_genotype_numbers(data, from + c, numbers[c]);
        }
        for (size_t r = 0; r < count; r++) {
            size_t byte = (first + r) / EMI_PEOPLE_IN_BYTE, shift = 2 * ((first + r) % EMI_PEOPLE_IN_BYTE);
            for (size_t c = 0; c < some; c++) out[r * columns + from + c] = numbers[c][codes[c][byte] >> shift & 3];
        }
    }
    return emi_genotypes_check(data, err);
}

static void bed_close(em_data *data)
{
    emi_genotypes *g = data->state;
    if (!g) return;
    emi_bytes_release(&g->bytes);
    emi_free(g->swapped);
    emi_free(g);
    data->state = NULL;
}

static const emi_source bed_source = {.read = bed_read, .close = bed_close, .rows = &emi_genotype_rows};

/* ---- opening --------------------------------------------------------------------------------------------------------------- */

/* The path of a file beside it, to be freed: x.bed or x.bed.gz, and x.bim. */
static em_status find_beside(const char *path, const char *ending, char **out, em_error *err)
{
    static const char own[] = ".bed";
    if (!emi_path_ends(path, own))
        return emi_fail(
            err, EM_EDATA,
            "%s: PLINK genotypes, whose %s is found by a name that ends in %s; try such a name for all three", path,
            ending, own);
    *out = emi_strdup(path);
    if (!*out) return emi_fail_memory(err, path);
    size_t length = strlen(path);
    if (strcmp(path + length - 3, ".gz") == 0) length -= 3;
    memcpy(*out + length - strlen(own), ending, strlen(ending) + 1);
    if (access(*out, F_OK) == 0) return EM_OK;
    em_status status = emi_fail(
        err, EM_EIO, "%s: there is no %s beside it; try the three files that PLINK writes together", path, *out);
    emi_free(*out);
    *out = NULL;
    return status;
}

static em_status check_head(const em_data *data, const emi_input *input, em_error *err)
{
    if (!is_bed(input) && is_beside_bed(input->path))
        return emi_fail(err, EM_EDATA, "%s: says what is in a .bed, and has no genotypes; try the .bed beside it",
                        data->name);
    if (!is_bed(input))
        return emi_fail(err, EM_EDATA, "%s: is no .bed of PLINK, whose first bytes are 6c 1b; try plink2's make-bed",
                        data->name);
    if (input->bytes.size < sizeof magic)
        return emi_fail(err, EM_EDATA, "%s: ends after %zu bytes; try fetching it again", data->name,
                        input->bytes.size);
    if (input->bytes.at[2] == magic[2]) return EM_OK;
    if (input->bytes.at[2] != 0)
        return emi_fail(err, EM_EDATA,
                        "%s: its third byte is %02x, and 01 of what PLINK 1 writes; try writing it anew, by plink2's "
                        "make-bed",
                        data->name, input->bytes.at[2]);
    return emi_fail(err, EM_EDATA,
                    "%s: has person after person, not variant after variant; try writing it anew, by plink2's make-bed",
                    data->name);
}

/* Exactly as many bytes as the variants and the people take. */
static em_status check_size(const em_data *data, emi_input *input, size_t variants, size_t stride, em_error *err)
{
    size_t wanted;
    em_status status = emi_input_need_all(input, err);
    if (status != EM_OK) return status;
    int overflows = emi_size_overflows(variants, stride, &wanted) || wanted > SIZE_MAX - sizeof magic;
    if (!overflows && input->bytes.size == wanted + sizeof magic) return EM_OK;
    return emi_fail(
        err, EM_EDATA,
        "%s: %zu bytes, where %zu variants of %zu people take %zu; try the .bim and .fam it was written with, "
        "or fetching it again",
        data->name, input->bytes.size, variants, data->rows, overflows ? SIZE_MAX : wanted + sizeof magic);
}

static em_status check_options(const em_data *data, const em_read_options *options, em_error *err)
{
    if (options->delimiter)
        return emi_fail(err, EM_EINVAL, "%s: a delimiter is of a CSV alone, and this is bed; try without it",
                        data->name);
    if (options->missing == EM_MISSING_DROP)
        return emi_fail(err, EM_EINVAL,
                        "%s: hardly anybody has every genotype; try missing=mean, which is zero once they are scaled",
                        data->name);
    return EM_OK;
}

static em_status keep_codes(em_data *data, emi_input *input, emi_variants *variants, size_t stride, em_error *err)
{
    emi_genotypes *g = emi_calloc(1, sizeof *g);
    if (!g) return emi_fail_memory(err, data->name);
    *g = (emi_genotypes){
        .bytes = emi_input_take(input), .offset = sizeof magic, .stride = stride, .swapped = variants->swapped};
    variants->swapped = NULL;
    data->source = &bed_source;
    data->state = g;
    data->type = EM_F32; /* as whoever copies them keeps them: two bits have no name, and no call is NaN */
    data->holes = 1;
    return EM_OK;
}

static em_status bed_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    char *bim = NULL, *fam = NULL;
    emi_variants variants = {0};
    TRY(check_head(data, input, err));
    TRY(check_options(data, &request->options, err));
    TRY(find_beside(request->path, ".bim", &bim, err));
    TRY(find_beside(request->path, ".fam", &fam, err));
    TRY(emi_people_read(data, fam, request->options.label, err));
    TRY(emi_variants_read(&variants, bim, err));
    size_t stride = (data->rows + EMI_PEOPLE_IN_BYTE - 1) / EMI_PEOPLE_IN_BYTE;
    TRY(check_size(data, input, variants.count, stride, err));
    TRY(emi_variants_choose(&variants, &request->options, data, err));
    TRY(keep_codes(data, input, &variants, stride, err));
done:
    emi_variants_free(&variants);
    emi_free(fam);
    emi_free(bim);
    return status;
}

const emi_reader emi_reader_bed = {
    .format = "bed", .by_content = bed_by_content, .endings = {".bed"}, .open = bed_open, .picks = 1};
