/* The largest loadings of each component: what each feature weighs in it, by name, or by its number from 0, as info --loadings has
 * it.  Of the first components as bars; of those after them, of which there may be many, a line each. */
#include "page/parts.h"

#include <math.h>
#include <stdio.h>

enum { SHOWN = 8, IN_LINES = 4, WITH_BARS = 6 };

/* The features of the largest weights, the largest first; of equal ones the first.  Returns how many there are, at most `most`. */
static int find_largest(const double *weights, int d, int most, int largest[SHOWN])
{
    int count = 0;
    for (int f = 0; f < d; f++) {
        double size = fabs(weights[f]);
        if (!(size > 0) || (count == most && size <= fabs(weights[largest[count - 1]]))) continue;
        int at = count < most ? count++ : count - 1;
        for (; at > 0 && size > fabs(weights[largest[at - 1]]); at--) largest[at] = largest[at - 1];
        largest[at] = f;
    }
    return count;
}

static void put_feature(emi_html *to, const em_model *model, int f)
{
    const char *name = em_model_feature_name(model, f);
    char number[32];
    if (!name) (void)snprintf(number, sizeof number, "feature %d", f);
    emi_put_name(to, name ? name : number, EMI_NAME_LETTERS);
}

static const double *weights_of(const em_model *model, int k)
{
    return em_model_components(model) + (size_t)k * (size_t)em_model_features(model);
}

/* Bars from the middle, to the right where they count for it, to the left where against it. */
static void put_bars(emi_html *to, const em_model *model, int k)
{
    const double *weights = weights_of(model, k);
    int largest[SHOWN], count = find_largest(weights, em_model_features(model), SHOWN, largest);
    emi_put(to, "<article class=\"card\"><h3>Component %d <small>%.3g%% of the variance</small></h3>", k + 1,
            100 * em_model_explained_variance_ratio(model)[k]);
    if (!count) emi_put(to, "<p>No feature weighs anything in it.</p>");
    emi_put(to, "<table class=\"loadings\"><tbody>");
    for (int n = 0; n < count; n++) {
        double weight = weights[largest[n]], width = 50 * fabs(weight / weights[largest[0]]);
        emi_put(to, "<tr><th scope=\"row\">");
        put_feature(to, model, largest[n]);
        emi_put(to,
                "</th><td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
                "class=\"%s\" x=\"%.1f\" "
                "y=\"0\" width=\"%.1f\" height=\"10\"/><line class=\"zero\" x1=\"50\" x2=\"50\" y1=\"0\" "
                "y2=\"10\"/></svg></td>"
                "<td>%+.3f</td></tr>",
                weight < 0 ? "minus" : "plus", weight < 0 ? 50 - width : 50, width, weight);
    }
    emi_put(to, "</tbody></table></article>\n");
}

static void put_line(emi_html *to, const em_model *model, int k)
{
    const double *weights = weights_of(model, k);
    int largest[SHOWN], count = find_largest(weights, em_model_features(model), IN_LINES, largest);
    emi_put(to, "<tr><th scope=\"row\">%d</th><td>", k + 1);
    for (int n = 0; n < count; n++) {
        put_feature(to, model, largest[n]);
        emi_put(to, " %+.3f%s", weights[largest[n]], n + 1 < count ? ", " : "");
    }
    emi_put(to, "</td></tr>\n");
}

void emi_page_loadings(emi_html *to, const em_model *model)
{
    int K = em_model_components_count(model), d = em_model_features(model);
    emi_put(to,
            "<p>A component is a mixture of features. These are the features that weigh most in each, of %s%d: two "
            "with bars "
            "to the same side rise and fall together along it, two on opposite sides move against each other. Which "
            "side is "
            "called plus is a matter of taste.%s</p>\n<div class=\"cards\">\n",
            d == 1 ? "" : "all ", d,
            em_model_feature_name(model, 0)
                ? ""
                : " Features have no names here: they are counted from 0, in the order in which their columns were "
                  "used.");
    for (int k = 0; k < K && k < WITH_BARS; k++) put_bars(to, model, k);
    emi_put(to, "</div>\n");
    if (K <= WITH_BARS) return;
    emi_put(to, "<div class=\"wide\"><table><thead><tr><th scope=\"col\">component</th><th scope=\"col\">largest "
                "weights</th></tr>"
                "</thead><tbody>\n");
    for (int k = WITH_BARS; k < K; k++) put_line(to, model, k);
    emi_put(to, "</tbody></table></div>\n");
}
