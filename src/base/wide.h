/* Loops over doubles that may use the widest vectors of the processor at hand: the compiler makes one version for each
 * and the loader picks.  An element is computed alike in all of them (no fused multiply-add, no reordered sums), so that
 * results do not depend on the processor. */
#ifndef EMI_BASE_WIDE_H
#define EMI_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define EMI_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define EMI_WIDE
#endif

#endif
