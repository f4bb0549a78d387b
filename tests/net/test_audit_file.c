/* The audit log as a file: who may write it, how it goes on after a crash, and what is no line of it. */
#include "audit_logs.h"
#include "net/audit_line.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static small_study heart;

static int set_up(void **state)
{
    (void)state;
    study_open(&heart, "heart");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    study_close(&heart);
    return 0;
}

static em_status open_berlin(emi_audit **audit, const char *path, em_error *err)
{
    return emi_audit_open(audit, path, &heart.study, BERLIN, heart.keys[BERLIN], err);
}

/* hashlib and another Ed25519 agree with all of it. */
static void python_agrees(void **state)
{
    (void)state;
    const char *paths[SITES];
    if (system("python3 -c 1 2>/dev/null") != 0) skip_for("there is no python3");
    if (system("python3 -c 'import cryptography' 2>/dev/null") != 0)
        print_message("skipped: signatures by Python: there is no cryptography\n");
    study_run(&heart, "python", NULL, paths);
    for (int n = 0; n < SITES; n++) {
        char command[2048];
        (void)snprintf(command, sizeof command, "python3 " EM_TEST_DATA "/net/check_audit.py '%s'", paths[n]);
        assert_int_equal(system(command), 0);
    }
    /* and it can tell */
    log_lines l;
    char command[2048];
    lines_read(&l, paths[PARIS]);
    l.lines[4][20] ^= 1;
    (void)snprintf(command, sizeof command, "python3 " EM_TEST_DATA "/net/check_audit.py '%s' 2>/dev/null",
                   lines_write(&l, "wrong.log"));
    assert_int_not_equal(system(command), 0);
    lines_free(&l);
}

static void a_log_is_its_owners_and_one_process_writes_it(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL, *second = NULL;
    struct stat about;
    const char *path = scratch("own.log"), *link = scratch("link.log"), *pipe = scratch("pipe.log");
    mode_t mask = umask(0);
    assert_ok(open_berlin(&audit, path, &err), &err);
    (void)umask(mask);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_fails(open_berlin(&second, path, &err), EM_EOUTPUT, "another process writes to this log", &err);
    assert_null(second);
    assert_ok(emi_audit_close(&audit, &err), &err);
    assert_null(audit);
    assert_ok(emi_audit_close(&audit, &err), &err);
    assert_int_equal(symlink(path, link), 0);
    assert_fails(open_berlin(&audit, link, &err), EM_EOUTPUT, "is a link", &err);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_fails(open_berlin(&audit, pipe, &err), EM_EOUTPUT, "is no file", &err);
    assert_fails(open_berlin(&audit, "/dev/full", &err), EM_EOUTPUT, "is no file", &err);
    assert_fails(open_berlin(&audit, scratch("no/such.log"), &err), EM_EOUTPUT, "cannot be opened", &err);
    assert_int_equal(chmod(path, 0620), 0);
    assert_fails(open_berlin(&audit, path, &err), EM_EOUTPUT, "others may write", &err);
    assert_int_equal(chmod(path, 0640), 0);
    assert_ok(open_berlin(&audit, path, &err), &err);
    assert_ok(emi_audit_close(&audit, &err), &err);
}

static void a_log_is_of_one_site_in_one_study(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL;
    small_study lung;
    const char *path = scratch("berlin.log"), *table = scratch_file("table.csv", "a,b\n1,2\n", 8);
    size_t size;
    study_open(&lung, "lung");
    assert_ok(open_berlin(&audit, path, &err), &err);
    assert_ok(emi_audit_close(&audit, &err), &err);
    assert_fails(emi_audit_open(&audit, path, &heart.study, PARIS, heart.keys[PARIS], &err), EM_EINVAL,
                 "is the log of another site, berlin", &err);
    assert_fails(emi_audit_open(&audit, path, &lung.study, BERLIN, lung.keys[BERLIN], &err), EM_EINVAL,
                 "in another study", &err);
    assert_fails(emi_audit_open(&audit, path, &heart.study, PARIS, heart.keys[BERLIN], &err), EM_EINVAL,
                 "the key is not that of the site", &err);
    assert_fails(emi_audit_open(&audit, path, &heart.study, SITES, heart.keys[BERLIN], &err), EM_EINVAL, "key", &err);
    assert_fails(open_berlin(&audit, table, &err), EM_EINVAL, "is no audit log", &err);
    char *bytes = log_bytes(table, &size);
    assert_string_equal(bytes, "a,b\n1,2\n");
    free(bytes);
    study_close(&lung);
}

