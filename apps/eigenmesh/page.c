#include "page.h"
#include "cluster.h"

#include "base/error.h"
#include "base/memory.h"

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

/* The word as it is where nothing in it means anything to a shell; else in quotes. */
static void put_word(texts *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (t->size) t->text[t->size - 1] = ' '; /* in place of the end of the word before */
    if (*word && strspn(word, plain) == strlen(word)) {
        texts_put(t, word);
        return;
    }
    texts_put(t, "'");
    for (const char *at = word; *at && !t->failed; at++) {
        char letter[2] = {*at, 0};
        t->size--;
        texts_put(t, *at == '\'' ? "'\\''" : letter);
    }
    if (t->failed) return;
    t->size--;
    texts_put(t, "'");
}

static em_status record_command(page_notes *n, const arguments *args, em_error *err)
{
    texts words = {0};
    char flag[FLAG_ROOM + 2];
    if (cluster_size() > 1) (void)snprintf(flag, sizeof flag, "mpirun -n %d eigenmesh", cluster_size());
    texts_put(&words, cluster_size() > 1 ? flag : "eigenmesh");
    if (!words.failed) put_word(&words, args->command->name);
    for (int i = 0; i < args->operand_count && !words.failed; i++) put_word(&words, args->operands[i]);
    for (int i = 0; i < args->count && !words.failed; i++) {
        if (!args->values[i]) continue;
        (void)snprintf(flag, sizeof flag, "--%s", args->specs[i].name);
        put_word(&words, flag);
        if (args->specs[i].metavar && !words.failed) put_word(&words, args->values[i]);
    }
    n->command = words.text;
    n->page.command = words.text;
    return words.failed ? emi_fail_memory(err, "--report") : EM_OK;
}

static const char *without_folder(const char *path)
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
    page->subject = without_folder(args->operands[0]);
    if (!r) return EM_OK;
    page->rows_dropped = r->rows_dropped;
    TRY(record_command(n, args, err));
    TRY(reading_list_make(&n->read, r, err));
    page->inputs = n->read.inputs;
    page->input_count = n->read.count;
    if (n->read.count) page->subject = without_folder(n->read.inputs[0].name); /* "a.csv and 2 more" */
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
