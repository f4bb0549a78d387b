/* The study: one meaning has one digest, however it is spelt; another meaning has another one; the tree, who dials, the graph. */
#include "net/study.h"
#include "support/check.h"
#include "support/locales.h"

#include <stdio.h>
#include <string.h>

#include "study_texts.h"

static em_error err;

static emi_study *parsed(const char *text, size_t size)
{
    emi_study *study = NULL;
    assert_ok(emi_study_parse(&study, "heart.study", text, size, &err), &err);
    return study;
}

/* Of Python: the lines by study_canonical.c's definition, float.hex() without its zeros, hashlib. */
static void canonical_text_and_digest_as_python_has_them(void **state)
{
    (void)state;
    static const char text[] = "[study]\nname = heart\ncomponents = 10\nscale = std\nmasks = no\nwire = 32\n"
                               "tolerance = 1e-7\nstep-decay = power:0.25\nseed = 18446744073709551615\n"
                               "[site berlin]\nid = " ID_0 "\naddress = a:1\n[site paris]\nid = " ID_1
                               "\nneighbours = berlin\n[site oslo]\nid = " ID_2 "\nneighbours = berlin\n";
    static const char wanted[] = "eigenmesh study 1\n"
                                 "option center yes\n"
                                 "option components 0x1.4p+3\n"
                                 "option consensus-rounds auto\n"
                                 "option iterations auto\n"
                                 "option method auto\n"
                                 "option oversample auto\n"
                                 "option precision auto\n"
                                 "option qr-signs positive\n"
                                 "option rayleigh-ritz yes\n"
                                 "option scale std\n"
                                 "option seed 18446744073709551615\n"
                                 "option step auto\n"
                                 "option step-decay power:0x1p-2\n"
                                 "option tolerance 0x1.ad7f29abcaf48p-24\n"
                                 "option wire 32\n"
                                 "masks no\n"
                                 "site berlin " ID_0 "\nsite paris " ID_1 "\nsite oslo " ID_2 "\n"
                                 "edge berlin paris\nedge berlin oslo\n";
    static const char digest[] = "ba9964ac93973cb3cd44cfd976a166978c4e50a9834311ddd3efdc58d9c8068e";
    emi_study *study = parsed(text, sizeof text - 1);
    assert_string_equal(study->canonical, wanted);
    assert_int_equal(study->canonical_size, sizeof wanted - 1);
    for (int n = 0; n < EMI_SHA_BYTES; n++) {
        char two[3];
        (void)snprintf(two, sizeof two, "%02x", study->digest[n]);
        assert_memory_equal(two, digest + 2 * n, 2);
    }
    assert_string_equal(study->fingerprint, "ba99 64ac 9397 3cb3 cd44 cfd9 76a1 6697 8c4e 50a9");
    emi_study_close(&study);
}

static void the_fingerprint_as_it_is_typed(void **state)
{
    (void)state;
    emi_study *study = parsed(base, sizeof base - 1);
    char typed[64] = "";
    const char *own = study->fingerprint;
    assert_true(emi_study_is(study, own));
    assert_int_equal(strlen(own), 49);
    for (size_t n = 0, used = 0; own[n]; n++)
        if (own[n] != ' ') typed[used++] = (char)(own[n] >= 'a' ? own[n] - 'a' + 'A' : own[n]);
    assert_int_equal(strlen(typed), 40);
    assert_true(emi_study_is(study, typed));
    (void)snprintf(typed, sizeof typed, "  %.4s-%s ", own, own + 5);
    assert_true(emi_study_is(study, typed));
    assert_false(emi_study_is(study, ""));
    assert_false(emi_study_is(study, "ba99"));
    for (size_t n = 0; own[n]; n++) {
        (void)snprintf(typed, sizeof typed, "%s", own);
        if (own[n] == ' ') continue;
        typed[n] = own[n] == '7' ? '8' : '7';
        assert_false(emi_study_is(study, typed));
        typed[n] = 0;
        assert_false(emi_study_is(study, typed));
    }
    (void)snprintf(typed, sizeof typed, "%s0", own);
    assert_false(emi_study_is(study, typed));
    emi_study_close(&study);
}

