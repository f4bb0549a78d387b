/* Tables and matrices by the names that the command line knows them by. */
#ifndef EIGENMESH_INPUT_H
#define EIGENMESH_INPUT_H

#include "command.h"

#include <limits.h>

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

/* Open a table as they say, and as the read options do that they do not cover: features, label. */
em_status input_open(em_data **out, const char *path, const arguments *args, em_read_options options, em_error *err);

/* A whole matrix of a known shape; `shape` says in words what its sides are. */
em_status input_matrix(double **out, const char *path, size_t rows, size_t columns, const char *shape, em_error *err);

/* What follows "file:" in the text, or NULL. */
const char *input_file_of(const char *text);

/* The file of a table to read, without what "raw:TYPE:COLUMNS:" and ":name" add to it; of one to write, without "raw:TYPE:"
 * and what follows ".h5".  The path is part of the text, or in `room`. */
const char *table_to_read(const char *text, char room[PATH_MAX]);
const char *table_to_write(const char *text, char room[PATH_MAX]);

/* Standard input and pipes are read once, by one process: an error where two of these operands are the same one, or
 * where more processes than one would read it. */
em_status input_check_streams(char *const *operands, int count, int processes, em_error *err);

/* "shard-%03d.npy", a file a node: one conversion of a whole number, and nothing else that printf would look at. */
int pattern_is(const char *path);

/* The file of a node. */
em_status pattern_name(char path[PATH_MAX], const char *pattern, int node, em_error *err);

/* How many files there are in a row, from that of node 0 on; none is an error. */
em_status pattern_count(const char *pattern, int *count, em_error *err);

#endif
