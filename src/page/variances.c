/* The share of variance of each component, and of all up to it: a picture, and a table of what is known of each. */
#include "page/chart.h"
#include "page/parts.h"

#include <math.h>
#include <stdio.h>

double emi_page_share(const em_model *model, int components)
{
    const double *ratio = em_model_explained_variance_ratio(model);
    double sum = 0;
    for (int k = 0; k < components; k++) sum += 100 * ratio[k];
    return sum;
}

static void put_bars(const emi_chart *chart, const em_model *model, int count)
{
    const double *ratio = em_model_explained_variance_ratio(model);
    double width = fmin(0.75 * (chart->x.most - chart->x.least) / count, 48);
    emi_put(chart->to, "<g class=\"bars\">");
    for (int k = 0; k < count; k++) {
        if (!isfinite(ratio[k])) continue;
        double top = emi_axis_at(&chart->y, 100 * ratio[k]);
        emi_put(chart->to,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>component %d: %.3g%%</title></rect>",
                emi_axis_at(&chart->x, k + 1) - width / 2, top, width, chart->y.least - top, k + 1, 100 * ratio[k]);
    }
    emi_put(chart->to, "</g>");
}

static void put_cumulative(const emi_chart *chart, const emi_axis *right, const em_model *model, int count)
{
    enum { MARKED = 60 };
    char letter = 'M';
    emi_put(chart->to, "<path class=\"line second\" d=\"");
    for (int k = 0; k < count; k++) {
        double sum = emi_page_share(model, k + 1);
        if (!isfinite(sum)) continue;
        emi_put(chart->to, "%c%.1f %.1f", letter, emi_axis_at(&chart->x, k + 1), emi_axis_at(right, sum));
        letter = 'L';
    }
    emi_put(chart->to, "\"/><g class=\"marks second\">");
    for (int k = 0; k < count && count <= MARKED; k++) {
        double sum = emi_page_share(model, k + 1);
        if (isfinite(sum))
            emi_put(chart->to,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>components 1 to %d: %.4g%%</title></circle>",
                    emi_axis_at(&chart->x, k + 1), emi_axis_at(right, sum), k + 1, sum);
    }
    emi_put(chart->to, "</g>");
}

static void put_picture(emi_html *to, const em_model *model)
{
    int count = em_model_components_count(model);
    double largest = 0;
    char words[160];
    for (int k = 0; k < count; k++) largest = fmax(largest, 100 * em_model_explained_variance_ratio(model)[k]);
    emi_chart chart = {
        .to = to,
        .has_right = 1,
        .x = {.from = 0.5, .to = count + 0.5, .whole = 1, .title = "component"},
        .y = {.from = 0, .to = largest > 0 ? 1.04 * largest : 1, .percent = 1, .title = "share of the variance"}};
    emi_axis right = {.from = 0, .to = 100, .percent = 1, .title = "all up to here"};
    if (count == 1) chart.x.from = 0, chart.x.to = 2;
    (void)snprintf(words, sizeof words,
                   "Bars: the share of the variance of each of %d components. Line: of all up to it.", count);
    emi_put(to, "<figure>");
    emi_chart_begin(&chart, words);
    put_bars(&chart, model, count);
    emi_chart_right(&chart, &right);
    put_cumulative(&chart, &right, model, count);
    emi_chart_end(&chart);
    emi_put(to, "<figcaption><span class=\"key bars\"></span> the share of each component (left) "
                "<span class=\"key second\"></span> of all up to it (right)</figcaption></figure>\n");
}

static void put_table(emi_html *to, const em_model *model)
{
    const double *variance = em_model_explained_variance(model), *ratio = em_model_explained_variance_ratio(model),
                 *residual = em_model_residuals(model), *angle = em_model_angle_bounds(model);
    emi_put(to, "<div class=\"wide\"><table class=\"numbers\" id=\"components\"><thead><tr><th scope=\"col\">no.</th>"
                "<th scope=\"col\">variance</th><th scope=\"col\">share</th><th scope=\"col\">sum</th>"
                "<th scope=\"col\">residual</th><th scope=\"col\">angle</th></tr></thead><tbody>\n");
    for (int k = 0; k < em_model_components_count(model); k++) {
        emi_put(to, "<tr><th scope=\"row\">%d</th><td>%.6g</td><td>%.2f%%</td><td>%.2f%%</td><td>%.1e</td>", k + 1,
                variance[k], 100 * ratio[k], emi_page_share(model, k + 1), residual[k]);
        if (angle[k] < 1)
            emi_put(to, "<td>%.1e°</td></tr>\n", asin(angle[k]) * 180 / acos(-1));
        else
            emi_put(to, "<td>not known</td></tr>\n");
    }
    emi_put(to, "</tbody></table><p class=\"soft\">The angle is how far a component can be off, at most.</p></div>\n");
}

void emi_page_variances(emi_html *to, const em_model *model, int with_table)
{
    emi_put(to, "<div class=\"pair\">");
    put_picture(to, model);
    if (with_table) put_table(to, model);
    emi_put(to, "</div>\n");
}
