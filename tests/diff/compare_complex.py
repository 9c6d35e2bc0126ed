"""How far XLA's complex functions may be from Axle's: for each element a bound on both parts, in ulps of
the larger part of the result. Axle's share is the bound that the row publishes (docs/accuracy.md, held
to by tests with MPFR); XLA's is what its formulas lose to rounding, where they are known:

* A quotient or a reciprocal of something that cancels loses its condition number. So logistic, tan and
  tanh lose more near their poles, and power loses as many ulps as the exponent of its result is large.
* A difference that cancels has an absolute error. So sine and cosine, with e^y - e^-y, are a unit
  roundoff off wherever they are small, exponential-minus-one likewise, with cos y - 1.

Where a part is infinite or NaN in one result it must be so in the other; where XLA's formulas leave the
range and the function does not, there are rows in known_complex.py."""

import re

import numpy as np

from compare import CHECKS, all_parts, finite, near, parts, real_type, spacing

# Ulps of the larger part that XLA:CPU's functions were seen to be off by, doubled, for c64 and c128. Its
# log1p in f64 is off by a hundred ulps about -0.24, and log of a complex number takes it for the modulus.
XLA_ULPS = {
    "exponential-minus-one": (10.0, 10.0),
    "log": (4.0, 256.0),
    "log-plus-one": (12.0, 256.0),
    "sign": (6.0, 6.0),
    "rsqrt": (6.0, 6.0),
    "tan": (10.0, 10.0),
    "tanh": (10.0, 10.0),
}
XLA_DEFAULT_ULPS = (4.0, 4.0)

# In units roundoff.
XLA_ABSOLUTE = {"sine": 2.0, "cosine": 2.0, "exponential-minus-one": 2.0}


def published_ulps(row, t):
    """Of complex numbers whose parts are of type `t`."""
    kind = "c128" if t.bits == 64 else "c64"
    text = row["accuracy"].partition("complex:")[2]
    match = re.search(rf"([0-9.]+) ulp (?:for )?{kind}", text)
    return float(match.group(1)) if match else 1.0


def wide(array):
    """Complex numbers in 80 bits, which have the exponents that squares and logarithms need."""
    return finite(array.real) + 1j * finite(array.imag)


def larger_part(array):
    return np.maximum.reduce([np.abs(finite(p)) for p in parts(array)])


def power_growth(base, exponent):
    """The terms of y log x = (c + di)(log r + i theta): an ulp of each counts as often as it is large.
    r is rounded, which log r, where that is small, has as an absolute error."""
    log = np.log(np.where(base == 0, 1, base))
    size = np.abs(log.real) + 1 + np.abs(log.imag)
    return (np.abs(exponent.real) + np.abs(exponent.imag)) * size


def condition(context, a):
    """By what XLA's share is multiplied."""
    name = context.row["name"]
    if name == "power":
        return 1 + power_growth(*(wide(v) for v in context.arguments))
    if name in ("tan", "tanh"):
        return 1 + np.abs(wide(a))
    if name == "logistic":
        return 1 + np.abs(wide(a) - 1)
    return 1


def atan2_units(context):
    """-i log((x + iy) / sqrt(x^2 + y^2)): the logarithm makes the relative errors of its argument
    absolute, and both sums may cancel."""
    y, x = (wide(v) for v in context.arguments)
    with np.errstate(all="ignore"):
        of_sum = (np.abs(x) + np.abs(y)) / np.abs(x + 1j * y)
        of_squares = (np.abs(x) ** 2 + np.abs(y) ** 2) / np.abs(x * x + y * y)
        return 4 * (1 + of_sum + of_squares)


def function(context, i):
    a, x = context.axle[i], context.xla[i]
    t = real_type(a)
    name = context.row["name"]
    with np.errstate(all="ignore"):
        size = np.maximum(larger_part(a), larger_part(x))
        xla = XLA_ULPS.get(name, XLA_DEFAULT_ULPS)[t.bits == 64] * condition(context, a)
        bound = (published_ulps(context.row, t) + xla) * spacing(t, size)
        absolute = XLA_ABSOLUTE.get(name, 0.0)
        if name == "atan2":
            absolute = atan2_units(context)
        bound = bound + absolute * t.unit_roundoff + 2 * t.min_normal  # XLA flushes
    bound = np.broadcast_to(np.where(np.isfinite(bound), bound, 0), a.shape)
    return all_parts(lambda p, q: near(p, q, bound), a, x)


def terms_of_product(lhs, rhs):
    """For each part of a product its two terms, whose larger one may be rounded or fused."""
    a, b, c, d = finite(lhs.real), finite(lhs.imag), finite(rhs.real), finite(rhs.imag)
    return [(a * c, b * d), (a * d, b * c)]


def product(context, i):
    """XLA fuses one product of each part into an fma: an ulp of each term, and a term that overflows
    alone need not do so in an fma."""
    a, x = context.axle[i], context.xla[i]
    t = real_type(a)
    ok = np.ones(a.shape, bool)
    with np.errstate(all="ignore"):
        for (p, q), terms in zip(zip(parts(a), parts(x)), terms_of_product(*context.arguments)):
            size = np.abs(terms[0]) + np.abs(terms[1])
            bound = 2 * t.unit_roundoff * size + 2 * t.min_normal
            ok &= near(p, q, bound) | (size > t.max_value / 2)
    return ok


def quotient(context, i):
    """Smith's algorithm on both sides; XLA fuses, and flushes a quotient of parts that underflows, or
    its product with a part."""
    a, x = context.axle[i], context.xla[i]
    t = real_type(a)
    lhs, rhs = (wide(v) for v in context.arguments)
    with np.errstate(all="ignore"):
        swap = np.abs(rhs.real) < np.abs(rhs.imag)
        large = np.where(swap, rhs.imag, rhs.real)
        small = np.where(swap, rhs.real, rhs.imag)
        ratio = small / large
        denominator = np.abs(large + ratio * small)
        # Each part is a sum of one part of lhs and of the other times the ratio.
        size = np.maximum(
            np.abs(ratio * lhs.real) + np.abs(lhs.imag), np.abs(ratio * lhs.imag) + np.abs(lhs.real)
        )
        lost = t.min_normal * (1 + np.abs(lhs.real) + np.abs(lhs.imag))
        of_denominator = 6 * t.unit_roundoff + 2 * t.min_normal / denominator
        bound = (of_denominator * size + 2 * lost) / denominator + 2 * t.min_normal
    bound = np.broadcast_to(np.where(np.isfinite(bound), bound, 0), a.shape)
    return all_parts(lambda p, q: near(p, q, bound), a, x)


CHECKS.update(
    {"complex function": function, "complex product": product, "complex quotient": quotient}
)
