#include "data/plink.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/encoding.h"
#include "data/input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lines of fields ------------------------------------------------------------------------------------------------- */

enum { FIELDS = 6 };

typedef struct field {
    const char *at;
    size_t length;
} field;

typedef struct reader {
    const char *path;
    emi_input input;
    const char *at, *end;
    size_t line;
    field fields[FIELDS];
    size_t count; /* of the line, those too that are past the last one kept */
} reader;

static em_status open_reader(reader *r, const char *path, em_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as some editors have it */
    em_status status = EM_OK;
    *r = (reader){.path = path};
    TRY(emi_input_open(&r->input, path, err));
    TRY(emi_input_need_all(&r->input, err));
    r->at = (const char *)r->input.bytes.at;
    r->end = r->at + r->input.bytes.size;
    if (r->input.bytes.size >= sizeof mark - 1 && memcmp(r->at, mark, sizeof mark - 1) == 0) r->at += sizeof mark - 1;
    if (r->at < r->end && memchr(r->at, 0, (size_t)(r->end - r->at)))
        TRY(emi_fail(err, EM_EDATA, "%s: has a byte of zero, which no text has; try the file that PLINK wrote", path));
done:
    return status;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that has a field; 0: there is none. */
static int next_line(reader *r)
{
    for (r->count = 0; r->at < r->end && r->count == 0;) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        if (!end) end = r->end;
        for (r->line++; r->at < end;) {
            const char *from = r->at;
            while (r->at < end && !is_blank(*r->at)) r->at++;
            if (r->at > from && r->count++ < FIELDS) r->fields[r->count - 1] = (field){from, (size_t)(r->at - from)};
            while (r->at < end && is_blank(*r->at)) r->at++;
        }
        if (r->at < r->end) r->at++;
    }
    return r->count > 0;
}

static em_status wrong_fields(const reader *r, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: line %zu has %zu field%s, not %d; try the file that PLINK wrote", r->path,
                    r->line, r->count, r->count == 1 ? "" : "s", FIELDS);
}

/* ---- text that grows ------------------------------------------------------------------------------------------------- */

/* Texts, each with its 0, and where each begins. */
typedef struct texts {
    char *text;
    size_t size, room;
    size_t *at;
    size_t count, at_room;
} texts;

/* One more, of these parts with a separator between them.  Returns 0 without memory. */
static int add_text(texts *t, char between, const field *parts, size_t count)
{
    size_t size = 0;
    for (size_t n = 0; n < count; n++) size += parts[n].length + 1;
    char *text = emi_grow(t->text, &t->room, t->size + size, 1);
    if (text) t->text = text;
    size_t *at = text ? emi_grow(t->at, &t->at_room, t->count + 1, sizeof *at) : NULL;
    if (!at) return 0;
    t->at = at;
    at[t->count++] = t->size;
    for (size_t n = 0; n < count; n++) {
        memcpy(t->text + t->size, parts[n].at, parts[n].length);
        t->size += parts[n].length + 1;
        t->text[t->size - 1] = n + 1 < count ? between : '\0';
    }
    return 1;
}

/* The last one, as names of columns are kept: what is no UTF-8 is Latin-1.  Returns 0 without memory. */
static int make_utf8(texts *t)
{
    size_t at = t->at[t->count - 1];
    int latin1 = 0, added = 1;
    char *copy = emi_utf8_copy(t->text + at, t->size - at - 1, &latin1);
    if (copy && latin1) {
        t->size = at;
        t->count--;
        added = add_text(t, ' ', &(field){copy, strlen(copy)}, 1);
    }
    emi_free(copy);
    return copy && added;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t emi_count_twins(const char **names, size_t count, const char **first)
{
    size_t twins = 0;
    qsort(names, count, sizeof *names, by_text);
    *first = NULL;
    for (size_t n = 1; n < count; n++)
        if (strcmp(names[n - 1], names[n]) == 0 && twins++ == 0) *first = names[n];
    return twins;
}

static void free_texts(texts *t)
{
    emi_free(t->text);
    emi_free(t->at);
}

/* ---- variants --------------------------------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 250 }; /* a model has as much room for each name as for the longest */

static int comes_before(field a, field b)
{
    size_t both = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.at, b.at, both);
    return order < 0 || (order == 0 && a.length < b.length);
}

