#include "support/table_fit.h"

#include "base/error.h"
#include "data/data.h"
#include "support/faulty_engine.h"

#include <stdlib.h>
#include <string.h>

/* What the engine's blocks are written down by; one fit at a time in a process. */
static struct {
    const em_mesh *mesh;
    const table_fit *fit;
} looking;

/* Is it of the sum that is under way?  Then its view comes last. */
static long sum_of(const seen_block *b)
{
    const watched *w = looking.fit->masks;
    if (!b->up || !w || w->count == 0) return -1;
    const em_sum *s = &w->sums[w->count - 1].sum;
    const size_t view = EM_VIEW_BYTES / sizeof(uint64_t);
    if (b->count != s->count + view || memcmp(b->words + s->count, s->view, EM_VIEW_BYTES) != 0) return -1;
    return (long)w->count - 1;
}

static void look(engine_fault *fault, const void **inbox)
{
    seen *s = looking.fit->seen;
    for (size_t l = 0; l < fault->count; l++) {
        if (s->count == s->room) {
            s->room = s->room ? 2 * s->room : 256;
            s->blocks = realloc(s->blocks, s->room * sizeof *s->blocks);
            if (!s->blocks) abort();
        }
        seen_block *b = &s->blocks[s->count++];
        em_link link = fault->links[l];
        *b = (seen_block){.link = link, .count = fault->bytes / sizeof(uint64_t), .words = malloc(fault->bytes)};
        if (!b->words) abort();
        memcpy(b->words, inbox[link.from], fault->bytes);
        b->up = looking.mesh->tree.parent[link.from] == link.to;
        b->sum = sum_of(b);
    }
}

em_status table_fit_run(const table_fit *t, em_model **model, em_error *err)
{
    static const unsigned char zeros[EM_VIEW_BYTES];
    em_status status = EM_OK;
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    engine_fault recorder = {.at = FAULT_NEVER, .alter = look};
    TRY(em_data_from_array(&data, t->values, EM_F64, t->rows, (size_t)t->columns, 0, 0, err));
    data->holes = t->holes;
    TRY(em_shards_split(&shards, data, t->nodes, t->split, 0, err));
    TRY(em_graph_create(&graph, t->topology, t->nodes, 1, err));
    TRY(em_mesh_open(&mesh, NULL, graph, t->threads ? t->threads : 1, err));
    looking.mesh = mesh;
    looking.fit = t;
    if (t->seen) faulty_engine_install(mesh, &recorder);
    if (t->masks) TRY(watched_masks_set(mesh, t->masks, t->view ? t->view : zeros, err));
    TRY(em_fit(model, t->options, mesh, shards, err));
done:
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

void seen_free(seen *s)
{
    for (size_t n = 0; n < s->count; n++) free(s->blocks[n].words);
    free(s->blocks);
    *s = (seen){0};
}