/* What is replaced by what, and then perhaps what else. */
enum { FROM, TO, THEN_FROM, THEN_TO, CHANGE };

static const char *const spellings[][CHANGE] = {
    {"[study]", "# a study\n[study]"},
    {"[study]", "   [study]   "},
    {"[study]", "[ study ]"},
    {"[study]", "[study] # what is asked"},
    {"[study]", "\n\n\n[study]"},
    {"[study]\n", "[study]\r\n"},
    {"name = heart", "name=heart"},
    {"name = heart", "name = liver"}, /* what it is called changes nothing of the answer */
    {"name = heart", "      name    =    heart     "},
    {"name = heart", "name = heart # by Ada"},
    {"name = heart\n", "name = heart\r\n\r\n"},
    {"components = 10", "components = 10 #"},
    {"components = 10", "components=10"},
    {"components = 10\ntolerance = 1e-6\n", "tolerance = 1e-6\ncomponents = 10\n"},
    {"components = 10\n", "components = 10\nmethod = auto\n"},
    {"components = 10\n", "components = 10\nseed = 0\n"},
    {"components = 10\n", "components = 10\nseed = 00\n"},
    {"components = 10\n", "components = 10\ncenter = yes\n"},
    {"components = 10\n", "components = 10\nstep = auto\n"},
    {"components = 10\n", "components = 10\nstep-decay = constant\n"},
    {"components = 10\n", "components = 10\niterations = auto\n"},
    {"components = 10\n", "components = 10\noversample = auto\n"},
    {"components = 10\n", "components = 10\nprecision = auto\n"},
    {"components = 10\n", "components = 10\nwire = auto\n"},
    {"components = 10\n", "components = 10\nqr-signs = positive\n"},
    {"components = 10\n", "components = 10\nrayleigh-ritz = yes\n"},
    {"components = 10\n", "components = 10\nconsensus-rounds = auto\n"},
    {"tolerance = 1e-6\n", ""}, /* it is the default */
    {"1e-6", "0.000001"},
    {"1e-6", "1E-6"},
    {"1e-6", "1e-06"},
    {"1e-6", ".000001"},
    {"1e-6", "+1e-6"},
    {"1e-6", "0.0000010000000000000000000"},
    {"1e-6", "10e-7"},
    {"1e-6", "9.9999999999999995e-07"}, /* the same double */
    {"[site berlin]", "[site   berlin]"},
    {"[site berlin]", "[  site berlin  ]"},
    {"id = em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm",
     "id = EM1TJWXMUNPE89CGPR4WA42ALXEGJ6Q2V504V50NVAFTM6QFYXNM6ZQD4QQGM"},
    {"address = berlin.example.org:7473\n", "", ID_2, ID_2 "\naddress = o:1"}, /* a hint */
    {"berlin.example.org:7473", "[2001:db8::1]:443"},
    {"berlin.example.org", "BERLIN"},
    {"192.0.2.7:7473", "192.0.2.8:1"},
    {"neighbours = paris, oslo", "neighbours = oslo, paris"},
    {"neighbours = paris, oslo", "neighbours=oslo,paris"},
    {"neighbours = paris, oslo", "neighbours =   oslo ,  paris # and nobody else"},
    {"paris, oslo", "oslo", "oslo\n\n[site oslo]", "oslo, berlin\n\n[site oslo]"}, /* named by the other end */
    {"neighbours = oslo\n", "", ID_2 "\n", ID_2 "\nneighbours = paris\n"},
    {"id = " ID_2 "\n", "id = " ID_2},
    {"id = " ID_2 "\n", "id = " ID_2 "\nneighbours = berlin, paris\n"},
    {"id = " ID_2 "\n", "neighbours = paris\nid = " ID_2 "\naddress = o:65535\n"},
    {"id = " ID_2 "\n", "id = " ID_2 "\n\n# the end #\n   \n"}};

enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static emi_study *parsed_with(const char *const change[CHANGE])
{
    char text[TEXT_ROOM], more[TEXT_ROOM];
    size_t size = changed(text, base, change[FROM], change[TO]);
    if (!change[THEN_FROM]) return parsed(text, size);
    size = changed(more, text, change[THEN_FROM], change[THEN_TO]);
    return parsed(more, size);
}

static void one_meaning_has_one_digest(void **state)
{
    (void)state;
    emi_study *first = parsed(base, sizeof base - 1);
    assert_true(SPELLINGS >= 50);
    for (int n = 0; n < SPELLINGS; n++) {
        emi_study *study = parsed_with(spellings[n]);
        assert_string_equal(study->canonical, first->canonical);
        assert_memory_equal(study->digest, first->digest, EMI_SHA_BYTES);
        assert_string_equal(study->fingerprint, first->fingerprint);
        emi_study_close(&study);
    }
    emi_study_close(&first);
}

/* The section of what is asked may stand behind those of the sites. */
static void sections_in_another_order(void **state)
{
    (void)state;
    char text[TEXT_ROOM];
    const char *sites = strstr(base, "[site berlin]");
    size_t size = (size_t)snprintf(text, sizeof text, "%s\n%.*s", sites, (int)(sites - base), base);
    emi_study *study = parsed(text, size), *first = parsed(base, sizeof base - 1);
    assert_string_equal(study->canonical, first->canonical);
    emi_study_close(&study);
    emi_study_close(&first);
}

static const char *const meanings[][CHANGE] = {
    {"components = 10", "components = 11"},
    {"components = 10", "components = 0.9"},
    {"components = 10", "components = 1"},
    {"components = 10\n", "components = 10\nmethod = krylov\n"},
    {"components = 10\n", "components = 10\nmethod = covariance\n"},
    {"components = 10\n", "components = 10\nmethod = dsa\n"},
    {"components = 10\n", "components = 10\nstep = 0.5\n"},
    {"components = 10\n", "components = 10\nstep = 0.50000000000000011\n"},
    {"components = 10\n", "components = 10\nstep-decay = sqrt\n"},
    {"components = 10\n", "components = 10\nstep-decay = power:0.2\n"},
    {"components = 10\n", "components = 10\nstep-decay = power:0.20000000000000004\n"},
    {"components = 10\n", "components = 10\nconsensus-rounds = 3\n"},
    {"components = 10\n", "components = 10\nqr-signs = free\n"},
    {"components = 10\n", "components = 10\nrayleigh-ritz = no\n"},
    {"components = 10\n", "components = 10\nprecision = single\n"},
    {"components = 10\n", "components = 10\nprecision = double\n"},
    {"components = 10\n", "components = 10\nwire = 32\n"},
    {"components = 10\n", "components = 10\nwire = 64\n"},
    {"components = 10\n", "components = 10\noversample = 0\n"},
    {"components = 10\n", "components = 10\niterations = 0\n"},
    {"components = 10\n", "components = 10\ncenter = no\n"},
    {"components = 10\n", "components = 10\nseed = 1\n"},
    {"components = 10\n", "components = 10\nseed = 9007199254740992\n"},
    {"components = 10\n", "components = 10\nseed = 9007199254740993\n"}, /* the same as a double */
    {"components = 10\n", "components = 10\nseed = 18446744073709551615\n"},
    {"tolerance = 1e-6", "tolerance = 1e-7"},
    {"tolerance = 1e-6", "tolerance = 0"},
    {"tolerance = 1e-6", "tolerance = 1"},
    {"tolerance = 1e-6", "tolerance = 1.0000000000000002e-06"},
    {"tolerance = 1e-6", "tolerance = 4.9406564584124654e-324"},
    {"scale = std", "scale = none"},
    {"scale = std", "scale = spectral"},
    {"masks = no", "masks = yes"},
    {"masks = no", "masks = no\nfollow = yes"},
    {"[site oslo]", "[site rome]\nid = " ID_3 "\nneighbours = berlin\n[site oslo]"},
    {"[site berlin]", "[site rome]\nid = " ID_3 "\nneighbours = berlin\n[site berlin]"},
    {"neighbours = oslo\n", ""},
    {"neighbours = paris, oslo", "neighbours = paris"},
    {ID_1, ID_3},
    {ID_2, ID_3},
    {ID_0 "\n", ID_1 "\n", ID_1 "\naddress = 192", ID_0 "\naddress = 192"}, /* exchanged */
    {"[site paris]", "[site lyon]", "paris, ", "lyon, "}};

