/* What is not a checkpoint of this problem is refused, and a checkpoint that cannot be written is told. */
#include "support/checkpoints.h"
#include "support/matrix.h"
#include "support/network.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void refused(const em_options *options, const setting *where, em_status code, const char *words)
{
    em_error err = {0};
    em_model *model = NULL;
    assert_fails(try_fit(&model, options, where, &err), code, words, &err);
    assert_null(model);
    if (code == EM_EINVAL) assert_non_null(strstr(err.msg, "; try "));
}

static void another_problem_is_refused(void **state)
{
    (void)state;
    em_options good = leave_checkpoint(), bad;
    const setting more_nodes = {"er:0.6", NODES + 1, 1}, other_network = {"cycle", NODES, 1};
    double truth[COLUMNS * K];
    bad = good, bad.components = K + 1;
    refused(&bad, &usual, EM_EINVAL, "made with 2 components, and these are 3");
    bad = good, bad.method = "fastpca";
    refused(&bad, &usual, EM_EINVAL, "made with method dsa, this is fastpca");
    bad = good, bad.method = "auto";
    refused(&bad, &usual, EM_EINVAL, "made with another option method");
    bad = good, bad.step = 0.01;
    refused(&bad, &usual, EM_EINVAL, "made with another option step;");
    bad = good, bad.step_decay = EMI_DECAY_SQRT;
    refused(&bad, &usual, EM_EINVAL, "made with another option step-decay");
    bad = good, bad.tolerance = 1e-9;
    refused(&bad, &usual, EM_EINVAL, "made with another option tolerance");
    bad = good, bad.seed = 4;
    refused(&bad, &usual, EM_EINVAL, "made with another option seed");
    bad = good, bad.scale = EMI_SCALE_STD;
    refused(&bad, &usual, EM_EINVAL, "made with another option scale");
    bad = good, bad.center = 0;
    refused(&bad, &usual, EM_EINVAL, "made with another option center");
    bad = good, bad.trace = EMI_TRACE_NONE;
    refused(&bad, &usual, EM_EINVAL, "made with another option trace");
    matrix_fill(truth, COLUMNS * K, 1);
    bad = good, bad.truth = truth, bad.truth_compute = 0;
    refused(&bad, &usual, EM_EINVAL, "made with another option truth");
    refused(&good, &more_nodes, EM_EINVAL, "made with 5 nodes, and these are 6");
    refused(&good, &other_network, EM_EINVAL, "made with another network");
    em_model *model = fit(&good, &usual); /* after all that it still works */
    assert_int_equal(em_model_info(model)->resumed, 20);
    em_model_free(&model);
}

/* ---- of another version's options ------------------------------------------------------------------------ */

enum {
    WORD = 8,
    ENTRY = 6 * WORD,
    COUNT_AT = 53 * WORD
}; /* of the options in the file: how many, then a name and a value each */

static unsigned char *entry_of(unsigned char *bytes, size_t size, const char *name)
{
    for (size_t at = COUNT_AT + WORD; at + ENTRY < size; at += ENTRY)
        if (strcmp((const char *)bytes + at, name) == 0) return bytes + at;
    fail_msg("no option %s in the checkpoint", name);
    return NULL;
}

static void write_mended(unsigned char *bytes, size_t size)
{
    uint64_t crc = crc32(0, bytes, (uInt)(size - WORD));
    for (int n = 0; n < WORD; n++) bytes[size - WORD + (size_t)n] = (unsigned char)(crc >> 8 * n);
    write_bytes(file, bytes, size);
}

/* One that is newer than the checkpoint was at its default then; one that is not known here may mean anything. */
static void options_go_by_their_names(void **state)
{
    (void)state;
    em_options good = leave_checkpoint(), bad = good;
    size_t size;
    unsigned char *bytes = read_bytes(file, &size), *entry = entry_of(bytes, size, "scale");
    bad.scale = EMI_SCALE_STD;
    entry[4] = 'y';
    write_mended(bytes, size);
    refused(&good, &usual, EM_EINVAL, "made with option scaly, which this version does not know; try");
    refused(&bad, &usual, EM_EINVAL, "made with another option scale;");

    memmove(entry, entry + ENTRY, (size_t)(bytes + size - entry) - ENTRY); /* as if it had never been */
    bytes[COUNT_AT]--;
    write_mended(bytes, size - ENTRY);
    refused(&bad, &usual, EM_EINVAL, "made with another option scale;");
    em_model *model = fit(&good, &usual);
    assert_int_equal(em_model_info(model)->resumed, 20);
    em_model_free(&model);
    free(bytes);
}

static void other_data_is_refused(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    const int places[] = {0, 77, ROWS * COLUMNS - 1};
    for (int n = 0; n < 3; n++) {
        double before = values[places[n]];
        values[places[n]] = nextafter(before, INFINITY); /* by one bit */
        refused(&options, &usual, EM_EINVAL, "made with other data");
        values[places[n]] = before;
    }
    double first = values[0];
    values[0] = values[COLUMNS], values[COLUMNS] = first;
    refused(&options, &usual, EM_EINVAL, "made with other data");
    values[COLUMNS] = values[0], values[0] = first;
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
}

