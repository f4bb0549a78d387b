#include "data/directions.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/block.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

size_t emi_directions_room(int most)
{
    return 2 * (size_t)most + 2;
}

em_status emi_directions_new(emi_directions **out, int d, int most, em_error *err)
{
    size_t size;
    emi_directions *s = emi_calloc(1, sizeof *s);
    if (!s) return emi_fail_memory(err, "sketch");
    *s = (emi_directions){.d = d, .most = most, .squares = emi_calloc((size_t)d, sizeof *s->squares)};
    if (!emi_size_overflows(emi_directions_room(most), (size_t)d, &size)) s->rows = emi_doubles(size);
    *out = s;
    return s->rows && s->squares ? EM_OK : emi_fail_memory_try(err, "sketch", "fewer directions");
}

void emi_directions_free(emi_directions **handle)
{
    if (!*handle) return;
    emi_free((*handle)->rows);
    emi_free((*handle)->squares);
    emi_free(*handle);
    *handle = NULL;
}

/* The rows' products with each other; their eigenvectors turn the rows into orthogonal ones.  B'B stays as it is by however little
 * these are off, as long as they are orthonormal. */
static em_status find_turn(const emi_directions *s, double *values, double *vectors, em_error *err)
{
    int n = s->held, d = s->d;
    double *gram = emi_doubles((size_t)n * (size_t)n);
    if (!gram) return emi_fail_memory_try(err, "sketch", "fewer directions");
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, d, 1, s->rows, d, s->rows, d, 0, gram, n);
    em_status status = emi_top_eigen(gram, n, n, values, vectors, err);
    emi_free(gram);
    return status;
}

/* Take the same off the squares of all lengths; how many have something left. */
static int shrink(emi_directions *s, const double *values, double *vectors)
{
    int n = s->held, kept = 0;
    double less = n > s->most ? fmax(0, values[s->most]) : 0;
    for (; kept < n && kept < s->most; kept++) {
        double share = values[kept] > less ? 1 - less / values[kept] : 0;
        if (share <= 0) break;
        cblas_dscal(n, sqrt(share), vectors + (size_t)kept * (size_t)n, 1);
    }
    s->shed += less;
    return kept;
}

enum { AT_ONCE = 4096 }; /* features, so that rows are turned where they lie */

static void turn_rows(emi_directions *s, const double *vectors, int kept, double *room)
{
    for (int f = 0; f < s->d; f += AT_ONCE) {
        int now = s->d - f < AT_ONCE ? s->d - f : AT_ONCE;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, now, kept, s->held, 1, s->rows + f, s->d, vectors,
                    s->held, 0, room, now);
        for (int r = 0; r < kept; r++)
            memcpy(s->rows + (size_t)r * (size_t)s->d + f, room + (size_t)r * (size_t)now, sizeof *room * (size_t)now);
    }
    s->held = kept;
}

em_status emi_directions_turn(emi_directions *s, em_error *err)
{
    if (s->held == 0) return EM_OK;
    size_t n = (size_t)s->held, at_once = s->d < AT_ONCE ? (size_t)s->d : AT_ONCE;
    double *values = emi_doubles(n), *vectors = emi_doubles(n * n), *room = emi_doubles(n * at_once);
    em_status status = values && vectors && room ? EM_OK : emi_fail_memory_try(err, "sketch", "fewer directions");
    emi_blas_claim(1);
    if (status == EM_OK) status = find_turn(s, values, vectors, err);
    if (status == EM_OK) turn_rows(s, vectors, shrink(s, values, vectors), room);
    emi_blas_release(1);
    emi_free(room);
    emi_free(vectors);
    emi_free(values);
    return status;
}

em_status emi_directions_make_room(emi_directions *s, size_t more, em_error *err)
{
    return (size_t)s->held + more > emi_directions_room(s->most) ? emi_directions_turn(s, err) : EM_OK;
}

void emi_directions_add(emi_directions *s, const double *rows, size_t count)
{
    size_t d = (size_t)s->d;
    memcpy(s->rows + (size_t)s->held * d, rows, sizeof *rows * count * d);
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++) s->squares[f] += rows[r * d + f] * rows[r * d + f];
    s->held += (int)count;
}

/* A copy, turned. */
static em_status turned_copy(const emi_directions *from, emi_directions **out, em_error *err)
{
    em_status status = emi_directions_new(out, from->d, from->most, err);
    if (status != EM_OK) return status;
    memcpy((*out)->rows, from->rows, sizeof *from->rows * (size_t)from->held * (size_t)from->d);
    memcpy((*out)->squares, from->squares, sizeof *from->squares * (size_t)from->d);
    (*out)->held = from->held;
    (*out)->shed = from->shed;
    return emi_directions_turn(*out, err);
}

em_status emi_directions_merge(emi_directions *s, const emi_directions *more, em_error *err)
{
    em_status status = EM_OK;
    emi_directions *copy = NULL;
    size_t d = (size_t)s->d;
    if (more->held > more->most) TRY(turned_copy(more, &copy, err));
    if (copy) more = copy;
    TRY(emi_directions_make_room(s, (size_t)more->held + 1, err)); /* nothing can fail from here on */
    memcpy(s->rows + (size_t)s->held * d, more->rows, sizeof *s->rows * (size_t)more->held * d);
    s->held += more->held;
    s->shed += more->shed;
    for (size_t f = 0; f < d; f++) s->squares[f] += more->squares[f];
done:
    emi_directions_free(&copy);
    return status;
}

void emi_directions_weigh(emi_directions *s, double factor)
{
    cblas_dscal(s->d, factor, s->squares, 1);
    for (int r = 0; r < s->held; r++) cblas_dscal(s->d, sqrt(factor), s->rows + (size_t)r * (size_t)s->d, 1);
    s->shed *= factor;
}
