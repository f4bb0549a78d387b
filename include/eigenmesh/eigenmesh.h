/* eigenmesh: principal components of data that stays where it is.  The only header a program needs, and so a long one; the way
 * through it:
 *
 *   em_data    a table of numbers: a file, or the caller's own array   em_data_open
 *   em_moments what em_fit needs of rows that keep coming              em_moments_update
 *   em_shards  which rows each node holds                              em_shards_split
 *   em_graph   who may talk to whom, and the mixing weights            em_graph_create
 *   em_mesh    the network as this process sees it                     em_mesh_open
 *   em_model   the answer: components, variances, how it was found     em_fit
 *
 * Rules that hold everywhere
 * - Every function that can fail returns em_status, 0 for success, and takes an em_error (may be NULL) which then says
 *   in one sentence what was wrong, where, and what to try.  On failure, outputs are left NULL or untouched.
 * - The library never prints, never exits, and changes nothing of the process but in em_guard_files.
 * - Whatever *_open, *_create, *_split or em_fit gives belongs to the caller and is released by its *_free or *_close,
 *   which accept NULL and leave NULL behind.  What is borrowed, the caller's or the library's, must outlive its user.
 * - An object may be used by one thread at a time; different objects by different threads at once, with the results
 *   that each would have alone.  Only the BLAS library's thread count is the whole process's: while em_fit is at work
 *   in any thread, it is the smallest that one of them asks for (1 for several nodes), and afterwards what it was.  A
 *   fit on a single node has all cores: it is slower beside others, and its last digits depend on their number.
 * - A program compiled with one version runs with later ones of the same SOVERSION.  Records that the caller makes
 *   begin with their size; those that the library hands out, always by pointer, may grow at their end.
 * - Numbers in text, read or written, have a decimal point, whatever the locale.
 * - Matrices of the interface are row-major: rows are samples, or components. */
#ifndef EIGENMESH_H
#define EIGENMESH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EM_VERSION_MAJOR 0
#define EM_VERSION_MINOR 3
#define EM_VERSION_PATCH 0

#if defined(__GNUC__)
#define EM_API __attribute__((visibility("default")))
#else
#define EM_API
#endif

/* ---- status and errors ------------------------------------------------------- */

typedef enum em_status {
    EM_OK = 0,
    EM_ENOMEM = -1,
    EM_EINVAL = -2,  /* an argument is not valid */
    EM_ENOTSUP = -3, /* not supported here */
    EM_EDATA = -4,   /* the data is not usable */
    EM_EIO = -5,     /* a file could not be read */
    EM_EOUTPUT = -6, /* a file could not be written */
    EM_ENET = -7,    /* a neighbour is lost */
    EM_ENUMERIC = -8 /* a numerical routine failed */
} em_status;

/* What went wrong.  Filled on failure only; frozen: it never changes. */
typedef struct em_error {
    em_status code;
    int node;      /* the node that failed, -1 when it was none in particular */
    char msg[512]; /* "WHAT: WHY; try WHAT", one line */
} em_error;
EM_API const char *em_status_text(em_status status);
EM_API const char *em_version(void);
EM_API const char *em_built_with(int index); /* one line an entry, "name version"; NULL past the end */

/* The BLAS that this process runs with, as far as it tells: "OpenBLAS 0.3.21, Haswell kernels".  And what should be in the
 * environment when the process starts: NULL, or "OPENBLAS_CORETYPE=SkylakeX" where OpenBLAS, on a CPU with AVX2 that it does
 * not know, uses kernels from before it, which are 2 to 4 times slower, and has others. */
EM_API const char *em_blas(void);
EM_API const char *em_blas_advice(void);

/* ---- tables of numbers ---------------------------------------------------------- */

typedef enum em_dtype { /* how numbers lie in a file or an array */
                        EM_F64,
                        EM_F32,
                        EM_F16,
                        EM_LONG_DOUBLE,
                        EM_I8,
                        EM_I16,
                        EM_I32,
                        EM_I64,
                        EM_U8,
                        EM_U16,
                        EM_U32,
                        EM_U64,
                        EM_BOOL
} em_dtype;

