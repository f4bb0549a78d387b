/* Missing values of a table: NaN, wherever it came from. */
#include "base/memory.h"
#include "data/data.h"

#include <math.h>

enum { AT_ONCE = 1 << 16 }; /* numbers */

static int can_hold_nan(em_dtype type)
{
    return type == EM_F64 || type == EM_F32 || type == EM_F16 || type == EM_LONG_DOUBLE;
}

static int is_whole(const double *row, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        if (isnan(row[c])) return 0;
    return 1;
}

/* The rows without a hole, into kept[rows]; *count of them. */
static em_status find_whole(const em_data *data, size_t *kept, size_t *count, em_error *err)
{
    em_status status = EM_OK;
    size_t d = data->columns, at_once = d < AT_ONCE ? AT_ONCE / d : 1, now;
    double *rows = emi_doubles(at_once * d);
    *count = 0;
    if (!rows) return emi_fail_memory(err, data->name);
    for (size_t first = 0; first < data->rows; first += now) {
        now = data->rows - first < at_once ? data->rows - first : at_once;
        TRY(em_data_read(data, first, now, rows, err));
        for (size_t r = 0; r < now; r++)
            if (is_whole(rows + r * d, d)) kept[(*count)++] = first + r;
        emi_data_forget(data, first, now);
    }
done:
    emi_free(rows);
    return status;
}

em_status emi_data_missing(em_data *data, em_missing what, em_error *err)
{
    size_t count = 0;
    data->holes = what == EM_MISSING_MEAN && can_hold_nan(data->type);
    if (what != EM_MISSING_DROP || !can_hold_nan(data->type)) return EM_OK;
    size_t *kept = emi_calloc(data->rows, sizeof *kept);
    em_status status = kept ? find_whole(data, kept, &count, err) : emi_fail_memory(err, data->name);
    if (status == EM_OK && count == 0)
        status = emi_fail(err, EM_EDATA, "%s: every row has a missing value; try missing=mean, or fewer option columns",
                          data->name);
    if (status != EM_OK || count == data->rows) {
        emi_free(kept);
        return status;
    }
    data->kept = kept;
    data->dropped = data->rows - count;
    data->rows = count;
    return EM_OK;
}
