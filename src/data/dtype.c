#include "data/dtype.h"

#include "base/wide.h"
#include "data/data.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* IEEE 754 binary16. */
static double from_half(uint16_t bits)
{
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static uint16_t to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return 0x7E00;
    if (isinf(value)) return sign | 0x7C00;
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    int fraction = (int)nearbyint(ldexp(size, 10 - exponent)); /* 1024 .. 2048, or less when subnormal */
    int bits = size < 0x1p-14 ? fraction : ((exponent + 15) << 10) + (fraction - 1024);
    return (uint16_t)(sign | bits);
}

/* ---- all of them: name, C's type, NumPy's letter, IDX's code, the range, and how a double comes of it and goes into it ---- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER "<"
#else
#define ORDER ">"
#endif

#define EACH_TYPE(X)                                                                                                   \
    X(EM_F64, "f64", ORDER "f8", double, 'f', 0x0E, -DBL_MAX, DBL_MAX, (double), (double))                             \
    X(EM_F32, "f32", ORDER "f4", float, 'f', 0x0D, -FLT_MAX, FLT_MAX, (double), (float))                               \
    X(EM_F16, "f16", ORDER "f2", uint16_t, 'f', 0, -65504, 65504, from_half, to_half)                                  \
    X(EM_LONG_DOUBLE, "f128", ORDER "f16", long double, 'f', 0, -DBL_MAX, DBL_MAX, (double), (long double))            \
    X(EM_I8, "i8", "|i1", int8_t, 'i', 0x09, INT8_MIN, INT8_MAX, (double), (int8_t))                                   \
    X(EM_I16, "i16", ORDER "i2", int16_t, 'i', 0x0B, INT16_MIN, INT16_MAX, (double), (int16_t))                        \
    X(EM_I32, "i32", ORDER "i4", int32_t, 'i', 0x0C, INT32_MIN, INT32_MAX, (double), (int32_t))                        \
    X(EM_I64, "i64", ORDER "i8", int64_t, 'i', 0, -0x1p63, 0x1.fffffffffffffp62, (double), (int64_t))                  \
    X(EM_U8, "u8", "|u1", uint8_t, 'u', 0x08, 0, UINT8_MAX, (double), (uint8_t))                                       \
    X(EM_U16, "u16", ORDER "u2", uint16_t, 'u', 0, 0, UINT16_MAX, (double), (uint16_t))                                \
    X(EM_U32, "u32", ORDER "u4", uint32_t, 'u', 0, 0, UINT32_MAX, (double), (uint32_t))                                \
    X(EM_U64, "u64", ORDER "u8", uint64_t, 'u', 0, 0, 0x1.fffffffffffffp63, (double), (uint64_t))                      \
    X(EM_BOOL, "bool", "|b1", uint8_t, 'b', 0, 0, 1, !!, (uint8_t))

/* Packed numbers have a loop of their own, which compilers vectorise. */
#define CODER(type, name, descr, T, kind, idx_code, lowest, highest, load, store)                                      \
    EMI_WIDE static void load_##type(const unsigned char *restrict from, ptrdiff_t stride, size_t count,               \
                                     double *restrict out)                                                             \
    {                                                                                                                  \
        if (stride == (ptrdiff_t)sizeof(T)) {                                                                          \
            for (size_t n = 0; n < count; n++) {                                                                       \
                T value;                                                                                               \
                memcpy(&value, from + n * sizeof value, sizeof value);                                                 \
                out[n] = load(value);                                                                                  \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t n = 0; n < count; n++) {                                                                           \
            T value;                                                                                                   \
            memcpy(&value, from + (ptrdiff_t)n * stride, sizeof value);                                                \
            out[n] = load(value);                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void store_##type(double value, unsigned char *out)                                                         \
    {                                                                                                                  \
        T number = store(value);                                                                                       \
        memcpy(out, &number, sizeof number);                                                                           \
    }

EACH_TYPE(CODER)

#define ENTRY(type, name, descr, T, kind, idx_code, lowest, highest, load, store)                                      \
    [type] = {name, descr, sizeof(T), kind, idx_code, lowest, highest, load_##type, store_##type},

static const emi_dtype types[] = {EACH_TYPE(ENTRY)};

enum { WIDEST = 16 };

const emi_dtype *emi_dtype_of(em_dtype type)
{
    return &types[type];
}

size_t emi_dtype_size(em_dtype type)
{
    return types[type].size;
}

int emi_dtype_is_single(em_dtype type)
{
    return type == EM_F32 || type == EM_F16 || type == EM_U8 || type == EM_I8 || type == EM_BOOL;
}

int emi_dtype_named(const char *name, size_t length, em_dtype *out)
{
    for (*out = 0; *out <= EM_BOOL; ++*out)
        if (strlen(types[*out].name) == length && memcmp(types[*out].name, name, length) == 0) return 0;
    return -1;
}

int emi_dtype_numpy(char kind, size_t size, em_dtype *out)
{
    for (*out = 0; *out <= EM_BOOL; ++*out)
        if (types[*out].kind == kind && types[*out].size == size) return 0;
    return -1;
}

int emi_dtype_idx(int code, em_dtype *out)
{
    for (*out = 0; code && *out <= EM_BOOL; ++*out)
        if (types[*out].idx_code == code) return 0;
    return -1;
}

int emi_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* ---- both ways ---------------------------------------------------------------------------------- */

static void reversed(unsigned char *to, const unsigned char *from, size_t size)
{
    for (size_t b = 0; b < size; b++) to[b] = from[size - 1 - b];
}

void emi_decode(em_dtype type, int swapped, const unsigned char *from, ptrdiff_t stride, size_t count, double *out)
{
    size_t size = types[type].size;
    if (!swapped || size == 1) {
        types[type].load(from, stride, count, out);
        return;
    }
    for (size_t n = 0; n < count; n++) {
        unsigned char turned[WIDEST];
        reversed(turned, from + (ptrdiff_t)n * stride, size);
        types[type].load(turned, (ptrdiff_t)size, 1, out + n);
    }
}

static int holds(const emi_dtype *about, double value)
{
    if (!isfinite(value)) return about->kind == 'f';
    return value >= about->lowest && value <= about->highest && (about->kind == 'f' || value == trunc(value));
}

size_t emi_encode(em_dtype type, int swapped, const double *from, size_t count, unsigned char *out)
{
    const emi_dtype *about = &types[type];
    for (size_t n = 0; n < count; n++) {
        unsigned char bytes[WIDEST] = {0}; /* padding too */
        if (!holds(about, from[n])) return n;
        about->store(from[n], bytes);
        if (swapped)
            reversed(out + n * about->size, bytes, about->size);
        else
            memcpy(out + n * about->size, bytes, about->size);
    }
    return count;
}
