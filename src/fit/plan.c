#include "fit/plan.h"

#include "base/memory.h"
#include "data/accumulate.h"
#include "data/form.h"
#include "fit/check.h"
#include "fit/cost.h"
#include "graph/spectrum.h"
#include "mesh/masking.h"
#include "methods/lanczos.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- which operator ------------------------------------------------------------------------------ */

long emi_expected_products(const emi_method *method, const em_options *options)
{
    enum { MANY = 1000, FEW = 12 };
    if (options->iterations >= 0) return options->iterations + 1;
    return !method || method == &emi_krylov ? FEW : MANY;
}

/* Forming every C_i pays when the products saved on the way outweigh it, over the whole network, so that the answer does
 * not depend on who lives where; and when it fits. */
const emi_operator_kind *emi_fit_plan_products(const emi_problem *p, long products)
{
    double each = (double)products * p->mesh->graph->nodes * emi_by_covariance.cost(0, p->d, p->K),
           dense =
               (p->rows->squared ? 0 : emi_form_cost((double)p->N, p->d)) + each, /* moments are formed as they are */
        implicit = (double)products * emi_by_rows.cost((double)p->N, p->d, p->K) * p->filled;
    return dense < implicit && p->dense_fits ? &emi_by_covariance : p->rows;
}

/* ---- what is sent ---------------------------------------------------------------------------------- */

/* What a method is predicted to send, in so many iterations. */
typedef struct prediction {
    const emi_method *method;
    double iterations, rounds, messages, bytes;
    int at_most; /* iterations are the limit: how many it takes depends on the data */
} prediction;

/* Steps that krylov takes for eight digits on the spectra of real data, from the last answer, and deepca for six. */
enum { KRYLOV_STEPS = 10, KRYLOV_STEPS_ON = 6, DEEPCA_STEPS = 60, DEEPCA_MIXES = 3 };

static double least(double a, double b)
{
    return a < b ? a : b;
}

static const double digits_of_single = 1e-6;

/* Single precision has the digits that are asked for, and the rows have no more: where the certificate, which is made in
 * double, says otherwise, it is done again in double. */
static emi_real precision_of(const emi_problem *p, const emi_method *named, const em_options *options)
{
    if (named && !(named->uses & EMI_USES_PRECISION)) return EMI_DOUBLE;
    if (options->precision != EMI_PRECISION_AUTO)
        return options->precision == EMI_PRECISION_SINGLE ? EMI_SINGLE : EMI_DOUBLE;
    if (options->truth_compute) return EMI_DOUBLE; /* it is made of the same matrices */
    return p->rows_are_single && options->tolerance >= digits_of_single ? EMI_SINGLE : EMI_DOUBLE;
}

static int block_of(const emi_problem *p, const em_options *options)
{
    return emi_problem_block(p, options, precision_of(p, &emi_krylov, options));
}

/* Blocks that are sent in single precision have the digits that are asked for; the certificate's have all. */
static int is_narrow_wire(const emi_problem *p, const emi_method *named, const em_options *options)
{
    if ((named && !(named->uses & EMI_USES_WIRE)) || p->mesh->sums_directly || p->mesh->graph->nodes == 1) return 0;
    if (emi_mesh_is_masked(p->mesh)) return 0;
    if (options->wire != EMI_WIRE_AUTO) return options->wire == EMI_WIRE_32;
    return options->tolerance >= digits_of_single && !options->truth_compute; /* who compares sees more digits */
}

/* Up and down the tree, `steps` times. */
static prediction over_tree(const emi_problem *p, const em_options *options, const emi_method *method, double steps,
                            double scalars)
{
    double messages = 2.0 * (p->mesh->graph->nodes - 1), number = is_narrow_wire(p, method, options) ? 4 : 8;
    return (prediction){
        method, steps, 2.0 * p->mesh->tree.depth * steps, messages * steps, number * messages * scalars * steps, 0};
}

static prediction predict_covariance(const emi_problem *p, const em_options *options)
{
    prediction both = over_tree(p, options, &emi_covariance, 1, (double)p->d * (p->d + 1.0) / 2);
    both.rounds /= 2, both.messages /= 2, both.bytes /= 2; /* nothing comes down again */
    return both;
}

static prediction predict_krylov(const emi_problem *p, const em_options *options)
{
    double block = block_of(p, options), most = options->last ? KRYLOV_STEPS_ON : KRYLOV_STEPS,
           steps = least(most, ceil(p->d / block));
    return over_tree(p, options, &emi_krylov, steps, p->d * block);
}

/* Along every edge, both ways, `mixes` times an iteration. */
static prediction over_edges(const emi_problem *p, const emi_method *method, double iterations, double mixes,
                             int columns)
{
    double rounds = iterations * mixes, messages = rounds * 2.0 * (double)p->mesh->graph->edges;
    return (prediction){method, iterations, rounds, messages, 8 * messages * p->d * columns, 0};
}

static prediction predict_deepca(const emi_problem *p)
{
    return over_edges(p, &emi_deepca, DEEPCA_STEPS, DEEPCA_MIXES, p->K);
}

