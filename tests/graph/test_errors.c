/* Every wrong spec, list and file, and the words it is refused with. */
#include "support/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *spec;
    int nodes;
    const char *words;
} specs[] = {
    {"ring", 5, "topology ring: no such topology; try one of er:P, cycle, star"},
    {"", 5, "no such topology"},
    {"cycles", 5, "topology cycles: no such topology"},
    {"cyc", 5, "no such topology"},
    {"cycle", 0, "topology cycle: 0 nodes are no network; try 1 or more"},
    {"er:0.5", -3, "topology er:0.5: -3 nodes are no network"},
    {"er", 5, "topology er: an argument is missing, the form is er:P; try er:0.5"},
    {"er:", 5, "topology er:: an argument is missing"},
    {"cycle:3", 5, "topology cycle:3: an argument too many, the form is cycle; try cycle"},
    {"cycle:", 5, "an argument too many"},
    {"er:2", 5, "topology er:2: P is a probability; try one from 0 to 1"},
    {"er:-0.1", 5, "P is a probability"},
    {"er:half", 5, "topology er:half: P is not a number; try er:0.5"},
    {"er:0.5:1", 5, "P is not a number"},
    {"er:nan", 5, "P is not a number"},
    {"er: 0.5", 5, "P is not a number"},
    {"er:0", 5, "topology er:0: none of 1000 draws was connected; try a larger P"},
    {"er:0.0001", 100, "none of 1000 draws was connected; try a larger P"},
    {"grid:3", 3, "topology grid:3: an argument is missing, the form is grid:RxC; try grid:3x4"},
    {"grid:3x", 3, "an argument is missing"},
    {"grid:x3", 3, "an argument is missing"},
    {"grid:3x4", 10, "topology grid:3x4: 3 x 4 is 12, not the 10 nodes there are; try 12 nodes"},
    {"torus:2147483647x2147483647", 10, "not the 10 nodes"},
    {"torus:ax4", 10, "topology torus:ax4: R is not a whole number"},
    {"torus:4xa", 10, "C is not a whole number"},
    {"torus:3x4x5", 60, "C is not a whole number"},
    {"grid:0x4", 10, "R is out of range"},
    {"grid:4x-1", 10, "C is out of range"},
    {"grid:99999999999x1", 10, "R is out of range"},
    {"regular:0", 5, "topology regular:0: D is out of range"},
    {"regular:5", 5, "topology regular:5: no node has 5 others among 5; try D below the number of nodes"},
    {"regular:3", 5, "topology regular:3: 5 nodes of degree 3 would need half an edge"},
    {"regular:1", 6, "topology regular:1: degree 1 connects nodes in pairs only"},
    {"regular:2.5", 6, "D is not a whole number"},
    {"smallworld:4", 10, "topology smallworld:4: an argument is missing, the form is smallworld:D:P"},
    {"smallworld:3:0.1", 10, "topology smallworld:3:0.1: a ring has as many neighbours on either side"},
    {"smallworld:4:1.5", 10, "P is a probability"},
    {"smallworld:4:x", 10, "P is not a number"},
    {"smallworld:4:0.1:2", 10, "P is not a number"},
    {"smallworld:10:0.1", 10, "no node has 10 others among 10"},
    {"scalefree:0", 10, "A is out of range"},
    {"scalefree:10", 10, "topology scalefree:10: no node has 10 others among 10; try A below"},
    {"scalefree:two", 10, "A is not a whole number"},
    {"file:", 10, "topology file:: an argument is missing, the form is file:EDGES"},
};

static void wrong_specs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        em_error err = {0};
        em_graph *graph = (em_graph *)&err; /* must be left NULL */
        assert_fails(em_graph_create(&graph, specs[k].spec, specs[k].nodes, 0, &err), EM_EINVAL, specs[k].words, &err);
        assert_null(graph);
        assert_int_equal(em_graph_create(&graph, specs[k].spec, specs[k].nodes, 0, NULL), EM_EINVAL);
    }
}

