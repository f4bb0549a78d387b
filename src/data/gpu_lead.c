/* The leading eigenvectors of one node's C, found where its rows lie: block Lanczos whose basis B stays on the GPU, so that of each
 * step only small matrices come to the host.
 *
 *     W <- C q;   H <- B' W, the next columns of T = B' C B;   W <- W - B H, twice;   q beta <- W, into B
 *
 * T is looked at on the host (data/gpu_ritz.h).  q is made orthonormal by its Gram matrix, twice (Yamamoto, Nakatsukasa, Yanagisawa
 * and Fukaya, ETNA 44, 2015), which fails where columns depend on each other.  Then, and where the basis is full, what was found
 * by then is the answer: it is a start for a method that can do the rest, and judges it.
 *
 * Where C itself is there, products cost next to nothing beside eigenvectors of T: the first block is multiplied a few times before
 * it begins, so that T is smaller. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/gpu_product.h"
#include "data/gpu_ritz.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { BLOCKS = 20, BLOCKS_LEAST = 5, WIDEST = 128, SHARPER = 6 };

/* Of the pinned buffer. */
typedef struct hand {
    double *H, *R, *inverse; /* (room, b), (b, b), (b, b)                              */
    double *X;               /* (d, pairs), and C X (d, wanted) after it, in place of these */
} hand;

typedef struct lead {
    emi_leading *asked;
    emi_gpu_products products; /* with the rows; or with */
    emi_address C;             /* (d, d) their covariance; 0: it is not there */
    emi_gpu *gpu;
    size_t d, b, n, room;   /* features, columns of a block and of the basis, now and at most                  */
    emi_address B, A;       /* there: (d, room); C B, the same, or 0 where nobody asks for C X                 */
    emi_address Q, H, R, W; /* (d, b); (room, b); (b, b); (d, b) what was asked for last                       */
    hand hand;              /* here, pinned                                                                    */
    emi_gpu_ritz ritz;
    int loose;                  /* B is orthonormal to a few digits                                           */
    double *first, *second;     /* (b, b) what beta is made of                                                */
    double began, step_seconds; /* when the last step was asked for, and how long one took                    */
} lead;

static size_t block_bytes(const lead *l, size_t rows)
{
    return sizeof(double) * rows * l->b;
}

static em_status open_hand(lead *l, em_error *err)
{
    size_t small = block_bytes(l, l->room + 2 * l->b),
           large = sizeof(double) * l->d * (l->ritz.pairs + (size_t)l->asked->wanted);
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
    size_t basis = sizeof(double) * l->d * l->room, bases = l->asked->CX ? 2 : 1;
    TRY(emi_gpu_ritz_open(&l->ritz, l->b, l->room, (size_t)l->asked->X.cols, l->asked->tolerance, err));
    l->first = emi_doubles(2 * l->b * l->b);
    if (!l->first) TRY(emi_fail_memory(err, "krylov"));
    l->second = l->first + l->b * l->b;
    if (!l->C) TRY(emi_gpu_products_open(&l->products, l->b, err));
    TRY(emi_gpu_room(l->gpu, EMI_GPU_BASIS, bases * basis + block_bytes(l, l->d + l->room + l->b), &l->B, err));
    if (l->asked->CX) l->A = l->B + basis;
    l->Q = l->B + bases * basis;
    l->H = l->Q + block_bytes(l, l->d);
    l->R = l->H + block_bytes(l, l->room);
    TRY(open_hand(l, err));
done:
    return status;
}

static void close_lead(lead *l)
{
    emi_free(l->first);
    emi_gpu_ritz_close(&l->ritz);
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

/* R of b columns W = Q R, from W' W; and its inverse.  0: there is none. */
static int factor(const lead *l, size_t b, double *R)
{
    memcpy(R, l->hand.R, sizeof *R * b * b);
    for (size_t j = 0; j < b; j++) memset(R + j * b + j + 1, 0, sizeof *R * (b - j - 1));
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)b, R, (lapack_int)b) != 0) return 0;
    for (size_t n = 0; n < b * b; n++)
        if (!isfinite(R[n])) return 0;
    memcpy(l->hand.inverse, R, sizeof *R * b * b);
    return LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (lapack_int)b, l->hand.inverse, (lapack_int)b) == 0;
}

