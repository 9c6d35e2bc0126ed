"""Linear algebra and Fourier transforms of docs/numerics.md, written a second time, plainly.

Every value is a pair (re, im) here; real numbers have im = 0 and stay that way. `digits` is 24 or 53.
Roots of unity come from libm, so c128 is compared at lengths whose roots are certain.
"""
import math

import canonical_reference as ref


def real(digits, x):
    return ref.f32(x) if digits == 24 else x


def divide(digits, a, b):
    """Smith's algorithm; b is not zero."""
    r = lambda x: real(digits, x)
    fma = lambda x, y, z: ref.fma(x, y, z, digits)
    if b[1] == 0 and a[1] == 0:
        return r(a[0] / b[0]), 0.0
    if abs(b[0]) < abs(b[1]):
        ratio = r(b[0] / b[1])
        under = fma(ratio, b[0], b[1])
        return r(fma(ratio, a[0], a[1]) / under), r(fma(ratio, a[1], -a[0]) / under)
    ratio = r(b[1] / b[0])
    under = fma(ratio, b[1], b[0])
    return r(fma(ratio, a[1], a[0]) / under), r(fma(-ratio, a[0], a[1]) / under)


def subtract_product(digits, a, b, acc):
    return ref.complex_fma((-a[0], -a[1]), b, acc, digits)


def conj(x):
    return x[0], -x[1]


def cholesky(digits, a, n):
    """The lower factor of a[i][j], i >= j."""
    lower = [[(0.0, 0.0)] * n for _ in range(n)]
    for j in range(n):
        pivot = a[j][j][0]
        for k in range(j):
            re, im = lower[j][k]
            pivot = ref.fma(-im, im, ref.fma(-re, re, pivot, digits), digits)
        pivot = real(digits, math.sqrt(pivot))
        lower[j][j] = (pivot, 0.0)
        for i in range(j + 1, n):
            acc = a[i][j]
            for k in range(j):
                acc = subtract_product(digits, lower[i][k], conj(lower[j][k]), acc)
            lower[i][j] = tuple(real(digits, part / pivot) for part in acc)
    return lower


def solve(digits, t, b, n, lower, unit):
    """t x = b for one right-hand side, t triangular."""
    order = range(n) if lower else range(n - 1, -1, -1)
    x, found = [None] * n, []
    for i in order:
        acc = b[i]
        for k in found:
            acc = subtract_product(digits, t[i][k], x[k], acc)
        x[i] = acc if unit else divide(digits, acc, t[i][i])
        found.append(i)
    return x


def roots(digits, n):
    """e^(-2 pi i j / n), folded into [0, pi/4]."""
    result = []
    for j in range(n):
        mirrored = 2 * j > n
        m, negative, swapped = 4 * (n - j if mirrored else j), False, False
        if m > n:
            m, negative = 2 * n - m, True
        if 2 * m > n:
            m, swapped = n - m, True
        angle = m / n * 1.5707963267948966
        cos, sin = math.cos(angle), math.sin(angle)
        if swapped:
            cos, sin = sin, cos
        result.append((real(digits, -cos if negative else cos), real(digits, sin if mirrored else -sin)))
    return result


def turn(digits, w, x):
    re = ref.fma(-w[1], x[1], real(digits, w[0] * x[0]), digits)
    return re, ref.fma(w[1], x[0], real(digits, w[0] * x[1]), digits)


def first_radix(n):
    if n % 4 == 0:
        return 4
    return next((p for p in range(2, 98) if n % p == 0), None)


def without_factors(n, largest):
    for p in range(2, largest + 1):
        while n % p == 0:
            n //= p
    return n


def is_smooth(n):
    return without_factors(n, 97) == 1


def computing_digits(digits, n):
    """Those of f64 if there is a prime factor above 31."""
    return digits if without_factors(n, 31) == 1 else 53


def add(digits, x, y, sign=1):
    return tuple(real(digits, a + sign * b) for a, b in zip(x, y))


