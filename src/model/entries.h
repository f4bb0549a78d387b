/* What a model file holds: one table for writing and reading.  The file is a .npz, that is a ZIP archive of .npy
 * arrays; names and shapes are scikit-learn's where it has them. */
#ifndef EMI_MODEL_ENTRIES_H
#define EMI_MODEL_ENTRIES_H

#include "model/model.h"

typedef struct emi_entry {
    const char *name;
    enum { EMI_DOUBLES, EMI_INT64, EMI_UINT64, EMI_TEXT, EMI_NAMES } kind;
    int dims;
    size_t shape[2];
    size_t count; /* doubles, integers and names: elements; text: room in bytes */
    void *values; /* double *, int64_t *, uint64_t *, char *; char *** of names, which may be none */
    int optional; /* files of older versions lack it: what is there stays */
} emi_entry;

enum { EMI_ENTRIES_MAX = 48 };

/* The version of the file's format: raised when a program that knows only the one before would misread it.  Files without
 * one are of version 1. */
enum { EMI_MODEL_FORMAT = 2 };

/* The integers and lists of the file that em_model keeps in other forms. */
typedef struct emi_entry_buffers {
    int64_t format, n_components, n_features, converged, reason, iterations, nodes, threads, constant_features,
        open_cluster, rank, limited;
    uint64_t n_samples, seed;
    uint64_t rounds[EM_PHASES], messages[EM_PHASES], bytes[EM_PHASES];
    double units[EM_PHASES];
    char version[32];
} emi_entry_buffers;

/* List the entries of a model whose K and d are set; returns how many. */
int emi_model_entries(em_model *model, emi_entry_buffers *buffers, emi_entry *out);

/* The entry that tells the format, alone. */
emi_entry emi_format_entry(emi_entry_buffers *buffers);

void emi_buffers_from_model(const em_model *model, emi_entry_buffers *buffers);
void emi_buffers_to_model(const emi_entry_buffers *buffers, em_model *model);

#endif