/* What becomes of a value that is missing: an empty cell, NA, NaN, null, ?, or NaN in a binary file. */
typedef enum em_missing {
    EM_MISSING_ERROR, /* is refused, with its place */
    EM_MISSING_DROP,  /* its row is left out */
    EM_MISSING_MEAN   /* em_fit fills it with its feature's mean over the network */
} em_missing;

typedef enum em_header { EM_HEADER_AUTO, EM_HEADER_YES, EM_HEADER_NO } em_header; /* does a CSV begin with names? */

/* How to read a file; NULL, or zeroes after the size, means: find out. */
typedef struct em_read_options {
    size_t size; /* sizeof(em_read_options) */
    em_header header;
    const char *columns;         /* "0-9,12" from 0, or names of a header; "-name" or "-3": all but
                                  * that; NULL: all, but for text, which is left out */
    const char *delimiter;       /* of CSV: one character, "tab", "space"; NULL: find out */
    em_missing missing;          /* what to do with missing values */
    const char *label;           /* a column of a CSV to keep as text, or FID, IID, SEX, PHENO of genotypes:
                                  * see em_data_label */
    const char *const *features; /* the names of another table's columns: read these, in this */
    size_t feature_count;        /* order; what lacks one or has another is refused */
    const char *features_of;     /* whose they are, for messages */
    int transpose;     /* a sparse matrix' rows are columns here: a Matrix Market file of 10x has cells there */
    long lines_before; /* of a text that is part of a longer one: so many, for messages */
} em_read_options;

typedef struct em_data em_data;
/* Open a table: .npy, .npz ("file.npz:name"), CSV/TSV, IDX, CIFAR-10 binary, HDF5 ("file.h5:/path"), a sparse matrix (SciPy's
 * .npz, Matrix Market, AnnData's .h5ad), which is held in memory as what it stores, PLINK's
 * genotypes (a .bed beside its .bim and .fam: rows are people, columns variants, numbers the copies of the allele that
 * is named first, NaN for none known, which is never an error), moments of rows (em_moments_save), raw numbers
 * ("raw:f32:D:file"), or a .gz of any; told apart by content first, name second.  "-" is standard input ("./-" a
 * file of that name); pipes are read too.  Plain binary files are memory-mapped, also inside an .npz that is not
 * compressed; what is compressed, text or a pipe is held in memory.  A file must stay as it is while it is open, but
 * may be replaced by renaming another to its name.  One that gets shorter ends the process by SIGBUS, unless
 * em_guard_files was called: then that, or a failing disk, is an error, EM_EIO, of the function that reads it.  It
 * installs a handler of SIGBUS for the whole process, which is why the library does not call it by itself; what is
 * about no file of em_data_open goes to the handler that was there before, or ends the process. */
EM_API em_status em_data_open(em_data **out, const char *path, const em_read_options *options, em_error *err);
EM_API void em_guard_files(void);

/* A CSV or TSV that is in memory, as em_data_open reads one of a file; it is copied.  Messages call it `name`. */
EM_API em_status em_data_from_text(em_data **out, const char *name, const char *text, size_t size,
                                   const em_read_options *options, em_error *err);

/* Over the caller's own memory, borrowed and never written.  Strides are in bytes; 0 means packed row-major. */
EM_API em_status em_data_from_array(em_data **out, const void *values, em_dtype type, size_t rows, size_t columns,
                                    ptrdiff_t row_stride, ptrdiff_t column_stride, em_error *err);
/* A sparse matrix in compressed rows (CSR), borrowed too: row r has values[n] in column indices[n], counted from 0, for
 * starts[r] <= n < starts[r + 1]; columns in any order, and what is there twice is added up.  type: EM_F32 or EM_F64; index_type, of
 * indices and starts: EM_I32 or EM_I64.  It is centred and scaled without ever being dense. */
EM_API em_status em_data_from_csr(em_data **out, const void *values, em_dtype type, const void *indices,
                                  const void *starts, em_dtype index_type, size_t rows, size_t columns, em_error *err);

