/* Products with genotypes, which lie variant by variant where other rows lie person by person.  Of Z = Y' (Y X) the scores
 * S = Y X come first, for a block of people at a time; then Z, for some variants at a time.  Nobody adds to what another has
 * summed, so that results are the same for any number of threads.
 *
 * A tile of variants x people is decoded into standardised numbers, and multiplied while it is in the cache; to linalg/skinny.h
 * its variants are the rows, and its people the features.  In single precision sums are as long as a side of a tile, and go on
 * in double. */
#include "data/genotypes.h"

#include "base/memory.h"
#include "data/decode.h"

#include <string.h>

enum {
    IN_BYTE = EMI_PEOPLE_IN_BYTE,
    TILE_BYTES = 128,              /* of a variant                              */
    PEOPLE = IN_BYTE * TILE_BYTES, /* of a block, a multiple of what a word has */
    VARIANTS = 64,                 /* of a tile                                 */
    TILE = PEOPLE * VARIANTS,
    MOST_PANELS = 4 /* at a time: all scores are held */
};

typedef struct product {
    const emi_operator *C;
    emi_people who;
    emi_real real;
    int columns;
    size_t panels, blocks;
    double *rooms; /* a tile, and sums, for each worker                                                     */
    void *X;       /* [panels][d][64 bytes]; in single precision as in double, like what follows            */
    void *S;       /* [blocks][panels][PEOPLE][64 bytes]                                                    */
    emi_block Z;   /* where the products go                                                                 */
} product;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t up_to_multiple(size_t value, size_t of)
{
    return (value + of - 1) / of * of;
}

/* ---- tiles ---------------------------------------------------------------------------------------------------------- */

/* Standardised: (number - mean) / scale; what stands for no call is the mean, where there is one. */
static void standardise(const product *t, size_t column, double value[EMI_GENOTYPES])
{
    const emi_standard *s = t->C->standard;
    double mean = s->mean ? s->mean[column] : 0, inverse = s->inverse_scale ? s->inverse_scale[column] : 1;
    emi_genotype_numbers(t->who.shard->data, column, value);
    if (s->fill)
        value[EMI_NO_CALL] = s->fill[column];
    else if (s->mean)
        value[EMI_NO_CALL] = mean;
    for (int c = 0; c < EMI_GENOTYPES; c++) value[c] = (value[c] - mean) * inverse;
}

typedef struct tile {
    void *numbers;
    size_t width, rows; /* people and variants, filled up with neighbours and with zeros */
} tile;

/* Where a tile begins. */
typedef struct place {
    size_t variant, block;
} place;

/* The codes of the tile's variant `v` are on their way to the cache: variants lie so far apart that the processor does not expect
 * the next one. */
static void fetch(const product *t, place at, size_t v)
{
    if (at.variant + v < (size_t)t->C->d && at.block < t->blocks)
        emi_people_fetch(&t->who, at.variant + v, at.block * TILE_BYTES, TILE_BYTES);
}

/* ahead: the tile that comes next. */
static tile decode(const product *t, place here, place ahead, void *numbers)
{
    size_t first = here.variant, at = here.block * TILE_BYTES, bytes = smaller(t->who.bytes - at, TILE_BYTES),
           count = smaller((size_t)t->C->d - first, VARIANTS);
    tile made = {numbers, up_to_multiple(bytes, sizeof(uint32_t)) * IN_BYTE, up_to_multiple(count, EMI_SKINNY_ROWS)};
    size_t row = made.width * emi_real_size(t->real);
    emi_decode_fn *expand = emi_decoder(t->real);
    for (size_t v = 0; v < count; v++) {
        double value[EMI_GENOTYPES];
        unsigned char room[TILE_BYTES];
        const unsigned char *codes = emi_people_codes(&t->who, first + v, at, bytes, room);
        void *to = (char *)numbers + v * row;
        fetch(t, ahead, v);
        standardise(t, first + v, value);
        expand(codes, bytes, value, to);
    }
    memset((char *)numbers + count * row, 0, (made.rows - count) * row);
    return made;
}

/* ---- a worker's room: a tile, sums in the precision of the products, and sums in double ----------------------------- */

typedef struct room {
    void *tile, *sums;
    double *wide;
} room;

/* Numbers of the scores of a block. */
static size_t size_of_block(const product *t)
{
    return t->panels * PEOPLE * (size_t)emi_panel_width(t->real);
}

static size_t size_of_room(const product *t)
{
    return TILE + 2 * size_of_block(t);
}

static room room_of(const product *t, int worker)
{
    double *at = t->rooms + (size_t)worker * size_of_room(t);
    return (room){at, at + TILE, at + TILE + size_of_block(t)};
}

