/* A network written down: one edge `i j` a line, nodes from 0; '#' begins a comment; blank lines are fine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "graph/topology.h"

enum { LONGEST = 256 };

/* The next line without its end and its comment; one that is longer comes out cut, with *cut set.  A zero byte, which
 * would end the text early, becomes one that no number contains.  Returns 0 at the end of the file. */
static int next_line(FILE *file, char *line, int *cut)
{
    int length = 0, comment = 0, c = getc(file);
    *cut = 0;
    if (c == EOF) return 0;
    for (; c != EOF && c != '\n'; c = getc(file)) {
        comment |= c == '#';
        if (comment) continue;
        if (length < LONGEST - 1)
            line[length++] = (char)(c ? c : '?');
        else
            *cut = 1;
    }
    line[length] = '\0';
    return 1;
}

static em_status read_edge(char *line, int cut, emi_edges *edges, emi_pair_set *seen, int nodes, em_error *err)
{
    static const char blanks[] = " \t\r";
    char *rest;
    const char *field[3];
    field[0] = strtok_r(line, blanks, &rest);
    field[1] = field[0] ? strtok_r(NULL, blanks, &rest) : NULL;
    field[2] = field[1] ? strtok_r(NULL, blanks, &rest) : NULL;
    if (!field[0] && !cut) return EM_OK;
    if (!field[1] || field[2] || cut)
        return emi_fail(err, EM_EDATA, "not two numbers; try one edge `i j` a line, nodes from 0");
    long end[2];
    for (int k = 0; k < 2; k++)
        if (emi_text_long(field[k], &end[k]))
            return emi_fail(err, EM_EDATA, "%s is not a whole number; try one edge `i j` a line, nodes from 0",
                            field[k]);
    return emi_edges_add_checked(edges, seen, nodes, end[0], end[1], EM_EDATA, err);
}

/* A pipe must not keep us waiting, and a directory opens but does not read. */
static FILE *open_regular(const char *path, em_error *err)
{
    struct stat about;
    FILE *file = NULL;
    const char *why = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        why = "it is no regular file";
    else if (!(file = fopen(path, "r")))
        why = strerror(errno);
    if (why) (void)emi_fail(err, EM_EIO, "%s: cannot be opened (%s); try the path of a list of edges", path, why);
    return file;
}

em_status emi_draw_file(const emi_topology_request *request, emi_edges *edges, em_error *err)
{
    em_status status = EM_OK;
    em_error why;
    emi_pair_set seen = {0};
    const char *path = request->argument[0];
    char line[LONGEST];
    int cut;
    FILE *file = open_regular(path, err);
    if (!file) return EM_EIO;
    for (size_t number = 1; !status && next_line(file, line, &cut); number++) {
        status = read_edge(line, cut, edges, &seen, request->nodes, &why);
        if (status) (void)emi_fail(err, status, "%s, line %zu: %s", path, number, why.msg);
    }
    if (!status && ferror(file))
        status =
            emi_fail(err, EM_EIO, "%s: cannot be read (%s); try the path of a list of edges", path, strerror(errno));
    emi_pair_set_free(&seen);
    (void)fclose(file);
    return status;
}