/* "chr1", "Chr1", "CHR1" and "01" are 1. */
static field plain_chromosome(field chromosome)
{
    field plain = chromosome;
    if (plain.length > 3 && strncasecmp(plain.at, "chr", 3) == 0) plain = (field){plain.at + 3, plain.length - 3};
    for (; plain.length > 1 && *plain.at == '0'; plain.length--) plain.at++;
    return plain;
}

static int is_one_of(field text, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == text.length && strncasecmp(text.at, *names, text.length) == 0) return 1;
    return 0;
}

/* What a variant is beside those that are counted.  Those of the ends that X and Y share (XY, 25, PAR1, PAR2) are inherited as an
 * autosome's, and plink2's PCA takes them. */
static emi_variant_kind kind_of(field chromosome, int negative)
{
    static const char *const sexes[] = {"X", "Y", "M", "MT", NULL}, *const numbers[] = {"23", "24", "26", NULL};
    if (negative) return EMI_VARIANT_MARKED;
    if (is_one_of(chromosome, sexes)) return EMI_VARIANT_SEX;
    return is_one_of(chromosome, numbers) ? EMI_VARIANT_SEX_OF_HUMANS : EMI_VARIANT_PLAIN;
}

/* Who has more chromosomes than humans has others of these numbers. */
static void settle_kinds(emi_variants *v, size_t highest)
{
    enum { OF_HUMANS = 26 };
    for (size_t n = 0; n < v->count; n++)
        if (v->kind[n] == EMI_VARIANT_SEX_OF_HUMANS)
            v->kind[n] = highest > OF_HUMANS ? EMI_VARIANT_PLAIN : EMI_VARIANT_SEX;
}

/* CHROMOSOME ID CENTIMORGAN POSITION A1 A2 */
static em_status add_variant(const reader *r, texts *t, unsigned char *swapped, unsigned char *kind, em_error *err)
{
    size_t length = 0, position;
    if (r->count != FIELDS) return wrong_fields(r, err);
    field chromosome = plain_chromosome(r->fields[0]), place = r->fields[3], one = r->fields[4], other = r->fields[5];
    size_t negative = *place.at == '-';
    *swapped = (unsigned char)comes_before(other, one);
    *kind = (unsigned char)kind_of(chromosome, (int)negative);
    const field parts[] = {r->fields[1], chromosome, place, *swapped ? other : one, *swapped ? one : other};
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) length += parts[n].length + 1;
    if (emi_text_size_in(place.at + negative, place.length - negative, &position) != 0)
        return emi_fail(err, EM_EDATA, "%s: line %zu has '%.*s' as its position; try a whole number", r->path, r->line,
                        (int)(place.length < 20 ? place.length : 20), place.at);
    if (length > LONGEST_NAME)
        return emi_fail(err, EM_EDATA,
                        "%s: the identifier and alleles of line %zu are longer than %d letters; try single-letter "
                        "alleles, by plink2's snps-only",
                        r->path, r->line, LONGEST_NAME);
    int added = add_text(t, ' ', parts, sizeof parts / sizeof *parts) && make_utf8(t);
    return added ? EM_OK : emi_fail_memory(err, r->path);
}

void emi_variants_free(emi_variants *variants)
{
    emi_free(variants->swapped);
    emi_free(variants->kind);
    emi_free(variants->names);
    emi_free(variants->text);
    *variants = (emi_variants){0};
}

em_status emi_variants_read(emi_variants *out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    reader r;
    texts t = {0};
    size_t room[2] = {0}, number, highest = 0;
    *out = (emi_variants){0};
    TRY(open_reader(&r, path, err));
    while (next_line(&r)) {
        unsigned char *swapped = emi_grow(out->swapped, &room[0], t.count + 1, 1);
        if (swapped) out->swapped = swapped;
        unsigned char *kind = swapped ? emi_grow(out->kind, &room[1], t.count + 1, 1) : NULL;
        if (!kind) TRY(emi_fail_memory(err, path));
        out->kind = kind;
        TRY(add_variant(&r, &t, &swapped[t.count], &kind[t.count], err));
        field chromosome = plain_chromosome(r.fields[0]);
        if (emi_text_size_in(chromosome.at, chromosome.length, &number) == 0 && number > highest) highest = number;
    }
    if (t.count == 0) TRY(emi_fail(err, EM_EDATA, "%s: has no variant; try the file that PLINK wrote", path));
    out->names = emi_calloc(t.count, sizeof *out->names);
    if (!out->names) TRY(emi_fail_memory(err, path));
    TRY(emi_input_verdict(&r.input, EM_OK, err));
    for (size_t v = 0; v < t.count; v++) out->names[v] = t.text + t.at[v];
    out->count = t.count;
    settle_kinds(out, highest);
    out->text = t.text;
    out->text_size = t.size;
    t.text = NULL;
done:
    emi_input_close(&r.input);
    free_texts(&t);
    if (status != EM_OK) emi_variants_free(out);
    return status;
}

