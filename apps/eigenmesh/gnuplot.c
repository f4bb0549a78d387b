#include "gnuplot.h"
#include "message.h"

#include <ctype.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int gnuplot_find(char path[GNUPLOT_PATH_MAX])
{
    const char *place = getenv("PATH");
    while (place && *place) {
        int length = (int)strcspn(place, ":");
        int size = snprintf(path, GNUPLOT_PATH_MAX, "%.*s/gnuplot", length, place);
        if (length && size < GNUPLOT_PATH_MAX && access(path, X_OK) == 0) return 1;
        place += length;
        place += *place == ':';
    }
    return 0;
}

em_status gnuplot_require(em_error *err)
{
    char path[GNUPLOT_PATH_MAX];
    if (gnuplot_find(path)) return EM_OK;
    return refuse(err, EM_ENOTSUP, "--plot: gnuplot is not installed; try without --plot, or install gnuplot");
}

FILE *gnuplot_script(int width, int height, em_error *err)
{
    FILE *script = tmpfile();
    if (!script) {
        (void)refuse(err, EM_EOUTPUT, "gnuplot: no temporary file can be made; try another TMPDIR");
        return NULL;
    }
    (void)fprintf(script,
                  "set terminal svg size %d,%d noenhanced font 'Helvetica,15' background '#ffffff'\n"
                  "set border 3 linecolor '#505050' linewidth 1\n"
                  "set tics nomirror out scale 0.6 textcolor '#303030'\n"
                  "set grid linecolor '#e4e4e4' linetype 1 linewidth 1\n",
                  width, height);
    return script;
}

void gnuplot_quote(FILE *script, const char *text)
{
    (void)fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') (void)fputc('\'', script);
        (void)fputc(iscntrl((unsigned char)*text) ? ' ' : *text, script);
    }
    (void)fputc('\'', script);
}

/* gnuplot with its standard streams on our files; its exit status, or -1. */
static int run(const char *program, FILE *script, FILE *picture)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    int result = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    int failed = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    failed |= posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    failed |= posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    if (!failed) {
        char *arguments[] = {"gnuplot", "-d", NULL}; /* -d: the user's own start-up files change nothing */
        failed = posix_spawn(&child, program, &actions, NULL, arguments, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    if (!failed && waitpid(child, &result, 0) == child) return result;
    return -1;
}

/* Copy the picture; gnuplot's exit status does not tell whether it is whole, its end does. */
static int copy_whole(FILE *picture, FILE *out)
{
    enum { TAIL = 16 };
    char block[TAIL + (1 << 14)] = ""; /* the end of what came before, and what is read */
    size_t count;
    rewind(picture);
    while ((count = fread(block + TAIL, 1, sizeof block - TAIL, picture)) > 0) {
        if (fwrite(block + TAIL, 1, count, out) != count) return 1; /* told at commit */
        memmove(block, block + count, TAIL);
    }
    for (int i = 0; i + 6 <= TAIL; i++)
        if (memcmp(block + i, "</svg>", 6) == 0) return 1;
    return 0;
}

em_status gnuplot_draw(FILE *script, em_output *output, em_error *err)
{
    em_status status = EM_OK;
    char program[GNUPLOT_PATH_MAX];
    FILE *picture = tmpfile();
    if (fflush(script) != 0 || !picture)
        TRY(refuse(err, EM_EOUTPUT, "gnuplot: no temporary file can be written; try another TMPDIR"));
    rewind(script);
    if (!gnuplot_find(program)) TRY(gnuplot_require(err));
    if (run(program, script, picture) != 0 || !copy_whole(picture, em_output_stream(output)))
        TRY(refuse(err, EM_ENOTSUP, "gnuplot: %s could not draw the picture; try another gnuplot", program));
done:
    if (picture) (void)fclose(picture);
    (void)fclose(script);
    return status;
}
