#include "net/masks.h"

#include "net/no_memory.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

struct emi_masks {
    int site, sites;
    unsigned char secret[EMI_SHA_BYTES];
    unsigned char pairs[][EMI_PAIR_BYTES]; /* [sites] by the other one; zeros in its own place */
};

/* ---- a stream of words ---------------------------------------------------------------------------------------------------- */

enum { PIECE = 4096 }; /* words at a time, so that a mask takes no memory to speak of */

typedef struct stream {
    EVP_CIPHER_CTX *cipher;
    uint64_t words[PIECE];
} stream;

/* No number goes into the iv: OpenSSL's begins with the block's, and others there would be the same stream further on. */
static em_status stream_open(stream *s, const unsigned char key[EMI_PAIR_BYTES], em_error *err)
{
    static const unsigned char iv[16];
    s->cipher = EVP_CIPHER_CTX_new();
    if (!s->cipher) return emi_no_memory(err);
    if (EVP_EncryptInit_ex(s->cipher, EVP_chacha20(), NULL, key, iv) == 1) return EM_OK;
    return emi_crypto_refused("ChaCha20", err);
}

/* The next ones. */
static em_status stream_next(stream *s, size_t count, em_error *err)
{
    static const unsigned char zeros[8 * PIECE];
    int bytes = (int)(8 * count), made = 0;
    if (EVP_EncryptUpdate(s->cipher, (unsigned char *)s->words, &made, zeros, bytes) != 1 || made != bytes)
        return emi_crypto_refused("ChaCha20", err);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (size_t n = 0; n < count; n++) s->words[n] = emi_u64_read((const unsigned char *)&s->words[n]);
#endif
    return EM_OK;
}

static void stream_close(stream *s)
{
    EVP_CIPHER_CTX_free(s->cipher);
    OPENSSL_cleanse(s->words, sizeof s->words);
}

/* What is done with the words of a stream: taken, added, or subtracted. */
typedef void use(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number);

static void take(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number)
{
    (void)of_number;
    memcpy(words, more, count * sizeof *words);
}

/* The words of a number carry into each other, least first. */
static void add(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number)
{
    for (size_t n = 0; n < count && of_number == 1; n++) words[n] += more[n]; /* as fast as memory */
    for (size_t n = 0; n < count && of_number > 1; n += of_number) {
        uint64_t carry = 0;
        for (size_t w = n; w < n + of_number; w++) {
            uint64_t sum = words[w] + more[w], total = sum + carry;
            carry = (sum < more[w]) | (total < sum);
            words[w] = total;
        }
    }
}

static void subtract(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number)
{
    for (size_t n = 0; n < count && of_number == 1; n++) words[n] -= more[n];
    for (size_t n = 0; n < count && of_number > 1; n += of_number) {
        uint64_t borrow = 0;
        for (size_t w = n; w < n + of_number; w++) {
            uint64_t rest = words[w] - more[w], total = rest - borrow;
            borrow = (words[w] < more[w]) | (rest < borrow);
            words[w] = total;
        }
    }
}

static em_status use_stream(const unsigned char key[EMI_PAIR_BYTES], use *how, unsigned of_number, uint64_t *words,
                            uint64_t count, em_error *err)
{
    stream s;
    em_status status = stream_open(&s, key, err);
    for (uint64_t first = 0; first < count && status == EM_OK; first += PIECE) {
        size_t some = count - first < PIECE ? (size_t)(count - first) : PIECE;
        status = stream_next(&s, some, err);
        if (status == EM_OK) how(words + first, s.words, some, of_number);
    }
    stream_close(&s);
    return status;
}

em_status emi_stream_words(const unsigned char key[EMI_PAIR_BYTES], uint64_t *words, size_t count, em_error *err)
{
    return use_stream(key, take, 1, words, count, err);
}

/* ---- the pieces ---------------------------------------------------------------------------------------------------------- */

