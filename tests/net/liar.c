#include "net/liar.h"

#include "net/dial.h"
#include "net/free_ports.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 10 };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the hub ------------------------------------------------------------------------------------------------------------- */

static void take_news(void *user, emi_news what, const char *who, const char *why)
{
    stage *s = user;
    (void)pthread_mutex_lock(&s->lock);
    size_t used = strlen(s->news);
    (void)snprintf(s->news + used, sizeof s->news - used, "%d %s: %s\n", (int)what, who, why ? why : "");
    (void)pthread_mutex_unlock(&s->lock);
}

int is_told_now(stage *s, const char *words)
{
    (void)pthread_mutex_lock(&s->lock);
    int told = strstr(s->news, words) != NULL;
    (void)pthread_mutex_unlock(&s->lock);
    return told;
}

int is_told(stage *s, const char *words)
{
    int told = is_told_now(s, words);
    for (double end = now() + SECONDS; !told && now() < end; told = is_told_now(s, words)) (void)poll(NULL, 0, 5);
    if (!told) (void)fprintf(stderr, "'%s' is not among\n%s", words, s->news);
    return told;
}

/* Names as long as they may be, and longer than what the hub's own tests call its neighbours. */
static void name_of(int site, char name[EMI_SITE_NAME])
{
    if (site < SITES)
        (void)snprintf(name, EMI_SITE_NAME, "s%d", site);
    else
        (void)snprintf(name, EMI_SITE_NAME, "a-site-whose-name-is-as-long-%03x", (unsigned)site & 0xfff);
}

static void open_study(stage *s)
{
    enum { HEAD = 512, EACH = 192 };
    size_t room = HEAD + EACH * (size_t)s->sites, used;
    char *text = malloc(room), name[EMI_SITE_NAME], id[EMI_ID_TEXT];
    em_error err = {0};
    s->identities = calloc((size_t)s->sites, sizeof(emi_identity *));
    assert_true(text && s->identities);
    used = (size_t)snprintf(text, room, "[study]\nname = lies\ncomponents = 2\nmasks = no\n");
    for (int n = 0; n < s->sites; n++) {
        unsigned char seed[32] = {(unsigned char)n, (unsigned char)(n >> 8), 0x20};
        assert_ok(emi_identity_from_seed(&s->identities[n], seed, &err), &err);
        emi_id_write(emi_identity_public(s->identities[n]), id);
        name_of(n, name);
        used += (size_t)snprintf(text + used, room - used, "[site %s]\nid = %s\n", name, id);
        if (n == HUB)
            used +=
                (size_t)snprintf(text + used, room - used, "address = 127.0.0.1:%d\nneighbours = s0, s2\n", s->port);
        if (n >= SITES) used += (size_t)snprintf(text + used, room - used, "address = 127.0.0.1:1\nneighbours = s2\n");
    }
    assert_ok(emi_study_parse(&s->study, "lies", text, used, &err), &err);
    free(text);
}

void stage_open_as(stage *s, int site, int sites)
{
    char place[32];
    em_error err = {0};
    *s = (stage){.port = free_ports(1), .site = site, .sites = sites};
    (void)pthread_mutex_init(&s->lock, NULL);
    open_study(s);
    (void)snprintf(place, sizeof place, "127.0.0.1:%d", s->port);
    emi_hub_options options = {.study = s->study,
                               .site = site,
                               .identity = s->identities[site],
                               .listen = site == HUB ? place : NULL,
                               .own = {.columns = 3},
                               .patience = 30,
                               .interrupted = &s->interrupted,
                               .news = take_news,
                               .user = s};
    assert_ok(emi_hub_open(&s->hub, &options, &err), &err);
}

void stage_open(stage *s)
{
    stage_open_as(s, HUB, SITES);
}

void stage_close(stage *s)
{
    emi_hub_close(&s->hub);
    emi_study_close(&s->study);
    for (int n = 0; n < s->sites; n++) emi_identity_close(&s->identities[n]);
    free(s->identities);
    (void)pthread_mutex_destroy(&s->lock);
}

static void *solve(void *user)
{
    stage *s = user;
    uint64_t generation = 0;
    const int to = PARENT, from = CHILD;
    unsigned char *block = calloc(1, s->bytes);
    const void *blocks[] = {block};
    em_status status = block ? emi_hub_enter(s->hub, 0, &generation, &s->end) : EM_ENOMEM;
    if (status == EM_OK) status = emi_hub_begin(s->hub, generation, &to, blocks, 1, &from, 1, s->bytes, &s->end);
    if (status == EM_OK) status = emi_hub_end(s->hub, generation, &s->end);
    if (status == EM_OK) s->end.code = EM_OK;
    free(block);
    return NULL;
}

