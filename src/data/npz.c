#define _GNU_SOURCE /* memmem */
#include "data/npz.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

/* The archive's bytes as libzip reads them.  Where it read last is remembered: of an array that is stored as it is, that
 * is where it lies. */
typedef struct view {
    const unsigned char *at;
    size_t size, position, read_from;
    zip_error_t error;
} view;

struct emi_npz {
    const char *name;
    view view;
    zip_t *archive;
};

/* ---- the archive ------------------------------------------------------------------------------------------- */

static zip_int64_t view_read(view *v, void *to, zip_uint64_t count)
{
    size_t left = v->size - v->position, n = count < left ? (size_t)count : left;
    memcpy(to, v->at + v->position, n);
    v->read_from = v->position;
    v->position += n;
    return (zip_int64_t)n;
}

static zip_int64_t view_seek(view *v, void *to, zip_uint64_t length)
{
    zip_int64_t position = zip_source_seek_compute_offset(v->position, v->size, to, length, &v->error);
    if (position < 0) return -1;
    v->position = (size_t)position;
    return 0;
}

static zip_int64_t view_stat(const view *v, zip_stat_t *about)
{
    zip_stat_init(about);
    about->size = v->size;
    about->valid |= ZIP_STAT_SIZE;
    return sizeof *about;
}

static zip_int64_t view_does(void *state, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    view *v = state;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK,
                                              ZIP_SOURCE_TELL, -1);
    case ZIP_SOURCE_OPEN: v->position = 0; return 0;
    case ZIP_SOURCE_READ: return view_read(v, data, length);
    case ZIP_SOURCE_SEEK: return view_seek(v, data, length);
    case ZIP_SOURCE_TELL: return (zip_int64_t)v->position;
    case ZIP_SOURCE_STAT: return view_stat(v, data);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&v->error, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    default: zip_error_set(&v->error, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
}

/* libzip's words, in a sentence about the archive or an array of it. */
static em_status unreadable(const char *file, const char *what, zip_error_t *why, em_error *err)
{
    if (zip_error_code_zip(why) == ZIP_ER_MEMORY) return emi_fail_memory(err, file);
    return emi_fail(err, EM_EDATA, "%s%s is damaged (%s); try saving it again with numpy.savez", file, what,
                    zip_error_strerror(why));
}

int emi_is_zip(const unsigned char *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static em_status open_archive(emi_npz *npz, em_error *err)
{
    em_status status = EM_OK;
    zip_error_t why;
    zip_error_init(&why);
    zip_error_init(&npz->view.error);
    zip_source_t *source = zip_source_function_create(view_does, &npz->view, &why);
    if (source) npz->archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &why);
    if (source && !npz->archive) zip_source_free(source);
    if (!npz->archive) status = unreadable(npz->name, ": the archive", &why, err);
    zip_error_fini(&why);
    return status;
}

em_status emi_npz_open(emi_npz **out, const emi_bytes *archive, const char *name, em_error *err)
{
    *out = NULL;
    emi_npz *npz = emi_calloc(1, sizeof *npz);
    if (!npz) return emi_fail_memory(err, name);
    *npz = (emi_npz){.name = name, .view = {.at = archive->at, .size = archive->size}};
    em_status status = open_archive(npz, err);
    if (status == EM_OK)
        *out = npz;
    else
        emi_npz_close(&npz);
    return status;
}

void emi_npz_close(emi_npz **npz)
{
    if (!*npz) return;
    if ((*npz)->archive) zip_discard((*npz)->archive);
    zip_error_fini(&(*npz)->view.error);
    emi_free(*npz);
    *npz = NULL;
}

size_t emi_npz_count(const emi_npz *npz)
{
    return (size_t)zip_get_num_entries(npz->archive, 0);
}

const char *emi_npz_name(const emi_npz *npz, size_t index)
{
    const char *name = zip_get_name(npz->archive, index, ZIP_FL_ENC_RAW);
    return name ? name : "";
}

long emi_npz_find(const emi_npz *npz, const char *array)
{
    size_t length = strlen(array), count = emi_npz_count(npz);
    for (size_t n = 0; n < count && n <= LONG_MAX; n++) {
        const char *name = emi_npz_name(npz, n);
        if (strncmp(name, array, length) == 0 && (!name[length] || strcmp(name + length, ".npy") == 0)) return (long)n;
    }
    return -1;
}

/* ---- an array ------------------------------------------------------------------------------------------------ */

/* One that is being read. */
typedef struct member {
    emi_npz *npz;
    char name[256]; /* "file.npz: X.npy" */
    zip_stat_t about;
    emi_input input;
} member;

