#include "input.h"
#include "cluster.h"
#include "message.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------------------------------- */

/* Where the names are in the text, behind their owner's. */
static em_status find_names(reading *r, em_error *err)
{
    const texts *all = &r->owner_and_names;
    size_t count = 0;
    for (size_t n = 0; n < all->size; n++) count += all->text[n] == 0;
    r->names = all->failed ? NULL : emi_calloc(count, sizeof *r->names);
    if (!r->names) return emi_fail_memory(err, "names of columns");
    for (const char *at = text_after(all->text); at < all->text + all->size; at = text_after(at))
        r->names[r->count++] = at;
    return EM_OK;
}

static em_status name_by_table(reading *r, const em_data *data, em_error *err)
{
    const char *name = em_data_name(data);
    for (size_t k = 0; name; name = em_data_column_name(data, k++)) texts_put(&r->owner_and_names, name);
    return find_names(r, err);
}

em_status reading_by_model(reading *r, const em_model *model, const char *path, em_error *err)
{
    const char *name = em_model_feature_name(model, 0) ? path : NULL;
    if (!name) return EM_OK;
    for (int k = 0; name; name = em_model_feature_name(model, k++)) texts_put(&r->owner_and_names, name);
    return find_names(r, err);
}

em_status reading_by_names(reading *r, const char *owner, const char *const *names, size_t count, em_error *err)
{
    texts_put(&r->owner_and_names, owner);
    for (size_t k = 0; k < count; k++) texts_put(&r->owner_and_names, names[k]);
    return find_names(r, err);
}

em_status reading_share(reading *r, em_error *err)
{
    em_status status = EM_OK;
    texts *all = &r->owner_and_names;
    size_t size = all->size;
    TRY(cluster_share(&size, sizeof size, err));
    if (cluster_rank() != 0) *all = (texts){.text = emi_calloc(size, 1), .size = size, .room = size};
    TRY(cluster_agree(all->text ? EM_OK : emi_fail_memory(err, "names of columns"), err));
    TRY(cluster_share(all->text, size, err));
    TRY(cluster_agree(cluster_rank() != 0 ? find_names(r, err) : EM_OK, err));
done:
    return status;
}

/* A table that was read by these names: one that has none has them by position; one that has names where the first has
 * none is refused. */