/* Over memory of a GPU, CUDA's, borrowed too: EM_F32 or EM_F64, strides in bytes and whole numbers apart, 0 for packed.  It is
 * surveyed, multiplied and projected there, and only em_data_read copies rows from it.  `stream` is the one that whoever made it
 * may still be at work on, a CUstream or cudaStream_t, NULL for the default one: it is waited for.  Nodes have such rows in their
 * order: no split is shuffled.  EM_ENOTSUP, in words, where there is no GPU: libcuda.so.1 and libcublas.so, 11 to 13, are looked for
 * when they are wanted, and in the folder that EIGENMESH_CUDA_PATH in the environment names first.  See docs/gpu.md. */
EM_API em_status em_data_from_gpu(em_data **out, const void *values, em_dtype type, size_t rows, size_t columns,
                                  ptrdiff_t row_stride, ptrdiff_t column_stride, void *stream, em_error *err);
EM_API void em_data_free(em_data **data);

EM_API size_t em_data_rows(const em_data *data);
EM_API size_t em_data_columns(const em_data *data);
EM_API em_dtype em_data_type(const em_data *data);
EM_API const char *em_data_format(const em_data *data); /* "npy", "csv", ... */
EM_API const char *em_data_name(const em_data *data);   /* the path it came from */

/* What a column is called; NULL where there is no header.  An array's columns may be given names, [columns] of them
 * in UTF-8, which are copied. */
EM_API const char *em_data_column_name(const em_data *data, size_t column);
EM_API em_status em_data_set_column_names(em_data *data, const char *const *names, em_error *err);

/* What was decided in reading: the columns of the file that are no features, NULL past the end; rows left out for
 * missing values; in words, "" for nothing, the separator, the header, lines skipped, which array of several. */
typedef struct em_left_out {
    size_t column;    /* in the file, from 0 */
    const char *name; /* "" where it has none */
    const char *why;  /* "text, such as 'A12'" */
} em_left_out;
EM_API const em_left_out *em_data_left_out(const em_data *data, size_t index);
EM_API size_t em_data_rows_dropped(const em_data *data);
EM_API const char *em_data_remarks(const em_data *data);
/* The label of a row, in em_read_options.label; where none was named, of genotypes a person's FID, tab and IID, else NULL. */
EM_API const char *em_data_label(const em_data *data, size_t row);

/* Rows first .. first + count - 1 as doubles, into out[count * columns]. */
EM_API em_status em_data_read(const em_data *data, size_t first, size_t count, double *out, em_error *err);

/* ---- rows that keep coming --------------------------------------------------------- */

/* Moments: how many rows there were, their mean, and the sums of squares and products of their differences from it.  That is all
 * that em_fit needs of rows: it is exact, whatever batches and order they came in, and takes features x features numbers,
 * of 5,000 features 200 MB, the most that is held so.  A sketch holds 2 x directions x features instead: of the sums, the
 * largest directions and a bound on all that it lacks (frequent directions: E. Liberty, KDD 2013); ten directions a component
 * that will be wanted, or more.  The mean and each feature's variance are exact in both. */
typedef struct em_moments em_moments;
EM_API em_status em_moments_create(em_moments **out, size_t columns, em_error *err);
EM_API em_status em_moments_create_sketch(em_moments **out, size_t columns, size_t directions, em_error *err);
EM_API void em_moments_free(em_moments **moments);

/* Add rows, each with weight 1: a table of any kind; or one of moments, which are merged.  Rows of float32 are multiplied in single
 * precision, and summed in double.  A value that is missing or not finite is refused, with its place, before any row is added; where
 * a file cannot be read on the way, some may have been.  Names of columns are those of the first table, and others must have the
 * same.  What comes out depends on the rows and their order alone: not on batches, nor on threads. */
EM_API em_status em_moments_update(em_moments *moments, const em_data *rows, em_error *err);

/* And all that another one has, which stays as it is: as if its rows had come here (T. F. Chan, G. H. Golub, R. J. LeVeque, 1979). */
EM_API em_status em_moments_merge(em_moments *moments, const em_moments *more, em_error *err);

/* Rows so far count for less: their weights are multiplied by 0 < factor <= 1.  A window has no factor, but a ring of moments, of
 * which the oldest is freed and all are merged when they are wanted: what was added is never taken off again. */
EM_API em_status em_moments_forget(em_moments *moments, double factor, em_error *err);

