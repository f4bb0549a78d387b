/* An assertion that fails on one rank while the other waits for it.  CTest expects this program to fail, soon. */
#include "support/check.h"
#include "support/engines.h"

#include <mpi.h>

static void one_rank_fails(void **state)
{
    int rank;
    (void)state;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    assert_int_not_equal(rank, 1);
    (void)MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_rank_fails)};
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    return failed;
}
