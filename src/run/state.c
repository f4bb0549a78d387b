/* What a run carries from one iteration to the next.  Of a method that works at the root, all that matters is there: other
 * processes are told how far it is. */
#include "base/memory.h"
#include "run/checkpoint.h"

#include <math.h>
#include <stddef.h>

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

static em_status serialize_trace(emi_serializer *p, emi_trace *t, long iteration, em_error *err)
{
    enum { AFTER = offsetof(em_trace_row, rounds), WORDS = (sizeof *t->rows - AFTER) / sizeof(uint64_t) };
    uint64_t count = t->count;
    emi_serialize_words(p, &count, 1);
    if (p->loading && count != (t->kind ? (uint64_t)iteration + 1 : 0)) p->spoiled = 1;
    if (p->loading && p->stream && count > p->left / (1 + WORDS)) p->spoiled = 1; /* before there is room for so many */
    if (p->loading && !p->spoiled && count > 0) {
        em_trace_row *rows = emi_realloc(t->rows, (size_t)count * sizeof *rows);
        if (!rows) return emi_fail_memory(err, "trace");
        t->rows = rows;
        t->count = t->room = (size_t)count;
    }
    for (size_t n = 0; n < t->count && !p->spoiled; n++) {
        emi_serialize_long(p, &t->rows[n].iteration);
        emi_serialize_words(p, (char *)&t->rows[n] + AFTER, WORDS);
    }
    return EM_OK;
}

/* What the root holds; only a fraction of variance, which has no checkpoints, changes how many components that are. */
static void serialize_answer(emi_serializer *p, emi_solver *s)
{
    emi_answer *answer = &s->answer;
    int K = answer->K;
    if (!emi_mesh_has_root(s->mesh)) return;
    emi_serialize_int(p, &K);
    if (K != answer->K) p->spoiled = 1;
    emi_serialize_words(p, &answer->residual, 1);
    emi_serialize_words(p, &answer->next, 1);
    emi_serialize_words(p, &answer->beyond, 1);
    emi_serialize_words(p, &answer->rest, 1);
    emi_serialize_words(p, &answer->squares, 1);
    emi_serialize_words(p, &answer->cubes, 1);
    emi_serialize_words(p, answer->X, (size_t)s->d * (size_t)answer->K);
}

/* A column that there is, an end of its time within the whole run's, as many columns as there is room for, and so on. */
static int is_possible(const emi_solver *s)
{
    const emi_driver *driver = s->driver;
    const emi_stopping *stopping = &driver->stopping;
    return driver->column >= -1 && driver->column < s->K && driver->column_end >= 0 &&
           driver->column_end <= s->iteration_limit && stopping->tested >= 0 && stopping->tested <= s->iteration &&
           driver->found >= 0 && driver->found <= 1 && driver->unfinished >= 0 && driver->unfinished <= s->K &&
           driver->seconds >= 0 && isfinite(driver->seconds) && stopping->reserve >= 0 && stopping->reserve <= 1 &&
           s->width >= 0 && s->width <= s->widest;
}

static void serialize_progress(emi_serializer *p, emi_driver *driver)
{
    emi_stopping *stopping = &driver->stopping;
    emi_serialize_long(p, &stopping->tested);
    emi_serialize_int(p, &driver->column);
    emi_serialize_long(p, &driver->column_end);
    emi_serialize_int(p, &driver->found);
    emi_serialize_int(p, &driver->unfinished);
    emi_serialize_words(p, &stopping->change, 1);
    emi_serialize_words(p, &driver->seconds, 1);
    emi_serialize_words(p, &stopping->travelled, 1);
    emi_serialize_words(p, &stopping->reserve, 1);
}

/* What a process has of its own. */
static void serialize_own(emi_serializer *p, emi_solver *s)
{
    const emi_stopping *stopping = &s->driver->stopping;
    emi_serialize_words(p, &s->mesh->seconds_sending, 1);
    emi_serialize_words(p, &s->mesh->seconds_waiting, 1);
    const emi_field *fields[] = {&s->X, &stopping->good, &stopping->shown, &s->theta, &s->residual};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) serialize_field(p, fields[n]);
    for (int n = 0; n < EMI_EXTRA_FIELDS; n++) serialize_field(p, &s->extra[n]);
    for (int n = 0; n < s->kept_count; n++) serialize_kept(p, &s->kept[n]);
}

em_status emi_state_serialize(emi_serializer *p, emi_solver *s, em_error *err)
{
    const size_t count_words = sizeof(emi_count) / sizeof(uint64_t);
    emi_driver *driver = s->driver;
    serialize_progress(p, driver);
    if (!p->mesh) serialize_answer(p, s);
    emi_serialize_words(p, s->mesh->count, EMI_PHASES * count_words);
    emi_serialize_words(p, &driver->trace.before, count_words);
    if (p->mesh)
        emi_serialize_int(p, &s->width);
    else
        serialize_own(p, s);
    em_status status = serialize_trace(p, &driver->trace, s->iteration, err);
    if (p->loading && (p->left > 0 || !is_possible(s))) p->spoiled = 1;
    return status;
}