/* Cores to use: 1 until set otherwise, 0 for all. */
EM_API em_status em_moments_set_threads(em_moments *moments, int threads, em_error *err);

EM_API size_t em_moments_columns(const em_moments *moments);
EM_API const char *em_moments_column_name(const em_moments *moments, size_t column); /* NULL: there are no names */
EM_API uint64_t em_moments_rows(const em_moments *moments);                          /* all that were ever added */
EM_API double em_moments_weight(const em_moments *moments);     /* of all; their number, until any are forgotten */
EM_API size_t em_moments_directions(const em_moments *moments); /* of a sketch; 0: all is exact */
/* What a sketch's covariance may lack, in any direction: it is below the true one by no more than this.  0: all is exact. */
EM_API em_status em_moments_bound(em_moments *moments, double *bound, em_error *err);
EM_API em_status em_moments_mean(em_moments *moments, double *mean, em_error *err); /* [columns] */
/* [columns * columns], divided as variances are: by N - 1 of N rows, else by W - (sum of squared weights) / W, W being their sum. */
EM_API em_status em_moments_covariance(em_moments *moments, double *covariance, em_error *err);

/* A .npz that numpy.load opens, like a model's (em_model_save).  It shows the mean and all covariances, and no row where there were
 * two or more. */
EM_API em_status em_moments_save(em_moments *moments, const char *path, em_error *err);
EM_API em_status em_moments_write(em_moments *moments, FILE *stream, em_error *err);
EM_API em_status em_moments_load(em_moments **out, const char *path, em_error *err);

/* As the table of a node, for em_fit; em_data_open of their file gives the same.  They are borrowed, and must stay as they are
 * meanwhile.  Such a table is one node's, whole, and has no rows to hand out; masks are of rows alone.  Nodes with rows and nodes with
 * moments may be in one fit. */
EM_API em_status em_data_from_moments(em_data **out, em_moments *moments, em_error *err);
EM_API em_moments *em_data_moments(const em_data *data); /* which such a table is of, borrowed; NULL: it has rows */

/* ---- which rows each node holds -------------------------------------------------- */

typedef struct em_shards em_shards;
/* One table over several nodes, borrowed.  how: "contiguous" (NULL too), "shuffle", or "sizes:A,B,...". */
EM_API em_status em_shards_split(em_shards **out, const em_data *data, int nodes, const char *how, uint64_t seed,
                                 em_error *err);

/* One table a node, in this order.  Columns that have names have the same ones in every table, in the same order:
 * see em_read_options.features.  The tables are borrowed, the array is not. */
EM_API em_status em_shards_of(em_shards **out, const em_data *const *tables, int nodes, em_error *err);
EM_API int em_shards_count(const em_shards *shards);
EM_API size_t em_shards_rows(const em_shards *shards, int node);
EM_API size_t em_shards_columns(const em_shards *shards);
EM_API void em_shards_free(em_shards **shards);

/* ---- who may talk to whom --------------------------------------------------------- */

typedef struct em_graph em_graph;
/* spec: er:P, cycle, star, path, complete, grid:RxC, torus:RxC, regular:D, smallworld:D:P, scalefree:A, file:EDGES.
 * Random ones are redrawn until connected.  Weights are Metropolis until set otherwise. */
EM_API em_status em_graph_create(em_graph **out, const char *spec, int nodes, uint64_t seed, em_error *err);
EM_API em_status em_graph_from_edges(em_graph **out, int nodes, const int (*edges)[2], size_t count, em_error *err);

/* By rule: metropolis, maxdegree, lazy.  Or W[nodes * nodes], checked: symmetric, doubly stochastic, positive on edges
 * and the diagonal, zero elsewhere. */
EM_API em_status em_graph_set_weights(em_graph *graph, const char *rule, em_error *err);
EM_API em_status em_graph_set_weight_matrix(em_graph *graph, const double *W, em_error *err);
EM_API int em_graph_nodes(const em_graph *graph);
EM_API size_t em_graph_edges(const em_graph *graph);
EM_API void em_graph_edge(const em_graph *graph, size_t index, int *i, int *j); /* i < j */
EM_API double em_graph_weight(const em_graph *graph, int i, int j);

