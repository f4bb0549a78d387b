/* A study's file.  What is read has a tree, a digest and a graph; and its canonical text, spelt as a file again, is the same study. */
#include "fuzz.h"

#include "net/study.h"

#include <stdlib.h>
#include <string.h>

static void require(int holds)
{
    if (!holds) abort();
}

/* The lines of the canonical text as those of a file: "option NAME VALUE" is NAME = VALUE, and so on.  Hexadecimal numbers are not
 * for files: those come from the options. */
static char *as_file(const emi_study *study)
{
    char *text = NULL, value[64], id[EMI_ID_TEXT];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    require(out != NULL);
    (void)fprintf(out, "[study]\nname = again\nmasks = %s\n", study->masks ? "yes" : "no");
    for (int i = 0; em_option(i); i++) {
        char line[96];
        (void)snprintf(line, sizeof line, "\noption %s ", em_option(i)->name);
        if (!strstr(study->canonical, line)) continue;
        (void)em_options_get(study->options, em_option(i)->name, value, sizeof value);
        (void)fprintf(out, "%s = %s\n", em_option(i)->name, value);
    }
    for (int n = 0; n < study->site_count; n++) {
        int named = 0;
        emi_id_write(study->sites[n].id, id);
        (void)fprintf(out, "[site %s]\nid = %s\naddress = h:%d\n", study->sites[n].name, id, n + 1);
        for (size_t e = 0; e < study->edge_count; e++)
            if (study->edges[e].b == n)
                (void)fprintf(out, "%s%s", named++ ? ", " : "neighbours = ", study->sites[study->edges[e].a].name);
        (void)fputc('\n', out);
    }
    require(fclose(out) == 0);
    return text;
}

static void check(const emi_study *study)
{
    em_error err = {0};
    em_graph *graph = NULL;
    emi_study *again = NULL;
    require(study->site_count >= 2 && study->edge_count >= (size_t)study->site_count - 1);
    for (int n = 0; n < study->site_count; n++) {
        int parent = study->sites[n].parent;
        require(n == 0 ? parent == -1 : parent >= 0 && study->sites[n].depth == study->sites[parent].depth + 1);
        require(emi_study_find(study, study->sites[n].id) == n);
    }
    require(emi_study_is(study, study->fingerprint));
    require(emi_study_graph(study, &graph, &err) == EM_OK && em_graph_nodes(graph) == study->site_count);
    em_graph_free(&graph);
    char *text = as_file(study);
    /* A list of neighbours in one line may be too long: then it is no file. */
    if (emi_study_parse(&again, "again", text, strlen(text), &err) == EM_OK)
        require(strcmp(again->canonical, study->canonical) == 0);
    else
        require(strstr(err.msg, "is longer than") != NULL);
    emi_study_close(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    emi_study *study = NULL;
    em_error err = {0};
    em_status status = emi_study_parse(&study, "fuzz", (const char *)bytes, size, &err);
    fuzz_check_error(status, &err);
    require((status == EM_OK) == (study != NULL));
    if (study) check(study);
    emi_study_close(&study);
    return 0;
}