enum { MEANINGS = sizeof meanings / sizeof *meanings };

/* A file of before there was this key keeps its fingerprint. */
static void not_following_is_the_same_as_silence(void **state)
{
    (void)state;
    static const char *const silence[CHANGE] = {"masks = no", "masks = no\nfollow = no"};
    emi_study *study = parsed(base, sizeof base - 1), *same = parsed_with(silence);
    assert_int_equal(same->follow, 0);
    assert_memory_equal(study->digest, same->digest, EMI_SHA_BYTES);
    emi_study_close(&same);
    emi_study_close(&study);
}

static void another_meaning_has_another_digest(void **state)
{
    (void)state;
    static unsigned char seen[MEANINGS + 1][EMI_SHA_BYTES];
    for (int n = 0; n <= MEANINGS; n++) {
        emi_study *study = n == MEANINGS ? parsed(base, sizeof base - 1) : parsed_with(meanings[n]);
        for (int before = 0; before < n; before++) assert_memory_not_equal(study->digest, seen[before], EMI_SHA_BYTES);
        memcpy(seen[n], study->digest, EMI_SHA_BYTES);
        emi_study_close(&study);
    }
}

/* A locale with a decimal comma changes nothing. */
static void whatever_the_locale(void **state)
{
    (void)state;
    emi_study *first = parsed(base, sizeof base - 1);
    if (!locale_with_comma()) {
        emi_study_close(&first);
        skip_for("a locale with a decimal comma: it cannot be had");
    }
    emi_study *study = parsed(base, sizeof base - 1);
    locale_plain();
    assert_string_equal(study->canonical, first->canonical);
    emi_study_close(&study);
    emi_study_close(&first);
}

/* ---- the network ------------------------------------------------------------------------------------------------------- */

static void sites_tree_and_dialling(void **state)
{
    (void)state;
    emi_study *study = parsed(base, sizeof base - 1);
    unsigned char id[EMI_ID_BYTES];
    assert_string_equal(study->name, "heart");
    assert_int_equal(study->site_count, 3);
    assert_string_equal(study->sites[0].host, "berlin.example.org");
    assert_int_equal(study->sites[0].port, 7473);
    assert_null(study->sites[2].host);
    assert_int_equal(study->edge_count, 3);
    assert_true(study->sites[0].parent == -1 && study->sites[0].depth == 0);
    assert_true(study->sites[1].parent == 0 && study->sites[2].parent == 0 && study->sites[2].depth == 1);
    assert_false(emi_study_mixes(study));
    assert_true(emi_study_uses(study, 0, 2) && emi_study_uses(study, 2, 0));
    assert_false(emi_study_uses(study, 1, 2));
    assert_int_equal(emi_study_dials(study, 0, 1), 1); /* both have an address: the later one */
    assert_int_equal(emi_study_dials(study, 1, 0), 1);
    assert_int_equal(emi_study_dials(study, 1, 2), 2);
    assert_int_equal(emi_id_read(ID_1, id), 0);
    assert_int_equal(emi_study_find(study, id), 1);
    assert_int_equal(emi_id_read(ID_3, id), 0);
    assert_int_equal(emi_study_find(study, id), -1);
    emi_study_close(&study);
    assert_null(study);
    emi_study_close(&study);
}

/* Who has no address dials, wherever in the file. */
static void the_earlier_dials_where_it_has_no_address(void **state)
{
    (void)state;
    emi_study *study = parsed_with((const char *const[CHANGE]){"address = berlin.example.org:7473\n", "", ID_2 "\n",
                                                               ID_2 "\naddress = [2001:db8::7]:80\n"});
    assert_string_equal(study->sites[2].host, "2001:db8::7");
    assert_int_equal(emi_study_dials(study, 0, 1), 0);
    assert_int_equal(emi_study_dials(study, 1, 2), 2);
    emi_study_close(&study);
}

