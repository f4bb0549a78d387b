#define _DEFAULT_SOURCE /* madvise */
#include "data/strided.h"

#include "base/memory.h"
#include "data/dtype.h"
#include "data/map.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct strided {
    emi_bytes bytes;
    emi_layout layout;
} strided;

static int is_packed(const em_data *data)
{
    const emi_layout *l = &((const strided *)data->state)->layout;
    ptrdiff_t size = (ptrdiff_t)emi_dtype_size(l->type);
    return !data->pick && l->column_stride == size && l->row_stride == size * (ptrdiff_t)data->columns;
}

/* Rows that come from a map count only if it still was the file.  Its size is asked for with the last row alone, since
 * that is slow on the disks of a cluster: whoever gets zeros before it loses the pages after them. */
static em_status strided_check(const em_data *data, size_t first, size_t count, em_error *err)
{
    const strided *s = data->state;
    if (s->bytes.kind != EMI_MAPPED) return EM_OK;
    int good = first + count == data->rows ? emi_map_is_whole(s->bytes.at) : emi_map_is_covered(s->bytes.at);
    return good ? EM_OK : emi_fail_shorter(err, data->name);
}

static em_status strided_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    const strided *s = data->state;
    const emi_layout *l = &s->layout;
    const unsigned char *base = s->bytes.at + l->offset;
    size_t columns = data->columns;
    if (is_packed(data)) { /* all rows at once */
        emi_decode(l->type, l->swapped, base + (ptrdiff_t)first * l->row_stride, l->column_stride, count * columns,
                   out);
        return strided_check(data, first, count, err);
    }
    for (size_t r = 0; r < count; r++) {
        const unsigned char *row = base + (ptrdiff_t)(first + r) * l->row_stride;
        double *to = out + r * columns;
        if (!data->pick) emi_decode(l->type, l->swapped, row, l->column_stride, columns, to);
        for (size_t c = 0; data->pick && c < columns; c++)
            emi_decode(l->type, l->swapped, row + (ptrdiff_t)data->pick[c] * l->column_stride, l->column_stride, 1,
                       to + c);
    }
    return strided_check(data, first, count, err);
}

static const void *strided_in_place(const em_data *data, size_t first)
{
    const strided *s = data->state;
    const unsigned char *at = s->bytes.at + s->layout.offset + (ptrdiff_t)first * s->layout.row_stride;
    int usable = is_packed(data) && !s->layout.swapped;
    return usable && (uintptr_t)at % emi_dtype_size(s->layout.type) == 0 ? at : NULL;
}

/* Give the whole pages inside these rows back: they are read again from the file when needed.  Of a file that is not large
 * they may stay, as finding them again takes time. */
static void strided_forget(const em_data *data, size_t first, size_t count)
{
    static const size_t large = (size_t)1 << 30;
    const strided *s = data->state;
    const emi_layout *l = &s->layout;
    if (s->bytes.size < large || s->bytes.kind != EMI_MAPPED || l->row_stride <= 0 || l->row_stride < l->column_stride)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE); /* and a map begins on one */
    size_t from = l->offset + first * (size_t)l->row_stride, to = from + count * (size_t)l->row_stride;
    from = (from + page - 1) / page * page;
    to = first + count == data->rows ? s->bytes.size : to / page * page;
    if (to > from) (void)madvise(s->bytes.at + from, to - from, MADV_DONTNEED);
}

static void strided_close(em_data *data)
{
    strided *s = data->state;
    if (s) emi_bytes_release(&s->bytes);
    emi_free(s);
    data->state = NULL;
}

static const emi_source strided_source = {.read = strided_read,
                                          .in_place = strided_in_place,
                                          .check = strided_check,
                                          .forget = strided_forget,
                                          .close = strided_close};

em_status emi_strided_open(em_data *data, const emi_bytes *bytes, const emi_layout *layout, em_error *err)
{
    strided *s = emi_calloc(1, sizeof *s);
    if (!s) return emi_fail_memory(err, data->name);
    *s = (strided){.bytes = *bytes, .layout = *layout};
    data->source = &strided_source;
    data->state = s;
    data->type = layout->type;
    data->rows = layout->rows;
    data->columns = layout->columns;
    return EM_OK;
}

em_status emi_strided_take(em_data *data, emi_input *input, const emi_layout *layout, em_error *err)
{
    em_status status = emi_strided_open(data, &input->bytes, layout, err);
    if (status == EM_OK) (void)emi_input_take(input);
    return status;
}
