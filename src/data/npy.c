#include "data/npy.h"

#include "base/memory.h"
#include "data/dtype.h"
#include "data/reader.h"
#include "data/strided.h"

#include <ctype.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* ---- the header's dict: a Python literal of a fixed kind ----------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at)) c->at++;
}

static int accept(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return 0;
    c->at += length;
    return 1;
}

/* A quoted string without escapes, into out[room]. */
static int accept_string(cursor *c, char *out, size_t room)
{
    skip_space(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"')) return 0;
    char quote = *c->at++;
    size_t length = 0;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (*c->at == '\\' || length + 1 >= room) return 0;
        out[length++] = *c->at;
    }
    out[length] = 0;
    if (c->at == c->end) return 0;
    c->at++;
    return 1;
}

static int accept_size(cursor *c, size_t *out)
{
    size_t value = 0;
    skip_space(c);
    if (c->at >= c->end || !isdigit((unsigned char)*c->at)) return 0;
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
        if (value > PTRDIFF_MAX / 10 || (value = 10 * value + (size_t)(*c->at - '0')) > PTRDIFF_MAX) return 0;
    *out = value;
    return 1;
}

static int accept_shape(cursor *c, emi_npy *out)
{
    if (!accept(c, "(")) return 0;
    for (out->dims = 0; !accept(c, ")"); out->dims++) {
        if (out->dims == EMI_NPY_MAX_DIMS || !accept_size(c, &out->shape[out->dims])) return 0;
        if (!accept(c, ",") && !(c->at < c->end && *c->at == ')')) return 0;
    }
    return 1;
}

/* A type in quotes.  A list of fields is refused, and leaves its bracket behind to tell why. */
static int accept_descr(cursor *c, char *out, size_t room)
{
    if (!accept(c, "[")) return accept_string(c, out, room);
    (void)snprintf(out, room, "[");
    return 0;
}

static int accept_bool(cursor *c, int *out)
{
    *out = accept(c, "True");
    return *out || accept(c, "False");
}

/* All three keys, each once, in any order. */
static int parse_dict(cursor *c, emi_npy *out, char *descr, size_t room)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    int seen[3] = {0};
    char key[32];
    if (!accept(c, "{")) return 0;
    while (!accept(c, "}")) {
        if (!accept_string(c, key, sizeof key) || !accept(c, ":")) return 0;
        int which = 0;
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3 || seen[which]++) return 0;
        int good = which == 0   ? accept_descr(c, descr, room)
                   : which == 1 ? accept_bool(c, &out->fortran_order)
                                : accept_shape(c, out);
        if (!good || (!accept(c, ",") && !(c->at < c->end && *c->at == '}'))) return 0;
    }
    skip_space(c);
    return c->at == c->end && seen[0] && seen[1] && seen[2];
}

/* What a type that is no number holds; NULL: it is one, or text, which a model file has. */
static const char *no_number(char kind)
{
    switch (kind) {
    case 'c': return "complex numbers";
    case 'O': return "Python objects";
    case 'S':
    case 'a': return "bytes";
    case 'M':
    case 'm': return "dates or times";
    case 'V': return "records";
    default: return NULL;
    }
}

/* "<f8": byte order, kind, size. */
static em_status parse_descr(const char *descr, const char *name, emi_npy *out, em_error *err)
{
    char order = descr[0], kind = order ? descr[1] : 0;
    cursor c = {descr + (kind ? 2 : 0), descr + strlen(descr)};
    size_t size = 0;
    if (no_number(kind))
        return emi_fail(err, EM_ENOTSUP, "%s: holds %s ('%s'), not real numbers; try .astype('float64')", name,
                        no_number(kind), descr);
    if (!order || !strchr("<>|=", order) || !kind || !accept_size(&c, &size) || c.at != c.end)
        return emi_fail(err, EM_EDATA, "%s: '%s' is no NumPy type that is understood; try .astype('float64')", name,
                        descr);
    out->swapped = size > 1 && ((order == '<' && !emi_little_endian()) || (order == '>' && emi_little_endian()));
    out->item_size = size;
    if (kind == 'U') {
        out->kind = EMI_NPY_UNICODE;
        out->swapped = (order == '<') != emi_little_endian();
        return emi_size_overflows(size, 4, &out->item_size) ? emi_fail_memory(err, name) : EM_OK;
    }
    out->kind = EMI_NPY_NUMBER;
    if (emi_dtype_numpy(kind, size, &out->type))
        return emi_fail(err, EM_ENOTSUP, "%s: numbers of type '%s' are not supported; try .astype('float64')", name,
                        descr);
    return EM_OK;
}

static em_status count_items(emi_npy *out, const char *name, em_error *err)
{
    out->count = 1;
    int overflow = 0;
    for (int n = 0; n < out->dims; n++) overflow |= emi_size_overflows(out->count, out->shape[n], &out->count);
    overflow |= emi_size_overflows(out->count, out->item_size, &out->payload);
    if (overflow || out->payload > PTRDIFF_MAX - EMI_NPY_MAX_HEADER - 16)
        return emi_fail(err, EM_EDATA, "%s: its header claims more than memory holds; try saving it again", name);
    return EM_OK;
}

