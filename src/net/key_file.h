/* The file of a private key.  Two lines, always of the same size:
 *
 *     eigenmesh private key 1
 *     64 hexadecimal digits: the 32 bytes that an Ed25519 key is made from
 *
 * A text of its own and not PKCS#8 in PEM: there is one spelling, so a file that was cut or changed is found by its size and
 * its digits; nothing in it asks for a password, names another kind of key or needs a parser; and whoever opens it by mistake
 * reads what it is. */
#ifndef EIGENMESH_NET_KEY_FILE_H
#define EIGENMESH_NET_KEY_FILE_H

#include <eigenmesh/engine.h>

enum { EMI_SEED_BYTES = 32 };

/* A new file, 0600 whatever the umask, synced, in folders that are made 0700; EM_EINVAL where there is something already. */
em_status emi_key_file_write(const char *path, const unsigned char seed[EMI_SEED_BYTES], em_error *err);

/* Only a regular file, ours, that nobody else may read or write.  A symbolic link is as good as what it leads to. */
em_status emi_key_file_read(const char *path, unsigned char seed[EMI_SEED_BYTES], em_error *err);

#endif
