"""What the generators of structural ops share: texts, indices, reducers and their identities.

A generator takes (rng, op, type name) and returns a Program, or None if it has none for the type.
"""

import numpy as np

from element_types import TYPES
from programs import Parameter

GENERATORS = {}


def generator(*names):
    def register(function):
        for name in names:
            GENERATORS[name] = function
        return function

    return register


def ints(list_of):
    return "{" + ",".join(str(int(x)) for x in list_of) + "}"


def shape_text(name, dims):
    return f"{name}[{','.join(map(str, dims))}]"


def some_dims(rng, rank, least=0):
    count = int(rng.integers(least, rank + 1))
    return rng.permutation(rank)[:count].tolist()


def index_type(rng, longest):
    """Of start indices. XLA clamps in this type, where the bound must fit: else it writes anywhere."""
    narrow = ["s8", "u8"] if longest <= 127 else []
    return str(rng.choice(["s32", "s32", "s64", "u32", "u64", *narrow]))


def indices(name, dims, low, high):
    """Draws mostly inside [low, high], sometimes out of range. u64 stays below 2^63."""
    t = TYPES[name]

    def draw(rng, style):
        array = rng.integers(low, max(high, low) + 1, dims)
        wild = rng.random(dims) < 0.2
        array = np.where(wild, array + rng.integers(-12, 13, dims), array)
        floor = 0 if t.kind == "unsigned" else -(1 << min(t.bits - 1, 62))
        return np.clip(array, floor, (1 << min(t.bits - 1, 62)) - 1).astype(t.memory)

    return Parameter(name, dims, draw)


def computation(name, parameters, root):
    """Text of a computation; `parameters` are shapes, `root` the lines after them."""
    lines = [f"  a{i} = {shape} parameter({i})" for i, shape in enumerate(parameters)]
    return f"{name} {{\n" + "\n".join(lines) + f"\n{root}\n}}\n\n"


def reducer(rng, t, sums=True):
    """(name of the op, computation text, style restriction, check)."""
    scalar = f"{t.name}[]"
    if t.kind == "pred":
        choices = ["and", "or"]
    elif t.kind == "complex":
        choices = ["add", "multiply"]
    elif t.is_integer:
        choices = ["add", "multiply", "maximum", "minimum", "and", "or"]
    elif t.name == "f8e8m0fnu":
        choices = ["maximum", "minimum"]
    else:
        choices = ["add", "add", "multiply", "maximum", "minimum"]
    if not sums:
        choices = [c for c in choices if c not in ("add", "multiply") or t.is_integer] or ["add"]
    op = str(rng.choice(choices))
    text = computation("fold", [scalar, scalar], f"  ROOT r = {scalar} {op}(a0, a1)")
    inexact = op in ("add", "multiply") and (t.is_float or t.kind == "complex")
    return op, text, "sum" if inexact else "exact"


def near_one(name, dims):
    """For products: magnitudes near 1, so that many of them stay in range."""
    t = TYPES[name]

    def draw(rng, style):
        array = np.exp2(rng.uniform(-0.25, 0.25, dims)) * rng.choice([-1.0, 1.0], dims)
        if t.kind == "complex":
            array = array + 0.1j * rng.standard_normal(dims)
        return array.astype(t.memory)

    return Parameter(name, dims, draw)


def fold_parameter(op, t, dims):
    if op == "multiply" and (t.is_float or t.kind == "complex"):
        return near_one(t.name, dims)
    return Parameter(t.name, dims)


def lowest(t):
    """The identity of maximum, as a number that numpy converts to the type."""
    if t.kind == "pred":
        return False
    if t.is_integer:
        return -(1 << (t.bits - 1)) if t.kind == "signed" else 0
    return -np.inf if np.isinf(np.array(-np.inf).astype(t.memory)) else -t.max_value


def highest(t):
    if t.kind == "pred":
        return True
    if t.is_integer:
        return (1 << (t.bits - (t.kind == "signed"))) - 1
    return np.inf if np.isinf(np.array(np.inf).astype(t.memory)) else t.max_value


def identity(op, name):
    """The only init_value that XLA promises anything about: it uses it for every lane of a vector, and
    not at all for one element. Axle uses every one exactly once; its case table shows others."""
    t = TYPES[name]
    if op == "and":
        value = True if t.kind == "pred" else -1 if t.kind == "signed" else highest(t)
    elif op in ("maximum", "minimum"):
        value = lowest(t) if op == "maximum" else highest(t)
    else:
        value = int(op == "multiply")
    return Parameter(name, [], lambda rng, style: np.array(value).astype(t.memory))
