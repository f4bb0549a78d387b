#include "run/checkpoint.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/output.h"
#include "base/place.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- names --------------------------------------------------------------------------------- */

/* FILE, or FILE.FIRST-LAST where others have parts of it too.  A link stays a link: what counts is where it leads. */
static em_status name_part(emi_checkpoint *c, const char *file, const em_mesh *mesh, em_error *err)
{
    char name[PATH_MAX], nodes[32] = "";
    int spread = emi_mesh_is_spread(mesh), first = mesh->first;
    if (spread) (void)snprintf(nodes, sizeof nodes, ".%d-%d", first, first + mesh->hosted - 1);
    (void)snprintf(name, sizeof name, "%s%s", file, nodes); /* what is cut off is too long to be written */
    em_status status = emi_output_target(name, c->path, sizeof c->path, err);
    if (spread) (void)snprintf(c->next, sizeof c->next, "%s.next", c->path);
    return status;
}

/* What is no checkpoint stays. */
static em_status remove_file(const char *path, em_error *err)
{
    if (!emi_serialized_is_at(path)) return EM_OK;
    if (unlink(path) == 0 || errno == ENOENT) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "%s: cannot be removed (%s); try removing it by hand", path, strerror(errno));
}

static em_status rename_next(const emi_checkpoint *c, em_error *err)
{
    if (!*c->next || (rename(c->next, c->path) == 0 && emi_place_settle(c->path) == 0)) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "%s: cannot be written (%s); try another place for it", c->path, strerror(errno));
}

em_status emi_checkpoint_remove(const char *file, const em_mesh *mesh, em_error *err)
{
    emi_checkpoint c = {0};
    em_status status = name_part(&c, file, mesh, err);
    if (status == EM_OK) status = remove_file(c.next, err);
    return status == EM_OK ? remove_file(c.path, err) : status;
}

/* ---- what it says of itself -------------------------------------------------------------------- */

static void serialize_asked(emi_serializer *p, emi_label *label)
{
    emi_serialize_int(p, &label->asked_count);
    if (label->asked_count < 0 || label->asked_count > EMI_LABEL_ENTRIES) p->spoiled = 1;
    for (int n = 0; n < label->asked_count && !p->spoiled; n++) {
        emi_serialize_text(p, label->asked[n].name, EMI_ASKED_NAME);
        emi_serialize_words(p, &label->asked[n].value, 1);
    }
}

/* Told to other processes too, so it is checked at once. */
static void serialize_course(emi_serializer *p, emi_course *course)
{
    emi_serialize_long(p, &course->iteration);
    emi_serialize_text(p, course->method, sizeof course->method);
    emi_serialize_text(p, course->choice, sizeof course->choice);
    emi_serialize_int(p, &course->in_double);
    emi_serialize_int(p, &course->at_root);
    if (!p->loading) return;
    if (course->iteration < 1 || course->iteration > LONG_MAX / 2) p->spoiled = 1;
    if (course->in_double != !!course->in_double || course->at_root != !!course->at_root) p->spoiled = 1;
}

static void serialize_label(emi_serializer *p, emi_label *label)
{
    emi_serialize_words(p, label->sizes, EMI_LABEL_SIZES);
    emi_serialize_words(p, &label->network_digest, 1);
    emi_serialize_words(p, &label->data_digest, 1);
    serialize_course(p, &label->course);
    emi_serialize_words(p, &label->alpha, 1);
    emi_serialize_words(p, &label->network.lowest, 1);
    emi_serialize_words(p, &label->network.beta, 1);
    emi_serialize_words(p, &label->network.spread, 1);
    emi_serialize_words(p, &label->all_digest, 1);
    serialize_asked(p, label);
}

/* The same in all parts that were written together; 0: there is none. */
static uint64_t generation_of(const emi_course *course)
{
    uint64_t digest = emi_digest_number(EMI_DIGEST_START, (uint64_t)course->iteration);
    digest = emi_digest_text(emi_digest_text(digest, course->method), course->choice);
    digest = emi_digest_number(digest, (uint64_t)course->in_double);
    return course->iteration ? digest | 1 : 0;
}

