/* What a model file holds: one table for writing and reading.  The file is a .npz, that is a ZIP archive of .npy
 * arrays; names and shapes are scikit-learn's where it has them. */
#ifndef EMI_FIT_MODEL_ENTRIES_H
#define EMI_FIT_MODEL_ENTRIES_H

#include "fit/model.h"

typedef struct emi_entry {
    const char *name;
    enum { EMI_DOUBLES, EMI_INT64, EMI_UINT64, EMI_TEXT } kind;
    int dims;
    size_t shape[2];
    size_t count; /* doubles and integers: elements; text: room in bytes */
    void *values; /* double *, int64_t *, uint64_t * or char * */
    int optional; /* files of older versions lack it: what is there stays */
} emi_entry;

enum { EMI_ENTRIES_MAX = 40 };

/* The integers and lists of the file that em_model keeps in other forms. */
typedef struct emi_entry_buffers {
    int64_t n_components, n_features, converged, reason, iterations, nodes, threads, constant_features, open_cluster,
        rank, limited;
    uint64_t n_samples, seed;
    uint64_t rounds[EM_PHASES], messages[EM_PHASES], bytes[EM_PHASES];
    double units[EM_PHASES];
    char version[32];
} emi_entry_buffers;

/* List the entries of a model whose K and d are set; returns how many. */
int emi_model_entries(em_model *model, emi_entry_buffers *buffers, emi_entry *out);

void emi_buffers_from_model(const em_model *model, emi_entry_buffers *buffers);
void emi_buffers_to_model(const emi_entry_buffers *buffers, em_model *model);

#endif
