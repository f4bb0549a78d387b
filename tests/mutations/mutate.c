#include "mutate.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { SPAN = 64 };

typedef void change(bytes *b, dice *d);

/* ---- of any file ------------------------------------------------------------------------------------------------ */

static void flip_bit(bytes *b, dice *d)
{
    if (b->size) b->at[dice_below(d, b->size)] ^= (unsigned char)(1u << dice_below(d, 8));
}

static void set_byte(bytes *b, dice *d)
{
    static const unsigned char telling[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '\'', '(', ')', ',', '9', '-'};
    if (b->size) b->at[dice_below(d, b->size)] = telling[dice_below(d, sizeof telling)];
}

static void insert_noise(bytes *b, dice *d)
{
    unsigned char noise[16];
    size_t count = 1 + dice_below(d, sizeof noise);
    for (size_t n = 0; n < count; n++) noise[n] = (unsigned char)dice_bits(d);
    bytes_replace(b, dice_below(d, b->size + 1), 0, noise, count);
}

static void delete_span(bytes *b, dice *d)
{
    size_t first = dice_below(d, b->size), most = b->size - first;
    bytes_replace(b, first, dice_below(d, (most < SPAN ? most : SPAN) + 1), NULL, 0);
}

static void truncate_end(bytes *b, dice *d)
{
    b->size = dice_below(d, b->size + 1);
}

static void duplicate_span(bytes *b, dice *d)
{
    unsigned char copy[SPAN];
    size_t first = dice_below(d, b->size), most = b->size - first;
    size_t count = dice_below(d, (most < SPAN ? most : SPAN) + 1);
    memcpy(copy, b->at + first, count);
    bytes_replace(b, dice_below(d, b->size + 1), 0, copy, count);
}

/* A whole number at the edge of its type, in either byte order. */
static void set_integer(bytes *b, dice *d)
{
    static const uint64_t edges[] = {0,          1,          0xff,           0x7fff,
                                     0x8000,     0xffff,     0x7fffffff,     0x80000000,
                                     0xffffffff, 0x10000,    1000000,        UINT64_C(0x100000000),
                                     INT64_MAX,  UINT64_MAX, UINT64_MAX / 8, UINT64_C(1) << 63};
    static const size_t sizes[] = {1, 2, 4, 8};
    uint64_t value = edges[dice_below(d, sizeof edges / sizeof *edges)];
    size_t size = sizes[dice_below(d, 4)];
    int big = (int)dice_below(d, 2);
    if (b->size < size) return;
    size_t at = dice_below(d, b->size - size + 1);
    if (dice_below(d, 2)) at -= at % size; /* where such numbers lie */
    for (size_t n = 0; n < size; n++) b->at[at + (big ? size - 1 - n : n)] = (unsigned char)(value >> (8 * n));
}

/* A floating-point number that arithmetic may trip over. */
static void set_real(bytes *b, dice *d)
{
    const double reals[] = {0.0,    -0.0, 1e308, -1e308,           1e200,      1e154, 1e-308,
                            5e-324, 1e38, 1e-45, (double)INFINITY, (double)NAN};
    double wide = reals[dice_below(d, sizeof reals / sizeof *reals)];
    float narrow = (float)wide;
    int single = (int)dice_below(d, 2);
    size_t size = single ? sizeof narrow : sizeof wide;
    if (b->size < size) return;
    size_t at = dice_below(d, b->size - size + 1);
    at -= at % size;
    memcpy(b->at + at, single ? (const void *)&narrow : (const void *)&wide, size);
}

/* ---- of text ----------------------------------------------------------------------------------------------------- */

static int is_delimiter(int c)
{
    return c == ',' || c == ';' || c == '\t' || c == '\n' || c == ' ' || c == '|';
}

/* A cell: where it begins, and its length. */
static size_t some_cell(const bytes *b, dice *d, size_t *length)
{
    size_t first = dice_below(d, b->size), end;
    while (first > 0 && !is_delimiter(b->at[first - 1])) first--;
    for (end = first; end < b->size && !is_delimiter(b->at[end]);) end++;
    *length = end - first;
    return first;
}

