/* The whole way from shards to a model. */
#include "fit/job.h"
#include "fit/same.h"

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

/* Twice as many as the time before, until they are enough: then no more than those. */
static em_status fit_fraction(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                              em_error *err)
{
    em_status status = EM_OK;
    em_options trial = *options;
    size_t rows = 0;
    for (int i = 0; i < shards->count; i++) rows += shards->shard[i].count;
    size_t most = rows < shards->columns ? rows : shards->columns;
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
    /* Several nodes are spread over the cores, each with a single-threaded BLAS; one node has them all. */
    int threads = emi_blas_threads(mesh->hosted == 1 ? emi_pool_size(mesh->pool) : 1);
    em_status status = emi_check_same(mesh, shards, options, err);
    if (status == EM_OK)
        status = options->variance > 0 ? fit_fraction(out, options, mesh, shards, err)
                                       : fit_components(out, options, mesh, shards, err);
    (void)emi_blas_threads(threads);
    status = emi_mesh_agree(mesh, status, err);
    if (status != EM_OK) em_model_free(out);
    return status;
}
