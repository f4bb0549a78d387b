/* Which variants of a .bim are taken: another table's, those that are listed, or what plink2's PCA takes. */
#include "base/memory.h"
#include "data/columns.h"
#include "data/plink.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
            "%s: lacks %zu variant%s of %s, or has other chromosomes, positions or alleles: %s; try the same list, "
            "on the same strand, everywhere",
            file, absent.count, absent.count == 1 ? "" : "s", o->features_of, emi_name_list_end(&absent));
    if (twice.count)
        return emi_fail(err, EM_EDATA, "%s: has more than one variant %s; try plink2's rm-dup", file,
                        emi_name_list_end(&twice));
    return EM_OK;
}

/* Say more of what was read. */
static void remark(em_data *data, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(data->remarks);
    va_start(arguments, format);
    (void)vsnprintf(data->remarks + used, sizeof data->remarks - used, format, arguments);
    va_end(arguments);
}

/* What plink2's PCA leaves out too. */
static void remark_kinds(em_data *data, const size_t of[EMI_VARIANT_KINDS])
{
    if (of[EMI_VARIANT_SEX])
        remark(data, ", without %zu of X, Y or MT (plink2 leaves them out too)", of[EMI_VARIANT_SEX]);
    if (of[EMI_VARIANT_MARKED]) remark(data, ", without %zu that a negative position marks", of[EMI_VARIANT_MARKED]);
}

/* Those that are not picked, by kinds. */
static em_status remark_others(const emi_variants *v, em_data *data, const em_read_options *o, em_error *err)
{
    size_t of[EMI_VARIANT_KINDS] = {0}, *plain = &of[EMI_VARIANT_PLAIN];
    unsigned char *picked = emi_calloc(v->count, 1);
    if (!picked) return emi_fail_memory(err, data->name);
    for (size_t c = 0; c < data->columns; c++) picked[data->pick[c]] = 1;
    for (size_t n = 0; n < v->count; n++) of[v->kind[n]] += !picked[n];
    const char *s = *plain == 1 ? "" : "s";
    if (*plain && o->columns) /* which leaves out what the other table has, too */
        remark(data, ", without %zu variant%s that %s no feature%s of %.60s here", *plain, s,
               *plain == 1 ? "is" : "are", s, o->features_of);
    else if (*plain)
        remark(data, ", without %zu variant%s that %.60s lacks", *plain, s, o->features_of);
    remark_kinds(data, of);
    emi_free(picked);
    return EM_OK;
}

/* A name that is wanted twice, of twins that nothing tells apart, is not here if it is here once. */
static em_status take_once(size_t *place, size_t wanted, size_t count, const char *file, em_error *err)
{
    unsigned char *taken = emi_calloc(count, 1);
    if (!taken) return emi_fail_memory(err, file);
    for (size_t f = 0; f < wanted; f++)
        if (place[f] < count && taken[place[f]]++) place[f] = EMI_NAME_ABSENT;
    emi_free(taken);
    return EM_OK;
}

/* By another table's names: what this one has beside them is left out. */
static em_status choose_features(const emi_variants *v, const em_read_options *o, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    data->pick = emi_calloc(o->feature_count, sizeof *data->pick);
    if (!data->pick) TRY(emi_fail_memory(err, data->name));
    TRY(emi_names_find(v->names, v->count, o->features, o->feature_count, data->name, data->pick, err));
    TRY(take_once(data->pick, o->feature_count, v->count, data->name, err));
    TRY(refuse(o, data->pick, data->name, err));
    data->columns = o->feature_count;
    TRY(remark_others(v, data, o, err));
done:
    return status;
}

/* Of those that are picked, or all: what plink2's PCA takes. */
static em_status keep_plain(const emi_variants *v, em_data *data, em_error *err)
{
    size_t of[EMI_VARIANT_KINDS] = {0}, picked = 0;
    if (!data->pick) data->pick = emi_calloc(v->count, sizeof *data->pick);
    if (!data->pick) return emi_fail_memory(err, data->name);
    for (size_t n = 0; n < data->columns; n++) {
        size_t variant = data->columns == v->count ? n : data->pick[n];
        if (of[v->kind[variant]]++, v->kind[variant] == EMI_VARIANT_PLAIN) data->pick[picked++] = variant;
    }
    data->columns = picked;
    if (picked == 0)
        return emi_fail(err, EM_EDATA, "%s: has no variant of an autosome; try option columns, 0-%zu, to take all",
                        data->name, v->count - 1);
    remark_kinds(data, of);
    return EM_OK;
}

/* Variants by position or identifier; or by all that a name has, which has blanks in it. */
static em_status choose_columns(const emi_variants *v, const em_read_options *o, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    emi_columns listed = {0};
    int whole = strchr(o->columns, ' ') != NULL;
    char *text = emi_malloc(v->text_size);
    const char **ids = emi_calloc(v->count, sizeof *ids);
    if (!text || !ids) TRY(emi_fail_memory(err, data->name));
    memcpy(text, v->text, v->text_size);
    for (size_t n = 0; n < v->count; n++) {
        char *id = text + (v->names[n] - v->text);
        if (!whole) id[strcspn(id, " ")] = 0;
        ids[n] = id;
    }
    TRY(emi_columns_parse(&listed, o->columns, v->count, ids, data->name, err));
    data->columns = listed.picked;
    data->pick = listed.pick;
    listed.pick = NULL;
    if (!listed.named) TRY(keep_plain(v, data, err)); /* all but some */
done:
    emi_columns_free(&listed);
    emi_free(ids);
    emi_free(text);
    return status;
}

/* Two that nothing tells apart: of several files, only their order says which is which. */
static em_status remark_twins(const char **names, em_data *data, em_error *err)
{
    enum { SHOWN = 20 };
    const char *first, **sorted = emi_calloc(data->columns, sizeof *sorted);
    if (!sorted) return emi_fail_memory(err, data->name);
    memcpy(sorted, names, data->columns * sizeof *sorted);
    size_t twins = emi_count_twins(sorted, data->columns, &first);
    if (twins)
        remark(data, ", %zu that %s there twice (%.*s), told apart by their order", twins, twins == 1 ? "is" : "are",
               (int)(strcspn(first, " ") < SHOWN ? strcspn(first, " ") : SHOWN), first);
    emi_free(sorted);
    return EM_OK;
}

em_status emi_variants_choose(const emi_variants *variants, const em_read_options *options, em_data *data,
                              em_error *err)
{
    em_status status = EM_OK;
    const char **names = NULL;
    data->columns = variants->count;
    TRY(options->features  ? choose_features(variants, options, data, err)
        : options->columns ? choose_columns(variants, options, data, err)
                           : keep_plain(variants, data, err));
    names = emi_calloc(data->columns, sizeof *names);
    if (!names) TRY(emi_fail_memory(err, data->name));
    for (size_t c = 0; c < data->columns; c++) names[c] = variants->names[data->pick ? data->pick[c] : c];
    TRY(remark_twins(names, data, err));
    TRY(em_data_set_column_names(data, names, err));
done:
    emi_free(names);
    return status;
}
