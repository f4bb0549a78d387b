/* Bytes as published vectors write them. */
#ifndef TESTS_NET_HEX_H
#define TESTS_NET_HEX_H

/* Hexadecimal digits as bytes; their number. */
static inline size_t bytes_of(const char *digits, unsigned char *bytes)
{
    size_t count = strlen(digits) / 2;
    for (size_t n = 0; n < count; n++) {
        unsigned value;
        assert_int_equal(sscanf(digits + 2 * n, "%2x", &value), 1);
        bytes[n] = (unsigned char)value;
    }
    return count;
}

static inline void assert_bytes(const unsigned char *got, const char *digits)
{
    unsigned char wanted[256];
    size_t count = bytes_of(digits, wanted);
    assert_memory_equal(got, wanted, count);
}

#endif
