/* A network that is simulated, for the machine of a node: a random tree of sites, connections with bytes on their way, and time;
 * no sockets.  Processes are killed and begin another life, or exit for good; links are cut. */
#ifndef EIGENMESH_TESTS_NET_WORLD_H
#define EIGENMESH_TESTS_NET_WORLD_H

#include "net/node.h"

enum { MOST_SITES = 7, PIPE = 1 << 16 };

/* What is on its way to one end of a connection. */
typedef struct pipe_end {
    unsigned char bytes[PIPE];
    size_t count;
    int closed; /* nothing follows: who sends has exited */
} pipe_end;

/* A connection between two neighbours: each end knows whether it was attached to its link. */
typedef struct wire {
    int a, b; /* a dials */
    int open;
    pipe_end to[2];  /* 0: to a; 1: to b */
    int attached[2]; /* 0: at a; 1: at b  */
} wire;

typedef struct process {
    emi_node node;
    int alive;
    int exited; /* for good: nobody starts it again */
    int away;   /* turns until it is started again  */
} process;

typedef struct world {
    int count, parent[MOST_SITES], peers[MOST_SITES][MOST_SITES], links[MOST_SITES];
    process sites[MOST_SITES];
    wire wires[MOST_SITES];
    int wire_count;
    double now;
    uint64_t random;
    int broken;        /* links closed for what was said on them: nobody here lies */
    int lives, starts; /* that began; of runs, at the root */
} world;

extern world w;

/* A world of 2 sites or more, in which nobody is alive yet. */
void make_world(uint64_t seed, int most);

uint64_t draw(uint64_t limit); /* below it */

/* The node begins anew: of its configuration, what concerns the disk is given; its context is the process. */
void begin_life(int n, const emi_node_config *disk);

void kill_site(int n, int away); /* what it sent is lost, too */
void renew_site(int n);          /* it takes another life, as where a neighbour counts what cannot be */
void exit_site(int n);           /* what it sent arrives      */
int has_output(int n);           /* it has not sent all yet   */
void cut_wire(int n);

/* Something happens in the network, or nothing: returns -1; or it is the turn of a site's program. */
int turn(void);

#endif
