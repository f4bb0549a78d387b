/* Keys: published vectors of signing, digests and HKDF; ids as text; files that are their owner's alone. */
#include "net/identity.h"
#include "support/check.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hex.h"

static em_error err;

/* RFC 8032, 7.1: TEST 1, 2, 3. */
static const struct {
    const char *seed, *id, *message, *signature;
} rfc_8032[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
     "24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
     "eeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
     "8dc027beceea1ec40a"}};

static void signatures_of_rfc_8032(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rfc_8032 / sizeof *rfc_8032; n++) {
        unsigned char seed[32], message[8], signature[EMI_SIGNATURE_BYTES];
        emi_identity *identity;
        (void)bytes_of(rfc_8032[n].seed, seed);
        size_t count = bytes_of(rfc_8032[n].message, message);
        assert_ok(emi_identity_from_seed(&identity, seed, &err), &err);
        const unsigned char *id = emi_identity_public(identity);
        assert_bytes(id, rfc_8032[n].id);
        assert_ok(emi_identity_sign(identity, message, count, signature, &err), &err);
        assert_bytes(signature, rfc_8032[n].signature);
        assert_true(emi_identity_verify(id, message, count, signature));
        for (int byte = 0; byte < EMI_SIGNATURE_BYTES; byte++) { /* any other bit: not signed */
            signature[byte] ^= (unsigned char)(1 << byte % 8);
            assert_false(emi_identity_verify(id, message, count, signature));
            signature[byte] ^= (unsigned char)(1 << byte % 8);
        }
        assert_false(emi_identity_verify(id, "other", 5, signature));
        assert_false(emi_identity_verify(seed, message, count, signature));
        assert_int_equal(ERR_peek_error(), 0); /* TLS would take it for its own */
        emi_identity_close(&identity);
        assert_null(identity);
    }
}

