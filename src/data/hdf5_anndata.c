#include "data/hdf5_anndata.h"

#include "base/memory.h"
#include "data/entries.h"

#include <string.h>

/* ---- attributes ------------------------------------------------------------------------------------------------------------ */

/* Text as C has it, with as many letters as the file's, or with any number. */
static hid_t text_type(hid_t of)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    size_t size = H5Tis_variable_str(of) > 0 ? H5T_VARIABLE : H5Tget_size(of) + 1;
    (void)H5Tset_size(type, size);
    (void)H5Tset_cset(type, H5Tget_cset(of));
    return type;
}

static hssize_t points_of(hid_t space)
{
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) (void)H5Sclose(space);
    return points;
}

/* A word into out[room], "" where there is none. */
static void read_word(hid_t object, const char *attribute, char *out, size_t room)
{
    char fixed[256] = "", *any = NULL;
    memset(out, 0, room);
    if (H5Aexists(object, attribute) <= 0) return;
    hid_t from = H5Aopen(object, attribute, H5P_DEFAULT), own = from >= 0 ? H5Aget_type(from) : -1;
    int text = own >= 0 && H5Tget_class(own) == H5T_STRING && points_of(H5Aget_space(from)) == 1;
    hid_t type = text ? text_type(own) : -1;
    int variable = text && H5Tis_variable_str(own) > 0;
    if (variable && H5Aread(from, type, (void *)&any) >= 0 && any) (void)snprintf(out, room, "%s", any);
    if (text && !variable && H5Tget_size(own) < sizeof fixed && H5Aread(from, type, fixed) >= 0)
        (void)snprintf(out, room, "%s", fixed);
    if (any) (void)H5free_memory(any);
    if (type >= 0) (void)H5Tclose(type);
    if (own >= 0) (void)H5Tclose(own);
    if (from >= 0) (void)H5Aclose(from);
}

static int read_shape(hid_t group, const char *attribute, long long shape[2])
{
    if (H5Aexists(group, attribute) <= 0) return 0;
    hid_t from = H5Aopen(group, attribute, H5P_DEFAULT), own = from >= 0 ? H5Aget_type(from) : -1;
    int good = own >= 0 && H5Tget_class(own) == H5T_INTEGER && points_of(H5Aget_space(from)) == 2 &&
               H5Aread(from, H5T_NATIVE_LLONG, shape) >= 0;
    if (own >= 0) (void)H5Tclose(own);
    if (from >= 0) (void)H5Aclose(from);
    return good;
}

/* ---- what is there ----------------------------------------------------------------------------------------------------------- */

static int has(hid_t file, const char *path)
{
    return H5Lexists(file, path, H5P_DEFAULT) > 0;
}

const char *emi_anndata_table(hid_t file)
{
    return has(file, "X") && has(file, "obs") && has(file, "var") ? "/X" : NULL;
}

static hid_t open_group(hid_t file, const char *path)
{
    H5O_info_t about;
    if (H5Oget_info_by_name2(file, path, &about, H5O_INFO_BASIC, H5P_DEFAULT) < 0 || about.type != H5O_TYPE_GROUP)
        return -1;
    return H5Gopen2(file, path, H5P_DEFAULT);
}

int emi_anndata_is_sparse(hid_t file, const char *path)
{
    hid_t group = open_group(file, path);
    int is = group >= 0 && has(group, "indptr") && has(group, "indices") && has(group, "data");
    if (group >= 0) (void)H5Gclose(group);
    return is;
}

/* ---- the matrix ---------------------------------------------------------------------------------------------------------------- */

typedef struct source {
    hid_t group;
    const char *name;
} source;

