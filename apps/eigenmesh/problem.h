/* The problem that fit and compare share: data spread over a network, and what is asked of it. */
#ifndef EIGENMESH_PROBLEM_H
#define EIGENMESH_PROBLEM_H

#include "command.h"
#include "input.h"

/* The options that describe it, for a command's table; --truth is the command's own. */
#define PROBLEM_OPTIONS                                                                                                \
    {.name = "nodes",                                                                                                  \
     .letter = 'n',                                                                                                    \
     .metavar = "M",                                                                                                   \
     .preset = "the number of INPUTs",                                                                                 \
     .example = "20",                                                                                                  \
     .help = "nodes to simulate; one INPUT is split over them"},                                                       \
        {.name = "topology",                                                                                           \
         .letter = 't',                                                                                                \
         .metavar = "SPEC",                                                                                            \
         .preset = "er:0.5, or complete when M < 4",                                                                   \
         .example = "er:0.5",                                                                                          \
         .help = "the network: er:P, cycle, star, path, complete, grid:RxC, torus:RxC, regular:D, smallworld:D:P, "    \
                 "scalefree:A, or file:EDGES",                                                                         \
         .file = READS_SPEC},                                                                                          \
        {.name = "weights",                                                                                            \
         .metavar = "SPEC",                                                                                            \
         .preset = "metropolis",                                                                                       \
         .help = "the mixing weights: metropolis, maxdegree, lazy, or file:W.npy",                                     \
         .file = READS_SPEC},                                                                                          \
        {.name = "split",                                                                                              \
         .metavar = "HOW",                                                                                             \
         .preset = "contiguous",                                                                                       \
         .help = "how one INPUT is split: contiguous, shuffle, or sizes:A,B,..."},                                     \
        {.name = "center"},                                                                                            \
        {.name = "init",                                                                                               \
         .metavar = "SPEC",                                                                                            \
         .preset = "random",                                                                                           \
         .help = "the start: random, file:X0.npy (d x K), or the MODEL.npz of an earlier fit, of which signs and "     \
                 "features follow",                                                                                    \
         .file = READS_SPEC},                                                                                          \
        {.name = "engine",                                                                                             \
         .metavar = "NAME",                                                                                            \
         .preset = "local; mpi under mpirun",                                                                          \
         .help = "what moves the messages: local, or mpi"},                                                            \
    {                                                                                                                  \
        .name = "threads", .metavar = "T", .preset = "all, or a rank's share", .example = "4", .help = "cores to use"  \
    }

#define TRUTH_HELP                                                                                                     \
    "what to measure the error against, for study: none, compute (a central eigensolve), or file:Q.npy (d x K)"

typedef struct problem {
    const arguments *args;
    em_options *options; /* its start and truth are there once it is open */
    uint64_t seed;
    int nodes, threads;
    const char *topology;
    const char *label; /* a column to keep as text; NULL: none.  The command's to set, once it is described */
    int together;      /* over the processes of a cluster */
    int first, hosted; /* the nodes that live here */
    int table_count;
    em_data **tables;
    reading reading;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    double *init, *truth;
    em_model *last; /* to begin from */
} problem;

/* What is quick to refuse: the options, before anything is opened. */
em_status problem_describe(problem *p, const arguments *args, em_error *err);

/* The data, the network, and the matrices that files hold. */
em_status problem_open(problem *p, em_error *err);
void problem_close(problem *p); /* accepts the zeroed and the half-opened */

/* What was solved, for people and for programs: the data and the network. */
void problem_print(const problem *p, const em_info *info);
void problem_json(json *j, const problem *p);

/* The network that --topology, --weights and --seed describe.  weights: a rule's name, file:W.npy, or NULL for the library's
 * own.  What was begun is the caller's to free, also after a failure. */
em_status network_create(em_graph **out, const char *topology, const char *weights, int nodes, uint64_t seed,
                         em_error *err);

/* Say what was left out of the scaling, unless --quiet. */
void problem_warn(const problem *p, const em_info *info);

#endif