/* Asks for W' W of b columns. */
static em_status ask_gram(lead *l, emi_address W, size_t b, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, l->d, 0}, across = {W, l->d, 1}, small = {l->R, b, 0};
    emi_gpu_product gram = {.m = b, .n = b, .k = l->d, .A = across, .B = block, .C = small};
    TRY(emi_gpu_multiply(l->gpu, &gram, err));
    TRY(emi_gpu_get(l->gpu, l->hand.R, l->R, sizeof(double) * b * b, err));
done:
    return status;
}

/* R, when that has come, and with it all that was asked of the GPU before; *sound: there is one. */
static em_status take_gram(lead *l, size_t b, double *R, int *sound, em_error *err)
{
    em_status status = emi_gpu_wait(l->gpu, err);
    *sound = status == EM_OK && factor(l, b, R);
    return status;
}

/* Q = W / R. */
static em_status divide(lead *l, emi_address W, emi_address Q, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_matrix block = {W, l->d, 0}, small = {l->R, l->b, 0};
    emi_gpu_product solve = {.m = l->d, .n = l->b, .k = l->b, .A = block, .B = small, .C = {Q, l->d, 0}};
    TRY(emi_gpu_put(l->gpu, l->R, l->hand.inverse, block_bytes(l, l->b), err));
    TRY(emi_gpu_multiply(l->gpu, &solve, err));
done:
    return status;
}

