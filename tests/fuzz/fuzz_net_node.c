/* A node of three sites, and neighbours that send it anything: bytes are what is done to it, one after the other, most of them a
 * frame from a neighbour.  Whatever comes, counts stay within their bounds, what is said is frames, and words are words.
 *
 * Signatures begin with 's', a run is called by the first 16 bytes of its START, and lives are numbered: so the fuzzer can
 * say what a good neighbour would. */
#define EMI_FRAME_MOST 64 /* blocks of many frames in few bytes; before any header */
#include "net/awaited.c"
#include "net/frame.c"
#include "net/link.c"
#include "net/meeting.c"
#include "net/node.c"
#include "net/pace.c"

#include "fuzz.h"

enum { SITES = 3, NEIGHBOURS = 2, BLOCK_MOST = 64 * 200 };

typedef struct world {
    emi_node node;
    int lives;
    double now;
    uint64_t round_of; /* the generation in which blocks were handed over; 0: none are */
} world;

static const unsigned char block[BLOCK_MOST];

static void require(int holds)
{
    if (!holds) abort();
}

static void require_words(const char *text)
{
    require(text != NULL && *text);
    for (; *text; text++) require(*text >= ' ' && *text <= '~');
}

/* ---- what the machine asks for ---------------------------------------------------------------------------------------------- */

static int draw(void *context, unsigned char instance[EMI_INSTANCE_BYTES], unsigned char key[EMI_PUBLIC_BYTES])
{
    world *w = context;
    w->lives++;
    memset(instance, w->lives, EMI_INSTANCE_BYTES);
    memset(key, w->lives, EMI_PUBLIC_BYTES);
    return 0;
}

static int random_bytes(void *context, void *bytes, size_t count)
{
    const world *w = context;
    memset(bytes, (int)w->node.generation, count);
    return 0;
}

static int sign(void *context, const void *bytes, size_t count, unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    memset(signature, 's', 64);
    return 0;
}

static int verify(void *context, int site, const void *bytes, size_t count, const unsigned char signature[64])
{
    (void)context, (void)bytes, (void)count;
    require(site >= 0 && site < SITES);
    return signature[0] == 's';
}

static int name_run(void *context, const void *start, size_t count, unsigned char run[EMI_RUN_BYTES])
{
    (void)context;
    require(count == EMI_START_HEAD + SITES * EMI_ENTRY_BYTES);
    memcpy(run, start, 16);
    memcpy(run + 16, start, 16);
    return 0;
}

static void news(void *context, emi_news what, int peer, const char *why)
{
    (void)context;
    require(peer >= 0 && peer < SITES);
    if (what != EMI_NEWS_UP && what != EMI_NEWS_START && what != EMI_NEWS_STUDY) require_words(why);
    if (what == EMI_NEWS_STUDY && *why) require_words(why);
}

/* ---- what must hold ------------------------------------------------------------------------------------------------------------ */

static void check_link(const emi_link *l)
{
    require(l->got <= l->expected && l->expected <= BLOCK_MOST);
    require(l->early_count >= 0 && l->early_count <= EMI_WINDOW);
    require(l->told <= l->received);
    require(l->acked <= l->sent && l->sent <= l->end && l->next <= l->end);
    require(l->out_at <= l->out_size);
}

static void check(world *w)
{
    require(!w->node.no_memory);
    require(emi_node_awaits(&w->node) >= -1 && emi_node_awaits(&w->node) < SITES);
    for (int n = 0; n < NEIGHBOURS; n++) check_link(&w->node.links[n]);
}

/* What leaves is frames. */
static void drain(world *w, int peer, size_t most)
{
    const unsigned char *bytes = NULL;
    size_t count = 0;
    emi_link *l = emi_node_link(&w->node, peer);
    require(emi_node_output(&w->node, peer, &bytes, &count) == 0);
    for (size_t at = 0, used; l->out_at == 0 && at < count; at += used) {
        emi_frame frame;
        require(emi_frame_read(bytes + at, count - at, &frame, &used) == 1);
    }
    emi_link_written(l, count < most ? count : most);
}

/* ---- what is done ------------------------------------------------------------------------------------------------------------------ */

