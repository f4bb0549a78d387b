#include "fit/options.h"

#include "base/digest.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/method.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_ROOM = 64 }; /* for the text of any value but a file's name */

typedef struct entry {
    em_option_info info;
    size_t at, size;    /* of the member                                              */
    double least, most; /* of numbers                                                 */
    int word;           /* what the word of a number, such as auto, is stored as      */
    const char *wrong;  /* why no other value will do, and what to try                */
    unsigned uses;      /* what a method that reads it declares; 0: every method does */
    int passing;        /* the result does not depend on it: a run may be resumed with another */
    /* Where a value is more than one member, or is known elsewhere.  Reading returns why it will not do, or NULL; NULL as
     * a text is the default. */
    const char *(*read)(em_options *options, const char *text);
    const char *(*write)(const em_options *options, char room[VALUE_ROOM]);
} entry;

/* ---- values with rules of their own --------------------------------------------------------------- */

static const char *read_components(em_options *options, const char *text)
{
    long K = 0;
    double fraction = 0;
    int whole = !text || emi_text_long(text, &K) == 0;
    if (text && whole && (K < 1 || K > INT_MAX)) return "not a number of vectors; try 1 or more";
    if (!whole && (emi_text_double(text, &fraction) || fraction <= 0 || fraction >= 1))
        return "neither a whole number nor a fraction; try 10, or 0.9 of the variance";
    if (whole) options->components = (int)K;
    options->variance = fraction;
    return NULL;
}

static const char *write_components(const em_options *options, char room[VALUE_ROOM])
{
    if (options->variance == 0 && options->components == 0) return "";
    if (options->variance == 0)
        (void)snprintf(room, VALUE_ROOM, "%d", options->components);
    else
        (void)emi_text_of_double(room, options->variance);
    return room;
}

static const char *read_method(em_options *options, const char *text)
{
    const emi_method *method = text ? emi_method_find(text) : NULL;
    if (text && !method && strcmp(text, "auto") != 0) return "no such method; try one that em_method lists";
    options->method = method ? method->info.name : "auto";
    return NULL;
}

static const char *write_method(const em_options *options, char room[VALUE_ROOM])
{
    (void)room;
    return options->method ? options->method : "auto";
}

static const char *read_step_decay(em_options *options, const char *text)
{
    const char *power = text ? emi_text_after(text, "power:") : NULL;
    double exponent = 0.2;
    emi_decay decay = EMI_DECAY_CONSTANT;
    if (power && emi_text_double(power, &exponent) == 0 && exponent > 0)
        decay = EMI_DECAY_POWER;
    else if (text && strcmp(text, "sqrt") == 0)
        decay = EMI_DECAY_SQRT;
    else if (text && strcmp(text, "constant") != 0)
        return "no such schedule; try constant, sqrt or power:0.2";
    options->step_decay = decay;
    if (decay == EMI_DECAY_POWER || !text) options->step_power = exponent;
    return NULL;
}

static const char *write_step_decay(const em_options *options, char room[VALUE_ROOM])
{
    static const char power[] = "power:";
    if (options->step_decay == EMI_DECAY_CONSTANT) return "constant";
    if (options->step_decay == EMI_DECAY_SQRT) return "sqrt";
    memcpy(room, power, sizeof power);
    (void)emi_text_of_double(room + strlen(power), options->step_power);
    return room;
}

/* ---- the table --------------------------------------------------------------------------------------- */

#define MEMBER(name)      .at = offsetof(em_options, name), .size = sizeof((em_options *)0)->name
#define BETWEEN(low, top) .least = (low), .most = (double)(top)

