#include "links.h"

#include "net/hub.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16, PORT = 47300 };

static void must(em_status status, const em_error *err)
{
    if (status == EM_OK) return;
    (void)fprintf(stderr, "bench: %s\n", err->msg);
    _exit(1);
}

static emi_identity *identity_of(int site)
{
    em_error err;
    emi_identity *identity;
    unsigned char seed[32];
    memset(seed, 16 + site, sizeof seed);
    must(emi_identity_from_seed(&identity, seed, &err), &err);
    return identity;
}

/* Sites in a cycle, or two of them; a method that mixes, so that all edges are used. */
static emi_study *study_of(int sites)
{
    static char text[1 << 14];
    static int ports = PORT;
    em_error err;
    emi_study *study;
    int used = snprintf(text, sizeof text, "[study]\nname = bench\nmasks = no\ncomponents = 1\nmethod = dsa\n");
    for (int n = 0; n < sites; n++) {
        char id[EMI_ID_TEXT];
        emi_identity *identity = identity_of(n);
        emi_id_write(emi_identity_public(identity), id);
        emi_identity_close(&identity);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "[site s%d]\nid = %s\naddress = 127.0.0.1:%d\nneighbours = s%d\n", n, id, ports++,
                         (n + 1) % sites);
    }
    must(emi_study_parse(&study, "bench", text, (size_t)used, &err), &err);
    return study;
}

typedef struct site {
    emi_hub *hub;
    uint64_t generation;
} site;

static site open_site(const emi_study *study, int number)
{
    em_error err;
    site s;
    const emi_hub_options options = {
        .study = study, .site = number, .identity = identity_of(number), .own = {.columns = 1}, .patience = INFINITY};
    must(emi_hub_open(&s.hub, &options, &err), &err);
    must(emi_hub_enter(s.hub, 0, &s.generation, &err), &err);
    return s;
}

static void one_round(site *s, const int *to, int to_count, const int *from, int from_count, const void *block,
                      size_t bytes)
{
    em_error err;
    const void *blocks[] = {block, block};
    must(emi_hub_begin(s->hub, s->generation, to, blocks, to_count, from, from_count, bytes, &err), &err);
    must(emi_hub_end(s->hub, s->generation, &err), &err);
}

/* What a site does; returns seconds a round. */
typedef void site_fn(site *s, int number, int sites, const void *block, size_t bytes);

static void pass_on(site *s, int number, int sites, const void *block, size_t bytes)
{
    const int other = 1 - number;
    (void)sites;
    one_round(s, &other, number == 0, &other, number == 1, block, bytes);
}

static void to_both(site *s, int number, int sites, const void *block, size_t bytes)
{
    const int both[] = {(number + 1) % sites, (number + sites - 1) % sites};
    one_round(s, both, 2, both, 2, block, bytes);
}

static double run_site(const emi_study *study, int number, int sites, size_t bytes, int rounds, site_fn *turn)
{
    site s = open_site(study, number);
    void *block = calloc(1, bytes);
    if (!block) _exit(1);
    turn(&s, number, sites, block, bytes); /* all are there */
    double began = seconds_now();
    for (int n = 0; n < rounds; n++) turn(&s, number, sites, block, bytes);
    double seconds = (seconds_now() - began) / rounds;
    emi_hub_close(&s.hub);
    free(block);
    return seconds;
}

static double measure(int sites, size_t bytes, int rounds, site_fn *turn)
{
    emi_study *study = study_of(sites);
    for (int n = 1; n < sites; n++)
        if (fork() == 0) {
            (void)run_site(study, n, sites, bytes, rounds, turn);
            _exit(0);
        }
    double seconds = run_site(study, 0, sites, bytes, rounds, turn);
    while (wait(NULL) > 0) continue;
    emi_study_close(&study);
    return seconds;
}

double hub_seconds(size_t bytes, int rounds)
{
    return measure(2, bytes, rounds, pass_on);
}

double hub_cycle(int sites, size_t bytes, int rounds)
{
    return measure(sites, bytes, rounds, to_both);
}
