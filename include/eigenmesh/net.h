/* eigenmesh between sites: each runs one process beside its data, links are TLS 1.3 between keys that know each other, and there
 * is no server.  Link with eigenmesh_net and eigenmesh.
 *
 * A process that is killed may be started again: the others wait, and all go on from the root's last step.  The library prints
 * nothing; what happens is told by the callbacks, of which any may be NULL but `keep`. */
#ifndef EIGENMESH_NET_H
#define EIGENMESH_NET_H

#include <eigenmesh/masks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct em_site_options {
    size_t size;        /* sizeof(em_site_options) */
    const char *study;  /* the file that all sites hold                                                         */
    const char *key;    /* the file of this site's key                                                          */
    const char *state;  /* the folder for what outlives a process; in it FINGERPRINT/SITE                       */
    const char *log;    /* the audit log; NULL: in that folder                                                  */
    const char *listen; /* [ADDR:]PORT; NULL: the port of its address in the study                              */
    const char *proxy;  /* HOST:PORT, by HTTP CONNECT; NULL: none                                               */
    const char *accept; /* the fingerprint that somebody vouched for; NULL: nobody did                          */
    double patience;    /* seconds that one wait may last; INFINITY: for ever                                   */
    int threads;        /* 0: all cores                                                                         */
    int again;          /* also where the study was done before                                                 */
    int rehearse;       /* only see whether all are there, with the same columns                                */

    /* This site's own policy.  But for the number of sites it can be kept with masks alone, and is refused without. */
    int minimum_sites;        /* of the study; 0: any number                                                    */
    uint64_t minimum_rows;    /* of all sites together; 0: any number                                           */
    uint64_t maximum_columns; /* of C, whose products are answered over all runs of the study; 0: 128 blocks    */
    int data_changed;         /* take part with other rows than in a run of this study before: all can compute
                                 the difference                                                                 */

    /* A study that follows (`follow = yes` in its file): models are made again and again, from the rows that each site has by
     * then.  How often is the root's to say, in seconds: a model where there are new rows, `every` so often, 0: 600; and between
     * these, `check` so often, 0: never, a look whether the last one still holds, and another where it does not.  After `models` of
     * them, 0: any number, or when no site has more rows to come, all end.  Elsewhere these are 0. */
    double every, check;
    int models;

    /* Rows that keep coming at this site; NULL: those of `data` are all.  `open_rows` is called once, in place of `data`, with the
     * folder of the state, which is locked, and waits for the first; `take_rows`, which may be there by itself, is called while
     * the next model is not due, and takes in what comes, for about so many seconds or less; `hand_rows` gives the moments of all that was taken, with the columns in the order of `arrange`, when they are on the
     * disk, and whether more may come.  What it gave stays as it is until it is called again.  None of these, nor `made`, is called
     * while `news` is. */
    em_status (*open_rows)(void *user, const char *folder, const em_data **data, em_error *err);
    em_status (*take_rows)(void *user, double seconds, em_error *err);
    em_status (*hand_rows)(void *user, const em_data **data, int *more, em_error *err);
    em_status (*close_rows)(void *user, em_error *err); /* however it ended: what was taken is to be on the disk */

    /* A study that follows has another model, which all sites have, and `keep` has kept. */
    void (*made)(void *user, const em_model *model);

    /* The same data with its columns in the order of the root, whose names these are; where they lie so already this is not
     * called.  What it gives is the caller's to free. */
    em_status (*arrange)(void *user, const char *const *names, size_t count, const em_data **data, em_error *err);

    /* The model, which is a .npz: write it, and see that it is on the disk.  The state keeps it too. */
    em_status (*keep)(void *user, const void *model, size_t bytes, em_error *err);

    /* A line for people: "link with paris is up".  From the caller's thread or one of the library's own; but of `news`, `waits` and
     * `monitor` never two at the same time. */
    void (*news)(void *user, const char *line);

    /* Once a second, where one waits: for whom, and for how many seconds. */
    void (*waits)(void *user, const char *site, double seconds);

    /* After every iteration, as em_options_set_monitor; what it returns is not heeded. */
    em_monitor_fn *monitor;
    void *user;

    const char *device; /* that multiplies this site's rows, as the option of a fit: "cpu", "gpu"; NULL: auto       */
} em_site_options;

/* What was sent to a neighbour, what its link was like, and how long one waited for that site; or, of one that is no neighbour and
 * was awaited behind one, the last alone. */
typedef struct em_site_link {
    char name[33];
    int is_neighbour;
    int was_up; /* at all */
    uint64_t bytes_sent, bytes_received;
    int downs;           /* how often it was cut                      */
    double seconds_down; /* since it was up first                     */
    double seconds_waited;
} em_site_link;

typedef struct em_site_report {
    char name[33];        /* of this site */
    char fingerprint[64]; /* of the study */
    int done_before;      /* nothing was to be done but to keep the model once more */
    int64_t finished;     /* when the study was finished here, in seconds since 1970; 0: it is not */
    int rehearsed;
    int masked;                /* the study has masks                                                */
    uint64_t columns_answered; /* then: of C, so far in all runs of the study                        */
    uint64_t columns;          /* of the data: so many columns C has                                 */
    int runs;                  /* that were entered: 1, and one more each time that a site came back */
    int limited;               /* the study says how many iterations there may be                    */
    int ended_by_root;         /* for all                                                            */
    int site_count, link_count;
    em_site_link *links; /* neighbours first; these two are freed by em_site_report_free     */
    char *model_file;    /* the model as the state keeps it; NULL: it has none               */
    char awaited[33];    /* where it ended by waiting too long: for whom                     */
    int follows;         /* the study does                                                   */
    int models;          /* then: made in this process' time                                 */
    int held;            /* and how often a look found that the last one still holds         */
    char device[8];      /* that multiplied the rows of this site, and why, as em_info has them; "": none did */
    char device_why[256];
} em_site_report;

/* Take part in a study.  `data` is NULL where `open_rows` gives it.  On EM_OK every site has the same model, bit for bit, and *model is it; NULL where this was a rehearsal, or
 * the study was done before and its model is no longer in the state. */
EM_API em_status em_site_run(em_model **model, const em_site_options *options, const em_data *data,
                             em_site_report *report, em_error *err);
EM_API void em_site_report_free(em_site_report *report);

/* From a signal's handler: the call above ends soon. */
EM_API void em_site_interrupt(void);

/* Masks, as a study has them, on a mesh in one process or under MPI, where the seed is the same in all: to see what they cost.  All
 * keys come from the seed, and hide nothing from whoever knows it. */
EM_API em_status em_mesh_simulate_masks(em_mesh *mesh, uint64_t seed, em_error *err);

#ifdef __cplusplus
}
#endif
#endif
