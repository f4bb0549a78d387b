/* The paper's synthetic data as a table: in memory, or made whenever it is read. */
#include "lab/tables/generate.h"

#include "base/memory.h"
#include "data/strided.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

/* Up to here the basis is dense, as it always was: a seed keeps its table. */
enum { DENSE_FEATURES = 2000 };

static em_status check_request(size_t d, size_t N, size_t K, double gap, em_error *err)
{
    size_t total;
    if (d < 2 || d > INT_MAX / 2) return emi_fail(err, EM_EINVAL, "features: %zu of them; try 2 to %d", d, INT_MAX / 2);
    if (N < 1) return emi_fail(err, EM_EINVAL, "samples: %zu of them; try 1 or more", N);
    if (K < 1 || K >= d) return emi_fail(err, EM_EINVAL, "components: %zu of %zu features; try 1 to %zu", K, d, d - 1);
    if (!(gap > 0 && gap <= 1)) return emi_fail(err, EM_EINVAL, "gap: %g; try a ratio above 0, at most 1", gap);
    if (emi_size_overflows(d, N, &total) || total > PTRDIFF_MAX / sizeof(double))
        return emi_fail(err, EM_EINVAL, "samples: %zu of %zu features are more than a machine can count; try fewer", N,
                        d);
    return EM_OK;
}

/* ---- rows that are made when they are read -------------------------------------------------------------------- */

/* A block is made once for all the reads inside it, which may come from several threads. */
typedef struct generated {
    lab_gaussian gaussian;
    pthread_mutex_t lock;
    double *block;
    size_t held; /* the block's first row; SIZE_MAX: none yet */
} generated;

static em_status generated_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    (void)err;
    generated *g = data->state;
    size_t d = data->columns, taken;
    (void)pthread_mutex_lock(&g->lock);
    for (size_t end = first + count; first < end; first += taken, out += taken * d) {
        size_t begin = first - first % g->gaussian.at_once;
        if (g->held != begin) lab_gaussian_block(&g->gaussian, begin, g->block);
        g->held = begin;
        taken = begin + g->gaussian.at_once - first;
        if (taken > end - first) taken = end - first;
        memcpy(out, g->block + (first - begin) * d, taken * d * sizeof *out);
    }
    (void)pthread_mutex_unlock(&g->lock);
    return EM_OK;
}

static void generated_close(em_data *data)
{
    generated *g = data->state;
    if (!g) return;
    lab_gaussian_close(&g->gaussian);
    (void)pthread_mutex_destroy(&g->lock);
    emi_free(g->block);
    emi_free(g);
    data->state = NULL;
}

static const emi_source generated_source = {.read = generated_read, .close = generated_close};

em_status lab_generate_rows(em_data **out, size_t features, size_t samples, size_t components, double gap,
                            uint64_t seed, em_error *err)
{
    em_status status = EM_OK;
    lab_basis basis = features <= DENSE_FEATURES ? LAB_BASIS_DENSE : LAB_BASIS_WALK;
    em_data *data = NULL;
    *out = NULL;
    TRY(check_request(features, samples, components, gap, err));
    data = emi_calloc(1, sizeof *data);
    generated *g = emi_calloc(1, sizeof *g);
    if (!data || !g || !(data->name = emi_strdup("generated"))) {
        emi_free(g);
        TRY(emi_fail_memory_try(err, "generate", "fewer samples or features"));
    }
    (void)pthread_mutex_init(&g->lock, NULL);
    g->held = SIZE_MAX;
    data->state = g;
    data->source = &generated_source;
    data->format = "generated";
    data->type = EM_F64;
    data->rows = samples;
    data->columns = features;
    TRY(lab_gaussian_open(&g->gaussian, (int)features, samples, (int)components, gap, seed, basis, err));
    g->block = emi_doubles(g->gaussian.at_once * features);
    if (!g->block) TRY(emi_fail_memory_try(err, "generate", "fewer samples or features"));
    *out = data;
    data = NULL;
done:
    em_data_free(&data);
    return status;
}

/* ---- rows in memory ----------------------------------------------------------------------------------------------- */

em_status lab_generate(em_data **out, size_t features, size_t samples, size_t components, double gap, uint64_t seed,
                       em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    double *rows = NULL;
    *out = NULL;
    TRY(lab_generate_rows(&data, features, samples, components, gap, seed, err));
    rows = emi_doubles(features * samples);
    if (!rows) TRY(emi_fail_memory_try(err, "generate", "fewer samples or features"));
    TRY(em_data_read(data, 0, samples, rows, err));
    generated_close(data);
    emi_bytes held = {(unsigned char *)rows, features * samples * sizeof *rows, EMI_HELD};
    emi_layout layout = {.type = EM_F64,
                         .rows = samples,
                         .columns = features,
                         .row_stride = (ptrdiff_t)(features * sizeof *rows),
                         .column_stride = sizeof *rows};
    TRY(emi_strided_open(data, &held, &layout, err));
    rows = NULL;
    *out = data;
    data = NULL;
done:
    emi_free(rows);
    em_data_free(&data);
    return status;
}