void solver_begin(stage *s, size_t bytes)
{
    s->bytes = bytes;
    s->end = (em_error){0};
    assert_int_equal(pthread_create(&s->solver, NULL, solve, s), 0);
}

em_status solver_end(stage *s, int interrupt)
{
    if (interrupt) atomic_store(&s->interrupted, 1);
    (void)pthread_join(s->solver, NULL);
    return s->end.code;
}

/* ---- a connection ----------------------------------------------------------------------------------------------------------- */

static int knows(void *context, const unsigned char id[EMI_ID_BYTES])
{
    const stage *s = context;
    return memcmp(id, s->study->sites[s->site].id, EMI_ID_BYTES) == 0;
}

static void wait_for(const liar *l, short events)
{
    (void)poll(&(struct pollfd){.fd = emi_connection_socket(l->c), .events = events}, 1, 100);
}

/* On a connected socket. */
static liar *liar_on(stage *s, int site, int fd, int dials)
{
    em_error err = {0};
    int step = 0;
    liar *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->on = s;
    l->site = site;
    memset(l->instance, 0x40 + site, sizeof l->instance);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_ok(emi_tls_open(&l->tls, s->identities[site], &err), &err);
    assert_ok(emi_connection_open(&l->c, l->tls, fd, dials, knows, s, &err), &err);
    for (double end = now() + SECONDS; step == 0 && now() < end;) {
        step = emi_connection_shake(l->c, &err);
        if (step == 0) wait_for(l, emi_connection_wants(l->c));
    }
    if (step != 1 && dials) fail_msg("handshake: %s", err.msg); /* a hub that dials may refuse who answers */
    return l;
}

liar *liar_open(stage *s, int site)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)s->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return liar_on(s, site, fd, 1);
}

liar *liar_answers(stage *s, int site, int listener, double seconds)
{
    char from[EMI_ADDRESS_TEXT];
    for (double end = now() + seconds; now() < end;) {
        int fd = emi_accept(listener, from);
        if (fd >= 0) return liar_on(s, site, fd, 0);
        (void)poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 20);
    }
    return NULL;
}

void liar_close(liar *l)
{
    emi_connection_close(&l->c);
    emi_tls_close(&l->tls);
    free(l);
}

/* Of what the hub does not take any more, the rest is dropped: the next read tells. */
void liar_writes(liar *l, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    em_error err;
    int step = 0;
    for (double end = now() + SECONDS; count && step >= 0 && now() < end;) {
        size_t put = 0;
        step = emi_connection_write(l->c, at, count, &put, &err);
        at += put;
        count -= put;
        if (step == 0) wait_for(l, POLLOUT);
    }
}

void liar_says(liar *l, emi_frame_kind kind, uint64_t sequence, const void *payload, size_t length)
{
    emi_frame frame = {.kind = kind, .length = (uint32_t)length, .sequence = sequence};
    unsigned char *bytes = malloc(EMI_FRAME_HEAD + length);
    assert_non_null(bytes);
    memcpy(frame.run, l->run, sizeof frame.run);
    emi_frame_write(&frame, bytes);
    if (length) memcpy(bytes + EMI_FRAME_HEAD, payload, length);
    liar_writes(l, bytes, EMI_FRAME_HEAD + length);
    free(bytes);
}

/* The next frame: 1; the end: 0; neither, in so many seconds: -1. */
static int next_frame(liar *l, double seconds)
{
    em_error err;
    double end = now() + seconds;
    for (;;) {
        memmove(l->in, l->in + l->used, l->count - l->used);
        l->count -= l->used;
        l->used = 0;
        int is = emi_frame_read(l->in, l->count, &l->frame, &l->used);
        assert_int_not_equal(is, -1);
        if (is == 1) return 1;
        size_t got = 0;
        int step = emi_connection_read(l->c, l->in + l->count, sizeof l->in - l->count, &got, &err);
        l->count += got;
        if (step < 0) return 0;
        if (step == 0 && now() >= end) return -1;
        if (step == 0) wait_for(l, POLLIN);
    }
}

int liar_hears(liar *l, emi_frame_kind kind)
{
    int is;
    do {
        is = next_frame(l, SECONDS);
        if (is < 0) fail_msg("neither a frame of kind %d nor the end", (int)kind);
    } while (is == 1 && l->frame.kind != kind);
    return is;
}

int is_closed(liar *l)
{
    int is;
    while ((is = next_frame(l, SECONDS)) == 1) continue;
    return is == 0;
}

