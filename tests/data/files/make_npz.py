#!/usr/bin/env python3
"""Make the .npz archives of this folder: with NumPy, and by hand where NumPy would not write such a thing."""
import io
import pathlib
import struct
import zipfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).parent
TABLE = np.arange(6.0).reshape(3, 2)


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array))
    return out.getvalue()


def archive(content, crc=None, size=None, flags=0, method=0, zip64=False):
    """One array X.npy, stored, and what its directory claims of it."""
    crc = zlib.crc32(content) if crc is None else crc
    size = len(content) if size is None else size
    sizes, extra, version = struct.pack("<II", size, size), b"", 20
    if zip64:
        sizes, extra, version = b"\xff" * 8, struct.pack("<HHQQ", 1, 16, size, size), 45
    about = struct.pack("<HHHHI", flags, method, 0, 0x21, crc) + sizes + struct.pack("<HH", 5, len(extra))
    local = b"PK\3\4" + struct.pack("<H", version) + about + b"X.npy" + extra + content
    central = (
        b"PK\1\2" + struct.pack("<HH", version, version) + about + struct.pack("<HHHII", 0, 0, 0, 0, 0)
        + b"X.npy" + extra
    )
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    if zip64:
        end = struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        record = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, len(central), len(local))
        locator = struct.pack("<IQI", 0, len(local) + len(central), 1)
        end = b"PK\6\6" + record + b"PK\6\7" + locator + b"PK\5\6" + end
        return local + central + end
    return local + central + b"PK\5\6" + end


def put(name, content):
    (HERE / f"{name}.npz").write_bytes(content)


np.savez(HERE / "stored.npz", X=TABLE)
np.savez_compressed(HERE / "deflated.npz", X=TABLE)
np.savez(HERE / "several.npz", x=TABLE, z=np.zeros((2, 3, 4), "u1"), y=np.arange(3), note=np.array("hello"))
np.savez(HERE / "beside.npz", y=np.arange(3), X=TABLE, number=np.float64(7), note=np.array(["a", "b"]))
np.savez(HERE / "no-table.npz", y=np.arange(3), note=np.array("hello"))
np.savez(HERE / "complex.npz", X=TABLE.astype("c16"))
put("zip64", archive(npy(TABLE), zip64=True))
put("wrong-crc", archive(npy(TABLE), crc=1))
put("claims-more", archive(npy(TABLE), size=1 << 20))
put("claims-less", archive(npy(TABLE), size=len(npy(TABLE)) - 8))
put("longer", archive(npy(TABLE) + b"more"))
put("encrypted", archive(npy(TABLE), flags=1))
put("method-97", archive(npy(TABLE), method=97))
put("short-array", archive(npy(TABLE)[:-8]))
with zipfile.ZipFile(HERE / "mixed.npz", "w", zipfile.ZIP_BZIP2) as out:
    out.writestr("readme.txt", "no array", zipfile.ZIP_STORED)
    out.writestr("squeezed.npy", npy(TABLE))
    out.writestr("plain", npy(TABLE), zipfile.ZIP_STORED)
