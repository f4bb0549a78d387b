#include "duration.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int duration_read(const char *text, double *seconds)
{
    static const struct unit {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
    char *end = NULL;
    if (strcmp(text, "forever") == 0) {
        *seconds = INFINITY;
        return 0;
    }
    if (!isdigit((unsigned char)*text)) return -1; /* strtod would take " 1", "-1" and "inf" */
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number > 0 && isfinite(number)) {
            *seconds = number * units[i].seconds;
            return 0;
        }
    return -1;
}
