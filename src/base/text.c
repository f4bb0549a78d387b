#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    errno = 0;
    double value = strtod(text, &end);
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

const char *emi_text_after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}
