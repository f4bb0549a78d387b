#include "node_page.h"
#include "report.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/study.h"

#include <string.h>

typedef struct site_page {
    emi_study *study;
    em_graph *graph;
    const char **names;
    uint64_t *rows;
    em_page_link *links;
} site_page;

/* Who takes part; of rows a site knows its own. */
static em_status describe_sites(site_page *s, em_page *page, const node_end *end, const em_data *data, em_error *err)
{
    em_status status = EM_OK;
    size_t sites = (size_t)s->study->site_count;
    TRY(emi_study_graph(s->study, &s->graph, err));
    s->names = emi_calloc(sites, sizeof *s->names);
    s->rows = emi_calloc(sites, sizeof *s->rows);
    if (!s->names || !s->rows) TRY(emi_fail_memory(err, "--report"));
    for (size_t n = 0; n < sites; n++) {
        s->names[n] = s->study->sites[n].name;
        if (strcmp(s->names[n], end->report->name) != 0) continue;
        page->own_node = (int)n + 1;
        s->rows[n] = em_data_rows(data);
    }
    page->graph = s->graph;
    page->node_names = s->names;
    page->node_rows = s->rows;
    page->options = s->study->options;
    page->masked = s->study->masks;
    page->processes = end->report->site_count;
done:
    return status;
}

static em_status describe_links(site_page *s, em_page *page, const em_site_report *report, em_error *err)
{
    s->links = emi_calloc((size_t)report->link_count + 1, sizeof *s->links);
    if (!s->links) return emi_fail_memory(err, "--report");
    for (int n = 0; n < report->link_count; n++) {
        const em_site_link *l = &report->links[n];
        if (!l->is_neighbour) continue;
        s->links[page->link_count++] =
            (em_page_link){l->name, l->bytes_sent, l->bytes_received, l->downs, l->seconds_waited};
    }
    page->links = s->links;
    return EM_OK;
}

static void state_facts(page_notes *notes, const emi_study *study, const em_site_report *r)
{
    page_fact(notes, "All sites", "each types its own command, with --again: one alone does not do it again");
    page_fact(notes, "Study", "%s", study->name);
    page_fact(notes, "Fingerprint", "%s", r->fingerprint);
    page_fact(notes, "Site", "%s, one of %d", r->name, r->site_count);
    page_fact(notes, "Masks", "%s", r->masked ? "yes" : "no");
    if (report_tells_device(r->device, r->device_why)) page_fact(notes, "Device", "%s: %s", r->device, r->device_why);
    if (r->runs > 1) page_fact(notes, "Runs", "%d: a site came back", r->runs);
    if (r->masked && r->columns_answered)
        page_fact(notes, "Columns answered", "%llu of %llu, of the covariance of all rows",
                  (unsigned long long)(r->columns_answered < r->columns ? r->columns_answered : r->columns),
                  (unsigned long long)r->columns);
}

em_status node_page_write(FILE *stream, page_notes *notes, const arguments *args, const node_end *end,
                          const em_data *data, em_error *err)
{
    em_status status = EM_OK;
    site_page s = {0};
    em_page *page = &notes->page;
    TRY(emi_study_open(&s.study, args->operands[0], err));
    state_facts(notes, s.study, end->report);
    if (!args_given(args, "again")) notes->more = "--again"; /* without it a study that is finished stays so */
    TRY(page_describe(notes, args, end->model, end->input, err));
    page->subject = s.study->name;
    TRY(describe_sites(&s, page, end, data, err));
    TRY(describe_links(&s, page, end->report, err));
    page->label = args_text(args, "label");
    if (page_has_rows(args)) page->tables = &data, page->table_count = 1;
    TRY(em_page_write(page, stream, err));
done:
    emi_free(s.links);
    emi_free(s.rows);
    emi_free(s.names);
    em_graph_free(&s.graph);
    emi_study_close(&s.study);
    return status;
}
