/* The two texts beside a .bed: .bim has a line a variant, .fam a line a person; fields with blanks or tabs between. */
#ifndef EMI_DATA_PLINK_H
#define EMI_DATA_PLINK_H

#include "data/data.h"

/* A variant's name says what it is, the same in every file that has it: "ID CHROMOSOME POSITION ALLELE OTHER".  Of the two alleles
 * the one that is first in the alphabet comes first, and its copies are what is counted, whichever of them a file calls A1. */
typedef struct emi_variants {
    size_t count;
    const char **names; /* [count] into                                */
    char *text;         /* [text_size] all of them                     */
    size_t text_size;
    unsigned char *swapped; /* [count] the file's A1 is the other allele   */
    unsigned char *kind;    /* [count] an emi_variant_kind                 */
} emi_variants;

/* plink2's PCA takes none but the plain ones: copies of others count otherwise in men, or are marked as not to be used. */
typedef enum emi_variant_kind {
    EMI_VARIANT_PLAIN,
    EMI_VARIANT_SEX,           /* of X, Y or the mitochondria                                        */
    EMI_VARIANT_SEX_OF_HUMANS, /* by a number that is theirs in humans; while a file is read         */
    EMI_VARIANT_MARKED,        /* by a negative position                                             */
    EMI_VARIANT_KINDS
} emi_variant_kind;

/* How many names come once more, and the first of these (NULL: none).  The names are put in order. */
size_t emi_count_twins(const char **names, size_t count, const char **first);

em_status emi_variants_read(emi_variants *out, const char *path, em_error *err);
void emi_variants_free(emi_variants *variants); /* accepts the zeroed */

/* Those that the options ask for, in this order, into data->pick (NULL: all), columns and names; and what more there is to say of them
 * into the remarks. */
em_status emi_variants_choose(const emi_variants *variants, const em_read_options *options, em_data *data,
                              em_error *err);

/* People: data->rows, remarks, and of each FID, a tab and IID as its label, or the column FID, IID, SEX or PHENO, if that is asked for. */
em_status emi_people_read(em_data *data, const char *path, const char *label, em_error *err);

#endif
