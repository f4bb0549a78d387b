/* Study files that are wrong: each is refused with its line and in its own words, and nothing else happens. */
#include "net/study.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_texts.h"

static em_error err;

static void refused(const char *text, size_t size, const char *words)
{
    emi_study *study = NULL;
    assert_fails(emi_study_parse(&study, "heart.study", text, size, &err), EM_EDATA, words, &err);
    assert_null(study);
    assert_memory_equal(err.msg, "heart.study: ", 13);
    assert_non_null(strstr(err.msg, "; try "));
}

static const struct {
    const char *from, *to, *words;
} wrong[] = {
    /* syntax */
    {"[study]\n", "[study]\nname\n", "line 2: is neither a section nor a key"},
    {"name = heart", "name =", "line 2: is neither a section nor a key"},
    {"name = heart", "= heart", "line 2: is neither a section nor a key"},
    {"name = heart", "name = # heart", "line 2: is neither a section nor a key"},
    {"[study]", "[study", "line 1: begins like a section"},
    {"[study]", "[]", "line 1: begins like a section"},
    {"[study]", "[study] x", "line 1: begins like a section"},
    {"[study]", "", "line 2: stands before any section"},
    {"[study]", "name = x\n[study]", "line 1: stands before any section"},
    {"name = heart", "name =\theart", "line 2, column 7: a tab; try blanks"},
    {"name = heart", "# caf\xc3\xa9\nname = heart", "line 2, column 6: a character that is not ASCII"},
    {"paris]", "p\xd0\xb0ris]", "line 13, column 8: a character that is not ASCII"}, /* a Cyrillic a */
    {"[study]", "\xef\xbb\xbf[study]", "line 1: begins with a byte-order mark"},
    {"[study]", "\xff\xfe[study]", "line 1, column 1: a character that is not ASCII"},
    {"name = heart", "name = he\rart", "line 2, column 10: a carriage return"},
    {"name = heart", "name = heart\r\r", "line 2, column 13: a carriage return"},
    {"name = heart", "name = he\x1b[1mart", "line 2, column 10: a control character"},
    {"name = heart", "name = heart\x7f", "line 2, column 13: a control character"},
    /* sections */
    {"[study]", "[studies]", "line 1: there is no section [studies]"},
    {"[study]", "[study heart]", "line 1: there is no section [study heart]"},
    {"[study]", "[Study]", "line 1: there is no section [Study]"},
    {"[site berlin]", "[site]", "line 8: there is no section [site]"},
    {"[site berlin]", "[study]\n[site berlin]", "line 8: there is a [study] already, in line 1"},
    {"[site paris]", "[site berlin]", "line 13: there is a site berlin already, in line 8"},
    {"[site paris]", "[site Paris]", "line 13: 'Paris' is no name"},
    {"[site paris]", "[site paris sud]", "line 13: 'paris sud' is no name"},
    {"[site paris]", "[site par_is]", "line 13: 'par_is' is no name"},
    {"[site paris]", "[site ../paris]", "line 13: '../paris' is no name"},
    {"[site paris]", "[site a23456789-123456789-123456789-123]", "line 13: a name has up to 32 characters"},
    /* keys */
    {"name = heart", "name = heart\nname = heart", "line 3: 'name' is there already, in line 2"},
    {"scale = std", "scale = std\ncomponents = 5", "line 6: 'components' is there already, in line 3"},
    {"masks = no", "masks = no\nmasks = no", "line 7: 'masks' is there already, in line 6"},
    {"neighbours = oslo", "neighbours = oslo\nneighbours = berlin", "line 17: 'neighbours' is there already"},
    {"address = 192.0.2.7:7473", "address = a:1\naddress = a:1", "line 16: 'address' is there already, in line 15"},
    {"scale = std", "id = " ID_3, "line 5: a study has no 'id'"},
    {"scale = std", "weights = lazy", "line 5: a study has no 'weights'"},
    {"scale = std", "Scale = std", "line 5: a study has no 'Scale'"},
    {"neighbours = oslo", "neighbors = oslo", "line 16: a site has no 'neighbors'; try id, address or neighbours"},
    {"neighbours = oslo", "scale = std", "line 16: a site has no 'scale'"},
    /* values of [study] */
    {"name = heart", "name = Heart", "line 2: 'Heart' is no name"},
    {"name = heart\n", "", "line 1: the study has no name"},
    {"components = 10\n", "", "asks for no components; try components = 10"},
    {"components = 10", "components = 0", "line 3: components 0: not a number of vectors"},
    {"components = 10", "components = ten", "line 3: components ten: neither"},
    {"components = 10", "components = 10 20", "line 3: components 10 20: neither"},
    {"components = 10", "components = 1.5", "line 3: components 1.5: neither"},
    {"components = 10", "components = 10#", "line 3: components 10#: neither"},
    {"1e-6", "nan", "line 4: tolerance nan: not a number"},
    {"1e-6", "0x1p-20", "line 4: tolerance 0x1p-20: not a number"},
    {"1e-6", "1,5", "line 4: tolerance 1,5: not a number"},
    {"scale = std", "scale = STD", "line 5: scale STD: no such scaling"},
    {"scale = std", "method = nonsense", "line 5: method nonsense: no such method"},
    {"scale = std", "method = oi", "line 5: method oi runs only where all rows are in one place"},
    {"scale = std", "seed = -1", "line 5: seed -1: not a number"},
    {"scale = std", "seed = 18446744073709551616", "line 5: seed 18446744073709551616: not a number"},
    {"masks = no", "masks = maybe", "line 6: 'masks' is yes or no, not 'maybe'"},
    {"masks = no", "masks = yes\nmethod = dsa",
     "has masks, as a study does that says nothing of them, and a method that"},
    {"masks = no", "masks = no\nfollow = often", "line 7: 'follow' is yes or no, not 'often'"},
    {"masks = no", "follow = yes", "totals before and after tell the new rows"},
    {"masks = no", "method = deepca", "try method = krylov, or masks = no"},
    {"scale = std", "scale = aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbc",
     "line 5: the value of 'scale'"},
    /* what is no matter of a study */
    {"scale = std", "max-seconds = 60", "line 5: 'max-seconds' would let clocks decide"},
    {"scale = std", "truth = compute", "line 5: 'truth' would take all rows to one place"},
    {"scale = std", "trace = all", "line 5: 'trace' is no part of the answer"},
    {"scale = std", "checkpoint = x", "line 5: 'checkpoint' is kept by the root"},
    {"scale = std", "checkpoint-every = 5", "line 5: 'checkpoint-every' is kept by the root"},
    {"scale = std", "resume = yes", "line 5: 'resume' happens by itself"},
    {"scale = std", "threads = 4", "line 5: a study has no 'threads'"},
    /* sites */
    {"id = " ID_1 "\n", "", "line 13: paris has no id"},
    {ID_1, "em1", "line 14: 'em1' is no id"},
    {ID_1, ID_1 "q", "is no id, or one with a wrong character"},
    {"em16p9ty", "em16p9tz", "line 14: "},
    {"em16p9ty", "Em16p9ty", "is no id"},
    {ID_1, ID_0, "line 14: the id is that of berlin too, in line 9"},
    {"192.0.2.7:7473", "192.0.2.7", "line 15: '192.0.2.7' is no address"},
    {"192.0.2.7:7473", "192.0.2.7:", "is no address"},
    {"192.0.2.7:7473", ":7473", "is no address"},
    {"192.0.2.7:7473", "7473", "is no address"},
    {"192.0.2.7:7473", "h:0", "is no address"},
    {"192.0.2.7:7473", "h:65536", "is no address"},
    {"192.0.2.7:7473", "h:800000", "try paris.example.org:7473"},
    {"192.0.2.7:7473", "h:80x", "is no address"},
    {"192.0.2.7:7473", "h:-80", "is no address"},
    {"192.0.2.7:7473", "http://h:80", "is no address"},
    {"192.0.2.7:7473", "a b:80", "is no address"},
    {"192.0.2.7:7473", "2001:db8::7:80", "is no address"},
    {"192.0.2.7:7473", "[2001:db8::7]", "is no address"},
    {"192.0.2.7:7473", "[2001:db8::7:80", "is no address"},
    {"192.0.2.7:7473", "[]:80", "is no address"},
    {"192.0.2.7:7473", "-h:80", "is no address"},
    {"192.0.2.7:7473", "[192.0.2.7]:80", "is no address"},
    {"192.0.2.7:7473", "[fe80::7%eth0]:80", "line 15: '[fe80::7%eth0]:80' is no address"},
    /* neighbours */
    {"paris, oslo", "paris, rome", "line 11: there is no site 'rome'"},
    {"paris, oslo", "paris, os", "line 11: there is no site 'os'"},
    {"paris, oslo", "paris, oslos", "line 11: there is no site 'oslos'"},
    {"paris, oslo", "paris oslo", "line 11: there is no site 'paris oslo'"},
    {"paris, oslo", "paris,, oslo", "line 11: a neighbour is missing at a comma"},
    {"paris, oslo", "paris, oslo,", "line 11: a neighbour is missing at a comma"},
    {"paris, oslo", ",", "line 11: a neighbour is missing at a comma"},
    {"paris, oslo", "berlin, oslo", "line 11: berlin would be its own neighbour"},
    {"paris, oslo", "paris, oslo, paris", "line 11: paris is named twice"},
    {"paris, oslo", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "line 11: there is no site 'aaaa"},
    {"neighbours = paris, oslo\n", "", "paris, oslo cannot be reached from berlin; try"},
    {"address = berlin.example.org:7473\n", "", "berlin and oslo are to be linked, and neither has an address"},
};