/* Rows, features: another table altogether. */
static void other_sizes_are_refused(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    const network_plan plans[] = {{values, ROWS - 1, COLUMNS, "er:0.6", NODES, 1},
                                  {values, ROWS, COLUMNS - 1, "er:0.6", NODES, 1}};
    const char *const words[] = {"made with 120 rows, and these are 119", "made with 40 features, and these are 39"};
    for (int n = 0; n < 2; n++) {
        network net;
        em_error err = {0};
        em_model *model = NULL;
        assert_ok(network_open(&net, &plans[n], &err), &err);
        assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, words[n], &err);
        network_close(&net);
    }
}

static void seqdistpm_divides_its_limit(void **state)
{
    (void)state;
    long at = 20;
    em_options options = options_for("seqdistpm");
    (void)remove(file);
    options.checkpoint = file;
    options.monitor = stop_at;
    options.monitor_user = &at;
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
    options.monitor = NULL;
    options.resume = 1;
    options.iterations = 60;
    refused(&options, &usual, EM_EINVAL, "made with another option iterations");
}

static void damage_is_noticed(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    size_t size;
    unsigned char *bytes = read_bytes(file, &size);
    for (size_t length = 0; length < size; length += length < 64 ? 1 : 997) { /* cut short */
        write_bytes(file, bytes, length);
        refused(&options, &usual, EM_EDATA, length < 16 ? "not a checkpoint" : "damaged or cut short");
    }
    for (size_t n = 16; n < size; n += n < 64 || n + 64 > size ? 1 : 331) { /* a bit is flipped */
        bytes[n] ^= (unsigned char)(1 << n % 8);
        write_bytes(file, bytes, size);
        refused(&options, &usual, EM_EDATA, "damaged or cut short");
        bytes[n] ^= (unsigned char)(1 << n % 8);
    }
    write_bytes(file, bytes, size);
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
    unsigned char *longer = calloc(1, size + 8); /* something was added */
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    write_bytes(file, longer, size + 8);
    refused(&options, &usual, EM_EDATA, "damaged or cut short");
    free(longer);
    bytes[8] = 6;
    write_bytes(file, bytes, size);
    refused(&options, &usual, EM_EDATA, "a checkpoint of version 6, and this program knows 7");
    bytes[0] ^= 1;
    write_bytes(file, bytes, size);
    refused(&options, &usual, EM_EDATA, "not a checkpoint, and left as it is; try another FILE");
    free(bytes);
}

static void what_is_no_checkpoint_is_refused(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    options.resume = 1;
    refused(&options, &usual, EM_EINVAL, "resume: from no checkpoint");
    options.checkpoint = scratch("never-written.ck");
    refused(&options, &usual, EM_EIO, "never-written.ck: no checkpoint to resume from (No such file");
    options.checkpoint = "/dev/zero";
    refused(&options, &usual, EM_EDATA, "/dev/zero: not a file");
    options.checkpoint = scratch_file("text.ck", "a line of text, and no more", 27);
    refused(&options, &usual, EM_EDATA, "text.ck: not a checkpoint");
}

/* ---- what is there, and a run that does not resume ------------------------------------------------------ */

static void check_untouched(const em_options *options, em_status code, const char *words)
{
    size_t size, after;
    unsigned char *bytes = read_bytes(options->checkpoint, &size);
    refused(options, &usual, code, words);
    unsigned char *kept = read_bytes(options->checkpoint, &after);
    assert_int_equal(after, size);
    assert_memory_equal(kept, bytes, size);
    free(kept);
    free(bytes);
}

static void a_file_of_another_kind_is_never_touched(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    const char *const contents[] = {"", "x", "EMCKPT", "a line of text that is longer than a checkpoint's head"};
    for (size_t n = 0; n < sizeof contents / sizeof *contents; n++)
        for (int resume = 0; resume < 2; resume++) {
            options.checkpoint = scratch_file("precious.txt", contents[n], strlen(contents[n]));
            options.checkpoint_every = 0;
            options.resume = resume;
            check_untouched(&options, EM_EDATA, "precious.txt: not a checkpoint, and left as it is; try another FILE");
        }
}

