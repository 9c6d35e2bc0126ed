"""Values that stay on the device between runs."""

import ctypes
from ctypes import byref, c_int64, c_void_p

import numpy as np

from ._errors import AxleError
from ._library import Array, BufferOptions, check, lib
from ._shapes import shape_from_handle, type_number

_destroy = lib.axle_buffer_destroy


class Buffer:
    """A value on the device: an argument or a result of Executable.execute(). Made by put()."""

    __slots__ = ("_handle", "_shape")

    def __init__(self, handle):
        self._handle = handle
        self._shape = None

    def __del__(self, destroy=_destroy):
        destroy(self._handle)

    @property
    def shape(self):
        """A Shape."""
        if self._shape is None:
            self._shape = shape_from_handle(lib.axle_buffer_shape(self._handle))
        return self._shape

    @property
    def is_deleted(self):
        """Whether it was deleted, or donated to a run."""
        return lib.axle_buffer_is_deleted(self._handle) != 0

    def delete(self):
        """Takes the value away, and its memory when no run uses it any more. A second time does nothing."""
        lib.axle_buffer_delete(self._handle)

    def numpy(self):
        """A copy as a numpy array, of the sizes that a run gave where they are dynamic."""
        shape = self.shape
        if not shape.is_array:
            raise AxleError("INVALID_ARGUMENT", f"numpy() is for arrays, not for {shape}")
        array = np.empty(shape.dims, shape.dtype)
        sizes = (c_int64 * len(shape.dims))(*shape.dims)
        described = Array(
            type=shape._number,
            rank=len(shape.dims),
            dims=(c_int64 * len(shape.dims))(*shape.dims),
            data=array.ctypes.data,
            sizes=sizes,
        )
        check(lib.axle_buffer_to_host(self._handle, byref(described), None))
        return array[tuple(slice(0, size) for size in sizes)] if any(shape.dynamic) else array

    def __repr__(self):
        return f"<axle.Buffer {self.shape}>"


def put_with(client, array):
    """put(), of which __init__.py has the description."""
    array = np.ascontiguousarray(array).reshape(np.shape(array))  # ascontiguousarray makes [1] of []
    if array.dtype.byteorder not in "=|":
        array = array.astype(array.dtype.newbyteorder("="))
    described = Array(
        type=type_number(array.dtype),
        rank=array.ndim,
        dims=(c_int64 * array.ndim)(*array.shape),
        data=array.ctypes.data,
    )
    handle = c_void_p()
    check(lib.axle_buffer_from_host(client, byref(described), byref(BufferOptions()), byref(handle)))
    return Buffer(handle)


def execute(executable, num_results, buffers):
    """The results of a run on the caller's thread, a list of Buffers."""
    for buffer in buffers:
        if not isinstance(buffer, Buffer):
            raise AxleError(
                "INVALID_ARGUMENT", f"execute() takes buffers, which put() makes, not {type(buffer).__name__}"
            )
    count = len(buffers)
    arguments = (c_void_p * count)(*[buffer._handle for buffer in buffers])
    results = (c_void_p * num_results)()
    check(lib.axle_executable_execute(executable, None, arguments, count, results, num_results, None))
    return [Buffer(ctypes.c_void_p(handle)) for handle in results]
