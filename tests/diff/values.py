"""Random arrays: plain numbers, wide exponents, near-cancelling pairs, special values.

No subnormals where XLA:CPU flushes them."""

import numpy as np

from element_types import TYPES

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 65)


def sizes(rng, rank, most=2000):
    """Sizes of `rank` dimensions with at most `most` elements."""
    while True:
        dims = [int(rng.choice(SIZES)) for _ in range(rank)]
        if np.prod(dims, dtype=np.int64) <= most:
            return dims


def shape(rng, least_rank=0, most_rank=4, most=2000):
    """A shape of random rank; one in six has a long dimension, few are empty."""
    rank = int(rng.integers(least_rank, most_rank + 1))
    if rank == 1 or (least_rank <= 1 and rng.random() < 0.3):
        return [int(rng.choice([1, 3, 15, 16, 17, 33, 100, 257, 1000, 3000]))]
    dims = sizes(rng, rank, most)
    if 0 in dims and rng.random() < 0.7:
        dims = [max(d, 1) for d in dims]
    return dims


def without_subnormals(array, t):
    if not t.flushes:
        return array
    wide = array.astype(np.float64)
    return np.where((np.abs(wide) < t.min_normal) & (wide != 0), np.zeros((), t.dtype), array)


def _specials(t):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.nan, np.inf, -np.inf]
    values += [t.max_value, -t.max_value, t.min_normal, -t.min_normal]
    values += [1.0 + 2.0 * t.unit_roundoff, 1.0 - t.unit_roundoff, 1.5, 2.5, -0.5, 100.0, -88.0]
    return np.array(values)


def _real(rng, t, dims, style):
    count = int(np.prod(dims, dtype=np.int64))
    if t.kind == "tiny float":
        bits = rng.integers(0, 1 << t.bits, count, dtype=np.uint8)
        array = bits.view(t.memory)
        if style in ("finite", "tame"):
            array = np.where(np.isfinite(array.astype(np.float32)), array, np.ones((), t.dtype))
        return array.reshape(dims)
    plain = rng.standard_normal(count) * 2.0 ** rng.integers(-3, 4)
    if style == "tame":
        return without_subnormals(plain.astype(t.memory), t).reshape(dims)
    top = int(np.log2(t.max_value))
    wide = (
        np.sign(plain)
        * rng.uniform(1, 2, count)
        * 2.0 ** rng.integers(t.min_exponent, top, count).astype(np.float64)
    )
    middle = np.sign(plain) * 2.0 ** rng.uniform(-12, 12, count)
    small = rng.integers(-10, 11, count).astype(np.float64)
    pairs = np.resize([1.0, -1.0 - 4 * t.unit_roundoff], count) * np.repeat(plain, 2)[:count]
    special = rng.choice(_specials(t), count)
    choices = [plain, middle, small, pairs]
    weights = [0.4, 0.25, 0.15, 0.2]
    if style != "finite":
        choices += [wide, special]
        weights = [0.2, 0.2, 0.1, 0.1, 0.2, 0.2]
    pick = rng.choice(len(choices), count, p=weights)
    with np.errstate(over="ignore"):
        array = np.choose(pick, choices).astype(t.memory)
    return without_subnormals(array, t).reshape(dims)


def _integers(rng, t, dims, style):
    count = int(np.prod(dims, dtype=np.int64))
    raw = rng.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + rng.integers(
        0, 2, count, dtype=np.uint64
    )
    small = rng.integers(-9, 10, count)
    low = -(1 << (t.bits - 1)) if t.kind == "signed" else 0
    high = (1 << (t.bits - (t.kind == "signed"))) - 1
    edges = rng.choice(
        np.array([low, low + 1, high, high - 1, 0, 1, high // 2], dtype=object), count
    )
    values = []
    for a, b, c, pick in zip(raw.tolist(), small.tolist(), edges.tolist(), rng.random(count)):
        x = b if style == "tame" or pick < 0.4 else a if pick < 0.75 else c
        x &= (1 << t.bits) - 1
        values.append(x - (1 << t.bits) if x > high else x)
    if t.bits == 64:
        return np.array(values, dtype=t.memory).reshape(dims)
    return np.array(values, dtype=np.int64).astype(t.memory).reshape(dims)


def draw(rng, name, dims, style="any"):
    """Elements of a type. Styles: any; finite: no NaN, infinity or extreme; tame: also moderate."""
    t = TYPES[name]
    dims = tuple(dims)
    if t.kind == "pred":
        return rng.integers(0, 2, dims).astype(np.bool_)
    if t.is_integer:
        return _integers(rng, t, dims, style)
    if t.kind == "complex":
        part = TYPES[t.part]
        array = np.empty(dims, t.memory)
        array.real = _real(rng, part, dims, style)
        array.imag = _real(rng, part, dims, style)
        return array
    return _real(rng, t, dims, style)


def styles(rng):
    """The style of a whole argument list: half of the draws are free of NaN and infinity."""
    return str(rng.choice(["any", "finite", "finite", "tame"]))
