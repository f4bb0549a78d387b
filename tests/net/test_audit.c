/* The audit log: what the library writes is found right, and whatever is done to it afterwards is found out. */
#include "audit_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static small_study heart;
static const char *clean[SITES];
static char clean_paths[SITES][512];

static int set_up(void **state)
{
    (void)state;
    const char *paths[SITES];
    study_open(&heart, "heart");
    study_run(&heart, "clean", NULL, paths);
    for (int n = 0; n < SITES; n++) {
        (void)snprintf(clean_paths[n], sizeof clean_paths[n], "%s", paths[n]);
        clean[n] = clean_paths[n];
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    study_close(&heart);
    return 0;
}

/* The logs of all, with that of one site exchanged. */
static em_status check_with(found *f, int site, const char *path)
{
    const char *paths[SITES] = {clean[BERLIN], clean[PARIS], clean[OSLO]};
    paths[site] = path;
    return check_logs(f, paths, SITES);
}

static const char *at_line(int line)
{
    static char text[32];
    (void)snprintf(text, sizeof text, ", line %d: ", line);
    return text;
}

/* "NAME.log (SITE), line LINE: WORDS" is among the findings. */
static void assert_found(const found *f, int site, int line, const char *words)
{
    char start[96];
    (void)snprintf(start, sizeof start, "attacked.log (%s), line %d: %s", heart.sites[site].name, line, words);
    if (found_both(f, start, "")) return;
    print_error("'%s' is not among:\n%s", start, f->text);
    fail();
}

static void clean_logs_agree(void **state)
{
    (void)state;
    found f;
    assert_int_equal(check_logs(&f, clean, SITES), EM_OK);
    for (int n = 0; n < SITES; n++) assert_int_equal(check_logs(&f, &clean[n], 1), EM_OK);
    const char *two[] = {clean[OSLO], clean[PARIS]};
    assert_int_equal(check_logs(&f, two, 2), EM_OK);
}

/* Nobody is accused of what a kill or a slow link does. */
static void trouble_is_no_finding(void **state)
{
    (void)state;
    const char *paths[SITES];
    found f;
    study_run_with_trouble(&heart, "trouble", paths);
    if (check_logs(&f, paths, SITES) != EM_OK) fail_msg("%s", f.text);
}

/* Any byte of any line, made another one. */
static void a_changed_byte_is_found(void **state)
{
    (void)state;
    static const char others[] = {'0', '9', 'a', '"', '\\', '\n', '}', '\x01', '\xff', ' '};
    size_t size, turn = 0;
    char *bytes = log_bytes(clean[BERLIN], &size);
    int line = 1;
    for (size_t n = 0; n + 1 < size; n++) {
        char was = bytes[n], other = others[turn++ % sizeof others];
        if (other == was) other = (char)(was ^ 1);
        bytes[n] = other;
        const char *path = scratch_file("attacked.log", bytes, size);
        found f;
        assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
        if (!found_both(&f, "attacked.log", at_line(line)) && was != '\n') {
            print_error("byte %zu, line %d, %d to %d:\n%s", n, line, was, other, f.text);
            fail();
        }
        assert_true(f.count <= 4);
        bytes[n] = was;
        line += was == '\n';
    }
    free(bytes);
}

/* The same at the other sites, in fewer places, and with all logs at hand. */
static void a_changed_line_is_found_among_all(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        lines_read(&l, clean[site]);
        for (int n = 0; n < l.count; n++) {
            found f;
            char *digit = strstr(l.lines[n], "\"time\":\"") + 20;
            *digit = *digit == '1' ? '2' : '1';
            assert_int_equal(check_with(&f, site, lines_write(&l, "attacked.log")), EM_EDATA);
            *digit = (char)(*digit == '1' ? '2' : '1');
            assert_true(found_both(&f, "attacked.log", at_line(n + 1)));
            lines_free(&l);
            lines_read(&l, clean[site]);
        }
        lines_free(&l);
    }
}

