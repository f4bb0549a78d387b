# What the library stands on, gathered into one interface target.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(eigenmesh_dependencies INTERFACE)
target_link_libraries(eigenmesh_dependencies INTERFACE Threads::Threads m)
# The same as linker flags, for those who link the installed static library.
set(EIGENMESH_PRIVATE_LIBRARIES -pthread -lm)

# What is not built, and why: one line each, by the option that turns it off.
function(eigenmesh_left_out what option why)
  if(NOT ${option})
    set(why "${option} is off")
  endif()
  message(STATUS "Left out: ${what}: ${why}")
endfunction()

# Stand on a pkg-config module, known here as NAME; REQUIRED or QUIET may follow.
macro(eigenmesh_stand_on name module)
  pkg_check_modules(${name} ${ARGN} IMPORTED_TARGET ${module})
  if(${name}_FOUND)
    target_link_libraries(eigenmesh_dependencies INTERFACE PkgConfig::${name})
    list(APPEND EIGENMESH_PRIVATE_LIBRARIES ${${name}_LDFLAGS})
  endif()
endmacro()

eigenmesh_stand_on(LAPACKE lapacke REQUIRED)
# Any BLAS with CBLAS.  Where the system has alternatives (Debian's blas.pc is one), by these, so that its choice holds when a
# program runs; else the first that is found.
set(EIGENMESH_BLAS "" CACHE STRING "The pkg-config module of the BLAS, such as openblas or blis; empty: found out")
file(GLOB blas_alternatives /etc/alternatives/blas.pc*)
if(EIGENMESH_BLAS)
  set(blas_modules ${EIGENMESH_BLAS})
elseif(blas_alternatives)
  set(blas_modules blas)
endif()
pkg_search_module(BLAS REQUIRED IMPORTED_TARGET ${blas_modules} flexiblas openblas blis mkl-sdl cblas blas)
target_link_libraries(eigenmesh_dependencies INTERFACE PkgConfig::BLAS ${CMAKE_DL_LIBS})
list(APPEND EIGENMESH_PRIVATE_LIBRARIES ${BLAS_LDFLAGS} -l${CMAKE_DL_LIBS})
set(BLAS_NAME ${BLAS_MODULE_NAME})
if("${BLAS_LDFLAGS}" MATCHES openblas)
  set(BLAS_NAME OpenBLAS)
endif()
string(REGEX MATCH "^[0-9.]+" BLAS_NUMBER "${BLAS_VERSION}")
eigenmesh_stand_on(ZLIB zlib REQUIRED)
eigenmesh_stand_on(LIBZIP libzip REQUIRED)
if(EIGENMESH_HDF5)
  eigenmesh_stand_on(HDF5 hdf5 QUIET)
endif()

if(HDF5_FOUND)
  set(EMI_HAVE_HDF5 ON)
  set(HDF5_TEXT "HDF5 ${HDF5_VERSION}")
  # Later versions keep the calls and structs of 1.10 under this name.
  target_compile_definitions(eigenmesh_dependencies INTERFACE H5_USE_110_API)
else()
  set(EMI_HAVE_HDF5 OFF)
  set(HDF5_TEXT "HDF5 not built in")
  eigenmesh_left_out("HDF5 files" EIGENMESH_HDF5 "pkg-config knows no hdf5; try Debian's libhdf5-dev")
endif()

# MPI is that engine's alone.
set(EMI_HAVE_MPI OFF)
set(MPI_STANDS_ON MPI::MPI_C)
if(EIGENMESH_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS C)
  set(EMI_HAVE_MPI ${MPI_C_FOUND})
endif()
if(EMI_HAVE_MPI)
  # gcc takes MPICH's MPI_STATUSES_IGNORE for an array without room.
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(MPICH_VERSION mpi.h EMI_MPI_IS_MPICH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(EMI_MPI_IS_MPICH)
    target_compile_options(MPI::MPI_C INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  endif()
else()
  eigenmesh_left_out("MPI" EIGENMESH_MPI "there is no mpicc; try Debian's libopenmpi-dev and openmpi-bin")
endif()

# OpenSSL is that of a study's nodes alone.
set(EMI_HAVE_NET OFF)
set(NET_STANDS_ON PkgConfig::OPENSSL Threads::Threads)
if(EIGENMESH_NET)
  pkg_check_modules(OPENSSL QUIET IMPORTED_TARGET "openssl >= 3.0")
  set(EMI_HAVE_NET ${OPENSSL_FOUND})
endif()
if(NOT EMI_HAVE_NET)
  eigenmesh_left_out("studies between sites" EIGENMESH_NET "pkg-config knows no openssl 3; try Debian's libssl-dev")
endif()

# Looked for by the program itself when it runs.
find_program(GNUPLOT gnuplot)
mark_as_advanced(GNUPLOT)
if(NOT GNUPLOT)
  message(STATUS "Left out: plots, until there is a gnuplot; try Debian's gnuplot-nox")
endif()
