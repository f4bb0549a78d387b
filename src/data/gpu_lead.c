/* The leading eigenvectors of one node's C, found where its rows lie: block Lanczos whose basis B stays on the GPU, so that of each
 * step only small matrices come to the host.
 *
 *     W <- C q;   H <- B' W, the next columns of T = B' C B;   W <- W - B H, twice;   q beta <- W, into B
 *
 * A Ritz pair's residual is the length of beta v, v the end of its eigenvector of T (Golub and Underwood, Mathematical Software III,
 * 1977), so that no product is needed to know it.  q is made orthonormal by its Gram matrix, twice (Yamamoto, Nakatsukasa, Yanagisawa
 * and Fukaya, ETNA 44, 2015), which fails where columns depend on each other.  Then, and where the basis is full, what was found
 * by then is the answer: it is a start for a method that can do the rest, and judges it.
 *
 * Where C itself is there, products cost next to nothing beside eigenvectors of T: the first block is multiplied a few times before
 * it begins, so that T is smaller. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/gpu_product.h"
#include "linalg/basis.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { BLOCKS = 20, WIDEST = 128, SHARPER = 6 };
enum { FIRST_LOOK = 5, FIRST_LOOK_ROUGH = 2, LOOK_AGAIN = 2, LOOK_AT_LATEST = 4, UNTIL_IT_FALLS = 2 };
static const double rough = 1e-3; /* a tolerance that few steps reach */

/* Of the pinned buffer. */
typedef struct hand {
    double *H, *R, *inverse; /* (room, b), (b, b), (b, b)                          */
    double *X;               /* (d, b), in place of these                          */
} hand;

typedef struct lead {
    emi_gpu_products products; /* with the rows; or with */
    emi_address C;             /* (d, d) their covariance; 0: it is not there */
    emi_gpu *gpu;
    size_t d, b, n, room;     /* features, columns of a block and of the basis, now and at most          */
    emi_address B, Q, H, R;   /* there: (d, room); (d, b); (room, b); (b, b)                             */
    emi_address W;            /* (d, b) what was asked for last                                          */
    hand hand;                /* here, pinned                                                            */
    double *T, *beta;         /* (room, room); (b, b)                                                    */
    double *values, *vectors; /* of T, the first b: (b), (n, b)                                          */
    double *work;             /* (room, room), or two matrices of b x b                                  */
    double before;            /* the residual at the last look, so many steps ago                        */
    size_t since, next;
    double asked, step_seconds, look_seconds; /* when, and how long the last ones took */
} lead;

static size_t block_bytes(const lead *l, size_t rows)
{
    return sizeof(double) * rows * l->b;
}

static em_status open_hand(lead *l, em_error *err)
{
    size_t small = block_bytes(l, l->room + 2 * l->b), large = block_bytes(l, l->d);
    void *at;
    em_status status = emi_gpu_hand(l->gpu, small > large ? small : large, &at, err);
    if (status != EM_OK) return status;
    l->hand = (hand){.H = at, .X = at};
    l->hand.R = l->hand.H + l->room * l->b;
    l->hand.inverse = l->hand.R + l->b * l->b;
    return EM_OK;
}

static em_status open_lead(lead *l, em_error *err)
{
    em_status status = EM_OK;
    size_t basis = sizeof(double) * l->d * l->room;
    if (!l->C) TRY(emi_gpu_products_open(&l->products, l->b, err));
    TRY(emi_gpu_room(l->gpu, EMI_GPU_BASIS, basis + block_bytes(l, l->d + l->room + l->b), &l->B, err));
    l->Q = l->B + basis;
    l->H = l->Q + block_bytes(l, l->d);
    l->R = l->H + block_bytes(l, l->room);
    TRY(open_hand(l, err));
    l->T = emi_room(l->room * l->room);
    l->work = emi_room(l->room * l->room);
    l->beta = emi_doubles(l->b * l->b);
    l->values = emi_doubles(l->b);
    l->vectors = emi_room(l->room * l->b);
    if (!l->T || !l->work || !l->beta || !l->values || !l->vectors) TRY(emi_fail_memory(err, "krylov"));
done:
    return status;
}

static void close_lead(lead *l)
{
    emi_free(l->vectors);
    emi_free(l->values);
    emi_free(l->beta);
    emi_free(l->work);
    emi_free(l->T);
}

/* ---- a step --------------------------------------------------------------------------------------------------------- */

