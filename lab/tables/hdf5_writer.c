/* Writing HDF5.  The library insists on a file of its own, so it is made in memory and copied out whole. */
#include "base/config.h"
#include "lab/tables/writer.h"

#if EMI_HAVE_HDF5
#include "base/memory.h"
#include "data/dtype.h"
#include "data/hdf5_lock.h"

#include <hdf5.h>

typedef struct target {
    hid_t file, set;
} target;

static em_status failed(const lab_writer *writer, em_error *err)
{
    return emi_fail(err, EM_EOUTPUT, "%s: HDF5 cannot write it; try .npy", writer->path);
}

/* F16 is written as f64. */
static hid_t file_type(em_dtype type)
{
    const emi_dtype *of = emi_dtype_of(type);
    const hid_t signed_types[] = {[1] = H5T_STD_I8LE, [2] = H5T_STD_I16LE, [4] = H5T_STD_I32LE, [8] = H5T_STD_I64LE};
    const hid_t unsigned_types[] = {[1] = H5T_STD_U8LE, [2] = H5T_STD_U16LE, [4] = H5T_STD_U32LE, [8] = H5T_STD_U64LE};
    if (of->kind == 'f') return type == EM_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    return of->kind == 'i' ? signed_types[of->size] : unsigned_types[of->size];
}

static void create(lab_writer *writer, target *t)
{
    hsize_t shape[2] = {writer->rows, writer->columns};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), link = H5Pcreate(H5P_LINK_CREATE),
          space = H5Screate_simple(2, shape, NULL);
    (void)H5Pset_fapl_core(access, 1 << 20, 0);
    (void)H5Pset_create_intermediate_group(link, 1);
    t->file = H5Fcreate("eigenmesh-new", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (t->file >= 0)
        t->set = H5Dcreate2(t->file, writer->inner ? writer->inner : "/data", file_type(writer->type), space, link,
                            H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Sclose(space);
    (void)H5Pclose(link);
    (void)H5Pclose(access);
}

static em_status hdf5_begin(lab_writer *writer, em_error *err)
{
    target *t = emi_calloc(1, sizeof *t);
    if (!t) return emi_fail_memory(err, writer->path);
    t->file = t->set = -1;
    writer->state = t;
    emi_hdf5_scope scope = emi_hdf5_enter();
    create(writer, t);
    emi_hdf5_leave(&scope);
    return t->set >= 0 ? EM_OK : failed(writer, err);
}

static em_status hdf5_rows(lab_writer *writer, const double *values, size_t rows, em_error *err)
{
    const target *t = writer->state;
    for (size_t r = 0; r < rows; r++) { /* HDF5 itself would clip what does not fit */
        em_status status = lab_writer_encode(writer, values + r * writer->columns, writer->written + r, err);
        if (status != EM_OK) return status;
    }
    hsize_t start[2] = {writer->written, 0}, size[2] = {rows, writer->columns};
    emi_hdf5_scope scope = emi_hdf5_enter();
    hid_t here = H5Screate_simple(2, size, NULL), there = H5Dget_space(t->set);
    int bad = H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
              H5Dwrite(t->set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values) < 0;
    (void)H5Sclose(there);
    (void)H5Sclose(here);
    emi_hdf5_leave(&scope);
    return bad ? failed(writer, err) : EM_OK;
}

static em_status hdf5_end(lab_writer *writer, em_error *err)
{
    const target *t = writer->state;
    unsigned char *image = NULL;
    emi_hdf5_scope scope = emi_hdf5_enter();
    (void)H5Fflush(t->file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(t->file, NULL, 0);
    if (size > 0) image = emi_malloc((size_t)size);
    int bad = image && H5Fget_file_image(t->file, image, (size_t)size) != size;
    emi_hdf5_leave(&scope);
    em_status status = bad || size <= 0 ? failed(writer, err)
                       : image          ? lab_writer_put(writer, image, (size_t)size, err)
                                        : emi_fail_memory(err, writer->path);
    emi_free(image);
    return status;
}

static void hdf5_close(lab_writer *writer)
{
    target *t = writer->state;
    if (!t) return;
    emi_hdf5_scope scope = emi_hdf5_enter();
    if (t->set >= 0) (void)H5Dclose(t->set);
    if (t->file >= 0) (void)H5Fclose(t->file);
    emi_hdf5_leave(&scope);
    emi_free(t);
    writer->state = NULL;
}

const lab_format lab_format_hdf5 = {.begin = hdf5_begin, .rows = hdf5_rows, .end = hdf5_end, .close = hdf5_close};
#else
static em_status hdf5_begin(lab_writer *writer, em_error *err)
{
    return emi_fail(err, EM_ENOTSUP, "%s: HDF5 is not built in; try building with libhdf5-dev installed", writer->path);
}

const lab_format lab_format_hdf5 = {.begin = hdf5_begin};
#endif