/* ---- finding the one that is there ------------------------------------------------------------- */

enum { FIRST, SECOND, NAMES, NEITHER = -1 };

/* What lies here under the two names: whole parts, or none. */
typedef struct old_parts {
    emi_serializer from[NAMES];
    emi_label label[NAMES];
} old_parts;

/* A part that is whole, and what it says of itself. */
static em_status open_part(const char *path, emi_serializer *from, emi_label *label, em_error *err)
{
    em_status status = emi_serializer_open(from, path, err);
    if (status != EM_OK) return status;
    serialize_label(from, label);
    if (!from->spoiled) return EM_OK;
    emi_serializer_close(from);
    label->course.iteration = 0;
    return emi_fail(err, EM_EDATA, "%s: not what a checkpoint says of itself; try removing it first", path);
}

/* To go on from, the root must have one; what another process has may do, or not.  A new run overwrites nothing. */
static em_status look(const emi_checkpoint *c, int resume, old_parts *old, em_error *err)
{
    const char *names[NAMES] = {c->path, c->next};
    if (resume) {
        em_status status = open_part(c->path, &old->from[FIRST], &old->label[FIRST], err);
        if (open_part(c->next, &old->from[SECOND], &old->label[SECOND], NULL) == EM_OK) status = EM_OK;
        return emi_mesh_has_root(c->mesh) ? status : EM_OK;
    }
    for (int n = 0; n < NAMES; n++) {
        if (!emi_serialized_is_at(names[n])) continue;
        em_status status = open_part(names[n], &old->from[n], &old->label[n], err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

static int newest(const old_parts *old)
{
    return old->label[SECOND].course.iteration ? SECOND : old->label[FIRST].course.iteration ? FIRST : NEITHER;
}

/* What the root has, and wants: a file or none, to resume or not. */
typedef struct offer {
    uint64_t named, resume, generation[NAMES], at_root[NAMES];
} offer;

/* The name under which this process has it. */
static int name_of(const old_parts *old, uint64_t generation)
{
    for (int n = 0; n < NAMES; n++)
        if (generation && generation_of(&old->label[n].course) == generation) return n;
    return NEITHER;
}

/* The newer one that all processes have, or that the root alone needs, by the root's name for it.  Where there is none,
 * *lacking becomes a node whose process has no part of it, counted from 1. */
static em_status choose(emi_checkpoint *c, const old_parts *old, const offer *o, int named, int *chosen, long *lacking,
                        em_error *err)
{
    double without[NAMES + 1] = {0};
    for (int n = 0; n < NAMES; n++)
        if (!o->at_root[n] && name_of(old, o->generation[n]) == NEITHER) without[n] = c->mesh->first + 1;
    without[NAMES] = !named;
    em_status status = emi_mesh_is_spread(c->mesh) ? emi_process_max(c->mesh, without, NAMES + 1, err) : EM_OK;
    if (status != EM_OK) return status;
    for (int n = 0; n <= NAMES; n++)
        if (!(without[n] >= 0 && without[n] <= c->mesh->graph->nodes))
            return emi_fail(err, EM_ENET, "checkpoint: node %g has no part; try the same program everywhere",
                            without[n]);
    c->everywhere = without[NAMES] == 0;
    *chosen = o->generation[SECOND] && without[SECOND] == 0 ? SECOND
              : o->generation[FIRST] && without[FIRST] == 0 ? FIRST
                                                            : NEITHER;
    *lacking = (long)without[o->generation[FIRST] ? FIRST : SECOND];
    return EM_OK;
}

static em_status fail_told(const em_mesh *mesh, em_error *err)
{
    if (!emi_mesh_failed(mesh))
        return emi_fail(err, EM_ENET,
                        "checkpoint: what the root says of the run to go on from cannot be; try the same program "
                        "everywhere");
    if (err) *err = mesh->failure;
    return mesh->failure.code;
}

/* To go on from: it keeps the first name, the other one goes.  Who has no part is told where the run is. */
static em_status take_old(emi_checkpoint *c, old_parts *old, const offer *o, int chosen, em_error *err)
{
    int n = name_of(old, o->generation[chosen]), root = emi_mesh_has_root(c->mesh);
    em_status status = EM_OK;
    c->resumes = 1;
    if (n != NEITHER && (root || !o->at_root[chosen])) {
        status = n == SECOND ? rename_next(c, err) : remove_file(c->next, err);
        c->from = old->from[n];
        old->from[n] = (emi_serializer){0};
        c->label = old->label[n];
        c->labelled = 1;
    }
    if (status == EM_OK && o->at_root[chosen] && emi_mesh_is_spread(c->mesh)) {
        emi_serializer told = emi_serializer_tell(c->mesh);
        serialize_course(&told, &c->label.course);
        if (told.spoiled || !c->label.course.at_root) status = fail_told(c->mesh, err);
    }
    c->resumed = c->label.course.iteration;
    return status;
}

/* Where a new run's are to go: one that could be gone on from is not overwritten.  One under second names alone, which some
 * lack, never was complete, and goes. */
static em_status leave_old(emi_checkpoint *c, const old_parts *old, const offer *o, int chosen, em_error *err)
{
    int n = newest(old);
    if (n == NEITHER || (chosen != NEITHER && o->at_root[chosen] && !emi_mesh_has_root(c->mesh))) return EM_OK;
    c->label = old->label[n];
    c->labelled = chosen != NEITHER;
    if (c->labelled) c->found = c->label.course.iteration;
    if (c->labelled) return EM_OK;
    if (old->label[FIRST].course.iteration == 0) return remove_file(c->next, err);
    return emi_fail(err, EM_EINVAL, "%s: of iteration %ld, and other processes have no part; try removing it first",
                    c->path, old->label[FIRST].course.iteration);
}

/* Parts that do not make one: the run begins anew, if they are of this problem. */
static em_status give_up_old(emi_checkpoint *c, const old_parts *old, long lacking)
{
    int n = newest(old);
    c->resumed = -lacking;
    c->labelled = n != NEITHER;
    if (c->labelled) c->label = old->label[n];
    return EM_OK;
}

static em_status find_old(emi_checkpoint *c, const emi_wish *wish, em_error *err)
{
    em_status status = EM_OK;
    old_parts old = {0};
    offer o = {.named = wish->file != NULL, .resume = wish->resume != 0};
    int chosen = NEITHER;
    long lacking = 0;
    if (*c->path) TRY(look(c, wish->resume, &old, err));
    for (int n = 0; n < NAMES; n++) {
        o.generation[n] = generation_of(&old.label[n].course);
        o.at_root[n] = old.label[n].course.at_root != 0;
    }
    if (emi_mesh_is_spread(c->mesh)) {
        emi_serializer told = emi_serializer_tell(c->mesh);
        emi_serialize_words(&told, &o, sizeof o / sizeof(uint64_t));
        if (told.spoiled) TRY(fail_told(c->mesh, err));
    }
    if (!o.named) c->path[0] = c->next[0] = 0; /* the root's word */
    if (!o.named) goto done;
    TRY(choose(c, &old, &o, wish->file != NULL, &chosen, &lacking, err));
    if (!o.resume)
        TRY(leave_old(c, &old, &o, chosen, err));
    else
        TRY(chosen == NEITHER ? give_up_old(c, &old, lacking) : take_old(c, &old, &o, chosen, err));
done:
    for (int n = 0; n < NAMES; n++) emi_serializer_close(&old.from[n]);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* The name that is written to. */
static const char *written(const emi_checkpoint *c)
{
    return *c->next && !c->label.course.at_root ? c->next : c->path;
}

/* Told now, not after hours of work. */
static em_status check_place(const emi_checkpoint *c, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_serialized_check_place(c->path, err);
    if (status == EM_OK) status = emi_serialized_check_place(c->next, err);
    if (status == EM_OK) status = emi_output_open_private(&output, written(c), err);
    emi_output_discard(&output);
    return status;
}

em_status emi_checkpoint_open(emi_checkpoint *c, em_mesh *mesh, const emi_wish *wish, em_error *err)
{
    em_status status = EM_OK;
    *c = (emi_checkpoint){.mesh = mesh, .every = wish->every, .saved = emi_seconds()};
    if (wish->file && strcmp(wish->file, "-") == 0)
        TRY(emi_fail(err, EM_EINVAL, "checkpoint: '-' cannot be read again; try a file's name"));
    if (wish->file && (emi_mesh_has_root(mesh) || !wish->at_root)) {
        TRY(name_part(c, wish->file, mesh, err));
        TRY(check_place(c, err));
    }
    TRY(find_old(c, wish, err));
done:
    return status;
}

void emi_checkpoint_close(emi_checkpoint *c)
{
    emi_serializer_close(&c->from);
    *c = (emi_checkpoint){0};
}

/* ---- saving and restoring ---------------------------------------------------------------------- */

static int is_due(const void *context)
{
    const emi_checkpoint *c = context;
    return c->writes && emi_seconds() - c->saved >= c->every;
}

int emi_checkpoint_resumes(const emi_checkpoint *c)
{
    return c && c->resumes;
}

static em_status write_part(emi_checkpoint *c, emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    emi_serializer to;
    TRY(emi_output_open_private(&output, written(c), err));
    emi_serializer_begin(&to, emi_output_stream(output));
    serialize_label(&to, &c->label);
    TRY(emi_state_serialize(&to, s, err));
    emi_serializer_end(&to);
    TRY(emi_output_commit(&output, err));
done:
    emi_output_discard(&output);
    if (status == EM_EINVAL) status = err->code = EM_EOUTPUT; /* the place was good when the run began */
    return status;
}

static em_status save(void *context, emi_solver *s, em_error *err)
{
    emi_checkpoint *c = context;
    if (!c->writes) return EM_OK;
    c->label.course.iteration = s->iteration;
    em_status status = write_part(c, s, err);
    if (!c->label.course.at_root) {
        status = emi_mesh_agree(c->mesh, status, err);
        if (status == EM_OK) status = rename_next(c, err);
    }
    c->saved = emi_seconds();
    return status;
}

/* The others are told what they need of it. */
static em_status restore(void *context, emi_solver *s, em_error *err)
{
    emi_checkpoint *c = context;
    em_status status = EM_OK;
    c->resumes = 0;
    s->iteration = c->label.course.iteration;
    if (c->from.stream) status = emi_state_serialize(&c->from, s, err);
    if (status == EM_OK && c->from.spoiled)
        status = emi_fail(err, EM_EDATA, "%s: not the state of such a run; try removing it first", c->path);
    emi_serializer_close(&c->from);
    if (status != EM_OK || !c->label.course.at_root || !emi_mesh_is_spread(c->mesh)) return status;
    emi_serializer told = emi_serializer_tell(c->mesh);
    if (told.loading) emi_stopping_begin(&s->driver->stopping, s);
    status = emi_state_serialize(&told, s, err);
    return status == EM_OK && told.spoiled ? fail_told(c->mesh, err) : status;
}

const emi_between *emi_checkpoint_between(emi_checkpoint *c, int at_root)
{
    if (!c) return NULL;
    c->writes = *c->path && (at_root ? emi_mesh_has_root(c->mesh) : c->everywhere);
    c->label.course.at_root = at_root;
    if (!c->writes && !c->resumes) return NULL;
    c->between = (emi_between){c, is_due, save, c->resumes ? restore : NULL};
    return &c->between;
}
