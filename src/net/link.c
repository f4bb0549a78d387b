#include "net/link.h"

#include <stdlib.h>
#include <string.h>

enum { ACK_EVERY = 16 }; /* frames */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void forget_early(emi_link *l)
{
    for (int n = 0; n < l->early_count; n++) free(l->early[n].bytes);
    l->early_count = 0;
}

void emi_link_free(emi_link *l)
{
    forget_early(l);
    free(l->inbox);
    free(l->control);
    free(l->out);
    *l = (emi_link){0};
}

/* ---- what is to be written ------------------------------------------------------------------------------------------ */

static void write_head(unsigned char *to, emi_frame_kind kind, const unsigned char run[EMI_RUN_BYTES], size_t length,
                       uint64_t sequence)
{
    emi_frame frame = {.kind = kind, .length = (uint32_t)length, .sequence = sequence};
    memcpy(frame.run, run, sizeof frame.run);
    emi_frame_write(&frame, to);
}

int emi_link_say(emi_link *l, emi_frame_kind kind, const unsigned char run[EMI_RUN_BYTES], const void *payload,
                 size_t length)
{
    size_t needed = l->control_size + EMI_FRAME_HEAD + length;
    if (needed > l->control_room) {
        unsigned char *more = realloc(l->control, 2 * needed);
        if (!more) return -1;
        l->control = more;
        l->control_room = 2 * needed;
    }
    unsigned char *at = l->control + l->control_size;
    write_head(at, kind, run, length, 0);
    if (length) memcpy(at + EMI_FRAME_HEAD, payload, length);
    l->control_size = needed;
    return 0;
}

static emi_outcome acknowledge(emi_link *l, const unsigned char run[EMI_RUN_BYTES], uint64_t count)
{
    unsigned char payload[8];
    emi_u64_write(payload, count);
    l->told = count;
    return emi_link_say(l, EMI_ACK, run, payload, sizeof payload) ? EMI_NO_MEMORY : EMI_FINE;
}

emi_outcome emi_link_acknowledge_again(emi_link *l, const unsigned char run[EMI_RUN_BYTES])
{
    return acknowledge(l, run, l->told);
}

static void put_data(emi_link *l, const unsigned char run[EMI_RUN_BYTES])
{
    size_t from = (size_t)(l->next - l->first) * EMI_FRAME_MOST, length = smaller(l->block_size - from, EMI_FRAME_MOST);
    write_head(l->out, EMI_DATA, run, length, l->next);
    memcpy(l->out + EMI_FRAME_HEAD, l->block + from, length);
    l->out_size = EMI_FRAME_HEAD + length;
    l->bytes_sent += length;
    l->next++;
    if (l->next > l->sent) l->sent = l->next;
}

/* The buffer is one frame of the stream, or all other frames that wait. */
static int fill(emi_link *l, const unsigned char run[EMI_RUN_BYTES], int flows)
{
    l->out_at = l->out_size = 0;
    if (l->control_size) {
        unsigned char *was = l->out;
        l->out = l->control;
        l->out_size = l->control_size;
        l->control = was;
        l->control_size = l->control_room = 0;
        return 0;
    }
    if (!flows || !l->block || l->next >= l->end || l->next >= l->acked + EMI_WINDOW) return 0;
    unsigned char *room = realloc(l->out, EMI_FRAME_HEAD + EMI_FRAME_MOST);
    if (!room) return -1;
    l->out = room;
    put_data(l, run);
    return 0;
}

int emi_link_output(emi_link *l, const unsigned char run[EMI_RUN_BYTES], int flows, const unsigned char **bytes,
                    size_t *count)
{
    *count = 0;
    if (!l->up) return 0;
    if (l->out_at == l->out_size && fill(l, run, flows)) return -1;
    *count = l->out_size - l->out_at;
    if (*count) *bytes = l->out + l->out_at;
    return 0;
}

void emi_link_written(emi_link *l, size_t count)
{
    l->out_at += count;
}

/* ---- connections, runs ------------------------------------------------------------------------------------------------ */

void emi_link_up(emi_link *l, double now)
{
    if (!l->up && l->was_up) l->down_for += now - l->down_since;
    l->up = l->was_up = 1;
    l->heard = l->beat = now;
    l->control_size = l->out_size = l->out_at = 0;
    l->peer_awaits = l->said_awaits = EMI_NOBODY;
    l->left = l->said_leave = 0;
}

