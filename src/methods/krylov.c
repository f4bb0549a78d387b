/* krylov - block Lanczos whose only communication is one exact sum a step.
 *
 *     q      -> from the root of the tree down to everyone
 *     C q    <- the exact average of the C_i q, up the tree
 *     q      <- what Lanczos makes of it, at the root alone (lanczos.c)
 *
 * One place does the small algebra: machines of different make round differently, and copies of it would drift apart. */
#include "base/larger.h"
#include "base/memory.h"
#include "mesh/masking.h"
#include "mesh/question.h"
#include "methods/lanczos.h"
#include "methods/method.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

typedef struct krylov {
    emi_solver *s;
    emi_lanczos lanczos; /* at the root; elsewhere only q and how wide it may be: once it is open      */
    emi_field products;  /* (d, most) C_i q                                                            */
    double *sent;        /* (d, most) the question as it is sent, which may have fewer digits          */
    double *summed;      /* (d, most) what comes of the products, at the root                          */
    double *asked, *sum; /* these, or where all rows are here the question and the products themselves */
    emi_kept kept[9];
} krylov;

/* For a checkpoint: the root's basis; the others keep the question, and need none of the rest. */
static void note_what_is_kept(krylov *k)
{
    emi_solver *s = k->s;
    emi_lanczos *l = &k->lanczos;
    emi_ritz_space *r = &l->ritz;
    size_t d = (size_t)s->d;
    const emi_kept kept[] = {{l->q, d, l->most, &s->width},
                             {&l->random.state, 1, 1, NULL},
                             {r->B, d, r->room, &r->size},
                             {r->A, d, r->room, &r->size},
                             {r->T, (size_t)r->room, r->room, &r->size},
                             {r->theta, 1, r->room, &r->locked},
                             {&l->least, 1, 1, NULL},
                             {&l->idle, 1, 1, NULL},
                             {&l->hidden, 1, 1, NULL}};
    memcpy(k->kept, kept, sizeof kept);
    s->kept = k->kept;
    s->kept_count = emi_mesh_has_root(s->mesh) ? sizeof kept / sizeof *kept : 1;
}

static em_status open_krylov(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    emi_solver *s = k->s;
    TRY(emi_lanczos_open(&k->lanczos, s, emi_mesh_has_root(s->mesh), err));
    s->width = s->widest = k->lanczos.most;
    TRY(emi_field_alloc(&k->products, s->mesh->hosted, s->d, k->lanczos.most, err));
    if (s->mesh->graph->nodes > 1) {
        size_t size = (size_t)s->d * (size_t)k->lanczos.most;
        k->asked = k->sent = emi_doubles(size);
        k->sum = k->summed = emi_doubles(size);
        if (!k->sent || !k->summed) TRY(emi_fail_memory(err, "krylov"));
    } else {
        k->asked = k->lanczos.q;
        k->sum = emi_at(&k->products, 0).v;
    }
    note_what_is_kept(k);
done:
    return status;
}

static void close_krylov(krylov *k)
{
    emi_lanczos_close(&k->lanczos);
    emi_field_free(&k->products);
    emi_free(k->sent);
    emi_free(k->summed);
}

static em_status product_body(void *context, int i, int worker, em_error *err)
{
    krylov *k = context;
    emi_block q = {k->s->d, k->products.cols, k->asked};
    return k->s->C[i].kind->apply(&k->s->C[i], q, emi_at(&k->products, i), k->s->scratch[worker], err);
}

/* The root's question to everyone, and everyone's answer to the root. */
static void ask(krylov *k)
{
    em_mesh *mesh = k->s->mesh;
    size_t size = (size_t)k->s->d * (size_t)k->s->width;
    k->products.cols = k->s->width;
    if (k->sent) memcpy(k->sent, k->lanczos.q, size * sizeof *k->sent);
    mesh->narrow = k->s->narrow_wire;
    emi_tree_give(mesh, k->asked, size);
    emi_question_ask(mesh, (emi_block){k->s->d, k->s->width, k->asked});
    emi_mesh_run(mesh, mesh->hosted * emi_operator_cost(&k->s->C[0], k->s->width), product_body, k);
    emi_tree_average_at_root(mesh, &k->products, k->sum);
    mesh->narrow = 0;
}

/* What the root makes of the answer. */
static em_status extend(krylov *k, em_error *err)
{
    emi_solver *s = k->s;
    emi_lanczos *l = &k->lanczos;
    em_status status = emi_lanczos_take(l, k->sum, err);
    if (status != EM_OK) return status;
    emi_block found = emi_lanczos_vectors(l);
    emi_keep_answer(s, found.v, l->ritz.theta, found.cols);
    if (emi_mesh_failed(s->mesh)) return EM_OK;
    s->answer.has_products = l->residual <= s->tolerance && emi_lanczos_products(l, s->answer.CX);
    s->answer.residual = l->residual;
    emi_lanczos_next(l, &s->answer.next, &s->answer.beyond);
    s->width = l->width;
    return EM_OK;
}

