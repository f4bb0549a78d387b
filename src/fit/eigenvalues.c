/* Eigenvalues over the network, for the scale and the step. */
#include "base/memory.h"
#include "fit/prepare.h"
#include "linalg/lanczos.h"
#include "mesh/question.h"

#include <cblas.h>
#include <string.h>

/* ---- of every node's covariance ------------------------------------------------------------------- */

typedef struct node_operator {
    const emi_operator *C;
    emi_scratch scratch;
} node_operator;

static em_status apply_at_node(void *context, const double *v, double *z, em_error *err)
{
    node_operator *node = context;
    emi_block x = {node->C->d, 1, (double *)v}, y = {node->C->d, 1, z};
    return node->C->kind->apply(node->C, x, y, node->scratch, err);
}

typedef struct number_task {
    emi_problem *p;
    emi_field numbers; /* (1, 1) a node */
} number_task;

static em_status eigenvalue_body(void *context, int i, int worker, em_error *err)
{
    number_task *t = context;
    node_operator node = {&t->p->C[i], t->p->scratch[worker]};
    double doubt = 0;
    return emi_largest_eigenvalue(apply_at_node, &node, t->p->d, 1e-6, emi_at(&t->numbers, i).v, &doubt, err);
}

em_status emi_problem_max_eigenvalue(emi_problem *p, double *value, em_error *err)
{
    em_status status = EM_OK;
    number_task task = {.p = p};
    TRY(emi_field_alloc(&task.numbers, p->mesh->hosted, 1, 1, err));
    TRY(emi_problem_for_nodes(p, 20 * emi_problem_product_cost(p, 1), eigenvalue_body, &task, err));
    emi_tree_max(p->mesh, &task.numbers, value);
    TRY(emi_problem_status(p, err));
done:
    emi_field_free(&task.numbers);
    return status;
}

/* ---- of their mean ----------------------------------------------------------------------------------
 *
 * The root runs Lanczos and tells the vector to be multiplied next; the others answer.  Who decided for himself when to stop
 * might decide otherwise than his neighbour: no two kinds of processor round alike. */

typedef struct network_operator {
    emi_problem *p;
    emi_block without;  /* (d, n) vectors that are left out; the same number of them everywhere               */
    emi_field products; /* (d, 1) C_i x                                                                       */
    double *told;       /* [d + 2] x, and 1; at the end, lambda_1, its doubt, anything, and 0                 */
    double *sum;        /* [d] to sum in, where nobody asks for the result                                    */
} network_operator;

/* x <- x - V (V' x), for the vectors V that are left out. */
static void leave_out(const network_operator *t, double *x)
{
    emi_block V = t->without, along = {V.cols, 1, t->sum}, v = {t->p->d, 1, x};
    for (int twice = 0; twice < 2 && V.cols > 0; twice++) {
        emi_mul_tn(1, V, v, 0, along);
        emi_mul(-1, V, along, 1, v);
    }
}

static em_status product_body(void *context, int i, int worker, em_error *err)
{
    network_operator *t = context;
    emi_block x = {t->p->d, 1, t->told};
    return t->p->C[i].kind->apply(&t->p->C[i], x, emi_at(&t->products, i), t->p->scratch[worker], err);
}

/* The mean of C_i x: `z` is set at the root. */
static em_status multiply(network_operator *t, double *z, em_error *err)
{
    emi_question_ask(t->p->mesh, (emi_block){t->p->d, 1, t->told});
    em_status status = emi_problem_status(t->p, err);
    if (status != EM_OK) return status;
    status = emi_problem_for_nodes(t->p, emi_problem_product_cost(t->p, 1), product_body, t, err);
    if (status != EM_OK) return status;
    emi_tree_average_at_root(t->p->mesh, &t->products, z);
    return emi_problem_status(t->p, err);
}

/* From the root to all others: is there another product to make? */
static em_status tell(network_operator *t, int another, em_error *err)
{
    t->told[t->p->d + 1] = another;
    emi_tree_give(t->p->mesh, t->told, (size_t)t->p->d + 2);
    return emi_problem_status(t->p, err);
}

static em_status apply_over_network(void *context, const double *v, double *z, em_error *err)
{
    network_operator *t = context;
    memcpy(t->told, v, sizeof *v * (size_t)t->p->d);
    leave_out(t, t->told);
    double length = emi_norm(t->p->d, t->told);
    memset(z, 0, sizeof *z * (size_t)t->p->d);
    if (length == 0) return EM_OK;
    cblas_dscal(t->p->d, 1 / length, t->told, 1); /* who is asked sees to it that the vector is a unit one */
    em_status status = tell(t, 1, err);
    if (status == EM_OK) status = multiply(t, z, err);
    if (status != EM_OK) return status;
    cblas_dscal(t->p->d, length, z, 1);
    leave_out(t, z);
    return EM_OK;
}

static em_status lead(network_operator *t, double tolerance, em_error *err)
{
    double value = 0, doubt = 0;
    em_status status = emi_largest_eigenvalue(apply_over_network, t, t->p->d, tolerance, &value, &doubt, err);
    t->told[0] = value;
    t->told[1] = doubt;
    return status ? status : tell(t, 0, err);
}

static em_status follow(network_operator *t, em_error *err)
{
    em_status status = EM_OK;
    for (;;) {
        TRY(tell(t, 0, err)); /* that is, hear */
        if (t->told[t->p->d + 1] == 0) break;
        TRY(multiply(t, t->sum, err));
    }
done:
    return status;
}

em_status emi_problem_top_eigenvalue(emi_problem *p, emi_block without, double tolerance, double *value, double *beyond,
                                     em_error *err)
{
    em_status status = EM_OK;
    network_operator whole = {.p = p, .without = without};
    whole.told = emi_calloc((size_t)p->d + 2, sizeof *whole.told);
    whole.sum = emi_doubles((size_t)p->d);
    if (!whole.told || !whole.sum) TRY(emi_fail_memory(err, "largest eigenvalue"));
    TRY(emi_field_alloc(&whole.products, p->mesh->hosted, p->d, 1, err));
    TRY(emi_mesh_has_root(p->mesh) ? lead(&whole, tolerance, err) : follow(&whole, err));
    *value = whole.told[0];
    *beyond = whole.told[1];
done:
    emi_field_free(&whole.products);
    emi_free(whole.sum);
    emi_free(whole.told);
    return status;
}