typedef struct em_graph_info {
    size_t size; /* sizeof(em_graph_info), by the caller */
    int nodes;
    size_t edges;
    int degree_min, degree_max;
    double degree_mean;
    int diameter;
    double beta;            /* max(|lambda_2|, |lambda_M|) of W */
    double min_self_weight; /* min_i w_ii */
    int tree_depth;         /* of the breadth-first tree from node 0 */
    long rounds_to_1e6;     /* gossip rounds that shrink disagreement a million-fold */
} em_graph_info;
EM_API em_status em_graph_measure(const em_graph *graph, em_graph_info *info, em_error *err);
EM_API void em_graph_free(em_graph **graph);

/* ---- the network as this process sees it -------------------------------------------- */

typedef struct em_mesh em_mesh;
/* engine: "local" (NULL too) simulates all nodes here.  threads: cores to use, 0 for all.  The graph is borrowed. */
EM_API em_status em_mesh_open(em_mesh **out, const char *engine, const em_graph *graph, int threads, em_error *err);
EM_API void em_mesh_close(em_mesh **mesh);
EM_API const char *em_engine_name(int index); /* those built in; NULL past the end.  engine.h is for others. */

/* Of the network's nodes, first .. first + hosted - 1 live in this process. */
EM_API int em_mesh_nodes(const em_mesh *mesh);
EM_API int em_mesh_threads(const em_mesh *mesh);
EM_API int em_mesh_first(const em_mesh *mesh);
EM_API int em_mesh_hosted(const em_mesh *mesh);

/* Sums and averages by the engine's own way, where it has one, not over the spanning tree: faster where the network
 * is a cluster's and its topology does not matter, but not bit for bit independent of where nodes live. */
EM_API em_status em_mesh_sum_directly(em_mesh *mesh, em_error *err);

/* Seconds to wait for another process before failing, and naming it: more than any honest step takes, or INFINITY. */
EM_API em_status em_mesh_set_patience(em_mesh *mesh, double seconds, em_error *err);

/* ---- fit --------------------------------------------------------------------------- */

typedef struct em_method_info {
    const char *name;    /* "dsa" */
    const char *summary; /* one line */
    const char *update;  /* its formula, in words of maths */
    const char *cite;    /* where it comes from */
    int single_node;     /* it runs only where all data is in one place */
    int exact;           /* given enough iterations, it meets any tolerance */
    int residual;        /* its tolerance is a promise about the residual; of the others, about the change */
} em_method_info;
EM_API const em_method_info *em_method(int index); /* NULL past the end */

/* One row of the trace: counts are totals since the first iteration began.  A number that does not apply is NaN. */
typedef struct em_trace_row {
    long iteration;
    uint64_t rounds, messages, bytes;
    double units, seconds, residual, consensus, error;
} em_trace_row;

typedef struct em_progress {
    long iteration, limit; /* done so far, and at most */
    double seconds;        /* since the first iteration began */
    double change;         /* as of the last stopping test; NaN before it */
    double tolerance;
    double error;    /* NaN unless the truth is known and a trace is kept */
    double residual; /* the change, of methods for which that is the largest residual of any node; else NaN */
} em_progress;
/* Called after every iteration; non-zero stops the run with EM_STOPPED_USER. */
typedef int em_monitor_fn(const em_progress *progress, void *user);

typedef struct em_model em_model;
typedef struct em_options em_options;
/* What the caller asks, by name and text: em_options_set(options, "components", "10", &err).  One table describes
 * all options to programs, the command line, the manual and Python.  A switch is yes or no. */
typedef enum { EM_OPTION_SWITCH, EM_OPTION_WHOLE, EM_OPTION_REAL, EM_OPTION_WORD, EM_OPTION_TEXT } em_option_kind;

typedef struct em_option_info {
    const char *name;    /* "step-decay" */
    const char *metavar; /* what its value is called: "HOW" */
    const char *preset;  /* its default, in words */
    const char *help;    /* one line; of a switch, what the other than its default does */
    em_option_kind kind;
    const char *words; /* values that are words, with blanks between; "power:" goes on */
} em_option_info;
EM_API const em_option_info *em_option(int index); /* NULL past the end */