def butterfly(digits, p, y, w):
    if p == 2:
        return [add(digits, y[0], y[1]), add(digits, y[0], y[1], -1)]
    if p == 4:
        even, odd = add(digits, y[0], y[2]), add(digits, y[1], y[3])
        a, b = add(digits, y[0], y[2], -1), add(digits, y[1], y[3], -1)
        turned = (b[1], -b[0])
        return [add(digits, even, odd), add(digits, a, turned), add(digits, even, odd, -1), add(digits, a, turned, -1)]
    sums = [add(digits, y[s], y[p - s]) for s in range(1, p // 2 + 1)]
    differences = [add(digits, y[s], y[p - s], -1) for s in range(1, p // 2 + 1)]
    results = [None] * p
    results[0] = y[0]
    for x in sums:
        results[0] = add(digits, results[0], x)
    for q in range(1, p // 2 + 1):
        a, b = y[0], None
        for s, (x, d) in enumerate(zip(sums, differences), 1):
            re, im = w[s * q % p]
            a = tuple(ref.fma(re, part, acc, digits) for part, acc in zip(x, a))
            if b is None:
                b = tuple(real(digits, im * part) for part in d)
            else:
                b = tuple(ref.fma(im, part, acc, digits) for part, acc in zip(d, b))
        results[q] = real(digits, a[0] - b[1]), real(digits, a[1] + b[0])
        results[p - q] = real(digits, a[0] + b[1]), real(digits, a[1] - b[0])
    return results


def split(digits, x, w):
    """Decimation in time; w are the len(x) roots."""
    n = len(x)
    if n == 1:
        return x
    p = first_radix(n)
    m = n // p
    parts = [split(digits, x[s::p], w[::p]) for s in range(p)]
    result = [None] * n
    for k in range(m):
        y = [parts[s][k] if s * k == 0 else turn(digits, w[s * k], parts[s][k]) for s in range(p)]
        for q, value in enumerate(butterfly(digits, p, y, w[::m])):
            result[k + m * q] = value
    return result


def swap(values):
    return [(b, a) for a, b in values]


def rounded(digits, values):
    return [tuple(real(digits, part) for part in y) for y in values]


def convolution_size(n):
    size = 2 * n - 1
    while without_factors(size, 2) not in (1, 3, 5):
        size += 1
    return size


def bluestein(x):
    n = len(x)
    size = convolution_size(n)
    w, turns = roots(53, size), roots(53, 2 * n)
    c = [turns[j * j % (2 * n)] for j in range(n)]
    mirrored = [(0.0, 0.0)] * size
    for j in range(n):
        mirrored[j] = mirrored[-j % size] = conj(c[j])
    f = [(re / size, im / size) for re, im in split(53, mirrored, w)]
    padded = [turn(53, c[j], x[j]) for j in range(n)] + [(0.0, 0.0)] * (size - n)
    spectrum = [turn(53, f[k], y) for k, y in enumerate(split(53, padded, w))]
    back = swap(split(53, swap(spectrum), w))
    return [turn(53, c[k], back[k]) for k in range(n)]


def transform(digits, x):
    """In the digits that computing_digits says; not rounded to fewer."""
    digits = computing_digits(digits, len(x))
    return split(digits, x, roots(digits, len(x))) if is_smooth(len(x)) else bluestein(x)


def forward(digits, x):
    return rounded(digits, transform(digits, x))


def inverse(digits, x):
    n = len(x)
    return [tuple(real(digits, part / n) for part in y) for y in swap(forward(digits, swap(x)))]


def from_real(digits, x):
    """The first n / 2 + 1 elements of the spectrum of the n numbers x."""
    n, half = len(x), len(x) // 2
    if n % 2:
        return forward(digits, [(part, 0.0) for part in x])[: half + 1]
    wide = computing_digits(digits, half)
    z, w = transform(digits, list(zip(x[::2], x[1::2]))), roots(wide, n)
    result = [None] * (half + 1)
    result[0], result[half] = (real(wide, z[0][0] + z[0][1]), 0.0), (real(wide, z[0][0] - z[0][1]), 0.0)
    for k in range(1, half // 2 + 1):
        if 2 * k == half:
            result[k] = conj(z[k])
            continue
        total, u = add(wide, z[k], conj(z[half - k])), turn(wide, w[k], add(wide, z[k], conj(z[half - k]), -1))
        result[k] = (real(wide, total[0] + u[1]) / 2, real(wide, total[1] - u[0]) / 2)
        result[half - k] = (real(wide, total[0] - u[1]) / 2, real(wide, -total[1] - u[0]) / 2)
    return rounded(digits, result)


def to_real(digits, x, n):
    """The n numbers whose spectrum begins with the n / 2 + 1 elements x."""
    half = n // 2
    if n % 2:
        line = [(x[0][0], 0.0)] + x[1:] + [conj(y) for y in x[:0:-1]]
        return [re for re, _ in inverse(digits, line)]
    wide = computing_digits(digits, half)
    w, z = roots(wide, n), [None] * half
    z[0] = real(wide, x[0][0] + x[half][0]), real(wide, x[0][0] - x[half][0])
    for k in range(1, half // 2 + 1):
        if 2 * k == half:
            z[k] = 2 * x[k][0], -2 * x[k][1]
            continue
        total, u = add(wide, x[k], conj(x[half - k])), turn(wide, conj(w[k]), add(wide, x[k], conj(x[half - k]), -1))
        z[k] = real(wide, total[0] - u[1]), real(wide, total[1] + u[0])
        z[half - k] = real(wide, total[0] + u[1]), real(wide, u[0] - total[1])
    values = rounded(digits, swap(transform(digits, swap(z))))
    return [real(digits, part / n) for y in values for part in y]
