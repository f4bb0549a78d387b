#define _GNU_SOURCE /* secure_getenv */
#include "gpu/api.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    const char *symbol;
    size_t at; /* of the pointer */
} wanted;

#define CUDA_ENTRY(name, symbol, arguments)   {symbol, offsetof(emi_cuda, name)},
#define CUBLAS_ENTRY(name, symbol, arguments) {symbol, offsetof(emi_cublas, name)},
static const wanted of_cuda[] = {EMI_CUDA_FUNCTIONS(CUDA_ENTRY){0}};
static const wanted of_cublas[] = {EMI_CUBLAS_FUNCTIONS(CUBLAS_ENTRY){0}};

/* Newest first, of what was tried; the driver has one number. */
static const char *const cuda_names[] = {"libcuda.so.1", NULL};
static const char *const cublas_names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL};

/* In these folders; NULL stands for where the loader looks, and for what somebody else has loaded. */
static void *open_first(const char *const *names, const char **tried)
{
    const char *const folders[] = {secure_getenv("EIGENMESH_CUDA_PATH"), NULL, "/usr/local/cuda/lib64"};
    char path[PATH_MAX];
    void *library = NULL;
    for (size_t f = folders[0] ? 0 : 1; !library && f < sizeof folders / sizeof *folders; f++)
        for (int n = 0; !library && names[n]; n++) {
            int whole = snprintf(path, sizeof path, "%s%s%s", folders[f] ? folders[f] : "", folders[f] ? "/" : "",
                                 names[n]) < (int)sizeof path;
            if (whole) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            *tried = names[n];
        }
    return library;
}

static em_status find_all(void *library, const char *name, const wanted *all, void *table, em_error *err)
{
    for (; all->symbol; all++) {
        void *symbol = dlsym(library, all->symbol);
        if (!symbol)
            return emi_fail(err, EM_ENOTSUP, "gpu: %s has no %s; try a newer one, or device=cpu", name, all->symbol);
        memcpy((char *)table + all->at, &symbol, sizeof symbol);
    }
    return EM_OK;
}

em_status emi_gpu_load(emi_cuda *cuda, emi_cublas *blas, em_error *err)
{
    em_status status = EM_OK;
    const char *name = NULL;
    void *driver = open_first(cuda_names, &name), *library = NULL;
    if (!driver) TRY(emi_fail(err, EM_ENOTSUP, "gpu: no driver, as %s is not found; try device=cpu", name));
    TRY(find_all(driver, name, of_cuda, cuda, err));
    library = open_first(cublas_names, &name);
    if (!library)
        TRY(emi_fail(err, EM_ENOTSUP,
                     "gpu: cuBLAS, libcublas.so of 11 to 13, is not found; try EIGENMESH_CUDA_PATH=FOLDER in the "
                     "environment, or device=cpu"));
    TRY(find_all(library, name, of_cublas, blas, err));
    driver = library = NULL; /* for good: their threads do not survive them */
done:
    if (driver) (void)dlclose(driver);
    if (library) (void)dlclose(library);
    return status;
}

int emi_gpu_is_loaded(void)
{
    void *driver = dlopen(cuda_names[0], RTLD_NOW | RTLD_NOLOAD);
    if (driver) (void)dlclose(driver);
    return driver != NULL;
}
