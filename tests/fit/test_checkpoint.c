/* Checkpoints: a fit that goes on from one ends like a fit that never stopped, bit for bit; and whatever is not such a
 * checkpoint is refused. */
#include "support/check.h"
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

enum { ROWS = 120, COLUMNS = 40, NODES = 5, K = 2, LONGEST = 512 };

static double values[ROWS * COLUMNS];
static char file[LONGEST], copied[LONGEST];

static int prepare(void **state)
{
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    (void)snprintf(file, sizeof file, "%s", scratch("fit.ck"));
    (void)snprintf(copied, sizeof copied, "%s", scratch("copy.ck"));
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------- */

static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    struct stat about;
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &about), 0);
    unsigned char *bytes = malloc((size_t)about.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)about.st_size, in);
    assert_int_equal(*size, about.st_size);
    (void)fclose(in);
    return bytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void copy_file(const char *from, const char *to)
{
    size_t size;
    unsigned char *bytes = read_bytes(from, &size);
    write_bytes(to, bytes, size);
    free(bytes);
}

/* ---- fits -------------------------------------------------------------------------------------- */

typedef struct setting {
    const char *topology;
    int nodes, threads;
} setting;

static const setting usual = {"er:0.6", NODES, 1};

static em_options options_for(const char *method)
{
    em_options options = em_options_default();
    options.method = method;
    options.components = K;
    options.iterations = 48;
    options.tolerance = 0;
    options.truth_compute = 1;
    options.trace = EM_TRACE_ALL;
    options.seed = 3;
    return options;
}

static em_status try_fit(em_model **model, const em_options *options, const setting *where, em_error *err)
{
    network net;
    const network_plan plan = {values, ROWS, COLUMNS, where->topology, where->nodes, where->threads};
    em_error unexpected = {0};
    assert_ok(network_open(&net, &plan, &unexpected), &unexpected);
    em_status status = em_fit(model, options, net.mesh, net.shards, err);
    network_close(&net);
    return status;
}

static em_model *fit(const em_options *options, const setting *where)
{
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(try_fit(&model, options, where, &err), &err);
    return model;
}

/* ---- what stops a fit -------------------------------------------------------------------------- */

/* As if the process were killed at this moment: what is in the file now is all that is left. */
static int copy_at(const em_progress *progress, void *user)
{
    if (progress->iteration == *(const long *)user && exists(file)) copy_file(file, copied);
    return 0;
}

static int stop_at(const em_progress *progress, void *user)
{
    return progress->iteration == *(const long *)user;
}

static void assert_same_bits(const double *a, const double *b, size_t count)
{
    assert_memory_equal(a, b, count * sizeof *a);
}

static void assert_same_trace(const em_model *a, const em_model *b)
{
    size_t rows, others;
    const em_trace_row *x = em_model_trace(a, &rows), *y = em_model_trace(b, &others);
    assert_int_equal(rows, others);
    for (size_t n = 0; n < rows; n++) {
        em_trace_row ours = x[n], theirs = y[n];
        assert_true(n == 0 || theirs.seconds > y[n - 1].seconds); /* the clock goes on too */
        ours.seconds = theirs.seconds = 0;
        assert_memory_equal(&ours, &theirs, sizeof ours);
    }
}

static void assert_same_model(const em_model *a, const em_model *b)
{
    const em_info *x = em_model_info(a), *y = em_model_info(b);
    assert_same_bits(em_model_components(a), em_model_components(b), K * COLUMNS);
    assert_same_bits(em_model_explained_variance(a), em_model_explained_variance(b), K);
    assert_same_bits(em_model_residuals(a), em_model_residuals(b), K);
    assert_same_trace(a, b);
    assert_string_equal(x->method, y->method);
    assert_string_equal(x->choice, y->choice);
    assert_int_equal(x->reason, y->reason);
    assert_int_equal(x->iterations, y->iterations);
    assert_int_equal(x->open_cluster, y->open_cluster);
    assert_memory_equal(x->traffic, y->traffic, sizeof x->traffic);
    const double ours[] = {x->change, x->step, x->residual, x->consensus, x->error};
    const double theirs[] = {y->change, y->step, y->residual, y->consensus, y->error};
    assert_same_bits(ours, theirs, sizeof ours / sizeof *ours);
}

