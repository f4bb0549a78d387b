#include "net/frame.h"

#include <string.h>

static void write_number(unsigned char *to, uint64_t value, int bytes)
{
    for (int n = 0; n < bytes; n++) to[n] = (unsigned char)(value >> (8 * n));
}

static uint64_t read_number(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int n = 0; n < bytes; n++) value |= (uint64_t)from[n] << (8 * n);
    return value;
}

void emi_u16_write(unsigned char *to, uint16_t value)
{
    write_number(to, value, 2);
}

void emi_u32_write(unsigned char *to, uint32_t value)
{
    write_number(to, value, 4);
}

void emi_u64_write(unsigned char *to, uint64_t value)
{
    write_number(to, value, 8);
}

uint16_t emi_u16_read(const unsigned char *from)
{
    return (uint16_t)read_number(from, 2);
}

uint32_t emi_u32_read(const unsigned char *from)
{
    return (uint32_t)read_number(from, 4);
}

uint64_t emi_u64_read(const unsigned char *from)
{
    return read_number(from, 8);
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

void emi_frame_write(const emi_frame *frame, unsigned char head[EMI_FRAME_HEAD])
{
    memset(head, 0, EMI_FRAME_HEAD);
    head[0] = (unsigned char)frame->kind;
    emi_u32_write(head + 4, frame->length);
    memcpy(head + 8, frame->run, sizeof frame->run);
    emi_u64_write(head + 16, frame->sequence);
}

/* Can a payload of this kind be so long? */
static int is_length_of(int kind, uint32_t length)
{
    switch (kind) {
    case EMI_HELLO: return length == EMI_HELLO_BYTES;
    case EMI_STUDY: return length >= 1 && length <= EMI_STUDY_MOST;
    case EMI_ENTRY: return length == EMI_ENTRY_BYTES;
    case EMI_START:
        return length > EMI_START_HEAD && length <= EMI_START_MOST && (length - EMI_START_HEAD) % EMI_ENTRY_BYTES == 0;
    case EMI_RUN: return length == EMI_RUN_PAYLOAD;
    case EMI_DATA: return length >= 1 && length <= EMI_FRAME_MOST;
    case EMI_ACK: return length == 8;
    case EMI_BEAT:
    case EMI_LEAVE: return length == 2;
    default: return 0;
    }
}

int emi_frame_read(const unsigned char *bytes, size_t count, emi_frame *frame, size_t *used)
{
    if (count < EMI_FRAME_HEAD) return 0;
    uint32_t length = emi_u32_read(bytes + 4);
    if (bytes[1] || bytes[2] || bytes[3] || !is_length_of(bytes[0], length)) return -1;
    if (count - EMI_FRAME_HEAD < length) return 0;
    *frame = (emi_frame){.kind = (emi_frame_kind)bytes[0],
                         .length = length,
                         .sequence = emi_u64_read(bytes + 16),
                         .payload = bytes + EMI_FRAME_HEAD};
    memcpy(frame->run, bytes + 8, sizeof frame->run);
    *used = EMI_FRAME_HEAD + (size_t)length;
    return 1;
}

/* ---- payloads: the same fields in the same order, to and from bytes ------------------------------------------------ */

typedef struct cursor {
    unsigned char *at;
    int reads;
} cursor;

static void move_bytes(cursor *c, unsigned char *value, size_t count)
{
    memcpy(c->reads ? value : c->at, c->reads ? c->at : value, count);
    c->at += count;
}

static uint64_t move_number(cursor *c, uint64_t value, int bytes)
{
    if (c->reads)
        value = read_number(c->at, bytes);
    else
        write_number(c->at, value, bytes);
    c->at += bytes;
    return value;
}

static void move_hello(cursor c, emi_hello *h)
{
    move_bytes(&c, h->study, sizeof h->study);
    h->site = (uint16_t)move_number(&c, h->site, 2);
    move_bytes(&c, h->instance, sizeof h->instance);
    move_bytes(&c, h->run, sizeof h->run);
    h->received = move_number(&c, h->received, 8);
    move_bytes(&c, h->audit, sizeof h->audit);
}

static void move_entry(cursor c, emi_entry *e)
{
    e->site = (uint16_t)move_number(&c, e->site, 2);
    move_bytes(&c, e->instance, sizeof e->instance);
    move_bytes(&c, e->key, sizeof e->key);
    e->columns = (uint32_t)move_number(&c, e->columns, 4);
    move_bytes(&c, e->names, sizeof e->names);
    move_bytes(&c, e->rows, sizeof e->rows);
    move_bytes(&c, e->signature, sizeof e->signature);
}

void emi_hello_write(const emi_hello *hello, unsigned char payload[EMI_HELLO_BYTES])
{
    emi_hello copy = *hello;
    move_hello((cursor){payload, 0}, &copy);
}

void emi_hello_read(const unsigned char payload[EMI_HELLO_BYTES], emi_hello *hello)
{
    move_hello((cursor){(unsigned char *)payload, 1}, hello);
}

void emi_entry_write(const emi_entry *entry, unsigned char payload[EMI_ENTRY_BYTES])
{
    emi_entry copy = *entry;
    move_entry((cursor){payload, 0}, &copy);
}

void emi_entry_read(const unsigned char payload[EMI_ENTRY_BYTES], emi_entry *entry)
{
    move_entry((cursor){(unsigned char *)payload, 1}, entry);
}
