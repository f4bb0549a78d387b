/* Section V of A. Gang and W. U. Bajwa, "A linearly convergent algorithm for distributed principal component analysis",
 * Signal Processing 193, 2022: its set-ups and figures; and beside each what the paper does not have. */
#include "plan.h"

/* ---- curves ---------------------------------------------------------------------------------------- */

#define DSA(step_, name, iterations_)                                                                                  \
    {                                                                                                                  \
        .key = "dsa-" name, .label = "dsa, step " name, .method = "dsa", .step = (step_), .iterations = (iterations_)  \
    }
#define GHA(step_, name, iterations_)                                                                                  \
    {                                                                                                                  \
        .key = "gha-" name, .label = "gha, all data in one place, step " name, .method = "gha",                        \
        .place = LAB_IN_ONE_PLACE, .step = (step_), .iterations = (iterations_)                                        \
    }
#define DPGD(step_, name, iterations_)                                                                                 \
    {                                                                                                                  \
        .key = "dpgd-" name, .label = "dpgd, step " name, .method = "dpgd", .step = (step_),                           \
        .iterations = (iterations_)                                                                                    \
    }
#define DPGD_FREE(step_, name, iterations_)                                                                            \
    {                                                                                                                  \
        .key = "dpgd-free-" name, .label = "dpgd, step " name ", signs as LAPACK returns them", .method = "dpgd",      \
        .step = (step_), .signs = EM_QR_FREE, .iterations = (iterations_)                                              \
    }
#define OI(iterations_)                                                                                                \
    {                                                                                                                  \
        .key = "oi", .label = "oi, all data in one place", .method = "oi", .place = LAB_IN_ONE_PLACE,                  \
        .iterations = (iterations_)                                                                                    \
    }
#define SEQDISTPM(rounds_, name, iterations_)                                                                          \
    {                                                                                                                  \
        .key = "seqdistpm-" name, .label = "seqdistpm, T_c = " name, .method = "seqdistpm", .rounds = (rounds_),       \
        .iterations = (iterations_)                                                                                    \
    }

/* Without a step to choose, to rounding or to what so many iterations reach. */
#define EXACT(iterations_)                                                                                             \
    {.key = "deepca", .label = "deepca", .method = "deepca", .iterations = (iterations_), .tolerance = 1e-11},         \
        {.key = "fastpca",                                                                                             \
         .label = "fastpca, automatic step",                                                                           \
         .method = "fastpca",                                                                                          \
         .iterations = (iterations_),                                                                                  \
         .tolerance = 1e-10},                                                                                          \
    {                                                                                                                  \
        .key = "krylov", .label = "krylov", .method = "krylov", .iterations = 100, .tolerance = 1e-11                  \
    }

#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

static const entry collaboration[] = {DSA(0.1, "0.1", 3000),
                                      GHA(0.1, "0.1", 3000),
                                      {.key = "gha-alone-0.1",
                                       .label = "gha at each node alone, step 0.1",
                                       .method = "gha",
                                       .place = LAB_EACH_ALONE,
                                       .step = 0.1,
                                       .iterations = 3000},
                                      EXACT(3000),
                                      END};

static const entry steps[] = {DSA(0.01, "0.01", 16000), DSA(0.05, "0.05", 16000), DSA(0.1, "0.1", 16000),
                              DSA(0.3, "0.3", 16000),   DSA(0.5, "0.5", 16000),   END};

static const entry one_vector[] = {DSA(0.1, "0.1", 3000), DPGD(0.1, "0.1", 3000), SEQDISTPM(50, "50", 60), EXACT(3000),
                                   END};

static const entry five_vectors[] = {DSA(0.1, "0.1", 4000),
                                     DPGD(0.1, "0.1", 4000),
                                     DPGD_FREE(0.1, "0.1", 4000),
                                     SEQDISTPM(50, "50", 1000),
                                     SEQDISTPM(20, "20", 1000),
                                     SEQDISTPM(10, "10", 1000),
                                     SEQDISTPM(5, "5", 500),
                                     EXACT(4000),
                                     END};

static const entry mnist[] = {DSA(0.1, "0.1", 2000),
                              DPGD(0.1, "0.1", 2000),
                              DPGD_FREE(0.1, "0.1", 2000),
                              GHA(0.1, "0.1", 2000),
                              OI(2000),
                              SEQDISTPM(50, "50", 1000),
                              EXACT(500),
                              END};

static const entry cifar[] = {DSA(0.7, "0.7", 2000),
                              DPGD(0.7, "0.7", 2000),
                              DPGD_FREE(0.7, "0.7", 2000),
                              GHA(0.7, "0.7", 2000),
                              OI(2000),
                              SEQDISTPM(50, "50", 1000),
                              EXACT(500),
                              END};