/* A list of numbers; -1: it is none, or one that nothing was ever written to. */
static hid_t open_list(const source *s, const char *what, H5T_class_t *kind, size_t *size, size_t *count)
{
    hid_t set = H5Dopen2(s->group, what, H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1,
          space = set >= 0 ? H5Dget_space(set) : -1;
    int dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    hssize_t points = points_of(space);
    *kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    *size = type >= 0 ? H5Tget_size(type) : 0;
    *count = points > 0 ? (size_t)points : 0;
    int good = dims == 1 && points >= 0 && (points == 0 || H5Dget_storage_size(set) > 0);
    if (type >= 0) (void)H5Tclose(type);
    if (set >= 0 && !good) (void)H5Dclose(set);
    return good ? set : -1;
}

static em_status no_list(const source *s, const char *what, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: %s of its sparse matrix is no list of numbers; try writing the file anew",
                    s->name, what);
}

static em_status read_list(const source *s, const char *what, hid_t set, hid_t type, size_t count, void **out,
                           em_error *err)
{
    em_status status = EM_OK;
    *out = emi_calloc(count, H5Tget_size(type));
    if (!*out) TRY(emi_fail_memory(err, s->name));
    if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
        TRY(emi_fail(err, EM_EIO, "%s: HDF5 cannot read %s of its sparse matrix; try h5dump on it", s->name, what));
done:
    (void)H5Dclose(set);
    return status;
}

/* Numbers too large for the type become its largest, which is nowhere either. */
static em_status read_whole(const source *s, const char *what, hid_t type, void **out, size_t *count, em_error *err)
{
    H5T_class_t kind;
    size_t size;
    hid_t set = open_list(s, what, &kind, &size, count);
    if (set >= 0 && kind == H5T_INTEGER) return read_list(s, what, set, type, *count, out, err);
    if (set >= 0) (void)H5Dclose(set);
    return no_list(s, what, err);
}

/* Floats where they hold all digits. */
static em_status read_values(const source *s, void **out, em_dtype *type, int *whole, size_t *count, em_error *err)
{
    H5T_class_t kind;
    size_t size;
    hid_t set = open_list(s, "data", &kind, &size, count);
    if (set < 0) return no_list(s, "data", err);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER && kind != H5T_ENUM) {
        (void)H5Dclose(set);
        return no_list(s, "data", err);
    }
    *type = size <= (kind == H5T_FLOAT ? 4 : 2) ? EM_F32 : EM_F64;
    em_status status =
        read_list(s, "data", set, *type == EM_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, *count, out, err);
    *whole = kind != H5T_FLOAT;
    if (status == EM_OK && *whole && *type == EM_F64) *type = emi_narrow(*out, *count);
    return status;
}

/* Rows or columns that are compressed, and their number; and of the others. */
typedef struct outline {
    int by_columns;
    size_t major, minor;
} outline;

static em_status read_outline(const source *s, outline *o, em_error *err)
{
    char kind[32], old[32];
    long long shape[2];
    read_word(s->group, "encoding-type", kind, sizeof kind);
    read_word(s->group, "h5sparse_format", old, sizeof old);
    o->by_columns = strcmp(kind, "csc_matrix") == 0 || strcmp(old, "csc") == 0;
    if (!o->by_columns && strcmp(kind, "csr_matrix") != 0 && strcmp(old, "csr") != 0)
        return emi_fail(err, EM_ENOTSUP, "%s: its sparse matrix is encoded as '%s'; try csr_matrix", s->name,
                        *kind ? kind : old);
    if (!read_shape(s->group, "shape", shape) && !read_shape(s->group, "h5sparse_shape", shape))
        return emi_fail(err, EM_EDATA, "%s: its sparse matrix has no attribute shape; try writing the file anew",
                        s->name);
    if (shape[0] < 0 || shape[1] < 0 || shape[0] > INT32_MAX || shape[1] > INT32_MAX)
        return emi_fail(err, EM_EDATA, "%s: %lld x %lld is no shape of a matrix that can be read; try parts of it",
                        s->name, shape[0], shape[1]);
    o->major = (size_t)shape[o->by_columns ? 1 : 0];
    o->minor = (size_t)shape[o->by_columns ? 0 : 1];
    return EM_OK;
}