static void a_missing_line_is_found(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        lines_read(&l, clean[site]);
        int count = l.count;
        for (int gone = 0; gone + 1 < count; gone++) {
            found f;
            log_lines less = {.count = count - 1};
            for (int n = 0; n < count - 1; n++) less.lines[n] = l.lines[n + (n >= gone)];
            assert_int_equal(check_with(&f, site, lines_write(&less, "attacked.log")), EM_EDATA);
            if (gone > 0) {
                assert_found(&f, site, gone + 1, "missing");
                assert_false(found_both(&f, "attacked.log", ": changed"));
            } else {
                assert_true(found_both(&f, "attacked.log, line 1: missing", ""));
            }
        }
        lines_free(&l);
    }
}

static void lines_in_another_order_are_found(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        lines_read(&l, clean[site]);
        for (int a = 0; a < l.count; a++) {
            for (int b = a + 1; b < l.count; b++) {
                found f;
                char *line = l.lines[a];
                l.lines[a] = l.lines[b], l.lines[b] = line;
                const char *path = lines_write(&l, "attacked.log");
                assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
                assert_found(&f, site, a + 1, "moved");
                assert_false(found_both(&f, "attacked.log", ": changed"));
                if (b > a + 1) assert_found(&f, site, b + 1, "moved");
                line = l.lines[a], l.lines[a] = l.lines[b], l.lines[b] = line;
            }
        }
        lines_free(&l);
    }
}

/* The tail gone, which no log can know of itself. */
static void a_cut_tail_is_found(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        lines_read(&l, clean[site]);
        int count = l.count;
        for (int kept = 1; kept < count; kept++) {
            found f;
            log_lines less = l;
            less.count = kept;
            const char *path = lines_write(&less, "attacked.log");
            assert_int_equal(check_logs(&f, &path, 1), EM_OK);
            assert_int_equal(check_with(&f, site, path), EM_EDATA);
            assert_found(&f, site, kept, "the log ends here");
        }
        lines_free(&l);
    }
}

/* The same where the study never came to its end: found as far as neighbours were told of the lines, or got a block. */
static void a_cut_tail_is_found_before_the_end(void **state)
{
    (void)state;
    char kept_paths[SITES][512];
    const char *paths[SITES] = {kept_paths[0], kept_paths[1], kept_paths[2]};
    int last[SITES] = {0};
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        char name[32];
        lines_read(&l, clean[site]);
        for (int n = 0; n < l.count; n++)
            if (strstr(l.lines[n], "\"direction\":\"sent\"")) last[site] = n + 1;
        free(l.lines[--l.count]), free(l.lines[--l.count]); /* model and end */
        (void)snprintf(name, sizeof name, "open%d.log", site);
        (void)snprintf(kept_paths[site], sizeof kept_paths[site], "%s", lines_write(&l, name));
        lines_free(&l);
    }
    for (int site = 0; site < SITES; site++) {
        log_lines l;
        found f;
        assert_int_equal(check_logs(&f, paths, SITES), EM_OK);
        lines_read(&l, paths[site]);
        for (int kept = 1; kept < last[site]; kept++) {
            const char *others[SITES] = {paths[0], paths[1], paths[2]};
            log_lines less = l;
            less.count = kept;
            others[site] = lines_write(&less, "attacked.log");
            assert_int_equal(check_logs(&f, others, SITES), EM_EDATA);
            assert_true(found_both(&f, "attacked.log (", "among those sent") ||
                        found_both(&f, "attacked.log (", "cut or rewritten"));
        }
        lines_free(&l);
    }
}

static void change_time(char *line)
{
    char *digit = strstr(line, "\"time\":\"") + 8 + 18;
    *digit = *digit == '0' ? '1' : '0';
}

