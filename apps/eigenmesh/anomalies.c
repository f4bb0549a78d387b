#include "anomalies.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const char *const columns[ANOMALIES] = {"t2", "q"};

/* One of the words of the list, which are separated by commas. */
static em_status choose(anomalies *a, const char *list, const char *word, size_t length, em_error *err)
{
    const char *const words[] = {columns[ANOMALY_T2], columns[ANOMALY_Q], "components"};
    int *const flags[] = {&a->wanted[ANOMALY_T2], &a->wanted[ANOMALY_Q], &a->components};
    for (int n = 0; n < 3; n++)
        if (strlen(words[n]) == length && strncmp(words[n], word, length) == 0) {
            *flags[n] = 1;
            return EM_OK;
        }
    return emi_fail(err, EM_EINVAL, "--scores: '%s' is not a list of components, t2 and q; try --scores t2,q", list);
}

static void find_limits(anomalies *a, const em_model *model)
{
    em_error why = {0};
    a->limit[ANOMALY_T2] = a->limit[ANOMALY_Q] = NAN;
    if (a->wanted[ANOMALY_T2] && em_model_t2_limit(model, a->confidence, &a->limit[ANOMALY_T2], &why) != EM_OK)
        (void)snprintf(a->why[ANOMALY_T2], sizeof a->why[0], "%s", why.msg);
    if (!a->wanted[ANOMALY_Q] || em_model_q_limit(model, a->confidence, &a->limit[ANOMALY_Q], &a->error, &why) == EM_OK)
        return;
    a->limit[ANOMALY_Q] = NAN;
    (void)snprintf(a->why[ANOMALY_Q], sizeof a->why[0], "%s",
                   strstr(why.msg, "limits=yes") ? "the model does not say how the variance it leaves out is spread; "
                                                   "try eigenmesh fit --limits"
                                                 : why.msg);
}

/* "component1", ..., "t2", "q". */
static em_status name_columns(anomalies *a, const em_model *model, em_error *err)
{
    size_t count = anomalies_columns(a, model), at = 0;
    a->names = emi_calloc(count, sizeof *a->names);
    a->text = emi_calloc(count, sizeof *a->text);
    if (!a->names || !a->text) return emi_fail_memory(err, "--scores");
    for (; a->components && at < (size_t)em_model_components_count(model); at++)
        (void)snprintf(a->text[at], sizeof a->text[at], "component%zu", at + 1);
    for (int n = 0; n < ANOMALIES; n++)
        if (a->wanted[n]) (void)snprintf(a->text[at++], sizeof *a->text, "%s", columns[n]);
    for (size_t c = 0; c < count; c++) a->names[c] = a->text[c];
    return EM_OK;
}

em_status anomalies_open(anomalies *a, const arguments *args, const em_model *model, em_error *err)
{
    em_status status = EM_OK;
    const char *list = args_text(args, "scores");
    *a = (anomalies){.components = !list, .confidence = 0.99};
    if (args_given(args, "confidence")) TRY(args_real(args, "confidence", &a->confidence, err));
    if (!(a->confidence > 0 && a->confidence < 1))
        TRY(emi_fail(err, EM_EINVAL, "--confidence: %g is not between 0 and 1; try 0.99", a->confidence));
    for (const char *word = list; word; word = *word ? word + 1 : NULL) {
        size_t length = strcspn(word, ",");
        TRY(choose(a, list, word, length, err));
        word += length;
    }
    a->sketch_bound = em_model_info(model)->sketch_bound;
    find_limits(a, model);
    if (list) TRY(name_columns(a, model, err));
done:
    return status;
}

void anomalies_close(anomalies *a)
{
    emi_free(a->text);
    emi_free(a->names);
}

size_t anomalies_columns(const anomalies *a, const em_model *model)
{
    size_t count = a->components ? (size_t)em_model_components_count(model) : 0;
    for (int n = 0; n < ANOMALIES; n++) count += a->wanted[n] != 0;
    return count;
}

em_status anomalies_map(anomalies *a, const em_model *model, const double *in, size_t rows, const double *z,
                        double *out, em_error *err)
{
    em_status status = EM_OK;
    size_t K = (size_t)em_model_components_count(model), kept = a->components ? K : 0,
           all = anomalies_columns(a, model);
    double *found = emi_doubles(ANOMALIES * rows);
    if (!found) TRY(emi_fail_memory(err, "--scores"));
    double *of[ANOMALIES] = {found, found + rows};
    TRY(em_model_anomalies(model, in, rows, of[ANOMALY_T2], of[ANOMALY_Q], err));
    for (size_t r = 0; r < rows; r++) {
        size_t at = kept;
        for (size_t k = 0; k < kept; k++) out[r * all + k] = z[r * K + k];
        for (int n = 0; n < ANOMALIES; n++) {
            if (!a->wanted[n]) continue;
            out[r * all + at++] = of[n][r];
            a->above[n] += of[n][r] > a->limit[n];
        }
    }
    a->rows += rows;
done:
    emi_free(found);
    return status;
}

void anomalies_print(const anomalies *a)
{
    static const char *const signs[ANOMALIES] = {"T^2", "Q"};
    for (int n = 0; n < ANOMALIES; n++) {
        if (!a->wanted[n]) continue;
        if (isnan(a->limit[n])) {
            (void)printf("%-9s no limit: %s\n", signs[n], a->why[n]);
            continue;
        }
        (void)printf("%-9s limit %.6g at confidence %g", signs[n], a->limit[n], a->confidence);
        if (n == ANOMALY_Q && a->error > 0) (void)printf(" (estimated, to %.2g)", a->error);
        (void)printf("; above it %zu of %zu rows\n", a->above[n], a->rows);
    }
    if (a->names && a->sketch_bound > 0)
        (void)printf(
            "sketch    the model is of one: its variances, and with them the limits, may be off by up to %.3g\n",
            a->sketch_bound);
}

void anomalies_json(json *j, const anomalies *a)
{
    json_real(j, "confidence", a->confidence);
    json_real(j, "sketch_bound", a->sketch_bound);
    for (int n = 0; n < ANOMALIES; n++) {
        if (!a->wanted[n]) continue;
        json_open(j, columns[n], '{');
        json_real(j, "limit", a->limit[n]);
        json_real(j, "error", n == ANOMALY_Q ? a->error : 0);
        json_whole(j, "above", a->above[n]);
        json_text(j, "why", isnan(a->limit[n]) ? a->why[n] : NULL);
        json_close(j, '}');
    }
}
