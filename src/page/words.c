#include "base/text.h"
#include "page/parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void emi_put_number_of(emi_html *to, unsigned long long count, const char *noun)
{
    emi_put_count(to, count);
    emi_put(to, " %s%s", noun, count == 1 ? "" : "s");
}

int emi_page_is_own(const em_page *page)
{
    return page->command != NULL;
}

/* ---- how it ended -------------------------------------------------------------------------------------------- */

typedef struct ending {
    em_reason reason;
    const char *kind; /* of the sign before it */
    const char *word, *sentence;
} ending;

static const ending endings[] = {
    {EM_CONVERGED, "good", "Converged", "The components are as accurate as was asked for."},
    {EM_SETTLED, "fair", "Settled",
     "The method has come to rest near the answer, which is as near as this method comes. How near is said below."},
    {EM_STOPPED_ITERATIONS, "bad", "Not finished",
     "The limit of iterations came before the accuracy that was asked for. This is the last estimate."},
    {EM_STOPPED_DIVERGED, "bad", "Failed", "The numbers grew without bound. Do not use these components."},
    {EM_STOPPED_USER, "bad", "Interrupted",
     "The computation was stopped before it was done. This is the last estimate."},
    {EM_STOPPED_SHORT, "bad", "Not accurate enough",
     "The components were measured at the end, and are less accurate than was asked for."},
    {EM_STOPPED_ROUNDING, "fair", "Partly certain",
     "Some components are so small beside the others, or beside the mean, that rounding leaves their directions open."},
    {EM_STOPPED_MISSED, "bad", "Incomplete", "A component that is larger than the last one here was not found."},
    {0, "bad", "Unknown", "How the computation ended is not known."}};

static const ending *ending_of(const em_info *info)
{
    static const ending as_asked = {EM_STOPPED_ITERATIONS, "fair", "Done",
                                    "All iterations that were asked for were done. How near that came is said below."};
    const ending *end = endings;
    if (info->reason == EM_STOPPED_ITERATIONS && info->tolerance == 0) return &as_asked;
    while (end->reason && end->reason != info->reason) end++;
    return end;
}

/* Converged are components whose directions are known, too, though rounding forbids the accuracy that was asked for. */
static void put_sentence(emi_html *to, const ending *end, int limited)
{
    if (end->reason == EM_CONVERGED && limited)
        emi_put(to,
                "The components are as accurate as numbers in a computer allow; %d of them %s less accurate than was "
                "asked for.",
                limited, limited == 1 ? "is" : "are");
    else
        emi_put(to, "%s", end->sentence);
}

void emi_page_verdict(emi_html *to, const em_model *model)
{
    static const char *const kinds[][2] = {{"good", "✓"}, {"fair", "!"}, {"bad", "✗"}};
    const em_info *info = em_model_info(model);
    const ending *end = ending_of(info);
    const char *sign = "";
    for (int n = 0; n < 3; n++)
        if (strcmp(kinds[n][0], end->kind) == 0) sign = kinds[n][1];
    emi_put(to,
            "<p class=\"verdict %s\"><span class=\"sign\" aria-hidden=\"true\">%s</span><span><strong>%s.</strong> ",
            end->kind, sign, end->word);
    put_sentence(to, end, info->limited);
    emi_put(to, "</span></p>\n");
}

/* ---- how far it can be off ------------------------------------------------------------------------------------- */

/* Of an angle whose sine is at most this. */
static void put_angle(emi_html *to, double sine)
{
    double degrees = asin(fmin(sine, 1)) * 180 / acos(-1);
    if (degrees < 1e-6)
        emi_put(to, "less than a millionth of a degree");
    else if (degrees < 1e-3)
        emi_put(to, "less than a thousandth of a degree");
    else
        emi_put(to, "at most %.2g degree%s", degrees, degrees > 0.995 && degrees < 1.05 ? "" : "s");
}

