#include "fit/outside.h"

#include "base/memory.h"
#include "base/random.h"
#include "linalg/basis.h"
#include "methods/hidden.h"

#include <math.h>
#include <string.h>

enum { PROBES = 4, STEPS = 8 };

typedef struct outside_task {
    emi_problem *p;
    emi_block V;
    uint64_t seed;
    emi_field bounds; /* (1, 1) a node */
} outside_task;

/* X <- X - V (V' X) */
static void leave_out(emi_block V, emi_block X, double *along)
{
    emi_block dots = {V.cols, X.cols, along};
    emi_mul_tn(1, V, X, 0, dots);
    emi_mul(-1, V, dots, 1, X);
}

/* Block Lanczos on P C_i P from random columns, as far as so few steps take it. */
static em_status explore(const outside_task *t, int i, emi_scratch scratch, emi_ritz_space *r, double *room,
                         em_error *err)
{
    em_status status = EM_OK;
    const emi_operator *C = &t->p->C[i];
    emi_block q = {r->d, PROBES, room}, Cq = {r->d, PROBES, room + (size_t)r->d * PROBES};
    double *along = Cq.v + (size_t)r->d * PROBES;
    emi_random random = emi_random_seed(t->seed, EMI_STREAM_KRYLOV);
    emi_random_normals(&random, q.v, (size_t)r->d * PROBES);
    for (int n = 0; n < STEPS; n++) {
        int kept = 0;
        for (int twice = 0; twice < 2; twice++) leave_out(t->V, q, along);
        TRY(emi_extend_basis(emi_ritz_columns(r, r->B, 0, r->size), q, 1e-8, &kept, err));
        if (kept == 0) break; /* the whole space is spanned */
        q.cols = Cq.cols = kept;
        TRY(C->kind->apply(C, q, Cq, scratch, err));
        leave_out(t->V, Cq, along);
        TRY(emi_ritz_append(r, q.v, Cq.v, kept));
        memcpy(q.v, Cq.v, sizeof *q.v * (size_t)r->d * (size_t)kept);
    }
    TRY(emi_ritz_solve(r, err));
done:
    return status;
}

/* The least bound that is certain enough, to a few per cent. */
static em_status bound_of(const emi_ritz_space *r, double *bound, em_error *err)
{
    static const double none = 1e-12, finer = 1.03, most = 1e3;
    *bound = INFINITY;
    int probes = r->size < PROBES ? r->size : PROBES;
    double times = 1, chance;
    while (times < most) {
        times *= finer;
        em_status status = emi_hidden_chance(r, 0, probes, 0, times * r->theta[0], &chance, err);
        if (status != EM_OK) return status;
        *bound = times * r->theta[0];
        if (chance <= none) return EM_OK;
    }
    *bound = INFINITY;
    return EM_OK;
}

static em_status outside_body(void *context, int i, int worker, em_error *err)
{
    outside_task *t = context;
    em_status status = EM_OK;
    int d = t->p->d;
    emi_ritz_space r = {.d = d};
    double *bound = emi_at(&t->bounds, i).v;
    double *room = emi_doubles((2 * (size_t)d + (size_t)t->V.cols) * PROBES);
    if (!room) TRY(emi_fail_memory(err, "krylov"));
    TRY(emi_ritz_reserve(&r, PROBES * STEPS, err));
    TRY(explore(t, i, t->p->scratch[worker], &r, room, err));
    if (r.size > 0 && r.theta[0] > 0)
        TRY(bound_of(&r, bound, err));
    else
        *bound = 0;
done:
    if (status == EM_ENUMERIC) *bound = INFINITY, status = EM_OK;
    emi_ritz_free(&r);
    emi_free(room);
    return status;
}

em_status emi_problem_outside(emi_problem *p, emi_block V, uint64_t seed, double *value, em_error *err)
{
    em_status status = EM_OK;
    outside_task task = {.p = p, .V = V, .seed = seed};
    TRY(emi_field_alloc(&task.bounds, p->mesh->hosted, 1, 1, err));
    TRY(emi_problem_for_nodes(p, STEPS * emi_problem_product_cost(p, PROBES), outside_body, &task, err));
    emi_tree_sum(p->mesh, &task.bounds, value);
    *value /= p->mesh->graph->nodes;
    TRY(emi_problem_status(p, err));
done:
    emi_field_free(&task.bounds);
    return status;
}
