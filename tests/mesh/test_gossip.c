/* Fast gossip: exactly the polynomials in W that it claims to be, against a dense eigensolve of W. */
#include "linalg/basis.h"
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/topologies.h"

#include <math.h>

enum { MOST = 12, ROWS = 5, COLS = 3, SIZE = ROWS * COLS };

typedef void gossip(em_mesh *mesh, int rounds, double beta, emi_field *Z, emi_field *before, emi_field *work);

/* What a polynomial makes of an eigenvalue. */
typedef double response(int rounds, double beta, double lambda);

/* Chebyshev's polynomial by its other definition, through the cosine. */
static double chebyshev(int t, double x)
{
    if (fabs(x) <= 1) return cos(t * acos(x));
    return (x < 0 && t % 2 ? -1 : 1) * cosh(t * acosh(fabs(x)));
}

static double chebyshev_response(int rounds, double beta, double lambda)
{
    if (rounds == 0) return 1;
    return beta > 0 ? chebyshev(rounds, lambda / beta) / chebyshev(rounds, 1 / beta) : lambda;
}

static double fastmix_response(int rounds, double beta, double lambda)
{
    double root = sqrt(1 - beta * beta), eta = (1 - root) / (1 + root), before = 1, now = 1;
    for (int t = 0; t < rounds; t++) {
        double next = (1 + eta) * lambda * now - eta * before;
        before = now, now = next;
    }
    return now;
}

/* P = V diag(response) V' of W = V diag(lambda) V'. */
static void dense_polynomial(const em_mesh *mesh, response *of, int rounds, double beta, double *P)
{
    int M = mesh->hosted;
    double V[MOST * MOST], lambda[MOST];
    em_error err = {0};
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) V[j * M + i] = em_graph_weight(mesh->graph, i, j);
    assert_ok(emi_all_eigen(V, M, lambda, &err), &err);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            P[j * M + i] = 0;
            for (int k = 0; k < M; k++) P[j * M + i] += of(rounds, beta, lambda[k]) * V[k * M + i] * V[k * M + j];
        }
}

static void compare(em_mesh *mesh, gossip *average, response *of, int rounds, double beta)
{
    int M = mesh->hosted;
    double P[MOST * MOST], start[MOST][SIZE];
    emi_field Z = {0}, before = {0}, work = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&Z, M, ROWS, COLS, &err), &err);
    assert_ok(emi_field_alloc(&before, M, ROWS, COLS, &err), &err);
    assert_ok(emi_field_alloc(&work, M, ROWS, COLS, &err), &err);
    for (int i = 0; i < M; i++) {
        matrix_fill(start[i], SIZE, 10 + (uint64_t)i);
        for (int n = 0; n < SIZE; n++) emi_at(&Z, i).v[n] = start[i][n];
    }
    dense_polynomial(mesh, of, rounds, beta, P);
    average(mesh, rounds, beta, &Z, &before, &work);
    assert_false(emi_mesh_failed(mesh));
    for (int n = 0; n < SIZE; n++) {
        double mean = 0, mean_was = 0;
        for (int i = 0; i < M; i++) {
            double wanted = 0;
            for (int j = 0; j < M; j++) wanted += P[j * M + i] * start[j][n];
            assert_close(emi_at(&Z, i).v[n], wanted, 1e-12);
            mean += emi_at(&Z, i).v[n] / M;
            mean_was += start[i][n] / M;
        }
        assert_close(mean, mean_was, 1e-14 * (1 + rounds));
    }
    emi_field_free(&work);
    emi_field_free(&before);
    emi_field_free(&Z);
}

/* With the beta of W, one too large, one too small, and none: the polynomial is what was asked for. */
static void polynomials(em_mesh *mesh, gossip *average, response *of)
{
    const int rounds[] = {0, 1, 2, 3, 8, 25};
    em_graph_info info;
    em_error err = {0};
    assert_ok(em_graph_measure(mesh->graph, &info, &err), &err);
    double exact = info.beta < 1e-10 ? 0 : info.beta;
    const double betas[] = {exact, (1 + exact) / 2, 0.9 * exact, 0};
    for (int b = 0; b < 4; b++)
        for (int r = 0; r < 6; r++) compare(mesh, average, of, betas[b] > 0 ? rounds[r] : rounds[r] > 0, betas[b]);
}

static void chebyshev_on(em_mesh *mesh)
{
    polynomials(mesh, emi_chebyshev, chebyshev_response);
}

static void fastmix_on(em_mesh *mesh)
{
    polynomials(mesh, emi_fastmix, fastmix_response);
}

static void chebyshev_gossip_is_its_polynomial(void **state)
{
    (void)state;
    on_every_topology(chebyshev_on);
}

static void fastmix_is_its_polynomial(void **state)
{
    (void)state;
    on_every_topology(fastmix_on);
}

static double disagreement(const emi_field *Z, int M)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < M; i++) mean += *emi_at(Z, i).v / M;
    for (int i = 0; i < M; i++) sum += pow(*emi_at(Z, i).v - mean, 2);
    return sqrt(sum);
}

/* What it is for: on a long cycle forty rounds do what plain mixing needs hundreds for, and cost forty. */
static void disagreement_shrinks_as_promised(void **state)
{
    (void)state;
    enum { NODES = 30, ROUNDS = 40 };
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    emi_field Z = {0}, before = {0}, work = {0};
    em_graph_info info;
    em_error err = {0};
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    assert_ok(em_graph_measure(graph, &info, &err), &err);
    emi_field *fields[] = {&Z, &before, &work};
    for (int n = 0; n < 3; n++) assert_ok(emi_field_alloc(fields[n], NODES, 1, 1, &err), &err);
    for (int i = 0; i < NODES; i++) matrix_fill(emi_at(&Z, i).v, 1, (uint64_t)i);
    double at_first = disagreement(&Z, NODES);
    mesh->phase = EM_METHOD;
    emi_chebyshev(mesh, ROUNDS, info.beta, &Z, &before, &work);
    double promised = 1 / chebyshev(ROUNDS, 1 / info.beta);
    assert_true(promised < 0.01 && pow(info.beta, ROUNDS) > 0.5);
    assert_true(disagreement(&Z, NODES) <= promised * at_first);
    assert_int_equal(mesh->count[EM_METHOD].rounds, ROUNDS);
    assert_int_equal(mesh->count[EM_METHOD].messages, 2 * NODES * ROUNDS);
    for (int n = 0; n < 3; n++) emi_field_free(fields[n]);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chebyshev_gossip_is_its_polynomial),
        cmocka_unit_test(fastmix_is_its_polynomial),
        cmocka_unit_test(disagreement_shrinks_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
