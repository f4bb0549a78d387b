#include "data/plink.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/columns.h"
#include "data/input.h"

#include <string.h>

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
    em_status status = EM_OK;
    *r = (reader){.path = path};
    TRY(emi_input_open(&r->input, path, err));
    TRY(emi_input_need_all(&r->input, err));
    r->at = (const char *)r->input.bytes.at;
    r->end = r->at + r->input.bytes.size;
    if (r->input.bytes.size && memchr(r->at, 0, r->input.bytes.size))
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

static field without_prefix(field chromosome)
{
    int has = chromosome.length > 3 && memcmp(chromosome.at, "chr", 3) == 0;
    return has ? (field){chromosome.at + 3, chromosome.length - 3} : chromosome;
}

/* CHROMOSOME ID CENTIMORGAN POSITION A1 A2 */
static em_status add_variant(const reader *r, texts *t, int *swapped, em_error *err)
{
    size_t length = 0, position;
    if (r->count != FIELDS) return wrong_fields(r, err);
    field place = r->fields[3], one = r->fields[4], other = r->fields[5];
    *swapped = comes_before(other, one);
    const field parts[] = {r->fields[1], without_prefix(r->fields[0]), place, *swapped ? other : one,
                           *swapped ? one : other};
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) length += parts[n].length + 1;
    if (emi_text_size_in(place.at, place.length, &position) != 0)
        return emi_fail(err, EM_EDATA, "%s: line %zu has '%.*s' as its position; try a whole number", r->path, r->line,
                        (int)(place.length < 20 ? place.length : 20), place.at);
    if (length > LONGEST_NAME)
        return emi_fail(err, EM_EDATA,
                        "%s: the identifier and alleles of line %zu are longer than %d letters; try single-letter "
                        "alleles, by plink2's snps-only",
                        r->path, r->line, LONGEST_NAME);
    return add_text(t, ' ', parts, sizeof parts / sizeof *parts) ? EM_OK : emi_fail_memory(err, r->path);
}

void emi_variants_free(emi_variants *variants)
{
    emi_free(variants->swapped);
    emi_free(variants->names);
    emi_free(variants->text);
    *variants = (emi_variants){0};
}

em_status emi_variants_read(emi_variants *out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    reader r;
    texts t = {0};
    size_t room = 0;
    *out = (emi_variants){0};
    TRY(open_reader(&r, path, err));
    for (int swapped = 0; next_line(&r);) {
        TRY(add_variant(&r, &t, &swapped, err));
        unsigned char *more = emi_grow(out->swapped, &room, t.count, 1);
        if (!more) TRY(emi_fail_memory(err, path));
        out->swapped = more;
        more[t.count - 1] = (unsigned char)swapped;
    }
    if (t.count == 0) TRY(emi_fail(err, EM_EDATA, "%s: has no variant; try the file that PLINK wrote", path));
    out->names = emi_calloc(t.count, sizeof *out->names);
    if (!out->names) TRY(emi_fail_memory(err, path));
    TRY(emi_input_verdict(&r.input, EM_OK, err));
    for (size_t v = 0; v < t.count; v++) out->names[v] = t.text + t.at[v];
    out->count = t.count;
    out->text = t.text;
    t.text = NULL;
done:
    emi_input_close(&r.input);
    free_texts(&t);
    if (status != EM_OK) emi_variants_free(out);
    return status;
}

/* ---- those that are asked for ------------------------------------------------------------------------------------------- */

/* The first ten of those that are not here. */
static em_status refuse(const em_read_options *o, const size_t *place, const char *file, em_error *err)
{
    enum { SHOWN = 10, LETTERS = 24 };
    emi_name_list absent = {.most = SHOWN}, twice = {.most = SHOWN};
    for (size_t f = 0; f < o->feature_count; f++) {
        char id[LETTERS + 1];
        (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(o->features[f], " "), o->features[f]);
        if (place[f] == EMI_NAME_ABSENT) emi_name_list_add(&absent, id);
        if (place[f] == EMI_NAME_TWICE) emi_name_list_add(&twice, id);
    }
    if (absent.count)
        return emi_fail(
            err, EM_EDATA,
            "%s: lacks %zu variant%s of %s, or has other positions or alleles: %s; try the same list, on the "
            "same strand, everywhere",
            file, absent.count, absent.count == 1 ? "" : "s", o->features_of, emi_name_list_end(&absent));
    if (twice.count)
        return emi_fail(err, EM_EDATA, "%s: has more than one variant %s; try plink2's rm-dup", file,
                        emi_name_list_end(&twice));
    return EM_OK;
}

/* By another table's names: what this one has beside them is left out. */
static em_status choose_features(const emi_variants *v, const em_read_options *o, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    size_t more = v->count - (o->feature_count < v->count ? o->feature_count : v->count);
    data->pick = emi_calloc(o->feature_count, sizeof *data->pick);
    if (!data->pick) TRY(emi_fail_memory(err, data->name));
    TRY(emi_names_find(v->names, v->count, o->features, o->feature_count, data->name, data->pick, err));
    TRY(refuse(o, data->pick, data->name, err));
    data->columns = o->feature_count;
    if (more)
        (void)snprintf(data->remarks, sizeof data->remarks, "PLINK genotypes, without %zu variant%s that %.100s lacks",
                       more, more == 1 ? "" : "s", o->features_of);
done:
    return status;
}

static em_status choose_columns(const emi_variants *v, const em_read_options *o, em_data *data, em_error *err)
{
    emi_columns listed = {0};
    em_status status = emi_columns_parse(&listed, o->columns, v->count, v->names, data->name, err);
    if (status == EM_OK) {
        data->columns = listed.picked;
        data->pick = listed.pick;
        listed.pick = NULL;
    }
    emi_columns_free(&listed);
    return status;
}

em_status emi_variants_choose(const emi_variants *variants, const em_read_options *options, em_data *data,
                              em_error *err)
{
    em_status status = EM_OK;
    const char **names = NULL;
    data->columns = variants->count;
    (void)snprintf(data->remarks, sizeof data->remarks, "PLINK genotypes");
    if (options->features)
        TRY(choose_features(variants, options, data, err));
    else if (options->columns)
        TRY(choose_columns(variants, options, data, err));
    names = emi_calloc(data->columns, sizeof *names);
    if (!names) TRY(emi_fail_memory(err, data->name));
    for (size_t c = 0; c < data->columns; c++) names[c] = variants->names[data->pick ? data->pick[c] : c];
    TRY(em_data_set_column_names(data, names, err));
done:
    emi_free(names);
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

em_status emi_people_read(em_data *data, const char *path, const char *label, em_error *err)
{
    em_status status = EM_OK;
    reader r = {0};
    texts t = {0};
    size_t first, count;
    TRY(choose_label(label, &first, &count, path, err));
    TRY(open_reader(&r, path, err));
    while (next_line(&r)) {
        if (r.count != FIELDS) TRY(wrong_fields(&r, err));
        if (!add_text(&t, '\t', r.fields + first, count)) TRY(emi_fail_memory(err, path));
    }
    if (t.count == 0) TRY(emi_fail(err, EM_EDATA, "%s: has nobody; try the file that PLINK wrote", path));
    TRY(emi_input_verdict(&r.input, EM_OK, err));
    data->rows = t.count;
    data->labels = t.text;
    data->label = t.at;
    t = (texts){0};
done:
    emi_input_close(&r.input);
    free_texts(&t);
    return status;
}
