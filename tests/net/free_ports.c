#include "net/free_ports.h"

#include "support/check.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOWEST = 10000, BEYOND = 32000 };

static int is_free(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int bound = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0) (void)close(fd);
    return bound;
}

static int first_from(int port, int count)
{
    for (int found = 0; port + count <= BEYOND; port += found + 1) {
        found = 0;
        while (found < count && is_free(port + found)) found++;
        if (found == count) return port;
    }
    return 0;
}

/* Whose turn it is stands in a file that all tests of this user share: free_ports.py does the same. */
int free_ports(int count)
{
    char name[64], text[16] = "";
    (void)snprintf(name, sizeof name, "/tmp/eigenmesh-test-ports-%u", (unsigned)getuid());
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0 || pread(fd, text, sizeof text - 1, 0) < 0) fail_msg("cannot read %s", name);
    int next = atoi(text), first = first_from(next < LOWEST ? LOWEST : next, count);
    if (first == 0) first = first_from(LOWEST, count);
    int length = snprintf(text, sizeof text, "%d\n", first + count);
    if (first == 0 || pwrite(fd, text, (size_t)length, 0) != length) fail_msg("no %d free ports in a row", count);
    (void)close(fd);
    return first;
}