static void set_cell(bytes *b, dice *d)
{
    static const char *const words[] = {"",
                                        "nan",
                                        "-nan",
                                        "inf",
                                        "-Infinity",
                                        "1e999",
                                        "-1e308",
                                        "1e-400",
                                        "4.9e-324",
                                        "NA",
                                        "N/A",
                                        "null",
                                        "-",
                                        ".",
                                        "+",
                                        "abc",
                                        "\"",
                                        "\"a\"\"b\"",
                                        "\"1\n2\"",
                                        "0x1p3",
                                        "1,5",
                                        "12%",
                                        "$5",
                                        "'3'",
                                        "1e",
                                        "1e+",
                                        "--1",
                                        "1 2",
                                        "\xef\xbb\xbf",
                                        "\xff\xfe",
                                        "\xc3\xa9",
                                        "true",
                                        "18446744073709551616",
                                        "99999999999999999999999999999999999999999999999999",
                                        "-1",
                                        "2147483648",
                                        "0.000000000000000000000000000001"};
    size_t length, first = some_cell(b, d, &length);
    const char *word = words[dice_below(d, sizeof words / sizeof *words)];
    bytes_replace(b, first, length, word, strlen(word));
}

static void set_delimiter(bytes *b, dice *d)
{
    static const char others[] = ",;\t| \n\r\"'.#";
    size_t at = dice_below(d, b->size);
    for (size_t n = 0; n < b->size && !is_delimiter(b->at[at]); n++) at = (at + 1) % b->size;
    if (b->size) b->at[at] = (unsigned char)others[dice_below(d, sizeof others - 1)];
}

/* Every one of them, as when a table is saved with other settings. */
static void set_delimiters(bytes *b, dice *d)
{
    static const char others[] = ",;\t| \r";
    char from = others[dice_below(d, 4)], to = others[dice_below(d, sizeof others - 1)];
    if (dice_below(d, 8) == 0) from = '\n';
    for (size_t n = 0; n < b->size; n++)
        if (b->at[n] == (unsigned char)from) b->at[n] = (unsigned char)to;
}

static void insert_mark(bytes *b, dice *d)
{
    static const char *const marks[] = {"\"", "\"\"",         "\n",   "\r\n", "\r",     ",",
                                        "#",  "\xef\xbb\xbf", ",,,,", "\n\n", "sep=,\n"};
    const char *mark = marks[dice_below(d, sizeof marks / sizeof *marks)];
    size_t at = dice_below(d, 3) ? dice_below(d, b->size + 1) : 0;
    bytes_replace(b, at, 0, mark, strlen(mark));
}

/* A line taken out, or put in twice. */
static void change_line(bytes *b, dice *d)
{
    size_t first = dice_below(d, b->size), end = first;
    while (first > 0 && b->at[first - 1] != '\n') first--;
    while (end < b->size && b->at[end++] != '\n') continue;
    if (dice_below(d, 2)) {
        bytes_replace(b, first, end - first, NULL, 0);
    } else {
        bytes line = bytes_of(b->at + first, end - first);
        bytes_replace(b, first, 0, line.at, line.size);
        bytes_free(&line);
    }
}

static void upset_case(bytes *b, dice *d)
{
    size_t at = dice_below(d, b->size);
    if (b->size) b->at[at] = (unsigned char)(isupper(b->at[at]) ? tolower(b->at[at]) : toupper(b->at[at]));
}

/* ---- all of them --------------------------------------------------------------------------------------------------- */

static change *const of_bytes[] = {flip_bit,       set_byte,    insert_noise, delete_span, truncate_end,
                                   duplicate_span, set_integer, set_integer,  set_real,    set_real};
static change *const of_text[] = {set_cell,       set_cell,    set_cell,    set_delimiter, set_delimiter,
                                  set_delimiters, insert_mark, insert_mark, change_line,   upset_case};

void mutate(bytes *b, int text, dice *d)
{
    size_t times = dice_below(d, 2) ? 1 : 1 + dice_below(d, 4); /* what is damaged less is read further */
    for (size_t n = 0; n < times; n++) {
        if (text && dice_below(d, 3))
            of_text[dice_below(d, sizeof of_text / sizeof *of_text)](b, d);
        else
            of_bytes[dice_below(d, sizeof of_bytes / sizeof *of_bytes)](b, d);
    }
}