/* Someone without the key changes a line and makes all digests anew: the next signature tells. */
static void a_new_chain_without_the_key_is_found(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site++) {
        int count = LINES_MOST;
        for (int n = 0; n < count; n++) {
            log_lines l;
            found f;
            int signer = n;
            lines_read(&l, clean[site]);
            count = l.count;
            while (!line_is_signed(l.lines[signer])) signer++;
            change_time(l.lines[n]);
            lines_chain(&l, n + 1, NULL);
            const char *path = lines_write(&l, "attacked.log");
            assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
            assert_found(&f, site, signer + 1, "");
            assert_true(found_both(&f, at_line(signer + 1), "signature"));
            /* or leaves a line out */
            if (n > 0 && n + 1 < count && !line_is_signed(l.lines[n])) {
                free(l.lines[n]);
                memmove(&l.lines[n], &l.lines[n + 1], (size_t)(count - n - 1) * sizeof *l.lines);
                l.count--;
                lines_chain(&l, n, NULL);
                path = lines_write(&l, "attacked.log");
                assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
                assert_found(&f, site, signer, "");
            }
            lines_free(&l);
        }
    }
}

/* A signature taken away is no way out. */
static void a_line_that_must_be_signed_is(void **state)
{
    (void)state;
    log_lines l;
    lines_read(&l, clean[PARIS]);
    int count = l.count;
    for (int n = 0; n < count; n++) {
        if (line_is_signed(l.lines[n])) {
            found f;
            (void)snprintf(strstr(l.lines[n], ",\"signature\""), 2, "}");
            lines_chain(&l, n + 1, NULL);
            assert_int_equal(check_with(&f, PARIS, lines_write(&l, "attacked.log")), EM_EDATA);
            assert_found(&f, PARIS, n + 1, "not signed");
        }
        lines_free(&l);
        lines_read(&l, clean[PARIS]);
    }
    lines_free(&l);
}

/* The site itself can sign whatever it likes: its neighbours' logs tell, up to the last line they were told of. */
static void a_log_written_anew_by_its_site_is_found(void **state)
{
    (void)state;
    for (int site = 0; site < SITES; site += OSLO) {
        log_lines l;
        int told = 0;
        lines_read(&l, clean[site]);
        for (int n = 0; n < l.count; n++)
            if (strstr(l.lines[n], "\"what\":\"up\"")) told = n; /* its own line is named by nobody */
        lines_free(&l);
        for (int n = 0; n < told; n++) {
            found f;
            lines_read(&l, clean[site]);
            change_time(l.lines[n]);
            lines_chain(&l, n, heart.keys[site]);
            assert_int_equal(check_with(&f, site, lines_write(&l, "attacked.log")), EM_EDATA);
            assert_true(found_both(&f, "attacked.log (", "cut or rewritten"));
            lines_free(&l);
        }
    }
}

/* A line that its site has put in again, or left out, with all digests and signatures made anew. */
static void a_line_said_twice_or_never_is_found(void **state)
{
    (void)state;
    static const char *const kinds[] = {"\"sent\"", "\"received\"", "\"sum\"", "\"start\""};
    static const char *const twice[] = {"is in line", "is in line", "comes next", "for the second time"};
    static const char *const never[] = {"among those sent", "among those received", "the run's first here", "no start"};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        log_lines l;
        found f;
        int n = 0;
        lines_read(&l, clean[PARIS]);
        while (!strstr(l.lines[n], kinds[kind])) n++;
        memmove(&l.lines[n + 1], &l.lines[n], (size_t)(l.count++ - n) * sizeof *l.lines);
        l.lines[n + 1] = strdup(l.lines[n]);
        lines_chain(&l, n, heart.keys[PARIS]);
        assert_int_equal(check_with(&f, PARIS, lines_write(&l, "attacked.log")), EM_EDATA);
        assert_found(&f, PARIS, n + 2, "");
        assert_true(found_both(&f, "attacked.log", twice[kind]));
        for (int again = 0; again < 2; again++) {
            free(l.lines[n]);
            memmove(&l.lines[n], &l.lines[n + 1], (size_t)(--l.count - n) * sizeof *l.lines);
        }
        lines_chain(&l, n, heart.keys[PARIS]);
        assert_int_equal(check_with(&f, PARIS, lines_write(&l, "attacked.log")), EM_EDATA);
        assert_true(found_both(&f, "attacked.log", never[kind]));
        lines_free(&l);
    }
}

