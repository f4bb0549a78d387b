#include "data/dtype.h"

#include "base/wide.h"
#include "data/data.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const emi_dtype types[] = {
    [EM_F64] = {"f64", 8, 'f', 0x0E, -DBL_MAX, DBL_MAX},
    [EM_F32] = {"f32", 4, 'f', 0x0D, -FLT_MAX, FLT_MAX},
    [EM_F16] = {"f16", 2, 'f', 0, -65504, 65504},
    [EM_LONG_DOUBLE] = {"f128", sizeof(long double), 'f', 0, -DBL_MAX, DBL_MAX},
    [EM_I8] = {"i8", 1, 'i', 0x09, INT8_MIN, INT8_MAX},
    [EM_I16] = {"i16", 2, 'i', 0x0B, INT16_MIN, INT16_MAX},
    [EM_I32] = {"i32", 4, 'i', 0x0C, INT32_MIN, INT32_MAX},
    [EM_I64] = {"i64", 8, 'i', 0, -0x1p63, 0x1.fffffffffffffp62},
    [EM_U8] = {"u8", 1, 'u', 0x08, 0, UINT8_MAX},
    [EM_U16] = {"u16", 2, 'u', 0, 0, UINT16_MAX},
    [EM_U32] = {"u32", 4, 'u', 0, 0, UINT32_MAX},
    [EM_U64] = {"u64", 8, 'u', 0, 0, 0x1.fffffffffffffp63},
    [EM_BOOL] = {"bool", 1, 'b', 0, 0, 1},
};

enum { TYPES = sizeof types / sizeof *types, WIDEST = 16 };

const emi_dtype *emi_dtype_of(em_dtype type)
{
    return &types[type];
}

size_t emi_dtype_size(em_dtype type)
{
    return types[type].size;
}

int emi_dtype_named(const char *name, size_t length, em_dtype *out)
{
    for (int t = 0; t < TYPES; t++) {
        if (strlen(types[t].name) != length || strncmp(types[t].name, name, length) != 0) continue;
        *out = (em_dtype)t;
        return 0;
    }
    return -1;
}

int emi_dtype_numpy(char kind, size_t size, em_dtype *out)
{
    for (int t = 0; t < TYPES; t++) {
        if (types[t].kind != kind || types[t].size != size) continue;
        *out = (em_dtype)t;
        return 0;
    }
    return -1;
}

int emi_dtype_idx(int code, em_dtype *out)
{
    for (int t = 0; t < TYPES; t++) {
        if (types[t].idx_code != code || code == 0) continue;
        *out = (em_dtype)t;
        return 0;
    }
    return -1;
}

int emi_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- to doubles: packed numbers in a loop of their own, which compilers vectorise ------------ */

/* IEEE 754 binary16. */
static double from_half(uint16_t bits)
{
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

#define LOADER(label, T, convert)                                                                                      \
    EMI_WIDE static void load_##label(const unsigned char *restrict from, ptrdiff_t stride, size_t count,              \
                                      double *restrict out)                                                            \
    {                                                                                                                  \
        if (stride == (ptrdiff_t)sizeof(T)) {                                                                          \
            for (size_t n = 0; n < count; n++) {                                                                       \
                T value;                                                                                               \
                memcpy(&value, from + n * sizeof value, sizeof value);                                                 \
                out[n] = convert(value);                                                                               \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t n = 0; n < count; n++) {                                                                           \
            T value;                                                                                                   \
            memcpy(&value, from + (ptrdiff_t)n * stride, sizeof value);                                                \
            out[n] = convert(value);                                                                                   \
        }                                                                                                              \
    }

LOADER(f64, double, (double))
LOADER(f32, float, (double))
LOADER(f16, uint16_t, from_half)
LOADER(long_double, long double, (double))
LOADER(i8, int8_t, (double))
LOADER(i16, int16_t, (double))
LOADER(i32, int32_t, (double))
LOADER(i64, int64_t, (double))
LOADER(u8, uint8_t, (double))
LOADER(u16, uint16_t, (double))
LOADER(u32, uint32_t, (double))
LOADER(u64, uint64_t, (double))
LOADER(bool, uint8_t, !!)

typedef void loader(const unsigned char *from, ptrdiff_t stride, size_t count, double *out);

static loader *const loaders[TYPES] = {
    [EM_F64] = load_f64,  [EM_F32] = load_f32, [EM_F16] = load_f16, [EM_LONG_DOUBLE] = load_long_double,
    [EM_I8] = load_i8,    [EM_I16] = load_i16, [EM_I32] = load_i32, [EM_I64] = load_i64,
    [EM_U8] = load_u8,    [EM_U16] = load_u16, [EM_U32] = load_u32, [EM_U64] = load_u64,
    [EM_BOOL] = load_bool};

static void reversed(unsigned char *to, const unsigned char *from, size_t size)
{
    for (size_t b = 0; b < size; b++) to[b] = from[size - 1 - b];
}

void emi_decode(em_dtype type, int swapped, const unsigned char *from, ptrdiff_t stride, size_t count, double *out)
{
    size_t size = types[type].size;
    if (!swapped || size == 1) {
        loaders[type](from, stride, count, out);
        return;
    }
    for (size_t n = 0; n < count; n++) {
        unsigned char turned[WIDEST];
        reversed(turned, from + (ptrdiff_t)n * stride, size);
        loaders[type](turned, (ptrdiff_t)size, 1, out + n);
    }
}

/* ---- from doubles ------------------------------------------------------------------------------ */

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

#define STORE(T, expression)                                                                                           \
    do {                                                                                                               \
        T number = expression;                                                                                         \
        memcpy(out, &number, sizeof number);                                                                           \
    } while (0)

static void store(em_dtype type, double value, unsigned char *out)
{
    switch (type) {
    case EM_F64: STORE(double, value); break;
    case EM_F32: STORE(float, (float)value); break;
    case EM_F16: STORE(uint16_t, to_half(value)); break;
    case EM_LONG_DOUBLE:
        memset(out, 0, sizeof(long double)); /* its padding too */
        STORE(long double, value);
        break;
    case EM_I8: STORE(int8_t, (int8_t)value); break;
    case EM_I16: STORE(int16_t, (int16_t)value); break;
    case EM_I32: STORE(int32_t, (int32_t)value); break;
    case EM_I64: STORE(int64_t, (int64_t)value); break;
    case EM_U8:
    case EM_BOOL: STORE(uint8_t, (uint8_t)value); break;
    case EM_U16: STORE(uint16_t, (uint16_t)value); break;
    case EM_U32: STORE(uint32_t, (uint32_t)value); break;
    case EM_U64: STORE(uint64_t, (uint64_t)value); break;
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
        unsigned char bytes[WIDEST];
        if (!holds(about, from[n])) return n;
        store(type, from[n], bytes);
        if (swapped)
            reversed(out + n * about->size, bytes, about->size);
        else
            memcpy(out + n * about->size, bytes, about->size);
    }
    return count;
}
