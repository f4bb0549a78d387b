/* What is told to people and to the log, and how often: nobody outside can fill a disk with it. */
#include "net/hub_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_SECONDS = 60 };

static int is_recent(double last, double now)
{
    return last != 0 && now - last < TOLD_SECONDS;
}

/* Of strangers, an address is told once a minute, and no more addresses than there is room for: whoever has a million of them is
 * not told a million times. */
static int is_stranger_told(emi_hub *hub, const char *from, double now)
{
    size_t oldest = 0, count = sizeof hub->refused / sizeof *hub->refused;
    for (size_t n = 0; n < count; n++) {
        if (strcmp(hub->refused[n].from, from) == 0 && is_recent(hub->refused[n].last, now)) return 1;
        if (hub->refused[n].last < hub->refused[oldest].last) oldest = n;
    }
    if (is_recent(hub->refused[oldest].last, now)) return 1;
    (void)snprintf(hub->refused[oldest].from, sizeof hub->refused[oldest].from, "%s", from);
    hub->refused[oldest].last = now;
    return 0;
}

static uint64_t digest_of(const char *words)
{
    uint64_t h = 14695981039346656037U; /* FNV */
    for (; words && *words; words++) h = (h ^ (unsigned char)*words) * 1099511628211U;
    return h;
}

/* What would come again with every call: refusals, studies that differ, and nobody answering (`from` is where), unless that is for
 * another reason than before: those calls are this node's own, and not many. */
static int is_told_already(emi_hub *hub, emi_news what, int site, const char *from, const char *why)
{
    double now = emi_hub_now();
    int unanswered = what == EMI_NEWS_DOWN && from;
    if (what != EMI_NEWS_REFUSED && what != EMI_NEWS_STUDY && !unanswered) return 0;
    if (site < 0) return from && is_stranger_told(hub, from, now);
    if (what == EMI_NEWS_STUDY) hub->told[site].last[EMI_NEWS_REFUSED] = now; /* which follows from it */
    int another = unanswered && hub->told[site].why != digest_of(why);
    if (!another && is_recent(hub->told[site].last[what], now)) return 1;
    hub->told[site].last[what] = now;
    if (unanswered) hub->told[site].why = digest_of(why);
    return 0;
}

/* A neighbour that comes and goes is told of at a pace: up and down together, or neither. */
static int is_hidden(emi_hub *hub, emi_news what, int site, const char *from)
{
    double now = emi_hub_now();
    if (site < 0) return 0;
    if (what != EMI_NEWS_UP)
        return hub->told[site].hidden && (what == EMI_NEWS_LEFT || (what == EMI_NEWS_DOWN && !from));
    hub->told[site].hidden = !emi_pace_allows(&hub->told[site].ups, now);
    if (hub->told[site].hidden) {
        hub->told[site].hidden_ups++;
        return 1;
    }
    emi_pace_take(&hub->told[site].ups, now);
    hub->told[site].last[EMI_NEWS_DOWN] = 0;
    return 0;
}

void emi_hub_tell_hidden(emi_hub *hub)
{
    double now = emi_hub_now();
    for (int n = 0; n < hub->node.config.links; n++) {
        int peer = hub->node.links[n].peer;
        if (!hub->node.links[n].up || !hub->told[peer].hidden || !emi_pace_allows(&hub->told[peer].ups, now)) continue;
        hub->told[peer].hidden_ups--; /* this one is told */
        emi_hub_tell(hub, EMI_NEWS_UP, peer, NULL, NULL);
    }
}

static void to_hex(const unsigned char *bytes, size_t count, char *out)
{
    for (size_t n = 0; n < count; n++) (void)snprintf(out + 2 * n, 3, "%02x", bytes[n]);
}

/* A line that is not there would make honest logs look cut: the run does not go on without it. */
void emi_hub_note_log(emi_hub *hub, em_status status, const em_error *err)
{
    if (status != EM_OK && hub->log_failure.code == EM_OK) hub->log_failure = *err;
}

static void write_line(emi_hub *hub, const char *what, const emi_field_of_line *fields, int count, int sign)
{
    em_error err = {0};
    emi_hub_note_log(hub, emi_audit_write(hub->options.audit, what, fields, count, sign, &err), &err);
}

