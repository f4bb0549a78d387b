/* Hubs of several sites in one process, over loopback: blocks of all sizes arrive whole and in order, while connections are cut
 * again and again; and so does a fit on the engine. */
#include "net/engine.h"
#include "net/free_ports.h"
#include "net/hub_parts.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SITES = 4, ROUNDS = 60, MOST_BYTES = 700001 };

typedef struct member {
    emi_study *study;
    emi_identity *identity;
    emi_hub *hub;
    int site, wrong;
    int renews; /* in this round, counted from 1; 0: never */
    emi_audit *audit;
    char log[256];
    /* what it was told: a line each, as its log has them; by two threads, and without a lock of its own */
    char told[16384];
    atomic_int opened, speaking;
    int troubles; /* two at once, or no answer */
    em_status status;
    em_error err;
    pthread_t thread;
    double model[3 * 8];
} member;

static emi_identity *identity_of(int site)
{
    em_error err = {0};
    emi_identity *identity;
    unsigned char seed[32];
    memset(seed, 40 + site, sizeof seed);
    assert_ok(emi_identity_from_seed(&identity, seed, &err), &err);
    return identity;
}

/* A tree, the parent of n is (n - 1) / 2. */
static emi_study *study_of(int first)
{
    char text[4096];
    em_error err = {0};
    emi_study *study;
    int port = first;
    int size = snprintf(text, sizeof text, "[study]\nname = hubs\nmasks = no\ncomponents = 3\nmethod = krylov\n");
    for (int n = 0; n < SITES; n++) {
        char id[EMI_ID_TEXT];
        emi_identity *identity = identity_of(n);
        emi_id_write(emi_identity_public(identity), id);
        emi_identity_close(&identity);
        size += snprintf(text + size, sizeof text - (size_t)size, "[site s%d]\nid = %s\naddress = 127.0.0.1:%d\n", n,
                         id, port + n);
        if (n > 0) size += snprintf(text + size, sizeof text - (size_t)size, "neighbours = s%d\n", (n - 1) / 2);
    }
    assert_ok(emi_study_parse(&study, "hubs", text, (size_t)size, &err), &err);
    return study;
}

/* ---- what is told --------------------------------------------------------------------------------------------------------- */

/* One callback at a time, which takes a while, and may ask. */
static void speak(member *m)
{
    emi_hub_link links[SITES];
    m->troubles += atomic_fetch_add(&m->speaking, 1) != 0;
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (atomic_load(&m->opened)) m->troubles += emi_hub_links(m->hub, links, SITES) < 1;
    (void)atomic_fetch_sub(&m->speaking, 1);
}

static void take_news(void *user, emi_news what, const char *who, const char *why)
{
    member *m = user;
    const char *word = what == EMI_NEWS_UP ? "up" : what == EMI_NEWS_START ? "start" : "down";
    int logged = what == EMI_NEWS_UP || what == EMI_NEWS_START || (what == EMI_NEWS_DOWN && strcmp(why, "cut") == 0);
    size_t used = strlen(m->told);
    if (logged) (void)snprintf(m->told + used, sizeof m->told - used, "%s %s\n", word, who);
    speak(m);
}

static void take_wait(void *user, const char *site, double seconds)
{
    (void)site, (void)seconds;
    speak(user);
}

/* The value of a field of text. */
static int find_field(const char *line, const char *name, char *value, size_t room)
{
    char before[32];
    (void)snprintf(before, sizeof before, "\"%s\":\"", name);
    const char *at = strstr(line, before);
    if (at) (void)snprintf(value, room, "%.*s", (int)strcspn(at + strlen(before), "\""), at + strlen(before));
    return at != NULL;
}

/* People were told what is in the log, in the same order. */
static void check_told(const member *m)
{
    char line[2048], what[16], who[EMI_SITE_NAME], why[256], wanted[sizeof m->told] = "";
    FILE *log = fopen(m->log, "r");
    assert_non_null(log);
    while (fgets(line, sizeof line, log)) {
        size_t used = strlen(wanted);
        assert_true(find_field(line, "what", what, sizeof what));
        if (strcmp(what, "start") == 0)
            (void)snprintf(who, sizeof who, "s%d", m->site);
        else if (!find_field(line, "peer", who, sizeof who))
            continue;
        int cut = strcmp(what, "down") == 0 && find_field(line, "why", why, sizeof why) && strcmp(why, "cut") == 0;
        if (strcmp(what, "up") == 0 || strcmp(what, "start") == 0 || cut)
            (void)snprintf(wanted + used, sizeof wanted - used, "%s %s\n", what, who);
    }
    (void)fclose(log);
    assert_string_equal(m->told, wanted);
    assert_int_equal(m->troubles, 0);
}

