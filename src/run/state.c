#include "run/state.h"

#include "base/memory.h"

static void serialize_field(emi_serializer *p, const emi_field *field)
{
    for (int i = 0; i < field->nodes; i++)
        emi_serialize_words(p, emi_at(field, i).v, (size_t)field->rows * (size_t)field->cols);
}

static void serialize_kept(emi_serializer *p, const emi_kept *kept)
{
    int count = kept->used ? *kept->used : kept->room;
    emi_serialize_int(p, &count);
    if (count < 0 || count > kept->room || (!kept->used && count != kept->room)) p->spoiled = 1;
    if (p->spoiled) return;
    if (kept->used) *kept->used = count;
    emi_serialize_words(p, kept->at, (size_t)count * kept->unit);
}

static void serialize_row(emi_serializer *p, em_trace_row *row)
{
    uint64_t *counts[] = {&row->rounds, &row->messages, &row->bytes};
    double *numbers[] = {&row->units, &row->seconds, &row->residual, &row->consensus, &row->error};
    emi_serialize_long(p, &row->iteration);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) emi_serialize_words(p, counts[n], 1);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) emi_serialize_real(p, numbers[n]);
}

static em_status serialize_trace(emi_serializer *p, emi_trace *t, em_error *err)
{
    enum { ROW_WORDS = 9 };
    uint64_t count = t->count;
    emi_serialize_words(p, &count, 1);
    if (p->loading && count > p->left / ROW_WORDS) p->spoiled = 1; /* before there is room for so many */
    if (p->loading && !p->spoiled && count > 0) {
        em_trace_row *rows = emi_realloc(t->rows, (size_t)count * sizeof *rows);
        if (!rows) return emi_fail_memory(err, "trace");
        t->rows = rows;
        t->count = t->room = (size_t)count;
    }
    for (size_t n = 0; n < t->count && !p->spoiled; n++) serialize_row(p, &t->rows[n]);
    return EM_OK;
}

static void serialize_counts(emi_serializer *p, em_mesh *mesh, emi_count *before)
{
    for (int phase = 0; phase < EMI_PHASES; phase++) {
        emi_count *sent = &mesh->count[phase];
        emi_serialize_words(p, &sent->rounds, 1);
        emi_serialize_words(p, &sent->messages, 1);
        emi_serialize_words(p, &sent->scalars, 1);
    }
    emi_serialize_words(p, before, sizeof *before / sizeof(uint64_t));
    emi_serialize_real(p, &mesh->seconds_sending);
    emi_serialize_real(p, &mesh->seconds_waiting);
}

/* What the root holds; only a fraction of variance, which has no checkpoints, changes how many components that are. */
static void serialize_answer(emi_serializer *p, emi_solver *s)
{
    emi_answer *answer = &s->answer;
    double *numbers[] = {&answer->residual, &answer->next, &answer->beyond, &answer->rest};
    int K = answer->K;
    if (!emi_mesh_has_root(s->mesh)) return;
    emi_serialize_int(p, &K);
    if (K != answer->K) p->spoiled = 1;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) emi_serialize_real(p, numbers[n]);
    emi_serialize_words(p, answer->X, (size_t)s->d * (size_t)answer->K);
}

/* A column that there is, and an end of its time within the whole run's. */
static int is_possible(const emi_solver *s)
{
    const emi_driver *driver = s->driver;
    return driver->column >= -1 && driver->column < s->K && driver->column_end <= s->iteration_limit &&
           driver->stopping.tested <= s->iteration;
}

em_status emi_state_serialize(emi_serializer *p, emi_solver *s, em_error *err)
{
    emi_driver *driver = s->driver;
    emi_stopping *stopping = &driver->stopping;
    emi_serialize_long(p, &stopping->tested);
    emi_serialize_int(p, &driver->column);
    emi_serialize_long(p, &driver->column_end);
    emi_serialize_int(p, &driver->found);
    emi_serialize_int(p, &driver->unfinished);
    emi_serialize_real(p, &stopping->change);
    emi_serialize_real(p, &driver->seconds);
    emi_serialize_real(p, &stopping->travelled);
    emi_serialize_real(p, &stopping->reserve);
    serialize_answer(p, s);
    serialize_counts(p, s->mesh, &driver->trace.before);
    serialize_field(p, &s->X);
    serialize_field(p, &stopping->good);
    serialize_field(p, &stopping->shown);
    serialize_field(p, &s->theta);
    serialize_field(p, &s->residual);
    for (int n = 0; n < EMI_EXTRA_FIELDS; n++) serialize_field(p, &s->extra[n]);
    for (int n = 0; n < s->kept_count; n++) serialize_kept(p, &s->kept[n]);
    em_status status = serialize_trace(p, &driver->trace, err);
    if (p->loading && (p->left > 0 || !is_possible(s))) p->spoiled = 1;
    return status;
}
