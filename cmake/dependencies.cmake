# What the library stands on, gathered into one interface target.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

add_library(eigenmesh_dependencies INTERFACE)
target_link_libraries(eigenmesh_dependencies INTERFACE PkgConfig::LAPACKE PkgConfig::OPENBLAS PkgConfig::ZLIB
                      PkgConfig::LIBZIP Threads::Threads m)

set(EMI_HAVE_HDF5 OFF)
set(HDF5_TEXT "HDF5 not built in")
if(EIGENMESH_HDF5)
  pkg_check_modules(HDF5 IMPORTED_TARGET hdf5)
  if(HDF5_FOUND)
    set(EMI_HAVE_HDF5 ON)
    set(HDF5_TEXT "HDF5 ${HDF5_VERSION}")
    target_link_libraries(eigenmesh_dependencies INTERFACE PkgConfig::HDF5)
  endif()
endif()