/* ---- torn ------------------------------------------------------------------------------------------------------------ */

static void say_one(emi_audit *audit, int sign)
{
    em_error err = {0};
    uint64_t number = 5;
    const emi_field_of_line fields[] = {
        {.name = "peer", .text = "paris"}, {.name = "why", .text = "silence"}, {.name = "count", .number = &number}};
    assert_ok(emi_audit_write(audit, "down", fields, 3, sign, &err), &err);
}

/* A crash leaves any part of the last line: the log goes on, and says where it was torn. */
static void a_torn_line_is_torn_and_not_changed(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL;
    const char *path = scratch("whole.log");
    size_t size, last;
    assert_ok(open_berlin(&audit, path, &err), &err);
    say_one(audit, 0);
    assert_ok(emi_audit_close(&audit, &err), &err);
    char *bytes = log_bytes(path, &size);
    last = (size_t)(strchr(bytes, '\n') - bytes) + 1;
    for (size_t cut = 1; cut < size; cut++) {
        found f;
        int line = cut < last ? 1 : 2;
        char words[64];
        const char *torn = scratch_file("torn.log", bytes, cut);
        if (cut == last) continue; /* two lines less one is one line */
        assert_int_equal(chmod(torn, 0600), 0);
        (void)snprintf(words, sizeof words, ", line %d: torn", line);
        assert_int_equal(check_logs(&f, &torn, 1), EM_EDATA);
        assert_true(f.count == 1 && found_both(&f, "torn.log", words));
        for (int again = 0; again < 2; again++) {
            assert_ok(open_berlin(&audit, torn, &err), &err);
            say_one(audit, 1);
            assert_ok(emi_audit_close(&audit, &err), &err);
            assert_int_equal(check_logs(&f, &torn, 1), EM_EDATA);
            if (f.count != 1 || !found_both(&f, "torn.log (berlin)", words)) fail_msg("cut at %zu: %s", cut, f.text);
        }
    }
    free(bytes);
}

/* What was torn off may be torn again, and may be changed afterwards. */
static void torn_twice(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL;
    size_t size;
    found f;
    const char *path = scratch("twice.log");
    assert_ok(open_berlin(&audit, path, &err), &err);
    assert_ok(emi_audit_close(&audit, &err), &err);
    for (int n = 0; n < 2; n++) {
        FILE *file = fopen(path, "a");
        assert_non_null(file);
        (void)fputs("{\"n\":2,\"ti", file);
        (void)fclose(file);
        assert_ok(open_berlin(&audit, path, &err), &err);
        assert_ok(emi_audit_close(&audit, &err), &err);
    }
    assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
    assert_int_equal(f.count, 2);
    assert_true(found_both(&f, ", line 2: torn", "") && found_both(&f, ", line 5: torn", ""));
    char *bytes = log_bytes(path, &size);
    strstr(bytes, "\"ti\n")[1] = 'x';
    path = scratch_file("twice.log", bytes, size);
    assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
    assert_true(found_both(&f, ", line 2: changed", "") && found_both(&f, ", line 5: torn", ""));
    free(bytes);
}

/* ---- a full disk --------------------------------------------------------------------------------------------------------- */

/* In a process of its own, where files may not grow beyond some size.  What was written stays right. */
static int writes_until_full(const char *path, rlim_t size)
{
    em_error err = {0};
    emi_audit *audit = NULL;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){size, size}) != 0) return 2;
    em_status status = open_berlin(&audit, path, &err);
    for (int n = 0; status == EM_OK && n < 100; n++)
        status = emi_audit_write(audit, "model", &(emi_field_of_line){.name = "digest", .digest = heart.study.digest},
                                 1, 0, &err);
    int said = status == EM_EOUTPUT && strstr(err.msg, "a line cannot be written") != NULL;
    em_error none;
    if (audit) (void)emi_audit_close(&audit, &none);
    return said ? 0 : 1;
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    const char *path = scratch("full.log");
    for (rlim_t room = 100; room < 3000; room += 137) {
        found f;
        int status;
        emi_audit *audit = NULL;
        em_error err = {0};
        (void)remove(path);
        pid_t child = fork();
        if (child == 0) _exit(writes_until_full(path, room));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (room > 1000) { /* the lines of no run are the check's only finding */
            assert_int_equal(check_logs(&f, &path, 1), EM_EDATA);
            assert_true(f.count == 1 && found_both(&f, ", line 2: ", "no start before it"));
        }
        assert_ok(open_berlin(&audit, path, &err), &err);
        assert_ok(emi_audit_close(&audit, &err), &err);
        (void)check_logs(&f, &path, 1);
        assert_false(found_both(&f, "torn", "") || found_both(&f, "changed", ""));
    }
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------- */

