#include "fit_page.h"
#include "cluster.h"
#include "report.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* What each node holds, as far as this process knows; to be freed also after a failure. */
static em_status count_rows(const problem *p, uint64_t **rows, em_error *err)
{
    int here = em_shards_count(p->shards), first = here == p->nodes ? 0 : p->first;
    *rows = emi_calloc((size_t)p->nodes, sizeof **rows);
    if (!*rows) return emi_fail_memory(err, "--report");
    for (int node = 0; node < here; node++) (*rows)[first + node] = em_shards_rows(p->shards, node);
    return EM_OK;
}

/* Nodes that have a file each are called so, with its folder where two files are called alike; NULL: they have numbers. */
static const char **name_nodes(const problem *p)
{
    const arguments *args = p->args;
    const char **names =
        p->nodes > 1 && args->operand_count == p->nodes ? emi_calloc((size_t)p->nodes, sizeof *names) : NULL;
    int alike = 0;
    for (int i = 0; names && i < p->nodes; i++) {
        names[i] = page_without_folder(args->operands[i]);
        for (int j = 0; j < i; j++) alike |= strcmp(names[i], names[j]) == 0;
    }
    for (int i = 0; names && alike && i < p->nodes; i++) names[i] = args->operands[i];
    return names;
}

static void state_facts(page_notes *notes, const problem *p, const em_info *info)
{
    const char *average = args_value(p->args, "average");
    if (p->nodes > 1) page_fact(notes, "Weights", "%s", args_value(p->args, "weights"));
    if (strcmp(average, "tree") != 0) page_fact(notes, "Averages", "by %s, whatever the network", average);
    if (args_given(p->args, "masks")) page_fact(notes, "Masks", "simulated: their keys come from the seed");
    if (cluster_size() > 1) page_fact(notes, "Processes", "%d", cluster_size());
    if (report_tells_device(info->device, info->device_why))
        page_fact(notes, "Device", "%s: %s", info->device, info->device_why);
}

em_status fit_page_write(FILE *stream, page_notes *notes, const problem *p, const em_model *model, em_error *err)
{
    em_status status = EM_OK;
    em_page *page = &notes->page;
    uint64_t *rows = NULL;
    const char **names = name_nodes(p);
    state_facts(notes, p, em_model_info(model));
    TRY(count_rows(p, &rows, err));
    TRY(page_describe(notes, p->args, model, &p->reading, err));
    page->options = p->options;
    page->graph = p->graph;
    page->topology = p->topology;
    page->node_rows = rows;
    page->node_names = names;
    page->masked = args_given(p->args, "masks");
    page->processes = cluster_size();
    page->label = p->label;
    if (page_has_rows(p->args)) page->tables = (const em_data *const *)p->tables, page->table_count = p->table_count;
    TRY(em_page_write(page, stream, err));
done:
    emi_free(names);
    emi_free(rows);
    return status;
}
