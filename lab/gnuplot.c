#include "lab/gnuplot.h"
#include "base/error.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The kinds of picture.  The size of a picture is given in SVG's pixels: PNG has twice as many, PDF 96 to the inch. */
static const struct {
    const char *ending;   /* of the file's name                                                  */
    const char *terminal; /* gnuplot's name for it                                               */
    const char *end;      /* of every whole picture: gnuplot's exit status does not tell         */
    const char *setting;  /* its own options                                                     */
    double scale;
    double inward; /* how far the title of the y axis moves to the numbers: gnuplot leaves more room in an SVG */
} kinds[] = {
    [PICTURE_SVG] = {".svg", "svg", "</svg>", "", 1, 1.4},
    [PICTURE_PNG] = {".png", "pngcairo", "IEND", "fontscale 1.5 linewidth 2 pointscale 3.2", 2, 0.2},
    [PICTURE_PDF] = {".pdf", "pdfcairo", "%%EOF", "fontscale 0.56 linewidth 1.5 pointscale 1.25", 1.0 / 96, 0.2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

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

/* gnuplot with its standard streams on our files; its exit status, or -1. */
static int run(const char *program, FILE *script, FILE *picture)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    int result = -1;
    rewind(script);
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

static em_status no_temporary_file(em_error *err)
{
    return emi_fail(err, EM_EOUTPUT, "gnuplot: no temporary file can be written; try another TMPDIR");
}

/* ---- what there is --------------------------------------------------------------------------------------- */

/* Every gnuplot writes SVG; the others come with a library that it may have been built without. */
static em_status require_terminal(const char *what, picture_kind kind, em_error *err)
{
    em_status status = EM_OK;
    char program[GNUPLOT_PATH_MAX];
    FILE *script = NULL, *answer = NULL;
    if (kind == PICTURE_SVG || !gnuplot_find(program)) return EM_OK;
    script = tmpfile();
    answer = tmpfile();
    if (!script || !answer || fprintf(script, "set terminal %s\n", kinds[kind].terminal) < 0 || fflush(script) != 0)
        TRY(no_temporary_file(err));
    if (run(program, script, answer) != 0)
        TRY(emi_fail(err, EM_ENOTSUP,
                     "%s: %s has no %s, which draws %s; try a name that ends in .svg, or Debian's "
                     "gnuplot-nox",
                     what, program, kinds[kind].terminal, kinds[kind].ending));
done:
    if (script) (void)fclose(script);
    if (answer) (void)fclose(answer);
    return status;
}

/* KINDS where the name ends in none of them.  Standard output has no name. */
static int kind_of(const char *path)
{
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0) return PICTURE_SVG;
    for (int k = 0; k < KINDS; k++)
        if (length > 4 && strcasecmp(path + length - 4, kinds[k].ending) == 0) return k;
    return KINDS;
}

picture_kind gnuplot_kind(const char *path)
{
    int kind = kind_of(path);
    return kind == KINDS ? PICTURE_SVG : (picture_kind)kind;
}

em_status gnuplot_require(const char *what, em_error *err)
{
    char path[GNUPLOT_PATH_MAX];
    if (gnuplot_find(path)) return EM_OK;
    return emi_fail(err, EM_ENOTSUP, "%s: gnuplot is not installed, and it draws the pictures; try installing gnuplot",
                    what);
}

em_status gnuplot_require_for(const char *what, const char *path, em_error *err)
{
    em_status status = EM_OK;
    int kind = kind_of(path);
    if (kind == KINDS)
        TRY(emi_fail(err, EM_EINVAL, "%s: '%s' is no picture's name; try one that ends in .svg, .png or .pdf", what,
                     path));
    TRY(gnuplot_require(what, err));
    TRY(require_terminal(what, (picture_kind)kind, err));
done:
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

/* Copy the picture; is it whole? */
static int copy_whole(FILE *picture, FILE *out, const char *end)
{
    enum { TAIL = 16 };
    char block[TAIL + (1 << 14)] = ""; /* the end of what came before, and what is read */
    size_t count, length = strlen(end);
    rewind(picture);
    while ((count = fread(block + TAIL, 1, sizeof block - TAIL, picture)) > 0) {
        if (fwrite(block + TAIL, 1, count, out) != count) return 1; /* told at commit */
        memmove(block, block + count, TAIL);
    }
    for (size_t i = 0; i + length <= TAIL; i++)
        if (memcmp(block + i, end, length) == 0) return 1;
    return 0;
}

em_status gnuplot_draw(const canvas *to, const char *script, int width, int height, fill *with, em_error *err)
{
    em_status status = EM_OK;
    char program[GNUPLOT_PATH_MAX];
    double scale = kinds[to->kind].scale;
    FILE *commands = tmpfile(), *picture = tmpfile();
    fill_text(with, "terminal", "%s size %.6g,%.6g", kinds[to->kind].terminal, width * scale, height * scale);
    fill_text(with, "setting", "%s", kinds[to->kind].setting);
    fill_text(with, "inward", "%g", kinds[to->kind].inward);
    if (!commands || !picture) TRY(no_temporary_file(err));
    TRY(template_put(commands, script, with, err));
    if (fflush(commands) != 0) TRY(no_temporary_file(err));
    if (!gnuplot_find(program)) TRY(gnuplot_require("gnuplot", err));
    if (run(program, commands, picture) != 0 ||
        !copy_whole(picture, emi_output_stream(to->output), kinds[to->kind].end))
        TRY(emi_fail(err, EM_ENOTSUP, "gnuplot: %s could not draw the picture; try another gnuplot", program));
done:
    if (picture) (void)fclose(picture);
    if (commands) (void)fclose(commands);
    return status;
}
