#include "study_cost.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <eigenmesh/net.h>

#include <stdio.h>
#include <string.h>

/* Rows of all sites over one piece of memory, each a number further than the one before: a plan reads none of them. */
static em_status pretend_rows(em_data **out, double **memory, int features, em_error *err)
{
    size_t width = (size_t)features, rows = width + 1000; /* more than columns, as a rule */
    *memory = emi_calloc(width + rows, sizeof **memory);
    if (!*memory) return emi_fail_memory(err, "study");
    return em_data_from_array(out, *memory, EM_F64, rows, width, sizeof **memory, sizeof **memory, err);
}

static em_status plan_of(em_plan **plan, const emi_study *study, int features, em_error *err)
{
    em_status status = EM_OK;
    const em_data *tables[EMI_SITES_MOST];
    em_data *rows = NULL;
    double *memory = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    TRY(pretend_rows(&rows, &memory, features, err));
    for (int n = 0; n < study->site_count; n++) tables[n] = rows;
    TRY(em_shards_of(&shards, tables, study->site_count, err));
    TRY(emi_study_graph(study, &graph, err));
    TRY(em_mesh_open(&mesh, "local", graph, 1, err));
    if (study->masks) TRY(em_mesh_simulate_masks(mesh, 0, err));
    TRY(em_plan_make(plan, study->options, mesh, shards, err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&rows);
    emi_free(memory);
    return status;
}

static size_t links_of(const emi_study *study)
{
    size_t count = 0;
    for (size_t n = 0; n < study->edge_count; n++)
        count += (size_t)emi_study_uses(study, study->edges[n].a, study->edges[n].b);
    return count;
}

/* Columns of C that the root holds: krylov's basis has room for 16 blocks (src/methods/lanczos.h); covariance, all of C. */
static int columns_at_root(const em_plan *plan)
{
    enum { BLOCKS = 16 };
    if (strcmp(plan->method, "covariance") == 0) return plan->features;
    if (strcmp(plan->method, "krylov") != 0) return 0;
    return plan->block > plan->features / BLOCKS ? plan->features : BLOCKS * plan->block;
}

/* Components that are asked for; 0: a fraction of the variance. */
static int components_of(const emi_study *study)
{
    char text[64];
    long components = 0;
    (void)em_options_get(study->options, "components", text, sizeof text);
    return emi_text_long(text, &components) == 0 ? (int)components : 0;
}

em_status study_cost_of(study_cost *out, const emi_study *study, int features, em_error *err)
{
    enum { SOME = 1000 };
    int components = components_of(study);
    em_plan *plan = NULL;
    *out = (study_cost){.features = features};
    if (features && features < components)
        return emi_fail(err, EM_EINVAL,
                        "%d columns have no %d components; try fewer components, or the data's own number", features,
                        components);
    em_status status = plan_of(&plan, study, features ? features : components > SOME ? components : SOME, err);
    if (status != EM_OK || !features) {
        em_plan_free(&plan);
        return status;
    }
    (void)snprintf(out->method, sizeof out->method, "%s", plan->method);
    out->block = plan->block;
    out->steps = plan->iterations;
    out->at_most = plan->at_most;
    out->wire_bits = plan->wire_bits;
    out->each_link = plan->bytes / (double)links_of(study);
    out->columns = columns_at_root(plan);
    out->at_root = 2.0 * features * out->columns * sizeof(double);
    em_plan_free(&plan);
    return EM_OK;
}
