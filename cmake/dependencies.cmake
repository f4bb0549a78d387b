# What the library stands on, gathered into one interface target.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(eigenmesh_dependencies INTERFACE)
target_link_libraries(eigenmesh_dependencies INTERFACE Threads::Threads m)
# The same as linker flags, for those who link the installed static library.
set(EIGENMESH_PRIVATE_LIBRARIES -pthread -lm)

# Stand on a pkg-config module, known here as NAME; REQUIRED may follow.
macro(eigenmesh_stand_on name module)
  pkg_check_modules(${name} ${ARGN} IMPORTED_TARGET ${module})
  if(${name}_FOUND)
    target_link_libraries(eigenmesh_dependencies INTERFACE PkgConfig::${name})
    list(APPEND EIGENMESH_PRIVATE_LIBRARIES ${${name}_LDFLAGS})
  endif()
endmacro()

eigenmesh_stand_on(LAPACKE lapacke REQUIRED)
eigenmesh_stand_on(OPENBLAS openblas REQUIRED)
eigenmesh_stand_on(ZLIB zlib REQUIRED)
eigenmesh_stand_on(LIBZIP libzip REQUIRED)
if(EIGENMESH_HDF5)
  eigenmesh_stand_on(HDF5 hdf5)
endif()

if(HDF5_FOUND)
  set(EMI_HAVE_HDF5 ON)
  set(HDF5_TEXT "HDF5 ${HDF5_VERSION}")
else()
  set(EMI_HAVE_HDF5 OFF)
  set(HDF5_TEXT "HDF5 not built in")
endif()

# MPI is the cluster engine's alone.
set(EMI_HAVE_MPI OFF)
set(MPI_TEXT "MPI not built in")
if(EIGENMESH_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    set(EMI_HAVE_MPI ON)
    set(MPI_TEXT "MPI ${MPI_C_VERSION}")
    # gcc takes MPICH's MPI_STATUSES_IGNORE for an array without room.
    include(CheckSymbolExists)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    check_symbol_exists(MPICH_VERSION mpi.h EMI_MPI_IS_MPICH)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(EMI_MPI_IS_MPICH)
      target_compile_options(MPI::MPI_C INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
    endif()
  endif()
endif()