EM_API em_status em_options_create(em_options **out, em_error *err);
EM_API em_status em_options_copy(em_options **out, const em_options *from, em_error *err);
EM_API void em_options_free(em_options **options);

/* The value is copied; NULL is the default.  It is got as text that can be set, "" where there is none: this returns
 * its length, like snprintf, whether or not there was room for it; EM_EINVAL: no such option. */
EM_API em_status em_options_set(em_options *options, const char *name, const char *value, em_error *err);
EM_API int em_options_get(const em_options *options, const char *name, char *value, size_t room);

/* A start for the iterations, and eigenvectors to measure the error against: features x components numbers,
 * borrowed by these options and their copies.  NULL: none. */
EM_API void em_options_set_start(em_options *options, const double *values, size_t features, size_t components);
EM_API void em_options_set_truth(em_options *options, const double *values, size_t features, size_t components);
EM_API void em_options_set_monitor(em_options *options, em_monitor_fn *monitor, void *user);

/* The answer to an earlier fit, of rows of which some are others by now: the fit begins from it, and finds what a fit from
 * nothing would, in fewer averages; where it still holds, in one.  Signs follow it, and em_info.turn says how far the new one
 * lies from it.  Features are matched by name, where both have names; any number of components will do, another scale will not.
 * Borrowed by these options and their copies.  NULL: none. */
EM_API void em_options_set_last(em_options *options, const em_model *last);

/* The verdict, by the true residual of the answer, whatever a method believed. */
typedef enum em_reason {
    EM_CONVERGED = 1, /* every residual is within the tolerance, or, its direction known, as small as rounding allows */
    EM_SETTLED = 2,   /* an inexact method no longer moves, at the residual that is reported */
    EM_STOPPED_ITERATIONS = -1, /* this and what follows: gave up, and the last estimate is kept */
    EM_STOPPED_DIVERGED = -2,
    EM_STOPPED_USER = -3,     /* by the monitor, or max-seconds */
    EM_STOPPED_SHORT = -4,    /* the true residual is above the tolerance */
    EM_STOPPED_ROUNDING = -5, /* rounding leaves components undetermined that have variance */
    EM_STOPPED_MISSED = -6    /* a larger eigenvalue is not among those found: the start cannot reach it */
} em_reason;
EM_API const char *em_reason_text(em_reason reason);

/* What was sent, by purpose: before the first iteration (mean, scale, step), by the method itself (this is what a
 * trace counts), to decide when to stop, and to agree on the final answer. */
typedef enum em_phase { EM_SETUP, EM_METHOD, EM_CONTROL, EM_REPORT, EM_PHASES } em_phase;
EM_API const char *em_phase_name(em_phase phase);

typedef struct em_traffic { /* frozen, as it lies within em_info */
    uint64_t rounds, messages, bytes;
    double units; /* scalars sent / (2 |E| d K) */
} em_traffic;

/* What the fit did. */
typedef struct em_info {
    char method[24];
    char operator_name[16]; /* "dense" covariances, a "gram" matrix of the rows, or "implicit" products */
    em_reason reason;
    long iterations;
    double step; /* alpha as used; NaN where a method has none */
    double tolerance, change;
    double residual, worst_residual; /* mean and largest of the components', each relative to its own eigenvalue */
    double consensus, error;         /* of the nodes' estimates, at the end of the iterations; NaN without a truth */
    int nodes, threads;
    uint64_t samples;
    int features, components;
    uint64_t seed;
    em_traffic traffic[EM_PHASES];
    double seconds_setup, seconds;           /* before, and during, the iterations */
    double seconds_sending, seconds_waiting; /* of these: handing blocks to the engine, and waiting for others' */
    long resumed;                            /* from a checkpoint of this iteration; 0: from the start; -n: from the
                                              * start, as the part of node n - 1 is missing, damaged or of another one */
    int constant_features;                   /* left unscaled under scale=std; left out under scale=binomial */
    uint64_t missing_values; /* filled with the mean of their feature, over the network; not kept in a file */
    int open_cluster;        /* the last eigenvalue and the next one are alike: see em_model_clusters */
    int rank;                /* components with variance of their own: those after have 0 */
    int limited;             /* components above the tolerance, where rounding forbids more */
    char choice[256];        /* why "auto" chose the method; empty otherwise */
    char precision[8];       /* "single" or "double": of the products that the answer was found by */
    int wire_bits;           /* of a number that the method sent: 32 or 64 */
    int estimated;           /* residuals and bounds are three times what random combinations of them say */
    char scale[12];          /* as done: "none", "std", "spectral" or "binomial"; "" in a file of an older version */
    double weight;           /* of all rows: their number, less what was forgotten; 0 in a file of an older version */
    double sketch_bound; /* by this much a variance may be larger, in any direction, than what sketches of rows say */
    double turn;    /* from the last model's subspace to this one, the largest angle, in radians; NaN: there was none */
    int held;       /* one average told that the last answer holds, within the tolerance */
    char device[8]; /* "cpu" or "gpu": what multiplied the rows of this process; "" in a file */
    char device_why[256]; /* it, and not the other; or how a GPU failed, and the CPU went on */
    char version[32];     /* of the eigenmesh that wrote the file it was read from; "" of a fit of this process */
} em_info;

