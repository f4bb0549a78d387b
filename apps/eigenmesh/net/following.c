#include "following.h"

#include "message.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static int is_standard_input(const following *f)
{
    return strcmp(f->input, "-") == 0;
}

em_status following_create(following *f, const arguments *args, reading *r, em_error *err)
{
    em_status status = EM_OK;
    uint64_t directions = 0;
    *f = (following){.args = args, .input = args->operands[1], .reading = r};
    if (strcmp(args_value(args, "missing"), "mean") == 0)
        TRY(emi_fail(err, EM_EINVAL,
                     "--missing: rows are added up as they come, and a mean is known at the end; try --missing drop"));
    TRY(args_whole(args, "directions", 1, INT32_MAX, &directions, err));
    f->directions = (size_t)directions;
    if (!is_standard_input(f)) TRY(spool_open(&f->spool, f->input, err));
done:
    return status;
}

void following_free(following *f)
{
    em_data_free(&f->handed);
    em_moments_free(&f->moments);
    spool_close(&f->spool);
    lines_free(&f->lines);
    taken_close(&f->taken);
    emi_free(f->order.text);
}

/* ---- to and from the disk ------------------------------------------------------------------------------------------------- */

static em_status save(following *f, em_error *err)
{
    double began = emi_seconds();
    if (!f->changed) return EM_OK;
    em_status status = taken_save(&f->taken, f->moments, err);
    f->saved_at = emi_seconds();
    f->save_took = f->saved_at - began;
    if (status == EM_OK) f->changed = 0;
    return status;
}

/* Once a second, or less often where it takes long. */
static em_status save_if_due(following *f, em_error *err)
{
    static const double second = 1, share = 20;
    double wait = share * f->save_took > second ? share * f->save_took : second;
    return interrupt_requested() || emi_seconds() - f->saved_at > wait ? save(f, err) : EM_OK;
}

/* So that whoever sends lines knows where to go on. */
static void tell_before(const following *f)
{
    const taken *t = &f->taken;
    if (args_given(f->args, "quiet")) return;
    if (is_standard_input(f))
        complain("%" PRIu64 " rows were taken before, of %" PRIu64 " lines of standard input, %" PRIu64
                 " bytes: what comes now is new",
                 em_moments_rows(f->moments), t->lines, t->bytes);
    else
        complain("%" PRIu64 " rows were taken before, of %zu files", em_moments_rows(f->moments), t->count);
}

/* What was thrown away does not come back, and what is exact does not become less by a slip. */
static em_status check_directions(const following *f, em_error *err)
{
    size_t before = em_moments_directions(f->moments);
    char now[32] = "none", then[48] = "exact", remedy[48] = "without it";
    if (before == f->directions) return EM_OK;
    if (f->directions) (void)snprintf(now, sizeof now, "%zu", f->directions);
    if (before) {
        (void)snprintf(then, sizeof then, "a sketch of %zu", before);
        (void)snprintf(remedy, sizeof remedy, "--directions %zu", before);
    }
    return emi_fail(err, EM_EINVAL, "--directions: %s, and the rows of before are %s; try %s, or another --state", now,
                    then, remedy);
}

/* Rows of before say what the columns are. */
static em_status names_of_before(following *f, em_error *err)
{
    em_status status = EM_OK;
    size_t count = em_moments_columns(f->moments);
    if (!em_moments_column_name(f->moments, 0)) return EM_OK;
    const char **names = emi_calloc(count, sizeof *names);
    if (!names) TRY(emi_fail_memory(err, f->input));
    for (size_t c = 0; c < count; c++) names[c] = em_moments_column_name(f->moments, c);
    TRY(reading_by_names(f->reading, "the rows of before", names, count, err));
done:
    emi_free(names);
    return status;
}

/* ---- batches --------------------------------------------------------------------------------------------------------------- */