static em_status read_matrix(const source *s, int transpose, emi_csr *m, em_error *err)
{
    em_status status = EM_OK;
    outline o = {0};
    size_t starts, indices, values;
    TRY(read_outline(s, &o, err));
    *m = (emi_csr){.rows = o.major, .columns = o.minor, .index_type = EM_I32, .start_type = EM_I64, .owned = 1};
    TRY(read_whole(s, "indptr", H5T_NATIVE_INT64, &m->starts, &starts, err));
    TRY(read_whole(s, "indices", H5T_NATIVE_INT32, &m->indices, &indices, err));
    TRY(read_values(s, &m->values, &m->type, &m->whole, &values, err));
    if (starts != o.major + 1 || indices != values)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: %zu starts, %zu indices and %zu values for %zu rows; try writing the file anew", s->name,
                     starts, indices, values, o.major));
    TRY(emi_csr_check(m, values, s->name, err));
    if (o.by_columns != !!transpose) TRY(emi_csr_transpose(m, s->name, err));
done:
    return status;
}

em_status emi_anndata_read(hid_t file, const char *path, int transpose, const char *name, emi_csr *out, em_error *err)
{
    const source s = {open_group(file, path), name};
    em_status status = read_matrix(&s, transpose, out, err);
    (void)H5Gclose(s.group);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------------------------------ */

/* Text of one length each. */
static em_status take_fixed(hid_t set, hid_t type, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    size_t size = H5Tget_size(type), all;
    const char **names = emi_calloc(data->columns, sizeof *names);
    char *text = emi_size_overflows(data->columns, size, &all) ? NULL : emi_calloc(all, 1);
    if (!names || !text) TRY(emi_fail_memory(err, data->name));
    for (size_t c = 0; c < data->columns; c++) names[c] = text + c * size;
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) TRY(em_data_set_column_names(data, names, err));
done:
    emi_free(text);
    emi_free(names);
    return status;
}

/* Text of any length, which HDF5 allocates. */
static em_status take_variable(hid_t set, hid_t type, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    hid_t space = H5Dget_space(set);
    char **names = emi_calloc(data->columns, sizeof *names);
    int there = names && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0, whole = there;
    if (!names) TRY(emi_fail_memory(err, data->name));
    for (size_t c = 0; c < data->columns; c++) whole = whole && names[c];
    if (whole) TRY(em_data_set_column_names(data, (const char *const *)names, err));
done:
    if (there) (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, names);
    if (space >= 0) (void)H5Sclose(space);
    emi_free(names);
    return status;
}

/* The frame's attribute _index says which of its lists has them. */
em_status emi_anndata_name(hid_t file, int transpose, em_data *data, em_error *err)
{
    char index[200];
    em_status status = EM_OK;
    hid_t frame = emi_anndata_table(file) ? open_group(file, transpose ? "obs" : "var") : -1;
    if (frame < 0) return EM_OK;
    read_word(frame, "_index", index, sizeof index);
    if (!*index) (void)snprintf(index, sizeof index, "_index");
    hid_t set = has(frame, index) ? H5Dopen2(frame, index, H5P_DEFAULT) : -1, own = set >= 0 ? H5Dget_type(set) : -1;
    int text = own >= 0 && H5Tget_class(own) == H5T_STRING && points_of(H5Dget_space(set)) == (hssize_t)data->columns;
    hid_t type = text ? text_type(own) : -1;
    if (text)
        status = H5Tis_variable_str(own) > 0 ? take_variable(set, type, data, err) : take_fixed(set, type, data, err);
    if (type >= 0) (void)H5Tclose(type);
    if (own >= 0) (void)H5Tclose(own);
    if (set >= 0) (void)H5Dclose(set);
    (void)H5Gclose(frame);
    return status;
}
