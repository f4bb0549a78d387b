#include "audit_logs.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the study ---------------------------------------------------------------------------------------------------- */

static void digest_of(unsigned char digest[EMI_SHA_BYTES], const char *text)
{
    assert_true(EVP_Digest(text, strlen(text), digest, NULL, EVP_sha256(), NULL) == 1);
}

void study_open(small_study *s, const char *name)
{
    static const char *const names[SITES] = {"berlin", "paris", "oslo"};
    em_error err = {0};
    *s = (small_study){.study = {.site_count = SITES}};
    s->study.sites = s->sites;
    (void)snprintf(s->study.name, sizeof s->study.name, "%s", name);
    digest_of(s->study.digest, name);
    (void)snprintf(s->study.fingerprint, sizeof s->study.fingerprint, "0000 1111 2222 of %s", name);
    for (int n = 0; n < SITES; n++) {
        unsigned char seed[32];
        memset(seed, 0x10 + n, sizeof seed);
        assert_ok(emi_identity_from_seed(&s->keys[n], seed, &err), &err);
        (void)snprintf(s->sites[n].name, sizeof s->sites[n].name, "%s", names[n]);
        memcpy(s->sites[n].id, emi_identity_public(s->keys[n]), EMI_ID_BYTES);
    }
}

void study_close(small_study *s)
{
    for (int n = 0; n < SITES; n++) emi_identity_close(&s->keys[n]);
}

typedef struct run_of {
    emi_audit *logs[SITES];
    const lie *told;
    int second; /* run */
} run_of;

static void write_line(run_of *r, int site, const char *what, const emi_field_of_line *fields, int count, int sign)
{
    em_error err = {0};
    assert_ok(emi_audit_write(r->logs[site], what, fields, count, sign, &err), &err);
}

#define WRITE(r, site, what, sign, ...)                                                                                \
    do {                                                                                                               \
        const emi_field_of_line fields_[] = {__VA_ARGS__};                                                             \
        write_line(r, site, what, fields_, sizeof fields_ / sizeof *fields_, sign);                                    \
    } while (0)

/* The log of `a` learns of `b`; what both said of themselves is given. */
static void note_up(run_of *r, int a, int b, const unsigned char *of_a, const unsigned char *of_b, const small_study *s)
{
    WRITE(r, a, "up", 0, {.name = "peer", .text = s->sites[b].name},
          {.name = "instance", .text = "000102030405060708090a0b0c0d0e0f"}, {.name = "peer_audit", .digest = of_b},
          {.name = "own_audit", .digest = of_a});
}

static void last_of(unsigned char digest[EMI_SHA_BYTES], run_of *r, int site)
{
    em_error err = {0};
    assert_ok(emi_audit_sync(r->logs[site], &err), &err);
    memcpy(digest, emi_audit_last(r->logs[site]), EMI_SHA_BYTES);
}

static void meet(run_of *r, int a, int b, const small_study *s)
{
    unsigned char of_a[EMI_SHA_BYTES], of_b[EMI_SHA_BYTES];
    last_of(of_a, r, a);
    last_of(of_b, r, b);
    note_up(r, a, b, of_a, of_b, s);
    note_up(r, b, a, of_b, of_a, s);
}

static void start(run_of *r, int site)
{
    unsigned char run[EMI_SHA_BYTES];
    int lies = site == r->told->site;
    uint64_t iteration = lies && r->told->iteration ? 7 : r->second ? 4 : 3;
    digest_of(run, lies && r->told->run ? "another run" : r->second ? "a second run" : "a run");
    WRITE(r, site, "start", 1, {.name = "run", .digest = run}, {.name = "iteration", .number = &iteration});
}

/* One end of a block's way. */
static void note_block(run_of *r, int from, int to, uint64_t number, int received, const small_study *s)
{
    unsigned char block[EMI_SHA_BYTES];
    uint64_t bytes = 4096;
    char text[64];
    int site = received ? to : from, peer = received ? from : to;
    (void)snprintf(text, sizeof text, "block %d from %d to %d", (int)number, from, to);
    digest_of(block, text);
    if (!received && from == r->told->site && r->told->block == (int)number + 1) block[31] ^= 1;
    WRITE(r, site, "block", 0, {.name = "peer", .text = s->sites[peer].name},
          {.name = "direction", .text = received ? "received" : "sent"}, {.name = "number", .number = &number},
          {.name = "bytes", .number = &bytes}, {.name = "digest", .digest = block});
}