/* H = B' W, and W <- W - B H. */
static em_status project_out(lead *l, emi_address W, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix B = {l->B, l->d, 0}, across = {l->B, l->d, 1}, block = {W, l->d, 0}, along = {l->H, l->n, 0};
    emi_gpu_product find = {.m = l->n, .n = l->b, .k = l->d, .A = across, .B = block, .C = along},
                    remove = {.m = l->d, .n = l->b, .k = l->n, .A = B, .B = along, .C = block, .beta = 1, .minus = 1};
    TRY(emi_gpu_multiply(l->gpu, &find, err));
    TRY(emi_gpu_multiply(l->gpu, &remove, err));
done:
    return status;
}

/* R of W = Q R, from W' W; and its inverse.  0: there is none. */
static int factor(const lead *l, double *R)
{
    lapack_int b = (lapack_int)l->b;
    size_t size = l->b * l->b;
    memcpy(R, l->hand.R, sizeof *R * size);
    for (size_t j = 0; j < l->b; j++) memset(R + j * l->b + j + 1, 0, sizeof *R * (l->b - j - 1));
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', b, R, b) != 0) return 0;
    for (size_t n = 0; n < size; n++)
        if (!isfinite(R[n])) return 0;
    memcpy(l->hand.inverse, R, sizeof *R * size);
    return LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', b, l->hand.inverse, b) == 0;
}

/* Asks for W' W. */
static em_status ask_gram(lead *l, emi_address W, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, l->d, 0}, across = {W, l->d, 1}, small = {l->R, l->b, 0};
    emi_gpu_product gram = {.m = l->b, .n = l->b, .k = l->d, .A = across, .B = block, .C = small};
    TRY(emi_gpu_multiply(l->gpu, &gram, err));
    TRY(emi_gpu_get(l->gpu, l->hand.R, l->R, block_bytes(l, l->b), err));
done:
    return status;
}

/* W = Q R, when that has come, and with it all that was asked of the GPU before; *sound: there is an R. */
static em_status divide(lead *l, emi_address W, emi_address Q, double *R, int *sound, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, l->d, 0}, small = {l->R, l->b, 0};
    emi_gpu_product solve = {.m = l->d, .n = l->b, .k = l->b, .A = block, .B = small, .C = {Q, l->d, 0}};
    TRY(emi_gpu_wait(l->gpu, err));
    *sound = factor(l, R);
    if (!*sound) return EM_OK;
    TRY(emi_gpu_put(l->gpu, l->R, l->hand.inverse, block_bytes(l, l->b), err));
    TRY(emi_gpu_multiply(l->gpu, &solve, err));
done:
    return status;
}

static em_status orthonormalise(lead *l, emi_address W, emi_address Q, double *R, int *sound, em_error *err)
{
    em_status status = ask_gram(l, W, err);
    return status == EM_OK ? divide(l, W, Q, R, sound, err) : status;
}

/* W = C q. */
static em_status multiply(lead *l, emi_address q, emi_address *W, em_error *err)
{
    em_status status = EM_OK;
    if (!l->C) {
        TRY(emi_gpu_products_make(&l->products, q, l->b, err));
        *W = l->products.Z;
        return EM_OK;
    }
    TRY(emi_gpu_room(l->gpu, EMI_GPU_SUM, block_bytes(l, l->d), W, err));
    emi_gpu_product p = {.m = l->d, .n = l->b, .k = l->d, .A = {l->C, l->d, 0}, .B = {q, l->d, 0}, .C = {*W, l->d, 0}};
    TRY(emi_gpu_multiply(l->gpu, &p, err));
done:
    return status;
}

/* Random columns, multiplied so many times; *sound: they are independent. */
static em_status draw(lead *l, uint64_t seed, int times, int *sound, em_error *err)
{
    em_status status = EM_OK;
    size_t size = l->d * l->b;
    emi_random random = emi_random_seed(seed, EMI_STREAM_KRYLOV);
    unsigned long long state = random.state;
    long long numbers = (long long)size;
    void *arguments[] = {&state, &numbers, &l->B};
    emi_address W;
    TRY(emi_gpu_launch(l->gpu, EMI_GPU_DRAW, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err));
    TRY(orthonormalise(l, l->B, l->Q, l->work, sound, err));
    for (int n = 0; n < times && *sound; n++) {
        TRY(multiply(l, l->Q, &W, err));
        TRY(orthonormalise(l, W, l->Q, l->work, sound, err));
    }
    if (*sound) TRY(orthonormalise(l, l->Q, l->B, l->work, sound, err));
done:
    return status;
}

