/* What a method works with.  A method is one text for every engine: it works on fields, one block for each
 * node that lives in this process, and meets the other nodes through the mesh alone. */
#ifndef EMI_METHODS_SOLVER_H
#define EMI_METHODS_SOLVER_H

#include "data/covariance.h"
#include "mesh/mesh.h"

typedef struct emi_solver emi_solver;

struct emi_solver {
    int d, K;
    em_mesh *mesh;
    const emi_cov *C;     /* [hosted] C_i, the node's covariance                    */
    emi_field X;          /* (d, K) X_i, the node's estimate                        */
    emi_field H;          /* (d, K) scratch: H_i(X_i), or C_i X_i                   */
    emi_field mixed;      /* (d, K) scratch: sum_j w_ij X_j                         */
    emi_scratch *scratch; /* [threads] doubles for the arithmetic of one node       */

    double step; /* alpha_t, of the iteration under way                    */
    int rounds;  /* mixes an iteration, for methods that have them         */
    em_qr_signs qr_signs;
    long iteration_limit; /* of the whole run                                       */

    /* What surrounds a method: counting, tracing, stopping, spotting divergence.  Methods call it by
     * emi_next and emi_next_column below. */
    struct emi_surroundings *around;
};

/* Begin another iteration?  Ends the one before: counts and traces it, and tests for the end. */
int emi_next(emi_solver *s);

/* The same for a method that finds one column after another: `limit` iterations at most for column k, and
 * the test for its end looks at that column alone. */
int emi_next_column(emi_solver *s, int k, long limit);

/* The outcome, for a method to return. */
em_status emi_finish(emi_solver *s);

/* ---- a method's vocabulary: each line is one operation at every node -------------------- */

void emi_apply(emi_solver *s, const emi_field *X, emi_field *Z); /* Z_i = C_i X_i                       */
void emi_sanger_direction(emi_solver *s);                        /* H_i = C_i X_i - X_i U(X_i' C_i X_i) */
void emi_add_scaled(emi_solver *s, emi_field *Z, double a, const emi_field *Y); /* Z_i = Z_i + a Y_i              */
void emi_qr(emi_solver *s, emi_field *Z);                                    /* Z_i = qr(Z_i)                       */
void emi_deflate(emi_solver *s, int k, emi_field *z);                        /* z_i = (I - X_<k X_<k') z_i          */
void emi_normalise(emi_solver *s, const emi_field *z, emi_field *x);         /* x_i = z_i / ||z_i||                 */
void emi_mix_times(emi_solver *s, int times, emi_field *Z, emi_field *work); /* Z = W^times Z, one round each     */

#endif
