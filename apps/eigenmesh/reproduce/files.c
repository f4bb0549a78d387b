#include "files.h"
#include "figures.h"
#include "message.h"

#include <stdlib.h>

const char *const last_files[] = {"claims.md", "claims.json", "index.html", NULL};

void curve_file(char name[CURVE_NAME_ROOM], const char *setup_key, const char *curve_key)
{
    (void)snprintf(name, CURVE_NAME_ROOM, "%s-%s.csv", setup_key, curve_key);
}

static em_status add(file_names *names, collisions *written, const directory *dir, const char *name, em_error *err)
{
    if (names->count == names->room) {
        int room = 2 * names->room + 64;
        char **paths = realloc(names->paths, (size_t)room * sizeof *paths);
        if (!paths) return refuse_memory(err, dir->path);
        names->paths = paths;
        names->room = room;
    }
    char **path = &names->paths[names->count];
    em_status status = directory_file(dir, name, path, err);
    if (status != EM_OK) return status;
    names->count++;
    return collisions_write(written, "--output", *path, err);
}

static em_status add_curves(file_names *names, collisions *written, const directory *dir, const plan *p, em_error *err)
{
    em_status status = EM_OK;
    char name[CURVE_NAME_ROOM];
    for (const entry *e = p->entries; e->key; e++) {
        curve_file(name, p->key, e->key);
        TRY(add(names, written, dir, name, err));
    }
done:
    return status;
}

static em_status add_pictures(file_names *names, collisions *written, const directory *dir, const reproduction *r,
                              em_error *err)
{
    em_status status = EM_OK;
    for (int f = 0; f < r->figure_count; f++)
        for (int p = 0; p < r->figures[f].picture_count; p++)
            TRY(add(names, written, dir, r->figures[f].pictures[p].file, err));
done:
    return status;
}

em_status file_names_list(file_names *names, collisions *written, const directory *dir, const plan *const *plans,
                          em_error *err)
{
    em_status status = EM_OK;
    int count = 0;
    while (plans[count]) count++;
    reproduction planned = {.setups = calloc((size_t)count + 1, sizeof *planned.setups)};
    if (!planned.setups) TRY(refuse_memory(err, dir->path));
    for (const plan *const *p = plans; *p; p++) {
        planned.setups[planned.setup_count++].key = (*p)->key; /* a layout asks for no more than that */
        TRY(add_curves(names, written, dir, *p, err));
    }
    TRY(figures_lay_out(&planned, err));
    TRY(add_pictures(names, written, dir, &planned, err));
    for (const char *const *last = last_files; *last; last++) TRY(add(names, written, dir, *last, err));
done:
    figures_free(&planned);
    free(planned.setups);
    return status;
}

void file_names_free(file_names *names)
{
    for (int i = 0; i < names->count; i++) free(names->paths[i]);
    free(names->paths);
    *names = (file_names){0};
}
