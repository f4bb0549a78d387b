#include "run/trace.h"

#include "base/memory.h"

#include <math.h>

double emi_units(const em_mesh *mesh, int d, int K, uint64_t scalars)
{
    double unit = 2.0 * (double)mesh->graph->edges * d * K;
    return unit > 0 ? (double)scalars / unit : 0;
}

static em_trace_row *new_row(emi_trace *t, em_mesh *mesh)
{
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 256;
        em_trace_row *rows = emi_realloc(t->rows, room * sizeof *rows);
        if (!rows) {
            (void)emi_fail_memory(&mesh->failure, "trace");
            return NULL;
        }
        t->rows = rows;
        t->room = room;
    }
    return &t->rows[t->count++];
}

void emi_trace_add(emi_trace *t, emi_solver *s, emi_observer *o, double seconds)
{
    em_trace_row *row = t->kind ? new_row(t, s->mesh) : NULL;
    if (!row) return;
    const emi_count *now = &s->mesh->count[EM_METHOD], *before = &t->before;
    uint64_t scalars = now->scalars - before->scalars;
    *row = (em_trace_row){.iteration = s->iteration,
                          .rounds = now->rounds - before->rounds,
                          .messages = now->messages - before->messages,
                          .bytes = scalars * sizeof(double),
                          .units = emi_units(s->mesh, s->d, s->K, scalars),
                          .seconds = seconds};
    s->mesh->phase = EMI_OBSERVING;
    row->consensus = row->residual = NAN;
    int all = t->kind != EMI_TRACE_ERROR;
    if (all || (s->traits & EMI_AT_ROOT && o->truth->vectors)) emi_observe_estimate(o);
    if (all) {
        row->consensus = emi_observe_consensus(o);
        row->residual = emi_observe_residual(o);
    }
    row->error = emi_observe_error(o);
    s->mesh->phase = EM_METHOD;
}
