"""The processes of an mpi4py communicator as the library sees them."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, List, Optional

from ._native import checked, ffi, lib, text_of
from .errors import EigenmeshError, InvalidArgument, NotSupported, error_for


def _library_name() -> str:
    room = 1024
    text = ffi.new("char[]", room)
    return text_of(text) if lib.py_mpi_library(text, room) else ""


class Cluster:
    """An mpi4py communicator, known by its address."""

    def __init__(self, comm: Any) -> None:
        if not hasattr(lib, "py_mpi_mesh_open"):
            raise NotSupported("comm: this eigenmesh was built without MPI; try a build where mpicc is found")
        from mpi4py import MPI

        if not isinstance(comm, MPI.Comm):
            raise InvalidArgument(f"comm: a {type(comm).__name__}; try mpi4py's MPI.COMM_WORLD")
        theirs = MPI.Get_library_version().rstrip("\0")
        if MPI._sizeof(comm) != lib.py_mpi_handle_size() or _library_name() != theirs:
            raise NotSupported(f"comm: mpi4py is of {theirs!r}, eigenmesh of {_library_name()!r}; try a build of both "
                               "with the same")
        self.comm = comm
        self.pointer = ffi.cast("void *", MPI._addressof(comm))

    def hosted(self, nodes: int) -> int:
        """How many of the network's nodes live in this process."""
        first, hosted = ffi.new("int *"), ffi.new("int *")
        checked(lib.py_mpi_nodes, self.pointer, nodes, first, hosted)
        return hosted[0]


def everywhere(cluster: Optional[Cluster], value: Any) -> List[Any]:
    """What each process has, by rank; the value alone where there is one process."""
    return cluster.comm.allgather(value) if cluster else [value]


@contextmanager
def agreed(cluster: Optional[Cluster]) -> Iterator[None]:
    """What fails in one process fails in all of them: else the others would wait for it for ever."""
    failure: Optional[Exception] = None
    try:
        yield
    except Exception as exception:
        failure = exception
    codes = cluster.comm.allgather(_as_pair(failure)) if cluster else []
    if failure is not None:
        raise failure
    for rank, pair in enumerate(codes):
        if pair is not None:
            raise error_for(pair[0], f"rank {rank}: {pair[1]}")


def _as_pair(failure: Optional[Exception]) -> Optional[tuple]:
    if failure is None:
        return None
    code = failure.code if isinstance(failure, EigenmeshError) else InvalidArgument.code
    return code, str(failure)
