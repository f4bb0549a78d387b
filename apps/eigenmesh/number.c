#include "number.h"

#include <stdio.h>
#include <stdlib.h>

const char *number_text(double value, char out[NUMBER_TEXT])
{
    int digits = 15;
    do {
        (void)snprintf(out, NUMBER_TEXT, "%.*g", digits, value);
    } while (strtod(out, NULL) != value && ++digits <= 17);
    return out;
}
