"""Files of named arrays: .npz and safetensors."""

import os
from ctypes import POINTER, byref, c_char_p, c_int64, c_void_p, pointer

import numpy as np

from ._arrays import as_numpy
from ._calls import Limits
from ._errors import AxleError
from ._library import Array, check, destroy_with, lib, take_bytes
from ._programs import read_file
from ._shapes import numpy_type, type_number


class _Arrays:
    """What was read of a file; numpy's arrays of its memory keep it."""

    def __init__(self, handle):
        self.handle = handle
        destroy_with(self, lib.axle_arrays_destroy, handle)


class _Memory:
    """The bytes of one array."""

    def __init__(self, arrays, address, size):
        self._arrays = arrays
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, False)}


def _numpy_array(arrays, described):
    name = lib.axle_type_name(described.type).decode()
    dtype = numpy_type(name)
    dims = [described.dims[i] for i in range(described.rank)]
    empty = np.empty(dims, dtype)
    if empty.nbytes == 0:
        return empty
    return np.asarray(_Memory(arrays, described.data, empty.nbytes)).view(dtype).reshape(dims)


def load(file, *, memory_limit=None):
    """The arrays of a .npz or a safetensors file, a dict by name. `file` is its path or its bytes. A type that numpy
    has not is one of ml_dtypes; but a .npz says no more than how many bytes it has: bfloat16 is uint16 there.

    memory_limit  bytes of the arrays, until AxleError RESOURCE_EXHAUSTED
    """
    is_path = isinstance(file, (str, os.PathLike))
    if not is_path and not isinstance(file, (bytes, bytearray, memoryview)):
        raise AxleError(
            "INVALID_ARGUMENT", f"a {type(file).__name__} is no file of arrays: pass its path, or its bytes"
        )
    data = read_file(file) if is_path else bytes(file)
    if data[:6] == b"\x93NUMPY":
        raise AxleError("INVALID_ARGUMENT", "this is a .npy file, one array without a name: numpy.load reads it")
    handle = c_void_p()
    try:
        check(lib.axle_arrays_read(data, len(data), Limits(None, memory_limit).handle, byref(handle)))
    except AxleError as error:
        if not is_path:
            raise
        raise AxleError(error.code, f"{os.fspath(file)}: {error.message}") from error
    arrays = _Arrays(handle)
    return {
        lib.axle_arrays_name(handle, i).decode(errors="replace"): _numpy_array(
            arrays, lib.axle_arrays_at(handle, i).contents
        )
        for i in range(lib.axle_arrays_count(handle))
    }


def save(path, arrays):
    """Writes arrays, a dict by name, to a file: .npz, or .safetensors, which keeps all types that it has. They may be
    numpy's, Buffers, or of any other package that load() and execute() take."""
    text = os.fspath(path)
    ending = os.path.splitext(text)[1]
    if ending not in (".npz", ".safetensors"):
        raise AxleError("INVALID_ARGUMENT", f"{text!r} ends neither in .npz nor in .safetensors")
    if not hasattr(arrays, "items") or not all(isinstance(name, str) for name in arrays):
        raise AxleError("INVALID_ARGUMENT", "the arrays must be a dict by name, {'w': array}")
    names = (c_char_p * len(arrays))(*(name.encode() for name in arrays))
    kept, described = [], []
    for name, value in arrays.items():
        found = as_numpy(value, f"the array {name!r}")
        array = np.asarray(value) if found is None else found
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        kept.append(array)
        described.append(
            pointer(
                Array(
                    type=type_number(array.dtype),
                    rank=array.ndim,
                    dims=(c_int64 * array.ndim)(*array.shape),
                    data=array.ctypes.data,
                )
            )
        )
    handle = c_void_p()
    check(
        lib.axle_arrays_write(
            ending[1:].encode(), names, (POINTER(Array) * len(described))(*described), len(described), byref(handle)
        )
    )
    data = take_bytes(handle)
    try:
        with open(path, "wb") as out:
            out.write(data)
    except OSError as error:
        raise AxleError("INVALID_ARGUMENT", f"cannot write {text!r}: {error.strerror}") from error
