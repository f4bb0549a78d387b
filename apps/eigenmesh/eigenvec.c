#include "eigenvec.h"
#include "outputs.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static const char ending[] = ".eigenvec", beside[] = ".eigenval";

int is_eigenvec(const char *path)
{
    size_t length = strlen(path);
    return length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

void eigenval_path(const char *path, char room[PATH_MAX])
{
    (void)snprintf(room, PATH_MAX, "%.*s%s", (int)(strlen(path) - strlen(ending)), path, beside);
}

static void put_number(FILE *out, double value)
{
    char text[EMI_NUMBER_TEXT];
    (void)emi_text_of_double(text, value);
    (void)fputs(text, out);
}

/* Of the people x people matrix X X' / variants that PLINK speaks of, eigenvectors over all sites' people have length one. */
static void put_people(FILE *out, const em_model *model, const em_data *people, const double *scores)
{
    int K = em_model_components_count(model);
    const double *singular = em_model_singular_values(model);
    (void)fputs("FID\tIID", out);
    for (int k = 0; k < K; k++) (void)fprintf(out, "\tPC%d", k + 1);
    (void)fputc('\n', out);
    for (size_t r = 0; r < em_data_rows(people); r++) {
        (void)fputs(em_data_label(people, r), out);
        for (int k = 0; k < K; k++) {
            (void)fputc('\t', out);
            put_number(out, singular[k] > 0 ? scores[r * (size_t)K + (size_t)k] / singular[k] : 0);
        }
        (void)fputc('\n', out);
    }
}

/* Divided by the number of all variants, as PLINK does it: those too that do not vary. */
static void put_values(FILE *out, const em_model *model)
{
    for (int k = 0; k < em_model_components_count(model); k++) {
        double singular = em_model_singular_values(model)[k];
        put_number(out, singular * singular / em_model_features(model));
        (void)fputc('\n', out);
    }
}

em_status eigenvec_write(const char *path, const em_model *model, const em_data *people, em_error *err)
{
    em_status status = EM_OK;
    output_file files[2] = {{.option = "output"}, {.option = "output"}};
    char other[PATH_MAX];
    double *scores = emi_doubles(em_data_rows(people) * (size_t)em_model_components_count(model));
    if (!scores) TRY(emi_fail_memory(err, path));
    eigenval_path(path, other);
    if (!em_data_label(people, 0))
        TRY(emi_fail(err, EM_EINVAL, "%s: is about people, whose names %s has not; try PLINK genotypes, or .npy", path,
                     em_data_name(people)));
    TRY(emi_output_open(&files[0].handle, path, err));
    TRY(emi_output_open(&files[1].handle, other, err));
    TRY(em_project(people, em_model_mean(model), em_model_scale(model), em_model_components(model),
                   em_model_components_count(model), EM_F64, scores, 0, err));
    put_people(emi_output_stream(files[0].handle), model, people, scores);
    put_values(emi_output_stream(files[1].handle), model);
    TRY(outputs_commit(files, 2, err));
done:
    outputs_discard(files, 2);
    emi_free(scores);
    return status;
}