/* A start that costs no message: what the root's own rows, or a sample of them, say of the leading eigenvectors.  Others may
 * hold what they know nothing of: some of each vector is random, and what the block has beside them all of it. */
static em_status look_at_own_rows(krylov *k, emi_block X, em_error *err)
{
    enum { ENOUGH = 4096, LEAST = 8, STEPS = 6 };
    static const double random = 0.03;
    em_status status = EM_OK;
    const emi_solver *s = k->s;
    emi_solver own = *s;
    emi_operator sample = s->C[0];
    emi_lanczos l = {0};
    sample.every = sample.shard->count / ENOUGH;
    if (s->mesh->graph->nodes == 1 && sample.every < LEAST) sample.every = LEAST; /* or it costs what it saves */
    own.tolerance = 0.03;
    own.fraction = 0; /* of K components, whatever their number will be */
    TRY(emi_lanczos_open(&l, &own, 1, err));
    TRY(emi_lanczos_begin(&l, X, err));
    for (int n = 0; n < STEPS && l.width > 0; n++) {
        TRY(sample.kind->apply(&sample, (emi_block){s->d, l.width, l.q}, (emi_block){s->d, l.width, k->sum},
                               s->scratch[0], err));
        TRY(emi_lanczos_take(&l, k->sum, err));
    }
    emi_block found = emi_lanczos_vectors(&l);
    for (size_t n = 0; n < (size_t)found.rows * (size_t)found.cols; n++) X.v[n] = found.v[n] + random * X.v[n];
done:
    emi_lanczos_close(&l);
    return status;
}

/* Is there something to be learnt from own rows that costs less than it saves?  On one node that is a small share of them. */
static int own_rows_tell(const emi_solver *s)
{
    enum { MANY = 4096 };
    int cheap = s->mesh->graph->nodes > 1 || s->C[0].shard->count > MANY;
    return cheap && !emi_mesh_is_masked(s->mesh) && !s->C[0].kind->squared && s->given == 0;
}

/* Where they are nobody's business, what all know does: features that deviate more have more of the leading eigenvectors.  A part
 * of each vector stays as it was, so that they stay apart. */
static void weigh_by_deviations(const emi_solver *s, emi_block X)
{
    static const double unweighed = 0.1;
    for (int c = 0; c < X.cols; c++) {
        double *x = emi_column_of(X, c), square = 0, all = sqrt(s->variance);
        for (int f = 0; f < X.rows; f++) square += pow(s->rounding.deviation[f] / all * x[f], 2);
        for (int f = 0; f < X.rows && square > 0; f++)
            x[f] *= s->rounding.deviation[f] / all / sqrt(square) + unweighed;
    }
}

/* Steps among the rows end with the answer: where their products are as good as the last one's here would be. */
static int may_end_there(const emi_solver *s)
{
    return !s->resumable && s->K <= s->rank && s->C[0].real == EMI_DOUBLE && !s->C[0].kind->squared;
}

/* |C x - theta x| / theta, theta = x' C x. */
static double residual_of(int d, const double *x, const double *Cx, double theta)
{
    enum { LANES = 8 }; /* which a processor adds at once */
    double lanes[LANES] = {0}, square = 0;
    int f = 0;
    for (; f + LANES <= d; f += LANES)
        for (int n = 0; n < LANES; n++) {
            double off = Cx[f + n] - theta * x[f + n];
            lanes[n] += off * off;
        }
    for (; f < d; f++) lanes[0] += (Cx[f] - theta * x[f]) * (Cx[f] - theta * x[f]);
    for (int n = 0; n < LANES; n++) square += lanes[n];
    return theta > 0 ? sqrt(square) / theta : INFINITY;
}

/* Is what was found there within the tolerance, by its products?  Then it is the answer. */
static int ended_there(emi_solver *s, const emi_leading *found)
{
    emi_answer *answer = &s->answer;
    double worst = 0;
    for (int k = 0; k < s->K && found->complete; k++) {
        const double *x = answer->X + (size_t)k * (size_t)s->d, *Cx = answer->CX + (size_t)k * (size_t)s->d;
        answer->theta[k] = cblas_ddot(s->d, x, 1, Cx, 1);
        worst = emi_larger(worst, residual_of(s->d, x, Cx, answer->theta[k]));
    }
    if (!found->complete || !(worst <= s->tolerance)) return 0;
    *answer = (emi_answer){.K = s->K,
                           .X = answer->X,
                           .CX = answer->CX,
                           .theta = answer->theta,
                           .has_products = 1,
                           .has_theta = 1,
                           .residual = worst,
                           .next = found->next,
                           .beyond = found->beyond,
                           .rest = NAN,
                           .squares = NAN,
                           .cubes = NAN};
    s->steps_there = found->steps - 1; /* and one that is counted as any */
    s->width = 0;
    return 1;
}

