/* What a model file holds: one table for writing and reading.  The file is a .npz, that is a ZIP archive of .npy
 * arrays; names and shapes are scikit-learn's where it has them.  A member that is new is an entry more, and optional. */
#ifndef EMI_MODEL_ENTRIES_H
#define EMI_MODEL_ENTRIES_H

#include "data/npy.h"
#include "model/model.h"

typedef struct emi_entry {
    const char *name;
    enum { EMI_REAL, EMI_INT, EMI_LONG, EMI_INT64, EMI_UINT64, EMI_TEXT, EMI_NAMES } kind; /* of the member */
    enum { EMI_ONE, EMI_EACH_COMPONENT, EMI_EACH_FEATURE, EMI_COMPONENTS_BY_FEATURES, EMI_EACH_PHASE } extent;
    size_t offset; /* of the member in em_model; components and features are pointed to by it */
    size_t room;   /* of a text                                                               */
    int optional;  /* files of older versions lack it: what is there stays                    */
} emi_entry;

extern const emi_entry emi_model_entries[]; /* a name of NULL ends them */
extern const emi_entry emi_format_entry;    /* the one that says which programs can read the rest */

/* The version of the file's format: raised when a program that knows only the one before would misread it.  Files without
 * one are of version 1. */
enum { EMI_MODEL_FORMAT = 2 };

/* Dimensions of an entry's array, and their product. */
int emi_entry_shape(const emi_entry *entry, const em_model *model, size_t shape[2], size_t *count);

/* The type of its numbers in the file. */
em_dtype emi_entry_type(const emi_entry *entry);

/* The member itself. */
void *emi_entry_member(const emi_entry *entry, const em_model *model);

/* Numbers to the file's bytes, eight each; and back: 0 where one does not fit its member. */
void emi_entry_to_bytes(const emi_entry *entry, const em_model *model, unsigned char *bytes);
int emi_entry_from_bytes(const emi_entry *entry, em_model *model, const unsigned char *bytes);

#endif
