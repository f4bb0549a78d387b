#include "methods/hidden.h"

#include "base/memory.h"

#include <math.h>

/* Z = (lambda - T)^-1 of these columns of the identity, without what lies along the first `found` eigenvectors. */
static void invert(const emi_ritz_space *r, int first, int found, double lambda, emi_block Z)
{
    for (int c = 0; c < Z.cols; c++) {
        double *z = emi_column_of(Z, c);
        for (int n = 0; n < r->size; n++) z[n] = 0;
        for (int i = found; i < r->size; i++) {
            const double *v = r->V + (size_t)i * (size_t)r->size;
            double part = v[first + c] / (lambda - r->theta[i]);
            for (int n = 0; n < r->size; n++) z[n] += part * v[n];
        }
    }
}

em_status emi_hidden_chance(const emi_ritz_space *r, int first, int count, int found, double lambda, double *chance,
                            em_error *err)
{
    static const double pi = 3.14159265358979323846;
    size_t d = (size_t)r->d, size = (size_t)r->size, n = (size_t)count;
    double *room = emi_doubles((d + 2 * size) * n);
    if (!room) return emi_fail_memory(err, "krylov");
    emi_block left = {r->d, count, room}, Z = {r->size, count, room + d * n}, along = {r->size, count, Z.v + size * n},
              B = emi_ritz_columns(r, r->B, 0, r->size), A = emi_ritz_columns(r, r->A, 0, r->size);
    invert(r, first, found, lambda, Z);
    emi_mul(1, A, Z, 0, left);
    emi_mul_tn(1, B, left, 0, along);
    emi_mul(-1, B, along, 1, left);
    *chance = 1;
    for (int c = 0; c < count; c++)
        *chance *= fmin(1, emi_norm(r->d, emi_column_of(left, c)) * sqrt(2 * (r->d - first) / pi));
    emi_free(room);
    return EM_OK;
}
