/* What a site says of its data in its entry: how many columns, a digest of their names, and a keyed digest of its rows. */
#ifndef EIGENMESH_NET_OWN_H
#define EIGENMESH_NET_OWN_H

#include "net/frame.h"
#include "net/study.h"

em_status emi_own_entry(emi_entry *out, const emi_study *study, const emi_identity *identity, const em_data *data,
                        em_error *err);

/* The names of its columns, a line each, in their order; size 0 where it has none.  The caller frees it. */
em_status emi_own_names(const em_data *data, char **text, size_t *size, em_error *err);

/* Such a text as [count] names, which lie in it from then on; NULL where it is not of so many, or its sorted names do not have
 * this digest. */
const char **emi_names_read(char *text, size_t size, size_t count, const unsigned char digest[EMI_SHA_BYTES]);

#endif
