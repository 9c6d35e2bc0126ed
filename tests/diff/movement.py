"""Generators of ops that move elements."""

import values
from element_types import TYPES
from programs import Parameter, Program
from generator_parts import generator, indices, index_type, ints, shape_text, some_dims


@generator("broadcast")
def broadcast(rng, op, name):
    dims = values.shape(rng, 0, 3, 300)
    result, dimensions = list(dims), list(range(len(dims)))
    for _ in range(int(rng.integers(0, 3))):
        at = int(rng.integers(0, len(result) + 1))
        result.insert(at, int(rng.choice([0, 1, 2, 3, 5])))
        dimensions = [d + (d >= at) for d in dimensions]
    order = rng.permutation(len(dims))
    return Program(
        "broadcast",
        name,
        [Parameter(name, [dims[i] for i in order])],
        f"dimensions={ints(dimensions[i] for i in order)}",
        shape_text(name, result),
    )


@generator("reshape")
def reshape(rng, op, name):
    factors = [int(rng.choice([1, 2, 2, 3, 5, 7])) for _ in range(int(rng.integers(0, 6)))]
    if rng.random() < 0.1:
        factors.append(0)

    def grouped():
        dims = []
        for f in rng.permutation(factors).tolist():
            if dims and rng.random() < 0.5:
                dims[-1] *= f
            else:
                dims.append(f)
        return [int(d) for d in dims]

    return Program(
        "reshape", name, [Parameter(name, grouped())], result=shape_text(name, grouped())
    )


@generator("transpose")
def transpose(rng, op, name):
    dims = values.shape(rng, 0, 5)
    return Program(
        "transpose", name, [Parameter(name, dims)], f"dimensions={ints(rng.permutation(len(dims)))}"
    )


@generator("reverse")
def reverse(rng, op, name):
    dims = values.shape(rng)
    return Program(
        "reverse", name, [Parameter(name, dims)], f"dimensions={ints(some_dims(rng, len(dims)))}"
    )


@generator("slice")
def slice_(rng, op, name):
    dims = values.shape(rng)
    parts = []
    for n in dims:
        start = int(rng.integers(0, n + 1))
        limit = int(rng.integers(start, n + 1))
        parts.append(f"[{start}:{limit}:{int(rng.choice([1, 1, 2, 3, 7]))}]")
    return Program("slice", name, [Parameter(name, dims)], f"slice={{{', '.join(parts)}}}")


@generator("pad")
def pad(rng, op, name):
    dims = values.shape(rng, 1, 3, 300)
    parts = []
    for n in dims:
        interior = int(rng.choice([0, 0, 1, 2]))
        spread = n + max(n - 1, 0) * interior
        low = int(rng.integers(-min(spread, 3), 4))
        high = int(rng.integers(-min(max(spread + low, 0), 3), 4))
        parts.append(f"{low}_{high}_{interior}")
    return Program(
        "pad", name, [Parameter(name, dims), Parameter(name, [])], f"padding={'x'.join(parts)}"
    )


@generator("concatenate")
def concatenate(rng, op, name):
    dims = values.shape(rng, 1, 4, 400)
    at = int(rng.integers(0, len(dims)))
    operands = []
    for _ in range(int(rng.integers(1, 5))):
        sizes = list(dims)
        sizes[at] = int(rng.choice([0, 1, 2, 3, 5]))
        operands.append(Parameter(name, sizes))
    return Program("concatenate", name, operands, f"dimensions={{{at}}}")


@generator("dynamic-slice", "dynamic-update-slice")
def dynamic_slice(rng, op, name):
    dims = values.shape(rng, 1, 3)
    sizes = [int(rng.integers(0, n + 1)) for n in dims]
    kind = index_type(rng, max(dims))
    starts = [indices(kind, [], 0, n - s) for n, s in zip(dims, sizes)]
    if op["name"] == "dynamic-slice":
        return Program(
            "dynamic-slice",
            name,
            [Parameter(name, dims), *starts],
            f"dynamic_slice_sizes={ints(sizes)}",
        )
    return Program(op["name"], name, [Parameter(name, dims), Parameter(name, sizes), *starts])


@generator("iota")
def iota(rng, op, name):
    dims = values.shape(rng, 1, 4)
    return Program(
        "iota",
        name,
        [],
        f"iota_dimension={int(rng.integers(0, len(dims)))}",
        shape_text(name, dims),
    )


@generator("bitcast-convert")
def bitcast_convert(rng, op, name):
    t = TYPES[name]
    if t.kind == "pred":  # one bit in StableHLO, eight in HLO
        return None
    other = TYPES[
        str(
            rng.choice(
                [
                    u.name
                    for u in TYPES.values()
                    if u.kind != "pred" and max(u.bits, t.bits) % min(u.bits, t.bits) == 0
                ]
            )
        )
    ]
    dims = values.shape(rng, 0, 3, 300)
    ratio = max(t.bits, other.bits) // min(t.bits, other.bits)
    more = dims + [ratio] if ratio > 1 else dims
    source, target = (dims, more) if t.bits >= other.bits else (more, dims)
    return Program(
        "bitcast-convert",
        name,
        [Parameter(name, source)],
        result=shape_text(other.name, target),
        check="bits",
    )


@generator("reduce-precision")
def reduce_precision(rng, op, name):
    return Program(
        op["name"],
        name,
        [Parameter(name, values.shape(rng))],
        f"exponent_bits={int(rng.integers(1, 12))}, mantissa_bits={int(rng.integers(0, 53))}",
    )


@generator("get-dimension-size")
def get_dimension_size(rng, op, name):
    dims = values.shape(rng, 1, 4)
    return Program(
        op["name"], name, [Parameter(name, dims)], f"dimensions={{{rng.integers(0, len(dims))}}}"
    )


@generator("gather")
def gather(rng, op, name):
    dims = [int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 4)))]
    rank = len(dims)
    indexed = rng.permutation(sorted(some_dims(rng, rank, 1))).tolist()
    slices = [int(rng.integers(1, n + 1)) for n in dims]
    collapsed = sorted(d for d in range(rank) if rng.random() < 0.4)
    for d in collapsed:
        slices[d] = 1
    batch = [int(rng.integers(0, 6)) for _ in range(int(rng.integers(0, 3)))]
    offsets = rank - len(collapsed)
    offset_dims = sorted(rng.permutation(offsets + len(batch))[:offsets].tolist())
    vector_dim = int(rng.integers(0, len(batch) + 1))
    starts = batch[:vector_dim] + [len(indexed)] + batch[vector_dim:]
    return Program(
        "gather",
        name,
        [Parameter(name, dims), indices(index_type(rng, max(dims)), starts, 0, max(dims) - 1)],
        f"offset_dims={ints(offset_dims)}, collapsed_slice_dims={ints(collapsed)}, "
        f"start_index_map={ints(indexed)}, index_vector_dim={vector_dim}, "
        f"slice_sizes={ints(slices)}",
    )
