#include "data/form.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/outer.h"

#include <string.h>

enum {
    SMALL = 1024,          /* each thread has a matrix of its own for its share of the vectors      */
    AT_ONCE = 64,          /* vectors that it reads, and then multiplies                            */
    SLICE = 64,            /* vectors of a large one that a thread reads at a time                  */
    SHARED_BYTES = 4 << 20 /* of vectors that all threads multiply, a tile of the matrix each       */
};

typedef struct forming {
    const emi_operator *C;
    const emi_vectors *v;
    const emi_helpers *helpers;
    char *shared;        /* the caller's scratch, for vectors that all multiply */
    size_t first, count; /* those that are there now */
} forming;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t at_once(int n)
{
    return n <= SMALL ? AT_ONCE : emi_rows_at_once(n, SHARED_BYTES);
}

/* The vectors; and beside them, for each thread, what reading takes and sums in single precision. */
static size_t for_vectors(int n)
{
    return at_once(n) * (size_t)n;
}

static size_t for_reading(int n, int d)
{
    return larger((n <= SMALL ? AT_ONCE : SLICE) * (size_t)n, (size_t)d);
}

size_t emi_form_needs(int n, int d)
{
    size_t sums = n <= SMALL ? (size_t)n * (size_t)n / 2 + 1 : emi_outer_needs(0);
    return for_vectors(n) + for_reading(n, d) + sums;
}

double emi_form_cost(double rows, int d)
{
    return rows * d * d;
}

double emi_form_memory(double n, int threads)
{
    return n <= SMALL ? threads * n * n : 0;
}

static emi_outer sum_in(const forming *t, double *matrix)
{
    return (emi_outer){.n = t->v->n, .C = matrix, .weight = t->C->weight, .real = t->C->real, .across = t->v->across};
}

/* ---- a small one: of some of the vectors ------------------------------------------------------------------------ */

static em_status form_part(void *context, size_t from, size_t count, double *sum, emi_scratch scratch, em_error *err)
{
    const forming *t = context;
    int n = t->v->n;
    double *vectors = scratch.v, *room = vectors + for_vectors(n), *sums = room + for_reading(n, t->C->d);
    emi_outer outer = sum_in(t, sum);
    outer.sums = (float *)(void *)sums;
    memset(sum, 0, sizeof *sum * (size_t)n * (size_t)n);
    for (size_t first = from, now; first < from + count; first += now) {
        now = smaller(at_once(n), from + count - first);
        em_status status = t->v->read(t->C, first, now, vectors, now, room, err);
        if (status != EM_OK) return status;
        emi_outer_add(&outer, vectors, now);
        if (!t->v->across) emi_shard_forget(t->C->shard, first, now);
    }
    emi_outer_end(&outer);
    return EM_OK;
}

static em_status form_small(forming *t, double *matrix, emi_scratch scratch, em_error *err)
{
    size_t n = (size_t)t->v->n;
    return emi_sum_parts((emi_extent){t->v->count, n}, matrix, n * n, form_part, t, t->helpers, scratch, err);
}

/* ---- a large one: tile by tile ------------------------------------------------------------------------------------- */

static em_status read_body(void *context, int index, int worker, em_error *err)
{
    const forming *t = context;
    size_t from = (size_t)index * SLICE, step = t->v->across ? 1 : (size_t)t->v->n;
    return t->v->read(t->C, t->first + from, smaller(SLICE, t->count - from),
                      t->shared + from * step * emi_real_size(t->C->real), t->count,
                      t->helpers->scratch[worker].v + for_vectors(t->v->n), err);
}

static em_status form_large(forming *t, double *matrix, em_error *err)
{
    em_status status = EM_OK;
    emi_outer outer = sum_in(t, matrix);
    size_t beside = for_vectors(t->v->n) + for_reading(t->v->n, t->C->d);
    const emi_helpers *h = t->helpers;
    for (; t->first < t->v->count; t->first += t->count) {
        t->count = smaller(at_once(t->v->n), t->v->count - t->first);
        int slices = (int)((t->count + SLICE - 1) / SLICE);
        TRY(emi_pool_run(h->pool, slices, (double)t->count * t->v->n, read_body, t, err));
        TRY(emi_outer_share(&outer, t->shared, t->count, h->pool, h->scratch, beside, err));
        if (!t->v->across) emi_shard_forget(t->C->shard, t->first, t->count);
    }
done:
    return status;
}

em_status emi_form(const emi_operator *C, const emi_vectors *v, double **out, emi_scratch scratch, em_error *err)
{
    size_t size;
    const emi_helpers alone = {NULL, &scratch};
    forming t = {.C = C, .v = v, .helpers = C->helpers ? C->helpers : &alone, .shared = (char *)scratch.v};
    double *matrix = emi_size_overflows((size_t)v->n, (size_t)v->n, &size) ? NULL : emi_doubles(size);
    if (!matrix) return emi_fail_memory_try(err, "covariance", "method=krylov");
    memset(matrix, 0, size * sizeof *matrix);
    emi_blas_claim(1);
    em_status status = v->n <= SMALL ? form_small(&t, matrix, scratch, err) : form_large(&t, matrix, err);
    emi_blas_release(1);
    if (status == EM_OK) {
        emi_mirror(matrix, v->n);
        *out = matrix;
    } else {
        emi_free(matrix);
    }
    return status;
}