em_status emi_agree(const unsigned char own[EMI_PUBLIC_BYTES], const unsigned char other[EMI_PUBLIC_BYTES],
                    unsigned char agreed[EMI_PAIR_BYTES], em_error *err)
{
    static const unsigned char nothing[EMI_PAIR_BYTES];
    size_t size = EMI_PAIR_BYTES;
    EVP_PKEY *mine = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, own, EMI_PUBLIC_BYTES);
    EVP_PKEY *theirs = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, other, EMI_PUBLIC_BYTES);
    EVP_PKEY_CTX *context = mine && theirs ? EVP_PKEY_CTX_new(mine, NULL) : NULL;
    int ready = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, theirs) == 1;
    int agree = ready && EVP_PKEY_derive(context, agreed, &size) == 1 && size == EMI_PAIR_BYTES &&
                CRYPTO_memcmp(agreed, nothing, sizeof nothing) != 0;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(theirs);
    EVP_PKEY_free(mine);
    if (!ready) return emi_crypto_refused("X25519", err);
    ERR_clear_error();
    return agree ? EM_OK
                 : em_fail(err, EM_ENET, "node: a key agrees on nothing with this site's; try another key there");
}

em_status emi_pair_key(const unsigned char agreed[EMI_PAIR_BYTES], const unsigned char run[EMI_RUN_BYTES], int i, int j,
                       unsigned char pair[EMI_PAIR_BYTES], em_error *err)
{
    static const char about[] = "eigenmesh pair 1"; /* with its 0 */
    unsigned char info[sizeof about + 4];
    memcpy(info, about, sizeof about);
    emi_u16_write(info + sizeof about, (uint16_t)i);
    emi_u16_write(info + sizeof about + 2, (uint16_t)j);
    return emi_hkdf256((emi_piece){agreed, EMI_PAIR_BYTES}, (emi_piece){run, EMI_RUN_BYTES},
                       (emi_piece){info, sizeof info}, pair, EMI_PAIR_BYTES, err);
}

static em_status sum_key(const unsigned char pair[EMI_PAIR_BYTES], const em_sum *sum, unsigned char key[EMI_PAIR_BYTES],
                         em_error *err)
{
    static const char about[] = "eigenmesh sum 1"; /* with its 0 */
    unsigned char info[sizeof about + 8 + 1 + 1 + 8 + EM_VIEW_BYTES], *at = info + sizeof about;
    memcpy(info, about, sizeof about);
    emi_u64_write(at, sum->number);
    at[8] = (unsigned char)sum->kind;
    at[9] = (unsigned char)sum->words;
    emi_u64_write(at + 10, sum->count);
    memcpy(at + 18, sum->view, EM_VIEW_BYTES);
    return emi_hkdf256_expand((emi_piece){pair, EMI_PAIR_BYTES}, (emi_piece){info, sizeof info}, key, EMI_PAIR_BYTES,
                              err);
}

em_status emi_mask_pair(const unsigned char pair[EMI_PAIR_BYTES], const em_sum *sum, emi_sign sign, uint64_t *words,
                        em_error *err)
{
    unsigned char key[EMI_PAIR_BYTES];
    if (sum->words < 1 || PIECE % sum->words || sum->count % sum->words)
        return em_fail(err, EM_EINVAL, "masks: numbers of %u words; try 1 or 4", sum->words);
    em_status status = sum_key(pair, sum, key, err);
    if (status == EM_OK)
        status = use_stream(key, sign == EMI_ADDS ? add : subtract, sum->words, words, sum->count, err);
    OPENSSL_cleanse(key, sizeof key);
    return status;
}

em_status emi_view_follow(unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes, em_error *err)
{
    unsigned char length[8], before[EM_VIEW_BYTES];
    const emi_piece pieces[] = {{before, sizeof before}, {length, sizeof length}, {block, bytes}};
    memcpy(before, view, sizeof before);
    emi_u64_write(length, bytes);
    return emi_sha256(pieces, 3, view, err);
}

em_status emi_fill(const unsigned char secret[EMI_SHA_BYTES], const void *values, size_t bytes, uint64_t *words,
                   size_t count, em_error *err)
{
    static const char about[] = "eigenmesh fill 1"; /* with its 0 */
    unsigned char info[sizeof about + EMI_SHA_BYTES], key[EMI_PAIR_BYTES];
    const emi_piece all = {values, bytes};
    memcpy(info, about, sizeof about);
    em_status status = emi_sha256(&all, 1, info + sizeof about, err);
    if (status == EM_OK)
        status = emi_hkdf256((emi_piece){secret, EMI_SHA_BYTES}, (emi_piece){0}, (emi_piece){info, sizeof info}, key,
                             sizeof key, err);
    if (status == EM_OK) status = emi_stream_words(key, words, count, err);
    OPENSSL_cleanse(info, sizeof info); /* a digest of few values tells them */
    OPENSSL_cleanse(key, sizeof key);
    return status;
}

