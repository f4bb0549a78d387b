/* raw:TYPE:COLUMNS:FILE. */
#include "support/tables.h"

#include <stdio.h>
#include <string.h>

static const char *request(const char *type, const char *columns, const char *path)
{
    static char text[1024];
    (void)snprintf(text, sizeof text, "raw:%s:%s:%s", type, columns, path);
    return text;
}

static void every_type_is_read_as_it_lies(void **state)
{
    (void)state;
    const double f64[] = {1.5, -2};
    const float f32[] = {1.5F, -2};
    const uint16_t f16[] = {0x3e00, 0xc000};
    const int16_t i16[] = {-3, 4};
    const int32_t i32[] = {-3, 4};
    const int64_t i64[] = {-3, 4};
    const uint16_t u16[] = {65535, 4};
    const uint32_t u32[] = {4294967295U, 4};
    const uint64_t u64[] = {1ULL << 63, 4};
    const unsigned char bytes[] = {255, 4};
    long double f128[2];
    memset(f128, 0, sizeof f128);
    f128[0] = 1.5L, f128[1] = -2;
#define CASE(type, array, ...)                                                                                         \
    assert_table(request(type, "2", scratch_file("numbers", array, sizeof array)), NULL, 1, 2, __VA_ARGS__);           \
    assert_table(request(type, "1", scratch_file("numbers", array, sizeof array)), NULL, 2, 1, __VA_ARGS__)
    CASE("f64", f64, 1.5, -2);
    CASE("f32", f32, 1.5, -2);
    CASE("f16", f16, 1.5, -2);
    CASE("f128", f128, 1.5, -2);
    CASE("i8", bytes, -1, 4);
    CASE("i16", i16, -3, 4);
    CASE("i32", i32, -3, 4);
    CASE("i64", i64, -3, 4);
    CASE("u8", bytes, 255, 4);
    CASE("u16", u16, 65535, 4);
    CASE("u32", u32, 4294967295.0, 4);
    CASE("u64", u64, 0x1p63, 4);
    CASE("bool", bytes, 1, 1);
#undef CASE
}

/* Asked for by name, raw numbers are not recognised as anything else. */
static void content_is_not_looked_at(void **state)
{
    (void)state;
    assert_table(request("u8", "4", scratch_text("table.csv", "1,2\n")), NULL, 1, 4, '1', ',', '2', '\n');
    assert_table(request("u8", "3", scratch_gz("table.gz", "abc", 3)), NULL, 1, 3, 'a', 'b', 'c');
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    const char *path = scratch_file("twelve", "twelve bytes", 12);
    assert_refused(request("f32", "2", path), NULL, EM_EDATA, "12 bytes are no whole number of rows of 2 columns");
    assert_refused(request("f32", "4611686018427387905", path), NULL, EM_EDATA, "no whole number of rows");
    assert_refused(request("f33", "3", path), NULL, EM_EINVAL, "no such type");
    assert_refused(request("", "3", path), NULL, EM_EINVAL, "no such type");
    assert_refused(request("f32", "0", path), NULL, EM_EINVAL, "'0' is no number of columns");
    assert_refused(request("f32", "-1", path), NULL, EM_EINVAL, "'-1' is no number of columns");
    assert_refused(request("f32", "3x", path), NULL, EM_EINVAL, "'3x' is no number of columns");
    assert_refused(request("f32", "", path), NULL, EM_EINVAL, "'' is no number of columns");
    assert_refused(request("f32", "99999999999999999999", path), NULL, EM_EINVAL, "is no number of columns");
    assert_refused(request("f32", "1000000000000000000000000000000000000", path), NULL, EM_EINVAL, "the form is");
    assert_refused(request("f32", "3", ""), NULL, EM_EINVAL, "the form is raw:TYPE:COLUMNS:FILE");
    assert_refused("raw:f32:3", NULL, EM_EINVAL, "the form is raw:TYPE:COLUMNS:FILE");
    assert_refused("raw:f32", NULL, EM_EINVAL, "the form is raw:TYPE:COLUMNS:FILE");
    assert_refused("raw:", NULL, EM_EINVAL, "the form is raw:TYPE:COLUMNS:FILE");
    assert_refused(request("f32", "3", scratch("missing")), NULL, EM_EIO, "cannot be read");
    assert_refused(request("f32", "3", scratch_text("empty", "")), NULL, EM_EDATA, "is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_as_it_lies),
        cmocka_unit_test(content_is_not_looked_at),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