static void log_up(emi_hub *hub, int peer)
{
    char instance[2 * EMI_INSTANCE_BYTES + 1];
    const emi_link *l = emi_node_link(&hub->node, peer);
    const emi_field_of_line fields[] = {{.name = "peer", .text = emi_hub_name(hub, peer)},
                                        {.name = "instance", .text = instance},
                                        {.name = "peer_audit", .digest = l->peer_audit},
                                        {.name = "own_audit", .digest = l->own_audit},
                                        {.name = "left_out", .number = &hub->told[peer].hidden_ups}};
    to_hex(l->instance, EMI_INSTANCE_BYTES, instance);
    write_line(hub, "up", fields, hub->told[peer].hidden_ups ? 5 : 4, 0);
}

static void log_start(emi_hub *hub)
{
    const emi_field_of_line fields[] = {{.name = "run", .digest = hub->node.run},
                                        {.name = "iteration", .number = &hub->node.iteration}};
    write_line(hub, "start", fields, 2, 1);
}

static void log_news(emi_hub *hub, emi_news what, int peer, const char *who, const char *why)
{
    int down = what == EMI_NEWS_DOWN || what == EMI_NEWS_LEFT;
    const char *name = down ? "peer" : peer >= 0 ? "site" : "address";
    const emi_field_of_line fields[] = {{.name = name, .text = who}, {.name = "why", .text = why ? why : ""}};
    if (!hub->options.audit) return;
    if (what == EMI_NEWS_UP)
        log_up(hub, peer);
    else if (what == EMI_NEWS_START)
        log_start(hub);
    else
        write_line(hub, down ? "down" : "refused", fields, 2, !down && peer >= 0);
}

/* ---- to people ------------------------------------------------------------------------------------------------------------- */

/* Kept until the lock is given up; where there is no memory for it, it is in the log. */
static void note(emi_hub *hub, emi_news what, const char *who, const char *why)
{
    size_t size = why ? strlen(why) + 1 : 1;
    emi_note *made = hub->options.news ? calloc(1, sizeof *made + size) : NULL;
    if (!made) return;
    made->what = what;
    made->has_why = why != NULL;
    (void)snprintf(made->who, sizeof made->who, "%s", who);
    if (why) memcpy(made->why, why, size);
    *hub->last_note = made;
    hub->last_note = &made->next;
}

static emi_note *next_note(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    emi_note *first = hub->notes;
    if (first) hub->notes = first->next;
    if (!hub->notes) hub->last_note = &hub->notes;
    (void)pthread_mutex_unlock(&hub->lock);
    return first;
}

void emi_hub_say(emi_hub *hub)
{
    if (pthread_mutex_trylock(&hub->voice) != 0) return; /* whoever has it says this too, or it is said the next time */
    for (emi_note *n = next_note(hub); n; n = next_note(hub)) {
        hub->options.news(hub->options.user, n->what, n->who, n->has_why ? n->why : NULL);
        free(n);
    }
    (void)pthread_mutex_unlock(&hub->voice);
}

void emi_hub_take_voice(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->voice);
}

void emi_hub_give_voice(emi_hub *hub)
{
    (void)pthread_mutex_unlock(&hub->voice);
}

/* ---- to both ---------------------------------------------------------------------------------------------------------------- */

void emi_hub_tell(emi_hub *hub, emi_news what, int peer, const char *from, const char *why)
{
    char cuts[64];
    const char *who = peer >= 0 ? emi_hub_name(hub, peer) : from ? from : "somebody";
    if (hub->node.finished && what != EMI_NEWS_UP) return; /* all go now */
    if (is_hidden(hub, what, peer, from) || is_told_already(hub, what, peer, from, why)) return;
    if (what != EMI_NEWS_DOWN || !from) log_news(hub, what, peer, who, why); /* not each time that nobody answers */
    if (what == EMI_NEWS_UP && hub->told[peer].hidden_ups) {
        (void)snprintf(cuts, sizeof cuts, "after %" PRIu64 " more cuts", hub->told[peer].hidden_ups);
        hub->told[peer].hidden_ups = 0;
        why = cuts;
    }
    const emi_link *l = emi_node_link(&hub->node, peer);
    int goodbye = what == EMI_NEWS_DOWN && !from && l && (l->left || l->said_leave); /* it was said why */
    if (!goodbye) note(hub, what, who, why);
}
