/* Where a file comes to lie. */
#ifndef EMI_BASE_PLACE_H
#define EMI_BASE_PLACE_H

#include <limits.h>

/* The directory of a path; "." for a bare name. */
void emi_place_directory(const char *path, char out[PATH_MAX]);

/* The stream of this process that a path stands for ("-" and /dev/stdout: 1, /dev/fd/N: N), or -1. */
int emi_place_stream(const char *path);

/* The path with the links at its end followed, also to where nothing is yet; what stands for a stream stays as it is.  To
 * be freed; NULL, with errno, where a link leads nowhere or must not be followed. */
char *emi_place_follow(const char *path);

/* Have a renaming in the path's directory outlast a power cut, where the file system can say; 0, or -1 with errno where
 * the disk failed. */
int emi_place_settle(const char *path);

#endif
