#include "net/site_report.h"

#include "net/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static em_site_link *add_site(em_site_report *report, emi_hub *hub, const emi_study *study, int site)
{
    em_site_link *out = &report->links[report->link_count++];
    (void)snprintf(out->name, sizeof out->name, "%s", study->sites[site].name);
    out->seconds_waited = emi_hub_waited(hub, site);
    return out;
}

static void add_neighbours(em_site_report *report, emi_hub *hub, const emi_study *study)
{
    emi_hub_link *links = calloc((size_t)study->site_count, sizeof *links);
    int count = links ? emi_hub_links(hub, links, study->site_count) : 0;
    for (int n = 0; n < count; n++) {
        em_site_link *out = add_site(report, hub, study, links[n].peer);
        out->is_neighbour = 1;
        out->was_up = links[n].was_up;
        out->bytes_sent = links[n].bytes_sent;
        out->bytes_received = links[n].bytes_got;
        out->downs = links[n].downs;
        out->seconds_down = links[n].down_for;
    }
    free(links);
}

/* Those that were awaited behind a neighbour. */
static void add_others(em_site_report *report, emi_hub *hub, const emi_study *study, int own)
{
    static const double noticed = 0.05; /* seconds */
    for (int site = 0; site < study->site_count; site++)
        if (site != own && !emi_study_uses(study, site, own) && emi_hub_waited(hub, site) >= noticed)
            (void)add_site(report, hub, study, site);
}

void emi_report_hub(em_site_report *report, emi_hub *hub, const emi_study *study, int site)
{
    int awaited = emi_hub_lost_patience(hub);
    if (awaited >= 0) (void)snprintf(report->awaited, sizeof report->awaited, "%s", study->sites[awaited].name);
    report->ended_by_root = emi_hub_over(hub) == EMI_LEAVE_ROOT;
    report->links = calloc((size_t)study->site_count, sizeof *report->links);
    if (!report->links) return;
    add_neighbours(report, hub, study);
    add_others(report, hub, study, site);
}

void emi_report_state(em_site_report *report, const emi_state *state)
{
    char path[EMI_PATH_ROOM];
    (void)emi_policy_answered(state, &report->columns_answered);
    report->finished = emi_state_time(state, EMI_STATE_FINISHED);
    int has = report->finished && emi_state_has(state, EMI_STATE_MODEL);
    if (has && emi_state_path(state, EMI_STATE_MODEL, path, NULL) == EM_OK) report->model_file = strdup(path);
}

void em_site_report_free(em_site_report *report)
{
    free(report->links);
    free(report->model_file);
    *report = (em_site_report){0};
}
