/* Fast gossip: exactly the polynomials in W that it claims to be, against a dense eigensolve of W. */
#include "linalg/basis.h"
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/topologies.h"

#include <math.h>

enum { MOST = 12, ROWS = 5, COLS = 3, SIZE = ROWS * COLS };

/* A way to average, where W's eigenvalues are said to lie, and what it should make of one of them. */
typedef struct gossip {
    int fastmix;
    emi_chebyshev c; /* fastmix: beta is c.high */
} gossip;

/* Chebyshev's polynomial by its other definition, through the cosine. */
static double chebyshev(int t, double x)
{
    if (fabs(x) <= 1) return cos(t * acos(x));
    return (x < 0 && t % 2 ? -1 : 1) * cosh(t * acosh(fabs(x)));
}

static double chebyshev_response(const emi_chebyshev *c, double lambda)
{
    double mid = (c->low + c->high) / 2, half = (c->high - c->low) / 2;
    if (half <= 0) return pow((lambda - mid) / (1 - mid), c->rounds); /* what it tends to */
    double value = chebyshev(c->rounds, (lambda - mid) / half), at_one = chebyshev(c->rounds, (1 - mid) / half);
    return (value + c->lift) / (at_one + c->lift);
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

static double response(const gossip *way, double lambda)
{
    if (way->fastmix) return fastmix_response(way->c.rounds, way->c.high, lambda);
    return chebyshev_response(&way->c, lambda);
}

static double claimed(const gossip *way, double lambda)
{
    if (way->fastmix) return emi_fastmix_factor(way->c.rounds, way->c.high, lambda);
    return emi_chebyshev_factor(&way->c, lambda);
}

/* P = V diag(response) V' of W = V diag(lambda) V'. */
static void dense_polynomial(const em_mesh *mesh, const gossip *way, double *P)
{
    int M = mesh->hosted;
    double V[MOST * MOST], lambda[MOST];
    em_error err = {0};
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) V[j * M + i] = em_graph_weight(mesh->graph, i, j);
    assert_ok(emi_all_eigen(V, M, lambda, &err), &err);
    for (int k = 0; k < M; k++) assert_close(claimed(way, lambda[k]), response(way, lambda[k]), 1e-12);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            P[j * M + i] = 0;
            for (int k = 0; k < M; k++) P[j * M + i] += response(way, lambda[k]) * V[k * M + i] * V[k * M + j];
        }
}

static void compare(em_mesh *mesh, const gossip *way)
{
    int M = mesh->hosted;
    double P[MOST * MOST], start[MOST][SIZE];
    emi_field Z = {0}, before = {0}, work = {0}, first = {0}, *fields[] = {&Z, &before, &work, &first};
    em_error err = {0};
    for (int n = 0; n < 4; n++) assert_ok(emi_field_alloc(fields[n], M, ROWS, COLS, &err), &err);
    for (int i = 0; i < M; i++) {
        matrix_fill(start[i], SIZE, 10 + (uint64_t)i);
        for (int n = 0; n < SIZE; n++) emi_at(&Z, i).v[n] = start[i][n];
    }
    dense_polynomial(mesh, way, P);
    if (way->fastmix)
        emi_fastmix(mesh, way->c.rounds, way->c.high, &Z, &before, &work);
    else
        emi_chebyshev_mix(mesh, &way->c, &Z, &before, &work, &first);
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
        assert_close(mean, mean_was, 1e-14 * (1 + way->c.rounds));
    }
    for (int n = 0; n < 4; n++) emi_field_free(fields[n]);
}

/* With the beta of W, one too large, one too small, and none: the polynomial is what was asked for. */
static void polynomials(em_mesh *mesh, gossip way)
{
    const int rounds[] = {0, 1, 2, 3, 8, 25};
    double low = way.c.low;
    em_graph_info info = {.size = sizeof info};
    em_error err = {0};
    assert_ok(em_graph_measure(mesh->graph, &info, &err), &err);
    double exact = info.beta < 1e-10 ? 0 : info.beta;
    const double betas[] = {exact, (1 + exact) / 2, 0.9 * exact, 0};
    for (int b = 0; b < 4; b++)
        for (int r = 0; r < 6; r++) {
            way.c.rounds = betas[b] > 0 ? rounds[r] : rounds[r] > 0;
            way.c.high = betas[b];
            way.c.low = low * betas[b];
            compare(mesh, &way);
        }
}

static void chebyshev_on(em_mesh *mesh)
{
    polynomials(mesh, (gossip){.c = {.low = -1}});
    polynomials(mesh, (gossip){.c = {.low = -0.4}});
    polynomials(mesh, (gossip){.c = {.low = -0.9, .lift = 0.5}});
}

static void fastmix_on(em_mesh *mesh)
{
    polynomials(mesh, (gossip){.fastmix = 1, .c = {.low = -1}});
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
    em_graph_info info = {.size = sizeof info};
    em_error err = {0};
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    assert_ok(em_graph_measure(graph, &info, &err), &err);
    emi_field *fields[] = {&Z, &before, &work};
    for (int n = 0; n < 3; n++) assert_ok(emi_field_alloc(fields[n], NODES, 1, 1, &err), &err);
    for (int i = 0; i < NODES; i++) matrix_fill(emi_at(&Z, i).v, 1, (uint64_t)i);
    double at_first = disagreement(&Z, NODES);
    mesh->phase = EM_METHOD;
    emi_chebyshev_mix(mesh, &(emi_chebyshev){.rounds = ROUNDS, .low = -info.beta, .high = info.beta}, &Z, &before,
                      &work, NULL);
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
