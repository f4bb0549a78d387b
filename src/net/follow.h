/* A study that follows rows as they come: within one run, model after model.
 *
 * Every site pauses for as long as the root said, and takes in rows meanwhile.  Then all tell how many rows are new since the last
 * model, and whether more may come, added up on the way to the root, which answers: go on waiting, see whether the last model
 * holds, make another, or the end.  A model is that of an ordinary run: a fit, which begins from the last one, its bytes down and
 * its digest up.  Where a site comes back there is another run, which begins with the root's last model, for all, and another one. */
#ifndef EIGENMESH_NET_FOLLOW_H
#define EIGENMESH_NET_FOLLOW_H

#include "net/program.h"

/* Is what this site asks for a matter of this study, and of this site? */
em_status emi_follow_check(const em_site_options *options, const emi_study *study, int site, em_error *err);

/* This site's rows, where they keep coming; else they stay as they are.  The state is locked from before until after. */
em_status emi_follow_open(const em_site_options *options, const emi_state *state, const em_data **data, em_error *err);
em_status emi_follow_close(const em_site_options *options, em_error *err);

/* Until the root says that it is the end; p->model is the last one then. */
em_status emi_follow(emi_program *p, const em_data *data, em_error *err);

#endif