static em_status create_moments(const following *f, em_moments **out, size_t columns, em_error *err)
{
    return f->directions ? em_moments_create_sketch(out, columns, f->directions, err)
                         : em_moments_create(out, columns, err);
}

/* All of its rows or, where it fails, none. */
static em_status add_rows(following *f, const em_data *data, em_error *err)
{
    em_status status = EM_OK;
    em_moments *batch = NULL;
    TRY(create_moments(f, &batch, em_data_columns(data), err));
    TRY(em_moments_update(batch, data, err));
    if (f->moments) {
        status = em_moments_merge(f->moments, batch, err);
        if (status == EM_ENOMEM) f->opened = 0; /* it may be half there: what is on the disk counts */
    } else {
        f->moments = batch;
        batch = NULL;
    }
    f->reading->is_told = 1; /* how the first was read; all others are read alike */
done:
    em_moments_free(&batch);
    return status;
}

/* Is it the rows' fault, so that others may do better? */
static int is_bad_input(em_status status)
{
    return status == EM_EDATA || status == EM_EIO;
}

static em_status add_lines(following *f, const char *text, size_t size, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    TRY(lines_read(&f->taken.form, &data, text, size, f->taken.lines, f->reading, f->args, err));
    TRY(add_rows(f, data, err));
done:
    em_data_free(&data);
    return status;
}

static void pass_lines(following *f, const char *text, size_t size)
{
    f->taken.lines += lines_count(text, size);
    f->taken.bytes += size;
    lines_forget(&f->lines, size);
    f->changed = f->moments != NULL;
}

/* One of them is no row: each by itself, and what is none is told and passed over. */
static em_status add_each(following *f, const char *text, size_t size, em_error *err)
{
    em_status status = EM_OK;
    for (const char *end = text + size; text < end && status == EM_OK;) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t length = line_end ? (size_t)(line_end - text) + 1 : (size_t)(end - text);
        int is_blank = strspn(text, " \t\r\n") >= length;
        if (!is_blank) status = add_lines(f, text, length, err);
        if (is_bad_input(status)) {
            complain("%s; the line is passed over", err->msg);
            f->taken.refused++;
            status = EM_OK;
        }
        if (status == EM_OK) pass_lines(f, text, length);
        text += length;
    }
    return status;
}

/* The first two say how all are read: where they cannot be read, nothing is. */
static em_status take_lines(following *f, double seconds, em_error *err)
{
    em_status status = EM_OK;
    const char *text;
    size_t size;
    TRY(lines_wait(&f->lines, &f->taken.form, seconds, &text, &size, err));
    size_t header = lines_header_again(&f->lines, &f->taken.form, text, size);
    if (header) lines_forget(&f->lines, header); /* it was counted */
    text += header;
    size -= header;
    if (!size) return EM_OK;
    status = add_lines(f, text, size, err);
    if (status == EM_OK)
        pass_lines(f, text, size);
    else if (is_bad_input(status) && f->taken.form.known)
        status = add_each(f, text, size, err);
done:
    return status;
}

