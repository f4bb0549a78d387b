/* What cuBLAS has no function for.  C in all but its name: scripts/make-kernels has clang make kernels.ptx of it, a text that the
 * driver compiles for whatever GPU there is; and tests compile it for the CPU, where a macro is each thread's place.
 *
 * A thread has one column, or one number, and sums in order: bits do not depend on which thread is when. */
#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global)) void
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK  __nvvm_read_ptx_sreg_ctaid_x()
#define STRIPE __nvvm_read_ptx_sreg_ctaid_y()
#define UNROLL _Pragma("unroll")
#endif

enum { THREADS = 128, PIECE = 8, SOME = 8, FOUND = 5 };

typedef long long whole;

/* Rows first .. of part BLOCK, and column STRIPE * THREADS + THREAD; or a thread each number. */
#define COLUMN ((whole)STRIPE * THREADS + (whole)THREAD)
#define NUMBER ((whole)BLOCK * THREADS + (whole)THREAD)

static __attribute__((device)) inline whole less(whole a, whole b)
{
    return a < b ? a : b;
}

/* to[rows * d] = (from - mean) * inverse, with what is missing filled; each of the three may be NULL. */
#define STANDARDISE(NAME, FROM, TO)                                                                                    \
    KERNEL NAME(const FROM *from, whole row_step, whole column_step, whole rows, whole rows_a_part, whole d,           \
                const double *mean, const double *inverse, const double *fill, TO *to)                                 \
    {                                                                                                                  \
        whole f = COLUMN, first = (whole)BLOCK * rows_a_part, end = less(first + rows_a_part, rows);                   \
        if (f >= d) return;                                                                                            \
        double m = mean ? mean[f] : 0, i = inverse ? inverse[f] : 1;                                                   \
        for (; first < end; first += SOME) {                                                                           \
            FROM x[SOME]; /* read at once, so that many are on their way */                                            \
            UNROLL for (int r = 0; r < SOME; r++) x[r] = from[less(first + r, end - 1) * row_step + f * column_step];  \
            UNROLL for (int r = 0; r < SOME; r++) {                                                                    \
                double y = x[r];                                                                                       \
                if (fill && y != y) y = fill[f];                                                                       \
                if (first + r < end) to[(first + r) * d + f] = (TO)((y - m) * i);                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

STANDARDISE(emi_standardise_float_float, float, float)
STANDARDISE(emi_standardise_float_double, float, double)
STANDARDISE(emi_standardise_double_float, double, float)
STANDARDISE(emi_standardise_double_double, double, double)

/* What data/moments.h wants to know, of part BLOCK: found[part][FOUND][d].  A piece is read at once, so that many rows are on their
 * way; its squares are about its own mean, and pieces are merged by the formula of Chan, Golub and LeVeque (data/moments.c). */
#define SURVEY(NAME, FROM)                                                                                             \
    KERNEL NAME(const FROM *from, whole row_step, whole column_step, whole rows, whole rows_a_part, whole d,           \
                const double *origin, const double *unit, whole holes, double *found)                                  \
    {                                                                                                                  \
        whole f = COLUMN, first = (whole)BLOCK * rows_a_part, end = less(first + rows_a_part, rows);                   \
        if (f >= d) return;                                                                                            \
        double o = origin[f], u = unit ? unit[f] : 1, count = 0, sum = 0, squares = 0;                                 \
        FROM highest = -__builtin_inf(), lowest = __builtin_inf();                                                     \
        for (; first < end; first += PIECE) {                                                                          \
            const FROM *at = from + first * row_step + f * column_step;                                                \
            FROM x[PIECE];                                                                                             \
            double away[PIECE], s = 0, about = 0;                                                                      \
            int left = (int)less(end - first, PIECE), n = 0;                                                           \
            UNROLL for (int r = 0; r < PIECE; r++) {                                                                   \
                x[r] = *at; /* after the last row, that again */                                                       \
                at += r + 1 < left ? row_step : 0;                                                                     \
            }                                                                                                          \
            UNROLL for (int r = 0; r < PIECE; r++) {                                                                   \
                away[r] = x[r];                                                                                        \
                highest = x[r] > highest ? x[r] : highest;                                                             \
                lowest = x[r] < lowest ? x[r] : lowest;                                                                \
            }                                                                                                          \
            if (unit) UNROLL for (int r = 0; r < PIECE; r++) away[r] /= u;                                             \
            UNROLL for (int r = 0; r < PIECE; r++) {                                                                   \
                int there = r < left && !(holes && x[r] != x[r]);                                                      \
                away[r] -= o;                                                                                          \
                n += there, s += there ? away[r] : 0;                                                                  \
            }                                                                                                          \
            double mean = n > 0 ? s / n : 0, weight = count * n * (count + n), apart = n * sum - count * s;            \
            UNROLL for (int r = 0; r < PIECE; r++) {                                                                   \
                double by = away[r] - mean;                                                                            \
                about += r < left && !(holes && x[r] != x[r]) ? by * by : 0;                                           \
            }                                                                                                          \
            squares += about + (weight > 0 ? apart * apart / weight : 0);                                              \
            sum += s, count += n;                                                                                      \
        }                                                                                                              \
        double *to = found + (whole)BLOCK * FOUND * d + f;                                                             \
        to[0] = count, to[d] = sum, to[2 * d] = squares, to[3 * d] = highest / u, to[4 * d] = -lowest / u;             \
    }

SURVEY(emi_survey_float, float)
SURVEY(emi_survey_double, double)

/* All parts of it, in order, into what was found before: found[FOUND][d].  Some are read at once, for the same reason. */
KERNEL emi_survey_join(const double *parts, whole count, whole d, double *found)
{
    whole f = COLUMN;
    if (f >= d) return;
    double m = found[f], sum = found[d + f], squares = found[2 * d + f], highest = found[3 * d + f],
           lowest = found[4 * d + f];
    for (whole p = 0; p < count; p += SOME) {
        double more[SOME][FOUND];
        UNROLL for (int q = 0; q < SOME; q++)
            UNROLL for (int k = 0; k < FOUND; k++) more[q][k] = parts[(less(p + q, count - 1) * FOUND + k) * d + f];
        UNROLL for (int q = 0; q < SOME; q++) {
            double n = more[q][0], s = more[q][1], apart = n * sum - m * s, weight = m * n * (m + n);
            if (p + q >= count) continue;
            squares += more[q][2] + (weight > 0 ? apart * apart / weight : 0);
            sum += s, m += n;
            highest = more[q][3] > highest ? more[q][3] : highest;
            lowest = more[q][4] > lowest ? more[q][4] : lowest;
        }
    }
    found[f] = m, found[d + f] = sum, found[2 * d + f] = squares, found[3 * d + f] = highest, found[4 * d + f] = lowest;
}

/* sum[size] += parts[0] + parts[1] + ...: sums in single precision are short, and go on in double. */
KERNEL emi_add_up(const float *parts, whole count, whole size, double *sum)
{
    whole n = NUMBER;
    if (n >= size) return;
    double all = sum[n];
    for (whole p = 0; p < count; p += PIECE) {
        float x[PIECE];
        UNROLL for (int q = 0; q < PIECE; q++) x[q] = parts[less(p + q, count - 1) * size + n];
        UNROLL for (int q = 0; q < PIECE; q++) all += p + q < count ? x[q] : 0;
    }
    sum[n] = all;
}

/* ---- a product's columns ------------------------------------------------------------------------------------------------ */

/* to = x * by[feature]; NULL: as they are. */
#define SCALE(NAME, TO)                                                                                                \
    KERNEL NAME(const double *x, whole size, whole d, const double *by, TO *to)                                        \
    {                                                                                                                  \
        whole n = NUMBER;                                                                                              \
        if (n < size) to[n] = (TO)(by ? x[n] * by[n % d] : x[n]);                                                      \
    }

SCALE(emi_scale_double, double)
SCALE(emi_scale_float, float)

/* What the scores of so many rows begin with: less what the mean has. */
#define BEGIN(NAME, TO)                                                                                                \
    KERNEL NAME(const double *of_mean, whole rows, whole size, TO *scores)                                             \
    {                                                                                                                  \
        whole n = NUMBER;                                                                                              \
        if (n < size) scores[n] = (TO)-of_mean[n / rows];                                                              \
    }

BEGIN(emi_begin_double, double)
BEGIN(emi_begin_float, float)

/* Z <- weight (Z - mean sums') by[feature]; mean and by may be NULL. */
KERNEL emi_correct(double *Z, whole size, whole d, double weight, const double *mean, const double *by,
                   const double *sums)
{
    whole n = NUMBER;
    if (n >= size) return;
    double z = Z[n];
    if (mean) z -= sums[n / d] * mean[n % d];
    if (by) z *= by[n % d];
    Z[n] = weight * z;
}

/* A covariance from sums of products about an origin, of which the upper triangle is there:
 *
 *     C_fg <- weight by_f by_g (C_fg - sum_f away_g - away_f sum_g + rows away_f away_g),    both triangles
 *
 * with the sums of the differences from the origin, and how far away the mean is from it; NULL: it is the mean.  by may be NULL. */
KERNEL emi_centre(double *C, whole d, double rows, const double *sums, const double *away, const double *by,
                  double weight)
{
    whole f = COLUMN, g = (whole)BLOCK;
    if (f > g) return;
    double c = C[g * d + f];
    if (away) c += rows * away[f] * away[g] - (sums[f] * away[g] + away[f] * sums[g]);
    if (by) c *= by[f] * by[g];
    C[g * d + f] = C[f * d + g] = weight * c;
}

/* Uniform in -1 .. 1, each by its own place in the sequence of base/random.h. */
KERNEL emi_draw(unsigned long long seed, whole size, double *to)
{
    whole n = NUMBER;
    if (n >= size) return;
    unsigned long long z = seed + (unsigned long long)(n + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    to[n] = (double)(z >> 11) * 0x1p-52 - 1;
}