/* Find the components.  Collective: every process of the mesh calls it, with the same options.  Not converging is a
 * result, not an error: see em_model_info(m)->reason.
 *
 * With the option checkpoint, all that a run carries from one iteration to the next is kept in a file that its owner alone
 * can read, always whole.  Of several processes, that of node 0 keeps it for a method that works there (krylov,
 * covariance), and alone needs the options checkpoint and resume; of others each keeps its part, FILE.FIRST-LAST, by its
 * nodes, and where one is missing a run that resumes begins anew (em_info.resumed).  A run that goes on, on the same data
 * and network, with the same options and in as many processes, ends with the same result, bit for bit, as one that never
 * stopped; only the limit of iterations may be another, where a method does not divide it between the components.  No
 * other run overwrites what lies there already.  Data of processes without the option is not compared: see to it that
 * it is the same. */
EM_API em_status em_fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                        em_error *err);

/* What em_fit would do, decided by it in the same way, from the sizes alone: no row is read.  Collective too. */
typedef struct em_plan {
    const char *method; /* the first, where "auto" may try others */
    char why[256];      /* it, and not another one */
    const char *operator_name,
        *operator_why; /* "dense" covariances, a "gram" matrix of the rows, or "implicit" products */
    int nodes, threads;
    uint64_t samples;
    int features, components; /* with a fraction of variance: components to begin with */
    int block;                /* columns of the matrices that are sent */
    long iterations;          /* expected; or, where at_most, the limit */
    int at_most;
    double rounds, messages, bytes; /* that the method sends in so many */
    double memory;                  /* bytes in this process, beside the rows */
    const char *precision;          /* of products with the rows, where their numbers are within its range */
    int wire_bits;                  /* of a number that the method sends: 32 or 64 */
    double moments;                 /* bytes that em_moments of these features take; 0: they are not held of so many */
    const char *device;             /* "cpu" or "gpu": what will multiply the rows of this process */
    char device_why[256];
} em_plan;
EM_API em_status em_plan_make(em_plan **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                              em_error *err);
EM_API void em_plan_free(em_plan **plan);

/* The checkpoint has served its purpose: remove it, in every process.  em_fit leaves it where it is, since the
 * model is not safe yet when em_fit returns. */
EM_API em_status em_checkpoint_remove(const em_options *options, const em_mesh *mesh, em_error *err);

/* ---- the model -------------------------------------------------------------------- */

EM_API int em_model_components_count(const em_model *model);
EM_API int em_model_features(const em_model *model);
EM_API uint64_t em_model_samples(const em_model *model);
/* Borrowed views that live as long as the model, scikit-learn's meaning and shapes. */
EM_API const double *em_model_components(const em_model *model);              /* K x d */
EM_API const double *em_model_mean(const em_model *model);                    /* d */
EM_API const double *em_model_scale(const em_model *model);                   /* d */
EM_API const char *em_model_feature_name(const em_model *model, int feature); /* UTF-8; NULL: there are no names */
EM_API const double *em_model_explained_variance(const em_model *model);      /* K */
EM_API const double *em_model_explained_variance_ratio(const em_model *model);
EM_API const double *em_model_singular_values(const em_model *model);
EM_API double em_model_noise_variance(const em_model *model);
EM_API const em_info *em_model_info(const em_model *model);

