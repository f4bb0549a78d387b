/* Which kernels BLAS multiplies by, and which this CPU should have.  An OpenBLAS that is older than the CPU takes those of
 * 2004, which are 2 to 4 times slower. */
#ifndef EMI_LINALG_KERNELS_H
#define EMI_LINALG_KERNELS_H

enum { EMI_CPU_AVX2 = 1, EMI_CPU_AVX512 = 2 }; /* with FMA; with what SkylakeX has of it */

unsigned emi_cpu_features(void); /* of these; 0 on other architectures than x86 */

/* The OpenBLAS kernels that a CPU with these features should have in place of those of `core`; NULL: they are fine. */
const char *emi_kernels_instead_of(const char *core, unsigned features);

#endif
