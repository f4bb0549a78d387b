/* What cuBLAS has no function for.  C in all but its name: scripts/make-kernels has clang make kernels.ptx of it, a text that the
 * driver compiles for whatever GPU there is; and tests compile it for the CPU, where a macro is each thread's place.
 *
 * A thread has one column, or one number, and sums in order: bits do not depend on which thread is when. */
#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global)) void
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK  __nvvm_read_ptx_sreg_ctaid_x()
#define STRIPE __nvvm_read_ptx_sreg_ctaid_y()
#endif

enum { THREADS = 128, PIECE = 64, FOUND = 5 };

typedef long long whole;

/* Rows first .. of part BLOCK, and column STRIPE * THREADS + THREAD. */
#define COLUMN ((whole)STRIPE * THREADS + (whole)THREAD)

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
        for (whole r = first; r < end; r++) {                                                                          \
            double x = from[r * row_step + f * column_step];                                                           \
            if (fill && x != x) x = fill[f];                                                                           \
            to[r * d + f] = (TO)((x - m) * i);                                                                         \
        }                                                                                                              \
    }

STANDARDISE(emi_standardise_float_float, float, float)
STANDARDISE(emi_standardise_float_double, float, double)
STANDARDISE(emi_standardise_double_float, double, float)
STANDARDISE(emi_standardise_double_double, double, double)

/* What data/moments.h wants to know, of part BLOCK: found[part][FOUND][d].  A piece's squares are about its own mean, and pieces are
 * merged by the formula of Chan, Golub and LeVeque (data/moments.c). */
#define SURVEY(NAME, FROM)                                                                                             \
    KERNEL NAME(const FROM *from, whole row_step, whole column_step, whole rows, whole rows_a_part, whole d,           \
                const double *origin, const double *unit, whole holes, double *found)                                  \
    {                                                                                                                  \
        whole f = COLUMN, first = (whole)BLOCK * rows_a_part, end = less(first + rows_a_part, rows);                   \
        if (f >= d) return;                                                                                            \
        double o = origin[f], u = unit ? unit[f] : 1, count = 0, sum = 0, squares = 0, highest = -__builtin_inf(),     \
               lowest = highest;                                                                                       \
        for (; first < end; first += PIECE) {                                                                          \
            whole last = less(first + PIECE, end);                                                                     \
            double n = 0, s = 0, about = 0;                                                                            \
            for (whole r = first; r < last; r++) {                                                                     \
                double x = from[r * row_step + f * column_step];                                                       \
                if (unit) x /= u;                                                                                      \
                if (holes && x != x) continue;                                                                         \
                n += 1, s += x - o;                                                                                    \
                highest = x > highest ? x : highest;                                                                   \
                lowest = -x > lowest ? -x : lowest;                                                                    \
            }                                                                                                          \
            double mean = n > 0 ? s / n : 0, weight = count * n * (count + n), apart = n * sum - count * s;            \
            for (whole r = first; r < last; r++) {                                                                     \
                double x = from[r * row_step + f * column_step], away;                                                 \
                if (unit) x /= u;                                                                                      \
                away = x - o - mean;                                                                                   \
                if (!holes || x == x) about += away * away;                                                            \
            }                                                                                                          \
            squares += about + (weight > 0 ? apart * apart / weight : 0);                                              \
            sum += s, count += n;                                                                                      \
        }                                                                                                              \
        double *to = found + (whole)BLOCK * FOUND * d + f;                                                             \
        to[0] = count, to[d] = sum, to[2 * d] = squares, to[3 * d] = highest, to[4 * d] = lowest;                      \
    }

SURVEY(emi_survey_float, float)
SURVEY(emi_survey_double, double)

/* All parts of it, in order, into what was found before: found[FOUND][d]. */
KERNEL emi_survey_join(const double *parts, whole count, whole d, double *found)
{
    whole f = COLUMN;
    if (f >= d) return;
    double m = found[f], sum = found[d + f], squares = found[2 * d + f], highest = found[3 * d + f],
           lowest = found[4 * d + f];
    for (whole p = 0; p < count; p++) {
        const double *more = parts + p * FOUND * d + f;
        double n = more[0], apart = n * sum - m * more[d], weight = m * n * (m + n);
        squares += more[2 * d] + (weight > 0 ? apart * apart / weight : 0);
        sum += more[d], m += n;
        highest = more[3 * d] > highest ? more[3 * d] : highest;
        lowest = more[4 * d] > lowest ? more[4 * d] : lowest;
    }
    found[f] = m, found[d + f] = sum, found[2 * d + f] = squares, found[3 * d + f] = highest, found[4 * d + f] = lowest;
}

/* sum[size] += parts[0] + parts[1] + ...: sums in single precision are short, and go on in double. */
KERNEL emi_add_up(const float *parts, whole count, whole size, double *sum)
{
    whole n = (whole)BLOCK * THREADS + (whole)THREAD;
    if (n >= size) return;
    double all = sum[n];
    for (whole p = 0; p < count; p++) all += parts[p * size + n];
    sum[n] = all;
}
