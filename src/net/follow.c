#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "net/follow.h"

#include "net/no_memory.h"
#include "net/tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the root says, first of the words of a block: what, how many milliseconds to pause after it, or how many bytes follow. */
enum { WORDS = 2, WORD_BYTES = 8 * WORDS };
typedef enum says { SAYS_WAIT = 1, SAYS_CHECK, SAYS_MODEL, SAYS_END, SAYS_LAST } says;

enum { EVERY = 600, LONGEST = 366 * 86400 }; /* seconds */

typedef struct follower {
    emi_program *p;
    const em_data *data;   /* of this site, as it is by now */
    int more;              /* rows may come at this site    */
    uint64_t rows, before; /* so many are there, and were in the last model */
    int made;              /* models of this run            */
    double made_at;        /* when the last one was         */
    double pause;          /* seconds                       */
} follower;

em_status emi_follow_check(const em_site_options *options, const emi_study *study, int site, em_error *err)
{
    int says_when = options->every > 0 || options->check > 0 || options->models > 0;
    if ((options->open_rows || says_when) && !study->follow)
        return em_fail(
            err, EM_EINVAL,
            "%s: is a study of rows that are there, and this site's keep coming (option follow); try follow = "
            "yes and masks = no in [study], at all sites",
            options->study);
    if (says_when && site != 0)
        return em_fail(err, EM_EINVAL, "%s: %s, the root, says when there is a model; try option %s there",
                       options->study, study->sites[0].name,
                       options->every > 0   ? "every"
                       : options->check > 0 ? "check"
                                            : "models");
    return EM_OK;
}

em_status emi_follow_open(const em_site_options *options, const emi_state *state, const em_data **data, em_error *err)
{
    return options->open_rows ? options->open_rows(options->user, state->folder, data, err) : EM_OK;
}

em_status emi_follow_close(const em_site_options *options, em_error *err)
{
    return options->close_rows ? options->close_rows(options->user, err) : EM_OK;
}

/* ---- time ------------------------------------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Meanwhile the hub's own thread does its work.  Where there is something else to be done, the next exchange says what. */
static em_status pause(const follower *f, em_error *err)
{
    static const double slice = 0.1;
    const emi_program *p = f->p;
    const em_site_options *options = p->options;
    em_status status = EM_OK;
    double end = now() + f->pause, left;
    while (status == EM_OK && (left = end - now()) > 0) {
        double seconds = left < slice ? left : slice;
        const struct timespec sleep = {.tv_nsec = (long)(1e9 * seconds)};
        if (atomic_load(p->interrupted) || emi_hub_over(p->hub) || emi_hub_is_stale(p->hub, p->generation)) break;
        if (options->take_rows) {
            emi_hub_take_voice(p->hub);
            status = options->take_rows(options->user, seconds, err);
            emi_hub_give_voice(p->hub);
        } else {
            (void)nanosleep(&sleep, NULL);
        }
    }
    return status;
}

/* ---- the last model, for all ------------------------------------------------------------------------------------------------ */

/* Of columns like these? */
static int is_of(const em_model *model, const em_data *data)
{
    size_t columns = em_data_columns(data);
    if ((size_t)em_model_features(model) != columns) return 0;
    for (size_t c = 0; c < columns; c++) {
        const char *here = em_data_column_name(data, c), *there = em_model_feature_name(model, (int)c);
        if (!here != !there || (here && strcmp(here, there) != 0)) return 0;
    }
    return 1;
}

static em_status load_last(emi_program *p, em_error *err)
{
    char path[EMI_PATH_ROOM];
    em_status status = emi_state_path(p->state, EMI_STATE_MODEL, path, err);
    em_model_free(&p->model);
    return status == EM_OK ? em_model_load(&p->model, path, err) : status;
}

/* At the root: of these columns, or none. */
static void find_last(const follower *f, char **bytes, size_t *size)
{
    em_error ignored;
    emi_program *p = f->p;
    if (emi_state_has(p->state, EMI_STATE_MODEL) && load_last(p, &ignored) == EM_OK && is_of(p->model, f->data) &&
        emi_program_read_model(p, bytes, size, &ignored) == EM_OK)
        return;
    em_model_free(&p->model);
    *size = 0;
}

static void write_words(unsigned char words[WORD_BYTES], says what, uint64_t amount)
{
    emi_u64_write(words, what);
    emi_u64_write(words + 8, amount);
}

/* No model of this data is larger than this, and one that is so is not waited for. */
static uint64_t most_bytes(const em_data *data)
{
    const uint64_t columns = em_data_columns(data), beside = 1 << 24, name = 1 << 13;
    return beside + columns * (name + 16 * columns);
}

