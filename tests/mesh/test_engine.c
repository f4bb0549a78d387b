/* The contract of engine.h as a program: every engine passes it.  Built once more with another list of engines, and run in
 * several processes, it is about those. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/faulty_engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NODES = 6, ROUNDS = 3, LONG = 20000 };

static const char *const topologies[] = {"path", "star", "cycle", "complete", "er:0.5"};
static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 24, 1000, 1001, 65537, 800, (1 << 20) + 5, 4 << 20, 1};

static int held_back; /* run on the faulty engine, whose blocks come late, which is no fault */

/* ---- an engine, with what it needs to know -------------------------------------------------------------------------- */

typedef struct bench {
    em_graph *graph;
    em_mesh *mesh;
    engine_fault late;
    em_link *links; /* [count] both ways along every edge, those that touch no node here too */
    size_t count;
    unsigned char *block[NODES]; /* of the nodes here */
    const void *inbox[NODES];
    int last; /* is this the process of the last node? */
} bench;

static bench open_bench(const char *engine, const char *topology)
{
    bench b = {.late = {.at = FAULT_NEVER, .late = 1e-4}};
    em_error err = {0};
    assert_ok(em_graph_create(&b.graph, topology, NODES, 3, &err), &err);
    assert_ok(engines_open(&b.mesh, engine, b.graph, 1, &err), &err);
    b.last = emi_mesh_hosts(b.mesh, NODES - 1);
    b.links = calloc(2 * em_graph_edges(b.graph), sizeof *b.links);
    assert_non_null(b.links);
    for (size_t e = 0; e < em_graph_edges(b.graph); e++) {
        int i, j;
        em_graph_edge(b.graph, e, &i, &j);
        b.links[b.count++] = (em_link){i, j};
        b.links[b.count++] = (em_link){j, i};
    }
    for (int i = 0; i < em_mesh_hosted(b.mesh); i++) {
        b.block[i] = malloc(4 << 20);
        assert_non_null(b.block[i]);
    }
    return b;
}

/* Once the bench does not move any more. */
static void hold_back(bench *b)
{
    if (held_back) faulty_engine_install(b->mesh, &b->late);
}

static void close_bench(bench *b)
{
    em_mesh_close(&b->mesh);
    em_graph_free(&b->graph);
    free(b->links);
    for (int i = 0; i < NODES; i++) free(b->block[i]);
}

/* Other bytes for every node, round and place. */
static unsigned char byte_of(int node, int round, size_t at)
{
    size_t mixed = at * 31 + (size_t)node * 101 + (size_t)round * 57;
    return (unsigned char)(mixed ^ mixed >> 8 ^ mixed >> 16);
}

static void fill(bench *b, int round, size_t bytes)
{
    for (int i = 0; i < em_mesh_hosted(b->mesh); i++)
        for (size_t at = 0; at < bytes; at++) b->block[i][at] = byte_of(em_mesh_first(b->mesh) + i, round, at);
}

static int is_right(const unsigned char *block, int node, int round, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++)
        if (block[at] != byte_of(node, round, at)) return 0;
    return 1;
}

static void check_inbox(const bench *b, const em_link *links, size_t count, int round, size_t bytes)
{
    for (size_t l = 0; l < count; l++) {
        const void *block = b->inbox[links[l].from];
        if (!emi_mesh_hosts(b->mesh, links[l].to)) continue;
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % _Alignof(double), 0);
        if (!is_right(block, links[l].from, round, bytes))
            fail_msg("%zu bytes from %d to %d are not what was sent", bytes, links[l].from, links[l].to);
    }
}

static em_status move(bench *b, const em_link *links, size_t count, size_t bytes, em_error *err)
{
    const em_engine *engine = &b->mesh->engine;
    void *state = b->mesh->engine_state;
    em_status status = engine->begin(state, links, count, (const void *const *)b->block, bytes, err);
    for (int i = 0; status == EM_OK && engine->progress && i < 10; i++) engine->progress(state);
    return status == EM_OK ? engine->end(state, b->inbox, err) : status;
}

static void move_and_check(bench *b, const em_link *links, size_t count, int round, size_t bytes)
{
    em_error err = {0};
    fill(b, round, bytes);
    memset(b->inbox, 0, sizeof b->inbox);
    assert_ok(move(b, links, count, bytes, &err), &err);
    check_inbox(b, links, count, round, bytes);
}

static void on_every_engine(void (*test)(const char *engine))
{
    for (int e = 0; engines_name(e); e++) test(engines_name(e));
}

/* ---- rounds ---------------------------------------------------------------------------------------------------------- */

