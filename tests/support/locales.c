#include "support/locales.h"

#include "support/check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int enter(const char *name)
{
    return setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

int locale_with_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (enter(names[n])) return 1;
    char command[1024];
    const char *place = scratch("locales");
    (void)mkdir(place, 0700);
    (void)snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >'%s/log' 2>&1", place,
                   place);
    if (system(command) != 0 || setenv("LOCPATH", place, 1) != 0 || !enter("de_DE.UTF-8")) {
        print_message("skipped: no locale with a decimal comma; try scripts/setup test\n");
        locale_plain();
        return 0;
    }
    return 1;
}

void locale_plain(void)
{
    (void)setlocale(LC_ALL, "C");
}