enum { TREE = 5 };

static emi_study *network_of(const char *const neighbours[TREE])
{
    char text[TEXT_ROOM], id[EMI_ID_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "[study]\nname = t\ncomponents = 1\n");
    for (int n = 0; n < TREE; n++) {
        unsigned char bytes[EMI_ID_BYTES];
        memset(bytes, n + 1, sizeof bytes);
        emi_id_write(bytes, id);
        used += (size_t)snprintf(text + used, sizeof text - used, "[site s%d]\nid = %s\naddress = h:%d\n%s%s\n", n, id,
                                 n + 1, neighbours[n] ? "neighbours = " : "", neighbours[n] ? neighbours[n] : "");
    }
    return parsed(text, used);
}

/* The tree is by numbers: of two ways of one length, over the site that was reached first. */
static void the_tree_is_breadth_first_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *neighbours[TREE];
        int parents[TREE], depths[TREE];
    } tries[] = {{{"s1, s2", "s3", "s3, s4", "s4", NULL}, {-1, 0, 0, 1, 2}, {0, 1, 1, 2, 2}},
                 {{"s4", "s4", "s3", "s4", NULL}, {-1, 4, 3, 4, 0}, {0, 2, 3, 2, 1}},
                 {{"s1", "s2", "s3", "s4", "s0"}, {-1, 0, 1, 4, 0}, {0, 1, 2, 2, 1}},
                 {{"s3, s2", "s2, s3", NULL, "s4", "s2"}, {-1, 2, 0, 0, 2}, {0, 2, 1, 1, 2}}};
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        emi_study *study = network_of(tries[n].neighbours);
        for (int s = 0; s < TREE; s++) {
            assert_int_equal(study->sites[s].parent, tries[n].parents[s]);
            assert_int_equal(study->sites[s].depth, tries[n].depths[s]);
        }
        emi_study_close(&study);
    }
}

static void the_graph_is_what_the_method_uses(void **state)
{
    (void)state;
    for (int i = -1; i < 0 || em_method(i); i++) {
        char text[TEXT_ROOM], line[64];
        const char *name = i < 0 ? "auto" : em_method(i)->name;
        em_graph *graph = NULL;
        if (i >= 0 && em_method(i)->single_node) continue;
        (void)snprintf(line, sizeof line, "scale = std\nmethod = %s\n", name);
        emi_study *study = parsed(text, changed(text, base, "scale = std\n", line));
        int tree = !strcmp(name, "auto") || !strcmp(name, "krylov") || !strcmp(name, "covariance");
        assert_int_equal(emi_study_mixes(study), !tree);
        assert_ok(emi_study_graph(study, &graph, &err), &err);
        assert_int_equal(em_graph_nodes(graph), 3);
        assert_int_equal(em_graph_edges(graph), tree ? 2 : 3);
        for (size_t e = 0; e < em_graph_edges(graph); e++) {
            int a, b;
            em_graph_edge(graph, e, &a, &b);
            assert_true(emi_study_uses(study, a, b));
        }
        em_graph_free(&graph);
        emi_study_close(&study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(canonical_text_and_digest_as_python_has_them),
                                       cmocka_unit_test(the_fingerprint_as_it_is_typed),
                                       cmocka_unit_test(one_meaning_has_one_digest),
                                       cmocka_unit_test(sections_in_another_order),
                                       cmocka_unit_test(another_meaning_has_another_digest),
                                       cmocka_unit_test(not_following_is_the_same_as_silence),
                                       cmocka_unit_test(whatever_the_locale),
                                       cmocka_unit_test(sites_tree_and_dialling),
                                       cmocka_unit_test(the_earlier_dials_where_it_has_no_address),
                                       cmocka_unit_test(the_tree_is_breadth_first_by_number),
                                       cmocka_unit_test(the_graph_is_what_the_method_uses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
