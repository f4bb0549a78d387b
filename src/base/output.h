/* An output file of any kind that appears whole or not at all: open, write to its stream, then commit or discard.  Opening
 * fails at once where the path cannot be written.  A file that is replaced keeps its permissions, and a link stays a link.
 * "-" is standard output; it, and what exists and is no regular file (/dev/null), is written directly. */
#ifndef EMI_BASE_OUTPUT_H
#define EMI_BASE_OUTPUT_H

#include <eigenmesh/eigenmesh.h>

typedef struct emi_output emi_output;

em_status emi_output_open(emi_output **out, const char *path, em_error *err);

/* The same for its owner's eyes alone (0600), whoever could read what was there. */
em_status emi_output_open_private(emi_output **out, const char *path, em_error *err);
FILE *emi_output_stream(emi_output *output);

/* Where the file of an output with this path will lie: links are followed, also to where nothing is yet. */
em_status emi_output_target(const char *path, char *target, size_t room, em_error *err);
em_status emi_output_commit(emi_output **handle, em_error *err);
void emi_output_discard(emi_output **handle);

#endif
