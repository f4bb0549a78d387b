/* Readers: one file per format, one line each in the registry in open.c. */
#ifndef EMI_DATA_READER_H
#define EMI_DATA_READER_H

#include "data/data.h"
#include "data/input.h"

/* What the caller wrote, taken apart: "raw:f32:D:file", "file.h5:/path", "file.npz:name", or just a path. */
typedef struct emi_read_request {
    em_read_options options; /* as much of the caller's as this library knows */
    char *path;              /* owned */
    const char *inner;       /* inside an HDF5 file or .npz; NULL: not given */
    int raw;
    em_dtype raw_type;
    size_t raw_columns;
} emi_read_request;

typedef struct emi_reader {
    const char *format;
    int (*by_content)(const emi_input *input); /* the first bytes are there; NULL: cannot tell */
    const char *endings[3];                    /* of names, where content does not tell */
    int has_inner;                             /* several tables may be in a file */
    int picks;                                 /* the columns that are asked for, on its own */
    /* Fill in data->source, state, type, rows and columns, and where it picks columns data->pick, or NULL for all.  Takes the
     * input's bytes where it keeps them. */
    em_status (*open)(em_data *data, emi_input *input, const emi_read_request *request, em_error *err);
} emi_reader;

extern const emi_reader emi_reader_npy, emi_reader_npz, emi_reader_hdf5, emi_reader_idx, emi_reader_csv,
    emi_reader_cifar, emi_reader_bed, emi_reader_mtx, emi_reader_raw;

/* Does the path end in `suffix`, or in it and .gz? */
int emi_path_ends(const char *path, const char *suffix);

#endif
