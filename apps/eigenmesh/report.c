#include "report.h"

#include "base/error.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- components ------------------------------------------------------------------------------------------ */

/* What is known of a component: a column of the table, and a member in JSON. */
enum { COMPONENT, VARIANCE, EXACT, RATIO, CUMULATIVE, RESIDUAL, ANGLE, ERROR, COLUMNS };

static const struct {
    const char *heading, *key, *format;
} columns[COLUMNS] = {
    [COMPONENT] = {"component", "component", "%.0f"},    [VARIANCE] = {"variance", "variance", "%.6g"},
    [EXACT] = {"exact", "exact_variance", "%.6g"},       [RATIO] = {"ratio", "ratio", "%.4f"},
    [CUMULATIVE] = {"cumulative", "cumulative", "%.4f"}, [RESIDUAL] = {"residual", "residual", "%.1e"},
    [ANGLE] = {"angle", "angle_bound", "%.1e"},          [ERROR] = {"error", "error", "%.1e"}};

/* The exact variances, where the truth was computed; a truth from a file has vectors alone. */
static const double *exact_variance(const em_model *model)
{
    const double *exact = em_model_exact_variance(model);
    return exact && !isnan(exact[0]) ? exact : NULL;
}

static int has_column(const em_model *model, int column)
{
    return (column != EXACT || exact_variance(model)) && (column != ERROR || em_model_component_error(model));
}

/* Component k; the row is that of the one before, or zero. */
static void fill_row(double row[COLUMNS], const em_model *model, int k)
{
    row[COMPONENT] = k + 1;
    row[VARIANCE] = em_model_explained_variance(model)[k];
    if (has_column(model, EXACT)) row[EXACT] = exact_variance(model)[k];
    row[RATIO] = em_model_explained_variance_ratio(model)[k];
    row[CUMULATIVE] += row[RATIO];
    row[RESIDUAL] = em_model_residuals(model)[k];
    row[ANGLE] = em_model_angle_bounds(model)[k];
    if (has_column(model, ERROR)) row[ERROR] = em_model_component_error(model)[k];
}

static em_status print_components(const em_model *model, em_error *err)
{
    table t;
    double row[COLUMNS] = {0};
    table_begin(&t, COLUMNS - !has_column(model, EXACT) - !has_column(model, ERROR));
    for (int c = 0; c < COLUMNS; c++)
        if (has_column(model, c)) table_cell(&t, "%s", columns[c].heading);
    for (int k = 0; k < em_model_components_count(model); k++) {
        fill_row(row, model, k);
        for (int c = 0; c < COLUMNS; c++) {
            if (!has_column(model, c)) continue;
            if (c == ANGLE && !(row[c] < 1))
                table_cell(&t, "-"); /* a bound of 1 says nothing */
            else
                table_cell(&t, columns[c].format, row[c]);
        }
    }
    return table_print(&t, err);
}

