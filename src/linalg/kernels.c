#include "linalg/kernels.h"
#include "linalg/blas.h"

#include <eigenmesh/eigenmesh.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- what should be ------------------------------------------------------------------------------------------- */

unsigned emi_cpu_features(void)
{
    unsigned features = 0;
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) features |= EMI_CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        features |= EMI_CPU_AVX512;
#endif
    return features;
}

/* OpenBLAS's names of CPUs before AVX2.  A name that is not here is taken for one of a newer CPU. */
static int is_old(const char *core)
{
    static const char *const old[] = {"Katmai",      "Coppermine", "Northwood",  "Prescott",     "Banias",
                                      "Atom",        "Core2",      "Penryn",     "Dunnington",   "Nehalem",
                                      "Sandybridge", "Athlon",     "Opteron",    "Opteron_SSE3", "Barcelona",
                                      "Bobcat",      "Bulldozer",  "Piledriver", "Steamroller",  "Nano"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcasecmp(core, old[i]) == 0) return 1;
    return 0;
}

const char *emi_kernels_instead_of(const char *core, unsigned features)
{
    if (!(features & EMI_CPU_AVX2) || !is_old(core)) return NULL;
    return features & EMI_CPU_AVX512 ? "SkylakeX" : "Haswell";
}

/* ---- what is ---------------------------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char described[160], advised[64]; /* "": nothing */

/* What a function of the library says; NULL where it has no such function. */
static const char *told(const char *function)
{
    const char *(*ask)(void) = NULL;
    *(void **)&ask = emi_blas_symbol(function);
    return ask ? ask() : NULL;
}

static void describe(const char *make, int length, const char *version, const char *kernels)
{
    (void)snprintf(described, sizeof described, "%s%s%.*s%s%s%s", make, length ? " " : "", length, version,
                   kernels ? ", " : "", kernels ? kernels : "", kernels ? " kernels" : "");
}

/* Its configuration is "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...", in old ones without the first two words. */
static void find_openblas(const char *configuration)
{
    static const char make[] = "OpenBLAS";
    const char *core = told("openblas_get_corename"), *version = "";
    if (strncmp(configuration, "OpenBLAS ", sizeof make) == 0) version = configuration + sizeof make;
    describe(make, (int)strcspn(version, " "), version, core);
    /* The environment chooses only among kernels that were built. */
    const char *better = core ? emi_kernels_instead_of(core, emi_cpu_features()) : NULL;
    if (better && strstr(configuration, "DYNAMIC_ARCH"))
        (void)snprintf(advised, sizeof advised, "OPENBLAS_CORETYPE=%s", better);
}

static void find_blis(const char *version)
{
    int (*core)(void) = NULL;
    const char *(*name_of)(int) = NULL;
    *(void **)&core = emi_blas_symbol("bli_arch_query_id");
    *(void **)&name_of = emi_blas_symbol("bli_arch_string");
    describe("BLIS", (int)strlen(version), version, core && name_of ? name_of(core()) : NULL);
}

/* FlexiBLAS first: it has the functions of others too. */
static void find(void)
{
    const char *text = NULL;
    if (emi_blas_symbol("flexiblas_get_num_threads"))
        describe("FlexiBLAS", 0, "", NULL);
    else if ((text = told("openblas_get_config")))
        find_openblas(text);
    else if ((text = told("bli_info_get_version_str")))
        find_blis(text);
    else if (emi_blas_symbol("MKL_Get_Max_Threads"))
        describe("MKL", 0, "", NULL);
    else
        (void)snprintf(described, sizeof described, "BLAS of %s", emi_blas_file() ? emi_blas_file() : "unknown make");
}

const char *em_blas(void)
{
    (void)pthread_once(&once, find);
    return described;
}

const char *em_blas_advice(void)
{
    (void)pthread_once(&once, find);
    return *advised ? advised : NULL;
}
