/* The leading eigenvectors of one node's C, found where its rows lie: block Lanczos whose basis B stays on the GPU, so that of each
 * step only small matrices come to the host.
 *
 *     W <- C q;   H <- B' W, the next columns of T = B' C B;   W <- W - B H, twice;   q beta <- W, into B
 *
 * T is looked at on the host (data/gpu_ritz.h).  Where the columns of W depend on each other, and where the basis is full, what was found
 * by then is the answer: it is a start for a method that can do the rest, and judges it.  Where products with the rows are in double
 * precision, they are kept, A = C B, so that the answer X = B V comes with C X = A V, and nobody has to multiply with it again.
 *
 * Where C itself is there, products cost next to nothing beside eigenvectors of T: the first block is multiplied a few times before
 * it begins, so that T is smaller. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/gpu_basis.h"
#include "data/gpu_product.h"
#include "data/gpu_ritz.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 20, BLOCKS_LEAST = 5, WIDEST = 128, SHARPER = 6 };

typedef struct lead {
    emi_leading *asked;
    emi_gpu_products products; /* with the rows; or with */
    emi_address C;             /* (d, d) their covariance; 0: it is not there */
    emi_gpu *gpu;
    emi_gpu_basis basis;
    emi_gpu_ritz ritz;
    emi_address W;              /* (d, b) what was asked for last                                             */
    int loose;                  /* B is orthonormal to a few digits                                           */
    double *first, *second;     /* (b, b) what beta is made of                                                */
    double began, step_seconds; /* when the last step was asked for, and how long one took                    */
} lead;

/* Beside the basis, in half of what is spared for work; by the GPU's size, and not by what is free, which would decide bits. */
static int can_keep_products(const lead *l)
{
    enum { SHARE = 16 };
    return l->basis.d * l->basis.room <= emi_gpu_size(l->gpu) / SHARE / (2 * sizeof(double));
}

static em_status open_lead(lead *l, em_error *err)
{
    em_status status = EM_OK;
    size_t b = l->basis.b;
    TRY(emi_gpu_ritz_open(&l->ritz, b, l->basis.room, (size_t)l->asked->X.cols, l->asked->tolerance, err));
    l->first = emi_doubles(2 * b * b);
    if (!l->first) TRY(emi_fail_memory(err, "krylov"));
    l->second = l->first + b * b;
    if (!l->C) TRY(emi_gpu_products_open(&l->products, b, err));
    TRY(emi_gpu_basis_open(&l->basis, l->asked->CX && can_keep_products(l), err));
done:
    return status;
}

static void close_lead(lead *l)
{
    emi_free(l->first);
    emi_gpu_ritz_close(&l->ritz);
}

/* ---- a step --------------------------------------------------------------------------------------------------------- */

/* W = C q. */
static em_status multiply(lead *l, emi_address q, emi_address *W, em_error *err)
{
    em_status status = EM_OK;
    if (!l->C) {
        TRY(emi_gpu_products_make(&l->products, q, l->basis.b, err));
        *W = l->products.Z;
        return EM_OK;
    }
    TRY(emi_gpu_room(l->gpu, EMI_GPU_SUM, sizeof(double) * l->basis.d * l->basis.b, W, err));
    emi_gpu_product p = {.m = l->basis.d,
                         .n = l->basis.b,
                         .k = l->basis.d,
                         .A = {l->C, l->basis.d, 0},
                         .B = {q, l->basis.d, 0},
                         .C = {*W, l->basis.d, 0}};
    TRY(emi_gpu_multiply(l->gpu, &p, err));
done:
    return status;
}

