/* Frames: what is written is read, and what is no frame is none. */
#include "net/frame.h"
#include "support/check.h"

#include <string.h>

static void a_frame_comes_back(void **state)
{
    (void)state;
    unsigned char bytes[EMI_FRAME_HEAD + 8] = {0};
    emi_frame frame = {.kind = EMI_ACK, .length = 8, .run = {1, 2, 3, 4, 5, 6, 7, 8}, .sequence = 0x1122334455667788},
              got = {0};
    size_t used = 0;
    emi_frame_write(&frame, bytes);
    emi_u64_write(bytes + EMI_FRAME_HEAD, 99);
    for (size_t count = 0; count < sizeof bytes; count++)
        assert_int_equal(emi_frame_read(bytes, count, &got, &used), 0);
    assert_int_equal(emi_frame_read(bytes, sizeof bytes, &got, &used), 1);
    assert_int_equal(used, sizeof bytes);
    assert_int_equal(got.kind, EMI_ACK);
    assert_true(got.sequence == frame.sequence && emi_u64_read(got.payload) == 99);
    assert_memory_equal(got.run, frame.run, 8);
}

/* A length that its kind does not have is refused before a byte of it is awaited. */
static void lengths_are_those_of_the_kind(void **state)
{
    (void)state;
    static const struct {
        int kind;
        uint32_t length;
        int is;
    } tries[] = {{0, 8, -1},
                 {EMI_KINDS, 8, -1},
                 {255, 8, -1},
                 {EMI_HELLO, EMI_HELLO_BYTES, 0},
                 {EMI_HELLO, EMI_HELLO_BYTES + 1, -1},
                 {EMI_STUDY, EMI_STUDY_MOST, 0},
                 {EMI_STUDY, EMI_STUDY_MOST + 1, -1},
                 {EMI_STUDY, 0, -1},
                 {EMI_ENTRY, EMI_ENTRY_BYTES - 1, -1},
                 {EMI_START, EMI_START_HEAD, -1},
                 {EMI_START, EMI_START_HEAD + 2 * EMI_ENTRY_BYTES, 0},
                 {EMI_START, EMI_START_HEAD + 2 * EMI_ENTRY_BYTES + 1, -1},
                 {EMI_START, EMI_START_HEAD + 2000 * EMI_ENTRY_BYTES, -1},
                 {EMI_DATA, EMI_FRAME_MOST, 0},
                 {EMI_DATA, EMI_FRAME_MOST + 1, -1},
                 {EMI_DATA, 0xffffffff, -1},
                 {EMI_DATA, 0, -1},
                 {EMI_ACK, 7, -1},
                 {EMI_BEAT, 2, 0},
                 {EMI_LEAVE, 3, -1}};
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        unsigned char head[EMI_FRAME_HEAD];
        emi_frame got;
        size_t used;
        emi_frame_write(&(emi_frame){.kind = (emi_frame_kind)tries[n].kind, .length = tries[n].length}, head);
        assert_int_equal(emi_frame_read(head, sizeof head, &got, &used), tries[n].is);
        for (int zero = 1; zero <= 3; zero++) {
            head[zero] = 1;
            assert_int_equal(emi_frame_read(head, sizeof head, &got, &used), -1);
            head[zero] = 0;
        }
    }
}

static void payloads_come_back(void **state)
{
    (void)state;
    emi_hello hello = {.site = 0x0102, .received = 0x1122334455667788}, other;
    emi_entry entry = {.site = 7, .columns = 0xa1b2c3d4}, again;
    unsigned char bytes[EMI_HELLO_BYTES], more[EMI_ENTRY_BYTES];
    memset(hello.study, 1, 32), memset(hello.instance, 2, 16), memset(hello.run, 3, 32), memset(hello.audit, 4, 32);
    memset(entry.instance, 5, 16), memset(entry.key, 6, 32), memset(entry.names, 7, 32), memset(entry.rows, 8, 32);
    memset(entry.signature, 9, 64);
    emi_hello_write(&hello, bytes);
    emi_hello_read(bytes, &other);
    assert_true(other.site == hello.site && other.received == hello.received);
    assert_memory_equal(other.audit, hello.audit, 32);
    assert_int_equal(bytes[32], 2); /* little-endian, after the study's digest */
    assert_int_equal(bytes[33], 1);
    emi_entry_write(&entry, more);
    emi_entry_read(more, &again);
    assert_true(again.site == 7 && again.columns == entry.columns);
    assert_memory_equal(again.signature, entry.signature, 64);
    assert_int_equal(more[EMI_ENTRY_SIGNED], 9); /* the signature is about all before it */
    assert_int_equal(more[EMI_ENTRY_SIGNED - 1], 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_frame_comes_back),
                                       cmocka_unit_test(lengths_are_those_of_the_kind),
                                       cmocka_unit_test(payloads_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