static void move_block(run_of *r, int from, int to, uint64_t number, const small_study *s)
{
    note_block(r, from, to, number, 0, s);
    note_block(r, from, to, number, 1, s);
}

static void finish(run_of *r, int site)
{
    unsigned char model[EMI_SHA_BYTES];
    uint64_t total = 8192;
    digest_of(model, site == r->told->site && r->told->model ? "another model" : "a model");
    WRITE(r, site, "model", 0, {.name = "digest", .digest = model});
    WRITE(r, site, "end", 1, {.name = "status", .text = "done"}, {.name = "sent", .number = &total},
          {.name = "received", .number = &total});
}

static void add_up(run_of *r, int site, uint64_t number)
{
    unsigned char view[EMI_SHA_BYTES];
    char text[64];
    (void)snprintf(text, sizeof text, "view %d", (int)number);
    digest_of(view, text);
    if (site == r->told->site && r->told->view == (int)number) view[0] ^= 1;
    WRITE(r, site, "sum", 0, {.name = "number", .number = &number}, {.name = "view", .digest = view});
}

static void run_sites(run_of *r, const small_study *s)
{
    for (int n = 1; n < SITES; n++) meet(r, BERLIN, n, s);
    WRITE(r, BERLIN, "refused", 0, {.name = "address", .text = "198.51.100.7"},
          {.name = "why", .text = "no \"key\" \\ of\x01 this \xc3\xa9 study"});
    for (int n = 0; n < SITES; n++) start(r, n);
    for (uint64_t t = 0; t < 2; t++) {
        for (int n = 1; n < SITES; n++) move_block(r, BERLIN, n, t, s);
        for (int n = 0; n < SITES; n++) add_up(r, n, t + 1);
        for (int n = 1; n < SITES; n++) move_block(r, n, BERLIN, t, s);
    }
    WRITE(r, BERLIN, "down", 0, {.name = "peer", .text = "oslo"}, {.name = "why", .text = "silence"});
    WRITE(r, PARIS, "refused", 1, {.name = "site", .text = "oslo"}, {.name = "why", .text = "oslo is no neighbour"});
    meet(r, BERLIN, OSLO, s);
    for (int n = 0; n < SITES; n++) finish(r, n);
}

static void open_log(run_of *r, int site, small_study *s, const char *path)
{
    em_error err = {0};
    assert_ok(emi_audit_open(&r->logs[site], path, &s->study, site, s->keys[site], &err), &err);
}

static void close_log(run_of *r, int site)
{
    em_error err = {0};
    assert_ok(emi_audit_close(&r->logs[site], &err), &err);
}

static const lie none = {.site = -1};

static void open_logs(run_of *r, small_study *s, const char *label, const char *paths[SITES])
{
    for (int n = 0; n < SITES; n++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s-%s.log", label, s->sites[n].name);
        paths[n] = scratch(name);
        (void)remove(paths[n]);
        open_log(r, n, s, paths[n]);
    }
}

void study_run(small_study *s, const char *label, const lie *told, const char *paths[SITES])
{
    run_of r = {.told = told ? told : &none};
    open_logs(&r, s, label, paths);
    run_sites(&r, s);
    for (int n = 0; n < SITES; n++) close_log(&r, n);
}

void study_run_with_trouble(small_study *s, const char *label, const char *paths[SITES])
{
    run_of r = {.told = &none};
    unsigned char berlin[EMI_SHA_BYTES], paris[EMI_SHA_BYTES];
    open_logs(&r, s, label, paths);
    last_of(berlin, &r, BERLIN);
    last_of(paris, &r, PARIS);
    WRITE(&r, BERLIN, "refused", 0, {.name = "address", .text = "::1"}, {.name = "why", .text = "a stranger"});
    meet(&r, BERLIN, OSLO, s); /* greeted later, up earlier */
    note_up(&r, BERLIN, PARIS, berlin, paris, s);
    note_up(&r, PARIS, BERLIN, paris, berlin, s);
    for (int n = 0; n < SITES; n++) start(&r, n);
    move_block(&r, BERLIN, PARIS, 0, s);
    note_block(&r, BERLIN, PARIS, 1, 0, s);
    close_log(&r, PARIS);
    open_log(&r, PARIS, s, paths[PARIS]);
    r.second = 1;
    meet(&r, BERLIN, PARIS, s);
    for (int n = 0; n < SITES; n++) start(&r, n);
    for (int n = 1; n < SITES; n++) move_block(&r, BERLIN, n, 0, s);
    for (int n = 0; n < SITES; n++) add_up(&r, n, 1);
    for (int n = 1; n < SITES; n++) move_block(&r, n, BERLIN, 0, s);
    for (int n = 0; n < SITES; n++) finish(&r, n);
    for (int n = 0; n < SITES; n++) close_log(&r, n);
}

