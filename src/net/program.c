#include "net/program.h"

#include "net/engine.h"
#include "net/follow.h"
#include "net/no_memory.h"
#include "net/own.h"
#include "net/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, WORD_BYTES = 8 * WORDS }; /* of a block that says what comes */
enum { SAYS_MODEL = 1 };

/* ---- the data, with the root's columns -------------------------------------------------------------------------------------- */

static int has_names(const em_data *data, const char *const *names)
{
    for (size_t c = 0; c < em_data_columns(data); c++)
        if (strcmp(em_data_column_name(data, c), names[c]) != 0) return 0;
    return 1;
}

/* The sorted names have one digest everywhere, so the text of them has one size. */
static em_status arrange(emi_program *p, const em_data **out, em_error *err)
{
    char *text = NULL;
    size_t size, columns = em_data_columns(p->data);
    const char **names = NULL;
    em_status status = emi_own_names(p->data, &text, &size, err);
    *out = p->data;
    if (status == EM_OK && size) status = emi_tree_tell(p, text, size, err);
    if (status == EM_OK && size && p->masked) status = emi_masked_follow(p->masked, text, size, err);
    if (status != EM_OK || !size) goto done;
    names = emi_names_read(text, size, columns, p->own->names);
    if (!names) {
        status = em_fail(err, EM_ENET, "node: the root's names of columns are not those it said; try all again");
    } else if (!has_names(p->data, names)) {
        status = p->options->arrange
                     ? p->options->arrange(p->options->user, names, columns, out, err)
                     : em_fail(err, EM_EDATA, "node: columns in another order than the root's; try the root's");
    }
done:
    free(names);
    free(text);
    return status;
}

/* ---- the fit ------------------------------------------------------------------------------------------------------------------ */

/* The root alone keeps the state of a run; it goes on from it where all rows are those that it is of. */
static em_status keep_state(emi_program *p, em_options *options, em_error *err)
{
    char path[EMI_PATH_ROOM];
    size_t size = EMI_SHA_BYTES * (size_t)p->study->site_count;
    unsigned char *rows = malloc(size), *before = malloc(size);
    em_status status = emi_state_path(p->state, "checkpoint", path, err);
    if (status == EM_OK && (!rows || !before)) status = emi_no_memory(err);
    if (status != EM_OK || !rows || !before) goto done;
    emi_hub_rows(p->hub, rows);
    int same = emi_state_read(p->state, EMI_STATE_ROWS, before, size) && memcmp(rows, before, size) == 0;
    if (!same) {
        emi_state_remove(p->state, EMI_STATE_CHECKPOINT);
        status = emi_state_write(p->state, EMI_STATE_ROWS, rows, size, err);
    }
    if (status == EM_OK) status = em_options_set(options, "checkpoint", path, err);
    if (status == EM_OK) status = em_options_set(options, "checkpoint-every", "0", err);
    if (status == EM_OK && emi_state_has(p->state, EMI_STATE_CHECKPOINT))
        status = em_options_set(options, "resume", "yes", err);
done:
    free(before);
    free(rows);
    return status;
}

/* In the fit, while the hub may have something to tell. */
static int watch(const em_progress *progress, void *user)
{
    const emi_program *p = user;
    emi_hub_take_voice(p->hub);
    int answer = p->monitor(progress, p->monitor_user);
    emi_hub_give_voice(p->hub);
    return answer;
}

static em_status fit_on(emi_program *p, em_mesh *mesh, const em_data *data, em_model **out, em_error *err)
{
    em_shards *shards = NULL;
    em_options *options = NULL;
    char text[32];
    em_status status = em_shards_of(&shards, &data, 1, err);
    if (status == EM_OK) status = em_options_copy(&options, p->study->options, err);
    int keeps = status == EM_OK && p->site == 0 && !emi_study_mixes(p->study) && !p->study->follow &&
                em_options_get(options, "components", text, sizeof text) && strtod(text, NULL) >= 1;
    if (keeps)
        status = keep_state(p, options, err); /* a fraction of variance has no checkpoints; rows that come, neither */
    if (status == EM_OK) {
        em_options_set_monitor(options, watch, p);
        em_options_set_last(options, p->last);
        status = em_fit(out, options, mesh, shards, err);
    }
    if (status == EM_OK) {
        const em_info *info = em_model_info(*out);
        memcpy(p->report->device, info->device, sizeof p->report->device);
        memcpy(p->report->device_why, info->device_why, sizeof p->report->device_why);
    }
    em_options_free(&options);
    em_shards_free(&shards);
    return status;
}

