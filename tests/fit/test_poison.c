/* NaN, wherever it comes in: a fit ends in an error or has given up, and its model holds none. */
#include "fit/options.h"
#include "support/check.h"
#include "support/faulty_engine.h"
#include "support/matrix.h"
#include "support/network.h"

#include <math.h>
#include <string.h>

enum { ROWS = 120, COLUMNS = 6, NODES = 5, K = 2 };

static double values[ROWS * COLUMNS];

/* One number that a node sends is NaN, of what is iterated, or of its share in what all decide together. */
typedef struct poisoning {
    em_phase phase; /* of which the exchanges count             */
    long at;        /* the exchange in question, counted from 0 */
    int lasting;    /* and all after it                         */
    size_t entry;   /* of the block, modulo its size            */
    long seen;      /* so far                                   */
    double block[1024];
    const em_mesh *mesh;
} poisoning;

static poisoning poison;

static void alter(engine_fault *fault, const void **inbox)
{
    poisoning *p = &poison;
    const em_mesh *mesh = p->mesh;
    int decided = fault->links >= mesh->tree_back && fault->links < mesh->tree_back + mesh->graph->nodes - 1;
    if (mesh->phase != (int)p->phase || fault->count == 0 || (decided && p->phase != EM_METHOD)) return;
    int sender = fault->links[0].from;
    long number = p->seen++;
    if (number < p->at || (number > p->at && !p->lasting) || fault->bytes > sizeof p->block) return;
    memcpy(p->block, inbox[sender], fault->bytes);
    p->block[p->entry % (fault->bytes / sizeof *p->block)] = NAN;
    inbox[sender] = p->block;
}

static void check_numbers(const em_model *model, const char *where)
{
    double sum = em_model_noise_variance(model) + em_model_info(model)->worst_residual;
    for (int n = 0; n < K * COLUMNS; n++) sum += em_model_components(model)[n];
    for (int k = 0; k < K; k++)
        sum += em_model_explained_variance(model)[k] + em_model_residuals(model)[k] + em_model_angle_bounds(model)[k];
    if (!isfinite(sum)) fail_msg("%s: a model that is not finite", where);
}

/* One number of one exchange is NaN: how it ends.  Where only the tests for the end are lost, the limit ends it, and the
 * true residual of the answer may still be within the tolerance. */
static int poisoned_fit(const char *method, em_phase phase, long at, size_t entry)
{
    char where[128];
    network net;
    em_error err = {0};
    em_model *model = NULL;
    const network_plan plan = {values, ROWS, COLUMNS, "cycle", NODES, 1};
    engine_fault fault = {.at = FAULT_NEVER, .alter = alter};
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.iterations = 2000;
    options.truth_compute = 1;
    (void)snprintf(where, sizeof where, "%s, NaN at %zu of exchange %ld, %s", method, entry, at, em_phase_name(phase));
    if (strcmp(method, "krylov") == 0) options.wire = EMI_WIRE_64; /* or what went wrong once is done again */
    if (strcmp(method, "krylov") == 0 || strcmp(method, "covariance") == 0) options.iterations = -1;
    assert_ok(network_open(&net, &plan, &err), &err);
    poison = (poisoning){.phase = phase, .at = at, .entry = entry, .mesh = net.mesh};
    poison.lasting = phase == EM_CONTROL; /* a single test that went wrong is made again */
    faulty_engine_install(net.mesh, &fault);
    em_status status = em_fit(&model, &options, net.mesh, net.shards, &err);
    int reached = poison.seen > at;
    if (status == EM_OK) {
        check_numbers(model, where);
        const em_info *info = em_model_info(model);
        int right = phase == EM_CONTROL && info->reason == EM_CONVERGED && info->error < 1e-9;
        if (reached && info->reason > 0 && !right) fail_msg("%s: %s", where, em_reason_text(info->reason));
    }
    em_model_free(&model);
    network_close(&net);
    return reached;
}

static void not_a_number_is_no_result(void **state)
{
    (void)state;
    int reached = 0;
    matrix_fill_table(values, ROWS, COLUMNS, 3);
    for (int m = 0; em_method(m); m++)
        for (int phase = EM_METHOD; phase <= EM_REPORT; phase++)
            for (long at = 0; at < 12; at++)
                for (size_t entry = 0; entry < 9 && !em_method(m)->single_node; entry += 4)
                    reached += poisoned_fit(em_method(m)->name, (em_phase)phase, at, entry);
    assert_true(reached > 100);
}

/* A table that overflows when squared, or holds what no number is: refused, or solved; never a model of NaN. */
static void tables_out_of_range(void **state)
{
    (void)state;
    static const double cells[] = {1e200, -1e300, 1e154, 1e-200, 1e-310};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (int m = 0; em_method(m); m++) {
            network net;
            em_error err = {0};
            em_model *model = NULL;
            const network_plan plan = {values, ROWS, COLUMNS, "complete", em_method(m)->single_node ? 1 : 3, 1};
            em_options options = emi_options_default();
            options.method = em_method(m)->name;
            options.components = K;
            matrix_fill_table(values, ROWS, COLUMNS, 3);
            for (int n = 0; cells[c] < 1 && n < ROWS * COLUMNS; n++) values[n] *= cells[c];
            if (cells[c] > 1) values[17] = cells[c];
            assert_ok(network_open(&net, &plan, &err), &err);
            if (em_fit(&model, &options, net.mesh, net.shards, &err) == EM_OK) check_numbers(model, options.method);
            em_model_free(&model);
            network_close(&net);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_a_number_is_no_result),
        cmocka_unit_test(tables_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
