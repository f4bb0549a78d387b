#include "support/pages.h"

#include "base/error.h"
#include "support/matrix.h"
#include "support/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLUMNS = 6 };

static const char *labels[ROWS];

/* What a caller may know. */
static void describe(em_page *page, const page_case *of, const network *net, const em_options *options)
{
    static const char *name, *texts[COLUMNS];
    static em_page_input input;
    static em_page_link link;
    static uint64_t rows[64];
    static const em_page_step steps[] = {{1, 0.5}, {2, 1e-3}, {3, 1e-7}, {4, 1e-12}};
    static const char *names[64];
    static const em_data *tables[1];
    name = of->name ? of->name : "harmless";
    for (int n = 0; n < COLUMNS; n++) texts[n] = name;
    for (int n = 0; n < ROWS; n++) labels[n] = n % 3 ? name : "other";
    for (int n = 0; n < of->nodes; n++) rows[n] = ROWS / (uint64_t)of->nodes, names[n] = name;
    input = (em_page_input){name, name, texts, texts, COLUMNS};
    link = (em_page_link){name, 1000, 2000, 3, 4.5};
    tables[0] = net->data;
    page->subject = page->command = page->topology = name;
    page->made = 1500000000;
    page->options = options;
    page->fact_names = texts, page->facts = texts, page->fact_count = 1;
    page->inputs = &input, page->input_count = 1, page->rows_dropped = 2;
    page->graph = net->graph, page->node_rows = rows, page->node_names = of->name ? names : NULL, page->own_node = 1;
    page->links = &link, page->link_count = 1;
    page->steps = steps, page->step_count = 4;
    page->label = name;
    page->labels = labels;
    if (of->rows) page->tables = tables, page->table_count = 1;
}

static em_status write_to_memory(const em_page *page, char **text, em_error *err)
{
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    em_status status = stream ? em_page_write(page, stream, err) : emi_fail(err, EM_EIO, "no stream");
    if (stream) (void)fclose(stream);
    if (status != EM_OK) free(*text), *text = NULL;
    return status;
}

em_status page_of(const page_case *of, char **text, em_error *err)
{
    static double values[ROWS * COLUMNS];
    em_status status = EM_OK;
    network net = {0};
    em_options *options = NULL;
    em_model *model = NULL;
    char count[16];
    const char *names[COLUMNS];
    for (int n = 0; n < COLUMNS; n++) names[n] = of->name ? of->name : "column";
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    const network_plan plan = {values, ROWS, COLUMNS, "complete", of->nodes, 1};
    TRY(network_open(&net, &plan, err));
    TRY(em_data_set_column_names(net.data, names, err));
    TRY(em_options_create(&options, err));
    (void)snprintf(count, sizeof count, "%d", of->components);
    TRY(em_options_set(options, "components", count, err));
    TRY(em_options_set(options, "method", of->method, err));
    TRY(em_fit(&model, options, net.mesh, net.shards, err));
    em_page page = {.size = sizeof page, .model = model, .fragment = of->fragment};
    describe(&page, of, &net, options);
    TRY(write_to_memory(&page, text, err));
    if (of->model) *of->model = model, model = NULL;
done:
    em_model_free(&model);
    em_options_free(&options);
    network_close(&net);
    return status;
}

int page_counts(const char *page, const char *what)
{
    int count = 0;
    for (const char *at = page; (at = strstr(at, what)); at++) count++;
    return count;
}
