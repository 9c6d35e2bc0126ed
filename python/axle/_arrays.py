"""Arrays of numpy's, of other packages', and Python's numbers, in the form that the library reads.

Arrays of other packages come and go by DLPack. numpy's reader and writer do the work; the element types that
numpy has not (bfloat16, float8 and so on, which ml_dtypes brings) pass it as unsigned integers of the same
size, and the type in the capsule is changed on the way.
"""

import ctypes

import numpy as np

from ._errors import AxleError

_from_buffer = ctypes.c_char.from_buffer
_addressof = ctypes.addressof

# DLDataTypeCode of dlpack.h, of the types that numpy's own DLPack does not know.
_DLPACK_CODES = {
    "bf16": 4,
    "f8e3m4": 7,
    "f8e4m3": 8,
    "f8e4m3b11fnuz": 9,
    "f8e4m3fn": 10,
    "f8e4m3fnuz": 11,
    "f8e5m2": 12,
    "f8e5m2fnuz": 13,
    "f8e8m0fnu": 14,
}
_DLPACK_TYPES = {code: name for name, code in _DLPACK_CODES.items()}
_UNSIGNED = 1
# Of the DLDataType in DLManagedTensor and in DLManagedTensorVersioned: after the pointer, the device and the rank.
_TYPE_OFFSETS = {b"dltensor": 20, b"dltensor_versioned": 52}


class _TensorType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


def _tensor_type(capsule):
    """The type in a capsule, to be read and changed."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    if name not in _TYPE_OFFSETS:
        raise BufferError(f"this is no DLPack capsule, but {name}")
    return _TensorType.from_address(api.PyCapsule_GetPointer(capsule, name) + _TYPE_OFFSETS[name])


class _Import:
    """A producer for np.from_dlpack that stands before another one."""

    def __init__(self, producer):
        self._producer = producer
        self.type = None  # as HLO text spells it, if it is none of numpy's

    def __dlpack_device__(self):
        return self._producer.__dlpack_device__()

    def __dlpack__(self, **options):
        capsule = self._producer.__dlpack__(**options)
        found = _tensor_type(capsule)
        if found.lanes == 1 and found.bits in (8, 16) and found.code in _DLPACK_TYPES:
            self.type = _DLPACK_TYPES[found.code]
            found.code = _UNSIGNED
        return capsule


def from_dlpack(producer):
    """A numpy array of the memory of another package's. BufferError and so on as that says."""
    from ._shapes import numpy_type

    source = _Import(producer)
    array = np.from_dlpack(source)
    return array if source.type is None else array.view(numpy_type(source.type))


def to_dlpack(array, type, **options):
    """The capsule of a numpy array whose elements HLO text calls `type`."""
    if type not in _DLPACK_CODES:
        return array.__dlpack__(**options)
    capsule = array.view(f"u{array.itemsize}").__dlpack__(**options)
    _tensor_type(capsule).code = _DLPACK_CODES[type]
    return capsule


def address_of(array):
    """Where element (0, ..., 0) is."""
    try:
        return _addressof(_from_buffer(array))  # a tenth of the time of the other way
    except (TypeError, ValueError, BufferError):  # not to be written, of many strides, empty, of ml_dtypes
        return array.ctypes.data


def as_numpy(value, what):
    """The numpy array of what has a type of its own, an array of any package; None of numbers and lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    errors = []
    if hasattr(value, "__dlpack__"):
        try:
            return from_dlpack(value)
        except (BufferError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            errors.append(error)  # another way may be open
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        try:
            return np.asarray(value)
        except (TypeError, ValueError, RuntimeError) as error:
            errors.append(error)
    if errors:
        raise AxleError(
            "INVALID_ARGUMENT", f"{what} is a {type(value).__name__} that cannot be read as an array: {errors[0]}"
        ) from errors[0]
    return None


_type = type  # the functions below call an element type that
_PLAIN = {int, float}
_FLOATS = {"f16", "bf16", "f32", "f64"}


def _integer_range(type):
    """The least and the greatest integer of an element type: "s8", "u4"."""
    bits = int(type[1:])
    return (0, 2**bits - 1) if type[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _leaves(value):
    """The numbers in nested lists, one after the other, without recursion."""
    open_lists = [iter([value])]
    while open_lists:
        for item in open_lists[-1]:
            if isinstance(item, (list, tuple, range)):
                open_lists.append(iter(item))
                break
            if isinstance(item, np.ndarray) and item.ndim > 0:
                yield from item.flat
            else:
                yield item
        else:
            open_lists.pop()


def _check_number(number, type):
    """ValueError unless HLO text of this type may spell this number."""
    is_bool = isinstance(number, (bool, np.bool_))
    if type == "pred":
        if not is_bool and number not in (0, 1):
            raise ValueError(f"{number} is neither True (1) nor False (0)")
        return
    if is_bool:
        raise ValueError(f"{number} is not a number of {type}")
    if type[0] in "su":
        if not isinstance(number, (int, np.integer)):
            raise ValueError(f"{number} is not an integer, as {type} needs")
        low, high = _integer_range(type)
        if not low <= number <= high:
            raise ValueError(f"{number} is out of the range of {type}, {low} to {high}")
    elif type[0] != "c" and isinstance(number, (complex, np.complexfloating)):
        raise ValueError(f"{number} is complex, and {type} is not")


def _from_plain_numbers(value, type, dtype):
    """from_numbers of an int or a float, or one list of them, in a third of the time; None if something may be
    wrong."""
    kinds = set(map(_type, value)) if isinstance(value, (list, tuple)) else {_type(value)}
    if type in _FLOATS and kinds <= _PLAIN:
        with np.errstate(over="ignore"):
            array = np.asarray(value, dtype)
        return array if np.isfinite(array).all() else None
    if type[0] in "su" and kinds == {int}:
        low, high = _integer_range(type)
        least, greatest = (min(value), max(value)) if isinstance(value, (list, tuple)) else (value, value)
        if low <= least and greatest <= high:
            return np.asarray(value, dtype)
    return None


def from_numbers(value, type, dtype):
    """An array of a number or of nested lists of them. ValueError, TypeError or OverflowError for what `type` has
    not: 300 for u8, 1.5 for s32, 1e40 for f32."""
    array = _from_plain_numbers(value, type, dtype)
    if array is not None:
        return array
    for number in _leaves(value):
        _check_number(number, type)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is found below
        array = np.asarray(value, dtype)
    if type[0] in "bf":
        # What is too large becomes the greatest number where a type has neither infinities nor NaNs.
        limit = _greatest(dtype) if type.startswith(("f4e", "f6e")) else np.inf
        for number, element in zip(_leaves(value), array.flat):
            _check_rounded(float(number), float(element), limit, type)
    return array


def _greatest(dtype):
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).max)


def _check_rounded(number, element, limit, type):
    """ValueError if the element is not the number, rounded."""
    is_finite = abs(number) < np.inf  # False of NaN
    if is_finite and (not abs(element) < np.inf or abs(number) > limit or (type == "f8e8m0fnu" and number <= 0)):
        raise ValueError(f"{number} is out of the range of {type}")
    if not is_finite and element != number and not (number != number and element != element):
        raise ValueError(f"{number} is not a value of {type}")
