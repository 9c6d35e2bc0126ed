"""Where XLA's formulas for complex functions leave the range or the branch that the function is in:
rows of known.py. Axle's values there are in the case tables, from mpmath and the C standard."""

import numpy as np

from compare import finite, parts, real_type, same_bits, wide

COMPLEX = ("c64", "c128")
FUNCTIONS = (
    "abs", "cosine", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic",
    "power", "sine", "sqrt", "tan", "tanh",
)  # fmt: skip


def any_part(arrays, holds):
    return np.logical_or.reduce([holds(p) for array in arrays for p in parts(array)])


def apart_from(context, i, holds):
    """Elements of which each part is the same on both sides, or is one of XLA's that `holds`."""
    ok = True
    for p, q in zip(parts(context.axle[i]), parts(context.xla[i])):
        ok = ok & (same_bits(p, q) | holds(q))
    return ok


def ratio_underflows(context, i):
    """An infinity times the ratio of the divisor's parts, where that is flushed to zero."""
    z = context.arguments[1]
    sizes = np.sort([np.abs(finite(p)) for p in parts(z)], axis=0)
    with np.errstate(all="ignore"):
        flushed = sizes[0] / sizes[1] < real_type(z).min_normal
    infinite = any_part(context.arguments[:1], np.isinf)
    return flushed & infinite & apart_from(context, i, np.isnan)


def nan_of_infinite(context, i):
    """An argument that is not finite, and NaN from XLA."""
    special = any_part(context.arguments, lambda p: ~np.isfinite(p))
    return special & apart_from(context, i, np.isnan)


def overflow_of_exponential(context, i):
    """e^y leaves the range, or is within e^2 of its end, and its product with a cosine need not."""
    z = context.arguments[0]
    grows = finite(z.real) if context.program.op.startswith("exponential") else finite(z.imag)
    limit = np.log(np.longdouble(real_type(z).max_value)) - 2
    return (np.abs(grows) > limit) & apart_from(context, i, lambda p: ~np.isfinite(p))


def square_underflows(context, i):
    """log-plus-one next to -1."""
    z = context.arguments[0]
    size = (1 + wide(z.real)) ** 2 + wide(z.imag) ** 2
    return (size < 4 * real_type(z).min_normal) & (context.xla[i].real == -np.inf)


def cut_of_root(context, i):
    """x - 0i with x < 0, where the root has a negative imaginary part, as in C."""
    z, a, x = context.arguments[0], context.axle[i], context.xla[i]
    below = (z.real < 0) & (z.imag == 0) & np.signbit(z.imag)
    return below & np.isclose(a.imag, -x.imag, rtol=1e-6) & (np.abs(a.real) <= np.abs(a.imag))


def modulus_overflows(context, i):
    z = context.arguments[0]
    size = np.hypot(finite(z.real), finite(z.imag))
    return (size > real_type(z).max_value) & (context.xla[i] == 0)


def squares_leave_range(context, i):
    """Of atan2's operands, or what they cancel to."""
    t = real_type(context.axle[i])
    low, high = np.sqrt(np.longdouble(t.min_normal)) * 2.0**30, np.sqrt(np.longdouble(t.max_value))
    sizes = [np.abs(finite(p)) for v in context.arguments for p in parts(v)]
    largest = np.maximum.reduce(sizes)
    return (largest < low) | (largest > high / 8)


def squares_of_atan2(context):
    """x^2 + y^2, and how much of it is noise."""
    y, x = (finite(v.real) + 1j * finite(v.imag) for v in context.arguments)
    noise = 8 * real_type(context.axle[0]).unit_roundoff * (np.abs(x) ** 2 + np.abs(y) ** 2)
    return x * x + y * y, noise


def pole_of_atan2(context, i):
    """x = iy or -iy, within rounding."""
    squares, noise = squares_of_atan2(context)
    return (np.abs(squares) <= noise) & any_part([context.xla[i]], lambda p: ~np.isfinite(p))


def cut_of_atan2(context, i):
    """x^2 + y^2 next to the negative axis: the root has the other sign, which makes half a turn. The
    quotient next to it: the logarithm has the other sign, between an angle of pi and of -pi."""
    squares, noise = squares_of_atan2(context)
    on_cut = (squares.real <= noise) & (np.abs(squares.imag) <= noise)
    a, b = wide(context.axle[i].real), wide(context.xla[i].real)
    half_turn = np.abs(np.abs(a - b) - np.pi) < 1e-3
    ends = (np.abs(np.abs(a) - np.pi) < 1e-3) & (np.abs(a + b) < 1e-3)
    return (on_cut & half_turn) | ends


def factors_leave_range(context, i):
    """|x|^c or e^(-d theta), of which power is the product, |x| itself, or the angle."""
    base, exponent = (finite(v.real) + 1j * finite(v.imag) for v in context.arguments)
    t = real_type(context.axle[i])
    with np.errstate(all="ignore"):
        log = np.log(np.where(base == 0, 1, base))
        outside = np.abs(base) > t.max_value
        grows, turns = exponent.real * log.real, -exponent.imag * log.imag
        angle = np.abs(exponent.real * log.imag) + np.abs(exponent.imag * log.real)
        outside |= angle > t.max_value / 2
        for exponent_of_e in (grows, turns, grows + turns):
            outside |= (exponent_of_e > np.log(np.longdouble(t.max_value)) - 2) | (
                exponent_of_e < np.log(np.longdouble(t.min_normal)) + 2
            )
    return outside


ROWS = [
    (FUNCTIONS, nan_of_infinite, "XLA's complex formulas make NaN of an infinity beside a NaN or another"),
    (("divide",), ratio_underflows, "XLA flushes a ratio of parts, and infinity times 0 is NaN"),
    (("sine", "cosine", "exponential-minus-one"), overflow_of_exponential,
     "XLA multiplies by an exponential that overflows alone"),
    (("log-plus-one",), square_underflows, "XLA squares 1 + z, which underflows"),
    (("sqrt", "rsqrt"), cut_of_root, "below the branch cut XLA takes the root from above it"),
    (("sign",), modulus_overflows, "XLA divides by a modulus that overflows"),
    (("atan2",), squares_leave_range, "XLA squares the operands"),
    (("atan2",), pole_of_atan2, "XLA divides by the root of a sum that cancels to nothing"),
    (("atan2",), cut_of_atan2, "on the branch cut of its square root XLA takes the other side"),
    (("power",), factors_leave_range, "a factor of XLA's formula leaves the range, the product does not"),
]  # fmt: skip