em_status emi_program_fit(emi_program *p, const em_data *data, em_model **out, em_error *err)
{
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    const em_engine *engine;
    void *state = NULL;
    em_status status = emi_study_graph(p->study, &graph, err);
    if (status == EM_OK)
        status = emi_net_engine_open(&engine, &state, p->hub, p->generation, p->study->site_count, p->site, err);
    if (status == EM_OK) status = em_mesh_open_on(&mesh, engine, state, p->site, 1, graph, p->options->threads, err);
    if (status == EM_OK && p->masked) status = emi_masked_give(&p->masked, mesh, err);
    if (status == EM_OK) status = fit_on(p, mesh, data, out, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    return status;
}

/* ---- the model ------------------------------------------------------------------------------------------------------------------ */

static em_status to_bytes(const em_model *model, char **bytes, size_t *size, em_error *err)
{
    *bytes = NULL;
    FILE *stream = open_memstream(bytes, size);
    if (!stream) return emi_no_memory(err);
    em_status status = em_model_write(model, stream, err);
    if (fclose(stream) != 0 && status == EM_OK) status = emi_no_memory(err);
    return status;
}

static int same_numbers(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* What the root sends is what was found here too. */
static int is_same_model(const em_model *a, const em_model *b)
{
    size_t K = (size_t)em_model_components_count(a), d = (size_t)em_model_features(a);
    if (em_model_components_count(b) != (int)K || em_model_features(b) != (int)d) return 0;
    if (em_model_samples(a) != em_model_samples(b)) return 0;
    return same_numbers(em_model_components(a), em_model_components(b), K * d) &&
           same_numbers(em_model_mean(a), em_model_mean(b), d) &&
           same_numbers(em_model_scale(a), em_model_scale(b), d) &&
           same_numbers(em_model_explained_variance(a), em_model_explained_variance(b), K);
}

/* Eight words that say what comes: what, its bytes, features, components, and zeros. */
static void say_what(uint64_t what, uint64_t bytes, const em_model *own, unsigned char words[WORD_BYTES])
{
    memset(words, 0, WORD_BYTES);
    emi_u64_write(words, what);
    emi_u64_write(words + 8, bytes);
    emi_u64_write(words + 16, (uint64_t)em_model_features(own));
    emi_u64_write(words + 24, (uint64_t)em_model_components_count(own));
}

/* How long the root's is: about as long as this site's own, which holds the same numbers. */
static em_status agree_on_size(emi_program *p, const em_model *model, size_t own, size_t *size, em_error *err)
{
    enum { SLACK = 1 << 16 };
    unsigned char words[WORD_BYTES], wanted[WORD_BYTES];
    say_what(SAYS_MODEL, own, model, words);
    em_status status = emi_tree_tell(p, words, sizeof words, err);
    uint64_t told = emi_u64_read(words + 8);
    say_what(SAYS_MODEL, told, model, wanted);
    *size = (size_t)told;
    if (status == EM_OK && (memcmp(words, wanted, sizeof words) != 0 || told + SLACK < own || told > own + SLACK))
        return em_fail(err, EM_ENET, "node: the root's model is not of the size that it must have; try all again");
    return status;
}

static em_status check_model(emi_program *p, const em_model *own, const char *bytes, size_t size, em_error *err)
{
    char path[EMI_PATH_ROOM];
    em_status status = emi_state_write(p->state, EMI_STATE_MODEL, bytes, size, err);
    if (status == EM_OK) status = emi_state_path(p->state, EMI_STATE_MODEL, path, err);
    em_model_free(&p->model);
    if (status == EM_OK) status = em_model_load(&p->model, path, err);
    if (status == EM_OK && !is_same_model(own, p->model))
        status = em_fail(err, EM_ENET, "node: the root's model is not what was found here; try all again");
    if (status != EM_OK) emi_state_remove(p->state, EMI_STATE_MODEL); /* what lies there is right */
    return status;
}

/* The root's model, byte for byte, at every site. */
static em_status share_model(emi_program *p, const em_model *own, char **bytes, size_t *size, em_error *err)
{
    size_t length = 0;
    em_status status = to_bytes(own, bytes, &length, err);
    if (status == EM_OK) status = agree_on_size(p, own, length, size, err);
    if (status != EM_OK) return status;
    if (*size > length) {
        char *larger = realloc(*bytes, *size);
        if (!larger) return emi_no_memory(err);
        *bytes = larger;
    }
    status = emi_tree_tell(p, *bytes, *size, err);
    if (status == EM_OK) status = check_model(p, own, *bytes, *size, err);
    return status == EM_OK ? p->options->keep(p->options->user, *bytes, *size, err) : status;
}

/* A file of the state, all of it. */
em_status emi_program_read_model(const emi_program *p, char **bytes, size_t *size, em_error *err)
{
    char path[EMI_PATH_ROOM];
    long length = 0;
    *bytes = NULL;
    em_status status = emi_state_path(p->state, EMI_STATE_MODEL, path, err);
    FILE *file = status == EM_OK ? fopen(path, "rbe") : NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
    if (file && length > 0) *bytes = malloc((size_t)length);
    if (file) rewind(file);
    *size = (size_t)length;
    if (status == EM_OK && (!*bytes || fread(*bytes, 1, *size, file) != *size))
        status = em_fail(err, EM_EIO, "%s: cannot be read; try asking another site for the model", path);
    if (file) (void)fclose(file);
    return status;
}

em_status emi_program_keep_again(emi_program *p, em_error *err)
{
    char path[EMI_PATH_ROOM];
    char *bytes = NULL;
    size_t size = 0;
    em_status status = emi_program_read_model(p, &bytes, &size, err);
    if (status == EM_OK) status = p->options->keep(p->options->user, bytes, size, err);
    if (status == EM_OK) status = emi_state_path(p->state, EMI_STATE_MODEL, path, err);
    if (status == EM_OK && !p->model) status = em_model_load(&p->model, path, err);
    free(bytes);
    return status;
}

static em_status log_model(emi_program *p, const unsigned char digest[EMI_SHA_BYTES], em_error *err)
{
    const emi_field_of_line field = {.name = "digest", .digest = digest};
    return emi_hub_log(p->hub, p->generation, "model", &field, 1, 0, err);
}

/* Up its digest, so that the root knows that all have it. */
em_status emi_program_share(emi_program *p, const em_model *own, em_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    em_status status = share_model(p, own, &bytes, &size, err);
    const emi_piece piece = {bytes, size};
    if (status == EM_OK) status = emi_sha256(&piece, 1, p->digest, err);
    if (status == EM_OK) status = log_model(p, p->digest, err);
    if (status == EM_OK) status = emi_tree_agree(p, p->digest, sizeof p->digest, err);
    free(bytes);
    return status;
}

static em_status make_model(emi_program *p, const em_data *data, em_error *err)
{
    em_model *own = NULL;
    em_status status = emi_program_fit(p, data, &own, err);
    if (status == EM_OK) status = emi_program_share(p, own, err);
    em_model_free(&own);
    return status;
}

/* Who has a parent waits for its word that all have the model.  On the disk before anybody below hears of it: who is done has only
 * such above him who are. */
static em_status finish(emi_program *p, em_error *err)
{
    em_status status = EM_OK;
    if (emi_tree_parent(p) >= 0) status = emi_hub_await_end(p->hub, p->generation, err);
    return status == EM_OK ? emi_state_write(p->state, EMI_STATE_FINISHED, p->digest, sizeof p->digest, err) : status;
}

/* Nothing has left yet. */
static em_status open_masks(emi_program *p, em_error *err)
{
    const emi_policy policy = {.options = p->options, .study = p->study, .state = p->state, .own = p->own};
    if (!p->study->masks) return EM_OK;
    return emi_masked_open(&p->masked, p->hub, p->generation, p->identity, p->site, &policy, err);
}

em_status emi_program_run(emi_program *p, em_error *err)
{
    const em_data *data = NULL;
    em_model_free(&p->model);
    em_status status = emi_tree_open(p, err);
    if (status == EM_OK) status = open_masks(p, err);
    if (status == EM_OK) status = arrange(p, &data, err);
    if (status == EM_OK) status = p->study->follow ? emi_follow(p, data, err) : make_model(p, data, err);
    if (status == EM_OK) status = finish(p, err);
    emi_masked_close(&p->masked);
    emi_tree_close(p);
    return status;
}
