#include "linalg/outer.h"

#include "base/wide.h"

#include <cblas.h>

enum {
    MOST_TILE = 256,  /* a tile in double, and one in single precision, stay in the cache  */
    LARGE_TILE = 512, /* vectors are packed less often                                     */
    LEAST_TILE = 48,
    FEWEST = 4,          /* tiles along a side, for threads to share                          */
    SINGLE_VECTORS = 32, /* in one product in single precision; longer sums would lose digits       */
    SINGLE_SUMS = 8,     /* of those, before they go to a sum in double                             */
    MIRROR_TILE = 32
};

void emi_mirror(double *A, int n)
{
    for (int right = 0; right < n; right += MIRROR_TILE)
        for (int down = 0; down <= right; down += MIRROR_TILE) /* tile by tile: both sides stay in the cache */
            for (int j = right; j < n && j < right + MIRROR_TILE; j++)
                for (int i = down; i < j && i < down + MIRROR_TILE; i++)
                    A[(size_t)i * (size_t)n + (size_t)j] = A[(size_t)j * (size_t)n + (size_t)i];
}

size_t emi_outer_needs(int large)
{
    return large ? (size_t)LARGE_TILE * LARGE_TILE / 2 : (size_t)MOST_TILE * MOST_TILE; /* floats, or doubles */
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

typedef struct task {
    const emi_outer *o;
    const void *v;
    int count, tile;
    const emi_scratch *scratch;
    size_t from;
} task;

/* Rows i .. and columns j .. of C. */
typedef struct tile {
    int i, rows, j, columns;
} tile;

/* Tiles on the diagonal are made by a symmetric product: of the others' work, half. */
static void add_double(const task *t, tile at)
{
    const emi_outer *o = t->o;
    size_t step = o->across ? (size_t)t->count : 1;
    int lead = o->across ? t->count : o->n;
    CBLAS_TRANSPOSE left = o->across ? CblasTrans : CblasNoTrans, right = o->across ? CblasNoTrans : CblasTrans;
    const double *v = (const double *)t->v + (size_t)at.i * step, *w = (const double *)t->v + (size_t)at.j * step;
    double *to = o->C + (size_t)at.j * (size_t)o->n + (size_t)at.i;
    if (at.i == at.j)
        cblas_dsyrk(CblasColMajor, CblasUpper, left, at.rows, t->count, o->weight, v, lead, 1, to, o->n);
    else
        cblas_dgemm(CblasColMajor, left, right, at.rows, at.columns, t->count, o->weight, v, lead, w, lead, 1, to,
                    o->n);
}

EMI_WIDE static void move_column(double *restrict to, const float *restrict from, double weight, int count)
{
    for (int r = 0; r < count; r++) to[r] += weight * (double)from[r];
}

EMI_WIDE static void move_column_and_more(double *restrict to, const float *restrict from, double weight, int count,
                                          const double *restrict more, double factor)
{
    for (int r = 0; r < count; r++) to[r] += weight * (double)from[r] + more[r] * factor;
}

/* C is larger than the cache: one pass takes both the sums and what there is in double. */
static void move_to_double(const emi_outer *o, tile at, const float *sum, const double *more)
{
    for (int c = 0; c < at.columns; c++) {
        double *to = o->C + (size_t)(at.j + c) * (size_t)o->n + (size_t)at.i;
        const float *from = sum + (size_t)c * (size_t)at.rows;
        int count = at.i == at.j ? c + 1 : at.rows;
        if (more)
            move_column_and_more(to, from, o->weight, count, more + at.i, more[at.j + c]);
        else
            move_column(to, from, o->weight, count);
    }
}

/* `held` products are in `sum`, of which it keeps count; after it, there is one or more. */
static void add_single(const task *t, tile at, float *sum, int *held)
{
    const emi_outer *o = t->o;
    size_t step = o->across ? (size_t)t->count : 1, next = o->across ? 1 : (size_t)o->n;
    int lead = o->across ? t->count : o->n, rows = at.rows;
    CBLAS_TRANSPOSE left = o->across ? CblasTrans : CblasNoTrans, right = o->across ? CblasNoTrans : CblasTrans;
    int most = o->at_once ? o->at_once : SINGLE_VECTORS;
    for (int first = 0; first < t->count; first += most) {
        int count = smaller(most, t->count - first);
        const float *v = (const float *)t->v + (size_t)first * next, *w = v + (size_t)at.j * step;
        if (*held == SINGLE_SUMS) {
            move_to_double(o, at, sum, NULL);
            *held = 0;
        }
        float goes_on = (*held)++ > 0;
        v += (size_t)at.i * step;
        if (at.i == at.j)
            cblas_ssyrk(CblasColMajor, CblasUpper, left, rows, count, 1, v, lead, goes_on, sum, rows);
        else
            cblas_sgemm(CblasColMajor, left, right, rows, at.columns, count, 1, v, lead, w, lead, goes_on, sum, rows);
    }
}

static tile whole(const emi_outer *o)
{
    return (tile){.rows = o->n, .columns = o->n};
}

void emi_outer_add(emi_outer *o, const void *v, size_t count)
{
    task t = {.o = o, .v = v, .count = (int)count};
    if (o->real == EMI_DOUBLE)
        add_double(&t, whole(o));
    else
        add_single(&t, whole(o), o->sums, &o->held);
}

void emi_outer_end(emi_outer *o)
{
    if (o->held > 0) move_to_double(o, whole(o), o->sums, NULL);
    o->held = 0;
}

static em_status tile_body(void *context, int index, int worker, em_error *err)
{
    (void)err;
    const task *t = context;
    int j = 0, n = t->o->n;
    for (; index > j; j++) index -= j + 1; /* the upper triangle, column of tiles by column */
    tile at = {.i = index * t->tile, .j = j * t->tile};
    at.rows = smaller(t->tile, n - at.i);
    at.columns = smaller(t->tile, n - at.j);
    if (t->o->real == EMI_DOUBLE) {
        add_double(t, at);
        return EM_OK;
    }
    int held = 0;
    float *sum = (float *)(void *)(t->scratch[worker].v + t->from);
    add_single(t, at, sum, &held);
    if (held > 0) move_to_double(t->o, at, sum, t->o->more);
    return EM_OK;
}

em_status emi_outer_share(const emi_outer *o, const void *v, size_t count, emi_pool *pool, const emi_scratch *scratch,
                          size_t from, em_error *err)
{
    int most = o->large ? LARGE_TILE : MOST_TILE, side = (o->n + most - 1) / most;
    if (side < FEWEST && !o->large) side = smaller(FEWEST, (o->n + LEAST_TILE - 1) / LEAST_TILE);
    task t = {.o = o, .v = v, .count = (int)count, .scratch = scratch, .from = from};
    t.tile = (o->n + side - 1) / side;
    side = (o->n + t.tile - 1) / t.tile;
    int tiles = side * (side + 1) / 2;
    return emi_pool_run(pool, tiles, 2.0 * o->n * o->n * (double)count, tile_body, &t, err);
}
