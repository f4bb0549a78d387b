/* What the nodes find out about W together, none of them holding it.
 *
 * Power iterations, a few numbers a node, all in the same rounds: v <- v - W v finds lambda_min(W), as 1 minus the
 * largest eigenvalue of I - W; u <- W u, from a start whose mean is zero, finds beta, the largest |lambda| but for
 * lambda_1 = 1.  Both approach from below, within a few per cent after so many rounds: lambda_min comes out a little
 * too large, beta a little too small.  Sums over the network turn up only at the end. */
#include "base/random.h"
#include "mesh/mesh.h"

#include <math.h>

enum { STARTS = 2, LOW = 0, HIGH = STARTS, WIDTH = 2 * STARTS };

/* Rounds after which norms are noted.  u shrinks by beta a round, and what is left of it below rounding is mean again:
 * on a network that mixes fast an early note is the one to trust. */
static const int notes[] = {0, 3, 10, 30, 100};
enum { NOTES = sizeof notes / sizeof *notes, ROUNDS = 100 };

/* A node's share of the sums. */
typedef struct share {
    double square[STARTS], product[STARTS];             /* v'v and v'(v - Wv), at the last note */
    double before[NOTES][STARTS], after[NOTES][STARTS]; /* u'u and (Wu)'(Wu)                    */
} share;

enum { SHARE = sizeof(share) / sizeof(double) };

static em_status start(em_mesh *mesh, emi_field *v, em_error *err)
{
    em_status status = EM_OK;
    emi_field parts = {0};
    double mean[WIDTH];
    for (int i = 0; i < mesh->hosted; i++) {
        uint64_t node = (uint64_t)mesh->first + (uint64_t)i;
        emi_random random = emi_random_seed(node, EMI_STREAM_GRAPH);
        for (int s = 0; s < WIDTH; s++) emi_at(v, i).v[s] = emi_random_uniform(&random) - 0.5;
    }
    TRY(emi_field_alloc(&parts, mesh->hosted, WIDTH, 1, err));
    emi_field_copy(v, &parts);
    emi_tree_average(mesh, &parts, mean);
    for (int i = 0; i < mesh->hosted && !emi_mesh_failed(mesh); i++)
        for (int s = HIGH; s < WIDTH; s++) emi_at(v, i).v[s] -= mean[s];
done:
    emi_field_free(&parts);
    return status;
}

/* One round: z = (I - W) v for the low starts, W v for the high ones. */
static void apply(em_mesh *mesh, const emi_field *v, emi_field *z)
{
    emi_mix_begin(mesh, v);
    emi_mix_end(mesh, z);
    for (int i = 0; i < mesh->hosted; i++)
        for (int s = LOW; s < HIGH; s++) emi_at(z, i).v[s] = emi_at(v, i).v[s] - emi_at(z, i).v[s];
}

static void note(const em_mesh *mesh, int number, const emi_field *v, const emi_field *z, emi_field *shares)
{
    for (int i = 0; i < mesh->hosted; i++) {
        const double *x = emi_at(v, i).v, *y = emi_at(z, i).v;
        share *own = (share *)emi_at(shares, i).v;
        for (int s = 0; s < STARTS; s++) {
            own->square[s] = x[LOW + s] * x[LOW + s];
            own->product[s] = x[LOW + s] * y[LOW + s];
            own->before[number][s] = x[HIGH + s] * x[HIGH + s];
            own->after[number][s] = y[HIGH + s] * y[HIGH + s];
        }
    }
}

static double lowest_of(const share *sums)
{
    double largest = 0;
    for (int s = 0; s < STARTS; s++)
        if (sums->square[s] > 0) largest = fmax(largest, sums->product[s] / sums->square[s]);
    return 1 - largest;
}

/* The growth of a round, at the last note where u is still well above rounding. */
static double beta_of(const share *sums)
{
    double beta = 0;
    for (int s = 0; s < STARTS; s++) {
        double growth = 0;
        for (int n = 0; n < NOTES; n++)
            if (sums->before[n][s] > 1e-20 * sums->before[0][s]) growth = sqrt(sums->after[n][s] / sums->before[n][s]);
        beta = fmax(beta, growth);
    }
    return beta < 1e-10 ? 0 : beta;
}

em_status emi_mesh_spectrum(em_mesh *mesh, double *lowest, double *beta, em_error *err)
{
    em_status status = EM_OK;
    emi_field v = {0}, z = {0}, shares = {0};
    share sums = {0};
    *lowest = *beta = 0;
    if (mesh->graph->nodes == 1) return EM_OK;
    TRY(emi_field_alloc(&v, mesh->hosted, WIDTH, 1, err));
    TRY(emi_field_alloc(&z, mesh->hosted, WIDTH, 1, err));
    TRY(emi_field_alloc(&shares, mesh->hosted, SHARE, 1, err));
    TRY(start(mesh, &v, err));
    for (int round = 0, next = 0; round <= ROUNDS; round++) {
        apply(mesh, &v, &z);
        if (round == notes[next]) note(mesh, next++, &v, &z, &shares);
        emi_swap(&v, &z);
    }
    emi_tree_sum(mesh, &shares, (double *)&sums);
    *lowest = lowest_of(&sums);
    *beta = beta_of(&sums);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    status = mesh->failure.code;
done:
    emi_field_free(&shares);
    emi_field_free(&z);
    emi_field_free(&v);
    return status;
}
