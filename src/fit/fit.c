/* The whole way from shards to a model. */
#include "base/memory.h"
#include "fit/check.h"
#include "fit/run.h"
#include "linalg/blas.h"
#include "mesh/masking.h"
#include "mesh/question.h"

#include <string.h>

static em_status fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    em_status status = EM_OK;
    emi_problem problem = {0};
    emi_truth truth = {0};
    emi_checkpoint checkpoint = {0};
    emi_last last = {0};
    emi_fit_plan plan;
    const emi_method *named = NULL;
    TRY(emi_options_method(options, mesh->graph->nodes, &named, err)); /* before any work */
    TRY(emi_last_open(&last, options, shards, err));
    if (emi_mesh_is_masked(mesh)) TRY(emi_options_masked(options, named, err));
    const emi_wish wish = {options->checkpoint, options->checkpoint_every, options->resume,
                           emi_mesh_is_masked(mesh) || (named && named->traits & EMI_AT_ROOT)};
    TRY(emi_checkpoint_open(&checkpoint, mesh, &wish, err));
    TRY(emi_problem_open(&problem, mesh, shards, options, err));
    TRY(emi_checkpoint_match(&checkpoint, &problem, options, err));
    TRY(emi_device_choose(&problem, options, named, err));
    emi_fit_plan_make(&plan, &problem, named, options);
    TRY(emi_problem_complete(&problem, options, plan.products, plan.real, err));
    TRY(emi_last_check_scale(options, emi_scale_name(problem.scaling), err));
    TRY(emi_truth_find(&truth, &problem, options, err));
    TRY(emi_solve(out, &problem, &plan, &truth, &last, options, &checkpoint, err));
    if (!options->truth) { /* it was computed, if any */
        (*out)->exact_components = truth.vectors;
        truth.vectors = NULL;
    }
    TRY(emi_model_name_features(*out, (const char *const *)shards->shard[0].data->names, err));
done:
    emi_checkpoint_close(&checkpoint);
    emi_free(truth.vectors);
    emi_problem_free(&problem);
    emi_last_close(&last);
    return status;
}

static em_status plan_only(em_plan *out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                           em_error *err)
{
    em_status status = EM_OK;
    emi_problem problem = {0};
    emi_last last = {0};
    emi_fit_plan plan;
    const emi_method *named = NULL;
    TRY(emi_check_same(mesh, shards, options, err));
    TRY(emi_options_method(options, mesh->graph->nodes, &named, err));
    TRY(emi_last_open(&last, options, shards, err));
    if (emi_mesh_is_masked(mesh)) TRY(emi_options_masked(options, named, err));
    TRY(emi_problem_open(&problem, mesh, shards, options, err));
    TRY(emi_device_choose(&problem, options, named, err));
    emi_fit_plan_make(&plan, &problem, named, options);
    TRY(emi_fit_plan_tell(&plan, &problem, options, out, err));
done:
    emi_problem_free(&problem);
    emi_last_close(&last);
    return status;
}

em_status em_plan_make(em_plan **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    mesh->failure = (em_error){0};
    *out = emi_calloc(1, sizeof **out);
    em_status status = *out ? plan_only(*out, options, mesh, shards, err) : emi_fail_memory(err, "plan");
    status = emi_mesh_agree(mesh, status, err);
    if (status != EM_OK) em_plan_free(out);
    return status;
}

void em_plan_free(em_plan **plan)
{
    emi_free(*plan);
    *plan = NULL;
}

em_status em_fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    *out = NULL;
    mesh->failure = (em_error){0};
    emi_question_free(&mesh->question); /* of another fit, which may have failed before it answered */
    memset(mesh->count, 0, sizeof mesh->count);
    mesh->count[EM_SETUP] = mesh->tree_count; /* the network had to find its tree first */
    emi_blas_claim(1); /* the cores are ours to share out, so that bits do not depend on their number */
    em_status status = emi_check_same(mesh, shards, options, err);
    if (status == EM_OK) status = fit(out, options, mesh, shards, err);
    emi_blas_release(1);
    status = emi_mesh_agree(mesh, status, err);
    if (status != EM_OK) em_model_free(out);
    return status;
}

em_status em_checkpoint_remove(const em_options *options, const em_mesh *mesh, em_error *err)
{
    return options->checkpoint ? emi_checkpoint_remove(options->checkpoint, mesh, err) : EM_OK;
}
