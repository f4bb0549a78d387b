#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "mutations: %s: %s\n", what, why);
    exit(3);
}

static unsigned char *room_for(size_t size)
{
    unsigned char *room = malloc(size ? size : 1);
    if (!room) die("memory", "there is none");
    return room;
}

bytes bytes_of(const void *from, size_t size)
{
    bytes b = {room_for(size), size};
    if (size) memcpy(b.at, from, size);
    return b;
}

bytes bytes_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) die(path, strerror(errno));
    long size = ftell(file);
    rewind(file);
    bytes b = {room_for((size_t)size), (size_t)size};
    if (size < 0 || fread(b.at, 1, b.size, file) != b.size) die(path, "cannot be read");
    (void)fclose(file);
    return b;
}

void bytes_write(const bytes *b, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(b->at, 1, b->size, file) != b->size || fclose(file) != 0) die(path, strerror(errno));
}

void bytes_replace(bytes *b, size_t first, size_t count, const void *with, size_t size)
{
    bytes whole = {room_for(b->size - count + size), b->size - count + size};
    memcpy(whole.at, b->at, first);
    if (size) memcpy(whole.at + first, with, size);
    memcpy(whole.at + first + size, b->at + first + count, b->size - first - count);
    bytes_free(b);
    *b = whole;
}

void bytes_free(bytes *b)
{
    free(b->at);
    *b = (bytes){0};
}

/* SplitMix64. */
uint64_t dice_bits(dice *d)
{
    uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

dice dice_for(uint64_t seed, uint64_t kind, uint64_t mutation)
{
    dice d = {seed};
    d.state = dice_bits(&d) + kind;
    d.state = dice_bits(&d) + mutation;
    return d;
}

size_t dice_below(dice *d, size_t bound)
{
    return bound ? (size_t)(dice_bits(d) % bound) : 0;
}
