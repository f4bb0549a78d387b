#include "loadings.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static void put_number(FILE *out, double value)
{
    char text[EMI_NUMBER_TEXT];
    (void)emi_text_of_double(text, value);
    (void)fprintf(out, "\t%s", text);
}

/* One field, whatever is in it. */
static void put_field(FILE *out, const char *text, size_t length)
{
    for (size_t n = 0; n < length; n++) (void)fputc(iscntrl((unsigned char)text[n]) ? ' ' : text[n], out);
}

/* A variant's name is ID, CHROMOSOME, POSITION, ALLELE and OTHER, with blanks between. */
enum { ID, CHROMOSOME, POSITION, ALLELE, OTHER, PARTS };

/* Where the parts of a name begin, and where it ends; 0 where it has others. */
static int take_apart(const char *name, const char *parts[PARTS + 1])
{
    int count = 1;
    parts[0] = name;
    for (const char *blank = strchr(name, ' '); blank && count <= PARTS; blank = strchr(blank + 1, ' '))
        parts[count++] = blank + 1;
    if (count != PARTS) return 0;
    parts[PARTS] = name + strlen(name) + 1;
    return 1;
}

static int is_of_genotypes(const em_model *model)
{
    const char *parts[PARTS + 1], *name = em_model_feature_name(model, 0);
    return name && strcmp(em_model_info(model)->scale, "binomial") == 0 && take_apart(name, parts);
}

/* Chromosome, position, identifier, the allele that is counted, the other, and how frequent the former is. */
static void put_variant(FILE *out, const em_model *model, int f)
{
    static const int order[PARTS] = {CHROMOSOME, POSITION, ID, ALLELE, OTHER};
    const char *parts[PARTS + 1];
    if (take_apart(em_model_feature_name(model, f), parts))
        for (int n = 0; n < PARTS; n++) {
            if (n) (void)fputc('\t', out);
            put_field(out, parts[order[n]], (size_t)(parts[order[n] + 1] - parts[order[n]]) - 1);
        }
    put_number(out, em_model_mean(model)[f] / 2);
}

static void put_name(FILE *out, const em_model *model, int f)
{
    const char *name = em_model_feature_name(model, f);
    if (name)
        put_field(out, name, strlen(name));
    else
        (void)fprintf(out, "%d", f);
}

void loadings_write(FILE *out, const em_model *model)
{
    int K = em_model_components_count(model), d = em_model_features(model), genotypes = is_of_genotypes(model);
    const double *mean = em_model_mean(model), *components = em_model_components(model);
    (void)fputs(genotypes ? "#CHROM\tPOS\tID\tA1\tA2\tA1_FREQ" : "feature", out);
    for (int k = 0; k < K; k++) (void)fprintf(out, "\tPC%d", k + 1);
    (void)fputc('\n', out);
    for (int f = 0; f < d; f++) {
        if (genotypes && !(mean[f] > 0 && mean[f] < 2)) continue;
        if (genotypes)
            put_variant(out, model, f);
        else
            put_name(out, model, f);
        for (int k = 0; k < K; k++) put_number(out, components[(size_t)k * (size_t)d + (size_t)f]);
        (void)fputc('\n', out);
    }
}
