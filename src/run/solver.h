/* What a method works with.  A method is one text for every engine: it works on fields, one block for each
 * node that lives in this process, and meets the other nodes through the mesh alone. */
#ifndef EMI_RUN_SOLVER_H
#define EMI_RUN_SOLVER_H

#include "data/operator.h"
#include "data/rounding.h"
#include "mesh/mesh.h"

typedef struct emi_solver emi_solver;

enum { EMI_EXTRA_FIELDS = 4 };

/* What a method keeps beside the solver's fields from one iteration to the next, for a checkpoint: the first *used of
 * `room` units, or all of them. */
typedef struct emi_kept {
    void *at;
    size_t unit; /* 64-bit words */
    int room;
    int *used; /* NULL: all */
} emi_kept;

/* What the root holds of a method that works there (EMI_AT_ROOT), for the others to be told. */
typedef struct emi_answer {
    int K;         /* components; with a fraction of variance, as many as it takes so far           */
    double *X;     /* (d, K)                                                                       */
    double *CX;    /* (d, K) C times it, where the method has_products                              */
    double *theta; /* [K] its eigenvalues, as the method has them, where it has_theta               */
    int has_products, has_theta;
    double residual;     /* of the worst of them; within the tolerance where rounding forbids more        */
    double next, beyond; /* the eigenvalue after the K-th, and how far it may lie above that; NaN: unknown */
    double rest;         /* the sum of those after the K-th; NaN: unknown                                 */
    double squares;      /* of their shares of it, the sum; and of                                        */
    double cubes;        /* NaN: unknown                                                                   */
} emi_answer;

/* What the nodes find out about themselves, for methods that ask. */
typedef struct emi_network {
    double lowest, beta; /* of W's spectrum                                                       */
    double spread;       /* max_i lambda_1(C_i) / lambda_1(C): 1 where all nodes hold alike data  */
} emi_network;

/* The options a method reads; one that it does not read is refused, since silence would let the user
 * believe that it had an effect. */
enum {
    EMI_USES_STEP = 1,
    EMI_USES_ROUNDS = 2,
    EMI_USES_QR = 4,
    EMI_USES_RITZ = 8,
    EMI_USES_OVERSAMPLE = 16,
    EMI_USES_PRECISION = 32,
    EMI_USES_WIRE = 64
};

/* What a method needs and promises beyond that. */
enum {
    EMI_NEEDS_NETWORK = 1, /* the nodes measure emi_network first                               */
    EMI_NEEDS_MATRIX = 2,  /* operators that have a matrix, not only products                      */
    EMI_AT_ROOT = 4        /* the root of the tree decides, and holds the answer: the others do what it asks */
};

struct emi_solver {
    int d, K;
    em_mesh *mesh;
    emi_operator *C;                   /* [hosted] C_i, the node's covariance; its precision may be raised        */
    emi_field X;                       /* (d, K) X_i, the node's estimate; of `leads` once it is needed          */
    emi_field H;                       /* (d, K) scratch: H_i(X_i), or C_i X_i; not of EMI_AT_ROOT               */
    emi_field mixed;                   /* (d, K) scratch: sum_j w_ij X_j; not of EMI_AT_ROOT                     */
    emi_field extra[EMI_EXTRA_FIELDS]; /* (d, K) zeroed; as many as the method asks for          */
    emi_field residual;                /* (1, 1) a node's own residual, where a method knows it  */
    emi_field theta;                   /* (K, 1) a node's idea of the eigenvalues                */
    emi_answer answer;                 /* at the root, of a method that works there              */
    emi_scratch *scratch;              /* [threads] doubles for the arithmetic of one node       */

    double step;           /* alpha_t, of the iteration under way                                 */
    int rounds;            /* mixes an iteration, for methods that have them                      */
    emi_network network;   /* for methods that ask                                                */
    emi_qr_signs qr_signs; /* of every QR                                                         */
    int ritz;              /* turn a subspace's basis into eigenvectors                           */
    int oversample;        /* extra vectors in a block                                            */
    int narrow;            /* columns of a block after the first, at most                         */
    int lean;              /* a basis has fewer columns, beside rows that take little memory       */
    int narrow_wire;       /* blocks are sent in single precision                                 */
    int given;             /* columns of the start that are the user's, or an answer; the others are random */
    int doubted;           /* nobody has seen that they are the leading ones                      */
    int leads;             /* it begins where the rows are, not from X                            */
    int resumable;         /* another run may go on from what this one keeps                        */
    int then_double;       /* what comes after them is in double precision, as that one step judges them */
    long steps_there;      /* that were taken there, before those that are counted               */
    double most_outside;   /* no eigenvalue beside the given ones is larger than this; INFINITY: unknown */
    uint64_t seed;         /* of what else is random                                              */
    double tolerance;      /* on the residual                                                     */
    int limits;            /* the squares and cubes of the eigenvalues after the K-th are wanted too */
    double fraction;       /* of the variance to explain, by as many components as it takes; 0: K  */
    double variance;       /* trace(C)                                                            */
    int rank;              /* at most: there are no more rows or features                          */
    emi_rounding rounding; /* what of C is rounding                                              */
    int knows_residual;    /* s->residual is kept: the tolerance is about it, not about the change */
    unsigned uses, traits; /* the method's                                                       */
    int width;             /* columns that the root asks for next, as everyone was told            */
    int widest;            /* of them, at most: what there is room for                            */
    long iteration;        /* completed, kept by emi_next                                         */
    long iteration_limit;  /* of the whole run                                                    */
    const emi_kept *kept;  /* [kept_count] the method's, while it runs                            */
    int kept_count;

    struct emi_driver *driver; /* counts, traces and ends the iterations: see emi_next and emi_next_column */
};

/* Begin another iteration?  Ends the one before: counts and traces it, and tests for the end. */
int emi_next(emi_solver *s);

/* The same for a method that finds one column after another: `limit` iterations at most for column k, and
 * the test for its end looks at that column alone. */
int emi_next_column(emi_solver *s, int k, long limit);

/* The outcome, for a method to return. */
em_status emi_finish(emi_solver *s);

/* Failures of a method's own stick like the mesh's. */
void emi_solver_fail(emi_solver *s, em_status status, const em_error *err);

#endif