/* The same fit, killed after iteration `at`, or stopped there by its monitor, and resumed: which iteration it went on
 * from, or 0 where there was nothing to go on from yet. */
static long check_resumed(em_options options, const setting *where, long at, int stopped, const em_model *whole)
{
    (void)remove(file);
    (void)remove(copied);
    options.checkpoint = file;
    options.checkpoint_every = 0;
    options.monitor = stopped ? stop_at : copy_at;
    options.monitor_user = &at;
    em_model *first = fit(&options, where);
    if (!stopped) assert_same_model(whole, first); /* making checkpoints changes nothing */
    em_model_free(&first);
    options.checkpoint = stopped ? file : copied;
    if (!exists(options.checkpoint)) return 0;
    options.monitor = NULL;
    options.resume = 1;
    em_model *rest = fit(&options, where);
    long from = em_model_info(rest)->resumed;
    assert_true(from >= 1 && from <= at);
    if (stopped) assert_int_equal(from, at);
    assert_same_model(whole, rest);
    em_model_free(&rest);
    return from;
}

/* ---- the same result ----------------------------------------------------------------------------- */

static void every_method_goes_on(void **state)
{
    (void)state;
    const long moments[] = {1, 5, 7, 16, 23, 24, 31, 44, 48};
    for (int m = 0; em_method(m); m++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const em_method_info *method = em_method(m);
            const setting where = {"er:0.6", method->single_node ? 1 : NODES, threads};
            em_options options = options_for(method->name);
            em_model *whole = fit(&options, &where);
            assert_int_equal(em_model_info(whole)->resumed, 0);
            int resumed = 0;
            for (size_t n = 0; n < sizeof moments / sizeof *moments; n++) {
                if (moments[n] > em_model_info(whole)->iterations) continue;
                resumed += check_resumed(options, &where, moments[n], 0, whole) > 0;
                resumed += check_resumed(options, &where, moments[n], 1, whole) > 0;
            }
            assert_true(resumed >= 1 && (resumed >= 2 || strcmp(method->name, "covariance") == 0));
            em_model_free(&whole);
        }
}

/* Long enough for krylov's basis to have been restarted several times, on one node too. */
static void krylov_goes_on_past_restarts(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= NODES; nodes += NODES - 1) {
        const setting where = {"cycle", nodes, 2};
        em_options options = options_for("krylov");
        options.oversample = 0;
        options.tolerance = 1e-300;
        options.iterations = 60;
        em_model *whole = fit(&options, &where);
        assert_true(em_model_info(whole)->iterations > 20);
        for (long at = 14; at < em_model_info(whole)->iterations && at < 40; at++)
            assert_int_equal(check_resumed(options, &where, at, 0, whole) > 0, 1);
        em_model_free(&whole);
    }
}

/* One component after another, each with its own end. */
static void columns_that_are_found_stay_found(void **state)
{
    (void)state;
    em_options options = options_for("seqdistpm");
    options.tolerance = 1e-3;
    options.iterations = 400;
    options.consensus_rounds = 6;
    em_model *whole = fit(&options, &usual);
    assert_true(em_model_info(whole)->iterations < 400);
    for (long at = 5; at < em_model_info(whole)->iterations; at += 3) {
        (void)check_resumed(options, &usual, at, 0, whole);
        (void)check_resumed(options, &usual, at, 1, whole);
    }
    em_model_free(&whole);
}

