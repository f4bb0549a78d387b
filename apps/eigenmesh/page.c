#include "page.h"
#include "cluster.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

int page_has_rows(const arguments *args)
{
    return args_given(args, "label") || args_given(args, "report-scores");
}

em_status page_check(const arguments *args, em_error *err)
{
    static const char *const need_page[] = {"label", "report-scores"};
    for (int n = 0; n < 2; n++)
        if (args_given(args, need_page[n]) && !args_given(args, "report"))
            return emi_fail(err, EM_EINVAL, "--%s: there is no page to draw rows on; try --report page.html beside it",
                            need_page[n]);
    return EM_OK;
}

void page_note_step(page_notes *n, const em_progress *now)
{
    em_page *page = &n->page;
    if (page->step_count && now->iteration <= n->steps[page->step_count - 1].iteration)
        page->step_count = 0; /* another method is tried */
    em_page_step *steps =
        n->step_failed ? NULL : emi_grow(n->steps, &n->step_room, page->step_count + 1, sizeof *steps);
    n->step_failed = steps == NULL;
    if (!steps) return;
    n->steps = steps;
    steps[page->step_count++] = (em_page_step){now->iteration, now->change};
}

void page_fact(page_notes *n, const char *name, const char *format, ...)
{
    size_t at = n->page.fact_count;
    va_list list;
    if (at == PAGE_FACTS) return;
    va_start(list, format);
    (void)vsnprintf(n->facts[at], PAGE_FACT_ROOM, format, list);
    va_end(list);
    n->names[at] = name;
    n->texts[at] = n->facts[at];
    n->page.fact_count++;
}

/* ---- the command, as a shell takes it ---------------------------------------------------------------------------- */

static void join(texts *t, const char *text)
{
    if (t->size && !t->failed) t->size--; /* in place of the end of what is there */
    texts_put(t, text);
}

/* Would it be lost on the way from a page to a shell?  What is no text is drawn as something else, and what nobody sees may be copied
 * as a blank, or not at all. */
static int is_lost(uint32_t letter)
{
    static const uint32_t lost[][2] = {{0, 0x1f},        {0x7f, 0xa0},     {0xad, 0xad},
                                       {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2069},
                                       {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {EMI_UTF8_UNKNOWN, EMI_UTF8_UNKNOWN}};
    for (size_t n = 0; n < sizeof lost / sizeof *lost; n++)
        if (letter >= lost[n][0] && letter <= lost[n][1]) return 1;
    return (letter & 0xfffe) == 0xfffe;
}

static int has_lost(const char *word)
{
    while (*word)
        if (is_lost(emi_utf8_next(&word))) return 1;
    return 0;
}

static void put_quoted(texts *t, const char *word)
{
    join(t, "'");
    for (; *word; word++) join(t, *word == '\'' ? "'\\''" : (char[]){*word, 0});
    join(t, "'");
}

/* As $'...', which bash has: bytes that would be lost by their numbers. */
static void put_escaped(texts *t, const char *word)
{
    static const char named[] = "\t\n\\'", *const names[] = {"\\t", "\\n", "\\\\", "\\'"};
    char put[8];
    join(t, "$'");
    for (const char *next = word; *word;) {
        int lost = is_lost(emi_utf8_next(&next));
        for (; word < next; word++) {
            const char *found = strchr(named, *word);
            (void)snprintf(put, sizeof put, lost || *word == '!' ? "\\x%02x" : "%c", (unsigned char)*word);
            join(t, found ? names[found - named] : put);
        }
    }
    join(t, "'");
}

/* As it is where nothing in it means anything to a shell; else in quotes. */
static void put_letters(texts *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && strspn(word, plain) == strlen(word))
        join(t, word);
    else if (has_lost(word))
        put_escaped(t, word);
    else
        put_quoted(t, word);
}

static void put_word(texts *t, const char *word)
{
    join(t, " ");
    put_letters(t, word);
}

/* A file whose name begins as an option does is one of this folder. */
static void put_file(texts *t, const char *path)
{
    join(t, path[0] == '-' && path[1] ? " ./" : " ");
    put_letters(t, path);
}

static int reads_standard_input(const arguments *args)
{
    int n = 0;
    while (n < args->operand_count && strcmp(args->operands[n], "-") != 0) n++;
    return n < args->operand_count;
}

/* Is it of this one run alone?  There may be no checkpoint, or one already, when somebody does it again; and without any the model is
 * the same. */
static int is_passing(const char *option)
{
    static const char *const passing[] = {"checkpoint", "checkpoint-every", "resume"};
    for (size_t n = 0; n < sizeof passing / sizeof *passing; n++)
        if (strcmp(option, passing[n]) == 0) return 1;
    return 0;
}

static em_status record_command(page_notes *n, const arguments *args, em_error *err)
{
    texts words = {0};
    char flag[FLAG_ROOM + 2];
    if (cluster_size() > 1) (void)snprintf(flag, sizeof flag, "mpirun -n %d eigenmesh", cluster_size());
    join(&words, cluster_size() > 1 ? flag : "eigenmesh");
    put_word(&words, args->command->name);
    for (int i = 0; i < args->operand_count; i++) put_file(&words, args->operands[i]);
    for (int i = 0; i < args->count; i++) {
        if (!args->values[i] || is_passing(args->specs[i].name)) continue;
        (void)snprintf(flag, sizeof flag, "--%s", args->specs[i].name);
        put_word(&words, flag);
        if (args->specs[i].metavar) put_word(&words, args->values[i]);
    }
    if (n->more) put_word(&words, n->more);
    if (reads_standard_input(args)) join(&words, "  # with the same on standard input");
    n->command = words.text;
    n->page.command = words.text;
    return words.failed ? emi_fail_memory(err, "--report") : EM_OK;
}

const char *page_without_folder(const char *path)
{
    const char *folder = strrchr(path, '/');
    return folder ? folder + 1 : path;
}

em_status page_describe(page_notes *n, const arguments *args, const em_model *model, const reading *r, em_error *err)
{
    em_status status = EM_OK;
    em_page *page = &n->page;
    page->size = sizeof *page;
    page->model = model;
    page->made = (int64_t)time(NULL);
    page->fact_names = n->names;
    page->facts = n->texts;
    page->steps = n->steps;
    page->subject = page_without_folder(args->operands[0]);
    if (!r) return EM_OK;
    page->rows_dropped = r->rows_dropped;
    TRY(record_command(n, args, err));
    TRY(reading_list_make(&n->read, r, err));
    page->inputs = n->read.inputs;
    page->input_count = n->read.count;
    if (n->read.count) page->subject = page_without_folder(n->read.inputs[0].name); /* "a.csv and 2 more" */
done:
    return status;
}

void page_free(page_notes *n)
{
    emi_free(n->command);
    emi_free(n->steps);
    reading_list_free(&n->read);
    *n = (page_notes){0};
}
