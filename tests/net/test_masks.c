/* Masks: published vectors of what they are made of, a whole sum byte for byte, what cancels and what does not, and what is
 * refused. */
#include "net/masks.h"
#include "net/meeting.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"

static em_error err;

/* ---- what they are made of ------------------------------------------------------------------------------------------------ */

/* RFC 7748, 6.1 */
static void x25519(void **state)
{
    (void)state;
    unsigned char alice[32], bob[32], alice_public[32], bob_public[32], agreed[32];
    bytes_of("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", alice);
    bytes_of("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", bob);
    bytes_of("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a", alice_public);
    bytes_of("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", bob_public);
    assert_ok(emi_agree(alice, bob_public, agreed, &err), &err);
    assert_bytes(agreed, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_ok(emi_agree(bob, alice_public, agreed, &err), &err);
    assert_bytes(agreed, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
}

/* Points of small order, of which two agree on zeros with every key: RFC 7748, 6.1, says to look. */
static void keys_that_agree_on_nothing(void **state)
{
    (void)state;
    static const char *const small[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    unsigned char own[32], other[32], agreed[32];
    memset(own, 0x20, sizeof own);
    for (size_t n = 0; n < sizeof small / sizeof *small; n++) {
        bytes_of(small[n], other);
        assert_fails(emi_agree(own, other, agreed, &err), EM_ENET, "agrees on nothing", &err);
    }
}

/* RFC 5869, A.1: the second half alone. */
static void hkdf_expand(void **state)
{
    (void)state;
    unsigned char key[32], info[10], out[42];
    bytes_of("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5", key);
    bytes_of("f0f1f2f3f4f5f6f7f8f9", info);
    assert_ok(emi_hkdf256_expand((emi_piece){key, 32}, (emi_piece){info, 10}, out, sizeof out, &err), &err);
    assert_bytes(out, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
}

/* RFC 8439, A.1: vectors 1 and 2, one after the other; and 3, the second block of its key. */
static void chacha20(void **state)
{
    (void)state;
    unsigned char key[32] = {0}, bytes[128];
    uint64_t words[16];
    assert_ok(emi_stream_words(key, words, 16, &err), &err);
    for (int n = 0; n < 16; n++) emi_u64_write(bytes + 8 * n, words[n]);
    assert_bytes(bytes, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
                        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
                        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
    key[31] = 1;
    assert_ok(emi_stream_words(key, words, 16, &err), &err);
    for (int n = 0; n < 16; n++) emi_u64_write(bytes + 8 * n, words[n]);
    assert_bytes(bytes + 64, "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
                             "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0");
}

/* In pieces as in one. */
static void long_streams(void **state)
{
    (void)state;
    enum { MANY = 3 * 4096 + 5 };
    unsigned char key[32], zeros[16] = {0};
    uint64_t *words = malloc(MANY * sizeof *words);
    unsigned char *bytes = calloc(MANY, 8);
    int size = 0;
    memset(key, 7, sizeof key);
    assert_ok(emi_stream_words(key, words, MANY, &err), &err);
    EVP_CIPHER_CTX *whole = EVP_CIPHER_CTX_new();
    assert_int_equal(EVP_EncryptInit_ex(whole, EVP_chacha20(), NULL, key, zeros), 1);
    assert_int_equal(EVP_EncryptUpdate(whole, bytes, &size, bytes, 8 * MANY), 1);
    EVP_CIPHER_CTX_free(whole);
    for (int n = 0; n < MANY; n++) assert_true(words[n] == emi_u64_read(bytes + 8 * n));
    free(bytes);
    free(words);
}

/* ---- a whole sum, of three sites --------------------------------------------------------------------------------------------- */

enum { SITES = 3 };

static void sha_of(const char *text, unsigned char digest[32])
{
    assert_ok(emi_sha256(&(emi_piece){text, strlen(text)}, 1, digest, &err), &err);
}

/* Private keys of 20.., 21.., 22..; the public ones as a START has them. */
static void make_keys(emi_mask_keys keys[SITES], unsigned char all[SITES][32])
{
    for (int site = 0; site < SITES; site++) {
        size_t size = 32;
        keys[site] = (emi_mask_keys){.site = site, .sites = SITES, .all = all};
        memset(keys[site].own, 0x20 + site, 32);
        memset(keys[site].secret, 0x60 + site, 32);
        EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, keys[site].own, 32);
        assert_int_equal(EVP_PKEY_get_raw_public_key(own, all[site], &size), 1);
        EVP_PKEY_free(own);
    }
}

/* The run of a START with these keys, signed by identities of 10.., 11.., 12... */
static void name_run(unsigned char all[SITES][32], unsigned char run[32])
{
    static const char about[] = "eigenmesh run 1";
    unsigned char start[EMI_START_HEAD + SITES * EMI_ENTRY_BYTES] = {0}, part[EMI_ENTRY_ROOM];
    emi_node node = {.config = {.sites = SITES}};
    sha_of("test study", node.config.study);
    memset(start, 0x40, 16);
    for (int site = 0; site < SITES; site++) {
        emi_identity *identity;
        unsigned char seed[32], *bytes = start + EMI_START_HEAD + site * EMI_ENTRY_BYTES;
        emi_entry entry = {.site = (uint16_t)site, .columns = 2};
        memset(seed, 0x10 + site, sizeof seed);
        memset(entry.instance, 0x30 + site, sizeof entry.instance);
        memset(entry.rows, 0x50 + site, sizeof entry.rows);
        memcpy(entry.key, all[site], sizeof entry.key);
        sha_of("a\nb\n", entry.names);
        emi_entry_write(&entry, bytes);
        assert_ok(emi_identity_from_seed(&identity, seed, &err), &err);
        assert_ok(emi_identity_sign(identity, part, emi_signed_part(&node, bytes, part), entry.signature, &err), &err);
        emi_identity_close(&identity);
        emi_entry_write(&entry, bytes);
    }
    const emi_piece pieces[] = {{about, sizeof about}, {node.config.study, 32}, {start, sizeof start}};
    assert_ok(emi_sha256(pieces, 3, run, &err), &err);
}

static void the_whole_of_it(void **state)
{
    (void)state;
    static const int64_t numbers[SITES][2] = {{5, -7}, {100, (int64_t)1 << 40}, {-1, 3}};
    static const struct {
        int i, j;
        const char *key;
        uint64_t mask[2];
    } pairs[] = {{0,
                  1,
                  "3ec243ff41006553b86523270d1f6d586c4baa12c649348eac3d82def34bbafa",
                  {0x2eaa15b354eef1da, 0xd9b2457e6ed92fd0}},
                 {0,
                  2,
                  "436648eada4f4ae6c5332dc17b0c7c28933f2698a8844df498efa613c043676e",
                  {0x12f1a9af7f2640d6, 0x14bd486089cb38bd}},
                 {1,
                  2,
                  "74a2b464f411ebde6334fa16d08938d5e768bc0beb2f0b9cbc9c910d53d41984",
                  {0x427ff7f4b846f83e, 0x9dacf30b06bd77ad}}};
    static const uint64_t sent[SITES][3] = {{0x419bbf62d41532b5, 0xee6f8ddef8a46886, 0x3f648e743557774d},
                                            {0x13d5e241635806c8, 0xc3faae8c97e447dd, 0x0b06cb6666951542},
                                            {0xaa8e5e5bc892c6eb, 0x4d95c4946f774f99, 0xb594a62564137371}};
    emi_mask_keys keys[SITES];
    unsigned char all[SITES][32], run[32], agreed[32], pair[32];
    static const unsigned char block[16] = {1};
    em_sum sum = {.number = 1, .kind = EM_SUM_BLOCK, .words = 1, .count = 6};
    uint64_t total[6] = {0};
    make_keys(keys, all);
    name_run(all, run);
    assert_bytes(run, "c8de7853c16e842759dc49710e1776a4409307009e8813547f6803ecb5a2371e");
    memcpy(sum.view, run, sizeof run);
    assert_ok(emi_view_follow(sum.view, block, sizeof block, &err), &err);
    assert_bytes(sum.view, "3103b7ba8e5759f07d79caf3d4e4ebc099a94cf9511b91332ee0369cdd1ab8c5");
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        uint64_t mask[6] = {0};
        assert_ok(emi_agree(keys[pairs[n].i].own, all[pairs[n].j], agreed, &err), &err);
        assert_ok(emi_pair_key(agreed, run, pairs[n].i, pairs[n].j, pair, &err), &err);
        assert_bytes(pair, pairs[n].key);
        assert_ok(emi_mask_pair(pair, &sum, EMI_ADDS, mask, &err), &err);
        assert_memory_equal(mask, pairs[n].mask, sizeof pairs[n].mask);
    }
    for (int site = 0; site < SITES; site++) {
        emi_masks *masks = NULL;
        uint64_t words[6] = {(uint64_t)numbers[site][0], (uint64_t)numbers[site][1]};
        memcpy(keys[site].run, run, sizeof run);
        assert_ok(emi_masks_open(&masks, &keys[site], &err), &err);
        assert_ok(emi_masks_add(masks, &sum, words, &err), &err);
        emi_masks_close(&masks);
        assert_memory_equal(words, sent[site], 16);
        assert_true(words[5] == sent[site][2]);
        for (int n = 0; n < 6; n++) total[n] += words[n];
    }
    assert_true(total[0] == 104 && total[1] == 1099511627772);
    for (int n = 2; n < 6; n++) assert_true(total[n] == 0);
}

/* ---- what cancels, and what does not --------------------------------------------------------------------------------------- */

static emi_masks *open_masks(int site)
{
    emi_mask_keys keys[SITES];
    unsigned char all[SITES][32];
    emi_masks *masks = NULL;
    make_keys(keys, all);
    memset(keys[site].run, 9, 32);
    assert_ok(emi_masks_open(&masks, &keys[site], &err), &err);
    return masks;
}

/* As a relay does it: words of a number carry. */
static void add_up(uint64_t *total, const uint64_t *words, const em_sum *sum)
{
    for (size_t n = 0; n < sum->count; n += sum->words) {
        unsigned carry = 0;
        for (size_t w = n; w < n + sum->words; w++) {
            uint64_t before = total[w];
            total[w] += words[w] + carry;
            carry = carry ? total[w] <= before : total[w] < before;
        }
    }
}

/* The sum of what all sites send of zeros; the last one may have been asked something else.  1: it is zeros. */
static int is_zero_in_all(const em_sum *sum, const em_sum *of_last)
{
    size_t count = (size_t)sum->count;
    uint64_t *total = calloc(count, sizeof *total), *words = malloc(count * sizeof *words);
    int zero = 1;
    for (int site = 0; site < SITES; site++) {
        emi_masks *masks = open_masks(site);
        memset(words, 0, count * sizeof *words);
        assert_ok(emi_masks_add(masks, site == SITES - 1 ? of_last : sum, words, &err), &err);
        add_up(total, words, sum);
        emi_masks_close(&masks);
    }
    for (size_t n = 0; n < count; n++) zero &= total[n] == 0;
    free(words);
    free(total);
    return zero;
}

static void masks_cancel(void **state)
{
    (void)state;
    static const em_sum sums[] = {{.number = 0, .kind = EM_SUM_COUNT, .words = 1, .count = 5},
                                  {.number = 7, .kind = EM_SUM_BLOCK, .words = 1, .count = 20001},
                                  {.number = 8, .kind = EM_SUM_WIDE, .words = 4, .count = 4 * 5000 + 4}};
    for (size_t n = 0; n < sizeof sums / sizeof *sums; n++) assert_true(is_zero_in_all(&sums[n], &sums[n]));
}

/* Whatever of a sum is another one at one site, the total is noise. */
static void masks_fit_one_sum(void **state)
{
    (void)state;
    const em_sum sum = {.number = 3, .kind = EM_SUM_BLOCK, .words = 1, .count = 8};
    em_sum other[5] = {sum, sum, sum, sum, sum};
    other[0].number = 4;
    other[1].kind = EM_SUM_COUNT;
    other[2].words = 4;
    other[3].view[0] = 1;
    other[4].view[31] = 128;
    for (int n = 0; n < 5; n++) assert_false(is_zero_in_all(&sum, &other[n]));
    em_sum odd = sum;
    uint64_t words[8] = {0};
    emi_masks *masks = open_masks(0);
    odd.words = 3;
    assert_fails(emi_masks_add(masks, &odd, words, &err), EM_EINVAL, "numbers of 3 words", &err);
    odd.words = 0;
    assert_fails(emi_masks_add(masks, &odd, words, &err), EM_EINVAL, "numbers of 0 words", &err);
    emi_masks_close(&masks);
}

/* Of a longer sum the mask is another one, not the same and more. */
static void masks_of_two_lengths(void **state)
{
    (void)state;
    em_sum sum = {.number = 3, .kind = EM_SUM_BLOCK, .words = 1, .count = 8};
    uint64_t one[8] = {0}, other[9] = {0};
    emi_masks *masks = open_masks(1);
    assert_ok(emi_masks_add(masks, &sum, one, &err), &err);
    sum.count = 9;
    assert_ok(emi_masks_add(masks, &sum, other, &err), &err);
    for (int n = 0; n < 8; n++) assert_true(one[n] != other[n]);
    emi_masks_close(&masks);
}

/* The same for the same values, at every time and in every run; another one for others, and for another site. */
static void fills(void **state)
{
    (void)state;
    double values[2] = {1.5, -2};
    uint64_t first[4], again[4], other[4];
    emi_masks *masks = open_masks(0), *another = open_masks(1);
    assert_ok(emi_masks_fill(masks, values, sizeof values, first, 4, &err), &err);
    assert_ok(emi_masks_fill(masks, values, sizeof values, again, 4, &err), &err);
    assert_memory_equal(first, again, sizeof first);
    assert_ok(emi_masks_fill(another, values, sizeof values, other, 4, &err), &err);
    for (int n = 0; n < 4; n++) assert_true(first[n] != other[n]);
    values[1] = -2.5;
    assert_ok(emi_masks_fill(masks, values, sizeof values, other, 4, &err), &err);
    for (int n = 0; n < 4; n++) assert_true(first[n] != other[n]);
    emi_masks_close(&another);
    emi_masks_close(&masks);
}

/* ---- what is refused --------------------------------------------------------------------------------------------------------- */

static void refused_keys(void **state)
{
    (void)state;
    emi_mask_keys keys[SITES];
    unsigned char all[SITES][32];
    emi_masks *masks = NULL;
    make_keys(keys, all);
    memset(keys[0].own, 0x77, 32);
    assert_fails(emi_masks_open(&masks, &keys[0], &err), EM_ENET, "a key that this process does not have", &err);
    assert_null(masks);
    make_keys(keys, all);
    memcpy(all[2], all[1], 32);
    assert_fails(emi_masks_open(&masks, &keys[0], &err), EM_ENET, "sites 2 and 3 of the study have one key", &err);
    make_keys(keys, all);
    memcpy(all[2], all[0], 32);
    assert_fails(emi_masks_open(&masks, &keys[0], &err), EM_ENET, "sites 1 and 3 of the study have one key", &err);
    make_keys(keys, all);
    memset(all[1], 0, 32);
    assert_fails(emi_masks_open(&masks, &keys[0], &err), EM_ENET, "agrees on nothing", &err);
    assert_null(masks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(x25519),
                                       cmocka_unit_test(keys_that_agree_on_nothing),
                                       cmocka_unit_test(hkdf_expand),
                                       cmocka_unit_test(chacha20),
                                       cmocka_unit_test(long_streams),
                                       cmocka_unit_test(the_whole_of_it),
                                       cmocka_unit_test(masks_cancel),
                                       cmocka_unit_test(masks_fit_one_sum),
                                       cmocka_unit_test(masks_of_two_lengths),
                                       cmocka_unit_test(fills),
                                       cmocka_unit_test(refused_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