static const entry table[] = {
    {{"components", "K", "required", "how many eigenvectors to find, or what fraction of the variance they explain",
      EM_OPTION_REAL, ""},
     .read = read_components,
     .write = write_components},
    {{"method", "NAME", "auto", "auto, or one of the methods below", EM_OPTION_WORD, "auto"},
     .read = read_method,
     .write = write_method},
    {{"step", "A", "auto", "the step size alpha; auto: as large as is stable", EM_OPTION_REAL, "auto"},
     MEMBER(step),
     BETWEEN(DBL_TRUE_MIN, DBL_MAX),
     .wrong = "not a positive number; try auto",
     .uses = EMI_USES_STEP},
    {{"step-decay", "HOW", "constant", "constant, sqrt (A/sqrt(t+1)) or power:P (A/(t+1)^P)", EM_OPTION_WORD,
      "constant sqrt power:"},
     .read = read_step_decay,
     .write = write_step_decay,
     .uses = EMI_USES_STEP},
    {{"consensus-rounds", "T", "the method's own", "mixes an iteration, for methods that have them", EM_OPTION_WHOLE,
      "auto"},
     MEMBER(consensus_rounds),
     BETWEEN(1, INT_MAX),
     .wrong = "not a number of mixes; try 1 or more",
     .uses = EMI_USES_ROUNDS},
    {{"qr-signs", "HOW", "positive", "R's diagonal: positive, or free (what LAPACK returns; for study)", EM_OPTION_WORD,
      "positive free"},
     MEMBER(qr_signs),
     .wrong = "no such rule; try positive or free",
     .uses = EMI_USES_QR},
    {{"rayleigh-ritz", "YES", "yes", "report Ritz vectors of the subspace (deepca): yes or no", EM_OPTION_WORD,
      "no yes"},
     MEMBER(rayleigh_ritz),
     .wrong = "not a choice; try yes or no",
     .uses = EMI_USES_RITZ},
    {{"precision", "HOW", "auto",
      "products with the rows in single or double; auto: single for rows and a tolerance of no more digits",
      EM_OPTION_WORD, "auto single double"},
     MEMBER(precision),
     .wrong = "no such precision; try auto, single or double",
     .uses = EMI_USES_PRECISION},
    {{"wire", "BITS", "auto", "numbers are sent in 32 bits or 64 (krylov); auto: 32 for a tolerance of no more digits",
      EM_OPTION_WORD, "auto 32 64"},
     MEMBER(wire),
     .wrong = "not a size of numbers; try auto, 32 or 64",
     .uses = EMI_USES_WIRE},
    {{"device", "WHICH", "auto",
      "what multiplies the rows: cpu, gpu, or auto, a GPU where there is one and it is faster", EM_OPTION_WORD,
      "auto cpu gpu"},
     MEMBER(device),
     .wrong = "no such device; try auto, cpu or gpu"},
    {{"oversample", "P", "the method's own", "extra vectors in the block (krylov)", EM_OPTION_WHOLE, "auto"},
     MEMBER(oversample),
     BETWEEN(0, INT_MAX / 4),
     .word = -1,
     .wrong = "not a number of vectors; try 0 or more",
     .uses = EMI_USES_OVERSAMPLE},
    {{"iterations", "T", "the method's own", "stop after T iterations", EM_OPTION_WHOLE, "auto"},
     MEMBER(iterations),
     BETWEEN(0, LONG_MAX / 2),
     .word = -1,
     .wrong = "not a number of iterations; try 0 or more"},
    {{"max-seconds", "S", "none", "stop after S seconds of iterations, at the last estimate", EM_OPTION_REAL, "none"},
     MEMBER(max_seconds),
     BETWEEN(DBL_TRUE_MIN, DBL_MAX),
     .wrong = "not a number of seconds; try 3600",
     .passing = 1},
    {{"tolerance", "R", "1e-6", "stop when every component's residual (dsa's like: its change) is under R; 0: never",
      EM_OPTION_REAL, ""},
     MEMBER(tolerance),
     BETWEEN(0, DBL_MAX),
     .wrong = "not a number; try 1e-6, or 0 to run all iterations"},
    {{"center", "YES", "yes", "leave the mean in", EM_OPTION_SWITCH, "no yes"},
     MEMBER(center),
     .wrong = "not a choice; try yes or no"},
    {{"scale", "HOW", "auto",
      "none, std (unit variance), spectral (lambda_1 = 1) or binomial (genotypes); auto: none, or for genotypes "
      "binomial",
      EM_OPTION_WORD, "auto none std spectral binomial"},
     MEMBER(scale),
     .wrong = "no such scaling; try none, std, spectral or binomial"},
    {{"limits", "YES", "no",
      "find what the limit of Q needs, the spread of the variance left out: two averages more, or all eigenvalues",
      EM_OPTION_SWITCH, "no yes"},
     MEMBER(limits),
     .wrong = "not a choice; try yes or no"},
    {{"seed", "S", "0", "everything random follows from it", EM_OPTION_WHOLE, ""},
     MEMBER(seed),
     BETWEEN(0, UINT64_MAX),
     .wrong = "not a number; try 0 to 18446744073709551615"},
    {{"truth", "HOW", "none", "what to measure the error against, for study: none, or compute (a central eigensolve)",
      EM_OPTION_WORD, "none compute"},
     MEMBER(truth_compute),
     .wrong = "no such truth; try none or compute"},
    {{"trace", "WHAT", "none", "a row an iteration: none, all, or error (alone, which costs less)", EM_OPTION_WORD,
      "none all error"},
     MEMBER(trace),
     .wrong = "no such trace; try none, all or error"},
    {{"checkpoint", "FILE", "", "keep in FILE what a killed run needs to go on; removed when the run has done its job",
      EM_OPTION_TEXT, ""},
     MEMBER(checkpoint),
     .passing = 1},
    {{"checkpoint-every", "SECONDS", "600", "how often", EM_OPTION_REAL, ""},
     MEMBER(checkpoint_every),
     BETWEEN(0, DBL_MAX),
     .wrong = "not a number of seconds; try 600",
     .passing = 1},
    {{"resume", "YES", "no", "go on from checkpoint=FILE: the same result as if nothing had happened", EM_OPTION_SWITCH,
      "no yes"},
     MEMBER(resume),
     .wrong = "not a choice; try yes or no",
     .passing = 1},
};

