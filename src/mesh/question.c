#include "mesh/question.h"

#include "base/memory.h"
#include "mesh/fixed.h"
#include "mesh/masking.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* x < 2^this, for x >= 0 */
static int exponent_above(double x)
{
    return x > 0 ? ilogb(x) + 1 : INT_MIN / 4;
}

static int ceil_log2(int n)
{
    int bits = 0;
    while (bits < 30 && 1 << bits < n) bits++;
    return bits;
}

void emi_question_free(emi_question *q)
{
    emi_free(q->reach);
    emi_free(q->along);
    *q = (emi_question){0};
}

static void fail(em_mesh *mesh, em_status code, const char *why)
{
    mesh->failure.code = emi_fail(&mesh->failure, code, "%s", why);
}

static int *integers(em_mesh *mesh, int count)
{
    int *all = emi_calloc((size_t)count, sizeof *all);
    if (!all) mesh->failure.code = emi_fail_memory(&mesh->failure, "question");
    return all;
}

/* ---- what it is about ---------------------------------------------------------------------------------------------- */

/* All nodes find the same exponents, by operations that every machine rounds alike; they are part of the view, so that it would
 * show if one did not. */
void emi_question_about(em_mesh *mesh, const double *deviation, int d, double variance)
{
    enum { FAR = 200 }; /* what is smaller by so many bits counts as that large */
    if (!emi_mesh_is_masked(mesh) || emi_mesh_failed(mesh)) return;
    emi_question *q = &mesh->question;
    emi_question_free(q);
    q->reach = integers(mesh, d);
    if (!q->reach) return;
    q->d = d;
    q->nodes = ceil_log2(mesh->graph->nodes);
    q->all = exponent_above(sqrt(variance));
    for (int f = 0; f < d; f++) {
        int exponent = exponent_above(deviation[f]);
        q->reach[f] = exponent > q->all - FAR ? exponent : q->all - FAR;
    }
    emi_masking_follow(mesh, q->reach, sizeof *q->reach * (size_t)d);
    emi_masking_follow(mesh, &q->all, sizeof q->all);
}

double emi_question_rounding(const em_mesh *mesh)
{
    enum {
        ROUNDED_UP = 5
    }; /* deviations, what they add up to, the number of nodes, and halves to 3/2: to powers of two */
    if (!emi_mesh_is_masked(mesh)) return 0;
    return ldexp(mesh->graph->nodes, ROUNDED_UP - EMI_BLOCK_BITS);
}

/* ---- asking ----------------------------------------------------------------------------------------------------------- */

/* Vectors that are not orthonormal could be made so that the answer shows more of one node than of all. */
int emi_question_is_sound(emi_block x, double *gram)
{
    static const double nearly = 1e-8;
    size_t size = (size_t)x.rows * (size_t)x.cols, cols = (size_t)x.cols;
    for (size_t n = 0; n < size; n++)
        if (!isfinite(x.v[n])) return 0;
    emi_mul_tn(1, x, x, 0, (emi_block){x.cols, x.cols, gram});
    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < cols; i++)
            if (!(fabs(gram[j * cols + i] - (i == j)) <= nearly)) return 0;
    return 1;
}

static void check_vectors(em_mesh *mesh, emi_block x)
{
    double *gram = emi_doubles((size_t)x.cols * (size_t)x.cols);
    if (!gram)
        mesh->failure.code = emi_fail_memory(&mesh->failure, "question");
    else if (!emi_question_is_sound(x, gram))
        fail(mesh, EM_ENET, "fit: the root asks for vectors that are not orthonormal, and is not answered; try again");
    emi_free(gram);
}

/* What each node here says to it. */
static void ask_nodes(em_mesh *mesh, int columns)
{
    emi_question *q = &mesh->question;
    if (emi_mesh_failed(mesh)) return;
    if (q->d == 0) {
        fail(mesh, EM_ENET, "fit: the root asks before it is known what about; try the same program everywhere");
        return;
    }
    emi_masked_consent(mesh, columns, q->d);
    q->open = !emi_mesh_failed(mesh);
}

/* Each term is a power of two times |x_f|, and they are added one after the other: every machine has the same sum. */
static int reach_along(const emi_question *q, const double *x)
{
    double sum = 0;
    for (int f = 0; f < q->d; f++) sum += ldexp(fabs(x[f]), q->reach[f] - q->all);
    int along = exponent_above(sum);
    return along < 0 ? q->all + (along > -400 ? along : -400) : q->all;
}

void emi_question_ask(em_mesh *mesh, emi_block x)
{
    emi_question *q = &mesh->question;
    if (!emi_mesh_is_masked(mesh) || emi_mesh_failed(mesh)) return;
    check_vectors(mesh, x);
    ask_nodes(mesh, x.cols);
    if (emi_mesh_failed(mesh)) return;
    emi_free(q->along);
    q->along = integers(mesh, x.cols);
    if (!q->along) return;
    q->columns = x.cols;
    q->matrix = 0;
    for (int k = 0; k < x.cols; k++) q->along[k] = reach_along(q, emi_column_of(x, k));
    emi_masking_follow(mesh, q->along, sizeof *q->along * (size_t)x.cols);
}

void emi_question_ask_all(em_mesh *mesh, int d)
{
    if (!emi_mesh_is_masked(mesh)) return;
    ask_nodes(mesh, d);
    mesh->question.matrix = 1;
}

/* ---- answers ---------------------------------------------------------------------------------------------------------- */

static size_t triangle(const emi_question *q)
{
    return (size_t)q->d * ((size_t)q->d + 1) / 2;
}

int emi_question_fits(const emi_question *q, size_t size)
{
    size_t d = (size_t)q->d, columns = (size_t)q->columns;
    if (!q->open) return 0;
    return q->matrix ? size == triangle(q) : size == d * columns || size == (d + 1) * columns;
}

void emi_question_places(const emi_question *q, size_t size, int *places)
{
    int room = EMI_BLOCK_BITS - q->nodes;
    size_t n = 0;
    for (int j = 0; q->matrix && j < q->d; j++)
        for (int i = 0; i <= j; i++) places[n++] = room - q->reach[i] - q->reach[j];
    for (int k = 0; !q->matrix && k < q->columns; k++)
        for (int f = 0; f < q->d; f++) places[n++] = room - q->reach[f] - q->along[k];
    for (int k = 0; n < size; k++) places[n++] = room - 2 * q->along[k];
}