static void each_in_its_own_words(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        char text[TEXT_ROOM];
        refused(text, changed(text, base, wrong[n].from, wrong[n].to), wrong[n].words);
    }
}

static void too_few_or_too_much(void **state)
{
    (void)state;
    static const char two[] = "[study]\nname = x\ncomponents = 1\n[site a]\nid = " ID_0 "\naddress = a:1\n"
                              "neighbours = b\n[site b]\nid = " ID_1 "\n";
    static const char one[] = "[study]\nname = x\ncomponents = 1\n[site a]\nid = " ID_0 "\n";
    refused("", 0, "has no section [study]");
    refused("\n# nothing\n", 11, "has no section [study]");
    refused(one, 31, "has no sites, and a study is between two or more");
    refused(one, sizeof one - 1, "has one site, and a study is between two or more");
    refused(two, sizeof two - 1, "has masks, as a study does that says nothing of them, and two sites");
    refused("[study]\nname = \0", 16, "line 2, column 8: a zero byte, as in UTF-16");
    refused("[\0s\0t\0", 6, "line 1, column 2: a zero byte");
}

/* Of the text: `count` bytes of it are so many. */
static void long_line(size_t count, const char *words)
{
    static char text[3 << 20];
    size_t size = (size_t)snprintf(text, TEXT_ROOM, "%s", base);
    memset(text + size, ' ', count);
    text[size] = '#';
    if (words) {
        refused(text, size + count, words);
        return;
    }
    emi_study *study = NULL;
    assert_ok(emi_study_parse(&study, "heart.study", text, size + count, &err), &err);
    emi_study_close(&study);
}