static const entry mnist_sorted[] = {
    DSA(0.1, "0.1", 2000),
    {.key = "dsa-auto", .label = "dsa, automatic step", .method = "dsa", .iterations = 2000},
    EXACT(1000),
    {.key = "covariance", .label = "covariance", .method = "covariance", .iterations = 1, .tolerance = 1e-11},
    END};

/* ---- set-ups -------------------------------------------------------------------------------------------- */

#define SYNTHETIC(figure_, key_, title_, d, K, gap_, topology_, entries_)                                              \
    {                                                                                                                  \
        .figure = (figure_), .key = (key_), .title = (title_), .features = (d), .components = (K), .nodes = 10,        \
        .gap = (gap_), .topology = (topology_), .entries = (entries_)                                                  \
    }
#define IMAGES(figure_, key_, title_, source_, d, K, scale_, entries_)                                                 \
    {                                                                                                                  \
        .figure = (figure_), .key = (key_), .title = (title_), .source = (source_), .features = (d),                   \
        .components = (K), .nodes = 20, .topology = "er:0.5", .scale = (scale_), .entries = (entries_)                 \
    }

const plan paper_plans[] = {
    SYNTHETIC("fig1a", "fig1a", "Erdos-Renyi network, gap 0.8, K = 3", 10, 3, 0.8, "er:0.5", collaboration),
    SYNTHETIC("fig1b", "fig1b", "Erdos-Renyi network, gap 0.8, K = 3", 10, 3, 0.8, "er:0.5", steps),
    SYNTHETIC("fig2", "fig2-er", "Erdos-Renyi network, gap 0.8, K = 1", 20, 1, 0.8, "er:0.5", one_vector),
    SYNTHETIC("fig2", "fig2-cycle", "Cyclic network, gap 0.8, K = 1", 20, 1, 0.8, "cycle", one_vector),
    SYNTHETIC("fig2", "fig2-star", "Star network, gap 0.8, K = 1", 20, 1, 0.8, "star", one_vector),
    SYNTHETIC("fig3", "fig3-er-0.6", "Erdos-Renyi network, gap 0.6, K = 5", 20, 5, 0.6, "er:0.5", five_vectors),
    SYNTHETIC("fig3", "fig3-cycle-0.6", "Cyclic network, gap 0.6, K = 5", 20, 5, 0.6, "cycle", five_vectors),
    SYNTHETIC("fig3", "fig3-star-0.6", "Star network, gap 0.6, K = 5", 20, 5, 0.6, "star", five_vectors),
    SYNTHETIC("fig3", "fig3-er-0.8", "Erdos-Renyi network, gap 0.8, K = 5", 20, 5, 0.8, "er:0.5", five_vectors),
    SYNTHETIC("fig3", "fig3-cycle-0.8", "Cyclic network, gap 0.8, K = 5", 20, 5, 0.8, "cycle", five_vectors),
    SYNTHETIC("fig3", "fig3-star-0.8", "Star network, gap 0.8, K = 5", 20, 5, 0.8, "star", five_vectors),
    IMAGES("fig4", "fig4-10", "MNIST, K = 10", MNIST, 784, 10, EM_SCALE_NONE, mnist),
    IMAGES("fig4", "fig4-40", "MNIST, K = 40", MNIST, 784, 40, EM_SCALE_NONE, mnist),
    IMAGES("fig4", "fig4-sorted", "MNIST sorted by class, K = 10", MNIST_SORTED, 784, 10, EM_SCALE_NONE, mnist_sorted),
    IMAGES("fig5", "fig5-10", "CIFAR-10, K = 10", CIFAR, 1024, 10, EM_SCALE_SPECTRAL, cifar),
    IMAGES("fig5", "fig5-20", "CIFAR-10, K = 20", CIFAR, 1024, 20, EM_SCALE_SPECTRAL, cifar),
    END};

/* ---- figures ----------------------------------------------------------------------------------------------- */

const char *const paper_figures[] = {"fig1a", "fig1b", "fig2", "fig3", "fig4", "fig5", NULL};

static const char *const collaboration_keys[] = {"dsa-0.1", "gha-0.1", "gha-alone-0.1", NULL};
static const char *const one_vector_keys[] = {"dsa-0.1", "dpgd-0.1", "seqdistpm-50", NULL};
static const char *const five_vectors_keys[] = {"dsa-0.1", "dpgd-0.1", "dpgd-free-0.1", "seqdistpm-50", NULL};
static const char *const sweep_keys[] = {"dsa-0.1",      "seqdistpm-50", "seqdistpm-20",
                                         "seqdistpm-10", "seqdistpm-5",  NULL};
