/* Which rows each node holds. */
#include "data/shards.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 2, MOST_ROWS = 100 };

/* Row r is (r, -r). */
static em_data *numbered_rows(size_t rows)
{
    static double values[MOST_ROWS * COLUMNS];
    em_data *data = NULL;
    em_error err = {0};
    for (size_t r = 0; r < MOST_ROWS; r++) values[2 * r] = (double)r, values[2 * r + 1] = -(double)r;
    assert_ok(em_data_from_array(&data, values, EM_F64, rows, COLUMNS, 0, 0, &err), &err);
    return data;
}

/* The rows that all nodes hold, node by node, as they are read in pieces of `piece`. */
static size_t read_all(const em_shards *shards, size_t piece, size_t *numbers)
{
    size_t total = 0;
    double rows[MOST_ROWS * COLUMNS];
    em_error err = {0};
    for (int i = 0; i < em_shards_count(shards); i++)
        for (size_t first = 0, n; first < em_shards_rows(shards, i); first += n) {
            size_t left = em_shards_rows(shards, i) - first;
            n = left < piece ? left : piece;
            assert_ok(emi_shard_read(&shards->shard[i], first, n, rows, &err), &err);
            for (size_t r = 0; r < n; r++) {
                assert_true(rows[2 * r + 1] == -rows[2 * r]);
                numbers[total++] = (size_t)rows[2 * r];
            }
            emi_shard_forget(&shards->shard[i], first, n);
        }
    return total;
}

static void contiguous_rows_with_the_remainder_first(void **state)
{
    (void)state;
    const char *const ways[] = {NULL, "contiguous"};
    em_error err = {0};
    for (size_t rows = 1; rows <= 40; rows += 3)
        for (int nodes = 1; nodes <= (int)rows; nodes++) {
            em_data *data = numbered_rows(rows);
            em_shards *shards = NULL;
            size_t numbers[MOST_ROWS];
            assert_ok(em_shards_split(&shards, data, nodes, ways[nodes % 2], 5, &err), &err);
            assert_int_equal(em_shards_count(shards), nodes);
            assert_int_equal(em_shards_columns(shards), COLUMNS);
            size_t share = rows / (size_t)nodes, extra = rows % (size_t)nodes;
            for (int i = 0; i < nodes; i++) assert_int_equal(em_shards_rows(shards, i), share + ((size_t)i < extra));
            assert_int_equal(read_all(shards, 3, numbers), rows);
            for (size_t r = 0; r < rows; r++) assert_int_equal(numbers[r], r);
            em_shards_free(&shards);
            assert_null(shards);
            em_data_free(&data);
        }
}

static void shuffled(uint64_t seed, int nodes, size_t *numbers)
{
    em_data *data = numbered_rows(MOST_ROWS);
    em_shards *shards = NULL;
    em_error err = {0};
    assert_ok(em_shards_split(&shards, data, nodes, "shuffle", seed, &err), &err);
    assert_int_equal(em_shards_rows(shards, 0), (MOST_ROWS + (size_t)nodes - 1) / (size_t)nodes);
    assert_int_equal(read_all(shards, 7, numbers), MOST_ROWS);
    em_shards_free(&shards);
    em_data_free(&data);
}