/* Along all edges, then up and down the tree, again and again with the same links, whatever the size; long ones once. */
static void move_on_topologies(const char *engine)
{
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        bench b = open_bench(engine, topologies[t]);
        const em_mesh *m = b.mesh;
        hold_back(&b);
        int round = 0;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int again = 0; again < ROUNDS; again++) {
                move_and_check(&b, b.links, b.count, round++, sizes[s]);
                if (sizes[s] > LONG) break;
                for (int level = m->tree.depth - 1; level >= 0; level--)
                    move_and_check(&b, m->tree_links + m->level[level], m->level[level + 1] - m->level[level], round++,
                                   sizes[s]);
                for (int level = 0; level < m->tree.depth; level++)
                    move_and_check(&b, m->tree_back + m->level[level], m->level[level + 1] - m->level[level], round++,
                                   sizes[s]);
            }
        close_bench(&b);
    }
}

static void blocks_arrive(void **state)
{
    (void)state;
    on_every_engine(move_on_topologies);
}

/* No links at all; and one, which most processes have no part in. */
static void move_along_few(const char *engine)
{
    bench b = open_bench(engine, "path");
    hold_back(&b);
    for (int round = 0; round < ROUNDS; round++) {
        move_and_check(&b, b.links, 0, round, 8);
        move_and_check(&b, b.links, 1, round, 8);
        move_and_check(&b, b.links + 1, 1, round, 9);
    }
    close_bench(&b);
}

static void few_links(void **state)
{
    (void)state;
    on_every_engine(move_along_few);
}

static void nap(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)nanosleep(&time, NULL);
}