int is_open(liar *l)
{
    unsigned char nobody[2] = {0xff, 0xff};
    int is;
    liar_says(l, EMI_BEAT, 0, nobody, sizeof nobody);
    while ((is = next_frame(l, 0.3)) == 1) continue;
    return is < 0;
}

/* ---- what members say ---------------------------------------------------------------------------------------------------------- */

void hello_of(const liar *l, emi_hello *hello)
{
    *hello = (emi_hello){.site = (uint16_t)l->site};
    memcpy(hello->study, l->on->study->digest, sizeof hello->study);
    memcpy(hello->instance, l->instance, sizeof hello->instance);
    memcpy(hello->run, l->run, sizeof hello->run);
}

void liar_greets(liar *l, const emi_hello *hello)
{
    unsigned char payload[EMI_HELLO_BYTES];
    emi_hello_write(hello, payload);
    liar_says(l, EMI_HELLO, 0, payload, sizeof payload);
}

liar *member(stage *s, int site)
{
    emi_hello hello;
    liar *l = liar_open(s, site);
    hello_of(l, &hello);
    liar_greets(l, &hello);
    assert_true(liar_hears(l, EMI_HELLO));
    memcpy(l->hello, l->frame.payload, sizeof l->hello);
    return l;
}

/* As R2 of the protocol has it, written down once more. */
void sign_entry(stage *s, emi_entry *entry)
{
    unsigned char bytes[EMI_ENTRY_BYTES], part[18 + 32 + EMI_ENTRY_SIGNED];
    em_error err = {0};
    emi_entry_write(entry, bytes);
    memcpy(part, "eigenmesh entry 1", 18);
    memcpy(part + 18, s->study->digest, 32);
    memcpy(part + 50, bytes, EMI_ENTRY_SIGNED);
    assert_ok(emi_identity_sign(s->identities[entry->site], part, sizeof part, entry->signature, &err), &err);
}

void entry_of(stage *s, int site, unsigned char fill, emi_entry *entry)
{
    *entry = (emi_entry){.site = (uint16_t)site, .columns = 3};
    memset(entry->instance, 0x40 + site, sizeof entry->instance);
    memset(entry->key, fill, sizeof entry->key);
    if (site >= SITES) emi_u16_write(entry->key, (uint16_t)(0x8000 + site)); /* more than a byte can tell apart */
    sign_entry(s, entry);
}

size_t start_bytes(const stage *s)
{
    return EMI_START_HEAD + (size_t)s->sites * EMI_ENTRY_BYTES;
}

void good_start(liar *parent, unsigned char *start)
{
    emi_entry entry;
    memset(start, 7, EMI_START_HEAD);
    do assert_true(liar_hears(parent, EMI_ENTRY));
    while (emi_u16_read(parent->frame.payload) != HUB);
    memcpy(start + EMI_START_HEAD + EMI_ENTRY_BYTES, parent->frame.payload, EMI_ENTRY_BYTES);
    for (int site = 0; site < parent->on->sites; site++) {
        if (site == HUB) continue;
        entry_of(parent->on, site, (unsigned char)(0x60 + site), &entry);
        emi_entry_write(&entry, start + EMI_START_HEAD + (size_t)site * EMI_ENTRY_BYTES);
    }
}

void run_of(const stage *s, const unsigned char *start, unsigned char run[EMI_RUN_BYTES])
{
    em_error err = {0};
    const emi_piece pieces[] = {{"eigenmesh run 1", 16}, {s->study->digest, EMI_SHA_BYTES}, {start, start_bytes(s)}};
    assert_ok(emi_sha256(pieces, 3, run, &err), &err);
}

void enter_run(liar *parent, liar *child)
{
    size_t size = start_bytes(parent->on);
    unsigned char *start = malloc(size), run[EMI_RUN_BYTES + 8] = {0};
    assert_non_null(start);
    good_start(parent, start);
    run_of(parent->on, start, run);
    liar_says(parent, EMI_START, 0, start, size);
    do assert_true(liar_hears(parent, EMI_RUN));
    while (memcmp(parent->frame.payload, run, EMI_RUN_BYTES) != 0);
    memcpy(parent->run, run, EMI_RUN_BYTES);
    liar_says(parent, EMI_RUN, 0, run, sizeof run);
    if (child) {
        do assert_true(liar_hears(child, EMI_START));
        while (memcmp(child->frame.payload, start, size) != 0);
        memcpy(child->run, run, EMI_RUN_BYTES);
        liar_says(child, EMI_RUN, 0, run, sizeof run);
    }
    free(start);
}
