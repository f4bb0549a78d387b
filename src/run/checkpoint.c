#include "run/checkpoint.h"

#include "base/clock.h"
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

static void serialize_label(emi_serializer *p, emi_label *label)
{
    emi_serialize_words(p, label->sizes, EMI_LABEL_SIZES);
    emi_serialize_words(p, &label->network_digest, 1);
    emi_serialize_words(p, &label->data_digest, 1);
    emi_serialize_long(p, &label->iteration);
    emi_serialize_text(p, label->method, sizeof label->method);
    emi_serialize_text(p, label->choice, sizeof label->choice);
    emi_serialize_int(p, &label->in_double);
    emi_serialize_words(p, &label->alpha, 1);
    emi_serialize_words(p, &label->network.lowest, 1);
    emi_serialize_words(p, &label->network.beta, 1);
    emi_serialize_words(p, &label->network.spread, 1);
    serialize_asked(p, label);
}

/* ---- finding the one that is there ------------------------------------------------------------- */

/* A part that is whole, and what it says of itself. */
static em_status open_part(const char *path, emi_serializer *from, emi_label *label, em_error *err)
{
    em_status status = emi_serializer_open(from, path, err);
    if (status != EM_OK) return status;
    serialize_label(from, label);
    if (!from->spoiled && label->iteration >= 1 && label->iteration <= LONG_MAX / 2) return EM_OK;
    emi_serializer_close(from);
    label->iteration = 0;
    return emi_fail(err, EM_EDATA, "%s: not what a checkpoint says of itself; try removing it first", path);
}

/* The newest iteration that every process has. */
static em_status agree_on_iteration(em_mesh *mesh, long own, long *common, em_error *err)
{
    double least = -(double)own;
    em_status status = emi_process_max(mesh, &least, 1, err);
    *common = (long)-least;
    return status;
}

/* To go on from: of the two generations, the newest one that all processes have.  It keeps the first name, the other goes. */
static em_status take_old(emi_checkpoint *c, emi_serializer part[2], const emi_label label[2], long newest, long common,
                          em_error *err)
{
    int n = label[1].iteration == common;
    if (label[n].iteration != common)
        return emi_fail(err, EM_EDATA,
                        "%s: of iteration %ld, and other parts are of iteration %ld; try removing them first", c->path,
                        newest, common);
    em_status status = n ? rename_next(c, err) : remove_file(c->next, err);
    if (status != EM_OK) return status;
    c->from = part[n];
    part[n] = (emi_serializer){0};
    c->label = label[n];
    c->resumed = common;
    return EM_OK;
}

/* Where a new run's are to go: one that all processes have is one to go on from.  One under second names alone, which some
 * lack, never was complete, and goes. */
static em_status leave_old(emi_checkpoint *c, const emi_label label[2], long newest, long common, em_error *err)
{
    c->label = label[label[1].iteration > label[0].iteration];
    if (common > 0) c->found = newest;
    if (common > 0 || newest == 0) return EM_OK;
    if (label[0].iteration == 0) return remove_file(c->next, err);
    return emi_fail(err, EM_EINVAL, "%s: of iteration %ld, and other processes have no part; try removing it first",
                    c->path, label[0].iteration);
}

static em_status find_old(emi_checkpoint *c, int resume, em_error *err)
{
    em_status status = EM_OK;
    const char *names[] = {c->path, c->next};
    emi_serializer part[2] = {{0}};
    emi_label label[2] = {{.iteration = 0}};
    if (resume) {
        status = open_part(c->path, &part[0], &label[0], err);
        if (open_part(c->next, &part[1], &label[1], NULL) == EM_OK) status = EM_OK;
    }
    for (int n = 0; n < 2 && !resume && status == EM_OK; n++)
        if (emi_serialized_is_at(names[n])) status = open_part(names[n], &part[n], &label[n], err);
    TRY(status);
    long newest = label[label[1].iteration > label[0].iteration].iteration, common = newest;
    if (*c->next) TRY(agree_on_iteration(c->mesh, newest, &common, err));
    TRY(resume ? take_old(c, part, label, newest, common, err) : leave_old(c, label, newest, common, err));
done:
    emi_serializer_close(&part[1]);
    emi_serializer_close(&part[0]);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* The name that is written to. */
static const char *written(const emi_checkpoint *c)
{
    return *c->next ? c->next : c->path;
}

/* Told now, not after hours of work. */
static em_status check_place(const emi_checkpoint *c, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_serialized_check_place(c->path, err);
    if (status == EM_OK) status = emi_serialized_check_place(c->next, err);
    if (status == EM_OK) status = emi_output_open(&output, written(c), err);
    emi_output_discard(&output);
    return status;
}

em_status emi_checkpoint_open(emi_checkpoint *c, em_mesh *mesh, const char *file, double every, int resume,
                              em_error *err)
{
    em_status status = EM_OK;
    *c = (emi_checkpoint){.mesh = mesh, .every = every, .saved = emi_seconds()};
    if (!file) return EM_OK;
    if (strcmp(file, "-") == 0)
        TRY(emi_fail(err, EM_EINVAL, "checkpoint: '-' cannot be read again; try a file's name"));
    TRY(name_part(c, file, mesh, err));
    TRY(check_place(c, err));
    TRY(find_old(c, resume, err));
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
    return emi_seconds() - c->saved >= c->every;
}

int emi_checkpoint_resumes(const emi_checkpoint *c)
{
    return c && c->from.stream;
}

static em_status write_part(emi_checkpoint *c, emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    emi_serializer to;
    TRY(emi_output_open(&output, written(c), err));
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
    c->label.iteration = s->iteration;
    em_status status = emi_mesh_agree(c->mesh, write_part(c, s, err), err);
    if (status == EM_OK) status = rename_next(c, err);
    c->saved = emi_seconds();
    return status;
}

static em_status restore(void *context, emi_solver *s, em_error *err)
{
    emi_checkpoint *c = context;
    s->iteration = c->label.iteration;
    em_status status = emi_state_serialize(&c->from, s, err);
    if (status == EM_OK && c->from.spoiled)
        status = emi_fail(err, EM_EDATA, "%s: not the state of such a run; try removing it first", c->path);
    emi_serializer_close(&c->from);
    return status;
}

const emi_between *emi_checkpoint_between(emi_checkpoint *c)
{
    if (!c || !*c->path) return NULL;
    c->between = (emi_between){c, is_due, save, emi_checkpoint_resumes(c) ? restore : NULL};
    return &c->between;
}