/* Those that stand alone: the least certain of them, -1 where there is none; and how many nothing is known of. */
static int least_certain(const em_model *model, int *unknown)
{
    const double *angle = em_model_angle_bounds(model);
    const int64_t *cluster = em_model_clusters(model);
    int K = em_model_components_count(model), has = em_model_info(model)->rank, worst = -1;
    *unknown = 0;
    for (int k = 0; k < has; k++) {
        int alone = cluster[k] == k && !(k + 1 < has && cluster[k + 1] == k) &&
                    !(k + 1 == K && em_model_info(model)->open_cluster);
        if (!alone) continue;
        if (!(angle[k] < 1))
            ++*unknown;
        else if (worst < 0 || angle[k] > angle[worst])
            worst = k;
    }
    return worst;
}

static void put_single(emi_html *to, const em_model *model)
{
    int unknown, worst = least_certain(model, &unknown), K = em_model_components_count(model);
    if (worst >= 0) {
        emi_put(to, "<p>Had all rows been in one place and every digit been kept, the exact components would point in "
                    "directions that differ "
                    "from these by ");
        put_angle(to, em_model_angle_bounds(model)[worst]);
        if (K > 1) emi_put(to, " (component %d, the least certain of those of which it is known)", worst + 1);
        emi_put(to, ".</p>\n");
    }
    if (unknown)
        emi_put(to, "<p>Of %d component%s no such bound is known: nothing is promised about the direction%s.</p>\n",
                unknown, unknown == 1 ? "" : "s", unknown == 1 ? "" : "s");
}

/* Is it the estimate that does not tell components first to end - 1 apart, and not the data?  So it is where their residuals leave
 * variances open in the eight digits that would be alike, or a larger component was missed.  apps/eigenmesh/report_certificate.c asks
 * the same. */
static int is_too_far(const em_model *model, int first, int end, int open)
{
    static const double alike = 1e-8;
    const em_info *info = em_model_info(model);
    if (info->reason == EM_CONVERGED || info->reason == EM_STOPPED_ROUNDING) return 0;
    for (int k = first; k < end; k++)
        if (!(em_model_residuals(model)[k] <= fmax(info->tolerance, alike))) return 1;
    return open && info->reason == EM_STOPPED_MISSED;
}

/* Components whose variances are too close to tell the vectors apart. */
static void put_alike(emi_html *to, const em_model *model, int first, int end, int open)
{
    double bound = em_model_subspace_bounds(model)[first];
    int last = open ? end + 1 : end;
    if (is_too_far(model, first, end, open)) {
        emi_put(to,
                "<p>This estimate is too far off to tell components %d to %d apart. That says nothing about the data: "
                "a fit "
                "that comes nearer may well tell them apart.</p>\n",
                first + 1, last);
        return;
    }
    emi_put(to,
            "<p>Components %d to %d explain nearly the same variance. Data like this does not say which direction is "
            "whose: any mixture "
            "of them would do as well, so do not read a meaning into one of them alone.",
            first + 1, last);
    if (open)
        emi_put(to, " The last of these was not asked for; asking for one more component shows it.");
    else if (bound < 1) {
        emi_put(to, " What they span together is certain: it is off by ");
        put_angle(to, bound);
        emi_put(to, ".");
    }
    emi_put(to, "</p>\n");
}

static void put_clusters(emi_html *to, const em_model *model)
{
    const int64_t *cluster = em_model_clusters(model);
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model), has = info->rank;
    for (int k = 0, end; k < has; k = end) {
        for (end = k + 1; end < has && cluster[end] == k;) end++;
        int open = end == K && info->open_cluster;
        if (end - k > 1 || open) put_alike(to, model, k, end, open);
    }
    if (has < K)
        emi_put(to,
                "<p>The data has no variance beyond component %d that could be told from rounding: %s direction%s, and "
                "mean%s nothing.</p>\n",
                has, has + 1 < K ? "those after it have arbitrary" : "the one after it has an arbitrary",
                has + 1 < K ? "s" : "", has + 1 < K ? "" : "s");
    if (info->limited)
        emi_put(to,
                "<p>%d component%s less accurate than was asked for because numbers in a computer have no more "
                "digits; the "
                "directions are known all the same, as the table says.</p>\n",
                info->limited, info->limited == 1 ? " is" : "s are");
}

