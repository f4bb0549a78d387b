/* HDF5: a dataset of numbers with two or more dimensions; the first is rows.  Rows are read a block at a time.  Sparse matrices are
 * AnnData's (hdf5_anndata.c), and read whole.
 *
 * Debian's library is not thread-safe: one lock guards every call of it.  Its own error stack is silenced while we
 * are inside, and given back. */
#include "base/memory.h"
#include "data/columns.h"
#include "data/hdf5_anndata.h"
#include "data/hdf5_lock.h"
#include "data/reader.h"
#include "data/strided.h"

#include <pthread.h>
#include <string.h>

enum { MOST_DIMS = 8 };

/* The one lock of the process around a library that has state of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

emi_hdf5_scope emi_hdf5_enter(void)
{
    emi_hdf5_scope scope;
    (void)pthread_mutex_lock(&lock);
    (void)H5Eget_auto2(H5E_DEFAULT, &scope.report, &scope.client);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return scope;
}

void emi_hdf5_leave(emi_hdf5_scope *scope)
{
    (void)H5Eset_auto2(H5E_DEFAULT, scope->report, scope->client);
    (void)pthread_mutex_unlock(&lock);
}

typedef struct dataset {
    emi_bytes image; /* of a file that was packed or came in a pipe; zeroed: the file itself */
    hid_t file, set;
    int dims;
    hsize_t shape[MOST_DIMS];
    size_t width; /* columns before picking */
} dataset;

/* ---- rows -------------------------------------------------------------------------------------- */

static herr_t read_block(const dataset *d, size_t first, size_t count, double *out)
{
    hsize_t start[MOST_DIMS] = {first}, size[MOST_DIMS], all = (hsize_t)count * d->width;
    memcpy(size, d->shape, sizeof size);
    size[0] = count;
    hid_t here = H5Screate_simple(1, &all, NULL), there = H5Dget_space(d->set);
    herr_t failed = here < 0 || there < 0 || H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
                    H5Dread(d->set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, out) < 0;
    if (there >= 0) (void)H5Sclose(there);
    if (here >= 0) (void)H5Sclose(here);
    return failed;
}

/* A row at a time through a buffer of full width. */
static herr_t read_picked(const em_data *data, size_t first, size_t count, double *out, double *row)
{
    const dataset *d = data->state;
    for (size_t r = 0; r < count; r++) {
        if (read_block(d, first + r, 1, row)) return -1;
        for (size_t c = 0; c < data->columns; c++) out[r * data->columns + c] = row[data->pick[c]];
    }
    return 0;
}

static em_status hdf5_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    const dataset *d = data->state;
    double *row = data->pick ? emi_doubles(d->width) : NULL;
    if (data->pick && !row) return emi_fail_memory(err, data->name);
    emi_hdf5_scope scope = emi_hdf5_enter();
    herr_t failed = data->pick ? read_picked(data, first, count, out, row) : read_block(d, first, count, out);
    emi_hdf5_leave(&scope);
    emi_free(row);
    if (failed)
        return emi_fail(err, EM_EIO, "%s: HDF5 cannot read rows %zu to %zu; try h5dump on it", data->name, first,
                        first + count);
    return EM_OK;
}

static void hdf5_close(em_data *data)
{
    dataset *d = data->state;
    if (!d) return;
    emi_hdf5_scope scope = emi_hdf5_enter();
    if (d->set >= 0) (void)H5Dclose(d->set);
    if (d->file >= 0) (void)H5Fclose(d->file);
    emi_hdf5_leave(&scope);
    emi_bytes_release(&d->image);
    emi_free(d);
    data->state = NULL;
}

static const emi_source hdf5_source = {.read = hdf5_read, .close = hdf5_close};

/* ---- which dataset --------------------------------------------------------------------------------- */

/* Every dataset of numbers with rows and columns, by name. */
typedef struct search {
    int found;
    char first[258];     /* "/" and a name of 256 letters at most */
    emi_name_list names; /* for the message */
} search;

/* As h5py writes booleans: an enumeration of FALSE, 0, and TRUE, 1. */
static int is_boolean(hid_t type)
{
    static const char *const names[] = {"FALSE", "TRUE"};
    if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return 0;
    for (unsigned n = 0; n < 2; n++) {
        unsigned char value = 2;
        char *name = H5Tget_member_name(type, n);
        int right = name && H5Tget_member_value(type, n, &value) >= 0 && value < 2 && strcmp(name, names[value]) == 0;
        (void)H5free_memory(name);
        if (!right) return 0;
    }
    return 1;
}