static void long_lines_and_files(void **state)
{
    (void)state;
    static char text[(1 << 20) + 1];
    long_line(4096, NULL);
    long_line(4097, "line 20: is longer than 4096 bytes");
    long_line(1000000, "line 20: is longer than 4096 bytes");
    long_line(2 << 20, "is larger than 1 MiB");
    size_t size = (size_t)snprintf(text, sizeof text, "%s", base);
    memset(text + size, '\n', sizeof text - size);
    emi_study *study = NULL;
    assert_ok(emi_study_parse(&study, "heart.study", text, sizeof text - 1, &err), &err); /* exactly 1 MiB */
    emi_study_close(&study);
    refused(text, sizeof text, "is larger than 1 MiB");
}

/* Neither a cut nor a changed byte does any harm; what opens has all that a study has. */
static void damaged_files(void **state)
{
    (void)state;
    static const char others[] = {0, '\n', '\r', '\t', ' ', '#', '=', '[', ']', ',', ':', '0', 'a', (char)0xff};
    char text[TEXT_ROOM];
    for (size_t cut = 0; cut < sizeof base - 1; cut++)
        for (size_t n = 0; n < sizeof others; n++) {
            emi_study *study = NULL;
            memcpy(text, base, sizeof base);
            text[cut] = others[n];
            em_status status = emi_study_parse(&study, "x", text, n ? sizeof base - 1 : cut, &err);
            assert_true((status == EM_OK) == (study != NULL));
            if (study) assert_true(study->site_count >= 2 && study->canonical_size > 100);
            emi_study_close(&study);
        }
}