static void digests_as_published(void **state)
{
    (void)state;
    unsigned char out[42], many[22], salt[13], info[10];
    /* FIPS 180-4's example, in pieces */
    assert_ok(emi_sha256((emi_piece[]){{"a", 1}, {NULL, 0}, {"bc", 2}}, 3, out, &err), &err);
    assert_bytes(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_ok(emi_sha256(NULL, 0, out, &err), &err);
    assert_bytes(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    /* RFC 5869, A.1 and A.3 */
    memset(many, 0x0b, sizeof many);
    for (unsigned char n = 0; n < sizeof salt; n++) salt[n] = n;
    for (unsigned char n = 0; n < sizeof info; n++) info[n] = (unsigned char)(0xf0 + n);
    emi_piece none = {0}, ikm = {many, sizeof many};
    assert_ok(emi_hkdf256(ikm, (emi_piece){salt, sizeof salt}, (emi_piece){info, sizeof info}, out, 42, &err), &err);
    assert_bytes(out, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    assert_ok(emi_hkdf256(ikm, none, none, out, 42, &err), &err);
    assert_bytes(out, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
}

static emi_identity *of_byte(unsigned char byte)
{
    unsigned char seed[32];
    emi_identity *identity;
    memset(seed, byte, sizeof seed);
    assert_ok(emi_identity_from_seed(&identity, seed, &err), &err);
    return identity;
}

/* Python's hmac, twice, by RFC 5869's definition: prk = HMAC(32 zeros, seed); HMAC(prk, "eigenmesh own 1\0" 01). */
static void own_secret_as_python_has_it(void **state)
{
    (void)state;
    unsigned char secret[EMI_SHA_BYTES];
    emi_identity *identity = of_byte(0x10);
    assert_ok(emi_identity_own_secret(identity, secret, &err), &err);
    assert_bytes(secret, "f94f0a12bfb37f5888d20418ec153db7dbaa6fac64ea883e57bb1760895d03ae");
    emi_identity_close(&identity);
}

static const char published[] = "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm";

static void the_id_is_the_key_as_text(void **state)
{
    (void)state;
    char text[EMI_ID_TEXT], capitals[EMI_ID_TEXT] = "";
    unsigned char id[EMI_ID_BYTES];
    emi_identity *identity = of_byte(0x10);
    emi_id_write(emi_identity_public(identity), text);
    assert_string_equal(text, published);
    assert_int_equal(emi_id_read(text, id), 0);
    assert_memory_equal(id, emi_identity_public(identity), EMI_ID_BYTES);
    emi_identity_close(&identity);
    for (size_t n = 0; published[n]; n++)
        capitals[n] = (char)(published[n] >= 'a' ? published[n] - 'a' + 'A' : published[n]);
    assert_int_equal(emi_id_read(capitals, id), 0);
    for (size_t at = 0; published[at]; at++) /* any other character, another case too */
        for (int other = 1; other < 256; other++) {
            memcpy(text, published, sizeof text);
            text[at] = (char)other;
            assert_int_equal(emi_id_read(text, id), (char)other == published[at] ? 0 : -1);
        }
    /* Well-formed bech32m that is no id: another prefix, another size, bits beyond the last byte (by BIP-350's algorithm in
     * Python). */
    static const char *const others[] = {"",
                                         "em1",
                                         "a1lqfn3a",
                                         "en1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zq9ge0xs",
                                         "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6z6m5043",
                                         "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zpsr544f"};
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) assert_int_equal(emi_id_read(others[n], id), -1);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void a_new_key_is_its_owners_alone(void **state)
{
    (void)state;
    char id[EMI_ID_TEXT], again[EMI_ID_TEXT];
    emi_identity *identity;
    static const mode_t masks[] = {022, 0, 077, 0777};
    for (size_t n = 0; n < sizeof masks / sizeof *masks; n++) {
        char name[64], folder[64];
        (void)snprintf(folder, sizeof folder, "a%zu", n);
        (void)snprintf(name, sizeof name, "a%zu/b/key", n);
        mode_t before = umask(masks[n]);
        em_status status = emi_identity_new(scratch(name), id, &err);
        (void)umask(before);
        assert_ok(status, &err);
        assert_int_equal(mode_of(scratch(name)), 0600);
        assert_int_equal(mode_of(scratch(folder)), 0700);
        assert_ok(emi_identity_open(&identity, scratch(name), &err), &err);
        emi_id_write(emi_identity_public(identity), again);
        assert_string_equal(id, again);
        emi_identity_close(&identity);
        assert_fails(emi_identity_new(scratch(name), again, &err), EM_EINVAL, "is there already", &err);
        assert_ok(emi_identity_open(&identity, scratch(name), &err), &err);
        emi_identity_close(&identity);
    }
    assert_int_equal(symlink("nowhere", scratch("dangling")), 0);
    assert_fails(emi_identity_new(scratch("dangling"), id, &err), EM_EINVAL, "is there already", &err);
    assert_int_equal(access(scratch("nowhere"), F_OK), -1);
    assert_fails(emi_identity_new("/proc/none/key", id, &err), EM_EINVAL, "cannot be made", &err);
    assert_fails(emi_identity_new("", id, &err), EM_EINVAL, "cannot be made", &err);
}

static const char good[] = "eigenmesh private key 1\n"
                           "1010101010101010101010101010101010101010101010101010101010101010\n";

static em_status open_text(const char *text, size_t size, mode_t mode)
{
    emi_identity *identity = NULL;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s", scratch_file("tried", text, size));
    assert_int_equal(chmod(path, mode), 0);
    em_status status = emi_identity_open(&identity, path, &err);
    assert_int_equal(chmod(path, 0600), 0); /* the next one is written there too */
    assert_true((status == EM_OK) == (identity != NULL));
    if (identity) {
        char id[EMI_ID_TEXT];
        emi_id_write(emi_identity_public(identity), id);
        assert_string_equal(id, published);
    }
    emi_identity_close(&identity);
    assert_null(strstr(err.msg, "1010")); /* no key in a message */
    return status;
}

static void other_files_are_refused(void **state)
{
    (void)state;
    char text[sizeof good];
    size_t size = sizeof good - 1;
    assert_ok(open_text(good, size, 0600), &err);
    assert_ok(open_text(good, size, 0400), &err);
    static const mode_t open_to_others[] = {0640, 0604, 0620, 0602, 0610, 0601, 0644, 0666};
    for (size_t n = 0; n < sizeof open_to_others / sizeof *open_to_others; n++)
        assert_fails(open_text(good, size, open_to_others[n]), EM_EIO, "others than its owner have rights", &err);
    for (size_t cut = 0; cut < size; cut++)
        assert_fails(open_text(good, cut, 0600), EM_EDATA, "is no key of eigenmesh", &err);
    for (size_t at = 0; at < size; at++) {
        memcpy(text, good, sizeof good);
        text[at] = 'G';
        assert_fails(open_text(text, size, 0600), EM_EDATA, "is no key of eigenmesh", &err);
    }
    assert_fails(open_text(good, sizeof good, 0600), EM_EDATA, "is no key of eigenmesh", &err); /* a byte more */
}

static void other_places_are_refused(void **state)
{
    (void)state;
    emi_identity *identity;
    assert_fails(emi_identity_open(&identity, scratch("none"), &err), EM_EIO, "there is no key", &err);
    assert_fails(emi_identity_open(&identity, scratch("."), &err), EM_EIO, "no regular file", &err);
    assert_fails(emi_identity_open(&identity, "/dev/null", &err), EM_EIO, "no regular file", &err);
    assert_int_equal(mkfifo(scratch("fifo"), 0600), 0);
    assert_fails(emi_identity_open(&identity, scratch("fifo"), &err), EM_EIO, "no regular file", &err);
    (void)scratch_file("target", good, sizeof good - 1);
    assert_int_equal(symlink("target", scratch("link")), 0);
    assert_int_equal(chmod(scratch("target"), 0644), 0);
    assert_fails(emi_identity_open(&identity, scratch("link"), &err), EM_EIO, "others than its owner", &err);
    assert_int_equal(chmod(scratch("target"), 0600), 0);
    assert_ok(emi_identity_open(&identity, scratch("link"), &err), &err);
    emi_identity_close(&identity);
    emi_identity_close(&identity);
    if (geteuid() != 0) skip_for("another user's key: only root can make one");
    assert_int_equal(chown(scratch("target"), 12345, (gid_t)-1), 0);
    assert_fails(emi_identity_open(&identity, scratch("link"), &err), EM_EIO, "belongs to another user (12345)", &err);
}

static void random_bytes_differ(void **state)
{
    (void)state;
    unsigned char a[64] = {0}, b[64] = {0};
    assert_ok(emi_random_bytes(a, sizeof a, &err), &err);
    assert_ok(emi_random_bytes(b, sizeof b, &err), &err);
    assert_memory_not_equal(a, b, sizeof a);
    assert_ok(emi_random_bytes(a, 0, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_of_rfc_8032),        cmocka_unit_test(digests_as_published),
        cmocka_unit_test(own_secret_as_python_has_it),   cmocka_unit_test(the_id_is_the_key_as_text),
        cmocka_unit_test(a_new_key_is_its_owners_alone), cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(other_places_are_refused),      cmocka_unit_test(random_bytes_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