static void say_finding(void *context, const char *finding)
{
    (void)context;
    (void)fprintf(stderr, "%s\n", finding);
}

static void check_logs(const member members[SITES])
{
    em_error err = {0};
    const char *paths[SITES];
    for (int n = 0; n < SITES; n++) {
        check_told(&members[n]);
        paths[n] = members[n].log;
    }
    assert_ok(emi_audit_check(paths, SITES, say_finding, NULL, &err), &err);
}

/* ---- members ---------------------------------------------------------------------------------------------------------------- */

static void open_member(member *m, int site, int port)
{
    char name[32];
    em_error err = {0};
    *m = (member){.study = study_of(port), .identity = identity_of(site), .site = site};
    (void)snprintf(name, sizeof name, "%d.%d.log", port, site);
    (void)snprintf(m->log, sizeof m->log, "%s", scratch(name));
    assert_ok(emi_audit_open(&m->audit, m->log, m->study, site, m->identity, &err), &err);
    const emi_hub_options options = {.study = m->study,
                                     .site = m->site,
                                     .identity = m->identity,
                                     .audit = m->audit,
                                     .own = {.columns = 8},
                                     .patience = 60,
                                     .news = take_news,
                                     .waits = take_wait,
                                     .user = m};
    assert_ok(emi_hub_open(&m->hub, &options, &err), &err);
    atomic_store(&m->opened, 1);
}

static void close_member(member *m)
{
    em_error err = {0};
    atomic_store(&m->opened, 0);
    emi_hub_close(&m->hub);
    assert_ok(emi_audit_close(&m->audit, &err), &err);
    emi_identity_close(&m->identity);
    emi_study_close(&m->study);
}

/* ---- rounds along the tree, both ways, of sizes that all know ------------------------------------------------------- */

static size_t size_of(int round)
{
    static const size_t sizes[] = {1, 8, 4096, 262143, 262144, 262145, MOST_BYTES, 17, 300000};
    return sizes[(size_t)round % (sizeof sizes / sizeof *sizes)];
}

static void fill(unsigned char *block, size_t size, int site, int round)
{
    for (size_t n = 0; n < size; n++) block[n] = (unsigned char)(n * 7 + (size_t)site * 31 + (size_t)round);
}

static int is_filled(const unsigned char *block, size_t size, int site, int round)
{
    for (size_t n = 0; n < size; n++)
        if (block[n] != (unsigned char)(n * 7 + (size_t)site * 31 + (size_t)round)) return 0;
    return 1;
}

/* As after a count that cannot be: this process enters anew. */
static void renew(member *m)
{
    (void)pthread_mutex_lock(&m->hub->lock);
    m->wrong += emi_node_renew(&m->hub->node, emi_hub_now()) != 0;
    (void)pthread_mutex_unlock(&m->hub->lock);
    m->renews = 0;
}

static void exchange_in_run(member *m, uint64_t generation, unsigned char *block)
{
    int peers[SITES], count = 0;
    const void *blocks[SITES];
    for (int n = 0; n < SITES; n++)
        if (emi_study_uses(m->study, m->site, n)) blocks[count] = block, peers[count++] = n;
    for (int round = 0; round < ROUNDS && m->status == EM_OK; round++) {
        size_t size = size_of(round);
        fill(block, size, m->site, round);
        m->status = emi_hub_begin(m->hub, generation, peers, blocks, count, peers, count, size, &m->err);
        if (m->renews == round + 1) renew(m);
        if (m->status == EM_OK) m->status = emi_hub_end(m->hub, generation, &m->err);
        for (int n = 0; n < count && m->status == EM_OK; n++)
            m->wrong += !is_filled(emi_hub_block(m->hub, peers[n]), size, peers[n], round);
    }
}

static void *exchange(void *context)
{
    member *m = context;
    uint64_t generation = 0;
    unsigned char *block = malloc(MOST_BYTES);
    m->status = block ? EM_OK : EM_ENOMEM;
    if (!block) return NULL;
    do {
        m->status = emi_hub_enter(m->hub, generation, &generation, &m->err);
        if (m->status == EM_OK) exchange_in_run(m, generation, block);
    } while (m->status == EM_ENET && emi_hub_is_stale(m->hub, generation));
    free(block);
    return NULL;
}

/* ---- a fit ----------------------------------------------------------------------------------------------------------------- */

