/* Who is compared. */
#include "compare.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

static const em_method_info *find_method(const char *name)
{
    for (int i = 0; em_method(i); i++)
        if (strcmp(em_method(i)->name, name) == 0) return em_method(i);
    return NULL;
}

static em_status check(const comparison *c, const char *name, int nodes, em_error *err)
{
    const em_method_info *method = find_method(name);
    if (!*name) return refuse(err, EM_EINVAL, "--methods: a name is empty; try --methods krylov,dsa");
    if (!method && strcmp(name, "auto") != 0)
        return refuse(err, EM_EINVAL, "--methods: '%s' is no method; try eigenmesh compare --help", name);
    if (method && method->single_node && nodes > 1)
        return refuse(err, EM_EINVAL,
                      "--methods: %s needs all data in one place, and there are %d nodes; try --nodes 1, or without %s",
                      name, nodes, name);
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->contenders[i].name, name) == 0)
            return refuse(err, EM_EINVAL, "--methods: %s is named twice; try it once", name);
    return EM_OK;
}

em_status comparison_create(comparison *c, const char *list, int nodes, em_error *err)
{
    size_t commas = 0;
    for (const char *at = list; *at; at++) commas += *at == ',';
    c->count = 0;
    c->names = strdup(list);
    c->contenders = calloc(commas + 1, sizeof *c->contenders);
    if (!c->names || !c->contenders) return refuse_memory(err, "--methods");
    for (char *name = c->names, *rest; name; name = rest) {
        rest = strchr(name, ',');
        if (rest) *rest++ = 0;
        em_status status = check(c, name, nodes, err);
        if (status != EM_OK) return status;
        c->contenders[c->count++].name = name;
    }
    return EM_OK;
}

void comparison_free(comparison *c)
{
    lab_results_free(&c->results);
    free(c->contenders);
    free(c->names);
}

const em_model *comparison_any(const comparison *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].model) return c->contenders[i].model;
    return NULL;
}