static em_status share_last(follower *f, em_error *err)
{
    emi_program *p = f->p;
    char *bytes = NULL;
    size_t size = 0;
    unsigned char words[WORD_BYTES];
    if (p->site == 0) find_last(f, &bytes, &size);
    write_words(words, SAYS_LAST, size);
    em_status status = emi_tree_tell(p, words, sizeof words, err);
    uint64_t told = emi_u64_read(words + 8);
    if (status == EM_OK && (emi_u64_read(words) != SAYS_LAST || told > most_bytes(f->data)))
        status = em_fail(err, EM_ENET, "node: the root's last model is not of a size that it can have; try all again");
    if (status != EM_OK || told == 0) goto done;
    if (p->site != 0) bytes = malloc((size_t)told);
    if (!bytes) status = emi_no_memory(err);
    if (status == EM_OK) status = emi_tree_tell(p, bytes, (size_t)told, err);
    if (status == EM_OK && p->site != 0) {
        status = emi_state_write(p->state, EMI_STATE_MODEL, bytes, (size_t)told, err);
        if (status == EM_OK) status = load_last(p, err);
    }
done:
    free(bytes);
    return status;
}

/* ---- when ------------------------------------------------------------------------------------------------------------------ */

/* The sum of what is new at all sites, and of those at which more may come. */
typedef struct tally {
    uint64_t fresh, open;
} tally;

static double every(const follower *f)
{
    return f->p->options->every > 0 ? f->p->options->every : EVERY;
}

/* From one word of the root to the next. */
static double interval(const follower *f)
{
    double check = f->p->options->check, most = every(f);
    return check > 0 && check < most ? check : most < LONGEST ? most : LONGEST;
}

static says decide(const follower *f, const tally *all)
{
    int most = f->p->options->models;
    if (f->made == 0) return SAYS_MODEL; /* whatever a run before came to */
    if (most && f->p->report->models >= most) return SAYS_END;
    if (!all->open) return all->fresh ? SAYS_MODEL : SAYS_END;
    if (!all->fresh) return SAYS_WAIT;
    return now() - f->made_at >= every(f) - interval(f) / 2 ? SAYS_MODEL : SAYS_CHECK;
}

/* Where it will be the end in any case, at once. */
static double pause_after(const follower *f, says what, const tally *all)
{
    int most = f->p->options->models, makes = what == SAYS_MODEL;
    return !all->open || (most && f->p->report->models + makes >= most) ? 0 : interval(f);
}

static em_status hear_what(follower *f, says *what, em_error *err)
{
    tally all = {.fresh = f->rows - f->before, .open = (uint64_t)(f->more != 0)};
    uint64_t numbers[] = {all.fresh, all.open};
    unsigned char words[WORD_BYTES];
    em_status status = emi_tree_add(f->p, numbers, 2, err);
    if (status != EM_OK) return status;
    all = (tally){numbers[0], numbers[1]};
    if (f->p->site == 0) {
        *what = decide(f, &all);
        write_words(words, *what, (uint64_t)(1e3 * pause_after(f, *what, &all)));
    }
    status = emi_tree_tell(f->p, words, sizeof words, err);
    if (status != EM_OK) return status;
    *what = (says)emi_u64_read(words);
    f->pause = 1e-3 * (double)emi_u64_read(words + 8);
    if (*what >= SAYS_WAIT && *what <= SAYS_END && f->pause <= LONGEST) return EM_OK;
    return em_fail(err, EM_ENET,
                   "node: the root says what this program does not know; try the same version at all sites");
}

/* ---- models ---------------------------------------------------------------------------------------------------------------- */

/* This site's rows as they are by now; those of a site that does not follow stay as they are. */
static em_status look_at_rows(follower *f, em_error *err)
{
    const em_site_options *options = f->p->options;
    em_status status = EM_OK;
    emi_hub_take_voice(f->p->hub);
    if (options->hand_rows) status = options->hand_rows(options->user, &f->data, &f->more, err);
    emi_hub_give_voice(f->p->hub);
    const em_moments *moments = status == EM_OK ? em_data_moments(f->data) : NULL;
    f->rows = moments ? em_moments_rows(moments) : 0;
    f->p->data = f->data; /* a run after this one begins with it */
    return status;
}

static void tell_made(const emi_program *p)
{
    emi_hub_take_voice(p->hub);
    if (p->options->made) p->options->made(p->options->user, p->model);
    emi_hub_give_voice(p->hub);
}

/* A look whether the last one holds is a fit that begins from it: where it does, it is no more than that. */
static em_status make(follower *f, int only_if_other, em_error *err)
{
    emi_program *p = f->p;
    em_model *own = NULL;
    p->last = p->model;
    em_status status = emi_program_fit(p, f->data, &own, err);
    p->last = NULL;
    int holds = status == EM_OK && only_if_other && em_model_info(own)->held;
    if (holds) p->report->held++;
    if (status == EM_OK && !holds) {
        status = emi_program_share(p, own, err);
        if (status == EM_OK) {
            f->made++;
            p->report->models++;
            f->made_at = now();
            f->before = f->rows;
            tell_made(p);
        }
    }
    em_model_free(&own);
    return status;
}

em_status emi_follow(emi_program *p, const em_data *data, em_error *err)
{
    follower f = {.p = p, .data = data};
    says what = SAYS_WAIT;
    em_status status = share_last(&f, err);
    while (status == EM_OK && what != SAYS_END) {
        status = pause(&f, err);
        if (status == EM_OK) status = look_at_rows(&f, err);
        if (status == EM_OK) status = hear_what(&f, &what, err);
        if (status == EM_OK && (what == SAYS_MODEL || what == SAYS_CHECK)) status = make(&f, what == SAYS_CHECK, err);
    }
    return status;
}