void emi_link_down(emi_link *l, double now)
{
    if (!l->up) return;
    l->up = 0;
    l->down_since = now;
    l->downs += !l->left && !l->said_leave;
    l->control_size = l->out_size = l->out_at = 0;
}

/* What waits to be said of the run before is void, and a START is long where there are many sites. */
static void forget_run(emi_link *l)
{
    emi_frame frame;
    size_t kept = 0, at = 0, used = 0;
    for (; at < l->control_size && emi_frame_read(l->control + at, l->control_size - at, &frame, &used) > 0;
         at += used) {
        if (frame.kind == EMI_START || frame.kind == EMI_RUN || frame.kind == EMI_ACK) continue;
        memmove(l->control + kept, l->control + at, used);
        kept += used;
    }
    l->control_size = kept;
}

void emi_link_enter(emi_link *l)
{
    forget_early(l);
    forget_run(l);
    l->block = NULL;
    l->first = l->end = l->next = l->sent = l->acked = 0;
    l->expected = l->got = 0;
    l->received = l->told = 0;
    l->blocks_sent = l->blocks_got = 0;
}

emi_outcome emi_link_peer_has(emi_link *l, uint64_t received)
{
    if (received > l->sent || received < l->acked) return EMI_SET_BACK;
    l->next = received;
    return EMI_FINE;
}

emi_outcome emi_link_acked(emi_link *l, uint64_t count)
{
    if (count > l->sent || count < l->acked) return EMI_SET_BACK;
    l->acked = count;
    if (l->next < count) l->next = count;
    return EMI_FINE;
}

/* ---- the stream that comes ---------------------------------------------------------------------------------------------- */

static emi_outcome take_part(emi_link *l, const unsigned char *bytes, uint32_t length)
{
    size_t wanted = smaller(l->expected - l->got, EMI_FRAME_MOST);
    if (length != wanted) return EMI_OTHER_SIZE;
    memcpy(l->inbox + l->got, bytes, length);
    l->got += length;
    l->bytes_got += length;
    return EMI_FINE;
}

static emi_outcome keep_early(emi_link *l, const emi_frame *frame)
{
    if (l->early_count == EMI_WINDOW) return EMI_BROKEN; /* more than it was given leave to send */
    unsigned char *copy = malloc(frame->length);
    if (!copy) return EMI_NO_MEMORY;
    memcpy(copy, frame->payload, frame->length);
    emi_kept_frame *kept = &l->early[l->early_count++];
    kept->bytes = copy;
    kept->length = frame->length;
    return EMI_FINE;
}

emi_outcome emi_link_data(emi_link *l, const unsigned char run[EMI_RUN_BYTES], const emi_frame *frame)
{
    if (frame->sequence > l->received) return EMI_BROKEN;
    if (frame->sequence < l->received) return acknowledge(l, run, l->told);
    int now = l->got < l->expected;
    emi_outcome outcome = now ? take_part(l, frame->payload, frame->length) : keep_early(l, frame);
    if (outcome != EMI_FINE) return outcome;
    l->received++;
    int due = now && (l->got == l->expected || l->received - l->told >= ACK_EVERY);
    return due ? acknowledge(l, run, l->received) : EMI_FINE;
}

emi_outcome emi_link_expect(emi_link *l, const unsigned char run[EMI_RUN_BYTES], size_t size)
{
    if (size > l->inbox_room) {
        unsigned char *larger = realloc(l->inbox, size);
        if (!larger) return EMI_NO_MEMORY;
        l->inbox = larger;
        l->inbox_room = size;
    }
    l->expected = size;
    l->got = 0;
    int used = 0;
    emi_outcome outcome = EMI_FINE;
    while (used < l->early_count && l->got < l->expected && outcome == EMI_FINE) {
        outcome = take_part(l, l->early[used].bytes, l->early[used].length);
        free(l->early[used++].bytes);
    }
    memmove(l->early, l->early + used, sizeof *l->early * (size_t)(l->early_count - used));
    l->early_count -= used;
    if (outcome != EMI_FINE || used == 0) return outcome;
    return acknowledge(l, run, l->received);
}

int emi_link_has_got(const emi_link *l)
{
    return l->got == l->expected;
}

/* ---- the stream that leaves ---------------------------------------------------------------------------------------------- */

void emi_link_send(emi_link *l, const void *block, size_t size)
{
    l->block = block;
    l->block_size = size;
    l->first = l->end;
    l->end = l->first + (size + EMI_FRAME_MOST - 1) / EMI_FRAME_MOST;
}

int emi_link_has_sent(const emi_link *l)
{
    return l->acked == l->end;
}