static void a_checkpoint_is_not_overwritten(void **state)
{
    (void)state;
    em_options options = leave_checkpoint(), other;
    options.resume = 0;
    options.checkpoint_every = 0;
    check_untouched(&options, EM_EINVAL, "try resume=yes to go on from iteration 20, or remove it first");
    other = options, other.seed = 4;
    check_untouched(&other, EM_EINVAL, "made with another option seed; try what it was made with, or another FILE");
    other = options, other.components = K + 1;
    check_untouched(&other, EM_EINVAL, "made with 2 components, and these are 3");
    double before = values[77];
    values[77] = nextafter(before, INFINITY);
    check_untouched(&options, EM_EINVAL, "made with other data");
    values[77] = before;
    size_t size;
    unsigned char *bytes = read_bytes(file, &size);
    bytes[size / 2] ^= 1;
    write_bytes(file, bytes, size);
    check_untouched(&options, EM_EDATA, "damaged or cut short, its checksum is wrong; try removing it first");
    write_bytes(file, bytes, size / 2);
    check_untouched(&options, EM_EDATA, "damaged or cut short");
    bytes[8] = 8;
    write_bytes(file, bytes, size);
    check_untouched(&options, EM_EDATA, "a checkpoint of version 8");
    free(bytes);
}

/* By way of a link: the file it leads to is made, kept and removed; the link stays. */
static void a_link_stays_a_link(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    char link[LONGEST];
    (void)snprintf(link, sizeof link, "%s", scratch("link.ck"));
    assert_int_equal(symlink("fit.ck", link), 0);
    options.checkpoint = link;
    options.resume = 0;
    check_untouched(&options, EM_EINVAL, "try resume=yes to go on from iteration 20");
    options.resume = 1;
    em_model *model = fit(&options, &usual);
    assert_int_equal(em_model_info(model)->resumed, 20);
    em_model_free(&model);
    network net;
    em_error err = {0};
    const network_plan plan = {values, ROWS, COLUMNS, "er:0.6", NODES, 1};
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    network_close(&net);
    assert_false(exists(file));
    assert_int_equal(unlink(link), 0);
}

/* ---- what cannot be written --------------------------------------------------------------------------- */

static void bad_places_are_told_at_once(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    options.checkpoint = "/no/such/directory/fit.ck";
    refused(&options, &usual, EM_EINVAL, "/no/such/directory/fit.ck: cannot be written (No such file");
    options.checkpoint = "/";
    refused(&options, &usual, EM_EINVAL, "cannot be written (Is a directory)");
    options.checkpoint = "";
    refused(&options, &usual, EM_EINVAL, "cannot be written");
    options.checkpoint = "-";
    refused(&options, &usual, EM_EINVAL, "checkpoint: '-' cannot be read again");
    options.checkpoint = scratch("pipe");
    assert_int_equal(mkfifo(options.checkpoint, 0600), 0);
    refused(&options, &usual, EM_EDATA, "pipe: not a file"); /* and nobody waits for its other end */
}

/* The same fit where no file may be larger than a page. */
static em_status try_fit_on_a_full_disk(const em_options *options, em_error *err)
{
    struct rlimit before, small;
    em_model *model = NULL;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before, small.rlim_cur = 4096;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    em_status status = try_fit(&model, options, &usual, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_null(model);
    return status;
}

static void a_full_disk_ends_the_run(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    options.checkpoint_every = 0;
    if (exists("/dev/full")) {
        options.checkpoint = "/dev/full";
        refused(&options, &usual, EM_EOUTPUT, "/dev/full: cannot be written (No space left");
        assert_true(exists("/dev/full"));
    }
    em_error err = {0};
    options.checkpoint = scratch("too-large.ck");
    assert_fails(try_fit_on_a_full_disk(&options, &err), EM_EOUTPUT, "too-large.ck: cannot be written", &err);
    assert_false(exists(options.checkpoint));
}

static void the_older_checkpoint_outlives_a_failure(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    em_error err = {0};
    options.checkpoint_every = 0;
    assert_fails(try_fit_on_a_full_disk(&options, &err), EM_EOUTPUT, "cannot be written", &err);
    em_model *model = fit(&options, &usual);
    assert_int_equal(em_model_info(model)->resumed, 20);
    em_model_free(&model);
}

static void removing_removes(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    network net;
    em_error err = {0};
    const network_plan plan = {values, ROWS, COLUMNS, "er:0.6", NODES, 1};
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    assert_false(exists(file));
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err); /* there is none: that is fine */
    options.checkpoint = "/dev/null";
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    assert_true(exists("/dev/null"));
    options.checkpoint = scratch_file("precious.txt", "precious", 8); /* what is no checkpoint stays */
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    assert_true(exists(options.checkpoint));
    options.checkpoint = NULL;
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    network_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_problem_is_refused),
        cmocka_unit_test(options_go_by_their_names),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(seqdistpm_divides_its_limit),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_is_no_checkpoint_is_refused),
        cmocka_unit_test(a_file_of_another_kind_is_never_touched),
        cmocka_unit_test(a_checkpoint_is_not_overwritten),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(bad_places_are_told_at_once),
        cmocka_unit_test(a_full_disk_ends_the_run),
        cmocka_unit_test(the_older_checkpoint_outlives_a_failure),
        cmocka_unit_test(removing_removes),
    };
    return cmocka_run_group_tests(tests, checkpoints_prepare, NULL);
}