static void silent(void *context, int peer)
{
    world *w = context;
    emi_node_gone(&w->node, peer, "silent", w->now);
}

static void take_frame(world *w, int peer, const emi_frame *frame)
{
    const char *why = NULL;
    const emi_link *l = emi_node_link(&w->node, peer);
    if (frame->kind == EMI_STUDY) {
        emi_node_other_study(&w->node, peer, frame);
    } else if (frame->kind == EMI_HELLO) {
        unsigned char hello[EMI_FRAME_HEAD + EMI_HELLO_BYTES];
        int met = emi_node_meet(&w->node, peer, frame, w->now, &why);
        if (met != 1) require_words(why);
        require(met != 1 || l->up);
        if (met == 1) emi_node_write_hello(&w->node, peer, hello);
    } else if (emi_node_frame(&w->node, peer, frame, w->now, &why) != 0) {
        require_words(why);
        emi_node_gone(&w->node, peer, why, w->now);
    }
}

/* As a hub does it: a round is begun where none is under way, with blocks of one size. */
static void begin_round(world *w, unsigned char how)
{
    static const size_t sizes[] = {1, 63, 64, 65, 1000, BLOCK_MOST};
    emi_node *node = &w->node;
    size_t bytes = sizes[(how >> 4) % (sizeof sizes / sizeof *sizes)];
    if (!emi_node_in_run(node) || node->over) return;
    if (w->round_of == node->generation && !emi_node_round_is_done(node)) return;
    for (int n = 0; n < NEIGHBOURS; n++) {
        node->links[n].expected = node->links[n].got = 0;
        node->links[n].block = NULL;
    }
    w->round_of = node->generation;
    for (int n = 0; n < NEIGHBOURS; n++) {
        if (how & (1 << n)) emi_node_send(node, node->links[n].peer, block, bytes);
        if (how & (4 << n)) emi_node_expect(node, node->links[n].peer, bytes);
    }
    node->waits_in_round = 1;
}

/* One thing; returns how many bytes it was. */
static size_t do_one(world *w, const uint8_t *bytes, size_t size)
{
    emi_frame frame;
    size_t used = 0;
    int peer = w->node.links[bytes[0] & 1].peer;
    switch (bytes[0] >> 1 & 7) {
    case 0: emi_node_gone(&w->node, peer, "cut", w->now); return 1;
    case 1:
        w->now += bytes[0] >> 4;
        emi_node_tick(&w->node, w->now, silent, w);
        return 1;
    case 2:
        if (size < 2) return size;
        begin_round(w, bytes[1]);
        return 2;
    case 3: drain(w, peer, (size_t)bytes[0] >> 4 << 4 | 1); return 1;
    case 4: drain(w, peer, SIZE_MAX); return 1;
    case 5: (void)((bytes[0] >> 4) == 15 ? emi_node_finish(&w->node) : emi_node_renew(&w->node, w->now)); return 1;
    default:
        if (emi_frame_read(bytes + 1, size - 1, &frame, &used) != 1) return 1;
        take_frame(w, peer, &frame);
        return 1 + used;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const int chain[SITES] = {-1, 0, 1}, star[SITES] = {-1, 0, 0};
    static const int ends[NEIGHBOURS] = {0, 2}, leaves[NEIGHBOURS] = {1, 2};
    if (!size) return 0;
    int middle = bytes[0] & 1;
    world w = {0};
    emi_entry own = {.columns = 3};
    const emi_node_config config = {.site = middle,
                                    .sites = SITES,
                                    .parent = middle ? chain : star,
                                    .peers = middle ? ends : leaves,
                                    .links = NEIGHBOURS,
                                    .canonical = "eigenmesh study 1\n",
                                    .canonical_size = 18,
                                    .context = &w,
                                    .draw = draw,
                                    .random = random_bytes,
                                    .sign = sign,
                                    .verify = verify,
                                    .name_run = name_run,
                                    .news = news};
    require(emi_node_open(&w.node, &config, &own) == 0);
    for (size_t at = 1; at < size;) {
        at += do_one(&w, bytes + at, size - at);
        check(&w);
    }
    emi_node_close(&w.node);
    return 0;
}