enum { OPTIONS = sizeof table / sizeof *table };
_Static_assert((int)OPTIONS <= (int)EMI_OPTIONS_MAX, "EMI_OPTIONS_MAX is to grow with the table");

const em_option_info *em_option(int index)
{
    return index >= 0 && index < OPTIONS ? &table[index].info : NULL;
}

static const entry *find(const char *name)
{
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(table[i].info.name, name) == 0) return &table[i];
    return NULL;
}

/* ---- values as text, and back --------------------------------------------------------------------------- */

/* A number may also be a word, such as auto or none, which is then its default. */
static int is_number(const entry *e)
{
    return e->info.kind == EM_OPTION_WHOLE || e->info.kind == EM_OPTION_REAL;
}

/* Which of the words it is, -1 for none. */
static int word_index(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int n = 0; *words; n++) {
        size_t own = strcspn(words, " ");
        if (own == length && strncmp(words, text, own) == 0) return n;
        words += own + (words[own] == ' ');
    }
    return -1;
}

static const char *word_at(const char *words, int n, char room[VALUE_ROOM])
{
    for (; n > 0 && *words; n--) words += strcspn(words, " ") + (strchr(words, ' ') != NULL);
    (void)snprintf(room, VALUE_ROOM, "%.*s", (int)strcspn(words, " "), words);
    return room;
}

/* The member from or to one of these, by its kind and size; a word is its place among the words. */
static void *of_member(const entry *e, double *real, uint64_t *whole, int *narrow)
{
    return e->info.kind == EM_OPTION_REAL ? (void *)real : e->size == sizeof *narrow ? (void *)narrow : (void *)whole;
}

/* All but texts.  Returns why it will not do, or NULL. */
static const char *read_value(const entry *e, em_options *options, const char *text)
{
    if (e->read) return e->read(options, text);
    int word = word_index(e->info.words, text), is_real = e->info.kind == EM_OPTION_REAL;
    int narrow = is_number(e) ? e->word : word;
    uint64_t whole = (uint64_t)narrow;
    double real = narrow;
    if (word < 0) {
        if (!is_number(e) || (is_real ? emi_text_double(text, &real) : emi_text_u64(text, &whole))) return e->wrong;
        double size = is_real ? real : (double)whole;
        if (size < e->least || size > e->most) return e->wrong;
        narrow = (int)whole;
    }
    memcpy((char *)options + e->at, of_member(e, &real, &whole, &narrow), e->size);
    return NULL;
}