static void *fit(void *context)
{
    member *m = context;
    uint64_t generation = 0;
    enum { ROWS = 50, D = 8 };
    double rows[ROWS * D];
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    const em_engine *engine;
    void *state = NULL;
    for (int n = 0; n < ROWS * D; n++) rows[n] = sin(1.7 * n + m->site) * (1 + n % D);
    m->status = emi_hub_enter(m->hub, 0, &generation, &m->err);
    if (m->status == EM_OK) m->status = em_data_from_array(&data, rows, EM_F64, ROWS, D, 0, 0, &m->err);
    if (m->status == EM_OK) m->status = em_shards_of(&shards, (const em_data *const *)&data, 1, &m->err);
    if (m->status == EM_OK) m->status = emi_study_graph(m->study, &graph, &m->err);
    if (m->status == EM_OK)
        m->status = emi_net_engine_open(&engine, &state, m->hub, generation, SITES, m->site, &m->err);
    if (m->status == EM_OK) m->status = em_mesh_open_on(&mesh, engine, state, m->site, 1, graph, 1, &m->err);
    if (m->status == EM_OK) m->status = em_fit(&model, m->study->options, mesh, shards, &m->err);
    if (m->status == EM_OK) memcpy(m->model, em_model_components(model), sizeof m->model);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return NULL;
}

/* ---- all at once, with cuts -------------------------------------------------------------------------------------------------- */

/* Cut a link of this site, as the network might. */
static void cut(member *m, unsigned *random)
{
    *random = *random * 1103515245 + 12345;
    int peer = (int)(*random >> 16) % SITES;
    (void)pthread_mutex_lock(&m->hub->lock);
    emi_conns_drop_peer(m->hub, peer, "cut", emi_hub_now());
    (void)pthread_mutex_unlock(&m->hub->lock);
}

/* All neighbours know a site as who it is now. */
static void check_lives(member members[SITES])
{
    for (int n = 0; n < SITES; n++)
        for (int other = 0; other < SITES; other++) {
            emi_node *node = &members[other].hub->node, *its = &members[n].hub->node;
            emi_link *l = emi_node_link(node, n);
            if (l) assert_memory_equal(l->instance, its->own.instance, EMI_INSTANCE_BYTES);
        }
}

static void run_all(void *(*work)(void *), int cuts, int renews)
{
    static member members[SITES];
    unsigned random = 7;
    int port = free_ports(SITES);
    for (int n = 0; n < SITES; n++) open_member(&members[n], n, port);
    members[1].renews = renews;
    for (int n = 0; n < SITES; n++) assert_int_equal(pthread_create(&members[n].thread, NULL, work, &members[n]), 0);
    for (int n = 0; n < cuts; n++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        cut(&members[n % SITES], &random);
    }
    for (int n = 0; n < SITES; n++) assert_int_equal(pthread_join(members[n].thread, NULL), 0);
    for (int n = 0; n < SITES; n++) {
        assert_ok(members[n].status, &members[n].err);
        assert_int_equal(members[n].wrong, 0);
        assert_memory_equal(members[n].model, members[0].model, sizeof members[0].model);
    }
    if (renews) check_lives(members);
    for (int n = 0; n < SITES; n++) close_member(&members[n]);
    check_logs(members);
}

static void blocks_of_all_sizes(void **state)
{
    (void)state;
    run_all(exchange, 0, 0);
}

static void cuts_cost_nothing_but_time(void **state)
{
    (void)state;
    run_all(exchange, 60, 0);
}

/* One of them enters anew, in the middle: the others meet it again, and all go on. */
static void a_new_life_costs_nothing_but_time(void **state)
{
    (void)state;
    run_all(exchange, 0, 10);
}

static void a_fit_is_the_same_everywhere(void **state)
{
    (void)state;
    run_all(fit, 0, 0);
}

/* The solver may come to log something of a run when another one was entered, and lines are of the last that was. */
static void lines_of_a_run_that_is_over(void **state)
{
    static member m;
    em_error err = {0};
    const unsigned char digest[EMI_SHA_BYTES] = {0};
    const emi_field_of_line field = {.name = "digest", .digest = digest};
    unsigned char last[EMI_SHA_BYTES];
    (void)state;
    open_member(&m, 0, free_ports(SITES));
    uint64_t before = m.hub->node.generation;
    assert_ok(emi_hub_log(m.hub, before, "model", &field, 1, 0, &err), &err);
    renew(&m);
    memcpy(last, emi_audit_last(m.audit), sizeof last);
    assert_fails(emi_hub_log(m.hub, before, "model", &field, 1, 0, &err), EM_ENET, "a site came back", &err);
    assert_memory_equal(emi_audit_last(m.audit), last, sizeof last);
    close_member(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_all_sizes), cmocka_unit_test(cuts_cost_nothing_but_time),
        cmocka_unit_test(a_new_life_costs_nothing_but_time), cmocka_unit_test(a_fit_is_the_same_everywhere),
        cmocka_unit_test(lines_of_a_run_that_is_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
