#include "study/setting.h"

#include <string.h>

em_status emi_setting_open(emi_setting *s, const em_graph *graph, int threads, const em_shards *shards,
                           const em_options *options, long steps, em_error *err)
{
    em_status status = EM_OK;
    *s = (emi_setting){0};
    if (!graph) TRY(em_graph_create(&s->own_graph, "complete", 1, 0, err));
    TRY(em_mesh_open(&s->mesh, NULL, graph ? graph : s->own_graph, threads, err));
    s->mesh->count[EM_SETUP] = s->mesh->tree_count;
    TRY(emi_problem_open(&s->problem, s->mesh, shards, options, err));
    TRY(emi_problem_complete(&s->problem, options, emi_fit_plan_is_dense(&s->problem, steps), err));
    memcpy(s->count, s->mesh->count, sizeof s->count);
done:
    return status;
}

em_status emi_setting_solve(emi_setting *s, const emi_truth *truth, const em_options *options, em_model **out,
                            em_error *err)
{
    emi_fit_plan plan;
    const emi_method *named = NULL;
    memcpy(s->mesh->count, s->count, sizeof s->count);
    em_status status = emi_options_method(options, s->mesh->graph->nodes, &named, err);
    if (status != EM_OK) return status;
    emi_fit_plan_make(&plan, &s->problem, named, options);
    status = emi_solve(out, &s->problem, &plan, truth, options, NULL, err);
    if (status != EM_OK) em_model_free(out);
    return status;
}

void emi_setting_close(emi_setting *s)
{
    if (s->mesh) emi_problem_free(&s->problem);
    em_mesh_close(&s->mesh);
    em_graph_free(&s->own_graph);
    *s = (emi_setting){0};
}