/* ---- of one site ---------------------------------------------------------------------------------------------------------- */

/* Its own key stands in its own place, and no key in two. */
static em_status check_keys(const emi_mask_keys *keys, em_error *err)
{
    unsigned char is[EMI_PUBLIC_BYTES];
    size_t size = sizeof is;
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, keys->own, EMI_PUBLIC_BYTES);
    int got = own && EVP_PKEY_get_raw_public_key(own, is, &size) == 1 && size == sizeof is;
    EVP_PKEY_free(own);
    if (!got) return emi_crypto_refused("X25519", err);
    if (memcmp(is, keys->all[keys->site], sizeof is) != 0)
        return em_fail(err, EM_ENET, "node: this run was begun with a key that this process does not have; try again");
    for (int a = 0; a < keys->sites; a++)
        for (int b = 0; b < a; b++)
            if (memcmp(keys->all[a], keys->all[b], EMI_PUBLIC_BYTES) == 0)
                return em_fail(err, EM_ENET,
                               "node: sites %d and %d of the study have one key, so that one of them knows the other's "
                               "masks; try asking them",
                               b + 1, a + 1);
    return EM_OK;
}

static em_status make_pair(emi_masks *masks, const emi_mask_keys *keys, int other, em_error *err)
{
    unsigned char agreed[EMI_PAIR_BYTES];
    int site = keys->site;
    em_status status = emi_agree(keys->own, keys->all[other], agreed, err);
    if (status == EM_OK)
        status = emi_pair_key(agreed, keys->run, site < other ? site : other, site < other ? other : site,
                              masks->pairs[other], err);
    OPENSSL_cleanse(agreed, sizeof agreed);
    return status;
}

em_status emi_masks_open(emi_masks **out, const emi_mask_keys *keys, em_error *err)
{
    *out = NULL;
    em_status status = check_keys(keys, err);
    if (status != EM_OK) return status;
    emi_masks *made = calloc(1, sizeof *made + (size_t)keys->sites * sizeof *made->pairs);
    if (!made) return emi_no_memory(err);
    made->site = keys->site;
    made->sites = keys->sites;
    memcpy(made->secret, keys->secret, sizeof made->secret);
    for (int other = 0; other < keys->sites && status == EM_OK; other++)
        if (other != keys->site) status = make_pair(made, keys, other, err);
    if (status != EM_OK) emi_masks_close(&made);
    *out = made;
    return status;
}

void emi_masks_close(emi_masks **masks)
{
    emi_masks *m = *masks;
    if (!m) return;
    OPENSSL_cleanse(m, sizeof *m + (size_t)m->sites * sizeof *m->pairs);
    free(m);
    *masks = NULL;
}

em_status emi_masks_follow(void *state, unsigned char view[EM_VIEW_BYTES], const void *block, size_t bytes,
                           em_error *err)
{
    (void)state;
    return emi_view_follow(view, block, bytes, err);
}

em_status emi_masks_random(void *state, uint64_t *words, size_t count, em_error *err)
{
    (void)state;
    return emi_random_bytes(words, count * sizeof *words, err);
}

em_status emi_masks_add(const emi_masks *masks, const em_sum *sum, uint64_t *words, em_error *err)
{
    em_status status = EM_OK;
    for (int other = 0; other < masks->sites && status == EM_OK; other++)
        if (other != masks->site)
            status =
                emi_mask_pair(masks->pairs[other], sum, other > masks->site ? EMI_ADDS : EMI_SUBTRACTS, words, err);
    return status;
}

em_status emi_masks_fill(const emi_masks *masks, const void *values, size_t bytes, uint64_t *words, size_t count,
                         em_error *err)
{
    return emi_fill(masks->secret, values, bytes, words, count, err);
}
