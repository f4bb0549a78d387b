/* For those who write an engine: what moves blocks of bytes between the processes of a network.  Everything else (mixing,
 * exact sums, maxima, the counting of messages) is the library's, above it and once for all engines.  CONTRIBUTING.md has a
 * recipe; tests/mesh/test_engine.c is the contract below as a program, and is run on every engine.
 *
 * Rounds.  Work is done in rounds of `begin` and `end`, in the same order in all processes: the n-th round of one is the
 * n-th of all others, along the same links as far as these touch nodes of both, and with blocks of the same size.  A round
 * is no barrier: a process waits for those that send to it, and for nobody else, so blocks of a later round may come
 * early, and are kept until it is theirs.
 *
 * Threads.  The functions of one state are called by one thread at a time: the one that is in em_mesh_open_on, em_fit or
 * em_mesh_close, never a worker.  States share nothing; several may be used at once.
 *
 * Late and lost.  A neighbour whose block has not come is late as long as patience lasts: `end` waits, without keeping a core
 * busy, and nothing is wrong.  It is lost when patience is at an end, when the connection breaks, or when it has said
 * that it failed.  Then `end` returns EM_ENET, or the code that the other one told, and words that name it; and an engine
 * that found out by itself tells all others, as `fail` does, so that nobody waits for this process in turn.  The same
 * holds where what arrives is not of the size that was expected.
 *
 * After a failure, of any function here or told by another process, the state is good for `fail` and `close` alone:
 * whatever else is called returns EM_ENET at once.  Nothing that has failed is tried again, and no process comes back. */
#ifndef EIGENMESH_ENGINE_H
#define EIGENMESH_ENGINE_H

#include <eigenmesh/eigenmesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From one node to another. */
typedef struct em_link {
    int from, to;
} em_link;

typedef struct em_engine {
    size_t size; /* sizeof(em_engine): what a later version adds is NULL in an engine that does not know of it */
    const char *name;

    /* Along each of the links that begin at a node here, the sender's block of `bytes` bytes (at least one) leaves:
     * blocks[from - first].  Links that touch no node of this process may be among them, and there may be none.  Blocks
     * are the caller's, and stay as they are until `end` has returned; so does the array of pointers.  The same links at
     * the same address are the same links every time, until `close`: what follows from them may be kept.  Must not wait for
     * another process to begin.  After a failure there is no `end` to it. */
    em_status (*begin)(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                       em_error *err);

    /* Wait for the blocks that `begin` announced.  inbox[node] becomes that of every sender with a link to a node here,
     * aligned for a double: the engine's memory, or the sender's block itself where it lives here, to be read until the
     * next `begin` or `close`.  Other entries may be written or not. */
    em_status (*end)(void *state, const void **inbox, em_error *err);

    /* In any state, also between `begin` and `end` and after a failure.  Blocks that others still wait for need not arrive,
     * but memory must not be given back while something may write to it.  May wait for a moment, not for ever. */
    void (*close)(void *state);

    /* ---- those below are optional: NULL ------------------------------------------------------------------------- */

    /* Tell all other processes that this one has failed, unless one of them said so first: wherever they wait, now or
     * later, they fail with this code, as em_fail_elsewhere puts it.  The code alone leaves: an error's words may hold a
     * cell of the data, and stay where they were made.  Returns soon, whether they listen or not.  Needed where there are
     * other processes. */
    void (*fail)(void *state, const em_error *err);

    /* Between `begin` and `end`, now and then: a chance to move what is on its way while the nodes compute. */
    void (*progress)(void *state);

    /* How many seconds a neighbour may be late before it is lost; INFINITY: for ever.  Holds from the next wait. */
    void (*patience)(void *state, double seconds);

    /* values <- their sum over all processes, by other ways than the links; in all of them, or only where node 0 lives.
     * Not bytes, since what is added up has a type, and the library adds up no other. */
    em_status (*sum)(void *state, double *values, size_t count, int everywhere, em_error *err);

    /* block <- that of the process where node 0 lives.  Needed beside `sum`. */
    em_status (*give)(void *state, void *block, size_t bytes, em_error *err);
} em_engine;

/* A mesh on such an engine, in every process: nodes first .. first + hosted - 1 live in this one.  The state belongs to the mesh
 * from then on, also where opening fails.  The engine is copied; the graph is borrowed, and the same everywhere, which
 * an engine finds out by its digest. */
EM_API em_status em_mesh_open_on(em_mesh **out, const em_engine *engine, void *state, int first, int hosted,
                                 const em_graph *graph, int threads, em_error *err);

/* Another number for another graph, as good as certainly. */
EM_API uint64_t em_graph_digest(const em_graph *graph);

/* Record "WHAT: WHY; try WHAT" as one line, where err is not NULL, and return the code. */
EM_API em_status em_fail(em_error *err, em_status code, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* What another process told that it failed at: its name, and the words of the code.  What is no code of a failure counts as
 * EM_ENET.  Returns the code. */
EM_API em_status em_fail_elsewhere(em_error *err, em_status code, const char *process);

#ifdef __cplusplus
}
#endif
#endif