/* Random columns, which are as good as orthogonal before they are made so, multiplied so many times; *sound: they are independent. */
static em_status draw(lead *l, int times, int *sound, em_error *err)
{
    em_status status = EM_OK;
    size_t size = l->basis.d * l->basis.b;
    emi_random random = emi_random_seed(l->asked->seed, EMI_STREAM_KRYLOV);
    unsigned long long state = random.state;
    long long numbers = (long long)size;
    void *arguments[] = {&state, &numbers, &l->basis.Q};
    emi_address W, from = l->basis.B;
    TRY(emi_gpu_launch(l->gpu, EMI_GPU_DRAW, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err));
    TRY(emi_gpu_basis_orthonormalise(&l->basis, l->basis.Q, l->basis.B, l->first, sound, err));
    for (int n = 0; n < times && *sound; n++, from = l->basis.Q) {
        TRY(multiply(l, from, &W, err));
        TRY(emi_gpu_basis_orthonormalise(&l->basis, W, l->basis.Q, l->first, sound, err));
    }
    if (*sound && times > 0) TRY(emi_gpu_basis_orthonormalise(&l->basis, l->basis.Q, l->basis.B, l->first, sound, err));
done:
    return status;
}

/* The first block; *sound: there is one.  Eigenvalues that are too far apart for its Gram matrix begin as they are drawn. */
static em_status begin(lead *l, int *sound, em_error *err)
{
    em_status status = draw(l, l->C ? SHARPER : 0, sound, err);
    if (status == EM_OK && !*sound && l->C) status = draw(l, 0, sound, err);
    l->basis.n = l->basis.b;
    return status;
}

/* C times the last block, as it is. */
static em_status keep_product(lead *l, em_error *err)
{
    size_t size = l->basis.d * l->basis.b;
    long long numbers = (long long)size, features = (long long)l->basis.d;
    emi_address to = emi_gpu_basis_block(&l->basis, l->basis.A, l->basis.n - l->basis.b), by = 0;
    void *arguments[] = {&l->W, &numbers, &features, &by, &to};
    return emi_gpu_launch(l->gpu, EMI_GPU_SCALE_D, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err);
}

/* Asks for what the columns of T of the last block, and the next block, are made of. */
static em_status ask(lead *l, em_error *err)
{
    em_status status = EM_OK;
    emi_address last = emi_gpu_basis_block(&l->basis, l->basis.B, l->basis.n - l->basis.b);
    l->began = emi_seconds();
    TRY(multiply(l, last, &l->W, err));
    if (l->basis.A) TRY(keep_product(l, err));
    TRY(emi_gpu_basis_project(&l->basis, l->W, err));
    TRY(emi_gpu_get(l->gpu, l->basis.hand.H, l->basis.H, sizeof(double) * l->basis.n * l->basis.b, err));
    if (!emi_gpu_ritz_is_rough(&l->ritz)) TRY(emi_gpu_basis_project(&l->basis, l->W, err));
    TRY(emi_gpu_basis_ask(&l->basis, l->W, l->basis.b, err));
done:
    return status;
}

/* Is what B' W and W' W lose, where W is short in some direction beside what C makes of the basis so far, nothing to two digits? */
static int is_good_at_once(const lead *l)
{
    static const double short_of = 1e-5; /* whose square leaves a part in a million */
    double largest = emi_gpu_ritz_largest(&l->ritz, l->basis.n), least = INFINITY;
    for (size_t j = 0; j < l->basis.b; j++) {
        largest = fmax(largest, l->first[j * l->basis.b + j]);
        least = fmin(least, l->first[j * l->basis.b + j]);
    }
    return emi_gpu_ritz_is_rough(&l->ritz) && least > short_of * largest;
}

/* These columns, and the next block behind it; *more: there is one. */
static em_status extend(lead *l, int *more, em_error *err)
{
    em_status status = EM_OK;
    emi_address next = emi_gpu_basis_block(&l->basis, l->basis.B, l->basis.n);
    TRY(emi_gpu_basis_take(&l->basis, l->basis.b, l->first, more, err));
    l->step_seconds = emi_seconds() - l->began;
    emi_gpu_ritz_take(&l->ritz, l->basis.n, l->basis.hand.H);
    *more = *more && l->basis.n + l->basis.b <= l->basis.room;
    if (!*more) goto done;
    int once = is_good_at_once(l);
    l->loose |= once;
    TRY(emi_gpu_basis_divide(&l->basis, l->W, once ? next : l->basis.Q, err));
    if (!once) {
        TRY(emi_gpu_basis_project(&l->basis, l->basis.Q, err)); /* what the first time magnified of rounding */
        TRY(emi_gpu_basis_orthonormalise(&l->basis, l->basis.Q, next, l->second, more, err));
    }
    if (*more) emi_gpu_ritz_link(&l->ritz, l->first, once ? NULL : l->second);
done:
    return status;
}

