#include "run/stopping.h"

#include "base/larger.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { TEST_EVERY = 5 };           /* iterations: divergence is noticed within a few */
static const double runaway = 1e3; /* how much larger than it should be a run is that has come apart */

/* What a node says in the test: its residual, where it knows it; the largest number it holds, against what belongs there;
 * what its process asks for; how many columns the root asks for next.  A node that does not know its residual also says how
 * far each column moved, and its idea of each eigenvalue. */
enum { RESIDUAL, SIZE, REQUEST, WIDTH, NUMBERS };

/* Where the root decides, nodes iterate nothing of their own. */
static int at_root(const emi_solver *s)
{
    return (s->traits & EMI_AT_ROOT) != 0;
}

em_status emi_stopping_open(emi_stopping *t, emi_solver *s, emi_observer *observer, em_error *err)
{
    em_status status = EM_OK;
    *t = (emi_stopping){.observer = observer, .change = NAN, .reserve = 0.1};
    if (!at_root(s)) TRY(emi_field_alloc(&t->good, s->mesh->hosted, s->d, s->K, err));
    TRY(emi_field_alloc(&t->numbers, s->mesh->hosted, NUMBERS + 2 * s->K, 1, err));
    if (!s->knows_residual) TRY(emi_field_alloc(&t->shown, s->mesh->hosted, s->d, s->K, err));
    t->largest = emi_doubles(NUMBERS + 2 * (size_t)s->K);
    if (!t->largest) TRY(emi_fail_memory(err, "stopping test"));
done:
    return status;
}

void emi_stopping_close(emi_stopping *t)
{
    emi_free(t->largest);
    emi_field_free(&t->numbers);
    emi_field_free(&t->shown);
    emi_field_free(&t->good);
    *t = (emi_stopping){0};
}

int emi_stopping_is_due(const emi_solver *s, long end)
{
    return at_root(s) || s->iteration % TEST_EVERY == 0 || s->iteration == end;
}

/* ---- what a node says -------------------------------------------------------------------------- */

typedef struct test_task {
    emi_stopping *t;
    emi_solver *s;
    int first, count; /* the columns whose change decides */
    int request;
} test_task;

/* The distance between two columns, up to sign, relative to the first one's length. */
static double column_change(int d, const double *x, const double *before, double norm)
{
    double minus = 0, plus = 0;
    for (int n = 0; n < d; n++) {
        minus += (x[n] - before[n]) * (x[n] - before[n]);
        plus += (x[n] + before[n]) * (x[n] + before[n]);
    }
    return sqrt(minus < plus ? minus : plus) / norm;
}

/* Of what is iterated, and of what a method tracks beside it, which is as large as the covariances are. */
static double largest_number(const emi_solver *s, int i)
{
    emi_block X = emi_at(&s->X, i);
    double largest = 0, tracked = 0;
    for (int k = 0; k < X.cols; k++) largest = emi_larger(largest, emi_norm(X.rows, emi_column_of(X, k)));
    for (int n = 0; n < EMI_EXTRA_FIELDS && s->extra[n].v; n++) {
        emi_block E = emi_at(&s->extra[n], i);
        for (int k = 0; k < E.cols; k++) tracked = emi_larger(tracked, emi_norm(E.rows, emi_column_of(E, k)));
    }
    return emi_larger(largest, tracked / (1 + s->mesh->graph->nodes * s->variance));
}

/* A node's estimate as it would be reported, in `shown`: Sanger's columns are orthonormal only in the end, and those past
 * the rank do not become so at all. */
static void show(const emi_solver *s, int i, emi_scratch scratch, emi_block shown)
{
    emi_block X = emi_at(&s->X, i);
    memcpy(shown.v, X.v, sizeof *X.v * (size_t)X.rows * (size_t)X.cols);
    if (s->uses & EMI_USES_STEP && !(s->uses & EMI_USES_QR) && emi_gram_factor(X, scratch.v))
        emi_gram_orthonormalise(shown, scratch.v);
}

void emi_stopping_begin(emi_stopping *t, emi_solver *s)
{
    if (!at_root(s)) emi_field_copy(&s->X, &t->good);
    for (int i = 0; i < t->shown.nodes && t->shown.v; i++) show(s, i, s->scratch[0], emi_at(&t->shown, i));
}

static em_status test_body(void *context, int i, int worker, em_error *err)
{
    (void)err;
    const test_task *task = context;
    emi_solver *s = task->s;
    double *numbers = emi_at(&task->t->numbers, i).v, *change = numbers + NUMBERS, *theta = change + s->K;
    numbers[RESIDUAL] = s->knows_residual ? *emi_at(&s->residual, i).v : 0;
    numbers[SIZE] = at_root(s) ? 0 : largest_number(s, i);
    numbers[REQUEST] = task->request;
    numbers[WIDTH] = 0;
    if (s->knows_residual) return EM_OK;
    emi_scratch scratch = s->scratch[worker];
    size_t square = (size_t)s->K * (size_t)s->K;
    emi_block shown = emi_at(&task->t->shown, i), now = {s->d, s->K, scratch.v + square};
    show(s, i, scratch, now);
    for (int k = task->first; k < task->first + task->count; k++) {
        const double *x = emi_column_of(now, k);
        change[k] = column_change(s->d, x, emi_column_of(shown, k), emi_norm(s->d, x));
    }
    memcpy(shown.v, now.v, sizeof *now.v * (size_t)s->d * (size_t)s->K);
    memcpy(theta, emi_at(&s->theta, i).v, sizeof *theta * (size_t)s->K);
    return EM_OK;
}