/* ---- files and lines ---------------------------------------------------------------------------------------------- */

char *log_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, TEXT_MOST + 1);
    assert_true(file && bytes);
    *size = fread(bytes, 1, TEXT_MOST, file);
    assert_true(*size < TEXT_MOST);
    (void)fclose(file);
    return bytes;
}

void lines_read(log_lines *l, const char *path)
{
    size_t size;
    l->bytes = log_bytes(path, &size);
    l->count = 0;
    for (char *at = l->bytes, *end; (end = strchr(at, '\n')); at = end + 1) {
        assert_true(l->count < LINES_MOST);
        l->lines[l->count++] = strndup(at, (size_t)(end - at));
    }
    free(l->bytes);
    l->bytes = NULL;
}

void lines_free(log_lines *l)
{
    for (int n = 0; n < l->count; n++) free(l->lines[n]);
    l->count = 0;
}

const char *lines_write(const log_lines *l, const char *name)
{
    char *text = malloc(TEXT_MOST);
    size_t size = 0;
    assert_non_null(text);
    for (int n = 0; n < l->count; n++) size += (size_t)snprintf(text + size, TEXT_MOST - size, "%s\n", l->lines[n]);
    assert_true(size < TEXT_MOST);
    const char *path = scratch_file(name, text, size);
    free(text);
    return path;
}

int line_is_signed(const char *line)
{
    return strstr(line, ",\"signature\":\"") != NULL;
}

static void put_hex(char *to, const unsigned char *bytes, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        char two[3];
        (void)snprintf(two, sizeof two, "%02x", bytes[n]);
        memcpy(to + 2 * n, two, 2);
    }
}

static void sign_line(char *line, const emi_identity *key)
{
    unsigned char signature[EMI_SIGNATURE_BYTES];
    em_error err = {0};
    char bytes[4096] = "eigenmesh audit 1", *field = strstr(line, ",\"signature\":\"");
    size_t size = (size_t)(field - line);
    memcpy(bytes + 18, line, size);
    assert_ok(emi_identity_sign(key, bytes, 18 + size, signature, &err), &err);
    put_hex(field + strlen(",\"signature\":\""), signature, sizeof signature);
}

void lines_chain(log_lines *l, int first, const emi_identity *key)
{
    for (int n = first; n < l->count; n++) {
        unsigned char before[EMI_SHA_BYTES] = {0};
        char *rest = strstr(l->lines[n], ",\"time\""), *line = malloc(4096);
        assert_true(rest && line);
        if (n) digest_of(before, l->lines[n - 1]);
        (void)snprintf(line, 4096, "{\"n\":%d%s", n + 1, rest);
        put_hex(strstr(line, "\"before\":\"") + 10, before, sizeof before);
        if (key && line_is_signed(line)) sign_line(line, key);
        free(l->lines[n]);
        l->lines[n] = line;
    }
}

/* ---- the check ---------------------------------------------------------------------------------------------------- */

static void keep(void *context, const char *finding)
{
    found *f = context;
    size_t size = strlen(f->text);
    assert_null(strchr(finding, '\n'));
    (void)snprintf(f->text + size, sizeof f->text - size, "%s\n", finding);
    f->count++;
}

em_status check_logs(found *f, const char *const *paths, int count)
{
    em_error err = {0};
    f->count = 0;
    f->text[0] = 0;
    em_status status = emi_audit_check(paths, count, keep, f, &err);
    assert_true((status == EM_OK && f->count == 0) || (status == EM_EDATA && f->count > 0 && *err.msg) ||
                (status != EM_OK && status != EM_EDATA && *err.msg));
    return status;
}

int found_both(const found *f, const char *one, const char *other)
{
    for (const char *at = f->text, *end; (end = strchr(at, '\n')); at = end + 1) {
        char line[4096];
        (void)snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        if (strstr(line, one) && strstr(line, other)) return 1;
    }
    return 0;
}
