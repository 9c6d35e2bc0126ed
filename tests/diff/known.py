"""Differences between Axle and XLA:CPU (jaxlib 0.10.2) that are meant, as rows with reasons.

A row is about elements (`where` gives a mask over a result) or about whole programs that XLA refuses
(`refusal` is found in XLA's message)."""

import dataclasses
import re

import numpy as np

import known_complex
from element_types import TYPES, type_of
from known_complex import COMPLEX

INTEGERS = tuple(t.name for t in TYPES.values() if t.is_integer)


@dataclasses.dataclass(frozen=True)
class Known:
    ops: tuple = ()  # all
    types: tuple = ()  # of the case; () for all
    reason: str = ""
    where: object = None  # (context, leaf) -> mask
    refusal: str = ""

    def applies(self, context_program):
        return (not self.ops or context_program.op in self.ops) and (
            not self.types or context_program.type in self.types
        )


def _power_exponent(context, i):
    exponent = context.arguments[1].astype(object)
    t = type_of(context.arguments[1])
    return ((exponent >= 64) | (exponent >= 1 << (t.bits - 1))).astype(bool)


def _smallest_f8e8m0(context, i):
    """2^-127, a subnormal of f32, as an argument, or as a result for which XLA has 0, that is NaN."""
    a, x = context.axle[i], context.xla[i]
    mask = np.zeros(a.shape, bool)
    if type_of(a).name == "f8e8m0fnu":
        mask = (a.view(np.uint8) == 0) & np.isnan(x)
    for argument in context.arguments:
        if type_of(argument).name == "f8e8m0fnu":
            hit = argument.view(np.uint8) == 0
            mask = mask | (hit if hit.shape == mask.shape else hit.any())
    return mask


def _zero_of_constant(context, i):
    return (context.axle[i] == 0) & (context.xla[i] == 0)


def _nan_in_constant(context, i):
    return np.isnan(context.axle[i]) & np.isnan(context.xla[i])


def _no_dimensions(context, i):
    program = context.program
    return np.full(context.axle[i].shape, "dimensions={}" in program.attributes + program.body)


def _nan_keys(context, i):
    return np.isnan(context.axle[0])


def _one_ulp(context, i):
    """Neighbours in a narrow type, of the same sign."""
    a, x = context.axle[i].view(np.uint8), context.xla[i].view(np.uint8)
    return (np.abs(a.astype(int) - x.astype(int)) <= 1) & np.isfinite(context.axle[i])


def _second_binade(context, i):
    """f8e5m2fnuz between 2^-15, its smallest normal number, and 2^-14."""
    a = context.axle[i]
    if type_of(a).name != "f8e5m2fnuz":
        return np.zeros(a.shape, bool)
    size = np.abs(a.astype(np.float64))
    return (size >= 2.0**-15) & (size < 2.0**-14)


def _near_second_binade(context, i):
    return np.abs(context.axle[0].astype(np.float64)) <= 2.0**-13


def _nan_or_zero(context, i):
    a, x = context.axle[i], context.xla[i]
    return np.isnan(a) | ((a == 0) & (x == 0))


def _small_of_reduce_precision(context, i):
    """Below the normal numbers of the type, or of the one that is asked for, or rounded up to them."""
    x = context.arguments[0]
    bits = int(re.search(r"exponent_bits=(\d+)", context.program.attributes).group(1))
    limit = max(type_of(x).min_normal, 2.0 ** (2 - 2 ** (bits - 1)))
    return np.abs(x.astype(np.float64)) < 2 * limit


def _kept_by_reduce_precision(context, i):
    bits = int(re.search(r"mantissa_bits=(\d+)", context.program.attributes).group(1))
    return (bits >= TYPES["f16"].mantissa) & (context.xla[i] == context.arguments[0])


def _fraction_or_six(context, i):
    size = np.abs(context.arguments[0].astype(np.float64))
    return (size % 1 != 0) | (size == 6)


def _zero_of_iota(context, i):
    return np.isnan(context.axle[i]) & (context.xla[i].view(np.uint8) == 0)


_REDUCTIONS = ("all-reduce", "all-reduce-start", "all-reduce-done", "reduce-scatter")
TINY = tuple(t.name for t in TYPES.values() if t.kind == "tiny float")
NARROW = tuple(t.name for t in TYPES.values() if t.kind in ("tiny float", "half"))

