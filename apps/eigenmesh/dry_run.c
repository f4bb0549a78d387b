#include "dry_run.h"

#include "cluster.h"
#include "message.h"
#include "print.h"

static void print_json(const problem *p, const em_plan *plan)
{
    json j;
    json_begin(&j);
    json_text(&j, "method", plan->method);
    json_text(&j, "why", plan->why);
    json_text(&j, "operator", plan->operator_name);
    json_text(&j, "operator_why", plan->operator_why);
    json_whole(&j, "samples", (uint64_t)plan->samples);
    json_whole(&j, "features", (uint64_t)plan->features);
    json_whole(&j, "components", (uint64_t)plan->components);
    json_whole(&j, "nodes", (uint64_t)plan->nodes);
    json_whole(&j, "threads", (uint64_t)plan->threads);
    json_whole(&j, "block", (uint64_t)plan->block);
    json_whole(&j, "iterations", (uint64_t)plan->iterations);
    json_flag(&j, "at_most", plan->at_most);
    json_whole(&j, "rounds", (uint64_t)plan->rounds);
    json_whole(&j, "messages", (uint64_t)plan->messages);
    json_whole(&j, "bytes", (uint64_t)plan->bytes);
    json_whole(&j, "memory", (uint64_t)plan->memory);
    problem_json(&j, p);
    json_end(&j);
}

/* 3.2 MB, 1.5 GB */
static const char *size_text(double bytes, char out[32])
{
    (void)snprintf(out, 32, "%.3g %s", bytes / (bytes < 1e9 ? 1e6 : 1e9), bytes < 1e9 ? "MB" : "GB");
    return out;
}

static void print_words(const problem *p, const em_plan *plan)
{
    char size[32];
    const em_info sizes = {.samples = plan->samples, .features = plan->features, .nodes = plan->nodes};
    const char *about = plan->at_most ? "at most" : "about";
    problem_print(p, &sizes);
    (void)printf("method    %s: %s\n", plan->method, plan->why);
    (void)printf("operator  %s covariances: %s\n", plan->operator_name, plan->operator_why);
    (void)printf("block     %d column%s of %d numbers\n", plan->block, plan->block == 1 ? "" : "s", plan->features);
    (void)printf("threads   %d\n", plan->threads);
    (void)printf("takes     %s %ld iteration%s\n", about, plan->iterations, plan->iterations == 1 ? "" : "s");
    if (plan->nodes > 1)
        (void)printf("sends     %s %.0f messages, %s in all, in %.0f rounds\n", about, plan->messages,
                     size_text(plan->bytes, size), plan->rounds);
    (void)printf("memory    %s in this process, beside the rows\n", size_text(plan->memory, size));
}

em_status dry_run(const problem *p, const arguments *args, em_error *err)
{
    em_plan *plan = NULL;
    em_status status = cluster_agree(em_plan_make(&plan, p->options, p->mesh, p->shards, err), err);
    if (status == EM_OK && cluster_speaks()) {
        if (args_given(args, "json"))
            print_json(p, plan);
        else if (args_reports(args))
            print_words(p, plan);
    }
    em_plan_free(&plan);
    return status;
}