/* What was found there so far is the first question here; or else a start that is as good as any. */
static em_status go_on_here(krylov *k, const emi_leading *found, em_error *err)
{
    em_status status = EM_OK;
    emi_solver *s = k->s;
    if (!k->lanczos.q) TRY(open_krylov(k, err));
    if (!s->X.v) TRY(emi_field_alloc(&s->X, s->mesh->hosted, s->d, s->K, err));
    s->steps_there = found->steps;
    if (s->steps_there > 0) {
        emi_lanczos_begin_at(&k->lanczos, found->X);
        if (s->then_double) s->C[0].real = EMI_DOUBLE, s->rounding.single = 0;
    } else {
        emi_random_normals(&k->lanczos.random, emi_at(&s->X, 0).v, (size_t)s->d * (size_t)s->K);
        emi_keep_answer(s, emi_at(&s->X, 0).v, NULL, s->K);
    }
done:
    return status;
}

/* All steps, or all but the last, where the rows are.  Where those are in single precision, the last one in double finds what the
 * certificate would need a look at the rows of its own for. */
static em_status begin_among_rows(krylov *k, em_error *err)
{
    static const double coarse = 1e-4; /* beside it, what single precision rounds is nothing */
    em_status status = EM_OK;
    emi_solver *s = k->s;
    const int rounds = s->rounding.single && !(s->then_double && s->tolerance >= coarse);
    const double sure = rounds ? 0.3 : 0.9; /* so much less than the tolerance will be seen to be within it */
    const double far = fmax(1, s->C[0].standard->within); /* so many times more is rounded of rows as they lie */
    TRY(emi_answer_room(s, emi_lanczos_block(s), err));
    emi_leading asked = {.wanted = s->K,
                         .tolerance = sure * s->tolerance,
                         .seed = s->seed,
                         .X = {s->d, emi_lanczos_block(s), s->answer.X},
                         .CX = may_end_there(s) ? s->answer.CX : NULL,
                         .least = far * emi_least_for_products(s)};
    TRY(s->C[0].kind->lead(&s->C[0], &asked, err));
    if (!ended_there(s, &asked)) TRY(go_on_here(k, &asked, err));
done:
    return status;
}

static em_status begin(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    if (k->s->leads) TRY(begin_among_rows(k, err));
    if (k->s->steps_there > 0) return EM_OK; /* and may have ended there */
    emi_block X = emi_at(&k->s->X, 0);
    if (emi_mesh_is_masked(k->s->mesh) && k->s->given == 0) weigh_by_deviations(k->s, X);
    if (own_rows_tell(k->s)) status = look_at_own_rows(k, X, err);
    if (status != EM_ENUMERIC) TRY(status); /* then X is as it was, which is a start too */
    TRY(emi_lanczos_begin(&k->lanczos, X, err));
done:
    return status;
}

static em_status step(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int root = emi_mesh_has_root(k->s->mesh);
    if (root && k->lanczos.ritz.size == 0) TRY(begin(k, err));
    if (k->s->width == 0) return EM_OK; /* the whole space is spanned */
    k->lanczos.width = k->s->width;     /* as it was left, by another run too */
    ask(k);
    if (!root || emi_mesh_failed(k->s->mesh)) return EM_OK;
    status = extend(k, err);
    if (status == EM_ENUMERIC) { /* the test for the end sees it, and tells the others */
        k->s->answer.residual = NAN;
        k->s->width = 0;
        status = EM_OK;
    }
done:
    return status;
}

/* Where it begins among the rows, it may end there too, and need nothing here. */
static em_status krylov_run(emi_solver *s)
{
    krylov k = {.s = s};
    em_error err;
    em_status status = s->leads && !s->resumable ? EM_OK : open_krylov(&k, &err);
    if (status != EM_OK) emi_solver_fail(s, status, &err);
    while (emi_next(s)) {
        status = step(&k, &err);
        if (status != EM_OK) emi_solver_fail(s, status, &err);
    }
    s->kept_count = 0;
    close_krylov(&k);
    return emi_finish(s);
}

const emi_method emi_krylov = {
    .info = {.name = "krylov",
             .summary = "block Lanczos, one exact average a step: the eigenvectors in a handful",
             .update = "q from the residuals; C q averaged over the tree; Ritz vectors of [B q]",
             .cite = "Wu and Simon, SIAM J. Matrix Analysis 22, 2000",
             .residual = 1,
             .exact = 1},
    .uses = EMI_USES_OVERSAMPLE | EMI_USES_PRECISION | EMI_USES_WIRE,
    .traits = EMI_AT_ROOT,
    .iterations = 1000,
    .run = krylov_run};