/* How good they are, K numbers each: ||C x - theta x|| / theta, relative to its own eigenvalue; a bound on the sine of
 * the angle between each component and the true eigenvector, 1 where nothing is known of a single one; the first one
 * of those in a row whose eigenvalues are too close, relative to their own size, to tell the vectors apart: singly
 * they are not determined, the subspace they span is; and a bound on the sine of its largest angle. */
EM_API const double *em_model_residuals(const em_model *model);
EM_API const double *em_model_angle_bounds(const em_model *model);
EM_API const int64_t *em_model_clusters(const em_model *model);
EM_API const double *em_model_subspace_bounds(const em_model *model);

/* K numbers: the angle, in radians, between each component and the one of the last model that it follows, of all the nearest;
 * NaN where there was no last one (em_options_set_last). */
EM_API const double *em_model_turns(const em_model *model);

/* The exact variances and components, and each component's error against the truth, averaged over the nodes: NULL
 * unless the fit computed the truth (not kept in a file). */
EM_API const double *em_model_exact_variance(const em_model *model);   /* K */
EM_API const double *em_model_exact_components(const em_model *model); /* K x d */
EM_API const double *em_model_component_error(const em_model *model);  /* K */

EM_API size_t em_model_trace_rows(const em_model *model);
EM_API const em_trace_row *em_model_trace_row(const em_model *model, size_t index); /* NULL past the end */

/* Rows to scores (rows x d -> rows x K), and back.  whiten: scores of unit variance. */
EM_API em_status em_model_transform(const em_model *model, const double *rows, size_t count, int whiten, double *scores,
                                    em_error *err);
EM_API em_status em_model_inverse(const em_model *model, const double *scores, size_t count, int whiten, double *rows,
                                  em_error *err);

/* Scores of all rows of a table, as they are: scores[r * components_count + k] = sum over f of
 * (row[f] - mean[f]) / scale[f] * components[k * d + f], by so many threads, 0 for one a core.  mean and scale may be NULL.
 * type: EM_F64, or EM_F32 for scores, and products, in single precision.  What is not finite makes its row's scores so. */
EM_API em_status em_project(const em_data *rows, const double *mean, const double *scale, const double *components,
                            int components_count, em_dtype type, void *scores, int threads, em_error *err);

/* Rows that do not fit, count x d of them: T^2, the sum over k of z_k^2 / variance_k of a row's scores z, is how far it lies from
 * the mean within the components' subspace; Q, the square of its distance from that, how far it lies outside.  In the units that
 * scale makes.  [count] each, either may be NULL. */
EM_API em_status em_model_anomalies(const em_model *model, const double *rows, size_t count, double *t2, double *q,
                                    em_error *err);

/* What a new row of normal data exceeds with a chance of 1 - confidence: T^2 by the F distribution; Q by Jackson and Mudholkar, from
 * how the variance left out is spread (the option limits: EM_ENOTSUP where the fit has not found it).  Where that was estimated,
 * *error is the standard error of the limit for it, else 0; it may be NULL. */
EM_API em_status em_model_t2_limit(const em_model *model, double confidence, double *limit, em_error *err);
EM_API em_status em_model_q_limit(const em_model *model, double confidence, double *limit, double *error,
                                  em_error *err);

/* Forget all components but the first ones: noise, rank and units follow, and what was sent stays. */
EM_API em_status em_model_truncate(em_model *model, int components, em_error *err);

/* A .npz that numpy.load opens; or the same into a stream that is open, whose own failures are the stream's to tell.
 * Its entry format_version says which programs can read it: a file of an older version always can be, one of a newer
 * version is refused. */
EM_API em_status em_model_save(const em_model *model, const char *path, em_error *err);
EM_API em_status em_model_write(const em_model *model, FILE *stream, em_error *err);
EM_API em_status em_model_load(em_model **out, const char *path, em_error *err);
EM_API void em_model_free(em_model **model);

#ifdef __cplusplus
}
#endif
#endif
