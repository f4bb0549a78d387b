/* The page, put together. */
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "page/parts.h"

#include <math.h>
#include <string.h>

/* Nothing is fetched and nothing runs, whatever is in the texts. */
static const char policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

static void put_style(emi_html *to)
{
    emi_put(to, "<style>\n");
    emi_put_as_it_is(to, emi_page_style);
    emi_put(to, "</style>\n");
}

/* ---- what is seen first --------------------------------------------------------------------------------------------- */

static void put_tile(emi_html *to, unsigned long long count, const char *noun)
{
    emi_put(to, "<div><dt>%s%s</dt><dd>", noun, count == 1 ? "" : "s");
    emi_put_count(to, count);
    emi_put(to, "</dd></div>");
}

static void put_tiles(emi_html *to, const em_model *model)
{
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model);
    double share = emi_page_share(model, K);
    emi_put(to, "<dl class=\"tiles\">");
    put_tile(to, em_model_samples(model), "row");
    put_tile(to, (unsigned long long)em_model_features(model), "feature");
    put_tile(to, (unsigned long long)info->nodes, "node");
    put_tile(to, (unsigned long long)K, "component");
    if (isfinite(share))
        emi_put(to, "<div><dt>of the variance</dt><dd id=\"share\">%.3g%%</dd></div>",
                share < 99.95        ? share
                : share < 100 - 1e-9 ? 99.9
                                     : 100);
    emi_put(to, "</dl>\n");
}

static void put_private(emi_html *to, const em_page *page)
{
    if (!page->table_count) return;
    emi_put(to,
            "<p class=\"private\"><strong>This page shows single rows of the data%s.</strong> They are drawn as "
            "points%s: hand it on only to whom you "
            "would hand the data.</p>\n",
            page->own_node ? " of this site" : "", page->label ? ", with their labels" : "");
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static void open_section(emi_html *to, const char *name, const char *title)
{
    emi_put(to, "<section id=\"%s\"><h2>%s</h2>\n", name, title);
}

static void close_section(emi_html *to)
{
    emi_put(to, "</section>\n");
}

static em_status put_sections(emi_html *to, const em_page *page, em_error *err)
{
    em_status status = EM_OK;
    open_section(to, "trust", "How far it can be trusted");
    emi_page_certificate(to, page);
    close_section(to);
    open_section(to, "data", "What it was computed from");
    emi_page_data(to, page);
    close_section(to);
    open_section(to, "variances", "How much each component explains");
    emi_page_variances(to, page->model, 1);
    close_section(to);
    open_section(to, "loadings", "What the components are made of");
    emi_page_loadings(to, page->model);
    close_section(to);
    open_section(to, "rows-drawn", "Rows along the components");
    TRY(emi_page_scores(to, page, err));
    close_section(to);
    open_section(to, "network", "Who took part");
    TRY(emi_page_network(to, page, err));
    close_section(to);
    open_section(to, "way", "How it was found");
    emi_page_method(to, page);
    close_section(to);
    open_section(to, "traffic", "What was sent");
    emi_page_sent(to, page);
    close_section(to);
    open_section(to, "again", "To do it again");
    TRY(emi_page_again(to, page, err));
    close_section(to);
    open_section(to, "glossary", "What the words mean");
    emi_page_glossary(to, page);
    close_section(to);
done:
    return status;
}

static void put_title(emi_html *to, const em_page *page)
{
    emi_put(to, "Principal components%s", page->subject ? " of " : "");
    if (page->subject) emi_put_cut(to, page->subject, EMI_NAME_LETTERS);
}

static em_status put_page(emi_html *to, const em_page *page, em_error *err)
{
    emi_put(to,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
            "http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
            policy);
    put_title(to, page);
    emi_put(to, "</title>\n<link rel=\"icon\" href=\"data:,\">\n");
    put_style(to);
    emi_put(to, "</head>\n<body class=\"em-body\">\n<main class=\"em\">\n<header><h1>");
    put_title(to, page);
    emi_put(to, "</h1>\n");
    emi_page_verdict(to, page->model);
    put_tiles(to, page->model);
    put_private(to, page);
    emi_put(to, "</header>\n");
    em_status status = put_sections(to, page, err);
    emi_put(to, "</main>\n</body>\n</html>\n");
    return status;
}

/* In short, with no names that another piece of the same page might have too. */
static void put_fragment(emi_html *to, const em_page *page)
{
    emi_put(to, "<div class=\"em em-part\">\n");
    put_style(to);
    emi_page_verdict(to, page->model);
    put_tiles(to, page->model);
    emi_page_variances(to, page->model, 0);
    emi_put(to, "</div>\n");
}

/* What the caller has, which may be of an older version, where the rest is 0. */
static em_status take(em_page *own, const em_page *page, em_error *err)
{
    *own = (em_page){0};
    if (!page || page->size < offsetof(em_page, subject))
        return emi_fail(err, EM_EINVAL, "page: has no size; try em_page page = {.size = sizeof page}");
    memcpy(own, page, page->size < sizeof *own ? page->size : sizeof *own);
    if (!own->model) return emi_fail(err, EM_EINVAL, "page: has no model; try the one of em_fit or em_model_load");
    if (own->label && !own->labels)
        for (int t = 0; t < own->table_count; t++)
            if (em_data_rows(own->tables[t]) && !em_data_label(own->tables[t], 0))
                return emi_fail(err, EM_EINVAL, "%s: was opened without a label; try em_read_options.label",
                                em_data_name(own->tables[t]));
    return EM_OK;
}

em_status em_page_write(const em_page *page, FILE *stream, em_error *err)
{
    em_status status = EM_OK;
    emi_html html = {0};
    em_page own;
    TRY(take(&own, page, err));
    if (own.fragment)
        put_fragment(&html, &own);
    else
        TRY(put_page(&html, &own, err));
    if (html.failed) TRY(emi_fail_memory(err, "page"));
    (void)fwrite(html.text, 1, html.size, stream);
done:
    emi_free(html.text);
    return status;
}

em_status em_page_save(const em_page *page, const char *path, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    TRY(emi_output_open(&output, path, err));
    TRY(em_page_write(page, emi_output_stream(output), err));
    TRY(emi_output_commit(&output, err));
done:
    emi_output_discard(&output);
    return status;
}