static void a_shuffle_is_a_permutation_of_its_seed(void **state)
{
    (void)state;
    size_t first[MOST_ROWS], again[MOST_ROWS], other[MOST_ROWS];
    int seen[MOST_ROWS] = {0}, moved = 0;
    shuffled(1, 7, first);
    shuffled(1, 7, again);
    shuffled(2, 7, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    for (size_t r = 0; r < MOST_ROWS; r++) seen[first[r]]++, moved += first[r] != r;
    for (size_t r = 0; r < MOST_ROWS; r++) assert_int_equal(seen[r], 1);
    assert_true(moved > MOST_ROWS / 2);
    shuffled(1, 3, again); /* the order follows from the seed alone, wherever it is cut */
    assert_memory_equal(first, again, sizeof first);
}

static void sizes_are_as_given(void **state)
{
    (void)state;
    em_data *data = numbered_rows(10);
    em_shards *shards = NULL;
    em_error err = {0};
    size_t numbers[MOST_ROWS];
    assert_ok(em_shards_split(&shards, data, 3, "sizes:7,1,2", 0, &err), &err);
    const size_t wanted[] = {7, 1, 2};
    for (int i = 0; i < 3; i++) assert_int_equal(em_shards_rows(shards, i), wanted[i]);
    assert_int_equal(read_all(shards, 100, numbers), 10);
    for (size_t r = 0; r < 10; r++) assert_int_equal(numbers[r], r);
    em_shards_free(&shards);
    em_data_free(&data);
}

static void wrong_splits_are_refused(void **state)
{
    (void)state;
    const struct {
        int nodes;
        const char *how, *words;
    } wrong[] = {
        {0, NULL, "nodes: 0 of them; try 1 or more"},
        {-2, "shuffle", "nodes: -2 of them"},
        {2, "random", "split random: no such way; try contiguous, shuffle or sizes:"},
        {2, "", "no such way"},
        {2, "shuffled", "no such way"},
        {2, "sizes", "no such way"},
        {2, "sizes:", "split: 0 sizes for 2 nodes; try one size a node"},
        {2, "sizes:10", "split: 1 sizes for 2 nodes"},
        {2, "sizes:5,", "split: 1 sizes for 2 nodes"},
        {2, "sizes:,5", "split: 0 sizes for 2 nodes"},
        {2, "sizes:5,4,1", "split: more than 2 sizes for 2 nodes"},
        {2, "sizes:5,5,", "split: more than 2 sizes"},
        {2, "sizes:5,6", "split: the sizes add up to more than the 10 rows"},
        {2, "sizes:18446744073709551615,11", "add up to more than the 10 rows"},
        {2, "sizes:5,4", "split: the sizes leave 1 of 10 rows over; try sizes that add up"},
        {2, "sizes:5,x", "split: size 'x' is no number"},
        {2, "sizes:5, 5", "split: size ' 5' is no number"},
        {2, "sizes:-5,15", "split: size '-5' is no number"},
        {2, "sizes:5.0,5", "split: size '5.0' is no number"},
        {2, "sizes:99999999999999999999,5", "is no number"},
        {2, "sizes:000000000000000000000000000000000005,5", "split: size 0 is no number"},
        {2, "sizes:10,0", "node 1 would hold no row (10 rows, 2 nodes); try fewer nodes or another split"},
        {11, NULL, "node 10 would hold no row (10 rows, 11 nodes)"},
        {11, "shuffle", "node 10 would hold no row"},
    };
    em_data *data = numbered_rows(10);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        em_error err = {0};
        em_shards *shards = (em_shards *)&err; /* must be left NULL */
        assert_fails(em_shards_split(&shards, data, wrong[n].nodes, wrong[n].how, 0, &err), EM_EINVAL, wrong[n].words,
                     &err);
        assert_null(shards);
        assert_int_equal(em_shards_split(&shards, data, wrong[n].nodes, wrong[n].how, 0, NULL), EM_EINVAL);
    }
    em_data_free(&data);
}

static void one_table_a_node(void **state)
{
    (void)state;
    em_data *three = numbered_rows(3), *five = numbered_rows(5);
    em_error err = {0};
    em_shards *shards = NULL;
    size_t numbers[MOST_ROWS];
    {
        const em_data *tables[] = {three, five, three};
        assert_ok(em_shards_of(&shards, tables, 3, &err), &err);
    } /* the list is not borrowed, the tables are */
    assert_int_equal(em_shards_count(shards), 3);
    assert_int_equal(em_shards_rows(shards, 1), 5);
    assert_int_equal(read_all(shards, 2, numbers), 11);
    const size_t wanted[] = {0, 1, 2, 0, 1, 2, 3, 4, 0, 1, 2};
    assert_memory_equal(numbers, wanted, sizeof wanted);
    em_shards_free(&shards);
    em_data_free(&three);
    em_data_free(&five);
}

static void tables_must_agree(void **state)
{
    (void)state;
    static const double values[12] = {0};
    em_data *wide = NULL, *narrow = numbered_rows(3);
    em_error err = {0};
    em_shards *shards = (em_shards *)&err; /* must be left NULL */
    assert_ok(em_data_from_array(&wide, values, EM_F64, 4, 3, 0, 0, &err), &err);
    const em_data *tables[] = {narrow, wide};
    assert_fails(em_shards_of(&shards, tables, 2, &err), EM_EDATA, "has 3 columns, where ", &err);
    assert_non_null(strstr(err.msg, "try inputs with the same features"));
    assert_int_equal(err.node, 1);
    assert_null(shards);
    assert_fails(em_shards_of(&shards, tables, 0, &err), EM_EINVAL, "inputs: none; try one file a node", &err);
    em_shards_free(&shards);
    em_data_free(&wide);
    em_data_free(&narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_rows_with_the_remainder_first),
        cmocka_unit_test(a_shuffle_is_a_permutation_of_its_seed),
        cmocka_unit_test(sizes_are_as_given),
        cmocka_unit_test(wrong_splits_are_refused),
        cmocka_unit_test(one_table_a_node),
        cmocka_unit_test(tables_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
