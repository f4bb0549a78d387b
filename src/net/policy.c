#include "net/policy.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/* ---- before it begins --------------------------------------------------------------------------------------------------- */

em_status emi_policy_check_study(const em_site_options *options, const emi_study *study, em_error *err)
{
    if (study->site_count < options->minimum_sites)
        return em_fail(err, EM_EINVAL,
                       "%s: is between %d sites, and this site takes part where there are %d or more (option "
                       "minimum-sites); try a study of more sites",
                       options->study, study->site_count, options->minimum_sites);
    if (study->masks || (!options->minimum_rows && !options->maximum_columns)) return EM_OK;
    return em_fail(err, EM_EINVAL,
                   "%s: has no masks, and without them option %s cannot be kept: neighbours see what is sent before it "
                   "is known; try masks = yes in the study, at all sites",
                   options->study, options->minimum_rows ? "minimum-rows" : "maximum-columns");
}

/* A file that is there and cannot be read as it was written is not that of these rows either. */
em_status emi_policy_check_rows(const emi_policy *policy, em_error *err)
{
    unsigned char before[EMI_SHA_BYTES];
    if (!policy->study->masks || policy->options->data_changed || !emi_state_has(policy->state, EMI_STATE_OWN_ROWS))
        return EM_OK;
    if (emi_state_read(policy->state, EMI_STATE_OWN_ROWS, before, sizeof before) &&
        CRYPTO_memcmp(before, policy->own->rows, sizeof before) == 0)
        return EM_OK;
    return em_fail(err, EM_EDATA,
                   "node: the data have changed since this study began, and from the numbers and means of two runs all "
                   "sites can compute the difference, down to a single row; try the data of before, or, if that may be "
                   "known, option data-changed");
}

em_status emi_policy_note_rows(const emi_policy *policy, em_error *err)
{
    em_status status = emi_policy_check_rows(policy, err);
    if (status != EM_OK) return status;
    return emi_state_write(policy->state, EMI_STATE_OWN_ROWS, policy->own->rows, EMI_SHA_BYTES, err);
}

/* ---- while it runs ------------------------------------------------------------------------------------------------------ */

em_status emi_policy_count_rows(const emi_policy *policy, uint64_t own, uint64_t all, em_error *err)
{
    if (own == 0)
        return em_fail(err, EM_EDATA,
                       "node: this site has no rows, so that the sums are the others' alone; try its data");
    if (all >= policy->options->minimum_rows) return EM_OK;
    return em_fail(err, EM_EINVAL,
                   "node: all sites together have %" PRIu64 " rows, and this site takes part where there are %" PRIu64
                   " or more (option minimum-rows); try more rows, or more sites",
                   all, policy->options->minimum_rows);
}

/* Columns of a question, as a rule: components and what is asked beside them; of a fraction as many as a fit begins with. */
static uint64_t block_of(const emi_policy *policy)
{
    enum { AT_FIRST = 16 };
    char text[64];
    (void)em_options_get(policy->study->options, "method", text, sizeof text);
    if (strcmp(text, "covariance") == 0) return policy->own->columns; /* all of C at once */
    (void)em_options_get(policy->study->options, "components", text, sizeof text);
    double components = strtod(text, NULL);
    uint64_t block = components >= 1 ? (uint64_t)components : AT_FIRST;
    (void)em_options_get(policy->study->options, "oversample", text, sizeof text);
    return strcmp(text, "auto") == 0 ? block + 2 + block / 10 : block + strtoull(text, NULL, 10);
}

static uint64_t limit_of(const emi_policy *policy)
{
    enum { BLOCKS = 128 };
    return policy->options->maximum_columns ? policy->options->maximum_columns : BLOCKS * block_of(policy);
}

int emi_policy_answered(const emi_state *state, uint64_t *columns)
{
    unsigned char bytes[8];
    *columns = 0;
    if (!emi_state_has(state, EMI_STATE_ANSWERED)) return 0;
    if (!emi_state_read(state, EMI_STATE_ANSWERED, bytes, sizeof bytes)) return -1;
    *columns = emi_u64_read(bytes);
    return 0;
}

em_status emi_policy_answer(const emi_policy *policy, uint64_t columns, em_error *err)
{
    unsigned char bytes[8];
    uint64_t before, limit = limit_of(policy);
    if (emi_policy_answered(policy->state, &before))
        return em_fail(err, EM_EIO,
                       "%s/" EMI_STATE_ANSWERED ": is not what this program writes; try another state folder",
                       policy->state->folder);
    if (before > limit || columns > limit - before)
        return em_fail(err, EM_EINVAL,
                       "node: the root asks for %" PRIu64 " more columns of C, %" PRIu64
                       " were answered in this study, and this site answers %" PRIu64
                       " at most; try asking the root why, or option maximum-columns with a larger number",
                       columns, before, limit);
    emi_u64_write(bytes, before + columns);
    return emi_state_write(policy->state, EMI_STATE_ANSWERED, bytes, sizeof bytes, err);
}