static void json_components(json *j, const em_model *model)
{
    double row[COLUMNS] = {0};
    json_open(j, "components", '[');
    for (int k = 0; k < em_model_components_count(model); k++) {
        fill_row(row, model, k);
        json_open(j, NULL, '{');
        for (int c = 0; c < COLUMNS; c++)
            if (has_column(model, c)) json_real(j, columns[c].key, row[c]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- the certificate ------------------------------------------------------------------------------------- */

/* For each component the first one of those it cannot be told apart from, counted from 1 as the components are, and how
 * well the subspace of these is known. */
static void json_clusters(json *j, const em_model *model)
{
    const int64_t *cluster = em_model_clusters(model);
    json_open(j, "clusters", '[');
    for (int k = 0; k < em_model_components_count(model); k++) json_whole(j, NULL, (uint64_t)cluster[k] + 1);
    json_close(j, ']');
    json_open(j, "subspace_bounds", '[');
    for (int k = 0; k < em_model_components_count(model); k++) json_real(j, NULL, em_model_subspace_bounds(model)[k]);
    json_close(j, ']');
    json_flag(j, "open_cluster", em_model_info(model)->open_cluster);
}

/* ---- what was sent --------------------------------------------------------------------------------------- */

/* A phase's name and what it sent; after the last one, all of them together. */
static const char *phase_of(const em_info *info, int phase, em_traffic *sent)
{
    if (phase < EM_PHASES) {
        *sent = info->traffic[phase];
        return em_phase_name((em_phase)phase);
    }
    *sent = (em_traffic){0};
    for (phase = 0; phase < EM_PHASES; phase++) {
        sent->rounds += info->traffic[phase].rounds;
        sent->messages += info->traffic[phase].messages;
        sent->bytes += info->traffic[phase].bytes;
        sent->units += info->traffic[phase].units;
    }
    return "total";
}

static em_status print_traffic(const em_info *info, em_error *err)
{
    static const char *const heading[] = {"sent", "rounds", "messages", "bytes", "units"};
    em_traffic sent;
    table t;
    if (info->nodes == 1) {
        (void)printf("sent      nothing, as there is one node\n");
        return EM_OK;
    }
    table_begin(&t, 5);
    for (int i = 0; i < 5; i++) table_cell(&t, "%s", heading[i]);
    for (int phase = 0; phase <= EM_PHASES; phase++) {
        table_cell(&t, "%s", phase_of(info, phase, &sent));
        table_cell(&t, "%llu", (unsigned long long)sent.rounds);
        table_cell(&t, "%llu", (unsigned long long)sent.messages);
        table_cell(&t, "%llu", (unsigned long long)sent.bytes);
        table_cell(&t, "%.6g", sent.units);
    }
    return table_print(&t, err);
}

static void json_sent(json *j, const em_info *info)
{
    em_traffic sent;
    json_open(j, "sent", '{');
    for (int phase = 0; phase <= EM_PHASES; phase++) {
        json_open(j, phase_of(info, phase, &sent), '{');
        json_whole(j, "rounds", sent.rounds);
        json_whole(j, "messages", sent.messages);
        json_whole(j, "bytes", sent.bytes);
        json_real(j, "units", sent.units);
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* ---- how it ended ---------------------------------------------------------------------------------------- */

static const ending endings[] = {
    {EM_CONVERGED, "converged", NULL, NULL},
    {EM_SETTLED, "settled", NULL, NULL},
    {EM_STOPPED_ITERATIONS, "iteration limit", "has not converged", "more --iterations, or another --method"},
    {EM_STOPPED_DIVERGED, "diverged", "diverged", "a smaller --step, or --step auto"},
    {EM_STOPPED_USER, "interrupted", "was interrupted", "as many --iterations to stop there"},
    {EM_STOPPED_SHORT, "stopped short", "stopped short of the tolerance", "more --consensus-rounds, or method krylov"},
    {EM_STOPPED_ROUNDING, "rounding",
     "met components so small beside the first, or beside the mean, that rounding leaves their directions open",
     "--scale std, or leaving out the columns of the largest numbers"},
    {EM_STOPPED_MISSED, "missed one", "missed a component that is larger than the last one it found",
     "another start (--seed, --init random), or --method krylov"},
    {0, "unknown", "ended", "another --method"}};

const ending *ending_of(em_reason reason)
{
    const ending *end = endings;
    while (end->reason && end->reason != reason) end++;
    return end;
}

/* Is the tolerance a promise about the residual that so many iterations could not keep?  Of none, nothing is asked. */
static int breaks_promise(const em_info *info)
{
    int promises = 0;
    for (int m = 0; em_method(m); m++)
        if (strcmp(em_method(m)->name, info->method) == 0) promises = em_method(m)->residual;
    return promises && info->iterations > 0;
}

int ending_is_well(const em_info *info, int limited)
{
    int enough = info->tolerance == 0 || (limited && !breaks_promise(info));
    return !ending_of(info->reason)->what || (info->reason == EM_STOPPED_ITERATIONS && enough);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* Three digits and a unit that suits them. */
static void print_seconds(double seconds, const char *rest)
{
    if (seconds < 1e-3)
        (void)printf("%.3g us %s", 1e6 * seconds, rest);
    else if (seconds < 1)
        (void)printf("%.3g ms %s", 1e3 * seconds, rest);
    else
        (void)printf("%.*f s %s", seconds < 100 ? 2 : 0, seconds, rest);
}

static void print_ending(const em_info *info)
{
    (void)printf("result    %s after %ld iteration%s", em_reason_text(info->reason), info->iterations,
                 info->iterations == 1 ? "" : "s");
    if (isfinite(info->change) && info->reason != EM_CONVERGED) (void)printf(", change %.1e", info->change);
    (void)printf(" (tolerance %g)\n", info->tolerance);
    (void)printf("measures  worst residual %.1e, mean %.1e%s", info->worst_residual, info->residual,
                 info->estimated ? " (estimated)" : "");
    if (isfinite(info->consensus)) (void)printf(", consensus %.1e", info->consensus);
    if (isfinite(info->error)) (void)printf(", error %.1e", info->error);
    if (isfinite(info->step)) (void)printf(", step %.4g", info->step);
    (void)printf("\ntime      ");
    print_seconds(info->seconds_setup, "before the iterations, ");
    print_seconds(info->seconds, "in them\n");
}

em_status report_model(const em_model *model, em_error *err)
{
    em_status status = EM_OK;
    TRY(print_components(model, err));
    report_certificate(model);
    (void)putchar('\n');
    TRY(print_traffic(em_model_info(model), err));
    (void)putchar('\n');
    print_ending(em_model_info(model));
    report_turn(model);
done:
    return status;
}

const char *anew_text(const em_info *info, char room[ANEW_ROOM])
{
    (void)snprintf(room, ANEW_ROOM,
                   "the part of node %ld is missing, damaged or of another iteration, so the run begins anew",
                   -info->resumed - 1);
    return room;
}

void report_json(json *j, const em_model *model)
{
    const em_info *info = em_model_info(model);
    char anew[ANEW_ROOM];
    json_text(j, "method", info->method);
    json_text(j, "choice", *info->choice ? info->choice : NULL);
    json_text(j, "operator", info->operator_name);
    json_text(j, "precision", info->precision);
    json_text(j, "device", *info->device ? info->device : NULL); /* a file has none */
    json_text(j, "device_why", *info->device ? info->device_why : NULL);
    json_whole(j, "wire_bits", (uint64_t)info->wire_bits);
    json_flag(j, "estimated", info->estimated);
    json_whole(j, "samples", em_model_samples(model));
    json_whole(j, "features", (uint64_t)em_model_features(model));
    json_whole(j, "nodes", (uint64_t)info->nodes);
    json_whole(j, "threads", (uint64_t)info->threads);
    json_whole(j, "seed", info->seed);
    json_flag(j, "converged", info->reason == EM_CONVERGED);
    json_text(j, "result", em_reason_text(info->reason));
    json_whole(j, "rank", (uint64_t)info->rank);
    json_whole(j, "limited", (uint64_t)info->limited);
    json_whole(j, "iterations", (uint64_t)info->iterations);
    json_whole(j, "resumed", info->resumed > 0 ? (uint64_t)info->resumed : 0);
    json_text(j, "anew", info->resumed < 0 ? anew_text(info, anew) : NULL);
    json_real(j, "tolerance", info->tolerance);
    json_real(j, "change", info->change);
    json_real(j, "step", info->step);
    json_real(j, "residual", info->residual);
    json_real(j, "worst_residual", info->worst_residual);
    json_real(j, "consensus", info->consensus);
    json_real(j, "error", info->error);
    json_real(j, "noise_variance", em_model_noise_variance(model));
    json_text(j, "scale", *info->scale ? info->scale : NULL);
    json_whole(j, "constant_features", (uint64_t)info->constant_features);
    json_whole(j, "missing_values", info->missing_values);
    json_real(j, "weight", info->weight > 0 ? info->weight : (double)info->samples);
    json_real(j, "sketch_bound", info->sketch_bound);
    report_turn_json(j, model);
    json_components(j, model);
    json_clusters(j, model);
    json_sent(j, info);
    json_open(j, "seconds", '{');
    json_real(j, "setup", info->seconds_setup);
    json_real(j, "iterations", info->seconds);
    json_close(j, '}');
}

void report_names(const em_model *model)
{
    enum { WIDTH = 100 };
    int d = em_model_features(model), f, at = 10;
    if (!em_model_feature_name(model, 0)) return;
    for (f = 0; f < d && at < WIDTH; f++) {
        at += printf("%s", f ? ", " : "features  ");
        for (const char *c = em_model_feature_name(model, f); *c; c++, at++) /* on one line */
            (void)putchar(iscntrl((unsigned char)*c) ? ' ' : *c);
    }
    if (f < d) (void)printf(" and %d more", d - f);
    (void)putchar('\n');
}

int report_tells_device(const char *device, const char *why)
{
    return strcmp(device, "gpu") == 0 || strcmp(why, "as asked for") == 0 || strstr(why, "gpu: ");
}

void report_scale(const em_info *info)
{
    int level = info->constant_features;
    if (strcmp(info->scale, "binomial") != 0) return;
    (void)printf("scale     binomial, by allele frequencies over all nodes");
    if (level) (void)printf("; %d variant%s without variation left out", level, level == 1 ? "" : "s");
    (void)putchar('\n');
}

void report_names_json(json *j, const em_model *model)
{
    json_open(j, "feature_names", '[');
    for (int f = 0; em_model_feature_name(model, f); f++) json_text(j, NULL, em_model_feature_name(model, f));
    json_close(j, ']');
}

/* ---- the trace ------------------------------------------------------------------------------------------- */

/* A number that does not apply leaves its column empty. */
static void put(FILE *out, double value)
{
    char text[EMI_NUMBER_TEXT];
    (void)emi_text_of_double(text, value);
    (void)fprintf(out, ",%s", isnan(value) ? "" : text);
}

const char *operator_text(const char *name)
{
    static const char *const words[][2] = {{"dense", "dense covariances"},
                                           {"implicit", "implicit covariances"},
                                           {"gram", "products of the rows"},
                                           {"moments", "moments in place of rows"}};
    for (size_t n = 0; n < sizeof words / sizeof *words; n++)
        if (strcmp(name, words[n][0]) == 0) return words[n][1];
    return name;
}

void trace_write(FILE *out, const char *names, const trace_curve *curves, int count)
{
    const em_trace_row *row;
    if (names) (void)fprintf(out, "%s,", names);
    (void)fputs("iteration,rounds,messages,bytes,units,seconds,residual,consensus,error\n", out);
    for (int c = 0; c < count; c++)
        for (size_t r = 0; curves[c].model && (row = em_model_trace_row(curves[c].model, r)); r++) {
            if (names) (void)fprintf(out, "%s,", curves[c].name);
            (void)fprintf(out, "%ld,%llu,%llu,%llu", row->iteration, (unsigned long long)row->rounds,
                          (unsigned long long)row->messages, (unsigned long long)row->bytes);
            const double values[] = {row->units, row->seconds, row->residual, row->consensus, row->error};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) put(out, values[v]);
            (void)fputc('\n', out);
        }
}
