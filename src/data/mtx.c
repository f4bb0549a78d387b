/* Matrix Market (R. F. Boisvert, R. Pozo, K. Remington, The Matrix Market exchange formats, NISTIR 5935, 1996): text, an entry a line.
 * The text is read piece by piece: of a file that is packed, the unpacked one is never held. */
#include "base/text.h"
#include "data/entries.h"
#include "data/reader.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char banner[] = "%%MatrixMarket";

static const char ending[] = ".mtx";

/* Text of that name is no other table, though its numbers may look like one. */
static int mtx_by_content(const emi_input *input)
{
    return emi_path_ends(input->path, ending) ||
           (input->bytes.size >= sizeof banner &&
            strncasecmp((const char *)input->bytes.at, banner, sizeof banner - 1) == 0);
}

enum { PIECE = 1 << 16, LONGEST = 1024, WORDS = 6 };

/* The text, line by line: first what the input has of it, then what its stream brings. */
typedef struct text {
    const emi_input *input;
    const char *name;
    const unsigned char *at, *end;
    unsigned char piece[PIECE];
    size_t line; /* counted from 1 */
    char held[LONGEST];
    int words;
    char *word[WORDS]; /* of the line, with blanks between them */
} text;

static em_status more_text(text *t, em_error *err)
{
    size_t got = 0;
    if (!t->input->stream) return EM_OK;
    em_status status = t->input->read(t->input, t->piece, PIECE, &got, err);
    t->at = t->piece;
    t->end = t->piece + got;
    return status;
}

/* Into t->held, without its end; *more: there was one. */
static em_status next_line(text *t, int *more, em_error *err)
{
    size_t length = 0;
    *more = 0;
    t->line++;
    for (;; t->at++) {
        if (t->at == t->end) {
            em_status status = more_text(t, err);
            if (status != EM_OK) return status;
        }
        if (t->at == t->end) break;
        *more = 1;
        if (*t->at == '\n') {
            t->at++;
            break;
        }
        if (length + 1 == LONGEST && *t->held == '%') continue; /* what a comment says does not matter */
        if (length + 1 == LONGEST || !*t->at)
            return emi_fail(err, EM_EDATA, "%s: line %zu is no text, or longer than %d letters; try another file",
                            t->name, t->line, LONGEST);
        t->held[length++] = (char)*t->at;
    }
    t->held[length] = 0;
    return EM_OK;
}

static void cut_words(text *t)
{
    char *at = t->held;
    for (t->words = 0; t->words < WORDS; t->words++) {
        while (isspace((unsigned char)*at)) at++;
        if (!*at) return;
        t->word[t->words] = at;
        while (*at && !isspace((unsigned char)*at)) at++;
        if (*at) *at++ = 0;
    }
}

/* The next line that is neither empty nor a comment; no words: there is none. */
static em_status next_words(text *t, em_error *err)
{
    int more = 1;
    do {
        em_status status = next_line(t, &more, err);
        if (status != EM_OK) return status;
        cut_words(t);
    } while (more && (t->words == 0 || *t->word[0] == '%'));
    return EM_OK;
}

/* ---- the header -------------------------------------------------------------------------------------------------------- */

typedef struct header {
    int pattern;  /* entries have no value: each is 1               */
    int whole;    /* values are whole numbers                       */
    int mirrored; /* of a symmetric one, half is stored             */
    double sign;  /* that the other half has: -1 of a skew one      */
    size_t rows, columns, count;
} header;

static int is_word(const text *t, int n, const char *word)
{
    return n < t->words && strcasecmp(t->word[n], word) == 0;
}

static em_status refuse(const text *t, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: line %zu %s", t->name, t->line, why);
}

static em_status read_kind(text *t, header *h, em_error *err)
{
    int more;
    em_status status = next_line(t, &more, err);
    if (status != EM_OK) return status;
    cut_words(t);
    if (t->words != 5 || !is_word(t, 0, banner) || !is_word(t, 1, "matrix"))
        return refuse(t, "is no header of a matrix; try '%%MatrixMarket matrix coordinate real general'", err);
    if (!is_word(t, 2, "coordinate"))
        return refuse(t, "says that the matrix is dense; try saving it as .npy or CSV", err);
    *h = (header){.pattern = is_word(t, 3, "pattern"), .sign = is_word(t, 4, "skew-symmetric") ? -1 : 1};
    h->whole = h->pattern || is_word(t, 3, "integer") || is_word(t, 3, "unsigned-integer");
    h->mirrored = is_word(t, 4, "symmetric") || is_word(t, 4, "skew-symmetric");
    if (!h->whole && !is_word(t, 3, "real") && !is_word(t, 3, "double"))
        return refuse(t, "says that values are no real numbers; try real, integer or pattern", err);
    if (!h->mirrored && !is_word(t, 4, "general"))
        return refuse(t, "has a symmetry that is not understood; try general or symmetric", err);
    return EM_OK;
}

