/* The network as this process sees it: the nodes that live here, the cores that serve them, and the ways to
 * exchange blocks with the others.
 *
 * Failures stick: an operation that fails leaves its error in mesh->failure, those after it do nothing, and
 * whoever drives the run asks emi_mesh_failed() once an iteration.  So an algorithm reads as one. */
#ifndef EMI_MESH_MESH_H
#define EMI_MESH_MESH_H

#include "base/pool.h"
#include "graph/graph.h"
#include "linalg/field.h"
#include "mesh/engine.h"

#include <eigenmesh/masks.h>

/* What one phase has sent so far, the whole network's: every process knows what each operation takes in all. */
typedef struct emi_count {
    uint64_t rounds, messages, scalars, bytes;
} emi_count;

/* What the root of a masked mesh asks: see question.h.  Exponents of two that the numbers of an answer stay below. */
typedef struct emi_question {
    int d;
    int *reach; /* [d] deviation of each feature                  */
    int all;    /* square root of the variance in all             */
    int nodes;  /* their number                                   */
    int columns;
    int *along; /* [columns] deviation along each vector          */
    int matrix; /* C itself was asked for, its upper triangle     */
    int open;   /* it was asked, and not answered yet             */
} emi_question;

/* Beside the phases a user is told of: looking on, for a trace, costs the network nothing. */
enum { EMI_OBSERVING = EM_PHASES, EMI_PHASES };

struct em_mesh {
    const em_graph *graph;
    em_engine engine;
    void *engine_state;
    emi_pool *pool;
    int first, hosted; /* nodes first .. first + hosted - 1 live here */
    int sums_directly; /* by the engine, not over the tree */
    int plain;         /* for now, what goes up the tree is no number of a node's data: see masking.h */
    int narrow;        /* for now, blocks over the tree are sent in single precision: see emi_tree_sum_at_root */

    emi_tree tree;        /* as far as the hosted nodes know it               */
    emi_count tree_count; /* what finding it cost                             */
    em_link *edge_links;  /* both ways along every edge that touches a hosted node */
    size_t edge_count;
    em_link *tree_links; /* child to parent, nearest the root first; those that touch a hosted node */
    em_link *tree_back;  /* the same, parent to child                        */
    size_t *level;       /* [depth + 1] links of nodes at depth l + 1 are level[l] .. level[l + 1] - 1 */

    const void **outbox;  /* [hosted] */
    const void **inbox;   /* [M] NULL where nothing arrived in this round */
    const em_link *links; /* of this round, and how many */
    size_t link_count;
    const emi_field *mixing; /* between mix_begin and mix_end */
    int under_way;           /* a round began that has not ended */

    int phase;
    emi_count count[EMI_PHASES];
    double seconds_sending, seconds_waiting; /* in the engine */
    em_error failure;

    struct emi_masking *masking; /* NULL: sums are not masked                                        */
    emi_question question;       /* what the root asks, where they are                               */
};

int emi_mesh_failed(const em_mesh *mesh);

/* Do some of the nodes live elsewhere? */
int emi_mesh_is_spread(const em_mesh *mesh);

/* The largest of each of these numbers that any process has, in place of its own.  An exchange between processes, not
 * between nodes, so that it does not count as traffic. */
em_status emi_process_max(em_mesh *mesh, double *numbers, int count, em_error *err);

/* Called by every process with the outcome of what it did alone: EM_OK where all of them succeeded; where one failed, its
 * own words there, and elsewhere its name and what the code says. */
em_status emi_mesh_agree(em_mesh *mesh, em_status status, em_error *err);

/* Tell the other processes, where the engine can: by the code alone. */
void emi_tell_failure(const em_engine *engine, void *state, em_status status);

int emi_mesh_hosts(const em_mesh *mesh, int node);

/* One round along every edge: each node's block to all its neighbours; then mesh->inbox[j] is neighbour j's. */
void emi_send_to_neighbours(em_mesh *mesh, const emi_field *X);
void emi_receive(em_mesh *mesh);

/* Let the nodes find their spanning tree. */
em_status emi_mesh_flood(em_mesh *mesh, em_error *err);

/* Z_i = sum_j w_ij X_j, one round; X must stay as it is in between. */
void emi_mix_begin(em_mesh *mesh, const emi_field *X);
void emi_mix_end(em_mesh *mesh, emi_field *Z);

/* Over the spanning tree: exact, the same bits at every node, whatever the hosting.  `parts` holds every
 * node's contribution and is used up; the result, of the size of one block, is for all hosted nodes. */
void emi_tree_sum(em_mesh *mesh, emi_field *parts, double *result);
void emi_tree_average(em_mesh *mesh, emi_field *parts, double *result);
void emi_tree_max(em_mesh *mesh, emi_field *parts, double *result); /* a NaN anywhere gives NaN */

/* Node 0 is the root of the tree.  What must be the same everywhere, to the last bit and on any mix of machines, is
 * decided there and told: a sum that only the root needs, and what it gives to everyone.  `result` is set, and `block` is
 * read, where the root lives; elsewhere `block` is overwritten. */
int emi_mesh_has_root(const em_mesh *mesh);

/* While mesh->narrow is set, numbers cross every link as floats: each node adds in double, and rounds what it hands on; what
 * is given is rounded at the root as well.  So the result is the same whoever is hosted where. */
void emi_tree_sum_at_root(em_mesh *mesh, emi_field *parts, double *result);
void emi_tree_average_at_root(em_mesh *mesh, emi_field *parts, double *result);
void emi_tree_give(em_mesh *mesh, double *block, size_t size);

/* Masked words, as they are: their sum is node 0's block then. */
void emi_words_up(em_mesh *mesh, emi_field *words);

/* Averages by gossip, Z in place: polynomials in W, of degree `rounds`, that keep the mean exactly and multiply a
 * disagreement along an eigenvector of W by a factor that is small wherever W has eigenvalues.  The other fields, of the
 * same shape, are scribbled on; `before` is left with Z as it was one round earlier. */

/* FastMix: the factor is at most about (1 - sqrt(1 - beta))^rounds. */
void emi_fastmix(em_mesh *mesh, int rounds, double beta, emi_field *Z, emi_field *before, emi_field *work);
double emi_fastmix_factor(int rounds, double beta, double eigenvalue);

/* Chebyshev: with m = 1 / T_rounds(y(1)), y carrying W's eigenvalues low .. high onto [-1, 1], the factor lies between
 * -m and m; with a lift, between (lift - 1) m and (lift + 1) m, over 1 + lift m. */
typedef struct emi_chebyshev {
    int rounds;
    double low, high, lift;
} emi_chebyshev;

/* `start` is for a lift; without one it may be NULL. */
void emi_chebyshev_mix(em_mesh *mesh, const emi_chebyshev *c, emi_field *Z, emi_field *before, emi_field *work,
                       emi_field *start);
double emi_chebyshev_factor(const emi_chebyshev *c, double eigenvalue);

/* The smallest eigenvalue of W, and beta, found by the nodes without any of them holding W: 1 + lowest and 1 - beta
 * come out too large, by less than a thousandth as a rule and well within a tenth.  Steps of one round of one number and
 * one sum of three over the tree, as many as the network asks for: some tens where it mixes well, about 1.4 M on a path
 * of M.  beta is 0 where a round makes all agree, and below 1.  The same bits in every process. */
em_status emi_mesh_spectrum(em_mesh *mesh, double *lowest, double *beta, em_error *err);

/* Run a turn for every hosted node, spread over the cores; failures stick. */
void emi_mesh_run(em_mesh *mesh, double cost, emi_loop_body *body, void *context);

#endif