KNOWN = [
    *(Known(ops, COMPLEX, reason, where) for ops, where, reason in known_complex.ROWS),
    Known(
        _REDUCTIONS,
        where=_nan_or_zero,
        reason="XLA's collectives take maximum and minimum by comparisons, which leave NaNs out and "
        "do not tell zeros apart",
    ),
    Known(
        _REDUCTIONS,
        INTEGERS,
        refusal="Unsupported reduction computation",
        reason="XLA:CPU's collectives take no and, or, xor of integers",
    ),
    Known(
        _REDUCTIONS,
        ("s2", "u2", "s4", "u4"),
        refusal="for datatype",
        reason="XLA:CPU's collectives reduce no sub-byte integers",
    ),
    Known(
        ("dot",),
        ("s2", "s4"),
        refusal="does not support custom element sizes",
        reason="XLA:CPU widens sub-byte integers for products into s32 wrongly",
    ),
    Known(
        ("dot", "convolution", "ragged-dot"),
        ("s2", "u2", "s4", "u4"),
        refusal="unsupported operand type",
        reason="XLA:CPU multiplies no matrices of sub-byte integers into themselves",
    ),
    Known(
        ("stochastic-convert",),
        ("f4e2m1fn", "f8e4m3", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e3m4"),
        where=_fraction_or_six,
        reason="XLA:CPU computes the threshold, a fraction times 2^bits, in the operand's type, which "
        "does not hold that power; and gives the limits of the integers for 6 in f4e2m1fn",
    ),
    Known(
        ("reduce-precision",),
        TINY,
        where=_small_of_reduce_precision,
        reason="XLA:CPU takes 8-bit floats through f16, whose subnormals are smaller",
    ),
    Known(
        ("reduce-precision",),
        TINY,
        where=_kept_by_reduce_precision,
        reason="XLA:CPU takes 8-bit floats through f16, and drops what keeps all mantissa bits of it",
    ),
    Known(
        ("scan",),
        refusal="greater than dynamic slice dimension: 0",
        reason="XLA slices even where there is no step",
    ),
    Known(
        ("convert",),
        ("c64", "c128"),
        refusal="process ended",
        reason="XLA:CPU aborts on some conversions of complex numbers",
    ),
    Known(
        ("popcnt",),
        ("s2", "s4"),
        where=lambda context, i: context.arguments[0].astype(int) < 0,
        reason="XLA counts the bits of the sign-extended byte",
    ),
    Known(
        ("sort", "topk"),
        ("f8e5m2fnuz",),
        where=_near_second_binade,
        reason="XLA:CPU orders f8e5m2fnuz wrongly where it takes 2^-15 to 2^-14 for 2^-14",
    ),
    Known(
        ("all-gather", "all-gather-start", "all-gather-done"),
        refusal="cannot be zero",
        reason="StableHLO gathers no arrays without elements",
    ),
    Known(
        ("bitcast-convert",),
        COMPLEX,
        refusal="Conversion between complex and real type",
        reason="StableHLO makes complex numbers of no others by bits",
    ),
    Known(
        ("bitcast-convert",),
        COMPLEX,
        refusal="process ended",
        reason="XLA:CPU ends its process on bits of complex numbers",
    ),
    Known(
        types=("f8e5m2fnuz",),
        where=_second_binade,
        reason="XLA:CPU sometimes makes 2^-14 of what lies between 2^-15 and 2^-14",
    ),
    Known(
        ("iota",),
        ("f8e8m0fnu",),
        where=_zero_of_iota,
        reason="0 is no f8e8m0fnu: NaN as in convert; XLA:CPU's iota gives 2^-127",
    ),
    Known(
        types=("s2", "u2"),
        refusal=" ",  # in whatever words: a process whose memory is damaged has said std::bad_cast
        reason="XLA:CPU aborts on some programs with 2-bit integers, or writes beyond their arrays",
    ),
    Known(
        ("reduce",),
        where=_no_dimensions,
        reason="over no dimension XLA gives the operand; Axle applies the computation once",
    ),
    Known(
        ("constant",),
        ("f8e8m0fnu",),
        where=lambda context, i: context.axle[i].view(np.uint8) == 0,
        reason="XLA's reader rounds 5.9e-39, which is how both print 2^-127, to 2^-126",
    ),
    Known(
        ("constant",),
        ("c64",),
        refusal="out of range for literal's primitive type",
        reason="XLA's reader refuses the largest finite f32 in complex numbers",
    ),
    Known(
        ("fusion",),
        refusal="must have users",
        reason="XLA breaks fusions without elements while it optimises them",
    ),
    Known(
        ("sort",),
        ("s2", "u2"),
        where=lambda context, i: np.ones(context.axle[i].shape, bool),
        reason="XLA:CPU does not sort 2-bit integers right",
    ),
    Known(
        ("sort",),
        TINY,
        where=_nan_keys,
        reason="XLA compares 8-bit floats after widening, which makes all NaNs of a sign one",
    ),
    Known(
        ("divide", "sqrt", "rsqrt", "multiply", "cbrt", "power"),
        TINY,
        where=_one_ulp,
        reason="XLA computes 8-bit floats in f16 and rounds twice",
    ),
    Known(
        ("topk",),
        ("s2", "u2", "s4", "u4"),
        refusal="does not support custom element sizes",
        reason="XLA:CPU does not take the largest of sub-byte integers",
    ),
    Known(
        ("sort",),
        ("s2", "u2"),
        refusal="Inputs must have the same shape",
        reason="XLA:CPU does not sort 2-bit integers beside other operands",
    ),
    Known(
        ("constant",),
        NARROW,
        where=_zero_of_constant,
        reason="XLA's reader of HLO text loses the sign of zeros of narrow types",
    ),
    Known(
        ("constant",),
        ("c64", "c128"),
        where=_nan_in_constant,
        reason="XLA's reader of HLO text makes both parts NaN when one is",
    ),
    Known(
        ("power",),
        INTEGERS,
        where=_power_exponent,
        reason="XLA looks at the low 6 bits of the exponent only, and takes unsigned ones from 2^(N-1) "
        "on for negative; Axle's are exact mod 2^N",
    ),
    Known(
        (),
        ("f8e8m0fnu",),
        where=_smallest_f8e8m0,
        reason="2^-127 is a subnormal of f32, which XLA takes for 0",
    ),
]

# Differences between Axle and XLA:CPU that no program here reaches, and why none does.
NOT_DRAWN = {
    "an init_value that is not the identity": "XLA uses it for each lane of a vector, or not at all",
    "u64 start indices from 2^63 on": "XLA:CPU and XLA's own evaluator disagree",
    "start indices of a type that cannot hold the bound": "XLA clamps modulo its range",
    "triangular-solve with a zero on the diagonal": "XLA makes the whole column NaN",
    "set-dimension-size beyond the bound": "XLA does not clamp",
    "sorts that are not stable": "the order of equal keys is open; Axle's sorts are all stable",
    "comparisons in total order of constants": "XLA folds them without that order",
}

# Ops without a differential row, and why.
_HOST = "moves data between host and device; tests/ops and tests/client show it"
NOT_COMPARED = {
    **dict.fromkeys(("infeed", "outfeed", "send", "send-done", "recv", "recv-done"), _HOST),
    "custom-call": "what it computes is registered on each side",
    "rng": "XLA leaves the bits to the implementation",
    "rng-get-and-update-state": "its state belongs to the process",
}

_OF_MANY_STEPS = (
    "batch-norm-grad",
    "batch-norm-inference",
    "batch-norm-training",
    "cholesky",
    "triangular-solve",
)

# Classes of element types of an op that cannot be compared, and why.
_INVERSE = ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh")
CLASSES_NOT_COMPARED = {
    **dict.fromkeys(
        ((op, "complex") for op in _INVERSE),
        "XLA:CPU ends its process; docs/accuracy-table.md has the errors against MPFR",
    ),
    **dict.fromkeys(
        ((op, "tiny float") for op in _OF_MANY_STEPS),
        "XLA rounds every step to 8 bits, whose errors are soon as large as the results",
    ),
    ("bitcast-convert", "pred"): "one bit in StableHLO, eight in HLO",
}

# Element types that are not drawn, and why.
TYPES_NOT_COMPARED = {
    **dict.fromkeys(("s1", "u1"), "numpy has none, and XLA:CPU compiles none"),
    **dict.fromkeys(("f6e3m2fn", "f6e2m3fn"), "XLA has none"),
}
