"""Generators of reductions, windows, scatters and sorts."""

import numpy as np

import values
from element_types import TYPES
from programs import Parameter, Program
from generator_parts import computation, fold_parameter, generator, identity, indices, ints
from generator_parts import reducer, shape_text, some_dims


@generator("reduce")
def reduce(rng, op, name):
    t = TYPES[name]
    dims = values.shape(rng, 0, 4, 4000)
    dimensions = ints(some_dims(rng, len(dims), least=min(len(dims), 1)))
    fold, text, check = reducer(rng, t)
    if rng.random() < 0.2 and t.kind in ("float", "signed"):
        return arg_reduce(rng, name, dims, dimensions)
    return Program(
        "reduce",
        name,
        [fold_parameter(fold, t, dims), identity(fold, name)],
        f"dimensions={dimensions}, to_apply=fold",
        computations=text,
        check=check,
    )


def arg_reduce(rng, name, dims, dimensions):
    """The largest element and its position: two operands."""
    scalar = f"{name}[]"
    text = computation(
        "fold",
        [scalar, "s32[]", scalar, "s32[]"],
        f"""\
  above = pred[] compare(a0, a2), direction=GT
  same = pred[] compare(a0, a2), direction=EQ
  first = pred[] compare(a1, a3), direction=LT
  earlier = pred[] and(same, first)
  keep = pred[] or(above, earlier)
  value = {scalar} select(keep, a0, a2)
  place = s32[] select(keep, a1, a3)
  ROOT r = ({scalar}, s32[]) tuple(value, place)""",
    )
    body = f"""\
  place = {shape_text('s32', [int(np.prod(dims))])} iota(), iota_dimension=0
  places = {shape_text('s32', dims)} reshape(place)
  none = s32[] constant(2147483647)
  ROOT r = reduce(p0, places, p1, none), dimensions={dimensions}, to_apply=fold"""
    start = identity("maximum", name)
    return Program(
        "reduce",
        name,
        [Parameter(name, dims), start],
        computations=text,
        body=body,
        check="exact",
        styles=("finite", "tame"),
    )


def window_text(rng, dims, dilations=True):
    """(text, number of elements in a window)"""
    rank = len(dims)
    size = [int(rng.integers(1, 4)) for _ in range(rank)]
    parts = {"size": size, "stride": [int(rng.integers(1, 3)) for _ in range(rank)]}
    pads = [(int(rng.integers(0, s)), int(rng.integers(0, s))) for s in size]
    if dilations and rng.random() < 0.4:
        parts["lhs_dilate"] = [int(rng.integers(1, 3)) for _ in range(rank)]
        parts["rhs_dilate"] = [int(rng.integers(1, 3)) for _ in range(rank)]
    texts = {k: "x".join(map(str, v)) for k, v in parts.items()}
    order = ["size", "stride", "pad", "lhs_dilate", "rhs_dilate"]
    texts["pad"] = "x".join(f"{a}_{b}" for a, b in pads)
    return "{" + " ".join(f"{k}={texts[k]}" for k in order if k in texts) + "}", int(np.prod(size))


@generator("reduce-window")
def reduce_window(rng, op, name):
    t = TYPES[name]
    dims = values.shape(rng, 1, 3, 500)
    fold, text, check = reducer(rng, t)
    if rng.random() < 0.25:  # cumulative
        at = int(rng.integers(0, len(dims)))
        n = max(dims[at], 1)
        one = ["1"] * len(dims)
        size = one[:at] + [str(n)] + one[at + 1 :]
        edges = ["0_0"] * len(dims)
        edges[at] = str(rng.choice([f"{n - 1}_0", f"0_{n - 1}"]))
        window = f"{{size={'x'.join(size)} pad={'x'.join(edges)}}}"
    else:
        window, _ = window_text(rng, dims)
    return Program(
        "reduce-window",
        name,
        [fold_parameter(fold, t, dims), identity(fold, name)],
        f"window={window}, to_apply=fold",
        computations=text,
        check=check,
    )


