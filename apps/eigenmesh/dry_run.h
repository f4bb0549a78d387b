/* fit --dry-run: what a fit would do, without doing it. */
#ifndef EIGENMESH_DRY_RUN_H
#define EIGENMESH_DRY_RUN_H

#include "problem.h"

/* Plan the fit of a problem that is open, and print that; as JSON, if asked for.  Collective. */
em_status dry_run(const problem *p, const arguments *args, em_error *err);

#endif
