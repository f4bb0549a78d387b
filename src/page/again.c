/* What it takes to do it again: the command, what was asked, versions. */
#include "base/error.h"
#include "page/parts.h"

#include <string.h>
#include <time.h>

static void put_time(emi_html *to, const char *name, int64_t seconds)
{
    struct tm parts;
    char text[40];
    time_t when = (time_t)seconds;
    if (seconds && gmtime_r(&when, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts))
        emi_put(to, "<dt>%s</dt><dd>%s</dd>\n", name, text);
}

/* Those that are not what they are by themselves. */
static em_status put_options(emi_html *to, const em_options *options, em_error *err)
{
    em_options *fresh = NULL;
    int shown = 0;
    em_status status = em_options_create(&fresh, err);
    emi_put(to, "<dt>Options</dt><dd>");
    for (int n = 0; status == EM_OK && em_option(n); n++) {
        const char *name = em_option(n)->name;
        char value[256], preset[256];
        if (em_options_get(options, name, value, sizeof value) < 0 ||
            em_options_get(fresh, name, preset, sizeof preset) < 0)
            continue;
        if (strcmp(value, preset) == 0) continue;
        emi_put(to, "<code>%s = %s</code>, ", name, value);
        shown++;
    }
    emi_put(to, "all %sas they are by themselves</dd>\n", shown ? "others " : "");
    em_options_free(&fresh);
    return status;
}

/* A page of a model alone is made by who reads it, later and elsewhere: that is not who found the model. */
static int is_of_a_file(const em_page *page)
{
    const char *writer = em_model_info(page->model)->version;
    return *writer && (!page->command || strcmp(writer, em_version()) != 0);
}

static void put_versions(emi_html *to, const em_page *page)
{
    emi_put(to, "<dt>Versions</dt><dd>");
    if (is_of_a_file(page)) emi_put(to, "model written by eigenmesh %s; page by ", em_model_info(page->model)->version);
    emi_put(to, "eigenmesh %s", em_version());
    for (int n = 0; em_built_with(n); n++) emi_put(to, ", %s", em_built_with(n));
    emi_put(to, "; %s</dd>\n", em_blas());
}

em_status emi_page_again(emi_html *to, const em_page *page, em_error *err)
{
    enum { FACT_LETTERS = 1000 };
    em_status status = EM_OK;
    const em_info *info = em_model_info(page->model);
    if (page->command) {
        emi_put(to, "<pre id=\"command\"><code>");
        emi_put_words(to, page->command); /* whole: a part would be another one */
        emi_put(to, "</code></pre>\n");
    } else {
        emi_put(to, "<p class=\"soft\">The command, %s</p>\n", EMI_NOT_KEPT);
    }
    emi_put(to, "<dl class=\"facts\">\n");
    put_time(to, page->command ? "Made" : "Page made", page->made);
    for (size_t n = 0; n < page->fact_count; n++) {
        emi_put(to, "<dt>%s</dt><dd>", page->fact_names[n]);
        emi_put_name(to, page->facts[n], FACT_LETTERS);
        emi_put(to, "</dd>\n");
    }
    emi_put(to, "<dt>Seed</dt><dd id=\"seed\">%llu</dd>\n", (unsigned long long)info->seed);
    if (page->options) TRY(put_options(to, page->options, err));
    emi_put(to, "<dt>Threads</dt><dd>%d</dd>\n", info->threads);
    put_versions(to, page);
    emi_put(to, "</dl>\n<p class=\"soft\">%s</p>\n",
            info->nodes > 1
                ? "The same data, network, options and seed give the same numbers: bit for bit with these versions "
                  "on processors of this kind, and to the last digits on others."
                : "The same data, options and seed give the same numbers; on one node the last digits "
                  "depend on the number of cores, and everywhere on their kind.");
done:
    return status;
}