/* Bytes of prefix and header together. */
static em_status header_size(const unsigned char *prefix, size_t available, const char *name, size_t *size,
                             em_error *err)
{
    if (available < EMI_NPY_PREFIX || memcmp(prefix, magic, sizeof magic) != 0)
        return emi_fail(err, EM_EDATA, "%s: no .npy data; try numpy.save", name);
    int major = prefix[6];
    if (major < 1 || major > 3)
        return emi_fail(err, EM_EDATA, "%s: .npy version %d is not understood; try saving it again", name, major);
    size_t length = (size_t)prefix[8] | (size_t)prefix[9] << 8;
    if (major > 1) length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    if (length > EMI_NPY_MAX_HEADER - EMI_NPY_PREFIX)
        return emi_fail(err, EM_EDATA, "%s: its header claims %zu bytes; try saving it again", name, length);
    *size = (major > 1 ? 12 : 10) + length;
    return EM_OK;
}

static em_status parse(const unsigned char *bytes, size_t available, const char *name, emi_npy *out, em_error *err)
{
    em_status status = EM_OK;
    char descr[32] = "";
    *out = (emi_npy){0};
    TRY(header_size(bytes, available, name, &out->data_offset, err));
    if (available < out->data_offset)
        TRY(emi_fail(err, EM_EDATA, "%s: cut short inside its header; try saving it again", name));
    const char *text = (const char *)bytes + (bytes[6] > 1 ? 12 : 10);
    cursor c = {text, (const char *)bytes + out->data_offset};
    int understood = parse_dict(&c, out, descr, sizeof descr);
    if (!understood && descr[0] == '[')
        TRY(emi_fail(err, EM_ENOTSUP, "%s: holds records of several fields; try numpy.save of one field", name));
    if (!understood)
        TRY(emi_fail(err, EM_EDATA, "%s: its .npy header is not understood; try numpy.save of a plain array", name));
    TRY(parse_descr(descr, name, out, err));
    TRY(count_items(out, name, err));
done:
    return status;
}

size_t emi_npy_format(char *out, const char *descr, int dims, const size_t *shape)
{
    enum { ALIGN = 64, ROOM = 256 };
    char text[ROOM] = "(";
    size_t length = 1;
    for (int n = 0; n < dims; n++)
        length += (size_t)snprintf(text + length, ROOM - length, n ? " %zu," : "%zu,", shape[n]);
    if (dims > 1) length--; /* (3, 4) but (3,) */
    text[length] = 0;
    length =
        (size_t)snprintf(out + 10, ROOM - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s), }", descr, text);
    size_t total = (10 + length + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + 10 + length, ' ', total - 10 - length);
    out[total - 1] = '\n';
    memcpy(out, magic, sizeof magic);
    out[6] = 1, out[7] = 0;
    out[8] = (char)((total - 10) & 255), out[9] = (char)((total - 10) >> 8);
    return total;
}

const char *emi_npy_descr(em_dtype type)
{
    return emi_dtype_of(type)->descr;
}

/* ---- the reader ------------------------------------------------------------------------------------ */

static int npy_by_content(const emi_input *input)
{
    return input->bytes.size >= sizeof magic && memcmp(input->bytes.at, magic, sizeof magic) == 0;
}

em_status emi_npy_read_header(emi_input *input, const char *name, emi_npy *header, em_error *err)
{
    em_status status = EM_OK;
    size_t size = 0;
    TRY(emi_input_need(input, EMI_NPY_PREFIX, err));
    TRY(header_size(input->bytes.at, input->bytes.size, name, &size, err));
    TRY(emi_input_need(input, size, err));
    TRY(parse(input->bytes.at, input->bytes.size, name, header, err));
done:
    return status;
}

em_status emi_npy_layout(const emi_npy *header, const char *name, emi_layout *layout, em_error *err)
{
    if (header->kind == EMI_NPY_UNICODE)
        return emi_fail(err, EM_ENOTSUP, "%s: holds text, not numbers; try .astype('float64')", name);
    if (header->dims < 2)
        return emi_fail(err, EM_EDATA,
                        "%s: an array of %d dimension%s, and rows are samples; try reshaping it to (N, d)", name,
                        header->dims, header->dims == 1 ? "" : "s");
    if (header->fortran_order && header->dims > 2)
        return emi_fail(err, EM_ENOTSUP, "%s: %d dimensions in Fortran order; try numpy.ascontiguousarray", name,
                        header->dims);
    if (header->count == 0)
        return emi_fail(err, EM_EDATA, "%s: an array with no numbers in it; try one with rows and columns", name);
    size_t columns = 1;
    for (int n = 1; n < header->dims; n++) columns *= header->shape[n]; /* fits: the whole product does */
    *layout = (emi_layout){.type = header->type,
                           .swapped = header->swapped,
                           .offset = header->data_offset,
                           .rows = header->shape[0],
                           .columns = columns};
    size_t item = header->item_size;
    layout->row_stride = (ptrdiff_t)(header->fortran_order ? item : item * columns);
    layout->column_stride = (ptrdiff_t)(header->fortran_order ? item * header->shape[0] : item);
    return EM_OK;
}

static em_status npy_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    (void)request;
    em_status status = EM_OK;
    emi_npy header;
    emi_layout layout;
    TRY(emi_npy_read_header(input, data->name, &header, err));
    TRY(emi_npy_layout(&header, data->name, &layout, err));
    TRY(emi_input_exactly(input, header.data_offset + header.payload, err));
    TRY(emi_strided_take(data, input, &layout, err));
done:
    return status;
}

const emi_reader emi_reader_npy = {.format = "npy", .by_content = npy_by_content, .open = npy_open};