static const char *write_value(const entry *e, const em_options *options, char room[VALUE_ROOM])
{
    const void *member = (const char *)options + e->at;
    int narrow = 0, is_real = e->info.kind == EM_OPTION_REAL;
    uint64_t whole = 0;
    double real = 0;
    if (e->write) return e->write(options, room);
    if (e->info.kind == EM_OPTION_TEXT) return *(const char *const *)member ? *(const char *const *)member : "";
    memcpy(of_member(e, &real, &whole, &narrow), member, e->size);
    if (!is_number(e)) return word_at(e->info.words, narrow, room);
    if (e->size == sizeof narrow) whole = (uint64_t)narrow;
    if (*e->info.words && (is_real ? real == e->word : whole == (uint64_t)e->word)) return e->info.words;
    if (is_real)
        (void)emi_text_of_double(room, real);
    else
        (void)snprintf(room, VALUE_ROOM, "%llu", (unsigned long long)whole);
    return room;
}

static void set_default(const entry *e, em_options *options)
{
    const char *preset = is_number(e) && *e->info.words ? e->info.words : e->info.preset;
    if (e->info.kind != EM_OPTION_TEXT) (void)read_value(e, options, e->read ? NULL : preset);
}

em_options emi_options_default(void)
{
    em_options options = {.components = 0};
    for (int i = 0; i < OPTIONS; i++) set_default(&table[i], &options);
    return options;
}

uint64_t emi_option_digest(const em_options *options, int index)
{
    char room[VALUE_ROOM];
    return emi_digest_text(EMI_DIGEST_START, write_value(&table[index], options, room));
}

int emi_option_decides(int index)
{
    return !table[index].passing;
}

const char *emi_options_unread(const em_options *options, unsigned uses)
{
    em_options fresh = emi_options_default();
    const char *unread = NULL;
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].uses & ~uses && emi_option_digest(options, i) != emi_option_digest(&fresh, i))
            unread = table[i].info.name;
    return unread;
}

/* ---- the object ------------------------------------------------------------------------------------------- */

/* The member of a text, which is the object's own. */
static char **text_of(const entry *e, em_options *options)
{
    return e->info.kind == EM_OPTION_TEXT ? (char **)((char *)options + e->at) : NULL;
}

static em_status set_text(char **member, const char *text, em_error *err)
{
    char *copy = text ? emi_strdup(text) : NULL;
    if (text && !copy) return emi_fail_memory(err, "options");
    emi_free(*member);
    *member = copy;
    return EM_OK;
}

em_status em_options_copy(em_options **out, const em_options *from, em_error *err)
{
    em_options *made = *out = emi_malloc(sizeof *made);
    em_status status = made ? EM_OK : emi_fail_memory(err, "options");
    if (!made) return status;
    *made = *from;
    for (int i = 0; i < OPTIONS; i++) {
        char **text = text_of(&table[i], made), *lent = text ? *text : NULL;
        if (!text) continue;
        *text = NULL;
        if (status == EM_OK) status = set_text(text, lent, err);
    }
    if (status != EM_OK) em_options_free(out);
    return status;
}

em_status em_options_create(em_options **out, em_error *err)
{
    em_options fresh = emi_options_default();
    return em_options_copy(out, &fresh, err);
}

void em_options_free(em_options **options)
{
    for (int i = 0; *options && i < OPTIONS; i++)
        if (text_of(&table[i], *options)) emi_free(*text_of(&table[i], *options));
    emi_free(*options);
    *options = NULL;
}

em_status em_options_set(em_options *options, const char *name, const char *value, em_error *err)
{
    const entry *e = find(name);
    if (!e) return emi_fail(err, EM_EINVAL, "%s: no such option", name);
    if (text_of(e, options)) return set_text(text_of(e, options), value, err);
    if (!value) set_default(e, options);
    const char *why = value ? read_value(e, options, value) : NULL;
    return why ? emi_fail(err, EM_EINVAL, "%s %s: %s", name, value, why) : EM_OK;
}

int em_options_get(const em_options *options, const char *name, char *value, size_t room)
{
    char text[VALUE_ROOM];
    const entry *e = find(name);
    return e ? snprintf(value, room, "%s", write_value(e, options, text)) : EM_EINVAL;
}
