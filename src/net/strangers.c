/* Who comes: connections that have not said who they are.  They are few, for a short time, and cost members nothing. */
#include "net/hub_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    ACCEPTED_AT_ONCE = 32, /* so that a crowd at the door does not keep the links waiting */
    DEAF_SECONDS = 1       /* where descriptors are out: poll would tell of those who wait without a pause */
};

/* Members, logs and checkpoints need descriptors too. */
int emi_strangers_most(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 4 * (rlim_t)EMI_STRANGERS) return EMI_STRANGERS;
    return (int)(files.rlim_cur / 4) + 1;
}

static int is_stranger(const emi_conn *c)
{
    return c->stage != EMI_LINKED && c->dialled < 0;
}

/* The oldest stranger, of an address or of all (NULL), and how many there are. */
static emi_conn *oldest_of(const emi_hub *hub, const char *from, int *count)
{
    emi_conn *oldest = NULL;
    *count = 0;
    for (emi_conn *c = hub->conns; c; c = c->next) {
        if (!is_stranger(c) || (from && strcmp(c->from, from) != 0)) continue;
        ++*count;
        oldest = c; /* the list begins with the latest */
    }
    return oldest;
}

/* Room is made for another at the cost of the oldest: a member that knows what to say is quick, whoever else is at its address. */
static void make_room(emi_hub *hub, const char *from, double now)
{
    static const char why[] = "others came before it said who it is";
    int count;
    emi_conn *oldest = oldest_of(hub, from, &count);
    if (count >= EMI_STRANGERS_EACH) emi_conn_drop(hub, oldest, why, now);
    oldest = oldest_of(hub, NULL, &count);
    if (count >= hub->strangers_most) emi_conn_drop(hub, oldest, why, now);
}

void emi_conns_accept(emi_hub *hub, int listener, double now)
{
    char from[EMI_ADDRESS_TEXT];
    if (now < hub->deaf_until) return;
    for (int n = 0; n < ACCEPTED_AT_ONCE; n++) {
        int socket = emi_accept(listener, from);
        if (socket < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) hub->deaf_until = now + DEAF_SECONDS;
            return;
        }
        make_room(hub, from, now);
        emi_conn_add(hub, socket, -1, from, now);
    }
}

void emi_conns_drop_late(emi_hub *hub, double now)
{
    for (emi_conn *c = hub->conns, *next; c; c = next) {
        next = c->next;
        if (c->stage != EMI_LINKED && now - c->since > EMI_GREETING_SECONDS)
            emi_conn_drop(hub, c, c->stage == EMI_PARTS ? NULL : "took too long to say who it is", now);
    }
}
