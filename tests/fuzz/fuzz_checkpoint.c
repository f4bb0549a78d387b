/* A checkpoint: words of a good one are replaced, its checksum is made to fit again, and the fit goes on from it.  Input:
 * a byte that chooses the method, then records of two bytes that say where and eight that say what. */
#include "fit/options.h"
#include "fuzz.h"
#include "lab/tables/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROWS = 12, COLUMNS = 9, NODES = 3, K = 2, WORD = 8, RECORD = 2 + WORD, MOST = 1 << 16 };

static const char *const methods[] = {"krylov", "deepca", "fastpca", "sadot", "seqdistpm", "dsa"};

enum { METHODS = sizeof methods / sizeof *methods };

static struct {
    em_data *data;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    uint8_t good[METHODS][MOST];
    size_t size[METHODS];
} fixture;

static int stop_at_once(const em_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

static em_status fit(int method, const char *path, int resume, em_error *err)
{
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = methods[method];
    options.components = K;
    options.iterations = 12;
    options.tolerance = 0;
    options.trace = EMI_TRACE_ALL;
    options.checkpoint = path;
    options.resume = resume;
    if (!resume) options.monitor = stop_at_once;
    em_status status = em_fit(&model, &options, fixture.mesh, fixture.shards, err);
    em_model_free(&model);
    return status;
}

static void make_good(int method)
{
    em_error err = {0};
    const char *path = fuzz_file_named((const uint8_t *)"", 0, ".ck");
    (void)remove(path); /* a checkpoint goes where nothing is */
    if (fit(method, path, 0, &err) != EM_OK) abort();
    FILE *in = fopen(path, "rb");
    if (!in) abort();
    fixture.size[method] = fread(fixture.good[method], 1, MOST, in);
    (void)fclose(in);
    if (fixture.size[method] < 4 * WORD || fixture.size[method] == MOST) abort();
}

static void prepare(void)
{
    em_error err = {0};
    if (fixture.mesh) return;
    if (lab_generate(&fixture.data, COLUMNS, ROWS, K, 0.5, 1, &err) != EM_OK ||
        em_shards_split(&fixture.shards, fixture.data, NODES, NULL, 0, &err) != EM_OK ||
        em_graph_create(&fixture.graph, "path", NODES, 0, &err) != EM_OK ||
        em_mesh_open(&fixture.mesh, NULL, fixture.graph, 1, &err) != EM_OK)
        abort();
    for (int m = 0; m < METHODS; m++) make_good(m);
}

static void mend_checksum(uint8_t *bytes, size_t size)
{
    uint64_t crc = crc32(0, bytes, (uInt)(size - WORD));
    for (int n = 0; n < WORD; n++) bytes[size - WORD + (size_t)n] = (uint8_t)(crc >> 8 * n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t changed[MOST];
    em_error err = {0};
    prepare();
    if (size < 1) return 0;
    int method = bytes[0] % METHODS;
    size_t whole = fixture.size[method], words = whole / WORD - 1;
    memcpy(changed, fixture.good[method], whole);
    for (const uint8_t *record = bytes + 1; record + RECORD <= bytes + size; record += RECORD)
        memcpy(changed + (record[0] + 256u * record[1]) % words * WORD, record + 2, WORD);
    mend_checksum(changed, whole);
    fuzz_check_error(fit(method, fuzz_file(changed, whole), 1, &err), &err);
    return 0;
}