static void options_that_change_the_course(void **state)
{
    (void)state;
    em_options cases[6];
    cases[0] = options_for("dsa"), cases[0].step_decay = EM_DECAY_SQRT;
    cases[1] = options_for("dsa"), cases[1].scale = EM_SCALE_SPECTRAL, cases[1].trace = EM_TRACE_ERROR;
    cases[2] = options_for("deepca"), cases[2].rayleigh_ritz = 0, cases[2].trace = EM_TRACE_NONE;
    cases[3] = options_for("fastpca"), cases[3].scale = EM_SCALE_STD, cases[3].tolerance = 1e-2;
    cases[4] = options_for("dpgd"), cases[4].center = 0, cases[4].step = 0.01;
    cases[5] = options_for("auto");
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        em_model *whole = fit(&cases[n], &usual);
        for (long at = 5; at < em_model_info(whole)->iterations && at < 20; at += 7)
            (void)check_resumed(cases[n], &usual, at, 0, whole);
        em_model_free(&whole);
    }
}

/* Stopped, resumed, stopped, resumed: each goes on where the last one was. */
static void again_and_again(void **state)
{
    (void)state;
    const char *const methods[] = {"fastpca", "deepca", "krylov", "seqdistpm"};
    for (int m = 0; m < 4; m++) {
        em_options options = options_for(methods[m]);
        if (m == 2) options.tolerance = 1e-300, options.oversample = 0;
        em_model *whole = fit(&options, &usual), *part = NULL;
        options.checkpoint = file;
        for (long at = 3; at <= em_model_info(whole)->iterations; at += 4) {
            options.monitor = stop_at;
            options.monitor_user = &at;
            part = fit(&options, &usual);
            assert_int_equal(em_model_info(part)->reason, EM_STOPPED_USER);
            assert_int_equal(em_model_info(part)->iterations, at);
            em_model_free(&part);
            options.resume = 1;
        }
        options.monitor = NULL;
        part = fit(&options, &usual);
        assert_same_model(whole, part);
        em_model_free(&part);
        em_model_free(&whole);
        (void)remove(file);
    }
}

/* More iterations than were asked for at first.  How many are asked for decides how C is applied: the last bits may
 * differ. */
static void the_limit_may_be_another(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    em_model *whole = fit(&options, &usual);
    options.checkpoint = file;
    options.checkpoint_every = 0;
    options.iterations = 22;
    em_model *part = fit(&options, &usual);
    em_model_free(&part);
    options.iterations = 48;
    options.resume = 1;
    part = fit(&options, &usual);
    assert_int_equal(em_model_info(part)->resumed, 20);
    assert_int_equal(em_model_info(part)->iterations, 48);
    for (int n = 0; n < K * COLUMNS; n++)
        assert_close(em_model_components(part)[n], em_model_components(whole)[n], 1e-12);
    em_model_free(&part);
    options.iterations = 10; /* it is past that already */
    part = fit(&options, &usual);
    assert_int_equal(em_model_info(part)->reason, EM_STOPPED_ITERATIONS);
    assert_true(em_model_info(part)->iterations == em_model_info(part)->resumed);
    em_model_free(&part);
    em_model_free(&whole);
}

static void checkpoints_come_as_often_as_asked(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    (void)remove(file);
    options.checkpoint = file;
    options.checkpoint_every = 3600;
    em_model *model = fit(&options, &usual);
    assert_false(exists(file));
    em_model_free(&model);
}

/* ---- what is refused ------------------------------------------------------------------------------- */