static const char *const mnist_keys[] = {"dsa-0.1", "dpgd-0.1", "dpgd-free-0.1", "gha-0.1", "oi", NULL};
static const char *const cifar_keys[] = {"dsa-0.7", "dpgd-0.7", "dpgd-free-0.7", "gha-0.7", "oi", NULL};
static const char *const sent_keys[] = {"dsa-0.1", "dpgd-0.1", "seqdistpm-50", "deepca", "fastpca", "krylov", NULL};
static const char *const cifar_sent_keys[] = {"dsa-0.7", "dpgd-0.7", "seqdistpm-50", "deepca", "fastpca",
                                              "krylov",  NULL};

#define ALONG_ITERATIONS .axes = {AXIS_ITERATIONS}, .axis_count = 1
#define ALONG_UNITS      .axes = {AXIS_UNITS}, .axis_count = 1, .log_x = 1
#define ALONG_SENT       .axes = {AXIS_UNITS, AXIS_BYTES}, .axis_count = 2, .log_x = 1, .ours = 1

const sheet paper_sheets[] = {
    {.figure = "fig1a",
     .key = "fig1a",
     .title = "Figure 1a: the need for collaboration",
     .caption = "DSA against Sanger's rule with all data in one place, and at single nodes that do not collaborate.",
     ALONG_ITERATIONS,
     .keys = collaboration_keys},
    {.figure = "fig1a",
     .key = "fig1a-sent",
     .title = "Beside figure 1a: exact methods, by what they send",
     .caption = "The same set-up with deepca, fastpca and krylov.",
     ALONG_SENT,
     .keys = sent_keys},
    {.figure = "fig1b",
     .key = "fig1b",
     .title = "Figure 1b: the effect of the step size on DSA",
     .caption = "A small step converges slowly, a large one ends higher.",
     ALONG_ITERATIONS,
     .log_x = 1},
    {.figure = "fig2",
     .key = "fig2",
     .title = "Figure 2: one eigenvector, error against communication",
     .caption = "DSA, DPGD and SeqDistPM for K = 1 on three networks.",
     ALONG_UNITS,
     .keys = one_vector_keys},
    {.figure = "fig2",
     .key = "fig2-sent",
     .title = "Beside figure 2: exact methods, by what they send",
     .caption = "The same set-ups with deepca, fastpca and krylov.",
     ALONG_SENT,
     .keys = sent_keys},
    {.figure = "fig3",
     .key = "fig3",
     .title = "Figure 3: five eigenvectors, error against communication",
     .caption =
         "DSA, DPGD and SeqDistPM for K = 5 on three networks. DPGD twice: with the signs of its QR made consistent, "
         "and with those that LAPACK happens to return, which differ between nodes.",
     ALONG_UNITS,
     .keys = five_vectors_keys},
    {.figure = "fig3",
     .key = "fig3-rounds",
     .title = "Beside figure 3: the consensus rounds of SeqDistPM",
     .caption = "The paper's T_c = 50 mixes a power step, and fewer.",
     ALONG_UNITS,
     .ours = 1,
     .keys = sweep_keys},
    {.figure = "fig3",
     .key = "fig3-sent",
     .title = "Beside figure 3: exact methods, by what they send",
     .caption = "The same set-ups with deepca, fastpca and krylov.",
     ALONG_SENT,
     .keys = sent_keys},
    {.figure = "fig4",
     .key = "fig4",
     .title = "Figure 4: MNIST, error against iterations",
     .caption = "60,000 images over 20 nodes of an Erdos-Renyi network.",
     ALONG_ITERATIONS,
     .keys = mnist_keys},
    {.figure = "fig4",
     .key = "fig4-sent",
     .title = "Beside figure 4: exact methods, by what they send",
     .caption = "The same set-ups with deepca, fastpca and krylov.",
     ALONG_SENT,
     .keys = sent_keys},
    {.figure = "fig4",
     .key = "fig4-sorted",
     .title = "Beside figure 4: MNIST sorted by class",
     .caption = "Every node sees one digit, or two. DSA fails; the exact methods do not.",
     ALONG_SENT,
     .only = "sorted"},
    {.figure = "fig5",
     .key = "fig5",
     .title = "Figure 5: CIFAR-10, error against iterations",
     .caption = "The red channel of 60,000 images over 20 nodes of an Erdos-Renyi network.",
     ALONG_ITERATIONS,
     .keys = cifar_keys},
    {.figure = "fig5",
     .key = "fig5-sent",
     .title = "Beside figure 5: exact methods, by what they send",
     .caption = "The same set-ups with deepca, fastpca and krylov.",
     ALONG_SENT,
     .keys = cifar_sent_keys},
    END};
