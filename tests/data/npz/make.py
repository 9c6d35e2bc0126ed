#!/usr/bin/env python3
"""Writes the files of this folder with NumPy, as tests/core/npz_test.cc expects them.

Run by hand after a change; needs numpy. The values of every array are 0, 1, 2, ... in row-major
order (bool: the lowest bit; complex: minus that as imaginary part).
"""
import io
import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def array(dtype, shape, order="C"):
    count = np.arange(int(np.prod(shape)))
    if np.dtype(dtype).kind == "b":
        values = count % 2 == 1
    elif np.dtype(dtype).kind == "c":
        values = count - 1j * count
    else:
        values = count
    return np.asarray(values.reshape(shape).astype(dtype), order=order)


TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
arrays = {f"t_{np.dtype(t).name}": array(t, (2, 3)) for t in TYPES}
arrays["scalar"] = array("f4", ())
arrays["empty"] = array("f4", (0, 3))
arrays["fortran"] = array("i4", (2, 3, 4), order="F")
arrays["big_endian"] = array(">i4", (2, 3))
arrays["big_endian_complex"] = array(">c8", (2,))
arrays["folder/name"] = array("i4", (1,))
arrays["raw"] = array("u2", (3,)).view("V2")
np.savez(HERE / "stored.npz", **arrays)
np.savez_compressed(HERE / "deflated.npz", **arrays)


def npy(value, version):
    out = io.BytesIO()
    np.lib.format.write_array(out, value, version=version)
    return out.getvalue()


for version in [(1, 0), (2, 0), (3, 0)]:
    (HERE / f"version_{version[0]}.npy").write_bytes(npy(array("i2", (3,)), version))
(HERE / "structured.npy").write_bytes(npy(np.zeros(2, dtype=[("a", "i4"), ("b", "f4")]), (1, 0)))
with zipfile.ZipFile(HERE / "zip64.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("x.npy", "w", force_zip64=True) as member:
        member.write(npy(array("f4", (5,)), (1, 0)))
    archive.writestr("readme.txt", "not an array")
