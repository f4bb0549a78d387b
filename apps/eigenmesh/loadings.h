/* What each feature weighs in each component, as a text: info --loadings. */
#ifndef EIGENMESH_LOADINGS_H
#define EIGENMESH_LOADINGS_H

#include <eigenmesh/eigenmesh.h>

/* Lines of fields with tabs between; of genotypes a line a variant that varies, with its place and its alleles. */
void loadings_write(FILE *out, const em_model *model);

#endif