/* The first block; *sound: there is one.  Eigenvalues that are too far apart for its Gram matrix begin as they are drawn. */
static em_status begin(lead *l, uint64_t seed, int *sound, em_error *err)
{
    em_status status = draw(l, seed, l->C ? SHARPER : 0, sound, err);
    if (status == EM_OK && !*sound && l->C) status = draw(l, seed, 0, sound, err);
    l->n = l->b;
    return status;
}

/* beta = second first, both upper triangles. */
static void find_beta(lead *l, const double *first, const double *second)
{
    size_t b = l->b;
    memset(l->beta, 0, block_bytes(l, b));
    for (size_t j = 0; j < b; j++)
        for (size_t k = 0; k <= j; k++)
            for (size_t i = 0; i <= k; i++) l->beta[j * b + i] += second[k * b + i] * first[j * b + k];
}

/* What H was when it was asked for: the columns of T that belong to the last block. */
static void take_columns(lead *l)
{
    for (size_t c = 0; c < l->b; c++)
        memcpy(l->T + (l->n - l->b + c) * l->room, l->hand.H + c * l->n, sizeof *l->T * l->n);
}

/* Asks for what the columns of T of the last block, and the next block, are made of. */
static em_status ask(lead *l, em_error *err)
{
    em_status status = EM_OK;
    emi_address last = l->B + sizeof(double) * l->d * (l->n - l->b);
    l->asked = emi_seconds();
    TRY(multiply(l, last, &l->W, err));
    TRY(project_out(l, l->W, err));
    TRY(emi_gpu_get(l->gpu, l->hand.H, l->H, block_bytes(l, l->n), err));
    TRY(project_out(l, l->W, err));
    TRY(ask_gram(l, l->W, err));
done:
    return status;
}

/* These columns, and the next block behind it; *more: there is one. */
static em_status extend(lead *l, int *more, em_error *err)
{
    em_status status = EM_OK;
    emi_address next = l->B + sizeof(double) * l->d * l->n;
    double *first = l->work, *second = first + l->b * l->b;
    TRY(divide(l, l->W, l->Q, first, more, err));
    l->step_seconds = emi_seconds() - l->asked;
    take_columns(l);
    *more = *more && l->n + l->b <= l->room;
    if (!*more) goto done;
    TRY(project_out(l, l->Q, err)); /* what the first time magnified of rounding */
    TRY(orthonormalise(l, l->Q, next, second, more, err));
    if (*more) find_beta(l, first, second);
done:
    return status;
}

/* ---- what was found ---------------------------------------------------------------------------------------------------- */

/* The eigenvectors of T, of so many columns. */
static em_status solve_small(lead *l, size_t n, em_error *err)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) l->work[j * n + i] = l->work[i * n + j] = l->T[j * l->room + i];
    return emi_first_eigen(l->work, (int)n, (int)l->b, l->values, l->vectors, err);
}

/* The largest residual of those that are wanted, each relative to its eigenvalue. */
static double worst_residual(const lead *l, size_t n, size_t wanted)
{
    double worst = 0;
    for (size_t k = 0; k < wanted; k++) {
        double square = 0;
        const double *end = l->vectors + k * n + n - l->b;
        for (size_t i = 0; i < l->b; i++) {
            double sum = 0;
            for (size_t j = i; j < l->b; j++) sum += l->beta[j * l->b + i] * end[j];
            square += sum * sum;
        }
        worst = fmax(worst, l->values[k] > 0 ? sqrt(square) / l->values[k] : INFINITY);
    }
    return worst;
}

/* May the next step be asked for while the host looks whether it is needed?  The first look seldom is the last, but where few digits
 * are wanted; afterwards it would often be waited for in vain, which is no loss if the look takes as long. */
static int is_worth_asking(const lead *l, double tolerance)
{
    return l->look_seconds == 0 ? tolerance <= rough : l->step_seconds < l->look_seconds;
}

/* After so many steps: residuals fall about as fast as they did since the last look, or since they began to, or faster. */
static size_t next_look(const lead *l, double residual, double tolerance)
{
    double fell = log(l->before / residual) / (double)l->since, steps = log(residual / tolerance) / fell;
    if (!(fell > 0)) return LOOK_AGAIN;
    return steps < 1 ? 1 : steps > LOOK_AT_LATEST ? LOOK_AT_LATEST : (size_t)steps;
}