/* One way down a path: the first process does not wait for the last, which is slow, and whose blocks keep. */
static void run_ahead(const char *engine)
{
    static const em_link down[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
    bench b = open_bench(engine, "path");
    hold_back(&b);
    if (b.last) nap(0.2); /* late, which is nothing wrong */
    for (int round = 0; round < 40; round++) move_and_check(&b, down, NODES - 1, round, round % 2 ? 1200 : 40);
    close_bench(&b);
}

static void rounds_are_no_barrier(void **state)
{
    (void)state;
    on_every_engine(run_ahead);
}

static void sum_and_give(const char *engine)
{
    bench b = open_bench(engine, "cycle");
    const em_engine *own = &b.mesh->engine;
    void *state = b.mesh->engine_state;
    em_error err = {0};
    double values[] = {em_mesh_hosted(b.mesh), 0.5 * em_mesh_hosted(b.mesh)};
    char text[7] = "others";
    if (emi_mesh_has_root(b.mesh)) memcpy(text, "rooted", sizeof text);
    assert_int_equal(!own->sum, !own->give);
    if (own->sum && own->give) {
        assert_ok(own->give(state, text, sizeof text, &err), &err);
        assert_string_equal(text, "rooted");
        assert_ok(own->sum(state, values, 2, 1, &err), &err);
        assert_true(values[0] == NODES && values[1] == 0.5 * NODES);
        values[0] = em_mesh_hosted(b.mesh);
        assert_ok(own->sum(state, values, 1, 0, &err), &err);
        if (emi_mesh_has_root(b.mesh)) assert_true(values[0] == NODES);
    }
    close_bench(&b);
}

static void sums_of_its_own(void **state)
{
    (void)state;
    on_every_engine(sum_and_give);
}

/* ---- failures -------------------------------------------------------------------------------------------------------- */

/* It is over: whatever is tried says so at once. */
static void check_dead(bench *b)
{
    em_error err = {0};
    for (int again = 0; again < 2; again++) assert_fails(move(b, b->links, b->count, 8, &err), EM_ENET, "; try ", &err);
}

/* By the name of the one that failed and its code, wherever the others wait; its words stay where they are.  Where nothing is
 * told, they wait for it, and no longer than they have patience. */
static void check_told(em_status status, int tells, const em_error *err)
{
    if (tells)
        assert_fails(status, EM_EDATA, ": has failed (the data is not usable); try ", err);
    else
        assert_fails(status, EM_ENET, "waited for ", err);
    assert_null(strstr(err->msg, "SECRET"));
}

static void tell_failure(const char *engine)
{
    static const em_error broken = {.code = EM_EDATA, .node = 5, .msg = "SECRET cell: is no number; try another"};
    bench b = open_bench(engine, "path");
    em_error err = {0};
    em_status status = EM_OK;
    hold_back(&b);
    int spread = emi_mesh_is_spread(b.mesh), tells = engines_manner.tells;
    if (spread) assert_true(b.mesh->engine.fail && b.mesh->engine.patience);
    fill(&b, 1, 8);
    int before = b.last || !tells ? NODES : 0; /* then all have opened; others may hear of it in these rounds */
    for (int round = 0; round < before; round++) move_and_check(&b, b.links, b.count, 1, 8);
    if (spread && b.last) (b.mesh->engine.fail)(b.mesh->engine_state, &broken); /* cmocka has a macro of that name */
    if (spread && !b.last && !tells) b.mesh->engine.patience(b.mesh->engine_state, 0.2);
    for (long round = 0; spread && !b.last && status == EM_OK; round++) status = move(&b, b.links, b.count, 8, &err);
    if (spread && !b.last) check_told(status, tells, &err);
    if (spread) check_dead(&b);
    close_bench(&b);
}

static void a_failure_is_told(void **state)
{
    (void)state;
    on_every_engine(tell_failure);
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One that does not come is lost when patience is at an end; it learns so itself when it comes at last. */
static void lose_one(const char *engine)
{
    const double enough = engines_manner.tells ? 10 : 4; /* seconds, also to find out who it is */
    bench b = open_bench(engine, "path");
    em_error err = {0};
    if (emi_mesh_is_spread(b.mesh)) {
        b.mesh->engine.patience(b.mesh->engine_state, 0.2);
        double began = seconds();
        if (b.last) nap(enough + 2);
        em_status status = EM_OK;
        for (int round = 0; round < NODES && status == EM_OK; round++) status = move(&b, b.links, b.count, 8, &err);
        assert_fails(status, EM_ENET, "; try ", &err);
        if (!b.last) assert_true(seconds() - began > 0.2 && seconds() - began < enough);
        check_dead(&b);
    }
    close_bench(&b);
}

static void patience_ends(void **state)
{
    (void)state;
    on_every_engine(lose_one);
}

/* ---- closing --------------------------------------------------------------------------------------------------------- */

/* At once; between begin and end, in all processes or in one of them; by a mesh whose opening fails. */
static void close_in_every_state(const char *engine)
{
    em_error err = {0};
    em_mesh *mesh = (em_mesh *)&err;
    for (int began = 0; began < 3; began++) {
        bench b = open_bench(engine, "complete");
        const em_engine *own = &b.mesh->engine;
        hold_back(&b);
        if (began) fill(&b, 1, 1 << 20);
        if (began == 1 || (began == 2 && b.last))
            assert_ok(own->begin(b.mesh->engine_state, b.links, b.count, (const void *const *)b.block, 1 << 20, &err),
                      &err);
        close_bench(&b);
    }
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    assert_int_equal(engines_open(&mesh, engine, graph, 1000000, &err), EM_EINVAL);
    assert_true(strstr(err.msg, "threads: 1000000") ||
                strstr(err.msg, "invalid argument")); /* its own, or another's first */
    assert_null(mesh);
    em_graph_free(&graph);
}

static void closes_in_every_state(void **state)
{
    (void)state;
    on_every_engine(close_in_every_state);
}

/* ---- what the mesh makes of an engine --------------------------------------------------------------------------------- */

/* Of an older one it takes what that knows of; of one that lacks what is needed, nothing. */
static void engines_of_other_versions(void **state)
{
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_error err = {0};
    void *local = NULL;
    (void)state;
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    assert_ok(emi_engine_local_new(&local, graph, &err), &err);
    struct {
        em_engine known;
        void *new_member;
    } later = {emi_engine_local, &later}, older = {emi_engine_local, NULL};
    later.known.size = sizeof later;
    assert_ok(em_mesh_open_on(&mesh, &later.known, local, 0, NODES, graph, 1, &err), &err);
    em_mesh_close(&mesh);
    assert_ok(emi_engine_local_new(&local, graph, &err), &err);
    older.known.size = offsetof(em_engine, progress);
    memset((char *)&older.known + older.known.size, 0xff, sizeof older.known - older.known.size);
    assert_ok(em_mesh_open_on(&mesh, &older.known, local, 0, NODES, graph, 1, &err), &err);
    assert_null(mesh->engine.patience);
    assert_fails(em_mesh_set_patience(mesh, 1, &err), EM_ENOTSUP, "nobody to wait for", &err);
    em_mesh_close(&mesh);
    em_engine lacking = emi_engine_local;
    lacking.end = NULL;
    assert_fails(em_mesh_open_on(&mesh, &lacking, NULL, 0, NODES, graph, 1, &err), EM_EINVAL, "not set; try", &err);
    lacking = (em_engine){0};
    assert_fails(em_mesh_open_on(&mesh, &lacking, NULL, 0, NODES, graph, 1, &err), EM_EINVAL, "not set; try", &err);
    assert_null(mesh);
    em_graph_free(&graph);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_arrive),         cmocka_unit_test(few_links),
        cmocka_unit_test(rounds_are_no_barrier), cmocka_unit_test(a_failure_is_told),
        cmocka_unit_test(closes_in_every_state),
    };
    const struct CMUnitTest of_the_engine_alone[] = {
        cmocka_unit_test(sums_of_its_own),
        cmocka_unit_test(patience_ends),
        cmocka_unit_test(engines_of_other_versions),
    };
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests_name("engine", tests, NULL, NULL) +
                 cmocka_run_group_tests_name("engine alone", of_the_engine_alone, NULL, NULL);
    held_back = 1;
    failed += cmocka_run_group_tests_name("blocks held back", tests, NULL, NULL);
    engines_end();
    return failed;
}