/* Of all components together, in percent. */
static void put_share(emi_html *to, const em_page *page, double share)
{
    int one = em_model_components_count(page->model) == 1, uncentred = emi_page_is_uncentred(page);
    emi_put(to, "<p>%s %.3g%% of what %s: that is how much of the %s is kept when each row is described by %s.</p>\n",
            one ? "The component holds" : "Together the components hold",
            share < 99.95        ? share
            : share < 100 - 1e-9 ? 99.9
                                 : 100, /* all of it only where it is all */
            uncentred ? "lies between rows and 0" : "differs between rows",
            uncentred ? "sum of all squares" : "data's variance", one ? "this one number" : "these few numbers");
}

void emi_page_certificate(emi_html *to, const em_page *page)
{
    const em_info *info = em_model_info(page->model);
    double share = emi_page_share(page->model, em_model_components_count(page->model));
    if (isfinite(share)) put_share(to, page, share);
    emi_put(
        to,
        "<p>How far the answer can be off was not guessed by the method that found it. When it was done, the "
        "components were "
        "multiplied by the data%s once more, and what came out was compared with what exact components give%s.</p>\n",
        info->nodes > 1 ? " of all nodes" : "",
        page->masked ? "; sums were masked, and every site found the comparison from them by itself" : "");
    if (info->reason != EM_STOPPED_DIVERGED) put_single(to, page->model);
    put_clusters(to, page->model);
    if (info->sketch_bound > 0)
        emi_put(
            to,
            "<p><strong>This is of a sketch of the rows, not of all that they say.</strong> In any direction their "
            "variance may be larger than it seems here, by up to %.3g; the bounds above are about the sketch.</p>\n",
            info->sketch_bound);
    if (info->estimated)
        emi_put(to, "<p>These bounds are estimates on the safe side: three times what random combinations of the "
                    "components say.</p>\n");
    emi_put(to,
            "<p class=\"soft\">In numbers: worst residual <span id=\"worst\">%.1e</span>, mean <span "
            "id=\"mean\">%.1e</span>, "
            "tolerance %.3g.",
            info->worst_residual, info->residual, info->tolerance);
    if (info->consensus > 0 && isfinite(info->consensus))
        emi_put(to, " At the end of the iterations the nodes' own estimates differed by %.1e of their size.",
                info->consensus);
    if (isfinite(info->error)) emi_put(to, " Error against the truth that was given: %.1e.", info->error);
    emi_put(to, "</p>\n");
}

/* ---- what words mean --------------------------------------------------------------------------------------------- */

void emi_page_glossary(emi_html *to, const em_page *page)
{
    static const char *const from_mean[][2] = {
        {"Variance", "how much numbers differ from their mean: the mean of the squared differences."},
        {"Component", "a direction in which rows differ: a mixture of features. The first one is that in which they "
                      "differ most, the "
                      "second that in which they differ most beside it, and so on."}};
    static const char *const from_zero[][2] = {
        {"Variance", "here, as no mean was subtracted, how far numbers are from 0: the mean of their squares."},
        {"Component",
         "a direction in which rows lie away from 0: a mixture of features. The first one is that in which they "
         "are farthest from it, the second that in which they are farthest beside it, and so on."}};
    static const char *const words[][2] = {
        {"Loading",
         "what a feature weighs in that mixture, from -1 to 1. The squares of a component's loadings add up to 1."},
        {"Score", "where a row lies along a component."},
        {"Residual", "how much is missing for a component to be exact, relative to its own variance; 0 is exact."},
        {"Angle",
         "how far a component can point away from the exact one; 0 degrees is exact, 90 is no relation at all."}};
    emi_put(to, "<dl class=\"words\">\n");
    for (size_t n = 0; n < sizeof from_mean / sizeof *from_mean; n++) {
        const char *const *word = emi_page_is_uncentred(page) ? from_zero[n] : from_mean[n];
        emi_put(to, "<dt>%s</dt><dd>%s</dd>\n", word[0], word[1]);
    }
    for (size_t n = 0; n < sizeof words / sizeof *words; n++)
        emi_put(to, "<dt>%s</dt><dd>%s</dd>\n", words[n][0], words[n][1]);
    emi_put(to, "</dl>\n");
}
