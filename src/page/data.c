/* What the answer was computed from: rows, columns that were used and those that were not, centre and scale. */
#include "page/parts.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SHOWN = 24, LEFT_OUT_SHOWN = 200 };

static void put_scale(emi_html *to, const em_info *info)
{
    static const char *const words[][2] = {
        {"none", "none: features with larger numbers weigh more"},
        {"std", "every feature divided by its own standard deviation, so that all weigh the same"},
        {"spectral", "all features divided by one and the same number, which changes no direction"},
        {"binomial", "genotypes divided by what their allele frequency makes them deviate"}};
    int level = info->constant_features;
    const char *text = "not kept in a file of an older version";
    for (size_t n = 0; n < sizeof words / sizeof *words; n++)
        if (strcmp(info->scale, words[n][0]) == 0) text = words[n][1];
    emi_put(to, "<dt>Scale</dt><dd>%s", text);
    if (level && strcmp(info->scale, "binomial") == 0)
        emi_put(to, "; %d variant%s without variation left out", level, level == 1 ? "" : "s");
    else if (level)
        emi_put(to, "; %d feature%s that never change%s left as %s", level, level == 1 ? "" : "s",
                level == 1 ? "s was" : " were", level == 1 ? "it is" : "they are");
    emi_put(to, "</dd>\n");
}

/* 1: yes, 0: no, -1: not known, as in a model that is all centre is 0. */
static int is_centred(const em_page *page)
{
    const double *mean = em_model_mean(page->model);
    char asked[8];
    for (int f = 0; f < em_model_features(page->model); f++)
        if (mean[f] != 0) return 1;
    if (!page->options || em_options_get(page->options, "center", asked, sizeof asked) < 0) return -1;
    return strcmp(asked, "no") != 0;
}

int emi_page_is_uncentred(const em_page *page)
{
    return is_centred(page) == 0;
}

static void put_centre(emi_html *to, const em_page *page)
{
    static const char *const words[] = {"not known: no mean was subtracted, or all means are 0",
                                        "none: no mean was subtracted, as was asked for",
                                        "the mean of each feature over all rows was subtracted"};
    emi_put(to, "<dt>Centre</dt><dd>%s</dd>\n", words[is_centred(page) + 1]);
}

static void put_features(emi_html *to, const em_model *model)
{
    int d = em_model_features(model);
    emi_put(to, "<dt>Features used</dt><dd><span id=\"features\">");
    emi_put_count(to, (unsigned long long)d);
    emi_put(to, "</span>");
    for (int f = 0; f < d && f < NAMES_SHOWN && em_model_feature_name(model, f); f++) {
        emi_put(to, "%s", f ? ", " : ": ");
        emi_put_name(to, em_model_feature_name(model, f), EMI_NAME_LETTERS);
    }
    if (d > NAMES_SHOWN && em_model_feature_name(model, 0)) emi_put(to, " and %d more", d - NAMES_SHOWN);
    emi_put(to, "</dd>\n");
}

static void put_inputs(emi_html *to, const em_page *page)
{
    enum { FILES_SHOWN = 40 };
    for (size_t n = 0; n < page->input_count && n < FILES_SHOWN; n++) {
        const em_page_input *in = &page->inputs[n];
        if (n == 0) emi_put(to, "<dt>Read</dt>");
        emi_put(to, "<dd>");
        emi_put_name(to, in->name, 400);
        emi_put(to, "%s%s</dd>\n", in->remarks && *in->remarks ? ": " : "", in->remarks ? in->remarks : "");
    }
    if (page->input_count > FILES_SHOWN) emi_put(to, "<dd>and %zu more</dd>\n", page->input_count - FILES_SHOWN);
}

static size_t count_left_out(const em_page *page)
{
    size_t count = 0;
    for (size_t n = 0; n < page->input_count; n++) count += page->inputs[n].left_out_count;
    return count;
}

/* "text, such as 'A12'" quotes a cell, and no cell is on a page: "text". */
static void put_reason(emi_html *to, const char *why)
{
    if (strncmp(why, "text, such as ", strlen("text, such as ")) == 0) why = "text";
    emi_put_name(to, why, 2 * EMI_NAME_LETTERS);
}

static void put_left_out(emi_html *to, const em_page *page)
{
    size_t all = count_left_out(page), shown = 0;
    if (!all) return;
    emi_put(to, "<h3>Columns left out</h3><div class=\"wide\"><table id=\"left-out\"><thead><tr><th "
                "scope=\"col\">column</th><th scope=\"col\">"
                "why</th></tr></thead><tbody>\n");
    for (size_t n = 0; n < page->input_count; n++) {
        const em_page_input *in = &page->inputs[n];
        for (size_t c = 0; c < in->left_out_count && shown < LEFT_OUT_SHOWN; c++, shown++) {
            emi_put(to, "<tr><th scope=\"row\">");
            emi_put_name(to, in->left_out[c], EMI_NAME_LETTERS);
            emi_put(to, "</th><td>");
            put_reason(to, in->why[c]);
            emi_put(to, "</td></tr>\n");
        }
    }
    emi_put(to, "</tbody></table></div>\n");
    if (all > shown) emi_put(to, "<p class=\"soft\">And %zu more.</p>\n", all - shown);
}

void emi_page_data(emi_html *to, const em_page *page)
{
    const em_info *info = em_model_info(page->model);
    emi_put(to, "<dl class=\"facts\">\n<dt>Rows</dt><dd><span id=\"rows\">");
    emi_put_count(to, em_model_samples(page->model));
    emi_put(to, "</span>");
    if (page->rows_dropped) {
        emi_put(to, "; ");
        emi_put_count(to, page->rows_dropped);
        emi_put(to, " more left out for missing values");
    }
    emi_put(to, "</dd>\n");
    put_inputs(to, page);
    put_features(to, page->model);
    put_centre(to, page);
    put_scale(to, info);
    if (info->missing_values) {
        emi_put(to, "<dt>Missing</dt><dd>");
        emi_put_number_of(to, info->missing_values, "value");
        emi_put(to, " filled with the mean of the feature over all nodes</dd>\n");
    }
    emi_put(to, "</dl>\n");
    put_left_out(to, page);
    if (page->input_count) return;
    if (emi_page_is_own(page))
        emi_put(to,
                "<p class=\"soft\">The rows came from the program that asked for the fit, which names no files.</p>\n");
    else
        emi_put(to, "<p class=\"soft\">Which files these were, and what was left out of them, %s</p>\n", EMI_NOT_KEPT);
}