/* ---- which method ------------------------------------------------------------------------------------ */

static emi_sizes sizes_of(const emi_problem *p, const em_options *options)
{
    return (emi_sizes){.rows = (double)p->N,
                       .features = p->d,
                       .filled = p->filled,
                       .components = p->K,
                       .first = block_of(p, options),
                       .tolerance = options->tolerance,
                       .formed = p->rows->squared,
                       .bytes = emi_dtype_size(p->shard[0].data->type),
                       .real = precision_of(p, NULL, options),
                       .gpu = p->device.gpu != NULL};
}

/* Fewer rows than features, all of them here: the smaller matrix is theirs. */
static int is_gram(const emi_problem *p)
{
    return p->gram_fits && p->N < (uint64_t)p->d;
}

/* On one node nothing is sent, and arithmetic decides. */
static int direct_is_less_work(const emi_problem *p, const em_options *options)
{
    emi_sizes sizes = sizes_of(p, options);
    double direct = is_gram(p) ? emi_cost_of_gram(&sizes) : emi_cost_of_covariance(&sizes);
    return direct <= emi_cost_of_lanczos(&sizes);
}

static int direct_is_better(const emi_problem *p, const em_options *options, prediction direct, prediction iterated)
{
    if (!p->dense_fits && !is_gram(p)) return 0;
    return p->mesh->graph->nodes > 1 ? direct.bytes <= iterated.bytes : direct_is_less_work(p, options);
}

static void explain(const emi_problem *p, prediction best, prediction other, prediction gossip, emi_fit_plan *plan)
{
    const double MB = 1e6;
    if (p->mesh->graph->nodes == 1)
        (void)snprintf(plan->why, sizeof plan->why, "one node, %" PRIu64 " rows of %d features", p->N, p->d);
    else
        (void)snprintf(plan->why, sizeof plan->why, "about %.3g MB in %.0f round%s; %s %.3g MB, %s %.3g MB",
                       best.bytes / MB, best.rounds, best.rounds == 1 ? "" : "s", other.method->info.name,
                       other.bytes / MB, gossip.method->info.name, gossip.bytes / MB);
}

/* The cheaper of covariance and krylov, then the other, then deepca. */
static void choose(emi_fit_plan *plan, const emi_problem *p, const em_options *options)
{
    prediction direct = predict_covariance(p, options), iterated = predict_krylov(p, options),
               gossip = predict_deepca(p);
    int straight = plan->products != &emi_by_covariance_there && direct_is_better(p, options, direct, iterated), n = 0;
    plan->method[n++] = straight ? direct.method : iterated.method;
    if (straight || p->dense_fits || is_gram(p)) plan->method[n++] = straight ? iterated.method : direct.method;
    plan->method[n++] = gossip.method;
    if (p->mesh->graph->nodes == 1 && plan->products != &emi_by_covariance_there)
        plan->products = p->rows; /* what pays is the direct method */
    explain(p, straight ? direct : iterated, straight ? iterated : direct, gossip, plan);
}

/* Never one that shows more: covariance tells the root all of C, and takes who asks for it. */
static void choose_masked(emi_fit_plan *plan, const emi_problem *p, const em_options *options)
{
    prediction iterated = predict_krylov(p, options);
    plan->method[0] = iterated.method;
    (void)snprintf(plan->why, sizeof plan->why, "masked: about %.3g MB in %.0f rounds; it shows the root least of C",
                   iterated.bytes / 1e6, iterated.rounds);
}

void emi_fit_plan_make(emi_fit_plan *plan, const emi_problem *p, const emi_method *named, const em_options *options)
{
    *plan = (emi_fit_plan){.method = {named},
                           .products = emi_fit_plan_products(p, emi_expected_products(named, options)),
                           .matrix = is_gram(p) ? &emi_by_gram : &emi_by_covariance,
                           .real = precision_of(p, named, options),
                           .narrow_wire = is_narrow_wire(p, named, options)};
    if (named == &emi_krylov && p->mesh->graph->nodes == 1 && p->device.gpu)
        plan->products = p->rows; /* it steps there */
    if (emi_device_forms(p, named, options)) {
        plan->products = &emi_by_covariance_there;
        plan->real = EMI_DOUBLE;
    }
    if (named) return;
    if (emi_mesh_is_masked(p->mesh))
        choose_masked(plan, p, options);
    else
        choose(plan, p, options);
}

long emi_iteration_limit(const emi_method *method, const em_options *options, int K)
{
    if (options->iterations >= 0) return options->iterations;
    return method->iterations * (method->per_component ? K : 1);
}

/* ---- for who wants to know beforehand ------------------------------------------------------------------- */

/* Mixes an iteration.  How the network mixes is not measured yet: its weights tell, and data is taken to be alike everywhere. */
static em_status mixes_of(const emi_problem *p, const emi_method *method, const em_options *options, double *mixes,
                          em_error *err)
{
    emi_solver guess = {.K = p->K, .ritz = options->rayleigh_ritz, .network = {.spread = 1}};
    em_status status = EM_OK;
    *mixes = method->mixes;
    if (!(method->uses & EMI_USES_ROUNDS)) return EM_OK;
    *mixes = options->consensus_rounds ? options->consensus_rounds : method->rounds;
    if (*mixes > 0 || p->mesh->graph->nodes == 1) return EM_OK;
    status = emi_graph_beta(p->mesh->graph, &guess.network.beta, err);
    guess.network.lowest = -guess.network.beta;
    if (status == EM_OK) *mixes = method->rounds_for(&guess);
    return status;
}

