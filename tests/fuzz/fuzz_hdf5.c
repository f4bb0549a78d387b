/* HDF5, as valid files of every shape.  Damaged bytes crash libhdf5 1.10 itself (seen while it reads a group's heap),
 * so the input is a recipe: which datasets a file holds, and how the file is then cut, packed and asked for. */
#include "fuzz.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recipe {
    const uint8_t *at, *end;
} recipe;

static unsigned next(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* Small numbers, or powers of two up to 2^47. */
static hsize_t next_extent(recipe *r)
{
    unsigned code = next(r);
    return code < 64 ? code : (hsize_t)1 << (code - 64) / 4;
}

static hid_t next_type(recipe *r)
{
    switch (next(r) % 8) {
    case 0: return H5T_IEEE_F64LE;
    case 1: return H5T_IEEE_F32BE;
    case 2: return H5T_STD_I8LE;
    case 3: return H5T_STD_U64BE;
    case 4: return H5T_NATIVE_LDOUBLE;
    case 5: return H5T_STD_B16LE;
    case 6: return H5T_C_S1;
    default: return H5T_STD_REF_OBJ;
    }
}

/* Datasets that HDF5 itself refuses to make are left out. */
static void add_dataset(hid_t file, unsigned number, recipe *r)
{
    enum { MOST_DIMS = 10 };
    hsize_t shape[MOST_DIMS];
    char name[16];
    int dims = (int)(next(r) % (MOST_DIMS + 1));
    hid_t type = next_type(r);
    for (int n = 0; n < dims; n++) shape[n] = next_extent(r);
    hid_t space = dims ? H5Screate_simple(dims, shape, NULL) : H5Screate(H5S_SCALAR);
    (void)snprintf(name, sizeof name, "d%u", number);
    hid_t set = space >= 0 ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (set >= 0) (void)H5Dclose(set);
    if (space >= 0) (void)H5Sclose(space);
}

/* ---- a sparse matrix, as AnnData has it ------------------------------------------------------------------------- */

/* Numbers that are written, or a list that claims a size and holds nothing. */
static void add_list(hid_t group, const char *name, recipe *r)
{
    enum { MOST = 64 };
    long long values[MOST];
    hid_t type = next_type(r);
    int held = next(r) % 8 != 0;
    hsize_t count = held ? next(r) % MOST : next_extent(r);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = space >= 0 ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    for (hsize_t n = 0; held && n < count; n++) values[n] = (long long)next(r) - 2;
    if (set >= 0 && held) (void)H5Dwrite(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0) (void)H5Dclose(set);
    if (space >= 0) (void)H5Sclose(space);
}

static void add_word(hid_t object, const char *name, const char *word, int variable)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    (void)H5Tset_size(type, variable ? H5T_VARIABLE : strlen(word) + 1);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Awrite(attribute, type, variable ? (const void *)&word : word);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void add_names(hid_t group, recipe *r)
{
    static const char *const names[8] = {"a", "b", "", "d", "e", "f", "g", "h"};
    hsize_t count = next(r) % 9;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    (void)H5Tset_size(type, H5T_VARIABLE);
    hid_t set = H5Dcreate2(group, "_index", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && next(r) % 4) (void)H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names);
    if (set >= 0) (void)H5Dclose(set);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void add_matrix(hid_t file, recipe *r)
{
    static const char *const encodings[] = {"csr_matrix", "csc_matrix", "array", ""}, *const frames[] = {"obs", "var"};
    static const hsize_t two = 2;
    hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    unsigned encoding = next(r) % 4;
    if (encoding < 3) add_word(group, "encoding-type", encodings[encoding], next(r) % 2);
    long long shape[2] = {(long long)next_extent(r), (long long)next_extent(r)};
    hid_t attribute = H5Acreate2(group, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Awrite(attribute, H5T_NATIVE_LLONG, shape);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    add_list(group, "indptr", r);
    add_list(group, "indices", r);
    add_list(group, "data", r);
    (void)H5Gclose(group);
    for (int n = 0; n < 2; n++) {
        group = H5Gcreate2(file, frames[n], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (next(r) % 2) add_word(group, "_index", next(r) % 2 ? "_index" : "other", next(r) % 2);
        if (next(r) % 4) add_names(group, r);
        (void)H5Gclose(group);
    }
}

static size_t make_file(recipe *r, uint8_t *image, size_t room)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, 1 << 12, 0) < 0) abort();
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file < 0) abort();
    for (unsigned n = 0, sets = next(r) % 4; n < sets; n++) add_dataset(file, n, r);
    if (next(r) % 2) add_matrix(file, r);
    (void)H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(file, image, room);
    (void)H5Fclose(file);
    (void)H5Pclose(access);
    if (size < 0) abort();
    return (size_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const inner[] = {"", ":/d0", ":/missing", ":/", ":/X"};
    static const em_read_options turned = {.size = sizeof(em_read_options), .transpose = 1};
    static uint8_t image[1 << 16], packed[1 << 17];
    char request[4200];
    recipe r = {bytes, bytes + size};
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    unsigned pack = next(&r) % 2, asked = next(&r) % 5, cut = next(&r);
    size_t count = make_file(&r, image, sizeof image) - cut;
    const char *path = pack ? fuzz_file_named(packed, fuzz_pack(image, count, packed, sizeof packed), ".h5")
                            : fuzz_file_named(image, count, ".h5");
    (void)snprintf(request, sizeof request, "%s%s", path, inner[asked]);
    fuzz_table(request, NULL);
    fuzz_table(request, &turned);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort(); /* something was left open */
    return 0;
}
