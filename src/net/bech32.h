/* bech32m (BIP-350): a prefix, "1", groups of five bits as letters and digits that are hard to mix up, and six more as a check,
 * which finds any four that are wrong. */
#ifndef EIGENMESH_NET_BECH32_H
#define EIGENMESH_NET_BECH32_H

#include <stddef.h>

enum {
    EMI_BECH32_TEXT = 91,   /* 90 characters at most, and the 0 after them */
    EMI_BECH32_PREFIX = 84, /* 83 */
    EMI_BECH32_GROUPS = 82
};

/* Each returns 0, or -1 where there is no such text: groups above 31, a prefix that is none, too long. */
int emi_bech32m_write(const char *prefix, const unsigned char *groups, size_t count, char text[EMI_BECH32_TEXT]);

/* Small or capital letters, not both; the prefix comes back in small ones.  Reads no more than 91 characters. */
int emi_bech32m_read(const char *text, char prefix[EMI_BECH32_PREFIX], unsigned char groups[EMI_BECH32_GROUPS],
                     size_t *count);

#endif