/* ---- what sites say differently ----------------------------------------------------------------------------------- */

static void expect_lie(const lie *told, const char *where, const char *words)
{
    const char *paths[SITES];
    found f;
    study_run(&heart, "lie", told, paths);
    assert_int_equal(check_logs(&f, paths, SITES), EM_EDATA);
    if (found_both(&f, where, words)) return;
    print_error("'%s ... %s' is not among:\n%s", where, words, f.text);
    fail();
}

static void lies_are_found(void **state)
{
    (void)state;
    expect_lie(&(lie){.site = PARIS, .run = 1}, "lie-paris.log (paris), line 3: ", "that the root's log, ");
    expect_lie(&(lie){.site = BERLIN, .run = 1}, "lie-oslo.log (oslo), line 3: ", "that the root's log, ");
    expect_lie(&(lie){.site = OSLO, .iteration = 1}, "lie-oslo.log (oslo), line 3: ", "at iteration 7, and line 5 of ");
    for (int view = 1; view <= 2; view++)
        expect_lie(&(lie){.site = OSLO, .view = view}, view == 1 ? "(oslo), line 5: " : "(oslo), line 8: ",
                   view == 1 ? "the view of sum 1" : "the view of sum 2");
    for (int block = 1; block <= 2; block++) {
        expect_lie(&(lie){.site = PARIS, .block = block}, block == 1 ? "(paris), line 6: " : "(paris), line 9: ",
                   block == 1 ? "block 0 to berlin is another one" : "block 1 to berlin is another one");
        expect_lie(&(lie){.site = BERLIN, .block = block}, "lie-berlin.log (berlin), line ", "is another one");
    }
    expect_lie(&(lie){.site = PARIS, .model = 1}, "(paris), line 11: ", "the model is another one");
}

static void logs_of_other_studies_are_said_to_be_so(void **state)
{
    (void)state;
    small_study lung;
    const char *other[SITES], *mixed[] = {clean[BERLIN], clean[OSLO], NULL}, *twins[] = {clean[OSLO], clean[OSLO]};
    found f;
    study_open(&lung, "lung");
    study_run(&lung, "lung", NULL, other);
    mixed[2] = other[PARIS];
    assert_int_equal(check_logs(&f, mixed, 3), EM_EDATA);
    assert_int_equal(f.count, 1);
    assert_true(found_both(&f, "lung-paris.log (paris): of another study (0000 1111 2222 of lung)", "of heart"));
    assert_int_equal(check_logs(&f, twins, 2), EM_EDATA);
    assert_true(f.count == 1 && found_both(&f, "a second log of this site", ""));
    study_close(&lung);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clean_logs_agree),
                                       cmocka_unit_test(trouble_is_no_finding),
                                       cmocka_unit_test(a_changed_byte_is_found),
                                       cmocka_unit_test(a_changed_line_is_found_among_all),
                                       cmocka_unit_test(a_missing_line_is_found),
                                       cmocka_unit_test(lines_in_another_order_are_found),
                                       cmocka_unit_test(a_cut_tail_is_found),
                                       cmocka_unit_test(a_cut_tail_is_found_before_the_end),
                                       cmocka_unit_test(a_new_chain_without_the_key_is_found),
                                       cmocka_unit_test(a_line_that_must_be_signed_is),
                                       cmocka_unit_test(a_log_written_anew_by_its_site_is_found),
                                       cmocka_unit_test(a_line_said_twice_or_never_is_found),
                                       cmocka_unit_test(lies_are_found),
                                       cmocka_unit_test(logs_of_other_studies_are_said_to_be_so)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
