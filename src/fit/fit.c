/* The whole way from shards to a model. */
#include "fit/job.h"
#include "fit/same.h"
#include "linalg/blas.h"

#include <string.h>

static em_status fit_components(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                                em_error *err)
{
    em_status status = EM_OK;
    emi_problem problem = {0};
    emi_truth truth = {0};
    emi_checkpoint checkpoint = {0};
    const emi_method *method = NULL;
    TRY(emi_options_method(options, mesh->graph->nodes, &method, err)); /* before any work */
    TRY(emi_checkpoint_open(&checkpoint, mesh, options, err));
    TRY(emi_problem_prepare(&problem, mesh, shards, options, emi_expected_products(options), err));
    TRY(emi_checkpoint_match(&checkpoint, &problem, options, err));
    TRY(emi_truth_find(&truth, &problem, options, err));
    TRY(emi_solve(out, &problem, &truth, options, &checkpoint, err));
done:
    emi_checkpoint_close(&checkpoint);
    emi_truth_free(&truth);
    emi_problem_free(&problem);
    return status;
}

/* ---- as many components as explain a fraction of the variance ---------------------------------------- */

/* Components that reach the fraction, or 0. */
static int enough(const em_model *model, double fraction)
{
    double sum = 0;
    for (int k = 0; k < model->K; k++) {
        sum += model->explained_variance_ratio[k];
        if (sum >= fraction * (1 - 1e-12)) return k + 1;
    }
    return 0;
}

/* Of all nodes, also where the shards are only those of this process. */
static em_status count_rows(em_mesh *mesh, const em_shards *shards, double *rows, em_error *err)
{
    em_status status = EM_OK;
    emi_field parts = {0};
    *rows = 0;
    for (int i = 0; i < shards->count; i++) *rows += (double)shards->shard[i].count;
    if (shards->count == mesh->graph->nodes) return EM_OK;
    TRY(emi_field_alloc(&parts, mesh->hosted, 1, 1, err));
    *emi_at(&parts, 0).v = *rows;
    mesh->phase = EMI_OBSERVING; /* between processes, not between nodes */
    emi_tree_sum(mesh, &parts, rows);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    TRY(mesh->failure.code);
done:
    emi_field_free(&parts);
    return status;
}

/* Twice as many as the time before, until they are enough: then no more than those. */
static em_status fit_fraction(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                              em_error *err)
{
    em_status status = EM_OK;
    em_options trial = *options;
    double rows = 0;
    TRY(count_rows(mesh, shards, &rows, err));
    size_t most = rows < (double)shards->columns ? (size_t)rows : shards->columns;
    for (size_t K = 8;; K *= 2) {
        trial.components = (int)(K < most ? K : most);
        em_model_free(out);
        TRY(fit_components(out, &trial, mesh, shards, err));
        int K_enough = enough(*out, options->variance);
        if (K_enough) emi_model_truncate(*out, K_enough);
        if (K_enough || K >= most) break;
    }
done:
    return status;
}

em_status em_fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    *out = NULL;
    mesh->failure = (em_error){0};
    memset(mesh->count, 0, sizeof mesh->count);
    mesh->count[EM_SETUP] = mesh->tree_count; /* the network had to find its tree first */
    /* Several nodes are spread over the cores, each with a single-threaded BLAS, also where a process hosts one of them: its
     * bits would depend on the number of threads.  A network of one node has all cores. */
    int threads = mesh->graph->nodes == 1 ? emi_pool_size(mesh->pool) : 1;
    emi_blas_claim(threads);
    em_status status = emi_check_same(mesh, shards, options, err);
    if (status == EM_OK)
        status = options->variance > 0 ? fit_fraction(out, options, mesh, shards, err)
                                       : fit_components(out, options, mesh, shards, err);
    emi_blas_release(threads);
    status = emi_mesh_agree(mesh, status, err);
    if (status != EM_OK) em_model_free(out);
    return status;
}