/* ---- S = Y X, of a block of people ----------------------------------------------------------------------------------- */

static char *panel_at(const void *panels, size_t panel, size_t rows, size_t row)
{
    return (char *)panels + (panel * rows + row) * EMI_PANEL_BYTES;
}

static char *scores_at(const product *t, size_t block)
{
    return (char *)t->S + block * t->panels * PEOPLE * EMI_PANEL_BYTES;
}

static int is_used(const product *t, size_t block)
{
    return t->C->every < 2 || block % t->C->every == 0;
}

/* Neighbours, and what fills a block up, have no scores. */
static void clear_others(const product *t, size_t block, const char *S)
{
    size_t first = block * PEOPLE, end = t->who.before + t->who.shard->count;
    for (size_t panel = 0; panel < t->panels; panel++)
        for (size_t p = 0; p < PEOPLE; p++)
            if (first + p < t->who.before || first + p >= end)
                memset(panel_at(S, panel, PEOPLE, p), 0, EMI_PANEL_BYTES);
}

static em_status score_body(void *context, int index, int worker, em_error *err)
{
    const product *t = context;
    size_t block = (size_t)index, d = (size_t)t->C->d, size = size_of_block(t);
    int single = t->real == EMI_SINGLE;
    char *S = scores_at(t, block);
    room r = room_of(t, worker);
    void *sums = single ? r.sums : S;
    (void)err;
    if (!is_used(t, block)) return EM_OK;
    memset(sums, 0, size * emi_real_size(t->real));
    if (single) memset(r.wide, 0, size * sizeof *r.wide);
    for (size_t first = 0; first < d; first += VARIANTS) {
        tile y = decode(t, (place){first, block}, (place){first + VARIANTS, block}, r.tile);
        for (size_t panel = 0; panel < t->panels; panel++) {
            const emi_skinny_product add = {.real = t->real,
                                            .d = y.width,
                                            .panels = 1,
                                            .S = panel_at(t->X, panel, d, first),
                                            .Z = panel_at(sums, panel, PEOPLE, 0)};
            emi_skinny(&add, y.numbers, y.rows, (emi_ahead){0});
        }
        if (single) emi_move_sums(sums, r.wide, size);
    }
    for (size_t n = 0; single && n < size; n++) ((float *)(void *)S)[n] = (float)r.wide[n];
    clear_others(t, block, S);
    return EM_OK;
}

/* ---- Z = Y' S, of a tile's variants ----------------------------------------------------------------------------------- */

static void add_block(const product *t, size_t first, size_t block, const room *r)
{
    size_t lanes = (size_t)emi_panel_width(t->real);
    tile y = decode(t, (place){first, block}, (place){first, block + 1}, r->tile);
    for (size_t panel = 0; panel < t->panels; panel++) {
        const emi_skinny_product sum = {.real = t->real,
                                        .d = y.width,
                                        .panels = 1,
                                        .X = panel_at(scores_at(t, block), panel, PEOPLE, 0),
                                        .S = r->sums};
        double *sums = r->wide + panel * VARIANTS * lanes;
        emi_skinny(&sum, y.numbers, y.rows, (emi_ahead){0});
        if (t->real == EMI_SINGLE)
            emi_move_sums(r->sums, sums, y.rows * lanes);
        else
            for (size_t n = 0; n < y.rows * lanes; n++) sums[n] += ((const double *)r->sums)[n];
    }
}

static em_status back_body(void *context, int index, int worker, em_error *err)
{
    const product *t = context;
    size_t first = (size_t)index * VARIANTS, lanes = (size_t)emi_panel_width(t->real),
           count = smaller((size_t)t->C->d - first, VARIANTS);
    room r = room_of(t, worker);
    (void)err;
    memset(r.wide, 0, t->panels * VARIANTS * lanes * sizeof *r.wide);
    for (size_t block = 0; block < t->blocks; block++)
        if (is_used(t, block)) add_block(t, first, block, &r);
    for (size_t k = 0; k < (size_t)t->columns; k++) {
        const double *sums = r.wide + k / lanes * VARIANTS * lanes + k % lanes;
        double *z = emi_column_of(t->Z, (int)k) + first;
        for (size_t v = 0; v < count; v++) z[v] = t->C->weight * sums[v * lanes];
    }
    return EM_OK;
}

/* ---- some columns at a time -------------------------------------------------------------------------------------------- */

static void close_product(product *t)
{
    emi_free(t->S);
    emi_free(t->X);
    emi_free(t->rooms);
}

