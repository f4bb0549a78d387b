/* What a site tells its caller at the end. */
#ifndef EIGENMESH_NET_SITE_REPORT_H
#define EIGENMESH_NET_SITE_REPORT_H

#include "net/hub.h"
#include "net/state.h"

#include <eigenmesh/net.h>

/* Links and waits; how it ended, where others had a part in that. */
void emi_report_hub(em_site_report *report, emi_hub *hub, const emi_study *study, int site);

/* What the state has of a study that is finished. */
void emi_report_state(em_site_report *report, const emi_state *state);

#endif
