/* Genotypes, two bits each, as PLINK's .bed has them: a variant after the other, four people a byte, the first in the lowest
 * bits.  They are decoded a tile at a time while they are multiplied, and never as a whole. */
#ifndef EMI_DATA_GENOTYPES_H
#define EMI_DATA_GENOTYPES_H

#include "data/input.h"
#include "data/row_kind.h"

/* What two bits mean, by the copies of the first allele (A1). */
enum emi_genotype { EMI_TWO_A1, EMI_NO_CALL, EMI_ONE_A1, EMI_NO_A1, EMI_GENOTYPES };

enum { EMI_PEOPLE_IN_BYTE = 4 };

/* The state of a source of genotypes. */
typedef struct emi_genotypes {
    emi_bytes bytes;        /* of the file                                                                  */
    size_t offset;          /* where its variants begin                                                     */
    size_t stride;          /* bytes of a variant                                                           */
    unsigned char *swapped; /* [the file's variants] 1 where copies of the second allele are counted, not of A1 */
} emi_genotypes;

extern const emi_row_kind emi_genotype_rows;

/* Is this a table of genotypes? */
int emi_is_genotypes(const em_data *data);

/* Where the codes of a column lie; and what each of them is as a number, NaN for no call. */
const unsigned char *emi_genotype_codes(const em_data *data, size_t column);
void emi_genotype_numbers(const em_data *data, size_t column, double number[EMI_GENOTYPES]);

/* What was read of a mapped file counts only if the file was still there. */
em_status emi_genotypes_check(const em_data *data, em_error *err);

/* ---- the people of a shard, in whole bytes ---------------------------------------------------------------------- */

/* Some of the first and of the last byte are neighbours, and not the shard's. */
typedef struct emi_people {
    const emi_shard *shard;
    size_t bytes, before; /* before: neighbours of the first byte */
} emi_people;

emi_people emi_people_of(const emi_shard *shard);

/* Their codes of a column, from byte `first` on: where they lie or, of a shard that is shuffled, in room[bytes]. */
const unsigned char *emi_people_codes(const emi_people *who, size_t column, size_t first, size_t bytes,
                                      unsigned char *room);

/* These will be wanted soon. */
void emi_people_fetch(const emi_people *who, size_t column, size_t first, size_t bytes);

/* As emi_survey, by counting codes. */
em_status emi_survey_genotypes(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                               emi_scratch scratch, em_error *err);

#endif
