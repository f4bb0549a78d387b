/* Reading tables the way the command line names them. */
#ifndef EIGENMESH_INPUT_H
#define EIGENMESH_INPUT_H

#include "args.h"
#include "feature_names.h"

#define MISSING_HELP                                                                                                   \
    "missing values (empty cells, NA, NaN): error, drop (their rows), or mean (of the feature, over the network)"

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
    {                                                                                                                  \
        .name = "missing", .metavar = "HOW", .preset = "error", .example = "mean", .help = MISSING_HELP                \
    }

/* Open a table as they say, by the names of these features (NULL: its own), with this column as labels (NULL: none). */
em_status input_open(em_data **out, const char *path, const arguments *args, const features *like, const char *label,
                     em_error *err);

/* A whole matrix of a known shape; `shape` says in words what its sides are. */
em_status input_matrix(double **out, const char *path, size_t rows, size_t columns, const char *shape, em_error *err);

/* Is there a file of this name, without what "raw:TYPE:COLUMNS:" and ":name" add to it? */
int input_is_there(const char *text);

/* Standard input and pipes are read once, by one process: an error where two of these operands are the same one, or
 * where more processes than one would read it. */
em_status input_check_streams(char *const *operands, int count, int processes, em_error *err);

/* What follows "file:" in the text, or NULL. */
const char *input_file_of(const char *text);

#endif
