/* All bytes, however many calls it takes. */
#ifndef EIGENMESH_NET_WRITE_ALL_H
#define EIGENMESH_NET_WRITE_ALL_H

#include <errno.h>
#include <unistd.h>

static inline int emi_write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t put = write(file, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        bytes += put;
        count -= (size_t)put;
    }
    return 0;
}

#endif
