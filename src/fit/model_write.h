/* A model's file into a stream that is open already: the command line opens its outputs before the work, so that a path that
 * cannot be written fails at once.  It needs no more than the public header, and is the one header of this room that the
 * command line may include. */
#ifndef EMI_FIT_MODEL_WRITE_H
#define EMI_FIT_MODEL_WRITE_H

#include <eigenmesh/eigenmesh.h>

/* A failure of the stream itself is told when its output is committed. */
em_status emi_model_write(const em_model *model, FILE *stream, em_error *err);

#endif
