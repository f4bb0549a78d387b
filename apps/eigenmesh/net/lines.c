#include "lines.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 1 << 16, BATCH = 1 << 20 }; /* bytes */

void lines_free(lines *l)
{
    emi_free(l->text);
    *l = (lines){0};
}

size_t lines_count(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *end = text + size; text < end; count++) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        text = line_end ? line_end + 1 : end;
    }
    return count;
}

static size_t first_line(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) : size;
}

/* ---- bytes ---------------------------------------------------------------------------------------------------------------- */

static int is_there(double seconds)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, (int)(1e3 * seconds)) > 0; /* also at the end */
}

static em_status read_some(lines *l, em_error *err)
{
    char *text = emi_grow(l->text, &l->room, l->size + AT_ONCE, 1);
    if (!text) return emi_fail_memory(err, "standard input");
    l->text = text;
    ssize_t got = read(STDIN_FILENO, text + l->size, AT_ONCE);
    if (got < 0 && errno != EINTR && errno != EAGAIN)
        return emi_fail(err, EM_EIO, "standard input: cannot be read (%s); try another source", strerror(errno));
    if (got > 0) l->size += (size_t)got;
    l->ended = got == 0;
    return EM_OK;
}

/* Up to the end of the last whole line; at the end of all, up to that. */
static size_t whole(const lines *l)
{
    size_t size = l->size - l->at;
    while (!l->ended && size > 0 && l->text[l->at + size - 1] != '\n') size--;
    return size;
}

/* Which say how all are read, however many more have come by then: one may be names alone. */
static size_t first_two(const lines *l, const char *text, size_t size)
{
    if (!l->ended && lines_count(text, size) < 2) return 0;
    size_t first = first_line(text, size) + 1;
    if (first >= size) return size;
    size_t both = first + first_line(text + first, size - first) + 1;
    return both < size ? both : size;
}

em_status lines_wait(lines *l, const line_form *form, double seconds, const char **text, size_t *size, em_error *err)
{
    em_status status = EM_OK;
    if (l->at > 0) memmove(l->text, l->text + l->at, l->size - l->at);
    l->size -= l->at;
    l->at = 0;
    while (status == EM_OK && !l->ended && l->size < BATCH && is_there(whole(l) ? 0 : seconds)) {
        size_t before = whole(l);
        status = read_some(l, err);
        if (!before) seconds = 0; /* what is there of the line after */
    }
    *text = l->text;
    *size = whole(l);
    if (!form->known) *size = first_two(l, *text, *size);
    return status;
}

void lines_forget(lines *l, size_t size)
{
    l->at += size;
    l->begun = 1;
}

size_t lines_header_again(const lines *l, const line_form *form, const char *text, size_t size)
{
    size_t length = first_line(text, size);
    if (l->begun || !form->header || length != strlen(form->header) || memcmp(text, form->header, length) != 0)
        return 0;
    return length < size ? length + 1 : length;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

static size_t width_of(const em_data *data)
{
    size_t left = 0;
    while (em_data_left_out(data, left)) left++;
    return em_data_columns(data) + left;
}

/* What was numbers in the first lines has to be so in all. */
static em_status choose_columns(line_form *form, const em_data *data, em_error *err)
{
    size_t columns = em_data_columns(data), left = width_of(data) - columns, room = 0;
    for (size_t c = 0, picked = 0, used = 0; picked < columns; c++) {
        char *text = emi_grow(form->columns, &room, used + 24, 1);
        if (!text) return emi_fail_memory(err, "standard input");
        form->columns = text;
        size_t n = 0;
        while (n < left && em_data_left_out(data, n)->column != c) n++;
        if (n < left) continue;
        used += (size_t)snprintf(text + used, 24, "%s%zu", picked++ ? "," : "", c);
    }
    return EM_OK;
}

static em_status find_form(line_form *form, const em_data *data, const char *text, size_t size, const arguments *args,
                           int names, em_error *err)
{
    em_status status = EM_OK;
    size_t length = first_line(text, size);
    form->width = width_of(data);
    form->known = 1;
    if (!names && !args_given(args, "columns")) status = choose_columns(form, data, err);
    if (names && !(form->header = emi_calloc(length + 1, 1))) status = emi_fail_memory(err, "standard input");
    if (form->header) memcpy(form->header, text, length);
    return status;
}

/* Lines without names have places alone to tell columns by. */
static em_status check_width(const line_form *form, const em_data *data, uint64_t before, em_error *err)
{
    if (data && width_of(data) == form->width) return EM_OK;
    return emi_fail(err, EM_EDATA,
                    "standard input: line %llu has another number of columns than the first one, which has %zu; try "
                    "mending it",
                    (unsigned long long)before + 1, form->width);
}

/* The header, and these. */
static char *join(const char *header, const char *text, size_t size)
{
    size_t head = strlen(header);
    char *all = emi_malloc(head + 1 + size);
    if (!all) return NULL;
    memcpy(all, header, head + 1);
    all[head] = '\n';
    memcpy(all + head + 1, text, size);
    return all;
}

em_status lines_read(line_form *form, em_data **out, const char *text, size_t size, uint64_t before, reading *r,
                     const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    int names = 0, known = form->known;
    char *all = form->header ? join(form->header, text, size) : NULL;
    reading_part part = {.text = text, .size = size, .lines_before = (long)before};
    if (form->header && !all) TRY(emi_fail_memory(err, "standard input"));
    if (all) part.text = all, part.size += strlen(form->header) + 1, part.lines_before--;
    if (known) part.header = form->header ? EM_HEADER_YES : EM_HEADER_NO, part.columns = form->columns;
    status = reading_open_text(r, out, &part, args, &names, err);
    if (status == EM_EINVAL && form->columns) TRY(check_width(form, NULL, before, err)); /* one lacks such places */
    if (status == EM_OK && known && !form->header) TRY(check_width(form, *out, before, err));
    if (status == EM_OK && !known) TRY(find_form(form, *out, text, size, args, names, err));
done:
    if (status != EM_OK) em_data_free(out);
    emi_free(all);
    return status;
}
