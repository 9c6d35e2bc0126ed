"""The canonical orders of docs/numerics.md, written a second time and as plainly as possible.

Shares nothing with the library. Values are Python floats; complex values are pairs of them.
"""
import functools
import math
import struct


def integer(x):
    """x as (n, e): n * 2^e."""
    mantissa, exponent = math.frexp(x)
    return int(mantissa * 2.0**53), exponent - 53


def rounded(n, e, digits, lowest):
    """The float of `digits` bits, exponents from `lowest` up, nearest to n * 2^e; ties to even."""
    unit = max(abs(n).bit_length() + e - 1, lowest) - digits + 1
    whole, rest = divmod(abs(n) << max(e - unit, 0), 1 << max(unit - e, 0))
    twice = 2 * rest
    whole += twice > 1 << max(unit - e, 0) or (twice == 1 << max(unit - e, 0) and whole & 1)
    overflows = whole.bit_length() + unit > {24: 128, 53: 1024}[digits]
    return math.copysign(math.inf if overflows else math.ldexp(whole, unit), n)


def fma(a, b, c, digits=24, tile=False):
    """a * b + c, rounded once; with `tile`, in the arithmetic of the tile order."""
    if tile:
        a, b, c = (math.copysign(0.0, x) if abs(x) < 2.0**-126 else x for x in (a, b, c))
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    (a_n, a_e), (b_n, b_e), (c_n, c_e) = integer(a), integer(b), integer(c)
    e = min(a_e + b_e, c_e)
    n = (a_n * b_n << a_e + b_e - e) + (c_n << c_e - e)
    if n == 0:
        is_negative = math.copysign(1, a) * math.copysign(1, b) < 0 and math.copysign(1, c) < 0
        return -0.0 if is_negative and c == 0 else 0.0
    value = rounded(n, e, digits, -(10**6) if tile else {24: -126, 53: -1022}[digits])
    return math.copysign(0.0, value) if tile and abs(value) < 2.0**-126 else value


def f32(x):
    """The nearest f32. A sum or product of two f32 in double loses nothing that would show here."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def add(digits):
    return (lambda a, b: f32(a + b)) if digits == 24 else (lambda a, b: a + b)


def canonical(elements, columns, element_bytes, take, join, start):
    """A long sum. take(acc, x) brings an element into its lane, join(a, b) puts sums together."""
    count = len(elements)
    lanes = 1 if columns >= 16 or count < 16 else 16 if count < 512 else {8: 32, 16: 16}.get(element_bytes, 64)
    chunks = []
    for begin in range(0, count, 4096):
        acc = [start] * lanes
        for r, x in enumerate(elements[begin : begin + 4096]):
            acc[r % lanes] = x if acc[r % lanes] is None else take(acc[r % lanes], x)
        while len(acc) > 1:
            half = len(acc) // 2
            acc = [join(a, b) if a is not None and b is not None else a for a, b in zip(acc[:half], acc[half:])]
        chunks.append(acc[0])
    return tree(chunks, join)


def tree(chunks, join):
    """None stands for a chunk without elements, which is left out."""
    if len(chunks) == 1:
        return chunks[0]
    half = 1 << (len(chunks) - 1).bit_length() - 1
    return either(tree(chunks[:half], join), tree(chunks[half:], join), join)


def prefix(elements, join, init=None):
    """All prefix sums: a chain in each block of 16, and the prefix sums of the blocks before it."""
    chains = []
    for begin in range(0, len(elements), 16):
        acc = init if begin == 0 else None
        for x in elements[begin : begin + 16]:
            acc = x if acc is None else join(acc, x)
            chains.append(acc)
    totals = chains[15::16]
    before = prefix(totals, join) if totals else []
    return [y if i < 16 else join(before[i // 16 - 1], y) for i, y in enumerate(chains)]


def window_sum(elements, join, init=None):
    """Of the elements at the positions of a window, None where there is none; None if that is all."""
    count = len(elements)
    if count <= 512:
        return functools.reduce(lambda acc, x: either(acc, x, join), elements, init)
    groups = []
    for group in range(0, count, 256):
        total = None
        for begin in range(group, min(group + 256, count), 16):
            first = init if begin == 0 else None
            part = functools.reduce(lambda acc, x: either(acc, x, join), elements[begin : begin + 16], first)
            total = either(total, part, join)
        groups.append(total)
    return tree(groups, lambda a, b: either(a, b, join))


def either(a, b, join):
    return b if a is None else a if b is None else join(a, b)


def even(total, most, unit):
    """The size of equal parts of at most `most`, a multiple of `unit`."""
    count = max(1, math.ceil(total / most))
    return max(unit, math.ceil(math.ceil(total / count) / unit) * unit)


def part_size(total, most, unit):
    """How many of `total` elements of a product are a part: at most `most`, if there are more than 512."""
    return even(total, 512 if total <= 512 else most, unit)


def part_positions(positions, size, most):
    """How many positions of `size` elements, at most 512, are a part."""
    return even(positions, max(1, (512 if positions * size <= 512 else most) // size), 1)


def split(elements, size):
    return [elements[i : i + size] for i in range(0, len(elements), size)]


def in_parts(parts, take, join, start):
    """A product in chain order: `parts` are lists of elements, some of them empty."""
    sums = []
    for part in parts:
        acc = start
        for x in part:
            acc = take(acc, x)
        sums.append(acc if part else None)
    groups = []
    for group in split(sums, 64):
        acc = None
        for part in group:
            acc = either(acc, part, join)
        groups.append(acc)
    total = tree(groups, join) if groups else None
    return start if total is None else total


def in_tiles(parts):
    """In tile order: `parts` are lists of runs (a, b)."""
    groups = []
    for group in split(parts, 8):
        runs = [run for part in group for run in part]
        acc = 0.0
        for a, b in runs:
            acc = tiled(a, b, acc)
        groups.append(acc if runs else None)
    total = tree(groups, lambda x, y: fma(1.0, x, y, tile=True)) if groups else None
    return 0.0 if total is None else total


def dot_parts(a, b):
    return split(list(zip(a, b)), part_size(len(a), 256, 4))


def dot_tiles(a, b):
    size = part_size(len(a), 512, 32)
    return [[run] for run in zip(split(a, size), split(b, size))]


def product(parts, digits):
    return in_parts(parts, lambda acc, x: fma(x[0], x[1], acc, digits), add(digits), 0.0)


def complex_product(parts, digits):
    join = lambda x, y: tuple(map(add(digits), x, y))
    return in_parts(parts, lambda acc, x: complex_fma(x[0], x[1], acc, digits), join, (0.0, 0.0))
def chain(a, b, digits=24, acc=0.0):
    for x, y in zip(a, b):
        acc = fma(x, y, acc, digits)
    return acc


def complex_fma(a, b, acc, digits):
    re = fma(-a[1], b[1], fma(a[0], b[0], acc[0], digits), digits)
    return re, fma(a[1], b[0], fma(a[0], b[1], acc[1], digits), digits)


def tiled(a, b, acc=0.0):
    """Blocks of 32, in two chains each."""
    for begin in range(0, len(a), 32):
        part = [list(x[begin : begin + 32]) for x in (a, b)]
        part = [x + [0.0] * (32 - len(x)) for x in part]
        even = odd = 0.0
        for k in range(0, 32, 2):
            even = fma(part[0][k], part[1][k], even, tile=True)
            odd = fma(part[0][k + 1], part[1][k + 1], odd, tile=True)
        acc = fma(1.0, acc, fma(1.0, even, odd, tile=True), tile=True)
    return acc