static em_status look(lead *l, size_t n, int wanted, double tolerance, int *enough, em_error *err)
{
    double began = emi_seconds();
    em_status status = solve_small(l, n, err);
    if (status != EM_OK) return status;
    double residual = worst_residual(l, n, (size_t)wanted);
    l->look_seconds = emi_seconds() - began;
    l->asked += l->look_seconds; /* which is no time of the step that may be under way */
    *enough = residual <= tolerance;
    if (*enough) return EM_OK;
    l->next = next_look(l, residual, tolerance);
    l->before = residual;
    l->since = l->next;
    return EM_OK;
}

/* X = B V. */
static em_status fetch(lead *l, emi_block X, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix B = {l->B, l->d, 0}, V = {l->H, l->n, 0};
    emi_gpu_product found = {.m = l->d, .n = l->b, .k = l->n, .A = B, .B = V, .C = {l->Q, l->d, 0}};
    TRY(emi_gpu_wait(l->gpu, err)); /* for the hand */
    memcpy(l->hand.H, l->vectors, block_bytes(l, l->n));
    TRY(emi_gpu_put(l->gpu, l->H, l->hand.H, block_bytes(l, l->n), err));
    TRY(emi_gpu_multiply(l->gpu, &found, err));
    TRY(emi_gpu_get(l->gpu, l->hand.X, l->Q, block_bytes(l, l->d), err));
    TRY(emi_gpu_wait(l->gpu, err));
    memcpy(X.v, l->hand.X, block_bytes(l, l->d));
done:
    return status;
}

/* Steps before residuals are looked at: a few digits take fewer. */
static size_t first_look(double tolerance)
{
    return tolerance > rough ? FIRST_LOOK_ROUGH : FIRST_LOOK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

/* Within. */
static em_status find_leading(lead *l, int wanted, double tolerance, uint64_t seed, emi_block X, long *steps,
                              em_error *err)
{
    em_status status = EM_OK;
    int more = 1, enough = 0;
    long blocks = 1;
    size_t found = 0; /* columns that were looked at */
    TRY(open_lead(l, err));
    TRY(begin(l, seed, &more, err));
    if (!more) goto done;
    l->next = first_look(tolerance);
    l->since = l->next > UNTIL_IT_FALLS ? l->next - UNTIL_IT_FALLS : 1;
    TRY(ask(l, err));
    while (!enough) {
        TRY(extend(l, &more, err));
        if (!more) break;
        found = l->n;
        l->n += l->b;
        int looks = --l->next == 0, early = !looks || is_worth_asking(l, tolerance);
        if (early) TRY(ask(l, err));
        if (looks) TRY(look(l, found, wanted, tolerance, &enough, err));
        if (!enough && !early) TRY(ask(l, err));
        blocks += !enough;
    }
    if (enough)
        l->n = found;
    else
        TRY(solve_small(l, l->n, err));
    TRY(fetch(l, X, err));
    *steps = blocks;
done:
    return status;
}

/* By the GPU's size, and not by what is free, which would decide bits. */
static int can_be_resident(const emi_gpu_rows *rows)
{
    size_t row = rows->d * (rows->single ? sizeof(float) : sizeof(double));
    return rows->shard->count <= emi_gpu_size(rows->gpu) / 4 * 3 / row;
}

em_status emi_gpu_rows_lead(emi_gpu_rows *rows, const emi_operator *C, int wanted, double tolerance, uint64_t seed,
                            emi_block X, long *steps, em_error *err)
{
    size_t b = (size_t)X.cols, blocks = rows->d / b < BLOCKS ? rows->d / b : BLOCKS;
    lead l = {.products = {.rows = rows, .C = C, .real = C->real, .judged = tolerance},
              .C = C->kind->squared ? rows->matrix : 0,
              .gpu = rows->gpu,
              .d = rows->d,
              .b = b,
              .room = blocks * b,
              .before = 1};
    *steps = 0;
    if (b > WIDEST || blocks < FIRST_LOOK || rows->shard->count < l.room) return EM_OK; /* the host is as quick */
    if (!l.C && !can_be_resident(rows)) return EM_OK; /* it takes long, and somebody may want to stop it */
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = find_leading(&l, wanted, tolerance, seed, X, steps, err);
    emi_gpu_leave(rows->gpu);
    close_lead(&l);
    return status == EM_ENOMEM || status == EM_ENUMERIC ? EM_OK : status; /* there are other starts */
}