/* Room for so many columns, at most. */
static em_status open_product(product *t, const emi_operator *C, emi_real real, int columns, em_error *err)
{
    enum { PANEL = EMI_PANEL_BYTES / sizeof(double) };
    size_t workers = C->helpers && C->helpers->pool ? (size_t)emi_pool_size(C->helpers->pool) : 1;
    int most = MOST_PANELS * emi_panel_width(real);
    *t = (product){.C = C, .who = emi_people_of(C->shard), .real = real, .columns = columns < most ? columns : most};
    t->panels = emi_panels(real, t->columns);
    t->blocks = (t->who.bytes + TILE_BYTES - 1) / TILE_BYTES;
    t->rooms = emi_doubles(workers * size_of_room(t));
    t->X = emi_doubles((t->panels * (size_t)C->d + EMI_SKINNY_ROWS) * PANEL);
    t->S = emi_doubles(t->blocks * t->panels * PEOPLE * PANEL);
    if (t->rooms && t->X && t->S) return EM_OK;
    close_product(t);
    return emi_fail_memory(err, "product");
}

/* The scores of some columns. */
static em_status find_scores(product *t, emi_block X, em_error *err)
{
    t->columns = X.cols;
    t->panels = emi_panels(t->real, X.cols);
    emi_panels_from(t->real, X, t->X);
    memset(panel_at(t->X, t->panels, (size_t)X.rows, 0), 0,
           (size_t)EMI_SKINNY_ROWS * EMI_PANEL_BYTES); /* a tile reaches there */
    return emi_pool_run(t->C->helpers ? t->C->helpers->pool : NULL, (int)t->blocks, 1e12, score_body, t, err);
}

static em_status find_products(product *t, emi_block Z, em_error *err)
{
    int tiles = (int)up_to_multiple((size_t)Z.rows, VARIANTS) / VARIANTS;
    t->Z = Z;
    return emi_pool_run(t->C->helpers ? t->C->helpers->pool : NULL, tiles, 1e12, back_body, t, err);
}

static void find_squares(const product *t, double *squares)
{
    memset(squares, 0, sizeof *squares * (size_t)t->columns);
    for (size_t block = 0; block < t->blocks; block++)
        if (is_used(t, block))
            emi_skinny_squares((const double *)(const void *)scores_at(t, block), PEOPLE, PEOPLE, t->columns, squares);
    for (int k = 0; k < t->columns; k++) squares[k] *= t->C->weight;
}

static em_status multiply(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    product t;
    (void)scratch;
    TRY(open_product(&t, C, real, X.cols, err));
    for (int first = 0, most = t.columns, count; first < X.cols && status == EM_OK; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        status = find_scores(&t, (emi_block){X.rows, count, emi_column_of(X, first)}, err);
        if (status == EM_OK) status = find_products(&t, (emi_block){X.rows, count, emi_column_of(Z, first)}, err);
        if (status == EM_OK && squares) find_squares(&t, squares + first);
    }
    if (status == EM_OK) status = emi_genotypes_check(C->shard->data, err);
    close_product(&t);
done:
    return status;
}

/* Scores in panels to rows of all columns, of which these begin at `first`. */
static void write_scores(const product *t, int first, int all, void *scores)
{
    size_t size = emi_real_size(t->real), lanes = (size_t)emi_panel_width(t->real), columns = (size_t)t->columns;
    for (size_t r = 0; r < t->who.shard->count; r++) {
        size_t slot = t->who.before + r;
        char *to = (char *)scores + (r * (size_t)all + (size_t)first) * size;
        for (size_t k = 0; k < columns; k += lanes)
            memcpy(to + k * size, panel_at(scores_at(t, slot / PEOPLE), k / lanes, PEOPLE, slot % PEOPLE),
                   smaller(columns - k, lanes) * size);
    }
}

static em_status scores(const emi_operator *C, emi_real real, emi_block X, void *out, emi_scratch scratch,
                        em_error *err)
{
    em_status status = EM_OK;
    product t;
    (void)scratch;
    TRY(open_product(&t, C, real, X.cols, err));
    for (int first = 0, most = t.columns, count; first < X.cols && status == EM_OK; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        status = find_scores(&t, (emi_block){X.rows, count, emi_column_of(X, first)}, err);
        if (status == EM_OK) write_scores(&t, first, X.cols, out);
    }
    if (status == EM_OK) status = emi_genotypes_check(C->shard->data, err);
    close_product(&t);
done:
    return status;
}

const emi_row_kind emi_genotype_rows = {
    .name = "genotypes", .survey = emi_survey_genotypes, .multiply = multiply, .scores = scores};
