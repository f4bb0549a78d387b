/* What a study's links cost: blocks over loopback, beside TLS alone. */
#include "links.h"

#include <stdio.h>

enum { LARGE = 16 << 20, SMALL = 8 << 10, CYCLE = 8 };

static void row(const char *what, double measured, const char *unit)
{
    printf("  %-62s %10.4g %s\n", what, measured, unit);
}

static double best(double (*measure)(size_t, int), size_t bytes, int rounds)
{
    double least = 1e30;
    for (int t = 0; t < 3; t++) {
        double seconds = measure(bytes, rounds);
        if (seconds < least) least = seconds;
    }
    return least;
}

static double cycle(size_t bytes, int rounds)
{
    return hub_cycle(CYCLE, bytes, rounds);
}

static double cycle_alone(size_t bytes, int rounds)
{
    return bare_cycle(CYCLE, bytes, rounds);
}

int main(void)
{
    double bare = best(bare_seconds, LARGE, 20), hub = best(hub_seconds, LARGE, 20);
    printf("\nBlocks of 16 MB from one process to another, over loopback\n");
    row("TLS 1.3 alone", LARGE / bare / 1e6, "MB/s");
    row("a study's link", LARGE / hub / 1e6, "MB/s");
    printf("  %-62s %10.4g          >= 0.7    %s\n", "share of it", bare / hub, bare / hub >= 0.7 ? "met" : "NOT MET");

    double alone = best(cycle_alone, SMALL, 1000), around = best(cycle, SMALL, 1000);
    printf("\nA round of 8 KB blocks on a cycle of 8 processes\n");
    row("TLS 1.3 alone: to both neighbours, and from both", 1e6 * alone, "us");
    row("a study's round", 1e6 * around, "us");
    printf("  %-62s %10.4g times    <= 3      %s\n", "beside it", around / alone,
           around / alone <= 3 ? "met" : "NOT MET");
    return 0;
}
