"""Values that stay on the device between runs."""

import math
from ctypes import byref, c_int64, c_void_p

import numpy as np

from ._arrays import as_numpy, to_dlpack
from ._errors import AxleError
from ._library import Array, BufferOptions, check, destroy_with, lib
from ._shapes import shape_from_handle, type_number

_destroy = lib.axle_buffer_destroy
# numpy 2.1 exports arrays that must not be written to, and takes max_version.
_NUMPY_EXPORTS_READ_ONLY = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)


class Buffer:
    """A value on a device: an argument or a result of Executable.execute(). Made by put()."""

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
    def device(self):
        """The ordinal of the device that it is on."""
        return lib.axle_buffer_device(self._handle)

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

    def _view(self):
        """A numpy array of the buffer's own memory, for reading; a copy where sizes are dynamic."""
        shape = self.shape
        if not shape.is_array or any(shape.dynamic):
            return self.numpy()
        handle = c_void_p()
        check(lib.axle_buffer_view(self._handle, None, byref(handle)))
        dtype = shape.dtype
        memory = _Memory(handle, math.prod(shape.dims) * dtype.itemsize)
        if memory.size == 0:
            return self.numpy()
        return np.asarray(memory).view(dtype).reshape(shape.dims)

    def __array__(self, dtype=None, copy=None):
        """For np.asarray(buffer), which copies nothing: an array for reading that keeps the memory, also when the
        buffer is deleted. A buffer of dynamic sizes is copied."""
        array = self._view()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a buffer of {self.shape} cannot be an array of {dtype} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack_device__(self):
        return (1, 0)  # kDLCPU

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """For from_dlpack() of other packages. Nothing is copied if they ask for DLPack 1.0, which knows memory that
        must not be written to; otherwise they get a copy."""
        shape = self.shape
        if shape.is_array and shape.is_narrow:
            raise BufferError(f"DLPack packs several {shape.type} into a byte, and axle does not")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("a buffer of axle is in the memory of the CPU")
        array = self._view()
        can_say_read_only = max_version is not None and max_version[0] >= 1 and _NUMPY_EXPORTS_READ_ONLY
        if copy is False and not can_say_read_only:
            raise BufferError("the memory of a buffer must not be written to, which DLPack before 1.0 cannot say")
        if copy or not can_say_read_only:
            array = array.copy()
        options = {} if max_version is None or not _NUMPY_EXPORTS_READ_ONLY else {"max_version": max_version}
        return to_dlpack(array, shape.type, **options)

    def __repr__(self):
        return f"<axle.Buffer {self.shape}>"


class _Memory:
    """The memory of a buffer, pinned, as bytes: numpy's arrays of it keep this."""

    def __init__(self, handle, size):
        destroy_with(self, lib.axle_view_destroy, handle)
        self.size = size
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (lib.axle_view_data(handle), True),
        }


def put_with(client, array, device=0):
    """A Buffer on a device: a copy of an array of the array's own type and shape."""
    found = as_numpy(array, "the value")
    array = np.asarray(array) if found is None else found
    array = np.ascontiguousarray(array).reshape(array.shape)  # ascontiguousarray makes [1] of []
    if array.dtype.byteorder not in "=|":
        array = array.astype(array.dtype.newbyteorder("="))
    described = Array(
        type=type_number(array.dtype),
        rank=array.ndim,
        dims=(c_int64 * array.ndim)(*array.shape),
        data=array.ctypes.data,
    )
    handle = c_void_p()
    check(lib.axle_buffer_from_host(client, byref(described), byref(BufferOptions(device=device)), byref(handle)))
    return Buffer(handle)
