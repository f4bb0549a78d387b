/* What the START of the run that was entered says, for the solver. */
#include "net/hub_parts.h"

#include <string.h>

/* Of a site; the lock is held. */
static emi_entry entry_of(const emi_hub *hub, int site)
{
    emi_entry entry = {0};
    if (hub->node.start) emi_entry_read(hub->node.start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES, &entry);
    return entry;
}

uint64_t emi_hub_iteration(emi_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    uint64_t iteration = hub->node.iteration;
    (void)pthread_mutex_unlock(&hub->lock);
    return iteration;
}

void emi_hub_rows(emi_hub *hub, unsigned char *rows)
{
    (void)pthread_mutex_lock(&hub->lock);
    for (int site = 0; site < hub->options.study->site_count; site++) {
        const emi_entry entry = entry_of(hub, site);
        memcpy(rows + (size_t)site * EMI_SHA_BYTES, entry.rows, EMI_SHA_BYTES);
    }
    (void)pthread_mutex_unlock(&hub->lock);
}

em_status emi_hub_keys(emi_hub *hub, uint64_t generation, emi_mask_keys *keys, em_error *err)
{
    em_status status = EM_OK;
    (void)pthread_mutex_lock(&hub->lock);
    if (hub->node.generation != generation)
        status = emi_hub_anew(err);
    else if (hub->keyed == generation)
        status = em_fail(err, EM_ENET, "node: masks of this run were begun before; try again");
    hub->keyed = generation;
    for (int site = 0; status == EM_OK && site < hub->options.study->site_count; site++) {
        const emi_entry entry = entry_of(hub, site);
        memcpy(keys->all[site], entry.key, EMI_PUBLIC_BYTES);
    }
    if (status == EM_OK) {
        memcpy(keys->run, hub->node.run, EMI_RUN_BYTES);
        memcpy(keys->own, hub->secret, EMI_PUBLIC_BYTES);
    }
    (void)pthread_mutex_unlock(&hub->lock);
    return status;
}