/* Columns of what a method sends. */
static int columns_of(const emi_problem *p, const emi_method *method, const em_options *options)
{
    if (method == &emi_covariance) return p->d;
    if (method == &emi_krylov) return block_of(p, options);
    return method->per_component ? 1 : p->K;
}

static em_status predict(const emi_problem *p, const emi_method *method, const em_options *options, prediction *out,
                         em_error *err)
{
    double limit = (double)emi_iteration_limit(method, options, p->K), mixes;
    em_status status = mixes_of(p, method, options, &mixes, err);
    double steps = method == &emi_deepca && options->tolerance > 0 ? least(DEEPCA_STEPS, limit) : limit;
    if (method == &emi_covariance)
        *out = predict_covariance(p, options);
    else if (method == &emi_krylov)
        *out = predict_krylov(p, options);
    else
        *out = over_edges(p, method, steps, mixes, columns_of(p, method, options));
    out->at_most = out->iterations == limit && method != &emi_covariance;
    return status;
}

static const emi_operator_kind *operator_of(const emi_fit_plan *plan)
{
    return plan->method[0]->traits & EMI_NEEDS_MATRIX ? plan->matrix : plan->products;
}

/* Bytes beside the rows, in this process: blocks of every node, room to work in, covariances, and what the root holds. */
static double memory_of(const emi_problem *p, const emi_fit_plan *plan, const em_options *options)
{
    enum { SOLVER = 3, DRIVER = 2, OBSERVER = 1 }; /* blocks a node */
    const emi_method *method = plan->method[0];
    double d = p->d, block = d * p->K, hosted = p->mesh->hosted;
    double doubles = hosted * block * (SOLVER + DRIVER + OBSERVER + method->extra_fields);
    const emi_operator_kind *kind = operator_of(plan);
    double side = kind->lift ? (double)p->N : d;
    if (kind->form && kind != &emi_by_covariance_there)
        doubles += hosted * side * side + emi_form_memory(side, p->threads);
    if (method == &emi_covariance) doubles += kind->lift ? block : hosted * d * (d + 1) / 2 + 2 * d * d;
    if (method == &emi_krylov) {
        double blocks = p->compact ? EMI_LANCZOS_BLOCKS_LEAN : EMI_LANCZOS_BLOCKS;
        doubles += d * block_of(p, options) * (2 * blocks + hosted + 2);
    }
    return 8 * (doubles + (double)p->threads * (double)p->scratch[0].count);
}

static const char *why_operator(const emi_problem *p, const emi_fit_plan *plan)
{
    const emi_operator_kind *kind = operator_of(plan);
    if (kind->lift) return "fewer rows than features make the smaller matrix";
    if (plan->method[0]->traits & EMI_NEEDS_MATRIX) return "the method needs them";
    if (kind == &emi_by_covariance_there) return "the GPU forms them in less time than products with the rows take";
    if (kind->form) return "forming them once takes less work than products with the rows";
    if (kind == &emi_by_moments) return "what is held in place of rows is multiplied as it is";
    return p->dense_fits ? "less work than forming covariances" : "covariances do not fit into memory";
}

em_status emi_fit_plan_tell(const emi_fit_plan *plan, const emi_problem *p, const em_options *options, em_plan *out,
                            em_error *err)
{
    prediction expected;
    const emi_method *method = plan->method[0];
    const emi_operator_kind *kind = operator_of(plan);
    em_status status = predict(p, method, options, &expected, err);
    if (status != EM_OK) return status;
    *out = (em_plan){.method = method->info.name,
                     .operator_name = kind->name,
                     .operator_why = why_operator(p, plan),
                     .nodes = p->mesh->graph->nodes,
                     .threads = emi_pool_size(p->mesh->pool),
                     .samples = p->N,
                     .features = p->d,
                     .components = p->K,
                     .block = method == &emi_krylov       ? block_of(p, options)
                              : method == &emi_covariance ? (kind->lift ? (int)p->N : p->d)
                                                          : p->K,
                     .iterations = (long)expected.iterations,
                     .at_most = expected.at_most,
                     .rounds = expected.rounds,
                     .messages = expected.messages,
                     .bytes = expected.bytes,
                     .memory = memory_of(p, plan, options),
                     .precision = emi_real_name(plan->real),
                     .wire_bits = is_narrow_wire(p, method, options) ? 32 : 64,
                     .moments = p->d <= EMI_MOMENTS_MOST ? 8.0 * p->d * p->d : 0};
    (void)snprintf(out->why, sizeof out->why, "%s", *plan->why ? plan->why : "as asked for");
    out->device = emi_device_tell(p, out->device_why, sizeof out->device_why);
    return EM_OK;
}
