"""The C module eigenmesh._core, made by cffi in API mode from the public header of libeigenmesh.

The declarations are the header itself, as the C preprocessor leaves it, and the compiler checks what cffi makes of
them: a struct that has changed is an error of the build, where a hand-kept copy would be a crash.

The library is found, in this order: EIGENMESH_BUILD, a build tree of the project; pkg-config; the checkout's own
build/. It is linked statically, so that the module needs no search path and may be moved. Where the library was built
with MPI, so is the module, by the compiler MPICC (mpicc): fit(X, comm=...) needs it. Loading it does not initialise
MPI.
"""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from cffi import FFI

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent


class Library(NamedTuple):
    """Where libeigenmesh is, and what it is linked with."""

    version: str
    include: Path
    archives: "list[Path]"
    libraries: "list[str]"
    with_mpi: bool


def told(*command: str) -> str:
    """What a command prints; a path in it may be of any bytes."""
    return os.fsdecode(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def pkg_config(*arguments: str) -> "list[str]":
    """The words that pkg-config prints of eigenmesh, without the escapes that it puts before blanks and odd bytes."""
    return shlex.split(told("pkg-config", *arguments, "eigenmesh"))


def in_build_tree(build: Path) -> Library:
    """A build tree has the .pc file too, only the places in it are those of the installed library: they are replaced by one
    that no letter in the tree's own path can spoil. The file is found by its folder, as pkg-config splits a path at blanks.
    """
    os.environ["PKG_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(build), os.environ.get("PKG_CONFIG_PATH")]))
    mpi = build / "libeigenmesh_mpi.a"
    return library_at(PROJECT / "include", build, mpi.exists(), "--define-variable=prefix=/usr")


def installed() -> Library:
    mpi = subprocess.run(["pkg-config", "--exists", "eigenmesh_mpi"]).returncode == 0
    include, libdir = (Path(*pkg_config(f"--variable={name}")) for name in ("includedir", "libdir"))
    return library_at(include, libdir, mpi)


def library_at(include: Path, libdir: Path, mpi: bool, *options: str) -> Library:
    with_mpi = mpi and shutil.which(mpi_compiler()) is not None
    flags = pkg_config(*options, "--static", "--libs")
    return Library(
        version=pkg_config(*options, "--modversion")[0],
        include=include,
        archives=[libdir / f"lib{name}.a" for name in (["eigenmesh_mpi"] if with_mpi else []) + ["eigenmesh"]],
        libraries=[flag for flag in flags if flag != "-leigenmesh"],
        with_mpi=with_mpi,
    )


def mpi_compiler() -> str:
    return os.environ.get("MPICC", "mpicc")


def find_library() -> Library:
    if "EIGENMESH_BUILD" in os.environ:
        return in_build_tree(Path(os.environ["EIGENMESH_BUILD"]).resolve())
    if shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "eigenmesh"]).returncode == 0:
        return installed()
    if (PROJECT / "build" / "eigenmesh.pc").exists():
        return in_build_tree(PROJECT / "build")
    raise SystemExit("eigenmesh: libeigenmesh is not found; try make install, or EIGENMESH_BUILD=the build directory")


def declarations(header: Path) -> str:
    """The header without its comments and macros; what it includes is left out, cffi knows size_t and the like."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h", "stdio.h"):
            (Path(empty) / name).touch()
        compiler = shlex.split(os.environ.get("CC", "cc"))
        text = told(*compiler, "-E", "-P", "-nostdinc", "-I", empty, "-U", "__GNUC__", str(header))
    # cffi 1.15 writes a pointer to an array of constants as C that does not compile.
    return re.sub(r"const (\w+) \(\*(\w+)\)\[", r"\1 (*\2)[", text)


# A fit asks its monitor after every iteration, which may take a few microseconds: the way into Python, with its lock,
# is taken only when the period is over.
MONITOR_CDEF = """
typedef struct py_watch {
    double period; /* seconds between two reports; 0: one an iteration */
    double last;
    void *user;
} py_watch;
int py_monitor(const em_progress *progress, void *watch);
extern "Python" int py_report(const em_progress *progress, void *user);
"""
MONITOR_SOURCE = """
#include <eigenmesh/eigenmesh.h>
#include <time.h>

typedef struct py_watch {
    double period;
    double last;
    void *user;
} py_watch;

static int py_report(const em_progress *progress, void *user);

static int py_monitor(const em_progress *progress, void *opaque)
{
    py_watch *watch = opaque;
    struct timespec clock;
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (now - watch->last < watch->period) return 0;
    watch->last = now;
    return py_report(progress, watch->user);
}
"""

# For who has loaded the module as a mere library, before it is imported: src/eigenmesh/_kernels.py.
ADVICE_SOURCE = """
EM_API const char *py_blas_advice(void);
const char *py_blas_advice(void)
{
    return em_blas_advice();
}
"""

# A communicator comes as its address, which is what mpi4py tells, because an MPI_Comm is a pointer here and a number
# there.
MPI_CDEF = """
em_status py_mpi_mesh_open(em_mesh **out, const void *comm, const em_graph *graph, int threads, em_error *err);
em_status py_mpi_nodes(const void *comm, int nodes, int *first, int *hosted, em_error *err);
size_t py_mpi_handle_size(void);
int py_mpi_library(char *text, size_t room);
"""
MPI_SOURCE = """
#include <eigenmesh/mpi.h>
#include <string.h>

static em_status py_mpi_mesh_open(em_mesh **out, const void *comm, const em_graph *graph, int threads, em_error *err)
{
    return em_mpi_mesh_open(out, *(const MPI_Comm *)comm, graph, threads, err);
}

static em_status py_mpi_nodes(const void *comm, int nodes, int *first, int *hosted, em_error *err)
{
    return em_mpi_nodes(*(const MPI_Comm *)comm, nodes, first, hosted, err);
}

static size_t py_mpi_handle_size(void)
{
    return sizeof(MPI_Comm);
}

/* The name of this MPI library, which may be asked before it is initialised. */
static int py_mpi_library(char *text, size_t room)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(name, &length) != MPI_SUCCESS) return 0;
    (void)strncpy(text, name, room - 1);
    text[room - 1] = 0;
    return 1;
}
"""


def builder() -> FFI:
    found = find_library()
    header = found.include / "eigenmesh" / "eigenmesh.h"
    if found.with_mpi:
        os.environ["CC"] = mpi_compiler()
    ffi = FFI()
    ffi.cdef(declarations(header))
    ffi.cdef(MONITOR_CDEF + (MPI_CDEF if found.with_mpi else ""))
    ffi.set_source(
        "eigenmesh._core",
        MONITOR_SOURCE + ADVICE_SOURCE + (MPI_SOURCE if found.with_mpi else ""),
        include_dirs=[str(found.include)],
        extra_objects=[str(archive) for archive in found.archives],
        depends=[str(file) for file in [header, *found.archives]],
        extra_link_args=found.libraries + ["-Wl,--exclude-libs,ALL"],
    )
    return ffi
