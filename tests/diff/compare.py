"""How far a result of XLA may be from Axle's, element by element. Never a global tolerance.

exact        the bits are equal; NaN equals NaN; where XLA flushes, its zero may stand for a subnormal
ulp          functions: the bound in the op's row, and what XLA itself is known to be off by; of
             complex numbers: compare_complex.py
sum          gamma_n * sum |x_k|, both from runs of the same program on Axle in f64 (its twin): on the
             magnitudes of the arguments, and on ones, which counts the terms
product sum  the same for dots and convolutions
"""

import re

import numpy as np

from element_types import TYPES, type_of
from programs import with_types

# Units in the last place that XLA:CPU's own functions may be off by, for f32 and f64; measured
# against Axle's, whose bounds are tested with MPFR (docs/accuracy.md).
XLA_ULPS = {"log-plus-one": (16.0, 512.0), "tanh": (8.0, 16.0)}
XLA_NARROW_ULPS = 1.0  # for f16, bf16, f8
XLA_DEFAULT_ULPS = (4.0, 4.0)


class Context:
    """One program with one argument list and both results."""

    def __init__(self, program, row, arguments, axle, xla, twin):
        self.program = program
        self.row = row
        self.arguments = arguments
        self.axle = axle
        self.xla = xla
        self.twin = twin


def parts(array):
    """Real arrays: the array itself, or the two parts of a complex one."""
    return [array.real, array.imag] if type_of(array).kind == "complex" else [array]


def real_type(array):
    return TYPES[type_of(array).part]


def wide(array):
    """As longdouble, which holds every float exactly."""
    return array.astype(np.float64 if array.dtype.itemsize < 8 else array.dtype).astype(
        np.longdouble
    )


def same_bits(a, x):
    """Equal bits, or both NaN."""
    t = type_of(a)
    if not t.is_float:
        return a == x
    unsigned = {8: np.uint8, 4: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[t.bits]
    equal = np.ascontiguousarray(a).view(unsigned) == np.ascontiguousarray(x).view(unsigned)
    return (equal | (np.isnan(a) & np.isnan(x))).reshape(a.shape)


def flushed(a, x):
    """XLA's zero for a subnormal of ours."""
    t = type_of(a)
    if not t.flushes:
        return np.zeros(a.shape, bool)
    # The smallest normal number too: it may come from rounding up, after which XLA does not look.
    return (np.abs(wide(a)) <= t.min_normal) & (wide(x) == 0)


def exact_part(a, x):
    return same_bits(a, x) | flushed(a, x)


def all_parts(check, a, x):
    ok = np.ones(a.shape, bool)
    for p, q in zip(parts(a), parts(x)):
        ok &= check(p, q)
    return ok


def exact(context, i):
    return all_parts(exact_part, context.axle[i], context.xla[i])


def bits(context, i):
    """For bitcast-convert, whose subnormals and NaNs are whatever the bits say."""
    a, x = context.axle[i], context.xla[i]
    return (
        (np.frombuffer(a.tobytes(), np.uint8) == np.frombuffer(x.tobytes(), np.uint8))
        .reshape(*a.shape, -1)
        .all(axis=-1)
        | exact(context, i)
        if a.size
        else np.ones(a.shape, bool)
    )


def spacing(t, magnitude):
    """One ulp at a magnitude."""
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log2(np.maximum(magnitude, np.longdouble(t.min_normal))))
    return np.exp2(exponent - t.mantissa)


def near(a, x, bound):
    """|a - x| <= bound; what is not finite must be the same, infinity may stand for an overflow."""
    t = type_of(a)
    wa, wx = wide(a), wide(x)
    beyond = np.longdouble(2) * np.exp2(np.floor(np.log2(np.longdouble(t.max_value))))
    as_number = [np.where(np.isinf(w), np.sign(w) * beyond, w) for w in (wa, wx)]
    close = np.abs(as_number[0] - as_number[1]) <= bound
    finite = np.isfinite(wa) | np.isfinite(wx)
    return (
        same_bits(a, x) | flushed(a, x) | (close & finite) | ((wa == 0) & (wx == 0) & (bound > 0))
    )


def published_ulps(row, t):
    """The bound of the row at f32 or f64; half an ulp if the op is correctly rounded."""
    key = "f64" if t.bits == 64 else "f32"
    match = re.search(rf"<= ([0-9.]+) ulp {key}", row["accuracy"])
    return float(match.group(1)) if match else 0.5


def function_ulps(context, t):
    xla = XLA_ULPS.get(context.row["name"], XLA_DEFAULT_ULPS)
    total = published_ulps(context.row, t) + xla[t.bits == 64]
    # Narrow types: Axle computes in f32 and rounds once; XLA does so for most.
    return total if t.kind == "float" else XLA_NARROW_ULPS + 1 + total * 2.0 ** (t.mantissa - 23)


def ulp(context, i):
    a, x = context.axle[i], context.xla[i]
    t = type_of(a)
    if not t.is_float:
        return exact(context, i)
    ulps = function_ulps(context, t)
    bound = ulps * spacing(t, np.maximum(np.abs(finite(a)), np.abs(finite(x))))
    # 1 / (1 + e^-x) of a sum that is rounded.
    absolute = 2.0 if context.row["name"] == "logistic" else 0.0
    return near(a, x, bound + absolute * t.unit_roundoff)