def comparison(t, attributes):
    """Lines that compare a0 and a1; of complex numbers the real parts."""
    if t.kind != "complex":
        return f"  ROOT r = pred[] compare(a0, a1), {attributes}"
    return f"""\
  x = {t.part}[] real(a0)
  y = {t.part}[] real(a1)
  ROOT r = pred[] compare(x, y), {attributes}"""


@generator("select-and-scatter")
def select_and_scatter(rng, op, name):
    t = TYPES[name]
    dims = [int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 4)))]
    size = [int(rng.integers(1, min(n, 3) + 1)) for n in dims]
    stride = [int(rng.integers(1, 4)) for _ in dims]
    source = [(n - s) // d + 1 for n, s, d in zip(dims, size, stride)]
    scalar = f"{name}[]"
    fold, text, check = reducer(rng, t)
    text += computation(
        "pick",
        [scalar, scalar],
        comparison(t, f"direction={rng.choice(['GE', 'LE'])}"),
    )
    window = f"{{size={'x'.join(map(str, size))} stride={'x'.join(map(str, stride))}}}"
    return Program(
        op["name"],
        name,
        [Parameter(name, dims), fold_parameter(fold, t, source), fold_parameter(fold, t, [])],
        f"window={window}, select=pick, scatter=fold",
        computations=text,
        check="scatter sum" if check == "sum" else check,
        styles=("finite", "tame"),
        facts={"terms": int(np.prod(size)) + 1, "added": [1, 2]},
    )


@generator("scatter")
def scatter(rng, op, name):
    """Rows or elements at index vectors; unique or not."""
    t = TYPES[name]
    dims = [int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 4)))]
    rank = len(dims)
    count = int(rng.integers(0, 12))
    indexed = sorted(some_dims(rng, rank, 1))
    inserted = sorted(d for d in indexed if rng.random() < 0.7)
    window = [
        int(rng.integers(1, dims[d] + 1)) if d in indexed else dims[d]
        for d in range(rank)
        if d not in inserted
    ]
    order = rng.permutation(indexed).tolist()
    fold, text, check = reducer(rng, t)
    kind = str(rng.choice(["s32", "s64", "u32"]))
    return Program(
        "scatter",
        name,
        [
            fold_parameter(fold, t, dims),
            indices(kind, [count, len(order)], 0, max(dims) - 1),
            fold_parameter(fold, t, [count, *window]),
        ],
        f"update_window_dims={ints(range(1, 1 + len(window)))}, "
        f"inserted_window_dims={ints(inserted)}, "
        f"scatter_dims_to_operand_dims={ints(order)}, index_vector_dim=1, to_apply=fold",
        computations=text,
        check=check,
    )


@generator("sort")
def sort(rng, op, name):
    t = TYPES[name]
    dims = values.shape(rng, 1, 3)
    payload = [str(rng.choice(["s32", "f32", "u8", name])) for _ in range(int(rng.integers(0, 3)))]
    types = [name, *payload]
    scalars = [f"{x}[]" for x in types for _ in range(2)]
    order = ", type=TOTALORDER" if t.is_float and rng.random() < 0.7 else ""
    text = computation(
        "before",
        scalars,
        comparison(t, f"direction={rng.choice(['LT', 'GT'])}{order}"),
    )
    return Program(
        "sort",
        name,
        [Parameter(x, dims) for x in types],
        f"dimensions={{{int(rng.integers(0, len(dims)))}}}, is_stable=true, to_apply=before",
        computations=text,
        check="exact",
        styles=("finite", "tame") if t.kind == "complex" or t.is_float and not order else (),
    )


@generator("topk")
def topk(rng, op, name):
    dims = values.shape(rng, 1, 2)
    if dims[-1] == 0:
        return None
    return Program(
        "topk",
        name,
        [Parameter(name, dims)],
        f"k={int(rng.integers(1, dims[-1] + 1))}, largest=true",
        check="exact",
        styles=("finite", "tame"),
    )