static em_status orthonormalise(lead *l, emi_address W, emi_address Q, double *R, int *sound, em_error *err)
{
    em_status status = EM_OK;
    TRY(ask_gram(l, W, l->b, err));
    TRY(take_gram(l, l->b, R, sound, err));
    if (*sound) TRY(divide(l, W, Q, err));
done:
    return status;
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

/* Random columns, which are as good as orthogonal before they are made so, multiplied so many times; *sound: they are independent. */
static em_status draw(lead *l, int times, int *sound, em_error *err)
{
    em_status status = EM_OK;
    size_t size = l->d * l->b;
    emi_random random = emi_random_seed(l->asked->seed, EMI_STREAM_KRYLOV);
    unsigned long long state = random.state;
    long long numbers = (long long)size;
    void *arguments[] = {&state, &numbers, &l->Q};
    emi_address W, from = l->B;
    TRY(emi_gpu_launch(l->gpu, EMI_GPU_DRAW, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err));
    TRY(orthonormalise(l, l->Q, l->B, l->first, sound, err));
    for (int n = 0; n < times && *sound; n++, from = l->Q) {
        TRY(multiply(l, from, &W, err));
        TRY(orthonormalise(l, W, l->Q, l->first, sound, err));
    }
    if (*sound && times > 0) TRY(orthonormalise(l, l->Q, l->B, l->first, sound, err));
done:
    return status;
}

/* The first block; *sound: there is one.  Eigenvalues that are too far apart for its Gram matrix begin as they are drawn. */
static em_status begin(lead *l, int *sound, em_error *err)
{
    em_status status = draw(l, l->C ? SHARPER : 0, sound, err);
    if (status == EM_OK && !*sound && l->C) status = draw(l, 0, sound, err);
    l->n = l->b;
    return status;
}

/* C times the last block, as it is. */
static em_status keep_product(lead *l, em_error *err)
{
    size_t size = l->d * l->b;
    long long numbers = (long long)size, features = (long long)l->d;
    emi_address to = l->A + sizeof(double) * l->d * (l->n - l->b), by = 0;
    void *arguments[] = {&l->W, &numbers, &features, &by, &to};
    return emi_gpu_launch(l->gpu, EMI_GPU_SCALE_D, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err);
}

/* Asks for what the columns of T of the last block, and the next block, are made of. */
static em_status ask(lead *l, em_error *err)
{
    em_status status = EM_OK;
    emi_address last = l->B + sizeof(double) * l->d * (l->n - l->b);
    l->began = emi_seconds();
    TRY(multiply(l, last, &l->W, err));
    if (l->A) TRY(keep_product(l, err));
    TRY(project_out(l, l->W, err));
    TRY(emi_gpu_get(l->gpu, l->hand.H, l->H, block_bytes(l, l->n), err));
    if (!emi_gpu_ritz_is_rough(&l->ritz)) TRY(project_out(l, l->W, err));
    TRY(ask_gram(l, l->W, l->b, err));
done:
    return status;
}

/* Is what B' W and W' W lose, where W is short beside C q in some direction, nothing to two digits? */
static int is_good_at_once(const lead *l)
{
    static const double short_of = 1e-5; /* whose square leaves a part in a million */
    double largest = fabs(l->ritz.T[0]), least = INFINITY;
    for (size_t j = 0; j < l->b; j++) {
        largest = fmax(largest, l->first[j * l->b + j]);
        least = fmin(least, l->first[j * l->b + j]);
    }
    return emi_gpu_ritz_is_rough(&l->ritz) && least > short_of * largest;
}

/* These columns, and the next block behind it; *more: there is one. */
static em_status extend(lead *l, int *more, em_error *err)
{
    em_status status = EM_OK;
    emi_address next = l->B + sizeof(double) * l->d * l->n;
    TRY(take_gram(l, l->b, l->first, more, err));
    l->step_seconds = emi_seconds() - l->began;
    emi_gpu_ritz_take(&l->ritz, l->n, l->hand.H);
    *more = *more && l->n + l->b <= l->room;
    if (!*more) goto done;
    int once = is_good_at_once(l);
    l->loose |= once;
    TRY(divide(l, l->W, once ? next : l->Q, err));
    if (!once) {
        TRY(project_out(l, l->Q, err)); /* what the first time magnified of rounding */
        TRY(orthonormalise(l, l->Q, next, l->second, more, err));
    }
    if (*more) emi_gpu_ritz_link(&l->ritz, l->first, once ? NULL : l->second);
done:
    return status;
}

/* ---- what was found ---------------------------------------------------------------------------------------------------- */

/* The first columns of `from` V. */
static em_status combine(lead *l, emi_address from, size_t columns, emi_address to, em_error *err)
{
    emi_gpu_product p = {
        .m = l->d, .n = columns, .k = l->n, .A = {from, l->d, 0}, .B = {l->H, l->n, 0}, .C = {to, l->d, 0}};
    return emi_gpu_multiply(l->gpu, &p, err);
}

/* V, as the host has it. */
static em_status put_vectors(lead *l, size_t pairs, em_error *err)
{
    size_t bytes = sizeof(double) * l->n * pairs;
    memcpy(l->hand.H, l->ritz.vectors, bytes);
    return emi_gpu_put(l->gpu, l->H, l->hand.H, bytes, err);
}

/* V becomes what makes B V orthonormal to all digits, if B is so to a few. */
static em_status tighten(lead *l, size_t pairs, em_error *err)
{
    em_status status = EM_OK;
    int sound;
    TRY(put_vectors(l, pairs, err));
    TRY(combine(l, l->B, pairs, l->Q, err));
    TRY(ask_gram(l, l->Q, pairs, err));
    TRY(take_gram(l, pairs, l->first, &sound, err));
    if (sound)
        cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)l->n, (int)pairs, 1,
                    l->hand.inverse, (int)pairs, l->ritz.vectors, (int)l->n);
done:
    return status;
}

/* X = B V and, with `products`, C X = A V. */
static em_status fetch(lead *l, int products, em_error *err)
{
    em_status status = EM_OK;
    size_t pairs = products ? (size_t)l->asked->wanted : l->ritz.pairs, bytes = sizeof(double) * l->d * pairs;
    double *CX = l->hand.X + l->d * pairs;
    TRY(emi_gpu_wait(l->gpu, err)); /* for the hand */
    if (l->loose) TRY(tighten(l, pairs, err));
    TRY(put_vectors(l, pairs, err));
    TRY(combine(l, l->B, pairs, l->Q, err));
    TRY(emi_gpu_get(l->gpu, l->hand.X, l->Q, bytes, err));
    if (products) {
        TRY(combine(l, l->A, pairs, l->Q, err));
        TRY(emi_gpu_get(l->gpu, CX, l->Q, bytes, err));
    }
    TRY(emi_gpu_wait(l->gpu, err));
    memcpy(l->asked->X.v, l->hand.X, bytes);
    if (products) memcpy(l->asked->CX, CX, bytes);
done:
    return status;
}