/* Where the root decides, what others say is what they wish: nothing of their data. */
static void gather_largest(emi_solver *s, emi_field *said, double *largest)
{
    s->mesh->plain = at_root(s);
    emi_tree_max(s->mesh, said, largest);
    s->mesh->plain = 0;
}

/* The largest of every number that any node says, so that all come to the same end.  Where the root decides and all
 * processes are this one, nobody needs to ask. */
static void gather(emi_stopping *t, emi_solver *s)
{
    emi_field said = t->numbers;
    said.rows = s->knows_residual ? NUMBERS : NUMBERS + 2 * s->K;
    s->mesh->phase = EM_CONTROL;
    if (at_root(s) && emi_mesh_has_root(s->mesh)) {
        emi_at(&said, 0).v[RESIDUAL] = s->answer.residual;
        emi_at(&said, 0).v[WIDTH] = s->width;
    }
    if (at_root(s) && !emi_mesh_is_spread(s->mesh))
        memcpy(t->largest, emi_at(&said, 0).v, NUMBERS * sizeof *t->largest);
    else
        gather_largest(s, &said, t->largest);
    s->mesh->phase = EM_METHOD;
}

/* ---- what all make of it ------------------------------------------------------------------------- */

/* How fast the columns move, in units of what their own eigenvalue moves them by: the change over the steps taken, where a
 * method takes steps; else the change an iteration.  A column past the rank does not count, as nothing pulls at it. */
static double rate_of(const emi_stopping *t, const emi_solver *s, int first, int count)
{
    const double *change = t->largest + NUMBERS, *theta = change + s->K;
    double worst = 0, largest = 0;
    for (int k = 0; k < s->K; k++) largest = emi_larger(largest, theta[k]);
    for (int k = first; k < first + count; k++) {
        if (theta[k] <= EMI_ROUNDING * largest) continue;
        worst = emi_larger(worst, s->uses & EMI_USES_STEP ? change[k] / (t->travelled * theta[k])
                                                          : change[k] / (double)(s->iteration - t->tested));
    }
    return worst;
}

/* A node's own residual does not see all of the disagreement that is left.  Where it is small enough, the true one is found
 * out, by two exact averages; if that is not, it takes so much more. */
static int confirm(emi_stopping *t, emi_solver *s)
{
    emi_observer *o = t->observer;
    double worst = 0, largest = 0;
    s->mesh->phase = EM_CONTROL;
    emi_observe_estimate(o);
    (void)emi_observe_residual(o);
    for (int k = 0; k < o->K; k++) largest = emi_larger(largest, o->theta[k]);
    for (int k = 0; k < o->K; k++)
        if (!(o->residual[k] * o->theta[k] <= EMI_ROUNDING * largest)) worst = emi_larger(worst, o->residual[k]);
    emi_tree_give(s->mesh, &worst, 1); /* the root's word: another CPU may see another last digit */
    s->mesh->phase = EM_METHOD;
    t->reserve *= worst > s->tolerance ? fmin(0.5, s->tolerance / worst) : 1;
    return worst <= s->tolerance || t->change == 0;
}

/* Every residual is within the tolerance, or nothing moves any more. */
static int is_found(emi_stopping *t, emi_solver *s)
{
    if (s->tolerance == 0) return 0;
    if (!s->knows_residual || at_root(s)) return t->change <= s->tolerance;
    return t->change <= t->reserve * s->tolerance && confirm(t, s);
}

/* Others' numbers are taken for sizes: is it a whole one that can be? */
static int is_within(double number, int most)
{
    return number >= 0 && number <= most && number == floor(number);
}

emi_finding emi_stopping_test(emi_stopping *t, emi_solver *s, int first, int count, int *request)
{
    test_task task = {t, s, first, count, *request};
    emi_mesh_run(s->mesh, 6.0 * s->mesh->hosted * s->d * count, test_body, &task);
    gather(t, s);
    if (emi_mesh_failed(s->mesh)) return EMI_GO_ON;
    if (!(t->largest[SIZE] < runaway) || isnan(t->largest[RESIDUAL])) {
        if (!at_root(s)) emi_field_copy(&t->good, &s->X);
        return EMI_DIVERGED;
    }
    if (!is_within(t->largest[REQUEST], EMI_ASKS_END) || !is_within(t->largest[WIDTH], s->widest)) {
        s->mesh->failure.code = emi_fail(
            &s->mesh->failure, EM_ENET,
            "fit: a process asks for %g, with %g columns, and there is room for %d; try the same program everywhere",
            t->largest[REQUEST], t->largest[WIDTH], s->widest);
        return EMI_GO_ON;
    }
    *request = (int)t->largest[REQUEST];
    s->width = (int)t->largest[WIDTH];
    t->change = s->knows_residual ? t->largest[RESIDUAL] : rate_of(t, s, first, count);
    t->tested = s->iteration;
    t->travelled = 0;
    if (!at_root(s)) emi_field_copy(&s->X, &t->good);
    return is_found(t, s) ? EMI_FOUND : EMI_GO_ON;
}
