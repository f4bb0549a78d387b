/* A page of all that there is to say, into memory. */
#ifndef TESTS_SUPPORT_PAGES_H
#define TESTS_SUPPORT_PAGES_H

#include <eigenmesh/page.h>

typedef struct page_case {
    int nodes, components;
    const char *method; /* NULL: auto */
    const char *name;   /* of a column, a label, a file, ...; NULL: harmless ones */
    int rows;           /* are drawn */
    int fragment;
    em_model **model; /* where the caller wants it, and frees it; NULL: it is not wanted */
} page_case;

/* The text is to be freed by free; NULL after a failure. */
em_status page_of(const page_case *of, char **text, em_error *err);

/* How often a text is in another. */
int page_counts(const char *page, const char *what);

#endif
