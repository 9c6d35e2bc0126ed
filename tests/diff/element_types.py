"""Element types: their numpy types, how .npz files hold them, and the facts that bounds need."""

import dataclasses

import ml_dtypes
import numpy as np

CLASSES = ("pred", "signed", "unsigned", "tiny float", "half", "float", "complex")


@dataclasses.dataclass(frozen=True)
class ElementType:
    name: str
    kind: str  # one of CLASSES
    memory: type  # in numpy
    stored: type  # in an .npz file
    bits: int
    mantissa: int = 0  # bits after the point
    min_exponent: int = 0  # of the smallest normal number
    flushes: bool = False  # XLA:CPU takes subnormals for zeros

    @property
    def dtype(self):
        return np.dtype(self.memory)

    @property
    def is_float(self):
        return self.kind in ("tiny float", "half", "float")

    @property
    def is_integer(self):
        return self.kind in ("signed", "unsigned")

    @property
    def unit_roundoff(self):
        return 2.0 ** -(self.mantissa + 1)

    @property
    def min_normal(self):
        return 2.0**self.min_exponent

    @property
    def max_value(self):
        """The largest finite number of a float or of a part of a complex number."""
        if self.kind == "complex":
            return float(np.finfo(np.float32 if self.bits == 64 else np.float64).max)
        return float(ml_dtypes.finfo(self.memory).max)

    @property
    def part(self):
        return {"c64": "f32", "c128": "f64"}.get(self.name, self.name)


def _tiny(name, memory, mantissa, min_exponent, bits=8):
    return ElementType(name, "tiny float", memory, np.uint8, bits, mantissa, min_exponent)


_ALL = [
    ElementType("pred", "pred", np.bool_, np.bool_, 8),
    ElementType("s2", "signed", ml_dtypes.int2, np.int8, 2),
    ElementType("s4", "signed", ml_dtypes.int4, np.int8, 4),
    ElementType("s8", "signed", np.int8, np.int8, 8),
    ElementType("s16", "signed", np.int16, np.int16, 16),
    ElementType("s32", "signed", np.int32, np.int32, 32),
    ElementType("s64", "signed", np.int64, np.int64, 64),
    ElementType("u2", "unsigned", ml_dtypes.uint2, np.uint8, 2),
    ElementType("u4", "unsigned", ml_dtypes.uint4, np.uint8, 4),
    ElementType("u8", "unsigned", np.uint8, np.uint8, 8),
    ElementType("u16", "unsigned", np.uint16, np.uint16, 16),
    ElementType("u32", "unsigned", np.uint32, np.uint32, 32),
    ElementType("u64", "unsigned", np.uint64, np.uint64, 64),
    _tiny("f8e5m2", ml_dtypes.float8_e5m2, 2, -14),
    _tiny("f8e4m3", ml_dtypes.float8_e4m3, 3, -6),
    _tiny("f8e4m3fn", ml_dtypes.float8_e4m3fn, 3, -6),
    _tiny("f8e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, 3, -10),
    _tiny("f8e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 2, -15),
    _tiny("f8e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 3, -7),
    _tiny("f8e3m4", ml_dtypes.float8_e3m4, 4, -2),
    _tiny("f8e8m0fnu", ml_dtypes.float8_e8m0fnu, 0, -127),
    _tiny("f4e2m1fn", ml_dtypes.float4_e2m1fn, 1, 0, bits=4),
    ElementType("f16", "half", np.float16, np.float16, 16, 10, -14),
    ElementType("bf16", "half", ml_dtypes.bfloat16, np.uint16, 16, 7, -126, flushes=True),
    ElementType("f32", "float", np.float32, np.float32, 32, 23, -126, flushes=True),
    ElementType("f64", "float", np.float64, np.float64, 64, 52, -1022, flushes=True),
    ElementType("c64", "complex", np.complex64, np.complex64, 64, 23, -126, flushes=True),
    ElementType("c128", "complex", np.complex128, np.complex128, 128, 52, -1022, flushes=True),
]
TYPES = {t.name: t for t in _ALL}
_BY_DTYPE = {t.dtype: t for t in _ALL}


def of_class(kind):
    return [t for t in _ALL if t.kind == kind]


def type_of(array):
    return _BY_DTYPE[array.dtype]


def to_file(array):
    """As an .npz holds it: types that numpy lacks as bits, sub-byte integers one to a byte."""
    t = type_of(array)
    if t.is_integer and t.bits < 8:
        return array.astype(t.stored)
    return (
        array
        if t.dtype == np.dtype(t.stored)
        else np.ascontiguousarray(array).reshape(array.shape).view(t.stored)
    )


def from_file(array, name):
    t = TYPES[name]
    if t.is_integer and t.bits < 8:
        return array.astype(t.memory)
    return array if t.dtype == np.dtype(t.stored) else array.view(t.memory)
