#include "fit/choose.h"

#include "fit/options.h"

#include <math.h>
#include <stdio.h>

/* What a method is predicted to send, and in how many exchanges. */
typedef struct prediction {
    const emi_method *method;
    double bytes, rounds;
} prediction;

/* Steps that krylov takes for eight digits on the spectra of real data, and deepca for six. */
enum { KRYLOV_STEPS = 10, DEEPCA_STEPS = 60, DEEPCA_MIXES = 3 };

static prediction predict_covariance(const emi_problem *p)
{
    double d = p->d, messages = 2.0 * (p->mesh->graph->nodes - 1);
    return (prediction){&emi_covariance, 8 * messages * d * (d + 1) / 2, 2.0 * p->mesh->tree.depth};
}

static prediction predict_krylov(const emi_problem *p, const em_options *options)
{
    double d = p->d, block = fmin(d, p->K + emi_options_oversample(options)),
           steps = fmin(KRYLOV_STEPS, ceil(d / block));
    double messages = 2.0 * (p->mesh->graph->nodes - 1);
    return (prediction){&emi_krylov, 8 * messages * d * block * steps, 2.0 * p->mesh->tree.depth * steps};
}

static prediction predict_deepca(const emi_problem *p)
{
    double exchanges = DEEPCA_STEPS * DEEPCA_MIXES;
    return (prediction){&emi_deepca, 8 * exchanges * 2.0 * (double)p->mesh->graph->edges * p->d * p->K, exchanges};
}

/* On one node nothing is sent, and arithmetic decides: N d^2 for the covariance and some 10 d^3 for its eigenvectors,
 * against 4 N d for each vector of each step. */
static int direct_is_less_work(const emi_problem *p, const em_options *options)
{
    double N = (double)p->N, d = p->d, block = fmin(d, p->K + emi_options_oversample(options)),
           steps = fmin(KRYLOV_STEPS, ceil(d / block));
    return N * d * d + 10 * d * d * d <= 4 * N * d * block * steps;
}

static int direct_is_better(const emi_problem *p, const em_options *options, prediction direct, prediction iterated)
{
    if (!p->dense_fits) return 0;
    return p->mesh->graph->nodes == 1 ? direct_is_less_work(p, options) : direct.bytes <= iterated.bytes;
}

static void explain(const emi_problem *p, prediction best, prediction other, prediction gossip, char *why, size_t room)
{
    const double MB = 1e6;
    if (p->mesh->graph->nodes == 1)
        (void)snprintf(why, room, "one node, %d features", p->d);
    else
        (void)snprintf(why, room, "about %.3g MB in %.0f rounds; %s %.3g MB, %s %.3g MB", best.bytes / MB, best.rounds,
                       other.method->info.name, other.bytes / MB, gossip.method->info.name, gossip.bytes / MB);
}

void emi_choose(const emi_problem *p, const em_options *options, const emi_method *choices[EMI_CHOICES + 1], char *why,
                size_t room)
{
    prediction direct = predict_covariance(p), iterated = predict_krylov(p, options), gossip = predict_deepca(p);
    int straight = direct_is_better(p, options, direct, iterated);
    int n = 0;
    choices[n++] = straight ? direct.method : iterated.method;
    if (straight || p->dense_fits) choices[n++] = straight ? iterated.method : direct.method;
    choices[n++] = gossip.method;
    choices[n] = NULL;
    explain(p, straight ? direct : iterated, straight ? iterated : direct, gossip, why, room);
}
