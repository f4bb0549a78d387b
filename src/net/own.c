#include "net/own.h"

#include "net/no_memory.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

em_status emi_own_names(const em_data *data, char **text, size_t *size, em_error *err)
{
    size_t columns = em_data_columns(data), at = 0;
    *text = NULL;
    *size = 0;
    if (!em_data_column_name(data, 0)) return EM_OK;
    for (size_t c = 0; c < columns; c++) {
        if (strchr(em_data_column_name(data, c), '\n'))
            return em_fail(err, EM_EDATA, "%s: the name of column %zu has more than one line; try another name",
                           em_data_name(data), c + 1);
        *size += strlen(em_data_column_name(data, c)) + 1;
    }
    *text = malloc(*size + 1);
    if (!*text) return emi_no_memory(err);
    for (size_t c = 0; c < columns; c++) {
        size_t length = strlen(em_data_column_name(data, c));
        memcpy(*text + at, em_data_column_name(data, c), length);
        (*text)[at + length] = '\n';
        at += length + 1;
    }
    (*text)[at] = 0;
    return EM_OK;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* SHA-256 of the names, sorted, a line each. */
static int digest_sorted(const char *const *names, size_t count, unsigned char digest[EMI_SHA_BYTES])
{
    unsigned length = 0;
    const char **sorted = malloc((count + 1) * sizeof *sorted);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = sorted && context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (size_t c = 0; done && c < count; c++) sorted[c] = names[c];
    if (done) qsort(sorted, count, sizeof *sorted, compare);
    for (size_t c = 0; done && c < count; c++)
        done = EVP_DigestUpdate(context, sorted[c], strlen(sorted[c])) == 1 && EVP_DigestUpdate(context, "\n", 1) == 1;
    done = done && EVP_DigestFinal_ex(context, digest, &length) == 1;
    EVP_MD_CTX_free(context);
    free(sorted);
    return done;
}

/* Lines become strings. */
static const char **split(char *text, size_t size, size_t count)
{
    const char **names = malloc((count + 1) * sizeof *names);
    size_t found = 0;
    char *at = text;
    while (names && found < count && at < text + size) {
        char *end = memchr(at, '\n', (size_t)(text + size - at));
        if (!end || memchr(at, 0, (size_t)(end - at))) break;
        *end = 0;
        names[found++] = at;
        at = end + 1;
    }
    if (names && found == count && at == text + size) return names;
    free(names);
    return NULL;
}

const char **emi_names_read(char *text, size_t size, size_t count, const unsigned char digest[EMI_SHA_BYTES])
{
    unsigned char is[EMI_SHA_BYTES];
    const char **names = split(text, size, count);
    if (names && digest_sorted(names, count, is) && CRYPTO_memcmp(is, digest, sizeof is) == 0) return names;
    free(names);
    return NULL;
}

static em_status digest_names(const em_data *data, unsigned char digest[EMI_SHA_BYTES], em_error *err)
{
    char *text = NULL;
    size_t size, columns = em_data_columns(data);
    em_status status = emi_own_names(data, &text, &size, err);
    const char **names = status == EM_OK && size ? split(text, size, columns) : NULL;
    if (status == EM_OK && ((size && !names) || !digest_sorted(names, size ? columns : 0, digest)))
        status = emi_no_memory(err);
    free(names);
    free(text);
    return status;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------------- */

/* Some rows as bytes, whichever way this machine has them. */
static void to_bytes(double *values, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        uint64_t bits;
        memcpy(&bits, &values[n], sizeof bits);
        emi_u64_write((unsigned char *)&values[n], bits);
    }
}

static em_status no_hmac(em_error *err)
{
    return em_fail(err, EM_ENOTSUP, "node: OpenSSL has no HMAC here; try another OpenSSL");
}

/* All that their file has: of a sketch, its directions. */
static em_status feed_moments(EVP_MAC_CTX *mac, em_moments *moments, em_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    em_status status = file ? em_moments_write(moments, file, err) : emi_no_memory(err);
    int whole = file && !ferror(file);
    if (file && fclose(file) != 0) whole = 0;
    if (status == EM_OK && !whole) status = emi_no_memory(err);
    if (status == EM_OK && EVP_MAC_update(mac, (const unsigned char *)bytes, size) != 1) status = no_hmac(err);
    free(bytes);
    return status;
}

static em_status feed_rows(EVP_MAC_CTX *mac, const em_data *data, em_error *err)
{
    enum {
        AT_ONCE = 1 << 20
    }; /* numbers, about: where columns lie one after the other, a few rows are a walk through all of them */
    size_t columns = em_data_columns(data), rows = em_data_rows(data), step = AT_ONCE / columns + 1;
    double *values = malloc(step * columns * sizeof *values);
    em_status status = EM_OK;
    if (!values) return emi_no_memory(err);
    for (size_t first = 0; first < rows && status == EM_OK; first += step) {
        size_t count = rows - first < step ? rows - first : step;
        status = em_data_read(data, first, count, values, err);
        if (status != EM_OK) break;
        to_bytes(values, count * columns);
        if (EVP_MAC_update(mac, (const unsigned char *)values, count * columns * sizeof *values) != 1)
            status = no_hmac(err);
    }
    free(values);
    return status;
}

/* Others can tell whether rows have changed, and nothing else. */
static em_status digest_rows(const emi_study *study, const emi_identity *identity, const em_data *data,
                             unsigned char digest[EMI_SHA_BYTES], em_error *err)
{
    unsigned char secret[EMI_SHA_BYTES];
    size_t size = 0;
    char sha[] = "SHA256";
    const OSSL_PARAM how[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha, 0),
                              OSSL_PARAM_construct_end()};
    EVP_MAC *kind = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *mac = kind ? EVP_MAC_CTX_new(kind) : NULL;
    em_status status = emi_identity_own_secret(identity, secret, err);
    if (status == EM_OK && (!mac || EVP_MAC_init(mac, secret, sizeof secret, how) != 1 ||
                            EVP_MAC_update(mac, study->digest, EMI_SHA_BYTES) != 1))
        status = no_hmac(err);
    em_moments *moments = em_data_moments(data);
    if (status == EM_OK) status = moments ? feed_moments(mac, moments, err) : feed_rows(mac, data, err);
    if (status == EM_OK && EVP_MAC_final(mac, digest, &size, EMI_SHA_BYTES) != 1) status = emi_no_memory(err);
    OPENSSL_cleanse(secret, sizeof secret);
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(kind);
    return status;
}

em_status emi_own_entry(emi_entry *out, const emi_study *study, const emi_identity *identity, const em_data *data,
                        em_error *err)
{
    *out = (emi_entry){.columns = (uint32_t)em_data_columns(data)};
    em_status status = digest_names(data, out->names, err);
    if (study->follow) return status; /* they change all the time, as everybody knows */
    return status == EM_OK ? digest_rows(study, identity, data, out->rows, err) : status;
}
