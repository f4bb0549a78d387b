/* The kernels as the project has them, compiled for the CPU: a grid is gone through thread by thread. */
#include "standin.h"

#include <stdint.h>
#include <string.h>

static _Thread_local unsigned thread, block, stripe;

#define KERNEL static void
#define THREAD thread
#define BLOCK  block
#define STRIPE stripe
#define UNROLL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-attributes"
#pragma GCC diagnostic ignored "-Wattributes"
#include "gpu/kernels.cu"
#pragma GCC diagnostic pop

/* ---- arguments, as cuLaunchKernel has them ----------------------------------------------------------------------------- */

#define W(n)    (*(whole *)arguments[n])
#define P(n, T) (*(T **)arguments[n])

#define STANDARDISER(NAME, FROM, TO)                                                                                   \
    static void run_##NAME(void **arguments)                                                                           \
    {                                                                                                                  \
        NAME(P(0, const FROM), W(1), W(2), W(3), W(4), W(5), P(6, const double), P(7, const double),                   \
             P(8, const double), P(9, TO));                                                                            \
    }
STANDARDISER(emi_standardise_float_float, float, float)
STANDARDISER(emi_standardise_float_double, float, double)
STANDARDISER(emi_standardise_double_float, double, float)
STANDARDISER(emi_standardise_double_double, double, double)

#define SURVEYOR(NAME, FROM)                                                                                           \
    static void run_##NAME(void **arguments)                                                                           \
    {                                                                                                                  \
        NAME(P(0, const FROM), W(1), W(2), W(3), W(4), W(5), P(6, const double), P(7, const double), W(8),             \
             P(9, double));                                                                                            \
    }
SURVEYOR(emi_survey_float, float)
SURVEYOR(emi_survey_double, double)

static void run_emi_survey_join(void **arguments)
{
    emi_survey_join(P(0, const double), W(1), W(2), P(3, double));
}

static void run_emi_add_up(void **arguments)
{
    emi_add_up(P(0, const float), W(1), W(2), P(3, double));
}

#define SCALER(NAME, TO)                                                                                               \
    static void run_##NAME(void **arguments)                                                                           \
    {                                                                                                                  \
        NAME(P(0, const double), W(1), W(2), P(3, const double), P(4, TO));                                            \
    }
SCALER(emi_scale_double, double)
SCALER(emi_scale_float, float)

#define BEGINNER(NAME, TO)                                                                                             \
    static void run_##NAME(void **arguments)                                                                           \
    {                                                                                                                  \
        NAME(P(0, const double), W(1), W(2), P(3, TO));                                                                \
    }
BEGINNER(emi_begin_double, double)
BEGINNER(emi_begin_float, float)

static void run_emi_draw(void **arguments)
{
    emi_draw(*(unsigned long long *)arguments[0], W(1), P(2, double));
}

static void run_emi_correct(void **arguments)
{
    emi_correct(P(0, double), W(1), W(2), *(double *)arguments[3], P(4, const double), P(5, const double),
                P(6, const double));
}

static void run_emi_centre(void **arguments)
{
    emi_centre(P(0, double), W(1), *(double *)arguments[2], P(3, const double), P(4, const double), P(5, const double),
               *(double *)arguments[6]);
}

typedef struct kernel {
    const char *name;
    void (*run)(void **arguments);
} kernel;

#define ENTRY(NAME)                                                                                                    \
    {                                                                                                                  \
#NAME, run_##NAME                                                                                              \
    }
static kernel kernels[] = {ENTRY(emi_standardise_float_float),
                           ENTRY(emi_standardise_float_double),
                           ENTRY(emi_standardise_double_float),
                           ENTRY(emi_standardise_double_double),
                           ENTRY(emi_survey_float),
                           ENTRY(emi_survey_double),
                           ENTRY(emi_survey_join),
                           ENTRY(emi_add_up),
                           ENTRY(emi_scale_double),
                           ENTRY(emi_scale_float),
                           ENTRY(emi_begin_double),
                           ENTRY(emi_begin_float),
                           ENTRY(emi_correct),
                           ENTRY(emi_centre),
                           ENTRY(emi_draw)};

enum { MISSING = 500 };

/* What is loaded must be the text that has these names. */
int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image)
{
    if (standin_step()) return BROKEN;
    *module = (void *)(uintptr_t)image;
    return strstr(image, ".target sm_") ? 0 : MISSING;
}

int cuModuleUnload(void *module);
int cuModuleUnload(void *module)
{
    return module ? 0 : MISSING;
}

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    if (standin_step()) return BROKEN;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0 && strstr(module, name)) {
            *function = &kernels[k];
            return 0;
        }
    return MISSING;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)shared, (void)extra;
    standin_catch_up(stream);
    if (standin_step()) return BROKEN;
    if (grid_x * grid_y * grid_z == 0 || grid_y > 65535 || block_x * block_y * block_z > 1024) return 1;
    for (stripe = 0; stripe < grid_y; stripe++)
        for (block = 0; block < grid_x; block++)
            for (thread = 0; thread < block_x; thread++) ((kernel *)function)->run(arguments);
    return 0;
}