static em_status read_sizes(text *t, header *h, em_error *err)
{
    em_status status = next_words(t, err);
    if (status != EM_OK) return status;
    if (t->words != 3 || emi_text_size(t->word[0], &h->rows) || emi_text_size(t->word[1], &h->columns) ||
        emi_text_size(t->word[2], &h->count))
        return refuse(t, "is to have the numbers of rows, columns and entries, and does not; try making the file anew",
                      err);
    if (h->rows > INT32_MAX || h->columns > INT32_MAX)
        return refuse(t, "has more rows or columns than can be read; try parts of the matrix", err);
    if (h->mirrored && h->rows != h->columns)
        return refuse(t, "says that a symmetric matrix is not square; try making the file anew", err);
    return EM_OK;
}

/* ---- entries ----------------------------------------------------------------------------------------------------------- */

/* Counted from 1. */
static int read_place(const char *word, size_t most, size_t *out)
{
    size_t place;
    if (emi_text_size(word, &place) || place < 1 || place > most) return 0;
    *out = place - 1;
    return 1;
}

/* What is not finite, as "nan", is a value too, and found later. */
static int read_value(const char *word, double *out)
{
    char *end;
    size_t whole;
    if (strlen(word) < 16 && emi_text_size(word, &whole) == 0) {
        *out = (double)whole;
        return 1;
    }
    if (strpbrk(word, "xX")) return 0;
    *out = emi_text_strtod(word, &end);
    return end != word && !*end;
}

static em_status read_entry(text *t, const header *h, emi_entries *e, em_error *err)
{
    em_status status = EM_OK;
    size_t row, column;
    double value = 1;
    if (t->words != (h->pattern ? 2 : 3))
        return refuse(t,
                      h->pattern ? "is to have a row and a column; try making the file anew"
                                 : "is to have a row, a column and a value; try making the file anew",
                      err);
    if (!read_place(t->word[0], h->rows, &row) || !read_place(t->word[1], h->columns, &column))
        return emi_fail(
            err, EM_EDATA,
            "%s: line %zu has an entry in row %.20s, column %.20s of %zu x %zu; try making the file anew, with rows "
            "and columns from 1 on",
            t->name, t->line, t->word[0], t->word[1], h->rows, h->columns);
    if (!h->pattern && !read_value(t->word[2], &value))
        return emi_fail(err, EM_EDATA, "%s: line %zu: '%.40s' is no number; try mending it", t->name, t->line,
                        t->word[2]);
    TRY(emi_entries_add(e, row, column, value, t->name, err));
    if (h->mirrored && row != column) TRY(emi_entries_add(e, column, row, h->sign * value, t->name, err));
done:
    return status;
}

static em_status read_entries(text *t, const header *h, emi_entries *e, em_error *err)
{
    em_status status = EM_OK;
    size_t count = 0;
    TRY(next_words(t, err));
    for (; t->words; count++) {
        if (count == h->count)
            TRY(refuse(t, "is one entry more than the header promises; try making the file anew", err));
        TRY(read_entry(t, h, e, err));
        TRY(next_words(t, err));
    }
    if (count < h->count)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: cut short, its header promises %zu entries and it has %zu; try fetching it again", t->name,
                     h->count, count));
done:
    return status;
}

/* Rows of the file are rows of the table, or its columns. */
static void turn(emi_entries *e)
{
    size_t rows = e->rows;
    int32_t *row = e->row;
    e->rows = e->columns, e->columns = rows;
    e->row = e->column, e->column = row;
}

static em_status mtx_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    header h = {0};
    emi_entries e = {0};
    emi_csr m = {0};
    text t = {.input = input, .name = data->name, .at = input->bytes.at, .end = input->bytes.at + input->bytes.size};
    TRY(read_kind(&t, &h, err));
    TRY(read_sizes(&t, &h, err));
    e = (emi_entries){.rows = h.rows, .columns = h.columns, .type = EM_F64};
    TRY(read_entries(&t, &h, &e, err));
    e.whole = h.whole;
    if (h.whole) e.type = emi_narrow(e.value, e.count);
    if (request->options.transpose) turn(&e);
    TRY(emi_entries_to_csr(&e, &m, data->name, err));
    TRY(emi_csr_open(data, &m, err));
done:
    emi_csr_free(&m);
    emi_entries_free(&e);
    return status;
}

const emi_reader emi_reader_mtx = {.format = "mtx", .by_content = mtx_by_content, .open = mtx_open};