/* A checkpoint of dsa after 20 iterations, and the options that go on from it. */
static em_options leave_checkpoint(void)
{
    long at = 20;
    em_options options = options_for("dsa");
    (void)remove(file);
    options.checkpoint = file;
    options.monitor = stop_at;
    options.monitor_user = &at;
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
    assert_true(exists(file));
    options.monitor = NULL;
    options.resume = 1;
    return options;
}

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
    refused(&bad, &usual, EM_EINVAL, "made with another --method");
    bad = good, bad.step = 0.01;
    refused(&bad, &usual, EM_EINVAL, "made with another --step;");
    bad = good, bad.step_decay = EM_DECAY_SQRT;
    refused(&bad, &usual, EM_EINVAL, "made with another --step-decay");
    bad = good, bad.tolerance = 1e-9;
    refused(&bad, &usual, EM_EINVAL, "made with another --tolerance");
    bad = good, bad.seed = 4;
    refused(&bad, &usual, EM_EINVAL, "made with another --seed");
    bad = good, bad.scale = EM_SCALE_STD;
    refused(&bad, &usual, EM_EINVAL, "made with another --scale");
    bad = good, bad.center = 0;
    refused(&bad, &usual, EM_EINVAL, "made with another --no-center");
    bad = good, bad.trace = EM_TRACE_NONE;
    refused(&bad, &usual, EM_EINVAL, "made with another --trace");
    matrix_fill(truth, COLUMNS * K, 1);
    bad = good, bad.truth = truth, bad.truth_compute = 0;
    refused(&bad, &usual, EM_EINVAL, "made with another --truth");
    refused(&good, &more_nodes, EM_EINVAL, "made with 5 nodes, and these are 6");
    refused(&good, &other_network, EM_EINVAL, "made with another network");
    em_model *model = fit(&good, &usual); /* after all that it still works */
    assert_int_equal(em_model_info(model)->resumed, 20);
    em_model_free(&model);
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
    options.checkpoint = file;
    options.monitor = stop_at;
    options.monitor_user = &at;
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
    options.monitor = NULL;
    options.resume = 1;
    options.iterations = 60;
    refused(&options, &usual, EM_EINVAL, "made with another --iterations");
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
    bytes[8] = 2;
    write_bytes(file, bytes, size);
    refused(&options, &usual, EM_EDATA, "a checkpoint of version 2, and this program knows 1");
    bytes[0] ^= 1;
    write_bytes(file, bytes, size);
    refused(&options, &usual, EM_EDATA, "not a checkpoint; try the file that --checkpoint named");
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
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before, small.rlim_cur = 4096;
    (void)signal(SIGXFSZ, SIG_IGN);
    options.checkpoint = scratch("too-large.ck");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    em_error err = {0};
    em_model *model = NULL;
    em_status status = try_fit(&model, &options, &usual, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_fails(status, EM_EOUTPUT, "too-large.ck: cannot be written", &err);
    assert_null(model);
    assert_false(exists(options.checkpoint));
}

static void the_older_checkpoint_outlives_a_failure(void **state)
{
    (void)state;
    em_options options = leave_checkpoint();
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before, small.rlim_cur = 4096;
    (void)signal(SIGXFSZ, SIG_IGN);
    options.checkpoint_every = 0;
    em_error err = {0};
    em_model *model = NULL;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    em_status status = try_fit(&model, &options, &usual, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_fails(status, EM_EOUTPUT, "cannot be written", &err);
    model = fit(&options, &usual);
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
    options.checkpoint = NULL;
    assert_ok(em_checkpoint_remove(&options, net.mesh, &err), &err);
    network_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_goes_on),
        cmocka_unit_test(krylov_goes_on_past_restarts),
        cmocka_unit_test(columns_that_are_found_stay_found),
        cmocka_unit_test(options_that_change_the_course),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(the_limit_may_be_another),
        cmocka_unit_test(checkpoints_come_as_often_as_asked),
        cmocka_unit_test(another_problem_is_refused),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(seqdistpm_divides_its_limit),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_is_no_checkpoint_is_refused),
        cmocka_unit_test(bad_places_are_told_at_once),
        cmocka_unit_test(a_full_disk_ends_the_run),
        cmocka_unit_test(the_older_checkpoint_outlives_a_failure),
        cmocka_unit_test(removing_removes),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
