/* What the library says of options, in words of the command line. */
#include "command.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static const char *const texts[][2] = {
    {"fit: diverged; try method=krylov", "fit: diverged; try --method krylov"},
    {"data: no variance; try another table or center=no", "data: no variance; try another table or --no-center"},
    {"a.ck: is there; try resume=yes to go on, or remove it", "a.ck: is there; try --resume to go on, or remove it"},
    {"a.ck: none; try without option resume, or with more", "a.ck: none; try without --resume, or with more"},
    {"fit: option center differs; try the same", "fit: --no-center differs; try the same"},
    {"fit: option step differs; try the same", "fit: --step differs; try the same"},
    {"fit: option step-decay differs; try the same", "fit: --step-decay differs; try the same"},
    {"x: for a number of components; try components=10", "x: for a number of components; try -k 10"},
    {"a.csv: column 3 has no name; try columns=-3 to leave it out",
     "a.csv: column 3 has no name; try --columns -3 to leave it out"},
    {"method DSA: no such method; try one that em_method lists",
     "method DSA: no such method; try eigenmesh fit --help"},
    {"x: y (seed=3, threads=2)", "x: y (--seed 3, --threads 2)"},
    /* What only looks like an option. */
    {"method=dsa.npy: cannot be read; try another", "method=dsa.npy: cannot be read; try another"},
    {"option seed: is a file; try another", "option seed: is a file; try another"},
    {"a: 'seed=3' is no number; try another option", "a: 'seed=3' is no number; try another option"},
    {"a: a seed; try an optional seed.npy, x-step=3 or step", "a: a seed; try an optional seed.npy, x-step=3 or step"},
    {"a: try option", "a: try option"},
    {"a: try option ", "a: try option "},
    {"no subject", "no subject"},
};

static void options_become_flags(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        em_error err = {.code = EM_EINVAL};
        (void)snprintf(err.msg, sizeof err.msg, "%s", texts[n][0]);
        error_in_flags(&err);
        assert_string_equal(err.msg, texts[n][1]);
    }
}

/* Every option can be named, and its flag is one that the name can be told from. */
static void every_option_is_known(void **state)
{
    (void)state;
    for (int i = 0; em_option(i); i++) {
        em_error err = {.code = EM_EINVAL};
        char wanted[200], flag[FLAG_ROOM];
        (void)snprintf(err.msg, sizeof err.msg, "fit: option %s differs", em_option(i)->name);
        (void)snprintf(wanted, sizeof wanted, "fit: %s differs", flag_of(em_option(i), flag));
        error_in_flags(&err);
        assert_string_equal(err.msg, wanted);
    }
}

/* A message that has grown too long is cut, not overrun. */
static void no_room_is_no_harm(void **state)
{
    (void)state;
    em_error err = {.code = EM_EINVAL};
    char out[8];
    assert_string_equal(in_flags("seed=3", out, sizeof out), "--seed ");
    assert_string_equal(in_flags("", out, sizeof out), "");
    memset(err.msg, 'x', sizeof err.msg - 1);
    memcpy(err.msg, "a: ", 3);
    for (size_t n = 3; n + 7 < sizeof err.msg; n += 7) memcpy(err.msg + n, "seed=3 ", 7);
    error_in_flags(&err);
    assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_become_flags), cmocka_unit_test(every_option_is_known),
                                       cmocka_unit_test(no_room_is_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
