/* Reading tables: by the names of the first one's columns; and for the report what was decided: columns left out and why, what
 * separates cells, which rows were dropped.  Files that were read alike are told of once. */
#ifndef EIGENMESH_INPUT_H
#define EIGENMESH_INPUT_H

#include "command.h"
#include "print.h"

#include <eigenmesh/page.h>

/* The options that say how to read a table, for a command's own. */
#define INPUT_OPTIONS                                                                                                  \
    {.name = "header", .metavar = "HOW", .preset = "auto", .help = "does a CSV begin with names: yes, no, auto"},      \
        {.name = "columns",                                                                                            \
         .metavar = "LIST",                                                                                            \
         .preset = "all but text",                                                                                     \
         .example = "0-9,12",                                                                                          \
         .help = "the columns to read: positions from 0, such as 0-9,12, or a CSV header's names; -NAME: all but "     \
                 "that one"},                                                                                          \
        {.name = "delimiter",                                                                                          \
         .metavar = "C",                                                                                               \
         .preset = "found out",                                                                                        \
         .example = "';'",                                                                                             \
         .help = "what separates a CSV's cells: a character, tab, or space"},                                          \
        {.name = "transpose", .help = "rows of a sparse matrix are its columns: as in 10x's Matrix Market files"},     \
    {                                                                                                                  \
        .name = "missing", .metavar = "HOW", .preset = "error", .example = "mean",                                     \
        .help = "missing values (empty cells, NA, NaN): error, drop (their rows), or mean (of the feature, over the "  \
                "network)"                                                                                             \
    }

typedef struct reading {
    texts owner_and_names; /* whose the names are, and then each; empty: nothing is known yet */
    const char **names;    /* [count] into it */
    size_t count;          /* 0: the first table has none */
    char *by_position;     /* the first table that has no names, and so has these in their order; NULL: all have some */
    texts files;           /* how each was read */
    int is_told;           /* those that are read now are read as the ones before, and no more is said of them */
    size_t rows_dropped;
} reading;

/* Open a table as the arguments say, with this column as labels (NULL: none): by the names that are known or, where none
 * are yet, as the first, whose names they then are. */
em_status reading_open(reading *r, em_data **out, const char *path, const arguments *args, const char *label,
                       em_error *err);

/* The same of lines that came on standard input, so many lines of which came before. */
typedef struct reading_part {
    const char *text;
    size_t size;
    long lines_before;
    em_header header;    /* AUTO: as the arguments say */
    const char *columns; /* NULL: as the arguments say */
} reading_part;

em_status reading_open_text(reading *r, em_data **out, const reading_part *part, const arguments *args, int *has_names,
                            em_error *err);

/* The names are these, whose owner messages name. */
em_status reading_by_names(reading *r, const char *owner, const char *const *names, size_t count, em_error *err);

/* The names are those of a model, if it has any. */
em_status reading_by_model(reading *r, const em_model *model, const char *path, em_error *err);

/* Between processes: the first one's names, for all; and what was decided in all, at the first. */
em_status reading_share(reading *r, em_error *err);
em_status reading_gather(reading *r, em_error *err);

/* "read      a.csv and 2 more: commas, a header", the columns and rows left out, and names by position. */
void reading_print(const reading *r);

/* The columns and rows left out that nobody asked to leave out, as warnings: where the report's place is taken. */
void reading_warn(const reading *r, const arguments *args);
void reading_json(json *j, const reading *r);

void reading_free(reading *r); /* accepts the zeroed */

/* The same for a page: files that were read alike once, and the columns left out of each. */
typedef struct reading_list {
    em_page_input *inputs; /* [count] */
    size_t count;
    texts words;
    const char **columns; /* names and reasons, into the words */
} reading_list;

em_status reading_list_make(reading_list *list, const reading *r, em_error *err);
void reading_list_free(reading_list *list); /* accepts the zeroed */

#endif
