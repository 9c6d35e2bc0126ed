"""Element types and shapes."""

import ctypes

import numpy as np

from ._errors import AxleError
from ._library import check, lib

_TUPLE = 13
# What numpy has itself; all others come from ml_dtypes.
_NUMPY_TYPES = {
    "pred": "bool",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
_ML_DTYPES = {
    "bf16": "bfloat16",
    "s1": "int1",
    "s2": "int2",
    "s4": "int4",
    "u1": "uint1",
    "u2": "uint2",
    "u4": "uint4",
    "f8e5m2": "float8_e5m2",
    "f8e4m3": "float8_e4m3",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e3m4": "float8_e3m4",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
    "f4e2m1fn": "float4_e2m1fn",
    "f6e2m3fn": "float6_e2m3fn",
    "f6e3m2fn": "float6_e3m2fn",
}


def numpy_type(name):
    """The numpy type of an element type; None if there is none. AxleError UNAVAILABLE without ml_dtypes."""
    if name in _NUMPY_TYPES:
        return np.dtype(_NUMPY_TYPES[name])
    if name not in _ML_DTYPES:
        return None
    try:
        import ml_dtypes
    except ImportError:
        ml_dtypes = None
    found = getattr(ml_dtypes, _ML_DTYPES[name], None)
    if found is None:
        what = (
            "which is not installed" if ml_dtypes is None else f"and {ml_dtypes.__version__} has no {_ML_DTYPES[name]}"
        )
        raise AxleError("UNAVAILABLE", f"numpy has no type for {name}; the package ml_dtypes has one, {what}")
    return np.dtype(found)


_numbers = {}  # by numpy type


def type_number(dtype):
    """The axle_type of a numpy type."""
    if not _numbers:
        for number in range(64):
            name = lib.axle_type_name(number).decode()
            try:
                if name in _NUMPY_TYPES or name in _ML_DTYPES:
                    _numbers[numpy_type(name)] = number
            except AxleError:  # without ml_dtypes nobody has such an array
                pass
    if dtype not in _numbers:
        raise AxleError("INVALID_ARGUMENT", f"there is no element type for arrays of {dtype}")
    return _numbers[dtype]


def type_name(dtype):
    """The element type of a numpy type, as HLO text spells it."""
    return lib.axle_type_name(type_number(dtype)).decode()


class Shape:
    """The shape of an argument or a result.

    type      the element type as HLO text spells it, "f32"; "tuple", "token"
    dims      sizes; bounds of dynamic ones
    dynamic   one bool for each of dims
    elements  shapes, of a tuple
    """

    def __init__(self, type, dims=(), dynamic=(), elements=(), text="", number=0):
        self.type = type
        self.dims = tuple(dims)
        self.dynamic = tuple(dynamic)
        self.elements = tuple(elements)
        self._text = text
        self._number = number  # an axle_type
        self._dtype = None

    @property
    def is_tuple(self):
        return self.type == "tuple"

    @property
    def is_array(self):
        return self.type in _NUMPY_TYPES or self.type in _ML_DTYPES

    @property
    def is_narrow(self):
        """Whether an element has less than eight bits, in a byte of its own."""
        return self.is_array and self.type.startswith(("s1", "s2", "s4", "u1", "u2", "u4", "f4e", "f6e")) and \
            self.type not in _NUMPY_TYPES

    @property
    def dtype(self):
        """The numpy type, None of what is no array. AxleError UNAVAILABLE if neither numpy nor ml_dtypes has it."""
        if self._dtype is None:
            self._dtype = numpy_type(self.type)
        return self._dtype

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<axle.Shape {self._text}>"

    def __eq__(self, other):
        return isinstance(other, Shape) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def leaves(self):
        """The arrays in it, depth first."""
        if self.is_tuple:
            return [leaf for element in self.elements for leaf in element.leaves()]
        return [self] if self.is_array else []


def shape_from_handle(handle):
    number = lib.axle_shape_type(handle)
    rank = lib.axle_shape_rank(handle)
    dims = lib.axle_shape_dims(handle)
    count = lib.axle_shape_num_elements(handle)
    return Shape(
        "tuple" if number == _TUPLE else lib.axle_type_name(number).decode(),
        [dims[i] for i in range(rank)],
        [lib.axle_shape_is_dynamic(handle, i) != 0 for i in range(rank)],
        [shape_from_handle(lib.axle_shape_element(handle, i)) for i in range(count)],
        lib.axle_shape_text(handle).decode(),
        number,
    )


def parse_shape(shape):
    """A Shape of its text or of itself."""
    if isinstance(shape, Shape):
        return shape
    handle = ctypes.c_void_p()
    check(lib.axle_shape_parse(str(shape).encode(), ctypes.byref(handle)))
    try:
        return shape_from_handle(handle)
    finally:
        lib.axle_shape_destroy(handle)
