/* A locale whose decimals have a comma, as in Germany. */
#ifndef TESTS_SUPPORT_LOCALES_H
#define TESTS_SUPPORT_LOCALES_H

/* The process is in such a locale from now on, one that the machine has or that is made here.  0: it cannot be had. */
int locale_with_comma(void);

/* Back to C's own. */
void locale_plain(void);

#endif
