#include "fit/rest.h"

#include "base/memory.h"
#include "base/random.h"
#include "linalg/basis.h"
#include "mesh/question.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 32 };

typedef struct probing {
    emi_findings *f;
    emi_block G;        /* (d, n) what is asked                */
    emi_field products; /* (d, n) C_i G                        */
    double *Y;          /* (d, n) their mean, at the root      */
    double *numbers;    /* (3, n) g'D g, y'y and y'D y, there  */
} probing;

static em_status product_body(void *context, int i, int worker, em_error *err)
{
    probing *t = context;
    const emi_solver *s = &t->f->job->solver;
    return s->C[i].kind->apply(&s->C[i], t->G, emi_at(&t->products, i), s->scratch[worker], err);
}

/* Y = the mean of C_i G, at the root. */
static em_status ask(probing *t, em_error *err)
{
    emi_problem *p = t->f->job->problem;
    emi_tree_give(p->mesh, t->G.v, (size_t)t->G.rows * (size_t)t->G.cols);
    emi_question_ask(p->mesh, t->G);
    emi_mesh_run(p->mesh, emi_problem_product_cost(p, t->G.cols), product_body, t);
    emi_tree_average_at_root(p->mesh, &t->products, t->Y);
    return emi_problem_status(p, err);
}

static emi_block components_of(const probing *t)
{
    return (emi_block){t->G.rows, t->f->K, t->f->job->observer.estimate};
}

/* Random orthonormal columns outside the components. */
static em_status draw(probing *t, em_error *err)
{
    int kept = 0;
    emi_random random = emi_random_seed(t->f->job->options->seed, EMI_STREAM_SKETCH);
    emi_random_normals(&random, t->G.v, (size_t)t->G.rows * (size_t)t->G.cols);
    em_status status = emi_extend_basis(components_of(t), t->G, 1e-8, &kept, err);
    for (int c = kept; c < t->G.cols; c++) memset(emi_column_of(t->G, c), 0, sizeof *t->G.v * (size_t)t->G.rows);
    return status;
}

/* D G from C G: what lies along the components goes. */
static em_status leave_out(probing *t, em_error *err)
{
    emi_block X = components_of(t), Y = {t->G.rows, t->G.cols, t->Y};
    double *room = emi_doubles((size_t)X.cols * (size_t)Y.cols);
    if (!room) return emi_fail_memory(err, "limits");
    emi_block along = {X.cols, Y.cols, room};
    emi_mul_tn(1, X, Y, 0, along);
    emi_mul(-1, X, along, 1, Y);
    emi_free(room);
    return EM_OK;
}

/* After the first answer: theta_1 and theta_2 of each column; and the next question, the unit vectors of Y. */
static em_status take_first(probing *t, em_error *err)
{
    int d = t->G.rows;
    em_status status = leave_out(t, err);
    for (int c = 0; c < t->G.cols && status == EM_OK; c++) {
        double *g = emi_column_of(t->G, c), *y = t->Y + (size_t)c * (size_t)d, *number = t->numbers + 3 * (size_t)c;
        double length = emi_norm(d, y);
        number[0] = cblas_ddot(d, g, 1, y, 1);
        number[1] = length * length;
        for (int n = 0; n < d; n++) g[n] = length > 0 ? y[n] / length : 0;
    }
    return status;
}

static void take_second(probing *t)
{
    int d = t->G.rows;
    double *number = t->numbers;
    for (int c = 0; c < t->G.cols; c++, number += 3)
        number[2] = number[1] * cblas_ddot(d, emi_column_of(t->G, c), 1, t->Y + (size_t)c * (size_t)d, 1);
}

/* The ratio of the sums of the power-th number and of the first; its standard error, from how columns scatter about it, of which
 * nothing is left where they are all there are. */
static double ratio_of(const probing *t, int power, int all, double *error)
{
    double sum = 0, first = 0, square = 0, n = t->G.cols;
    const double *number = t->numbers, *end = number + 3 * (size_t)t->G.cols;
    for (; number < end; number += 3) first += number[0], sum += number[power];
    double ratio = sum / first;
    for (number = t->numbers; number < end; number += 3) square += pow(number[power] - ratio * number[0], 2);
    *error = t->G.cols < all ? sqrt(square / (n * (n - 1)) * (1 - n / all)) / (first / n) : 0;
    return ratio;
}

/* As shares of theta_1: of all the variance that is left, in the solver's units. */
static void conclude(const probing *t, emi_rest *rest, double left)
{
    int all = t->G.rows - t->f->K;
    rest->squares = ratio_of(t, 1, all, &rest->squares_error) / left;
    rest->cubes = ratio_of(t, 2, all, &rest->cubes_error) / left / left;
    rest->squares_error /= left;
    rest->cubes_error /= left * left;
}

static em_status probe(probing *t, emi_rest *rest, double left, em_error *err)
{
    em_status status = EM_OK;
    em_mesh *mesh = t->f->job->problem->mesh;
    int root = emi_mesh_has_root(mesh), d = t->f->job->problem->d, n = d - t->f->K < COLUMNS ? d - t->f->K : COLUMNS;
    size_t size = (size_t)d * (size_t)n;
    t->G = (emi_block){d, n, emi_calloc(size, sizeof *t->G.v)};
    t->Y = emi_doubles(size);
    t->numbers = emi_calloc(3 * (size_t)n, sizeof *t->numbers);
    if (!t->G.v || !t->Y || !t->numbers) TRY(emi_fail_memory(err, "limits"));
    TRY(emi_field_alloc(&t->products, mesh->hosted, d, n, err));
    if (root) TRY(draw(t, err));
    TRY(ask(t, err));
    if (root) TRY(take_first(t, err));
    TRY(ask(t, err));
    if (root) {
        take_second(t);
        conclude(t, rest, left);
    }
    emi_tree_give(mesh, &rest->squares, sizeof *rest / sizeof(double));
    TRY(emi_problem_status(t->f->job->problem, err));
done:
    return status;
}

em_status emi_rest_find(emi_rest *rest, emi_findings *f, em_error *err)
{
    const emi_problem *p = f->job->problem;
    probing t = {.f = f};
    double left = p->variance;
    for (int k = 0; k < (int)f->says->n.has; k++) left -= f->theta[k];
    if (!isnan(f->says->rest)) left = f->says->rest;
    *rest = (emi_rest){.squares = f->says->squares, .cubes = f->says->cubes};
    if (!isnan(rest->squares) || !f->job->options->limits || !(left > 0) || f->K >= p->d) return EM_OK;
    em_status status = probe(&t, rest, left, err);
    emi_field_free(&t.products);
    emi_free(t.numbers);
    emi_free(t.Y);
    emi_free(t.G.v);
    return status;
}