static size_t many_sites(char *text, size_t room, int count, int all)
{
    size_t used = (size_t)snprintf(text, room, "[study]\nname = x\ncomponents = 1\n");
    for (int n = 0; n < count; n++) {
        unsigned char bytes[EMI_ID_BYTES] = {(unsigned char)n, (unsigned char)(n >> 8)};
        char id[EMI_ID_TEXT];
        emi_id_write(bytes, id);
        used += (size_t)snprintf(text + used, room - used, "[site s%d]\nid=%s\naddress=h:1\n", n, id);
        if (n) used += (size_t)snprintf(text + used, room - used, "neighbours=s0");
        for (int other = 1; all && other < n; other++)
            used += (size_t)snprintf(text + used, room - used, ",s%d", other);
        text[used++] = '\n';
    }
    text[used] = 0;
    return used;
}

static void very_many_sites(void **state)
{
    (void)state;
    static char text[1 << 20];
    emi_study *study = NULL;
    size_t size = many_sites(text, sizeof text, 1024, 0);
    assert_ok(emi_study_parse(&study, "x", text, size, &err), &err);
    assert_int_equal(study->edge_count, 1023);
    emi_study_close(&study);
    refused(text, many_sites(text, sizeof text, 1025, 0), "there are more than 1024 sites");
    refused(text, many_sites(text, sizeof text, 200, 1), "200 sites with 19900 edges are more than can be told");
    many_sites(text, sizeof text, 20, 0);
    for (char *named = strstr(text, "neighbours=s0"); named; named = strstr(named, "neighbours=s0"))
        memcpy(named, "# nobody     ", 13);
    refused(text, strlen(text), "s1, s2, s3, s4, s5, s6, s7, s8 and 11 more cannot be reached from s0");
}

/* All edges are used by methods that mix, so all must have somebody to dial. */
static void an_edge_beside_the_tree_needs_an_address_too(void **state)
{
    (void)state;
    char half[TEXT_ROOM], text[TEXT_ROOM];
    emi_study *study = NULL;
    size_t size = changed(half, base, "address = 192.0.2.7:7473\n", ""); /* paris - oslo: beside the tree */
    assert_ok(emi_study_parse(&study, "x", half, size, &err), &err);
    emi_study_close(&study);
    size = changed(text, half, "scale = std", "scale = std\nmethod = dsa");
    refused(text, size, "paris and oslo are to be linked, and neither has an address");
}

static void files(void **state)
{
    (void)state;
    emi_study *study = NULL;
    char text[TEXT_ROOM];
    assert_ok(emi_study_open(&study, scratch_file("good", base, sizeof base - 1), &err), &err);
    emi_study_close(&study);
    assert_fails(emi_study_open(&study, scratch("none"), &err), EM_EIO, "cannot be opened", &err);
    assert_fails(emi_study_open(&study, scratch("."), &err), EM_EIO, "cannot be read", &err);
    assert_fails(emi_study_open(&study, "/dev/zero", &err), EM_EDATA, "larger than 1 MiB", &err);
    size_t size = changed(text, base, "masks = no\n", "");
    assert_ok(emi_study_open(&study, scratch_file("masked", text, size), &err), &err);
    assert_int_equal(study->masks, 1);
    emi_study_close(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_in_its_own_words),
                                       cmocka_unit_test(too_few_or_too_much),
                                       cmocka_unit_test(long_lines_and_files),
                                       cmocka_unit_test(damaged_files),
                                       cmocka_unit_test(very_many_sites),
                                       cmocka_unit_test(an_edge_beside_the_tree_needs_an_address_too),
                                       cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
