/* The two products of skinny.c for one kind of number and of processor, included once for each of them with
 *
 *     REAL, KERNEL   the number, and what the functions' names begin with
 *     BYTES          of a vector register
 *     TARGET         what the processor has
 *
 * A number of a row meets a whole vector of columns: it is broadcast, and no sum crosses a vector.  ROWS rows of a panel's
 * vectors are eight sums that stay in registers, enough to hide how long an addition takes. */
#define JOINED(a, b) a##_##b
#define NAMED(a, b)  JOINED(a, b)
#define VECTOR       NAMED(KERNEL, vector)
enum {
    NAMED(KERNEL, LANES) = BYTES / sizeof(REAL),
    NAMED(KERNEL, VECTORS) = EMI_PANEL_BYTES / BYTES,
    NAMED(KERNEL, ROWS) = 8 * BYTES / EMI_PANEL_BYTES
};
#define LANES   NAMED(KERNEL, LANES)
#define VECTORS NAMED(KERNEL, VECTORS)
#define ROWS    NAMED(KERNEL, ROWS)

typedef REAL VECTOR __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));

/* S += Y X.  Where nothing comes after it, there is time to fetch the rows that come next. */
TARGET static void NAMED(KERNEL, scores)(const REAL *Y, size_t d, size_t features, const REAL *X, REAL *S,
                                         const char *ahead, size_t step)
{
    VECTOR *sums = (VECTOR *)S, s[ROWS][VECTORS];
    const VECTOR *x = (const VECTOR *)X;
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) s[r][v] = sums[r * VECTORS + v];
    for (size_t f = 0; f < features; f++, x += VECTORS, ahead += step) {
        __builtin_prefetch(ahead, 0, 2);
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < VECTORS; v++) s[r][v] += Y[(size_t)r * d + f] * x[v];
    }
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) sums[r * VECTORS + v] = s[r][v];
}

/* Z += Y' S.  As it reads its rows from the cache, there is time to fetch those that come next. */
TARGET static void NAMED(KERNEL, back)(const REAL *Y, size_t d, size_t features, const REAL *S, REAL *Z,
                                       const char *ahead, size_t step)
{
    const VECTOR *scores = (const VECTOR *)S;
    VECTOR *z = (VECTOR *)Z, s[ROWS][VECTORS];
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) s[r][v] = scores[r * VECTORS + v];
    for (size_t f = 0; f < features; f++, z += VECTORS, ahead += step) {
        __builtin_prefetch(ahead, 0, 2);
        for (int v = 0; v < VECTORS; v++) {
            VECTOR sum = z[v];
            for (int r = 0; r < ROWS; r++) sum += Y[(size_t)r * d + f] * s[r][v];
            z[v] = sum;
        }
    }
}

/* Rows with one panel, `features` at a time, so that their part of the panel stays in the cache for all rows. */
TARGET static void NAMED(KERNEL, block)(const emi_skinny_product *p, size_t panel, const void *rows, size_t count,
                                        emi_ahead ahead)
{
    enum { PANEL = EMI_PANEL_BYTES / sizeof(REAL), AT_ONCE = 1024 };
    size_t d = p->d;
    const REAL *Y = rows, *X = p->X ? (const REAL *)p->X + panel * d * PANEL : NULL;
    REAL *S = (REAL *)p->S + panel * count * PANEL, *Z = p->Z ? (REAL *)p->Z + panel * d * PANEL : NULL;
    size_t early = Z ? 0 : ahead.size;
    if (X) memset(S, 0, count * EMI_PANEL_BYTES);
    for (size_t r = 0; X && p->start && r < count; r++)
        memcpy(S + r * PANEL, (const REAL *)p->start + panel * PANEL, EMI_PANEL_BYTES);
    for (size_t f = 0; X && f < d; f += AT_ONCE)
        for (size_t r = 0; r < count; r += ROWS) NAMED(KERNEL, scores)
    (Y + r * d + f, d, d - f < AT_ONCE ? d - f : AT_ONCE, X + f * PANEL, S + r * PANEL,
     ahead.rows + (r * d + f * ROWS) * early, ROWS * early);
    for (size_t f = 0; Z && f < d; f += AT_ONCE)
        for (size_t r = 0; r < count; r += ROWS) NAMED(KERNEL, back)
    (Y + r * d + f, d, d - f < AT_ONCE ? d - f : AT_ONCE, S + r * PANEL, Z + f * PANEL,
     ahead.rows + (r * d + f * ROWS) * ahead.size, ROWS * ahead.size);
}

#undef JOINED
#undef NAMED
#undef VECTOR
#undef LANES
#undef VECTORS
#undef ROWS
#undef REAL
#undef KERNEL
#undef BYTES
#undef TARGET
