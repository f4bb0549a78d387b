#include "fit/state.h"

#include "base/memory.h"

static void carry_field(emi_parcel *p, const emi_field *field)
{
    for (int i = 0; i < field->nodes; i++)
        emi_parcel_words(p, emi_at(field, i).v, (size_t)field->rows * (size_t)field->cols);
}

static void carry_kept(emi_parcel *p, const emi_kept *kept)
{
    int count = kept->used ? *kept->used : kept->room;
    emi_parcel_int(p, &count);
    if (count < 0 || count > kept->room || (!kept->used && count != kept->room)) p->spoiled = 1;
    if (p->spoiled) return;
    if (kept->used) *kept->used = count;
    emi_parcel_words(p, kept->at, (size_t)count * kept->unit);
}

static void carry_row(emi_parcel *p, em_trace_row *row)
{
    uint64_t *counts[] = {&row->rounds, &row->messages, &row->bytes};
    double *numbers[] = {&row->units, &row->seconds, &row->residual, &row->consensus, &row->error};
    emi_parcel_long(p, &row->iteration);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) emi_parcel_words(p, counts[n], 1);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) emi_parcel_real(p, numbers[n]);
}

static em_status carry_trace(emi_parcel *p, emi_surroundings *a, em_error *err)
{
    enum { ROW_WORDS = 9 };
    uint64_t count = a->row_count;
    emi_parcel_words(p, &count, 1);
    if (p->loading && count > p->left / ROW_WORDS) p->spoiled = 1; /* before there is room for so many */
    if (p->loading && !p->spoiled && count > 0) {
        em_trace_row *rows = emi_realloc(a->rows, (size_t)count * sizeof *rows);
        if (!rows) return emi_fail_memory(err, "trace");
        a->rows = rows;
        a->row_count = a->row_room = (size_t)count;
    }
    for (size_t n = 0; n < a->row_count && !p->spoiled; n++) carry_row(p, &a->rows[n]);
    return EM_OK;
}

static void carry_counts(emi_parcel *p, em_mesh *mesh, emi_count *before)
{
    for (int phase = 0; phase < EMI_PHASES; phase++) {
        emi_count *sent = &mesh->count[phase];
        emi_parcel_words(p, &sent->rounds, 1);
        emi_parcel_words(p, &sent->messages, 1);
        emi_parcel_words(p, &sent->scalars, 1);
    }
    emi_parcel_words(p, before, sizeof *before / sizeof(uint64_t));
    emi_parcel_real(p, &mesh->seconds_sending);
    emi_parcel_real(p, &mesh->seconds_waiting);
}

/* What the root holds; only a fraction of variance, which has no checkpoints, changes how many components that are. */
static void carry_answer(emi_parcel *p, emi_solver *s)
{
    emi_answer *answer = &s->answer;
    double *numbers[] = {&answer->residual, &answer->next, &answer->beyond, &answer->rest};
    int K = answer->K;
    if (!emi_mesh_has_root(s->mesh)) return;
    emi_parcel_int(p, &K);
    if (K != answer->K) p->spoiled = 1;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) emi_parcel_real(p, numbers[n]);
    emi_parcel_words(p, answer->X, (size_t)s->d * (size_t)answer->K);
}

/* A column that there is, and an end of its turn within the whole run's. */
static int is_possible(const emi_solver *s)
{
    const emi_surroundings *a = s->around;
    return a->column >= -1 && a->column < s->K && a->column_end <= s->iteration_limit && a->tested <= a->iteration;
}

em_status emi_state_carry(emi_parcel *p, emi_solver *s, em_error *err)
{
    emi_surroundings *a = s->around;
    emi_parcel_long(p, &a->tested);
    emi_parcel_int(p, &a->column);
    emi_parcel_long(p, &a->column_end);
    emi_parcel_int(p, &a->found);
    emi_parcel_int(p, &a->unfinished);
    emi_parcel_real(p, &a->change);
    emi_parcel_real(p, &a->seconds);
    emi_parcel_real(p, &a->travelled);
    emi_parcel_real(p, &a->reserve);
    carry_answer(p, s);
    carry_counts(p, s->mesh, &a->before);
    carry_field(p, &s->X);
    carry_field(p, &a->good);
    carry_field(p, &a->shown);
    carry_field(p, &s->theta);
    carry_field(p, &s->residual);
    for (int n = 0; n < EMI_EXTRA_FIELDS; n++) carry_field(p, &s->extra[n]);
    for (int n = 0; n < s->kept_count; n++) carry_kept(p, &s->kept[n]);
    em_status status = carry_trace(p, a, err);
    if (p->loading && (p->left > 0 || !is_possible(s))) p->spoiled = 1;
    return status;
}