static int is_table(hid_t set)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    int numbers = kind == H5T_INTEGER || kind == H5T_FLOAT || (kind == H5T_ENUM && is_boolean(type));
    if (space >= 0) (void)H5Sclose(space);
    if (type >= 0) (void)H5Tclose(type);
    return numbers && dims >= 2 && dims <= MOST_DIMS;
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *about, void *context)
{
    search *s = context;
    if (about->type != H5O_TYPE_DATASET || strlen(name) > sizeof s->first - 2) return 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) return 0;
    if (is_table(set)) {
        char path[sizeof s->first];
        (void)snprintf(path, sizeof path, "/%s", name);
        if (s->found++ == 0) memcpy(s->first, path, sizeof path);
        emi_name_list_add(&s->names, path);
    }
    (void)H5Dclose(set);
    return 0;
}

static em_status choose_dataset(dataset *d, const char *name, const char *inner, em_error *err)
{
    search s = {0};
    if (!inner) {
        (void)H5Ovisit2(d->file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &s, H5O_INFO_BASIC);
        if (s.found == 0) return emi_fail(err, EM_EDATA, "%s: no table of numbers in it; try another file", name);
        if (s.found > 1)
            return emi_fail(err, EM_EINVAL, "%s: %d tables in it (%s); try %s:%s", name, s.found,
                            emi_name_list_end(&s.names), name, s.first);
        inner = s.first;
    }
    d->set = H5Dopen2(d->file, inner, H5P_DEFAULT);
    if (d->set < 0) return emi_fail(err, EM_EDATA, "%s: no dataset %s in it; try h5ls -r on the file", name, inner);
    if (!is_table(d->set))
        return emi_fail(err, EM_EDATA, "%s: %s is no table of numbers with rows and columns; try another dataset", name,
                        inner);
    return EM_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Such a file is opened where it lies in memory. */
static hid_t open_image(const emi_bytes *image)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
        H5Pset_file_image(access, image->at, image->size) >= 0)
        file = H5Fopen("eigenmesh-unpacked", H5F_ACC_RDONLY, access);
    if (access >= 0) (void)H5Pclose(access);
    return file;
}

static em_status find_shape(em_data *data, dataset *d, em_error *err)
{
    hid_t space = H5Dget_space(d->set), type = H5Dget_type(d->set);
    d->dims = H5Sget_simple_extent_dims(space, d->shape, NULL);
    H5T_class_t kind = H5Tget_class(type);
    data->type = kind == H5T_ENUM ? EM_BOOL : kind == H5T_FLOAT && H5Tget_size(type) == 4 ? EM_F32 : EM_F64;
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    d->width = 1;
    int overflow = 0;
    for (int n = 1; n < d->dims; n++) overflow |= emi_size_overflows(d->width, d->shape[n], &d->width);
    if (overflow || d->width > SIZE_MAX / 64)
        return emi_fail(err, EM_EDATA, "%s: more columns than memory holds; try fewer", data->name);
    data->rows = d->shape[0];
    data->columns = d->width;
    return EM_OK;
}

/* A dataset; or into `sparse` a whole matrix, after which the file is not needed any more. */
static em_status open_dataset(em_data *data, dataset *d, const emi_read_request *request, emi_csr *sparse,
                              em_error *err)
{
    em_status status = EM_OK;
    d->file = d->image.at ? open_image(&d->image) : H5Fopen(request->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (d->file < 0)
        TRY(emi_fail(err, EM_EDATA, "%s: HDF5 cannot open it, it may be cut short; try h5dump on it", data->name));
    const char *named = request->inner ? request->inner : emi_anndata_table(d->file);
    int transpose = request->options.transpose;
    if (named && emi_anndata_is_sparse(d->file, named)) {
        TRY(emi_anndata_read(d->file, named, transpose, data->name, sparse, err));
        data->columns = sparse->columns;
    } else {
        TRY(choose_dataset(d, data->name, named, err));
        TRY(find_shape(data, d, err));
    }
    TRY(emi_anndata_name(d->file, transpose, data, err));
done:
    return status;
}

static int hdf5_by_content(const emi_input *input)
{
    static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return input->bytes.size >= 64 && memcmp(input->bytes.at, magic, sizeof magic) == 0;
}

static em_status hdf5_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    emi_csr sparse = {0};
    dataset *d = emi_calloc(1, sizeof *d);
    if (!d) return emi_fail_memory(err, data->name);
    d->file = d->set = -1;
    data->source = &hdf5_source;
    data->state = d;
    if (input->stream) {
        TRY(emi_input_need_all(input, err));
        d->image = emi_input_take(input);
    }
    emi_hdf5_scope scope = emi_hdf5_enter();
    status = open_dataset(data, d, request, &sparse, err);
    emi_hdf5_leave(&scope);
    if (status != EM_OK || !sparse.owned) goto done;
    hdf5_close(data);
    data->format = "h5ad";
    status = emi_csr_open(data, &sparse, err);
done:
    emi_csr_free(&sparse);
    return status;
}

const emi_reader emi_reader_hdf5 = {.format = "hdf5", .by_content = hdf5_by_content, .open = hdf5_open, .has_inner = 1};