static void wrong_lists(void **state)
{
    (void)state;
    static const int loop[][2] = {{0, 1}, {1, 1}}, outside[][2] = {{0, 1}, {1, 3}}, negative[][2] = {{-1, 2}},
                     repeated[][2] = {{0, 1}, {1, 2}, {1, 0}}, apart[][2] = {{0, 1}};
    em_error err = {0};
    em_graph *graph;
    assert_fails(em_graph_from_edges(&graph, 3, loop, 2, &err), EM_EINVAL, "edge 1: node 1 has an edge to itself",
                 &err);
    assert_fails(em_graph_from_edges(&graph, 3, outside, 2, &err), EM_EINVAL,
                 "edge 1: node 3 is none of the nodes 0 to 2", &err);
    assert_fails(em_graph_from_edges(&graph, 3, negative, 1, &err), EM_EINVAL, "edge 0: node -1 is none of", &err);
    assert_fails(em_graph_from_edges(&graph, 3, repeated, 3, &err), EM_EINVAL,
                 "edge 2: the edge between 1 and 0 was there before", &err);
    assert_fails(em_graph_from_edges(&graph, 3, apart, 1, &err), EM_EINVAL, "graph: node 0 and node 2 have no path",
                 &err);
    assert_fails(em_graph_from_edges(&graph, 0, NULL, 0, &err), EM_EINVAL, "graph: 0 nodes are no network", &err);
    assert_null(graph);
}

static em_status open_text(const char *text, size_t length, int nodes, em_graph **graph, em_error *err)
{
    char spec[600];
    (void)snprintf(spec, sizeof spec, "file:%s", scratch_file("edges.txt", text, length));
    return em_graph_create(graph, spec, nodes, 0, err);
}

static void wrong_files(void **state)
{
    (void)state;
    const struct {
        const char *text;
        em_status code;
        const char *words;
    } wrong[] = {
        {"0 1\n1 1\n", EM_EDATA, "edges.txt, line 2: node 1 has an edge to itself"},
        {"0 1\n\n# c\n1 7\n", EM_EDATA, "edges.txt, line 4: node 7 is none of the nodes 0 to 2; try more nodes"},
        {"-1 1\n", EM_EDATA, "line 1: node -1 is none of"},
        {"0 1\n1 2\n2 1\n", EM_EDATA, "line 3: the edge between 2 and 1 was there before"},
        {"0 1\n1 b\n", EM_EDATA, "line 2: b is not a whole number"},
        {"0 1.5\n", EM_EDATA, "line 1: 1.5 is not a whole number"},
        {"0 99999999999999999999\n", EM_EDATA, "is not a whole number"},
        {"0 4294967297\n", EM_EDATA, "node 4294967297 is none of"},
        {"0\n", EM_EDATA, "line 1: not two numbers"},
        {"0 1 2\n", EM_EDATA, "line 1: not two numbers"},
        {"0,1\n", EM_EDATA, "line 1: not two numbers"},
        {"0 1\n", EM_EINVAL, "edges.txt: node 0 and node 2 have no path"},
        {"", EM_EINVAL, "node 0 and node 1 have no path"},
    };
    em_error err = {0};
    em_graph *graph;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        em_status status = open_text(wrong[k].text, strlen(wrong[k].text), 3, &graph, &err);
        assert_fails(status, wrong[k].code, wrong[k].words, &err);
        assert_null(graph);
    }
    static const char zero_byte[] = "0 1\n1 2\0 3\n";
    assert_fails(open_text(zero_byte, sizeof zero_byte - 1, 3, &graph, &err), EM_EDATA, "line 2: not two numbers",
                 &err);

    char blanks[600];
    memset(blanks, ' ', sizeof blanks);
    blanks[0] = '0';
    blanks[2] = '1';
    assert_fails(open_text(blanks, sizeof blanks, 3, &graph, &err), EM_EDATA, "line 1: not two numbers", &err);

    assert_fails(em_graph_create(&graph, "file:/no/such/file", 3, 0, &err), EM_EIO, "/no/such/file: cannot be opened",
                 &err);
    assert_fails(em_graph_create(&graph, "file:/tmp", 3, 0, &err), EM_EIO, "it is no regular file", &err);
    const char *pipe = scratch("pipe");
    char spec[600];
    assert_int_equal(mkfifo(pipe, 0600), 0);
    (void)snprintf(spec, sizeof spec, "file:%s", pipe);
    assert_fails(em_graph_create(&graph, spec, 3, 0, &err), EM_EIO, "it is no regular file", &err); /* at once */
}

static void right_files(void **state)
{
    (void)state;
    em_error err = {0};
    em_graph *graph;
    char text[1000] = "# edges\r\n\n  2\t0 \r\n0 1 # the last but one\n1 3 # ";
    memset(text + strlen(text), 'x', 600); /* a comment may be of any length; the last line need not end */
    assert_ok(open_text(text, strlen(text), 4, &graph, &err), &err);
    assert_int_equal(em_graph_edges(graph), 3);
    int i, j;
    em_graph_edge(graph, 2, &i, &j);
    assert_int_equal(i, 1);
    assert_int_equal(j, 3);
    em_graph_free(&graph);

    assert_ok(open_text("# alone\n", 8, 1, &graph, &err), &err);
    assert_int_equal(em_graph_edges(graph), 0);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs),
        cmocka_unit_test(wrong_lists),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(right_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
