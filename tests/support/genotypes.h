/* Small PLINK files of a test's own making. */
#ifndef TESTS_SUPPORT_GENOTYPES_H
#define TESTS_SUPPORT_GENOTYPES_H

#include <stddef.h>

/* Copies of A1: 0, 1, 2, or this. */
enum { NO_CALL = 3 };

typedef struct genotype_files {
    const char *name; /* NAME.bed, NAME.bim and NAME.fam, among the scratch files */
    size_t people, variants;
    const unsigned char *copies; /* [people * variants], a person after the other */
    const char *bim, *fam;       /* NULL: "1 rsV 0 V A G" and "fP iP 0 0 0 -9", counted from 1 */
} genotype_files;

/* The path of the .bed. */
const char *genotypes_write(const genotype_files *files);

/* Copies drawn by frequencies that differ between variants and between halves of the people; one in twenty is no call.  The
 * caller frees them. */
unsigned char *genotypes_draw(size_t people, size_t variants, unsigned seed);

#endif