/* ---- people -------------------------------------------------------------------------------------------------------------- */

/* FID IID FATHER MOTHER SEX PHENO: which fields a label is of. */
static em_status choose_label(const char *label, size_t *first, size_t *count, const char *file, em_error *err)
{
    static const char *const names[FIELDS] = {"FID", "IID", "", "", "SEX", "PHENO"};
    *first = 0, *count = 2;
    if (!label) return EM_OK;
    for (*first = 0, *count = 1; *first < FIELDS; ++*first)
        if (*label && strcmp(names[*first], label) == 0) return EM_OK;
    return emi_fail(err, EM_EINVAL, "column %s: of people there are others in %s; try FID, IID, SEX or PHENO", label,
                    file);
}

/* The names of columns, as other files of PLINK's have them: nobody is called so, and everybody would be who comes next. */
static em_status refuse_header(const reader *r, em_error *err)
{
    static const char *const names[] = {"FID", "IID", NULL};
    if (*r->fields[0].at != '#' && !is_one_of(r->fields[0], names)) return EM_OK;
    return emi_fail(err, EM_EDATA, "%s: line %zu has names of columns, and no person; try the file without it", r->path,
                    r->line);
}

/* Who is no founder. */
static size_t names_parent(const reader *r)
{
    static const char *const nobody[] = {"0", NULL};
    return !is_one_of(r->fields[2], nobody) || !is_one_of(r->fields[3], nobody);
}

/* What PLINK writes where it is not known is no label. */
static void forget_unknown(field *label, size_t which)
{
    enum { SEX = 4, PHENOTYPE = 5 };
    static const char *const sexes[] = {"0", "NA", NULL}, *const phenotypes[] = {"-9", "NA", NULL};
    if ((which == SEX && is_one_of(*label, sexes)) || (which == PHENOTYPE && is_one_of(*label, phenotypes)))
        label->length = 0;
}

/* "PLINK genotypes", and what is to be known of the people, none of whom is named. */
static em_status remark_people(em_data *data, size_t children, int are_names, em_error *err)
{
    char parents[120] = "", twice[80] = "";
    const char *first, **names = emi_calloc(data->rows, sizeof *names);
    if (!names) return emi_fail_memory(err, data->name);
    for (size_t n = 0; n < data->rows; n++) names[n] = data->labels + data->label[n];
    size_t twins = are_names ? emi_count_twins(names, data->rows, &first) : 0;
    if (children) /* plink2 counts founders alone, unless it is told otherwise */
        (void)snprintf(parents, sizeof parents,
                       ", frequencies of all people (as plink2's nonfounders), of whom %zu have parents", children);
    if (twins) (void)snprintf(twice, sizeof twice, ", %zu named as somebody before, which plink2 refuses", twins);
    (void)snprintf(data->remarks, sizeof data->remarks, "PLINK genotypes%s%s", parents, twice);
    emi_free(names);
    return EM_OK;
}

em_status emi_people_read(em_data *data, const char *path, const char *label, em_error *err)
{
    em_status status = EM_OK;
    reader r = {0};
    texts t = {0};
    size_t first, count, children = 0;
    TRY(choose_label(label, &first, &count, path, err));
    TRY(open_reader(&r, path, err));
    while (next_line(&r)) {
        if (t.count == 0) TRY(refuse_header(&r, err));
        if (r.count != FIELDS) TRY(wrong_fields(&r, err));
        children += names_parent(&r);
        forget_unknown(&r.fields[first], first);
        if (!add_text(&t, '\t', r.fields + first, count)) TRY(emi_fail_memory(err, path));
    }
    if (t.count == 0) TRY(emi_fail(err, EM_EDATA, "%s: has nobody; try the file that PLINK wrote", path));
    TRY(emi_input_verdict(&r.input, EM_OK, err));
    data->rows = t.count;
    data->labels = t.text;
    data->label = t.at;
    t = (texts){0};
    TRY(remark_people(data, children, !label, err));
done:
    emi_input_close(&r.input);
    free_texts(&t);
    return status;
}