static em_status settle_names(reading *r, em_data *data, em_error *err)
{
    const char *first = r->owner_and_names.text, *name = em_data_name(data);
    if ((r->count == 0) == (em_data_column_name(data, 0) == NULL)) return EM_OK;
    if (r->count == 0)
        return emi_fail(err, EM_EDATA,
                        "%s: has names of columns, where %s, the first, has none; try one with names first", name,
                        first);
    if (em_data_columns(data) != r->count)
        return emi_fail(err, EM_EDATA,
                        "%s: has %zu columns, where %s has %zu features; try the same ones, or --columns", name,
                        em_data_columns(data), first, r->count);
    if (!r->by_position) r->by_position = emi_strdup(name); /* the table may be gone when it is told */
    if (!r->by_position) return emi_fail_memory(err, name);
    return em_data_set_column_names(data, r->names, err);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Which of the words the option has as its value. */
static em_status choose(const arguments *args, const char *option, const char *const words[3], const char *wrong,
                        int *choice, em_error *err)
{
    const char *text = args_value(args, option);
    for (*choice = 0; *choice < 3; ++*choice)
        if (strcmp(text, words[*choice]) == 0) break;
    return *choice < 3 ? EM_OK : emi_fail(err, EM_EINVAL, "--%s: '%s' %s", option, text, wrong);
}

/* The library speaks of columns and a delimiter; here they are options. */
static em_status as_typed(em_status status, em_error *err)
{
    static const char *const names[][2] = {
        {"columns ", "--columns "}, {"column ", "--label "}, {"delimiter: ", "--delimiter: "}};
    em_error library = *err;
    for (int n = 0; status != EM_OK && n < 3; n++) {
        const char *rest = emi_text_after(library.msg, names[n][0]);
        if (rest) (void)emi_fail(err, status, "%s%s", names[n][1], rest);
    }
    return status;
}

/* Of each file there is its name, the remarks, and then the position, the name and the reason of each column left out; an
 * empty text ends them. */
static em_status note(reading *r, const em_data *data, em_error *err)
{
    const em_left_out *out;
    r->rows_dropped += em_data_rows_dropped(data);
    if (r->is_told) return EM_OK;
    texts_put(&r->files, em_data_name(data));
    texts_put(&r->files, em_data_remarks(data));
    for (size_t n = 0; (out = em_data_left_out(data, n)) != NULL; n++) {
        char column[24];
        (void)snprintf(column, sizeof column, "%zu", out->column);
        texts_put(&r->files, column);
        texts_put(&r->files, out->name);
        texts_put(&r->files, out->why);
    }
    texts_put(&r->files, "");
    return r->files.failed ? emi_fail_memory(err, "columns left out") : EM_OK;
}

/* What the arguments say, with the names that are known. */
static em_status choose_all(const reading *r, em_read_options *options, const arguments *args, em_error *err)
{
    static const char *const headers[] = {[EM_HEADER_AUTO] = "auto", [EM_HEADER_YES] = "yes", [EM_HEADER_NO] = "no"};
    static const char *const ways[] = {
        [EM_MISSING_ERROR] = "error", [EM_MISSING_DROP] = "drop", [EM_MISSING_MEAN] = "mean"};
    em_status status = EM_OK;
    int header, missing;
    TRY(choose(args, "header", headers, "is not yes, no or auto; try --header yes", &header, err));
    TRY(choose(args, "missing", ways, "is not error, drop or mean; try --missing drop", &missing, err));
    *options = (em_read_options){.size = sizeof *options,
                                 .header = (em_header)header,
                                 .missing = (em_missing)missing,
                                 .columns = args_text(args, "columns"),
                                 .delimiter = args_text(args, "delimiter"),
                                 .transpose = args_given(args, "transpose"),
                                 .features = r->count ? r->names : NULL,
                                 .feature_count = r->count,
                                 .features_of = r->owner_and_names.text};
done:
    return status;
}

static em_status settle(reading *r, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    if (r->owner_and_names.size == 0) TRY(name_by_table(r, data, err));
    TRY(settle_names(r, data, err));
    TRY(note(r, data, err));
done:
    return status;
}

em_status reading_open(reading *r, em_data **out, const char *path, const arguments *args, const char *label,
                       em_error *err)
{
    em_status status = EM_OK;
    em_read_options options;
    TRY(choose_all(r, &options, args, err));
    options.label = label;
    TRY(as_typed(em_data_open(out, path, &options, err), err));
    TRY(settle(r, *out, err));
done:
    return status;
}

em_status reading_open_text(reading *r, em_data **out, const reading_part *part, const arguments *args, int *has_names,
                            em_error *err)
{
    em_status status = EM_OK;
    em_read_options options;
    TRY(choose_all(r, &options, args, err));
    if (part->header != EM_HEADER_AUTO) options.header = part->header;
    if (part->columns) options.columns = part->columns;
    options.lines_before = part->lines_before;
    TRY(as_typed(em_data_from_text(out, "standard input", part->text, part->size, &options, err), err));
    *has_names = em_data_column_name(*out, 0) != NULL;
    TRY(settle(r, *out, err));
done:
    return status;
}

em_status reading_gather(reading *r, em_error *err)
{
    em_status status = EM_OK;
    texts all = {0};
    if (cluster_size() == 1) return EM_OK;
    TRY(cluster_gather(r->files.text, r->files.size, &all.text, &all.size, err));
    if (cluster_rank() == 0) {
        emi_free(r->files.text);
        r->files = all;
    }
    TRY(cluster_sum(&r->rows_dropped, err));
done:
    return status;
}

void reading_free(reading *r)
{
    emi_free(r->by_position);
    emi_free(r->names);
    emi_free(r->owner_and_names.text);
    emi_free(r->files.text);
    *r = (reading){0};
}
