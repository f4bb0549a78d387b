#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- C's own locale, for the calling thread alone and for as long as a number takes ------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain; /* made once and kept; 0 where it cannot be had, which leaves the thread's locale as it is */

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Returns what to give back to uselocale. */
static locale_t enter_plain(void)
{
    (void)pthread_once(&once, make_plain);
    return uselocale(plain);
}

double emi_text_strtod(const char *text, char **end)
{
    locale_t before = enter_plain();
    double value = strtod(text, end);
    (void)uselocale(before);
    return value;
}

size_t emi_text_of_double(char out[EMI_NUMBER_TEXT], double value)
{
    locale_t before = enter_plain();
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(out, EMI_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    (void)uselocale(before);
    return (size_t)length;
}

int emi_text_print(char *out, size_t room, const char *format, double value)
{
    locale_t before = enter_plain();
    int length = snprintf(out, room, format, value);
    (void)uselocale(before);
    return length;
}

/* ---- strictly ------------------------------------------------------------------------------------------- */

/* strtod and friends skip spaces and take signs where none belong; neither is a number here. */
static int starts_wrong(const char *text, int sign_allowed)
{
    if (sign_allowed && (*text == '-' || *text == '+')) text++;
    return !isdigit((unsigned char)*text) && !(sign_allowed && *text == '.');
}

int emi_text_double(const char *text, double *out)
{
    if (starts_wrong(text, 1) || strpbrk(text, "xX")) return -1; /* strtod also reads hexadecimal */
    char *end;
    double value = emi_text_strtod(text, &end);
    if (*end || end == text || !isfinite(value)) return -1;
    *out = value;
    return 0;
}

int emi_text_long(const char *text, long *out)
{
    if (starts_wrong(text, 1)) return -1;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (*end || end == text || errno) return -1;
    *out = value;
    return 0;
}

int emi_text_u64(const char *text, uint64_t *out)
{
    if (starts_wrong(text, 0)) return -1;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno) return -1;
    *out = value;
    return 0;
}

int emi_text_size(const char *text, size_t *out)
{
    uint64_t value;
    if (emi_text_u64(text, &value) || value > SIZE_MAX) return -1;
    *out = (size_t)value;
    return 0;
}

int emi_text_size_in(const char *text, size_t length, size_t *out)
{
    char copy[EMI_NUMBER_TEXT];
    if (length >= sizeof copy) return -1;
    memcpy(copy, text, length);
    copy[length] = 0;
    return emi_text_size(copy, out);
}

int emi_text_is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"", "na", "n/a", "nan", "null", "none", "?"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strlen(words[w]) == length && strncasecmp(text, words[w], length) == 0) return 1;
    return 0;
}

int emi_text_order(const char *a, const char *b)
{
    double x = INFINITY, y = INFINITY; /* what is no number stays there */
    (void)emi_text_double(a, &x);
    (void)emi_text_double(b, &y);
    return x < y ? -1 : x > y ? 1 : strcmp(a, b);
}

const char *emi_text_after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}