/* ---- what was found ---------------------------------------------------------------------------------------------------- */

/* X = B V and, with `products`, C X = A V of those that are wanted. */
static em_status fetch(lead *l, int products, em_error *err)
{
    em_status status = EM_OK;
    size_t pairs = l->ritz.pairs, wanted = (size_t)l->asked->wanted, column = sizeof(double) * l->basis.d;
    double *CX = l->basis.hand.X + l->basis.d * pairs;
    TRY(emi_gpu_wait(l->gpu, err)); /* for the hand */
    if (l->loose) TRY(emi_gpu_basis_tighten(&l->basis, l->ritz.vectors, pairs, l->first, err));
    TRY(emi_gpu_basis_put(&l->basis, l->ritz.vectors, pairs, err));
    TRY(emi_gpu_basis_combine(&l->basis, l->basis.B, pairs, l->basis.Q, err));
    TRY(emi_gpu_get(l->gpu, l->basis.hand.X, l->basis.Q, column * pairs, err));
    if (products) {
        TRY(emi_gpu_basis_combine(&l->basis, l->basis.A, wanted, l->basis.Q, err));
        TRY(emi_gpu_get(l->gpu, CX, l->basis.Q, column * wanted, err));
    }
    TRY(emi_gpu_wait(l->gpu, err));
    memcpy(l->asked->X.v, l->basis.hand.X, column * pairs);
    if (products) memcpy(l->asked->CX, CX, column * wanted);
done:
    return status;
}

/* Is it found, with products that are good enough to be told? */
static int is_complete(const lead *l)
{
    const double *theta = l->ritz.values;
    return l->basis.A && theta[l->asked->wanted - 1] >= l->asked->least * theta[0];
}

/* What X and C X do not tell. */
static void tell(lead *l)
{
    emi_leading *found = l->asked;
    size_t wanted = (size_t)found->wanted;
    found->complete = 1;
    found->next = found->beyond = NAN;
    if (wanted == l->ritz.pairs) return;
    found->next = l->ritz.values[wanted];
    found->beyond = emi_gpu_ritz_residual(&l->ritz, l->basis.n, wanted);
}

/* At so many columns, which takes no time of the step that may be under way. */
static em_status look(lead *l, size_t columns, int *enough, em_error *err)
{
    em_status status = emi_gpu_ritz_look(&l->ritz, columns, (size_t)l->asked->wanted, enough, err);
    l->began += l->ritz.seconds;
    return status;
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
        found = l->basis.n;
        l->basis.n += l->basis.b;
        int looks = --l->ritz.next == 0, early = !looks || emi_gpu_ritz_goes_on(&l->ritz, l->step_seconds);
        if (early) TRY(ask(l, err));
        if (looks) TRY(look(l, found, &enough, err));
        if (!enough && !early) TRY(ask(l, err));
        blocks += !enough;
    }
    if (enough)
        l->basis.n = found;
    else
        TRY(emi_gpu_ritz_solve(&l->ritz, l->basis.n, err));
    int complete = enough && is_complete(l);
    TRY(fetch(l, complete, err));
    if (complete) tell(l);
    l->asked->steps = blocks;
done:
    return status;
}

/* By its size too. */
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
              .basis = {.gpu = rows->gpu, .d = rows->d, .b = b, .room = blocks * b}};
    if (b > WIDEST || blocks < BLOCKS_LEAST || rows->shard->count < l.basis.room)
        return EM_OK;                                    /* the host is as quick */
    if (by_rows && !can_be_resident(rows)) return EM_OK; /* it takes long, and somebody may want to stop it */
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = find_leading(&l, err);
    emi_gpu_leave(rows->gpu);
    close_lead(&l);
    return status == EM_ENOMEM || status == EM_ENUMERIC ? EM_OK : status; /* there are other starts */
}
