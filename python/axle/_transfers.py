"""What a program exchanges with its host while it runs: the queues of infeed and outfeed, and the channels of recv and
send with is_host_transfer=true.

They belong to the process, and neither side waits for the other: what a program takes is put there before it runs,
what it gives is taken afterwards.
"""

from ctypes import POINTER, c_int64, pointer

import numpy as np

from ._arrays import address_of, as_numpy
from ._errors import AxleError
from ._library import Array, check, lib
from ._shapes import parse_shape, type_number


def _described(arrays):
    """The descriptions of dense arrays for the library."""
    described = [
        Array(
            type=type_number(array.dtype),
            rank=array.ndim,
            dims=(c_int64 * array.ndim)(*array.shape),
            data=address_of(array),
        )
        for array in arrays
    ]
    return (POINTER(Array) * len(described))(*[pointer(array) for array in described]), len(described)


def _dense(values):
    arrays = []
    for i, value in enumerate(values):
        found = as_numpy(value, f"value {i}")
        if found is None:
            raise AxleError(
                "INVALID_ARGUMENT",
                f"value {i} is a {type(value).__name__}, must be an array: its type is not known here",
            )
        found = np.ascontiguousarray(found).reshape(found.shape)
        arrays.append(found if found.dtype.byteorder in "=|" else found.astype(found.dtype.newbyteorder("=")))
    return arrays


def _taken(shapes, take):
    arrays = []
    for text in shapes:
        shape = parse_shape(text)
        if not shape.is_array or any(shape.dynamic):
            raise AxleError("INVALID_ARGUMENT", f"takes arrays of static sizes, not {shape}")
        arrays.append(np.empty(shape.dims, shape.dtype))
    take(*_described(arrays))
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _number(channel):
    if isinstance(channel, bool) or not hasattr(channel, "__index__") or channel.__index__() < 0:
        raise AxleError("INVALID_ARGUMENT", f"a channel is a number, 0 or above, not {channel!r}")
    return channel.__index__()


def _place(device):
    """The client and the ordinal of a device; None is that of compile()."""
    if device is None:
        from ._client import default_client  # which needs this module

        device = default_client().devices[0]
    return device.client._handle, device.ordinal


def to_infeed(*arrays, device=None):
    """Puts arrays into the infeed queue, for the next infeed of a program: one for an array, several for a tuple."""
    arrays = _dense(arrays)
    check(lib.axle_client_to_infeed(*_place(device), *_described(arrays), None))


def from_outfeed(*shapes, device=None):
    """Takes what an outfeed of a program has left: an array of this shape, "f32[2,3]", or a tuple of several."""
    place = _place(device)
    return _taken(shapes, lambda *arrays: check(lib.axle_client_from_outfeed(*place, *arrays, None)))


def to_channel(channel, *arrays, device=None):
    """Sends a value to the next recv of a channel whose recv has is_host_transfer=true."""
    arrays = _dense(arrays)
    check(lib.axle_client_to_channel(*_place(device), _number(channel), *_described(arrays)))


def from_channel(channel, *shapes, device=None):
    """Takes what a send with is_host_transfer=true has sent, as from_outfeed does."""
    number, place = _number(channel), _place(device)
    return _taken(shapes, lambda *arrays: check(lib.axle_client_from_channel(*place, number, *arrays, None)))
