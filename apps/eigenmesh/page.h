/* The page of --report, as far as fit, node and info make it alike: what was typed, what was read, and how near each iteration
 * was. */
#ifndef EIGENMESH_APP_PAGE_H
#define EIGENMESH_APP_PAGE_H

#include "input.h"

#include <eigenmesh/page.h>

/* The options of a command that has rows, and of one that has none. */
#define PAGE_OPTION                                                                                                    \
    {                                                                                                                  \
        .name = "report", .metavar = "FILE.html", .example = "page.html", .file = WRITES,                              \
        .help = "write a page for people: what was computed, how far it can be trusted, pictures; one file"            \
    }
#define PAGE_OPTIONS_WITH_ROWS                                                                                         \
    PAGE_OPTION, {.name = "report-scores", .help = "on that page, draw rows as points: it is as private as they are"}, \
    {                                                                                                                  \
        .name = "label", .metavar = "COLUMN", .example = "species",                                                    \
        .help = "the same, coloured by this column of a CSV, or FID, IID, SEX, PHENO of genotypes, which is no "       \
                "feature then"                                                                                         \
    }

enum { PAGE_FACTS = 8, PAGE_FACT_ROOM = 128 };

typedef struct page_notes {
    em_page page;     /* to be filled in further by the command */
    const char *more; /* an option that the command needs beside what was typed, to be done again; NULL: none */
    char *command;
    em_page_step *steps;
    size_t step_room;
    int step_failed;
    reading_list read;
    const char *names[PAGE_FACTS], *texts[PAGE_FACTS];
    char facts[PAGE_FACTS][PAGE_FACT_ROOM];
} page_notes;

/* Is what was typed fit for a page?  Without one there is nothing to draw rows on. */
em_status page_check(const arguments *args, em_error *err);

/* Are rows to be drawn? */
int page_has_rows(const arguments *args);

/* An iteration has ended: remember how near it was. */
void page_note_step(page_notes *n, const em_progress *now);

/* What else is to be said. */
void page_fact(page_notes *n, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "a.csv" of "data/a.csv". */
const char *page_without_folder(const char *path);

/* What is known by now of the model; r: NULL where nothing was read. */
em_status page_describe(page_notes *n, const arguments *args, const em_model *model, const reading *r, em_error *err);
void page_free(page_notes *n); /* accepts the zeroed */

#endif
