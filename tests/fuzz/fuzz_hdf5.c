/* HDF5, as valid files of every shape.  Damaged bytes crash libhdf5 1.10 itself (seen while it reads a group's heap),
 * so the input is a recipe: which datasets a file holds, and how the file is then cut, packed and asked for. */
#include "fuzz.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

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

static size_t make_file(recipe *r, uint8_t *image, size_t room)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, 1 << 12, 0) < 0) abort();
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file < 0) abort();
    for (unsigned n = 0, sets = next(r) % 4; n < sets; n++) add_dataset(file, n, r);
    (void)H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(file, image, room);
    (void)H5Fclose(file);
    (void)H5Pclose(access);
    if (size < 0) abort();
    return (size_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const inner[] = {"", ":/d0", ":/missing", ":/"};
    static uint8_t image[1 << 16], packed[1 << 17];
    char request[4200];
    recipe r = {bytes, bytes + size};
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    unsigned pack = next(&r) % 2, asked = next(&r) % 4, cut = next(&r);
    size_t count = make_file(&r, image, sizeof image) - cut;
    const char *path = pack ? fuzz_file_named(packed, fuzz_pack(image, count, packed, sizeof packed), ".h5")
                            : fuzz_file_named(image, count, ".h5");
    (void)snprintf(request, sizeof request, "%s%s", path, inner[asked]);
    fuzz_table(request, NULL);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort(); /* something was left open */
    return 0;
}
