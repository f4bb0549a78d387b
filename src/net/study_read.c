#include "net/study_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 4096, FILE_MOST = 1 << 20 };

static em_status too_large(const char *file, em_error *err)
{
    return em_fail(err, EM_EDATA, "%s: is larger than 1 MiB, which no study is; try the study's own file", file);
}

/* ---- a file's bytes ---------------------------------------------------------------------------------------- */

em_status emi_study_load(char **text, size_t *size, const char *path, em_error *err)
{
    enum { ROOM = FILE_MOST + 1 }; /* one more, to see that there is more */
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return em_fail(err, EM_EIO, "%s: cannot be opened (%s); try another file", path, strerror(errno));
    em_status status = EM_OK;
    *size = 0;
    *text = malloc(ROOM);
    if (!*text) status = em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", path);
    while (status == EM_OK && *size < ROOM) {
        ssize_t got = read(file, *text + *size, ROOM - *size);
        if (got == 0) break;
        if (got < 0 && errno != EINTR)
            status = em_fail(err, EM_EIO, "%s: cannot be read (%s); try another file", path, strerror(errno));
        if (got > 0) *size += (size_t)got;
    }
    if (status == EM_OK && *size > FILE_MOST) status = too_large(path, err);
    (void)close(file);
    return status;
}

/* ---- a line's bytes ---------------------------------------------------------------------------------------- */

/* Why a byte may not be there, and what to try; NULL: it may. */
static const char *wrong_byte(unsigned char byte)
{
    if (byte == 0) return "a zero byte, as in UTF-16; try saving it as plain text";
    if (byte == '\t') return "a tab; try blanks";
    if (byte == '\r') return "a carriage return that ends no line; try one line each";
    if (byte < ' ' || byte == 127) return "a control character; try without it";
    return byte > 127 ? "a character that is not ASCII; try plain letters, also in comments" : NULL;
}

static em_status check_bytes(const emi_study_lines *all, int number, const char *line, size_t length, em_error *err)
{
    if (number == 1 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        return em_fail(err, EM_EDATA, "%s: line 1: begins with a byte-order mark; try saving it as plain ASCII",
                       all->file);
    for (size_t n = 0; n < length && n < LINE_MOST; n++) {
        const char *why = wrong_byte((unsigned char)line[n]);
        if (why) return em_fail(err, EM_EDATA, "%s: line %d, column %zu: %s", all->file, number, n + 1, why);
    }
    if (length > LINE_MOST)
        return em_fail(err, EM_EDATA, "%s: line %d: is longer than %d bytes; try several lines", all->file, number,
                       LINE_MOST);
    return EM_OK;
}

/* ---- what a line says -------------------------------------------------------------------------------------- */

/* Without the comment, and without blanks around it. */
static char *trim(char *line)
{
    for (char *hash = strchr(line, '#'); hash; hash = strchr(hash + 1, '#'))
        if (hash == line || hash[-1] == ' ') {
            *hash = 0;
            break;
        }
    line += strspn(line, " ");
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') line[--length] = 0;
    return line;
}

/* [WORD] or [WORD NAME]. */
static int read_heading(emi_study_line *out, char *line)
{
    size_t length = strlen(line);
    if (line[length - 1] != ']') return -1;
    line[length - 1] = 0;
    char *word = trim(line + 1), *end = word + strcspn(word, " ");
    out->word = word;
    if (*end) {
        *end = 0;
        out->name = end + 1 + strspn(end + 1, " ");
    }
    return *word ? 0 : -1;
}

static int read_pair(emi_study_line *out, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals) return -1;
    *equals = 0;
    out->key = trim(line);
    out->value = trim(equals + 1);
    return *out->key && *out->value ? 0 : -1;
}

static em_status add_line(emi_study_lines *all, int number, char *text, em_error *err)
{
    char *line = trim(text);
    emi_study_line *added = &all->lines[all->count];
    *added = (emi_study_line){.number = number};
    if (!*line) return EM_OK;
    if (*line == '[' && read_heading(added, line) != 0)
        return em_fail(err, EM_EDATA, "%s: line %d: begins like a section and is none; try [study] or [site NAME]",
                       all->file, number);
    if (*line != '[' && read_pair(added, line) != 0)
        return em_fail(err, EM_EDATA, "%s: line %d: is neither a section nor a key with a value; try KEY = VALUE",
                       all->file, number);
    all->count++;
    return EM_OK;
}

em_status emi_study_read(emi_study_lines *out, const char *file, const char *text, size_t size, em_error *err)
{
    *out = (emi_study_lines){.file = file};
    if (size > FILE_MOST) return too_large(file, err);
    size_t lines = 1;
    for (size_t n = 0; n < size; n++) lines += text[n] == '\n';
    out->text = malloc(size + 1);
    out->lines = calloc(lines, sizeof *out->lines);
    if (!out->text || !out->lines) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", file);
    if (size) memcpy(out->text, text, size);
    out->text[size] = 0;
    em_status status = EM_OK;
    char *line = out->text, *end = out->text + size;
    for (int number = 1; status == EM_OK && line < end; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line)), *stop = next ? next : end;
        size_t length = (size_t)(stop - line);
        length -= length > 0 && line[length - 1] == '\r';
        line[length] = 0;
        status = check_bytes(out, number, line, length, err);
        if (status == EM_OK) status = add_line(out, number, line, err);
        line = stop + 1;
    }
    return status;
}

void emi_study_lines_free(emi_study_lines *lines)
{
    free(lines->lines);
    free(lines->text);
    *lines = (emi_study_lines){0};
}