static em_status add_file(following *f, const char *path, const struct stat *before, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    struct stat after;
    TRY(reading_open(f->reading, &data, path, f->args, NULL, err));
    if (stat(path, &after) != 0 || after.st_ino != before->st_ino || after.st_size != before->st_size ||
        after.st_mtim.tv_sec != before->st_mtim.tv_sec || after.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
        TRY(emi_fail(err, EM_EIO,
                     "%s: was written to while it was read; try renaming it into the folder when it is whole", path));
    TRY(taken_add(&f->taken, spool_name(path), before, err));
    status = add_rows(f, data, err);
    if (status != EM_OK) taken_remove(&f->taken, spool_name(path));
    if (status == EM_OK) f->changed = 1;
done:
    em_data_free(&data);
    return status;
}

static em_status take_file(following *f, double seconds, em_error *err)
{
    em_status status = EM_OK;
    char path[EMI_PATH_ROOM];
    struct stat about;
    const struct timespec sleep = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    TRY(spool_next(&f->spool, &f->taken, path, &about, err));
    if (!*path) {
        (void)nanosleep(&sleep, NULL);
        return EM_OK;
    }
    status = add_file(f, path, &about, err);
    if (!is_bad_input(status)) return status;
    complain("%s; the file is passed over until it is another", err->msg);
    status = spool_refuse(&f->spool, path, &about, err);
done:
    return status;
}

em_status following_take(following *f, double seconds, em_error *err)
{
    em_status status = EM_OK;
    if (!interrupt_requested())
        status = is_standard_input(f) ? take_lines(f, seconds, err) : take_file(f, seconds, err);
    return status == EM_OK ? save_if_due(f, err) : status;
}

/* ---- as a site has them ------------------------------------------------------------------------------------------------------ */

static int has_ended(const following *f)
{
    if (!is_standard_input(f)) return spool_has_ended(&f->spool);
    return f->lines.ended && f->lines.at == f->lines.size;
}

static em_status wait_for_rows(following *f, em_error *err)
{
    static const double while_ = 0.2;
    em_status status = EM_OK;
    while (!f->moments) {
        TRY(following_take(f, while_, err));
        if (f->moments) break;
        if (interrupt_requested()) TRY(emi_fail(err, EM_ENET, "node: interrupted; try again, to go on"));
        if (has_ended(f))
            TRY(emi_fail(err, EM_EDATA, "%s: ended before there was a row; try one that has some",
                         is_standard_input(f) ? "standard input" : f->input));
    }
done:
    return status;
}

em_status following_open(following *f, const char *folder, const em_data **data, em_error *err)
{
    em_status status = EM_OK;
    int more;
    TRY(taken_open(&f->taken, &f->moments, folder, err));
    f->opened = 1;
    if (f->moments) {
        TRY(check_directions(f, err));
        tell_before(f);
        TRY(names_of_before(f, err));
    }
    TRY(wait_for_rows(f, err));
    TRY(following_hand(f, data, &more, err));
done:
    return status;
}

/* What is handed out is read from the disk: so no row is in a model that is not there. */
static em_status hand(following *f, em_error *err)
{
    em_status status = EM_OK;
    char path[EMI_PATH_ROOM];
    const char **names = NULL;
    size_t count = f->order.size ? em_moments_columns(f->moments) : 0, n = 0;
    em_read_options options = {.size = sizeof options, .feature_count = count, .features_of = "the root's data"};
    em_data_free(&f->handed);
    if (count) options.features = names = emi_calloc(count, sizeof *names);
    if (count && !names) TRY(emi_fail_memory(err, f->input));
    for (const char *at = f->order.text; n < count; at = text_after(at)) names[n++] = at;
    TRY(taken_path(&f->taken, path, err));
    TRY(em_data_open(&f->handed, path, count ? &options : NULL, err));
    f->handed_number = f->taken.number;
done:
    emi_free(names);
    return status;
}

em_status following_hand(following *f, const em_data **data, int *more, em_error *err)
{
    em_status status = EM_OK;
    TRY(save(f, err));
    if (!f->handed || f->handed_number != f->taken.number) TRY(hand(f, err));
    *data = f->handed;
    *more = !has_ended(f);
done:
    return status;
}

em_status following_arrange(following *f, const char *const *names, size_t count, const em_data **data, em_error *err)
{
    em_status status = EM_OK;
    emi_free(f->order.text);
    f->order = (texts){0};
    for (size_t n = 0; n < count; n++) texts_put(&f->order, names[n]);
    if (f->order.failed) TRY(emi_fail_memory(err, f->input));
    TRY(hand(f, err));
    *data = f->handed;
done:
    return status;
}

em_status following_close(following *f, em_error *err)
{
    return f->opened && f->moments ? save(f, err) : EM_OK;
}
