/* The engine of a study in place of the library's own, which stays as what to compare with.  A site is one node and one process,
 * forked by one that waits for them all; every mesh is a study of its own, on its graph. */
#define _DEFAULT_SOURCE
#include "support/engines.h"

#include "net/engine.h"
#include "net/free_ports.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SITES = 6 }; /* as many as the largest network of a suite has nodes */

/* What the processes have in common beside the study. */
typedef struct meeting {
    pthread_barrier_t all;
    int port; /* of the first site; the others' follow */
} meeting;

static meeting *shared;

static struct {
    int site;
    emi_study *study;
    emi_identity *identity;
    emi_hub *hub;
} own;

/* ---- processes --------------------------------------------------------------------------------------------------------- */

/* Until all are here. */
static void meet(void)
{
    (void)pthread_barrier_wait(&shared->all);
}

/* One that fails ends all, since the others wait for it. */
static void wait_for_sites(pid_t sites[SITES])
{
    int failed = 0, status;
    for (int left = SITES; left > 0; left--) {
        pid_t ended = wait(&status);
        int fails = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        for (int n = 0; n < SITES; n++) {
            if (sites[n] == ended)
                sites[n] = 0;
            else if (sites[n] && fails && !failed)
                (void)kill(sites[n], SIGKILL);
        }
        failed |= fails;
    }
    exit(failed);
}

static void share(void)
{
    pthread_barrierattr_t between_processes;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pthread_barrierattr_init(&between_processes) != 0 ||
        pthread_barrierattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED) != 0 ||
        pthread_barrier_init(&shared->all, &between_processes, SITES) != 0)
        abort();
    (void)pthread_barrierattr_destroy(&between_processes);
}

/* A failed assertion aborts its process.  Only the first one reports its progress. */
void engines_begin(int *argc, char ***argv)
{
    pid_t sites[SITES];
    (void)argc, (void)argv;
    if (setenv("CMOCKA_TEST_ABORT", "1", 1) != 0) abort();
    share();
    for (own.site = 0; own.site < SITES; own.site++) {
        sites[own.site] = fork();
        if (sites[own.site] < 0) abort();
        if (sites[own.site] > 0) continue;
        if (own.site > 0 && !freopen("/dev/null", "w", stdout)) abort();
        return;
    }
    wait_for_sites(sites);
}

/* ---- studies ----------------------------------------------------------------------------------------------------------- */

static em_status open_identity(emi_identity **out, int site, em_error *err)
{
    unsigned char seed[32];
    memset(seed, 40 + site, sizeof seed);
    return emi_identity_from_seed(out, seed, err);
}

/* Along all edges, as for a method that mixes. */
static em_status write_site(FILE *text, const em_graph *graph, int site, em_error *err)
{
    char id[EMI_ID_TEXT];
    emi_identity *identity;
    const char *before = "neighbours =";
    em_status status = open_identity(&identity, site, err);
    if (status != EM_OK) return status;
    emi_id_write(emi_identity_public(identity), id);
    emi_identity_close(&identity);
    (void)fprintf(text, "[site s%d]\nid = %s\naddress = 127.0.0.1:%d\n", site, id, shared->port + site);
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int i, j;
        em_graph_edge(graph, e, &i, &j);
        if (i != site) continue;
        (void)fprintf(text, "%s s%d", before, j);
        before = ",";
    }
    (void)fprintf(text, "\n");
    return EM_OK;
}

static em_status make_study(const em_graph *graph, em_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    em_status status = EM_OK;
    FILE *text = open_memstream(&bytes, &size);
    if (!text) return em_fail(err, EM_ENOMEM, "study: no memory; try more");
    (void)fprintf(text, "[study]\nname = suite\nmasks = no\ncomponents = 1\nmethod = dsa\n");
    for (int n = 0; status == EM_OK && n < em_graph_nodes(graph); n++) status = write_site(text, graph, n, err);
    (void)fclose(text);
    if (status == EM_OK) status = emi_study_parse(&own.study, "suite", bytes, size, err);
    free(bytes);
    return status;
}

static em_status open_hub(em_error *err)
{
    const emi_hub_options options = {
        .study = own.study, .site = own.site, .identity = own.identity, .own = {.columns = 1}, .patience = INFINITY};
    return emi_hub_open(&own.hub, &options, err);
}

/* After all have closed their meshes: what one has said last is heard by the others. */
static void leave_study(void)
{
    meet();
    emi_hub_close(&own.hub);
    emi_identity_close(&own.identity);
    emi_study_close(&own.study);
}

/* One after the other, so that whoever is dialled is there, and is not dialled again after a pause. */
static em_status join_study(const em_graph *graph, em_error *err)
{
    int takes_part = own.site < em_graph_nodes(graph);
    if (own.site == 0) shared->port = free_ports(SITES);
    meet();
    em_status status = takes_part ? make_study(graph, err) : EM_OK;
    if (status == EM_OK && takes_part) status = open_identity(&own.identity, own.site, err);
    for (int turn = 0; turn < SITES; turn++) {
        if (status == EM_OK && takes_part && turn == own.site) status = open_hub(err);
        meet();
    }
    return status;
}

void engines_end(void)
{
    leave_study();
}

/* ---- the table --------------------------------------------------------------------------------------------------------- */

const char *engines_name(int index)
{
    return index == 0 ? "net" : NULL;
}

/* A site that fails is a process that ends and may come back, so that its neighbours wait for it: nothing of a failure leaves
 * the engine, and only their own patience ends their wait.  And a round is TLS both ways along every edge, between as many
 * processes as there are nodes: some hundred times what it costs elsewhere. */
const engine_manner engines_manner = {.tells = 0, .quick = 0};

/* A study is between two or more.  Who has no node of a network has it to itself. */
em_status engines_open(em_mesh **out, const char *name, const em_graph *graph, int threads, em_error *err)
{
    const em_engine *engine;
    void *state;
    uint64_t generation = 0;
    int nodes = em_graph_nodes(graph);
    *out = NULL;
    if (nodes < 2 || (name && strcmp(name, "local") == 0)) return em_mesh_open(out, "local", graph, threads, err);
    leave_study();
    em_status status = join_study(graph, err);
    if (status == EM_OK && own.site >= nodes) return em_mesh_open(out, "local", graph, threads, err);
    if (status == EM_OK) status = emi_hub_enter(own.hub, 0, &generation, err);
    if (status == EM_OK) status = emi_net_engine_open(&engine, &state, own.hub, generation, nodes, own.site, err);
    return status == EM_OK ? em_mesh_open_on(out, engine, state, own.site, 1, graph, threads, err) : status;
}
