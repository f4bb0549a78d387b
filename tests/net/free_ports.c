#include "net/free_ports.h"

#include "support/check.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LOWEST = 10000, BEYOND = 32000, TRIES = 1000 };

static int is_free(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int bound = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0) (void)close(fd);
    return bound;
}

int free_ports(int count)
{
    static unsigned random;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (random == 0) random = (unsigned)getpid() * 2654435761U + (unsigned)now.tv_nsec;
    for (int tries = 0; tries < TRIES; tries++) {
        random = random * 1103515245U + 12345U;
        int first = LOWEST + (int)((random >> 8) % (BEYOND - LOWEST)), found = 0;
        while (found < count && is_free(first + found)) found++;
        if (found == count) return first;
    }
    fail_msg("no %d free ports in a row", count);
    return 0;
}
