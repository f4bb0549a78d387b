#include "linalg/tridiagonal.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

em_status emi_tridiagonal_append(emi_tridiagonal *T, double diagonal, double beside, em_error *err)
{
    if (T->rows == T->room) {
        int room = T->room ? 2 * T->room : 64;
        double *more = emi_realloc(T->diagonal, (size_t)room * sizeof *more);
        if (more) T->diagonal = more;
        double *links = emi_realloc(T->beside, (size_t)room * sizeof *links);
        if (links) T->beside = links;
        if (!more || !links) return emi_fail_memory(err, "Lanczos");
        T->room = room;
    }
    T->diagonal[T->rows] = diagonal;
    T->beside[T->rows] = T->rows ? beside : 0;
    T->rows++;
    return EM_OK;
}

void emi_tridiagonal_free(emi_tridiagonal *T)
{
    emi_free(T->diagonal);
    emi_free(T->beside);
    *T = (emi_tridiagonal){0};
}

/* Is sign T - x positive definite, that is, x below all eigenvalues?  By the pivots of elimination (Parlett, The Symmetric
 * Eigenvalue Problem, 3.3). */
static int is_below(const emi_tridiagonal *T, int rows, double sign, double x)
{
    double pivot = 1;
    for (int i = 0; i < rows; i++) {
        pivot = sign * T->diagonal[i] - x - T->beside[i] * (T->beside[i] / pivot);
        if (!(pivot > 0)) return 0;
    }
    return 1;
}

/* The smallest eigenvalue of sign T, which lies between these, by bisection. */
static double smallest(const emi_tridiagonal *T, int rows, double sign, double low, double high)
{
    double finest = DBL_EPSILON * fmax(fabs(low), fabs(high));
    while (high - low > finest) {
        double middle = low + (high - low) / 2;
        if (is_below(T, rows, sign, middle))
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

emi_ends emi_tridiagonal_ends(const emi_tridiagonal *T, int rows)
{
    double least = INFINITY, most = -INFINITY; /* of Gershgorin's discs */
    for (int i = 0; i < rows; i++) {
        double reach = fabs(T->beside[i]) + (i + 1 < rows ? fabs(T->beside[i + 1]) : 0);
        least = fmin(least, T->diagonal[i] - reach);
        most = fmax(most, T->diagonal[i] + reach);
    }
    return (emi_ends){smallest(T, rows, 1, least, most), -smallest(T, rows, -1, -most, -least)};
}