/* Is it found, with products that are good enough to be told? */
static int is_complete(const lead *l)
{
    const double *theta = l->ritz.values;
    return l->A && theta[l->asked->wanted - 1] >= l->asked->least * theta[0];
}

/* What the host would have to find out of X and C X. */
static void tell(lead *l)
{
    emi_leading *found = l->asked;
    size_t wanted = (size_t)found->wanted;
    found->complete = 1;
    found->next = found->beyond = NAN;
    for (size_t k = 0; k < wanted; k++) {
        found->theta[k] = l->ritz.values[k];
        found->residual = fmax(found->residual, emi_gpu_ritz_residual(&l->ritz, l->n, k) / found->theta[k]);
    }
    if (wanted == l->ritz.pairs) return;
    found->next = l->ritz.values[wanted];
    found->beyond = emi_gpu_ritz_residual(&l->ritz, l->n, wanted);
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

/* Within. */
static em_status find_leading(lead *l, em_error *err)
{
    em_status status = EM_OK;
    int more = 1, enough = 0;
    long blocks = 1;
    size_t found = 0; /* columns that were looked at */
    TRY(open_lead(l, err));
    TRY(begin(l, &more, err));
    if (!more) goto done;
    TRY(ask(l, err));
    while (!enough) {
        TRY(extend(l, &more, err));
        if (!more) break;
        found = l->n;
        l->n += l->b;
        int looks = --l->ritz.next == 0, early = !looks || emi_gpu_ritz_goes_on(&l->ritz, l->step_seconds);
        if (early) TRY(ask(l, err));
        if (looks) TRY(emi_gpu_ritz_look(&l->ritz, found, (size_t)l->asked->wanted, &enough, err));
        if (looks) l->began += l->ritz.seconds; /* which is no time of the step that may be under way */
        if (!enough && !early) TRY(ask(l, err));
        blocks += !enough;
    }
    if (enough)
        l->n = found;
    else
        TRY(emi_gpu_ritz_solve(&l->ritz, l->n, err));
    int complete = enough && is_complete(l);
    TRY(fetch(l, complete, err));
    if (complete) tell(l);
    l->asked->steps = blocks;
done:
    return status;
}

/* By the GPU's size, and not by what is free, which would decide bits. */
static int can_be_resident(const emi_gpu_rows *rows)
{
    size_t row = rows->d * (rows->single ? sizeof(float) : sizeof(double));
    return rows->shard->count <= emi_gpu_size(rows->gpu) / 4 * 3 / row;
}

/* A product with the rows, whose time is that of reading them, takes hardly more of it for some columns more, and fewer steps are
 * needed with those; where there are features enough for as many. */
static size_t columns_of_block(const emi_gpu_rows *rows, const emi_leading *asked, int by_rows)
{
    enum { MORE = 12, WHOLE = 8 };
    size_t least = (size_t)asked->X.cols, b = ((size_t)asked->wanted + MORE + WHOLE - 1) / WHOLE * WHOLE;
    return by_rows && b > least && b <= WIDEST && rows->d >= BLOCKS * b ? b : least;
}

em_status emi_gpu_rows_lead(emi_gpu_rows *rows, const emi_operator *C, emi_leading *asked, em_error *err)
{
    const int by_rows = !C->kind->squared;
    size_t b = columns_of_block(rows, asked, by_rows), blocks = rows->d / b < BLOCKS ? rows->d / b : BLOCKS;
    lead l = {.asked = asked,
              .products = {.rows = rows, .C = C, .real = C->real, .judged = asked->tolerance},
              .C = by_rows ? 0 : rows->matrix,
              .gpu = rows->gpu,
              .d = rows->d,
              .b = b,
              .room = blocks * b};
    if (b > WIDEST || blocks < BLOCKS_LEAST || rows->shard->count < l.room) return EM_OK; /* the host is as quick */
    if (by_rows && !can_be_resident(rows)) return EM_OK; /* it takes long, and somebody may want to stop it */
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = find_leading(&l, err);
    emi_gpu_leave(rows->gpu);
    close_lead(&l);
    return status == EM_ENOMEM || status == EM_ENUMERIC ? EM_OK : status; /* there are other starts */
}