static em_status member_read(const emi_input *input, unsigned char *to, size_t count, size_t *got, em_error *err)
{
    zip_int64_t n = zip_fread(input->stream, to, count);
    if (n < 0) return unreadable(input->path, "", zip_file_get_error(input->stream), err);
    *got = (size_t)n;
    return EM_OK;
}

static void member_close(void *stream)
{
    (void)zip_fclose(stream);
}

static em_status open_member(member *m, emi_npz *npz, size_t index, em_error *err)
{
    *m = (member){.npz = npz};
    m->input = (emi_input){.path = m->name, .bytes.kind = EMI_HELD, .read = member_read, .close = member_close};
    (void)snprintf(m->name, sizeof m->name, "%.200s: %s", npz->name, emi_npz_name(npz, index));
    if (zip_stat_index(npz->archive, index, 0, &m->about) != 0)
        return unreadable(m->name, "", zip_get_error(npz->archive), err);
    int encrypted = m->about.encryption_method != ZIP_EM_NONE, method = m->about.comp_method;
    if (encrypted || (method != ZIP_CM_STORE && method != ZIP_CM_DEFLATE))
        return emi_fail(err, EM_EDATA, "%s is %s; try saving it again with numpy.savez", m->name,
                        encrypted ? "encrypted" : "compressed in a way NumPy does not use");
    m->input.stream = zip_fopen_index(npz->archive, index, 0);
    return m->input.stream ? EM_OK : unreadable(m->name, "", zip_get_error(npz->archive), err);
}

em_status emi_npz_header(emi_npz *npz, size_t index, emi_npy *header, em_error *err)
{
    member m;
    em_status status = open_member(&m, npz, index, err);
    if (status == EM_OK) status = emi_npy_read_header(&m.input, npz->name, header, err);
    emi_input_close(&m.input);
    return status;
}

/* The bytes where they lie, if they are stored as they are.  That they are all of it, and begin there, the checksum
 * shows. */
static int find_in_place(member *m, size_t size, emi_bytes *bytes)
{
    const view *v = &m->npz->view;
    unsigned char first;
    if (m->about.comp_method != ZIP_CM_STORE || m->about.size != size) return 0;
    if (zip_fread(m->input.stream, &first, 1) != 1 || size > v->size - v->read_from) return 0;
    *bytes = (emi_bytes){(unsigned char *)v->at + v->read_from, size, EMI_BORROWED};
    return crc32_z(0, bytes->at, size) == m->about.crc;
}

/* libzip compares the checksum when it comes to the end. */
em_status emi_npz_read(emi_npz *npz, size_t index, emi_npy *header, emi_bytes *bytes, em_error *err)
{
    em_status status = EM_OK;
    member m = {0}, again = {0};
    TRY(open_member(&m, npz, index, err));
    TRY(emi_npy_read_header(&m.input, npz->name, header, err));
    size_t size = header->data_offset + header->payload;
    TRY(open_member(&again, npz, index, err));
    if (find_in_place(&again, size, bytes)) goto done;
    TRY(emi_input_need(&m.input, size + 1, err));
    if (m.input.bytes.size != size)
        TRY(emi_fail(err, EM_EDATA, "%s %s; try saving it again with numpy.savez", m.name,
                     m.input.bytes.size < size ? "is cut short" : "holds more than its header promises"));
    *bytes = emi_input_take(&m.input);
done:
    emi_input_close(&again.input);
    emi_input_close(&m.input);
    return status;
}

em_status emi_npz_word(emi_npz *npz, size_t index, char *out, size_t room, em_error *err)
{
    enum { PREFIX = 10, ENOUGH = 1024 };
    em_status status = EM_OK;
    member m = {0};
    memset(out, 0, room);
    TRY(open_member(&m, npz, index, err));
    TRY(emi_input_need(&m.input, ENOUGH, err));
    const unsigned char *bytes = m.input.bytes.at;
    size_t size = m.input.bytes.size;
    if (size < PREFIX) goto done;
    size_t at = PREFIX + ((size_t)bytes[8] | (size_t)bytes[9] << 8), length = 0;
    if (bytes[6] != 1 || at > size) goto done;
    int letters = memmem(bytes, at, "'<U", 3) != NULL; /* four bytes each */
    if (!letters && !memmem(bytes, at, "'|S", 3)) goto done;
    for (; at < size && bytes[at] && length + 1 < room; at += letters ? 4 : 1) out[length++] = (char)bytes[at];
done:
    emi_input_close(&m.input);
    return status;
}