/* Whatever bytes a peer chooses: one line, ASCII, read again, and the log is right. */
static void any_text_is_one_line(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL;
    found f;
    char all[256], longer[4000];
    for (int n = 0; n < 255; n++) all[n] = (char)(n + 1);
    all[255] = 0;
    memset(longer, '\n', sizeof longer);
    longer[sizeof longer - 1] = 0;
    const char *texts[] = {all, longer, "", "\"}\n{\"n\":1", "\\", "\\u0041", "\x1b[2J", "\xff\xfe"};
    const char *path = scratch("texts.log");
    assert_ok(open_berlin(&audit, path, &err), &err);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        const emi_field_of_line fields[] = {{.name = "address", .text = texts[n]}, {.name = "why", .text = texts[n]}};
        assert_ok(emi_audit_write(audit, "refused", fields, 2, 0, &err), &err);
    }
    emi_field_of_line many[EMI_LINE_FIELDS];
    static const char *const names[EMI_LINE_FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                       "i", "j", "k", "l", "m", "o", "p", "q"};
    for (int n = 0; n < EMI_LINE_FIELDS; n++) many[n] = (emi_field_of_line){.name = names[n], .text = longer};
    assert_ok(emi_audit_write(audit, "refused", many, EMI_LINE_FIELDS, 1, &err), &err);
    assert_ok(emi_audit_close(&audit, &err), &err);
    assert_int_equal(check_logs(&f, &path, 1), EM_OK);
    log_lines l;
    lines_read(&l, path);
    assert_int_equal(l.count, 2 + sizeof texts / sizeof *texts);
    for (int n = 0; n < l.count; n++)
        for (const char *c = l.lines[n]; *c; c++) assert_true(*c >= 0x20 && *c < 0x7f);
    assert_non_null(strstr(l.lines[2], "\\u000a...\""));
    assert_non_null(strstr(l.lines[5], "\"address\":\"\\u005c\""));
    lines_free(&l);
}

static void wrong_fields_are_refused(void **state)
{
    (void)state;
    em_error err = {0};
    emi_audit *audit = NULL;
    uint64_t one = 1;
    const char *path = scratch("fields.log");
    const emi_field_of_line wrong[] = {{.name = "n", .number = &one},
                                       {.name = "signature", .text = "00"},
                                       {.name = "", .text = "x"},
                                       {.name = "Peer", .text = "x"},
                                       {.name = "a\"b", .text = "x"},
                                       {.name = "none"},
                                       {.name = "both", .text = "x", .number = &one},
                                       {.text = "x"}},
                            twice[] = {{.name = "a", .text = "x"}, {.name = "a", .text = "x"}};
    assert_ok(open_berlin(&audit, path, &err), &err);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
        assert_fails(emi_audit_write(audit, "down", &wrong[n], 1, 0, &err), EM_EINVAL, "fields", &err);
    assert_fails(emi_audit_write(audit, "down", twice, 2, 0, &err), EM_EINVAL, "fields", &err);
    assert_fails(emi_audit_write(audit, "down", wrong, EMI_LINE_FIELDS + 1, 0, &err), EM_EINVAL, "fields", &err);
    assert_fails(emi_audit_write(audit, "gossip", twice, 1, 0, &err), EM_EINVAL, "gossip", &err);
    found f;
    assert_ok(emi_audit_close(&audit, &err), &err);
    assert_int_equal(check_logs(&f, &path, 1), EM_OK);
}

#define ZEROS  "0000000000000000000000000000000000000000000000000000000000000000"
#define HEAD   "{\"n\":1,\"time\":\"2026-01-02T03:04:05Z\",\"before\":\"" ZEROS "\",\"what\":\"down\""
#define SIGNED ",\"signature\":\"" ZEROS ZEROS "\"}"

