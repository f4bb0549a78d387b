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

/* libzip's words, in a sentence. */
static em_status unreadable(const emi_npz *npz, const char *what, zip_error_t *why, em_error *err)
{
    if (zip_error_code_zip(why) == ZIP_ER_MEMORY) return emi_fail_memory(err, npz->name);
    return emi_fail(err, EM_EDATA, "%s: %s is damaged (%s); try saving it again with numpy.savez", npz->name, what,
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
    if (!npz->archive) status = unreadable(npz, "the archive", &why, err);
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
    const char *name;
    zip_stat_t about;
    zip_file_t *file;
    emi_bytes bytes; /* held: what has arrived */
    size_t room;
} member;

static em_status damaged(const member *m, const char *why, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: %s %s; try saving it again with numpy.savez", m->npz->name, m->name, why);
}

static em_status open_member(member *m, emi_npz *npz, size_t index, em_error *err)
{
    *m = (member){.npz = npz, .name = emi_npz_name(npz, index), .bytes = {.kind = EMI_HELD}};
    if (zip_stat_index(npz->archive, index, 0, &m->about) != 0)
        return unreadable(npz, m->name, zip_get_error(npz->archive), err);
    if (m->about.encryption_method != ZIP_EM_NONE) return damaged(m, "is encrypted", err);
    if (m->about.comp_method != ZIP_CM_STORE && m->about.comp_method != ZIP_CM_DEFLATE)
        return damaged(m, "is compressed in a way NumPy does not use", err);
    m->file = zip_fopen_index(npz->archive, index, 0);
    return m->file ? EM_OK : unreadable(npz, m->name, zip_get_error(npz->archive), err);
}

static void close_member(member *m)
{
    if (m->file) (void)zip_fclose(m->file);
    emi_bytes_release(&m->bytes);
}

/* Have the first `count` bytes: an error where there are fewer. */
static em_status need(member *m, size_t count, em_error *err)
{
    em_status status = EM_OK;
    while (m->bytes.size < count) {
        if (m->bytes.size == m->room && emi_bytes_grow(&m->bytes, &m->room, count))
            TRY(emi_fail_memory(err, m->npz->name));
        zip_int64_t got = zip_fread(m->file, m->bytes.at + m->bytes.size, m->room - m->bytes.size);
        if (got == 0) TRY(damaged(m, "is cut short", err));
        if (got < 0) TRY(unreadable(m->npz, m->name, zip_file_get_error(m->file), err));
        m->bytes.size += (size_t)got;
    }
done:
    return status;
}

static em_status read_header(member *m, emi_npy *header, em_error *err)
{
    em_status status = EM_OK;
    size_t size;
    TRY(need(m, EMI_NPY_PREFIX, err));
    TRY(emi_npy_header_size(m->bytes.at, m->bytes.size, m->npz->name, &size, err));
    TRY(need(m, size, err));
    TRY(emi_npy_parse(m->bytes.at, m->bytes.size, m->npz->name, header, err));
done:
    return status;
}

em_status emi_npz_header(emi_npz *npz, size_t index, emi_npy *header, em_error *err)
{
    member m;
    em_status status = open_member(&m, npz, index, err);
    if (status == EM_OK) status = read_header(&m, header, err);
    close_member(&m);
    return status;
}

/* The bytes where they lie, if they are stored as they are.  That they are all of it, and begin there, the checksum
 * shows. */
static int find_in_place(member *m, size_t size, emi_bytes *bytes)
{
    const view *v = &m->npz->view;
    unsigned char first;
    if (m->about.comp_method != ZIP_CM_STORE || m->about.size != size) return 0;
    if (zip_fread(m->file, &first, 1) != 1 || size > v->size - v->read_from) return 0;
    *bytes = (emi_bytes){(unsigned char *)v->at + v->read_from, size, EMI_BORROWED};
    return crc32_z(0, bytes->at, size) == m->about.crc;
}

/* libzip compares the checksum when it comes to the end. */
static em_status read_to_end(member *m, size_t size, em_error *err)
{
    unsigned char beyond;
    em_status status = need(m, size, err);
    if (status != EM_OK) return status;
    zip_int64_t got = zip_fread(m->file, &beyond, 1);
    if (got < 0) return unreadable(m->npz, m->name, zip_file_get_error(m->file), err);
    return got ? damaged(m, "holds more than its header promises", err) : EM_OK;
}

em_status emi_npz_read(emi_npz *npz, size_t index, emi_npy *header, emi_bytes *bytes, em_error *err)
{
    em_status status = EM_OK;
    member m = {.npz = npz}, again = {.npz = npz};
    TRY(open_member(&m, npz, index, err));
    TRY(read_header(&m, header, err));
    size_t size = header->data_offset + header->payload;
    TRY(open_member(&again, npz, index, err));
    if (find_in_place(&again, size, bytes)) goto done;
    TRY(read_to_end(&m, size, err));
    *bytes = m.bytes;
    m.bytes = (emi_bytes){0};
done:
    close_member(&again);
    close_member(&m);
    return status;
}
