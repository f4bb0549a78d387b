"""The C module eigenmesh._core, made by cffi in API mode from the public header of libeigenmesh.

The declarations are the header itself, as the C preprocessor leaves it, and the compiler checks what cffi makes of
them: a struct that has changed is an error of the build, where a hand-kept copy would be a crash.

The library is found, in this order: EIGENMESH_BUILD, a build tree of the project; pkg-config; the project's own build/. One
of another version than the sources around this folder, where there are such, is not taken. Where none is found, or
CMAKE_ARGS says how it should be, it is built from these sources. It is linked statically, so that the module needs no search path and may be moved; with EIGENMESH_LINK=shared, as
distributions want it, the module needs libeigenmesh.so where the loader finds it. Where the library was built with MPI, so
is the module, by the compiler MPICC (mpicc), unless there is none of that name: fit(X, comm=...) needs it. Loading it does
not initialise MPI.
"""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cffi import FFI

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent


class Library(NamedTuple):
    """Where libeigenmesh is, and what it is linked with."""

    version: str
    include: Path
    files: "list[Path]"
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
    shared = os.environ.get("EIGENMESH_LINK") == "shared"
    flags = [] if shared else pkg_config(*options, "--static", "--libs")
    return Library(
        version=pkg_config(*options, "--modversion")[0],
        include=include,
        files=[libdir / f"lib{name}.{'so' if shared else 'a'}"
               for name in (["eigenmesh_mpi"] if with_mpi else []) + ["eigenmesh"]],
        libraries=[flag for flag in flags if flag != "-leigenmesh"],
        with_mpi=with_mpi,
    )


def mpi_compiler() -> str:
    return os.environ.get("MPICC", "mpicc")


def version_of_sources() -> "str | None":
    """That of the project around this folder; None where the folder is alone."""
    header = PROJECT / "include" / "eigenmesh" / "eigenmesh.h"
    if not header.exists():
        return None
    return ".".join(re.findall(r"^#define EM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text(), re.M))


def is_installed() -> bool:
    version = version_of_sources()
    wanted = ["--exact-version", version] if version else ["--exists"]
    return bool(shutil.which("pkg-config")) and subprocess.run(["pkg-config", *wanted, "eigenmesh"]).returncode == 0


def build_from_sources() -> Path:
    """The library alone, in a build tree of its own."""
    build = HERE / "build" / "library"
    off = [f"-DEIGENMESH_{part}=OFF" for part in ("TESTS", "BENCH", "PYTHON", "NET")]
    arguments = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", PROJECT, "-B", build, *off, *arguments], check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "eigenmesh_static"], check=True)
    if (build / "eigenmesh_mpi.pc").exists():
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "eigenmesh_mpi_static"], check=True)
    return build


@cache
def find_library() -> Library:
    if "EIGENMESH_BUILD" in os.environ:
        return in_build_tree(Path(os.environ["EIGENMESH_BUILD"]).resolve())
    if "CMAKE_ARGS" not in os.environ:
        if is_installed():
            return installed()
        if (PROJECT / "build" / "libeigenmesh.a").exists():
            return in_build_tree(PROJECT / "build")
    if version_of_sources() and shutil.which("cmake"):
        return in_build_tree(build_from_sources())
    raise SystemExit("eigenmesh: libeigenmesh is not found; try make install, EIGENMESH_BUILD=the build directory, or Debian's "
                     "cmake and the project's sources, of which it is built")


def declarations(header: Path) -> str:
    """The header, and those of the library that it includes, without comments and macros; cffi knows size_t and the like."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h", "stdio.h"):
            (Path(empty) / name).touch()
        compiler = shlex.split(os.environ.get("CC", "cc"))
        text = told(*compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", str(header.parent.parent), "-U", "__GNUC__", str(header))
    # cffi 1.15 writes a pointer to an array of constants as C that does not compile.
    return re.sub(r"const (\w+) \(\*(\w+)\)\[", r"\1 (*\2)[", text)


# A fit asks its monitor after every iteration, which may take a few microseconds: the way into Python, with its lock,
# is taken only when the period is over. What a page draws of the iterations is noted here.
MONITOR_CDEF = """
typedef struct py_watch {
    double period; /* seconds between two reports; 0: one an iteration */
    double last;
    void *user;
    em_page_step *steps; /* all of them, to be freed by py_forget */
    size_t count, room;
} py_watch;
int py_monitor(const em_progress *progress, void *watch);
void py_forget(py_watch *watch);
extern "Python" int py_report(const em_progress *progress, void *user);
"""
MONITOR_SOURCE = """
#include <eigenmesh/page.h>
#include <stdlib.h>
#include <time.h>

typedef struct py_watch {
    double period;
    double last;
    void *user;
    em_page_step *steps;
    size_t count, room;
} py_watch;

static int py_report(const em_progress *progress, void *user);

/* Where memory is short there are no more steps, and nothing else is wrong. */
static void py_note(py_watch *watch, const em_progress *now)
{
    if (watch->count && now->iteration <= watch->steps[watch->count - 1].iteration) watch->count = 0; /* another method */
    if (watch->count == watch->room) {
        size_t room = watch->room ? 2 * watch->room : 64;
        em_page_step *steps = realloc(watch->steps, room * sizeof *steps);
        if (!steps) return;
        watch->steps = steps;
        watch->room = room;
    }
    watch->steps[watch->count].iteration = now->iteration;
    watch->steps[watch->count++].change = now->change;
}

static void py_forget(py_watch *watch)
{
    free(watch->steps);
    watch->steps = NULL;
    watch->count = watch->room = 0;
}

static int py_monitor(const em_progress *progress, void *opaque)
{
    py_watch *watch = opaque;
    struct timespec clock;
    py_note(watch, progress);
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (now - watch->last < watch->period) return 0;
    watch->last = now;
    return py_report(progress, watch->user);
}
"""

# A row at a time should take no longer than it must: one call lends an array in rows and takes it back.
MOMENTS_CDEF = """
em_status py_moments_add(em_moments *moments, const void *rows, em_dtype type, size_t count, size_t columns,
                         em_error *err);
"""
MOMENTS_SOURCE = """
static em_status py_moments_add(em_moments *moments, const void *rows, em_dtype type, size_t count, size_t columns,
                                em_error *err)
{
    em_data *data = NULL;
    em_status status = em_data_from_array(&data, rows, type, count, columns, 0, 0, err);
    if (status == EM_OK) status = em_moments_update(moments, data, err);
    em_data_free(&data);
    return status;
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
    header = found.include / "eigenmesh" / "page.h"
    if found.with_mpi:
        os.environ["CC"] = mpi_compiler()
    ffi = FFI()
    ffi.cdef(declarations(header))
    ffi.cdef(MONITOR_CDEF + MOMENTS_CDEF + (MPI_CDEF if found.with_mpi else ""))
    ffi.set_source(
        "eigenmesh._core",
        MONITOR_SOURCE + MOMENTS_SOURCE + ADVICE_SOURCE + (MPI_SOURCE if found.with_mpi else ""),
        include_dirs=[str(found.include)],
        extra_objects=[str(file) for file in found.files],
        depends=[str(file) for file in [*header.parent.glob("*.h"), *found.files]],
        extra_link_args=found.libraries + ["-Wl,--exclude-libs,ALL"],
    )
    return ffi