static void what_is_no_line_is_none(void **state)
{
    (void)state;
    static const char *const lines[] = {HEAD "}", HEAD ",\"why\":\"\\u0022\\u00ff\"}",
                                        HEAD ",\"count\":18446744073709551615}", HEAD ",\"count\":0" SIGNED,
                                        HEAD SIGNED};
    static const char *const none[] = {
        "",
        "{",
        HEAD,
        HEAD "} ",
        " " HEAD "}",
        HEAD ",}",
        HEAD ",\"why\":\"\"\"}",
        HEAD ",\"why\": \"x\"}",
        HEAD ",\"why\":\"\\u0041\"}",
        HEAD ",\"why\":\"\\u0000\"}",
        HEAD ",\"why\":\"\\u00FF\"}",
        HEAD ",\"why\":\"\\u0100\"}",
        HEAD ",\"why\":\"\\n\"}",
        HEAD ",\"why\":\"\x7f\"}",
        HEAD ",\"why\":\"\xc3\xa9\"}",
        HEAD ",\"why\":\"x",
        HEAD ",\"why\":true}",
        HEAD ",\"why\":[]}",
        HEAD ",\"count\":18446744073709551616}",
        HEAD ",\"count\":01}",
        HEAD ",\"count\":-1}",
        HEAD ",\"count\":}",
        HEAD ",\"count\":1.5}",
        HEAD ",\"a\":1,\"a\":1}",
        HEAD ",\"n\":2}",
        HEAD ",\"what\":\"end\"}",
        HEAD ",\"signature\":\"" ZEROS "\"}",
        HEAD ",\"signature\":\"" ZEROS ZEROS "\",\"a\":1}",
        HEAD ",\"A\":1}",
        "{\"n\":0"
        ",\"time\":\"2026-01-02T03:04:05Z\",\"before\":\"" ZEROS "\",\"what\":\"down\"}",
        "{\"n\":1,\"time\":\"2026-01-02 03:04:05Z\",\"before\":\"" ZEROS "\",\"what\":\"down\"}",
        "{\"n\":1,\"time\":\"2026-01-02T03:04:05Z\",\"before\":\"" ZEROS "\",\"what\":\"gossip\"}"};
    emi_line line;
    for (size_t n = 0; n < sizeof lines / sizeof *lines; n++)
        assert_null(emi_line_read(&line, lines[n], strlen(lines[n])));
    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        if (!emi_line_read(&line, none[n], strlen(none[n]))) fail_msg("taken for a line: %s", none[n]);
    /* nothing behind the end is looked at, and every beginning is none */
    for (size_t n = 0; n < strlen(HEAD SIGNED); n++) {
        char *part = malloc(n + 1);
        assert_non_null(part);
        memcpy(part, HEAD SIGNED, n);
        assert_non_null(emi_line_read(&line, part, n));
        free(part);
    }
}

static void what_is_no_log_is_refused(void **state)
{
    (void)state;
    found f;
    char *noise = malloc(3 * EMI_LINE_MOST);
    assert_non_null(noise);
    memset(noise, 'x', 3 * EMI_LINE_MOST);
    const char *paths[] = {scratch("nothing.log"),
                           scratch_file("empty.log", "", 0),
                           "/dev/null",
                           scratch_file("words.log", "a\nb\n", 4),
                           scratch_file("word.log", "a", 1),
                           scratch_file("noise.log", noise, 3 * EMI_LINE_MOST)};
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++) {
        assert_int_equal(check_logs(&f, &paths[n], 1), EM_EIO);
        assert_int_equal(f.count, 0);
    }
    free(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(python_agrees),
                                       cmocka_unit_test(a_log_is_its_owners_and_one_process_writes_it),
                                       cmocka_unit_test(a_log_is_of_one_site_in_one_study),
                                       cmocka_unit_test(a_torn_line_is_torn_and_not_changed),
                                       cmocka_unit_test(torn_twice),
                                       cmocka_unit_test(a_full_disk_is_said),
                                       cmocka_unit_test(any_text_is_one_line),
                                       cmocka_unit_test(wrong_fields_are_refused),
                                       cmocka_unit_test(what_is_no_line_is_none),
                                       cmocka_unit_test(what_is_no_log_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
