#include "run/checkpoint.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/place.h"
#include "run/state.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- names --------------------------------------------------------------------------------- */

/* FILE, or FILE.FIRST-LAST where others have parts of it too.  A link stays a link: what counts is where it leads. */
static char *name_part(const char *file, const em_mesh *mesh)
{
    size_t room = strlen(file) + 32;
    char *name = emi_malloc(room);
    if (!name) return NULL;
    if (emi_mesh_is_spread(mesh))
        (void)snprintf(name, room, "%s.%d-%d", file, mesh->first, mesh->first + mesh->hosted - 1);
    else
        (void)snprintf(name, room, "%s", file);
    char *followed = emi_place_follow(name);
    if (!followed && errno != ENOMEM) return name; /* it cannot be written, which is told in time */
    emi_free(name);
    return followed;
}

/* The second name of a part. */
static char *name_next(const char *path)
{
    size_t room = strlen(path) + sizeof ".next";
    char *name = emi_malloc(room);
    if (name) (void)snprintf(name, room, "%s.next", path);
    return name;
}

/* What is no checkpoint stays. */
static em_status remove_file(const char *path, em_error *err)
{
    if (!emi_serialized_is_at(path)) return EM_OK;
    if (unlink(path) == 0 || errno == ENOENT) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "%s: cannot be removed (%s); try removing it by hand", path, strerror(errno));
}

static em_status rename_file(const char *from, const char *to, em_error *err)
{
    if (rename(from, to) == 0 && emi_place_settle(to) == 0) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "%s: cannot be written (%s); try another place for it", to, strerror(errno));
}

em_status emi_checkpoint_remove(const char *file, const em_mesh *mesh, em_error *err)
{
    em_status status = EM_OK;
    char *path = name_part(file, mesh), *next = path ? name_next(path) : NULL;
    if (!next) TRY(emi_fail_memory(err, "checkpoint"));
    if (emi_mesh_is_spread(mesh)) TRY(remove_file(next, err));
    TRY(remove_file(path, err));
done:
    emi_free(next);
    emi_free(path);
    return status;
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
    emi_serialize_real(p, &label->alpha);
    emi_serialize_real(p, &label->network.lowest);
    emi_serialize_real(p, &label->network.beta);
    emi_serialize_real(p, &label->network.spread);
    serialize_asked(p, label);
}

/* ---- finding the one to resume from ---------------------------------------------------------- */

/* A part that is whole, and what it says of itself. */
static em_status open_part(const char *path, emi_serializer *from, emi_label *label, em_error *err)
{
    em_status status = emi_serializer_open(from, path, err);
    if (status != EM_OK) return status;
    serialize_label(from, label);
    if (!from->spoiled && label->iteration >= 1 && label->iteration <= LONG_MAX / 2) return EM_OK;
    emi_serializer_close(from);
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

/* Of the two generations, the newest one that all processes have; it keeps the first name, the other goes. */
static em_status choose_generation(emi_checkpoint *c, em_error *err)
{
    em_status status = EM_OK;
    emi_serializer older = {0}, newer = {0};
    emi_label of_older = {0}, of_newer = {0};
    long common = 0;
    em_status there = open_part(c->path, &older, &of_older, err),
              newer_there = open_part(c->next, &newer, &of_newer, NULL);
    if (newer_there != EM_OK) TRY(there);
    long newest = newer_there == EM_OK ? of_newer.iteration : 0;
    if (there == EM_OK && of_older.iteration > newest) newest = of_older.iteration;
    TRY(agree_on_iteration(c->mesh, newest, &common, err));
    if (newer_there == EM_OK && of_newer.iteration == common) {
        TRY(rename_file(c->next, c->path, err));
        c->from = newer, c->label = of_newer;
        newer = (emi_serializer){0};
    } else if (there == EM_OK && of_older.iteration == common) {
        TRY(remove_file(c->next, err));
        c->from = older, c->label = of_older;
        older = (emi_serializer){0};
    } else {
        TRY(emi_fail(err, EM_EDATA,
                     "%s: of iteration %ld, and other parts are of iteration %ld; try removing them first", c->path,
                     newest, common));
    }
done:
    emi_serializer_close(&newer);
    emi_serializer_close(&older);
    return status;
}

static em_status find_old(emi_checkpoint *c, em_error *err)
{
    em_status status = c->next ? choose_generation(c, err) : open_part(c->path, &c->from, &c->label, err);
    c->resumed = c->label.iteration;
    return status;
}

/* ---- what lies where a new run's are to go --------------------------------------------------------- */

/* The label of the part at `path`; of iteration 0 where there is none. */
static em_status look_at(const char *path, emi_label *label, em_error *err)
{
    emi_serializer part = {0};
    *label = (emi_label){0};
    if (!emi_serialized_is_at(path)) return EM_OK;
    em_status status = open_part(path, &part, label, err);
    emi_serializer_close(&part);
    return status;
}

/* A checkpoint that all processes have is one to go on from.  One under second names alone, which some lack, never was
 * complete, and goes. */
static em_status look_for_old(emi_checkpoint *c, em_error *err)
{
    em_status status = EM_OK;
    emi_label next = {0};
    TRY(look_at(c->path, &c->label, err));
    long named = c->label.iteration, common = named;
    if (c->next) {
        TRY(look_at(c->next, &next, err));
        if (next.iteration > named) c->label = next;
        TRY(agree_on_iteration(c->mesh, c->label.iteration, &common, err));
    }
    if (common == 0 && named > 0)
        TRY(emi_fail(err, EM_EINVAL, "%s: of iteration %ld, and other processes have no part; try removing it first",
                     c->path, named));
    if (common == 0 && next.iteration > 0) TRY(remove_file(c->next, err));
    if (common > 0) c->found = c->label.iteration;
done:
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* Told now, not after hours of work. */
static em_status check_place(const emi_checkpoint *c, em_error *err)
{
    emi_output *output = NULL;
    em_status status = emi_serialized_check_place(c->path, err);
    if (status == EM_OK && c->next) status = emi_serialized_check_place(c->next, err);
    if (status == EM_OK) status = emi_output_open(&output, c->next ? c->next : c->path, err);
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
    c->path = name_part(file, mesh);
    if (c->path && emi_mesh_is_spread(mesh)) c->next = name_next(c->path);
    if (!c->path || (emi_mesh_is_spread(mesh) && !c->next)) TRY(emi_fail_memory(err, "checkpoint"));
    TRY(check_place(c, err));
    TRY(resume ? find_old(c, err) : look_for_old(c, err));
done:
    return status;
}

void emi_checkpoint_close(emi_checkpoint *c)
{
    emi_serializer_close(&c->from);
    emi_free(c->next);
    emi_free(c->path);
    *c = (emi_checkpoint){0};
}

/* ---- saving and restoring ---------------------------------------------------------------------- */

static int is_due(const void *context)
{
    const emi_checkpoint *c = context;
    return emi_seconds() - c->saved >= c->every;
}

static int resumes(const void *context)
{
    return ((const emi_checkpoint *)context)->from.stream != NULL;
}

int emi_checkpoint_resumes(const emi_checkpoint *c)
{
    return c && resumes(c);
}

static em_status write_part(emi_checkpoint *c, emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = NULL;
    emi_serializer to;
    TRY(emi_output_open(&output, c->next ? c->next : c->path, err));
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
    if (status == EM_OK && c->next) status = rename_file(c->next, c->path, err);
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
    if (!c || !c->path) return NULL;
    c->between = (emi_between){c, is_due, resumes, save, restore};
    return &c->between;
}
