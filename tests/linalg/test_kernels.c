/* Which kernels are slow on which CPU, and what the library says of those in use. */
#include "linalg/kernels.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NEITHER = 0, BOTH = EMI_CPU_AVX2 | EMI_CPU_AVX512 };

static void kernels_before_avx2_are_replaced(void **state)
{
    (void)state;
    static const char *const old[] = {"Prescott",    "Core2",     "Penryn",    "Nehalem", "Sandybridge",
                                      "SANDYBRIDGE", "Barcelona", "Bulldozer", "Atom"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        assert_string_equal(emi_kernels_instead_of(old[i], EMI_CPU_AVX2), "Haswell");
        assert_string_equal(emi_kernels_instead_of(old[i], BOTH), "SkylakeX");
        assert_null(emi_kernels_instead_of(old[i], NEITHER));
    }
}

/* Those with AVX2 do on a CPU with AVX-512, and what is not known is left alone. */
static void others_are_left(void **state)
{
    (void)state;
    static const char *const fine[] = {"Haswell",        "Zen",        "Excavator",    "SkylakeX", "Cooperlake",
                                       "SapphireRapids", "neoversen1", "of_next_year", "unknown",  ""};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) assert_null(emi_kernels_instead_of(fine[i], BOTH));
}

/* Without AVX2 there is no AVX-512 that OpenBLAS could use. */
static void avx512_alone_is_nothing(void **state)
{
    (void)state;
    assert_null(emi_kernels_instead_of("Prescott", EMI_CPU_AVX512));
}

static void the_library_says_what_it_runs_with(void **state)
{
    (void)state;
    assert_true(strlen(em_blas()) > 0);
    assert_ptr_equal(em_blas(), em_blas());
    const char *advice = em_blas_advice(), *core = getenv("OPENBLAS_CORETYPE");
    if (advice) assert_memory_equal(advice, "OPENBLAS_CORETYPE=", strlen("OPENBLAS_CORETYPE="));
    if (!core || strcasecmp(core, "Prescott") != 0 || !strstr(em_blas(), "OpenBLAS")) return;
    assert_non_null(strstr(em_blas(), ", Prescott kernels"));
    assert_int_equal(advice != NULL, (emi_cpu_features() & EMI_CPU_AVX2) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_before_avx2_are_replaced),
        cmocka_unit_test(others_are_left),
        cmocka_unit_test(avx512_alone_is_nothing),
        cmocka_unit_test(the_library_says_what_it_runs_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
