/* eigenmesh generate: data whose spectrum is known. */
#include "lab/tables/generate.h"
#include "command.h"
#include "message.h"
#include "outputs.h"

#include "base/place.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const option_spec generate_options[] = {
    {.name = "features", .letter = 'd', .metavar = "D", .preset = "20", .help = "columns"},
    {.name = "samples", .letter = 'N', .metavar = "N", .preset = "10000", .help = "rows"},
    {.name = "components",
     .letter = 'k',
     .metavar = "K",
     .preset = "5",
     .help = "leading eigenvalues, evenly from 1 to 0.8 (1 alone when K = 1)"},
    {.name = "gap",
     .metavar = "G",
     .example = "0.8",
     .required = 1,
     .help = "the next eigenvalue over the K-th, 0 < G <= 1; the rest go evenly down to 0.1"},
    {.name = "seed", .metavar = "S", .preset = "0", .help = "everything random follows from it"},
    {.name = "output",
     .letter = 'o',
     .metavar = "Y.npy",
     .example = "data.npy",
     .required = 1,
     .help = "where to write; the name chooses the format",
     .file = WRITES_TABLE},
    {0}};

/* A table that is far too large is better refused now than when it has filled the disk.  Eight bytes a number are what a
 * .npy takes; text takes more.  Names that stand for a smaller file, for one on another disk (a link) or
 * for none are not judged. */
static em_status check_room(const char *path, size_t samples, size_t features, em_error *err)
{
    struct statvfs disk;
    struct stat existing;
    char folder[PATH_MAX];
    const char *dot = strrchr(path, '.');
    if (strncmp(path, "raw:", 4) == 0 || (dot && strcmp(dot, ".gz") == 0)) return EM_OK;
    if (lstat(path, &existing) == 0 && !S_ISREG(existing.st_mode)) return EM_OK;
    emi_place_directory(path, folder);
    if (statvfs(folder, &disk) != 0) return EM_OK;
    double wanted = 8.0 * (double)samples * (double)features, left = (double)disk.f_bavail * (double)disk.f_frsize;
    if (wanted <= left) return EM_OK;
    return emi_fail(err, EM_EOUTPUT, "%s: %.3g GB to write, and %.3g GB are free there; try fewer --samples", path,
                    wanted / 1e9, left / 1e9);
}

static em_status generate(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    uint64_t features = 20, samples = 10000, components = 5, seed = 0;
    double gap = 0;
    const char *output = args_text(args, "output");
    TRY(args_whole(args, "features", 2, INT32_MAX, &features, err));
    TRY(args_whole(args, "samples", 1, INT64_MAX, &samples, err));
    TRY(args_whole(args, "components", 1, INT32_MAX, &components, err));
    TRY(args_whole(args, "seed", 0, UINT64_MAX, &seed, err));
    TRY(args_real(args, "gap", &gap, err));
    if (!(gap > 0 && gap <= 1)) TRY(emi_fail(err, EM_EINVAL, "--gap: %g is not in 0 < G <= 1; try --gap 0.8", gap));
    if (components >= features)
        TRY(emi_fail(err, EM_EINVAL, "--components: %llu is not less than the %llu features; try a smaller -k",
                     (unsigned long long)components, (unsigned long long)features));
    TRY(lab_generate_rows(&data, (size_t)features, (size_t)samples, (size_t)components, gap, seed, err));
    TRY(check_room(output, em_data_rows(data), em_data_columns(data), err));
    stream_target target = {.path = output, .type = EM_F64, .columns = em_data_columns(data)};
    TRY(stream_rows(data, &target, err));
    if (args_reports(args)) (void)printf("%s: %zu x %zu samples\n", output, em_data_rows(data), em_data_columns(data));
done:
    em_data_free(&data);
    return status;
}

const command_spec command_generate = {.name = "generate",
                                       .summary = "Write Gaussian data with a known spectrum",
                                       .usage = "-d D -N N -k K --gap G -o Y.npy [options]",
                                       .operand_limit = 0,
                                       .options = generate_options,
                                       .multiplies = 1,
                                       .examples = {"eigenmesh generate -d 20 -N 10000 -k 5 --gap 0.8 -o data.npy"},
                                       .run = generate};
