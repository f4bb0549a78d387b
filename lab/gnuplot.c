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

picture_kind gnuplot_kind(const char *path)
{
    size_t length = strlen(path);
    int kind = PICTURE_SVG;
    if (strcmp(path, "-") == 0) return PICTURE_SVG; /* standard output has no name */
    while (kind < PICTURE_KINDS && (length <= 4 || strcasecmp(path + length - 4, kinds[kind].ending) != 0)) kind++;
    return (picture_kind)kind;
}

em_status gnuplot_require(const char *what, em_error *err)
{
    char path[GNUPLOT_PATH_MAX];
    if (gnuplot_find(path)) return EM_OK;
    return emi_fail(err, EM_ENOTSUP, "%s: gnuplot is not installed, and it draws the pictures; try installing gnuplot",
                    what);
}

/* gnuplot with its standard streams on our files; its exit status, or -1. */
static int run(const char *program, FILE *script, FILE *picture)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"gnuplot", "-d", NULL}; /* -d: the user's own start-up files change nothing */
    pid_t child = -1;
    int result = -1;
    rewind(script);
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    int failed = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO) ||
                 posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO) ||
                 posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0) ||
                 posix_spawn(&child, program, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return !failed && waitpid(child, &result, 0) == child ? result : -1;
}

/* Does the picture end as a whole one does?  It is copied to `out`. */
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

/* plots/picture.gp, filled in with what is freed here.  Without `out` nothing is drawn, and it is enough that gnuplot does not
 * object. */
static em_status draw(const char *program, picture_kind kind, int width, int height, fill *with, FILE *out, int *drawn,
                      em_error *err)
{
    em_status status = EM_OK;
    double scale = kinds[kind].scale;
    FILE *script = tmpfile(), *picture = tmpfile();
    fill_text(with, "terminal", "%s size %.6g,%.6g", kinds[kind].terminal, width * scale, height * scale);
    fill_text(with, "setting", "%s", kinds[kind].setting);
    fill_numbers(with, {"inward", kinds[kind].inward});
    if (script) TRY(template_put(script, "plots/picture.gp", with, err));
    if (!script || !picture || fflush(script) != 0)
        TRY(emi_fail(err, EM_EOUTPUT, "gnuplot: no temporary file can be written; try another TMPDIR"));
    *drawn = run(program, script, picture) == 0 && (!out || copy_whole(picture, out, kinds[kind].end));
done:
    if (picture) (void)fclose(picture);
    if (script) (void)fclose(script);
    fill_free(&with);
    return status;
}

/* Every gnuplot writes SVG; the others come with a library that it may have been built without. */
em_status gnuplot_require_for(const char *what, const char *path, em_error *err)
{
    char program[GNUPLOT_PATH_MAX];
    picture_kind kind = gnuplot_kind(path);
    int drawn = 1;
    if (kind == PICTURE_KINDS)
        return emi_fail(err, EM_EINVAL, "%s: '%s' is no picture's name; try one that ends in .svg, .png or .pdf", what,
                        path);
    if (kind == PICTURE_SVG || !gnuplot_find(program)) return gnuplot_require(what, err);
    em_status status = draw(program, kind, 640, 480, fill_new(), NULL, &drawn, err);
    if (status != EM_OK || drawn) return status;
    return emi_fail(err, EM_ENOTSUP,
                    "%s: %s has no %s, which draws %s; try a name that ends in .svg, or Debian's gnuplot-nox", what,
                    program, kinds[kind].terminal, kinds[kind].ending);
}

em_status gnuplot_draw(const canvas *to, int width, int height, fill *with, em_error *err)
{
    char program[GNUPLOT_PATH_MAX];
    int drawn = 0;
    if (!gnuplot_find(program)) {
        fill_free(&with);
        return gnuplot_require("gnuplot", err);
    }
    em_status status = draw(program, to->kind, width, height, with, emi_output_stream(to->output), &drawn, err);
    if (status != EM_OK || drawn) return status;
    return emi_fail(err, EM_ENOTSUP, "gnuplot: %s could not draw the picture; try another gnuplot", program);
}
