#include "taken.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TAKEN   "taken"
#define MOMENTS "rows-%" PRIu64 ".npz"

/* ---- files by their names ----------------------------------------------------------------------------------------------- */

/* Where it is, or would be. */
static size_t place_of(const taken *t, const char *name)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(t->files[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

taken_file *taken_find(const taken *t, const char *name)
{
    size_t at = place_of(t, name);
    return at < t->count && strcmp(t->files[at].name, name) == 0 ? &t->files[at] : NULL;
}

int taken_is_same(const taken_file *file, const struct stat *about)
{
    return file->size == (long long)about->st_size && file->seconds == (long long)about->st_mtim.tv_sec &&
           file->nanoseconds == (long long)about->st_mtim.tv_nsec;
}

static em_status add(taken *t, const char *name, taken_file file, em_error *err)
{
    file.name = emi_strdup(name);
    taken_file *files = file.name ? emi_grow(t->files, &t->room, t->count + 1, sizeof *files) : NULL;
    if (files) t->files = files;
    if (!files) {
        emi_free(file.name);
        return emi_fail_memory(err, name);
    }
    size_t at = place_of(t, name);
    memmove(files + at + 1, files + at, (t->count - at) * sizeof *files);
    files[at] = file;
    t->count++;
    return EM_OK;
}

em_status taken_add(taken *t, const char *name, const struct stat *about, em_error *err)
{
    const taken_file file = {.size = (long long)about->st_size,
                             .seconds = (long long)about->st_mtim.tv_sec,
                             .nanoseconds = (long long)about->st_mtim.tv_nsec};
    return add(t, name, file, err);
}

void taken_remove(taken *t, const char *name)
{
    taken_file *file = taken_find(t, name);
    if (!file) return;
    emi_free(file->name);
    memmove(file, file + 1, (size_t)(t->files + --t->count - file) * sizeof *file);
}

void taken_close(taken *t)
{
    for (size_t n = 0; n < t->count; n++) emi_free(t->files[n].name);
    emi_free(t->files);
    emi_free(t->form.header);
    emi_free(t->form.columns);
    *t = (taken){0};
}

/* ---- on the disk --------------------------------------------------------------------------------------------------------- */

static em_status path_of(const taken *t, uint64_t number, char path[EMI_PATH_ROOM], em_error *err)
{
    char name[40];
    (void)snprintf(name, sizeof name, MOMENTS, number);
    return emi_state_path(&t->state, name, path, err);
}

em_status taken_path(const taken *t, char path[EMI_PATH_ROOM], em_error *err)
{
    return path_of(t, t->number, path, err);
}

static em_status save_moments(const taken *t, em_moments *moments, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    char path[EMI_PATH_ROOM];
    TRY(path_of(t, t->number + 1, path, err));
    TRY(emi_output_open_private(&output, path, err));
    TRY(em_moments_write(moments, emi_output_stream(output), err));
    TRY(emi_output_commit(&output, err));
done:
    emi_output_discard(&output);
    return status;
}

static void write_text(const taken *t, FILE *out)
{
    (void)fprintf(out, "eigenmesh taken 1\nmoments %" PRIu64 "\n", t->number + 1);
    (void)fprintf(out, "lines %" PRIu64 "\nbytes %" PRIu64 "\nrefused %" PRIu64 "\n", t->lines, t->bytes, t->refused);
    if (t->form.known) (void)fprintf(out, "width %zu\n", t->form.width);
    if (t->form.header) (void)fprintf(out, "header %s\n", t->form.header);
    if (t->form.columns) (void)fprintf(out, "columns %s\n", t->form.columns);
    for (size_t n = 0; n < t->count; n++) {
        const taken_file *f = &t->files[n];
        (void)fprintf(out, "file %lld %lld %lld %s\n", f->size, f->seconds, f->nanoseconds, f->name);
    }
}

em_status taken_save(taken *t, em_moments *moments, em_error *err)
{
    em_status status = EM_OK;
    char *text = NULL, path[EMI_PATH_ROOM];
    size_t size = 0;
    TRY(save_moments(t, moments, err));
    FILE *out = open_memstream(&text, &size);
    if (!out) TRY(emi_fail_memory(err, TAKEN));
    write_text(t, out);
    if (fclose(out) != 0) TRY(emi_fail_memory(err, TAKEN));
    TRY(emi_state_write(&t->state, TAKEN, text, size, err));
    if (path_of(t, t->number++, path, NULL) == EM_OK) (void)remove(path); /* of before; there may be none */
done:
    free(text);
    return status;
}

/* ---- and back ------------------------------------------------------------------------------------------------------------- */

/* Moments that nothing names any more, or not yet. */
static void remove_others(const taken *t)
{
    char own[40];
    DIR *folder = opendir(t->state.folder);
    const struct dirent *entry;
    (void)snprintf(own, sizeof own, MOMENTS, t->number);
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name, *end = strrchr(name, '.');
        if (emi_text_after(name, "rows-") && end && strcmp(end, ".npz") == 0 && strcmp(name, own) != 0)
            emi_state_remove(&t->state, name);
    }
    if (folder) (void)closedir(folder);
}

/* What follows a line's first word; non-zero: it is another line. */
static int read_number(const char *line, const char *word, uint64_t *out)
{
    const char *rest = emi_text_after(line, word);
    return !rest || emi_text_u64(rest, out);
}

static int read_words(const char *line, const char *word, char **out)
{
    const char *rest = emi_text_after(line, word);
    if (*out || !rest) return 1;
    *out = emi_strdup(rest);
    return !*out;
}

static int read_form(line_form *form, const char *line)
{
    uint64_t width;
    if (read_number(line, "width ", &width) == 0) {
        form->width = (size_t)width;
        form->known = 1;
        return 0;
    }
    return read_words(line, "header ", &form->header) && read_words(line, "columns ", &form->columns);
}

static int read_file(taken *t, const char *line, em_error *err)
{
    taken_file file = {0};
    long long *const numbers[] = {&file.size, &file.seconds, &file.nanoseconds};
    const char *at = emi_text_after(line, "file ");
    for (int n = 0; at && n < 3; n++) {
        char *end;
        *numbers[n] = strtoll(at, &end, 10);
        at = end > at && *end == ' ' ? end + 1 : NULL;
    }
    return !at || !*at || add(t, at, file, err) != EM_OK;
}

/* Non-zero: no line that this program writes. */
static int read_line(taken *t, const char *line, em_error *err)
{
    return read_number(line, "moments ", &t->number) && read_number(line, "lines ", &t->lines) &&
           read_number(line, "bytes ", &t->bytes) && read_number(line, "refused ", &t->refused) &&
           read_form(&t->form, line) && read_file(t, line, err);
}

static em_status read_text(taken *t, FILE *in, const char *path, em_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, in);
    int wrong = length < 0 || strcmp(line, "eigenmesh taken 1\n") != 0;
    while (!wrong && (length = getline(&line, &room, in)) > 0) {
        wrong = line[length - 1] != '\n';
        line[length - 1] = 0;
        if (!wrong) wrong = read_line(t, line, err);
    }
    free(line);
    if (!wrong && t->number) return EM_OK;
    return emi_fail(err, EM_EIO, "%s: is not what this program writes; try another folder for the state", path);
}

em_status taken_open(taken *t, em_moments **moments, const char *folder, em_error *err)
{
    em_status status = EM_OK;
    char path[EMI_PATH_ROOM];
    FILE *in = NULL;
    *t = (taken){.state.lock = -1}; /* it is held already */
    (void)snprintf(t->state.folder, sizeof t->state.folder, "%s", folder);
    TRY(emi_state_path(&t->state, TAKEN, path, err));
    in = fopen(path, "rbe");
    if (in) {
        TRY(read_text(t, in, path, err));
        TRY(taken_path(t, path, err));
        TRY(em_moments_load(moments, path, err));
    }
    remove_others(t);
done:
    if (in) (void)fclose(in);
    return status;
}