def finite(array):
    w = wide(array)
    return np.where(np.isfinite(w), w, 0)


def magnitudes(array):
    if type_of(array).kind == "complex":
        return (
            np.abs(array.real.astype(np.float64)) + np.abs(array.imag.astype(np.float64))
        ).astype(np.complex128)
    return np.abs(array.astype(np.float64))


class Twin:
    """The same program in f64 on Axle."""

    def __init__(self, program, axle):
        self.axle = axle
        self.text = with_types(program.text(), "f64", "c128")
        self.printed = None
        self.ones = None

    def _run(self, text, arguments):
        return [r.real if np.iscomplexobj(r) else r for r in self.axle.run(text, [arguments])[0]]

    def sums(self, arguments):
        """For each leaf: sum of magnitudes, and number of terms."""
        inexact = [type_of(a).is_float or type_of(a).kind == "complex" for a in arguments]
        if self.printed is None:
            self.printed = self.axle.print(self.text)
            counting = self.axle.print(self.text.replace(" multiply(a0, a1)", " add(a0, a1)"))
            ones = [np.ones_like(magnitudes(a)) if f else a for a, f in zip(arguments, inexact)]
            self.ones = self._run(counting, ones)
        return (
            self._run(
                self.printed, [magnitudes(a) if f else a for a, f in zip(arguments, inexact)]
            ),
            self.ones,
        )


def bounded_sum(context, i, accumulate):
    """`accumulate`: the unit roundoff of the partial sums."""
    a, x = context.axle[i], context.xla[i]
    t = real_type(a)
    if not t.is_float:
        return exact(context, i)
    sums, terms = context.twin.sums(context.arguments)
    size, n = np.abs(wide(sums[i])), wide(terms[i]) + 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gamma = np.where(n * accumulate < 0.5, n * accumulate / (1 - n * accumulate), np.inf)
        bound = 2 * gamma * size * (2 if type_of(a).kind == "complex" else 1)
    counted = np.isfinite(size)
    bound = np.where(counted, bound + spacing(t, np.where(counted, size, 0)), 0)
    if t.flushes:
        bound = bound + n * t.min_normal
    overflow = counted & (
        size > t.max_value / 4
    )  # of a partial sum, in one order and not in the other
    if may_overflow(context.arguments, t):
        overflow = overflow | ~counted
    if type_of(a).kind == "complex":
        # Products with infinities: NaN in one formula, infinite in another.
        overflow = overflow | ~(counted | np.isfinite(a) | np.isfinite(x))
    return all_parts(lambda p, q: near(p, q, bound), a, x) | overflow


def may_overflow(arguments, t):
    """Whether products of the finite elements can leave the range, beside infinities and NaNs."""
    largest = [
        float(np.max(np.abs(finite(p)), initial=0))
        for a in arguments
        for p in parts(a)
        if real_type(a).is_float
    ]
    return max(largest, default=0) > np.sqrt(t.max_value) / 1e3


def sum_(context, i):
    return bounded_sum(context, i, real_type(context.axle[i]).unit_roundoff)


def product_sum(context, i):
    return bounded_sum(
        context,
        i,
        (
            max(real_type(context.axle[i]).unit_roundoff, 2.0**-53)
            if real_type(context.axle[i]).bits >= 32
            else 2.0**-24
        ),
    )


def scatter_sum(context, i):
    """Every element gets at most facts["terms"] values of the arguments that facts["added"] names."""
    a, x = context.axle[i], context.xla[i]
    t = real_type(a)
    if not t.is_float:
        return exact(context, i)
    n = context.program.facts["terms"]
    largest = max(
        (
            float(np.max(np.abs(finite(p)), initial=0))
            for k in context.program.facts["added"]
            for p in parts(context.arguments[k])
        ),
        default=0.0,
    )
    size = np.longdouble(largest) * n
    if "multiply" in context.program.computations:  # relative to the product
        size = 2 * np.maximum.reduce([np.abs(finite(p)) for p in parts(a)])
    bound = np.broadcast_to(2 * n * t.unit_roundoff * size + n * t.min_normal, a.shape)
    return all_parts(lambda p, q: near(p, q, bound), a, x)


CHECKS = {
    "exact": exact,
    "bits": bits,
    "ulp": ulp,
    "sum": sum_,
    "product sum": product_sum,
    "scatter sum": scatter_sum,
}


COMPLEX_CHECKS = {"multiply": "complex product", "divide": "complex quotient"}


def check_of(context, i):
    """The check of one leaf: what the program asks for, or what the accuracy of the row says."""
    if context.program.check:
        return CHECKS[context.program.check]
    of_reals, _, of_complex = context.row["accuracy"].partition("complex:")
    if TYPES[context.program.type].kind == "complex":
        function = "complex function" if " ulp" in of_complex else "exact"
        return CHECKS[COMPLEX_CHECKS.get(context.row["name"], function)]
    return ulp if " ulp" in of_reals else exact
