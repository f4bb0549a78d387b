#include "study_report.h"
#include "command.h"
#include "net/study_outline.h"
#include "print.h"

#include <stdio.h>
#include <string.h>

const char *study_address(const emi_site *site, char out[ADDRESS_ROOM])
{
    int bare = site->host && strchr(site->host, ':'); /* IPv6 */
    *out = 0;
    if (site->host) (void)snprintf(out, ADDRESS_ROOM, bare ? "[%s]:%d" : "%s:%d", site->host, site->port);
    return out;
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

static em_status print_sites(const emi_study *study, em_error *err)
{
    table t;
    table_begin(&t, 4);
    t.of_text = 1;
    table_text(&t, "site"), table_text(&t, "name"), table_text(&t, "parent"), table_text(&t, "id");
    for (int n = 0; n < study->site_count; n++) {
        const emi_site *site = &study->sites[n];
        char id[EMI_ID_TEXT];
        emi_id_write(site->id, id);
        table_cell(&t, "%d", n);
        table_text(&t, site->name);
        table_text(&t, site->parent < 0 ? "(root)" : study->sites[site->parent].name);
        table_text(&t, id);
    }
    return table_print(&t, err);
}

/* Who dials whom: what firewalls must let through. */
static em_status print_links(const emi_study *study, em_error *err)
{
    table t;
    table_begin(&t, 4);
    t.of_text = 1;
    (void)printf("\nLinks, TCP with TLS 1.3, for the firewalls:\n");
    table_text(&t, "from"), table_text(&t, "to"), table_text(&t, "address"), table_text(&t, "direction");
    for (size_t n = 0; n < study->edge_count; n++) {
        int a = study->edges[n].a, b = study->edges[n].b, from = emi_study_dials(study, a, b), to = from == a ? b : a;
        char address[ADDRESS_ROOM], direction[96];
        if (!emi_study_uses(study, a, b)) continue;
        (void)snprintf(direction, sizeof direction, "out at %s, in at %s", study->sites[from].name,
                       study->sites[to].name);
        table_text(&t, study->sites[from].name);
        table_text(&t, study->sites[to].name);
        table_text(&t, study_address(&study->sites[to], address));
        table_text(&t, direction);
    }
    em_status status = table_print(&t, err);
    for (size_t n = 0, shown = 0; status == EM_OK && n < study->edge_count; n++) {
        int a = study->edges[n].a, b = study->edges[n].b;
        if (emi_study_uses(study, a, b)) continue;
        (void)printf("%s%s - %s", shown++ ? ", " : "not needed: ", study->sites[a].name, study->sites[b].name);
    }
    if (study->edge_count > (size_t)study->site_count - 1 && !emi_study_mixes(study))
        (void)printf(" (the method uses the tree alone)\n");
    return status;
}

static em_status print_options(const emi_study *study, em_error *err)
{
    table t;
    em_options *fresh = NULL;
    em_status status = em_options_create(&fresh, err);
    if (status != EM_OK) return status;
    table_begin(&t, 2);
    t.of_text = 1;
    (void)printf("\nWhat is asked:\n");
    for (int i = 0; em_option(i); i++) {
        const char *name = em_option(i)->name;
        char value[64], preset[64];
        if (!emi_study_takes(name)) continue;
        (void)em_options_get(study->options, name, value, sizeof value);
        (void)em_options_get(fresh, name, preset, sizeof preset);
        table_text(&t, name);
        table_cell(&t, "%s%s", value, strcmp(value, preset) == 0 ? " (default)" : "");
    }
    table_text(&t, "masks"), table_text(&t, study->masks ? "yes" : "no");
    if (study->follow) table_text(&t, "follow"), table_text(&t, "yes");
    em_options_free(&fresh);
    return table_print(&t, err);
}

static void print_learnt(const emi_study *study)
{
    char seen[SEEN_ROOM];
    (void)putchar('\n');
    study_print_learnt(study);
    for (int n = 0; n < study->site_count; n++)
        if (*study_seen(study, n, seen)) (void)printf("%s sees %s\n", study->sites[n].name, seen);
}

static void print_cost(const study_cost *c)
{
    const double MB = 1e6, slow = 4e6 / 8; /* a line of 4 Mbit/s, as many have it upwards */
    char time[DURATION_ROOM];
    (void)printf("\nWith %d columns, by %s:\n", c->features, c->method);
    (void)printf("each link       %s %.3g MB both ways together, in %ld step%s: %s at 4 Mbit/s\n",
                 c->at_most ? "at most" : "about", c->each_link / MB, c->steps, c->steps == 1 ? "" : "s",
                 duration_text(c->each_link / slow, time));
    if (c->columns)
        (void)printf("root's memory   %.3g MB beside its rows: 2 x %d x %d numbers\n", c->at_root / MB, c->features,
                     c->columns);
}

em_status study_print(const emi_study *study, const study_cost *cost, em_error *err)
{
    (void)printf("study         %s\n", study->name);
    (void)printf("fingerprint   %s\n", study->fingerprint);
    (void)printf("              Each site reads it to each other one on the telephone: the file\n"
                 "              alone vouches for nobody, since whoever wrote it may have given\n"
                 "              each site another one.\n");
    (void)printf("root          %s, the first of the file: it asks, and adds up what all answer\n\n",
                 study->sites[0].name);
    em_status status = print_sites(study, err);
    if (status == EM_OK) status = print_links(study, err);
    if (status == EM_OK) status = print_options(study, err);
    if (status != EM_OK) return status;
    print_learnt(study);
    if (cost->features) print_cost(cost);
    return EM_OK;
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

static void json_sites(json *j, const emi_study *study)
{
    json_open(j, "sites", '[');
    for (int n = 0; n < study->site_count; n++) {
        const emi_site *site = &study->sites[n];
        char id[EMI_ID_TEXT], address[ADDRESS_ROOM], seen[SEEN_ROOM];
        emi_id_write(site->id, id);
        json_open(j, NULL, '{');
        json_whole(j, "site", (uint64_t)n);
        json_text(j, "name", site->name);
        json_text(j, "id", id);
        json_text(j, "address", site->host ? study_address(site, address) : NULL);
        json_text(j, "parent", site->parent < 0 ? NULL : study->sites[site->parent].name);
        json_whole(j, "depth", (uint64_t)site->depth);
        json_text(j, "sees", study_seen(study, n, seen));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_edges(json *j, const emi_study *study, const char *key, int used)
{
    json_open(j, key, '[');
    for (size_t n = 0; n < study->edge_count; n++) {
        int a = study->edges[n].a, b = study->edges[n].b, from = emi_study_dials(study, a, b), to = from == a ? b : a;
        char address[ADDRESS_ROOM];
        if (emi_study_uses(study, a, b) != used) continue;
        json_open(j, NULL, '{');
        json_text(j, "from", study->sites[from].name);
        json_text(j, "to", study->sites[to].name);
        json_text(j, "address", study->sites[to].host ? study_address(&study->sites[to], address) : NULL);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_options(json *j, const emi_study *study)
{
    json_open(j, "options", '{');
    for (int i = 0; em_option(i); i++) {
        char value[64];
        if (!emi_study_takes(em_option(i)->name)) continue;
        (void)em_options_get(study->options, em_option(i)->name, value, sizeof value);
        json_text(j, em_option(i)->name, value);
    }
    json_close(j, '}');
}

static void json_learnt(json *j, const emi_study *study)
{
    const study_lesson *lesson;
    json_open(j, "learnt", '[');
    for (int n = 0; (lesson = study_learnt(study, n)); n++) {
        json_open(j, NULL, '{');
        json_text(j, "who", lesson->who);
        json_text(j, "what", lesson->what);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_cost(json *j, const study_cost *c)
{
    json_open(j, "cost", '{');
    json_whole(j, "features", (uint64_t)c->features);
    json_text(j, "method", c->method);
    json_whole(j, "block", (uint64_t)c->block);
    json_whole(j, "steps", (uint64_t)c->steps);
    json_flag(j, "at_most", c->at_most);
    json_whole(j, "wire_bits", (uint64_t)c->wire_bits);
    json_whole(j, "bytes_each_link", (uint64_t)c->each_link);
    json_whole(j, "root_memory", (uint64_t)c->at_root);
    json_close(j, '}');
}

void study_json(const emi_study *study, const study_cost *cost)
{
    json j;
    char digest[2 * EMI_SHA_BYTES + 1], *at = digest;
    for (int n = 0; n < EMI_SHA_BYTES; n++) at += snprintf(at, 3, "%02x", study->digest[n]);
    json_begin(&j);
    json_text(&j, "study", study->name);
    json_text(&j, "fingerprint", study->fingerprint);
    json_text(&j, "digest", digest);
    json_text(&j, "root", study->sites[0].name);
    json_flag(&j, "masks", study->masks);
    json_flag(&j, "follow", study->follow);
    json_sites(&j, study);
    json_edges(&j, study, "links", 1);
    json_edges(&j, study, "not_needed", 0);
    json_options(&j, study);
    json_learnt(&j, study);
    if (cost->features) json_cost(&j, cost);
    json_end(&j);
}
