"""Generators of ops that StableHLO or XLA:CPU lack, beside a program for XLA that means the same."""

import numpy as np

import values
from element_types import TYPES
from programs import Parameter, Program
from generator_parts import computation, fold_parameter, generator, ints, reducer, shape_text
from control import exact_op


@generator("async-start", "async-update", "async-done")
def asynchronous(rng, op, name):
    array = shape_text(name, values.shape(rng, 0, 3))
    dims = [int(d) for d in array.split("[")[1][:-1].split(",") if d]
    text = computation(
        "callee", [array, array], f"  ROOT r = {array} {exact_op(TYPES[name])}(a1, a0)"
    )
    shape = f"(({array}, {array}), {array}{rng.choice([', u32[]', ''])})"
    lines = [f"  s0 = {shape} async-start(p0, p1), calls=callee"]
    updates = int(rng.integers(0, 3)) + (op["name"] == "async-update")
    lines += [f"  s{i + 1} = {shape} async-update(s{i})" for i in range(updates)]
    return Program(
        op["name"],
        name,
        [Parameter(name, dims)] * 2,
        computations=text,
        check="exact",
        body="\n".join(lines) + f"\n  ROOT r = {array} async-done(s{updates})",
        xla_body=f"  ROOT r = {array} call(p0, p1), to_apply=callee",
    )


def begun_and_done(op, name, dims, started, done, attributes, parameter=None, text=""):
    """An op in two halves, of which the first has a shape like `started`, and the same in one."""
    array = shape_text(name, dims)
    plain = op["name"].rsplit("-", 1)[0]
    return Program(
        op["name"],
        name,
        [parameter or Parameter(name, dims)],
        computations=text,
        check="exact",
        body=f"  s = {started.format(array)} {plain}-start(p0){attributes}\n"
        f"  ROOT r = {array} {done or plain + '-done'}(s)",
        xla_body=f"  ROOT r = {array} {plain}(p0){attributes}",
    )


@generator("all-gather-start", "all-gather-done")
def all_gather(rng, op, name):
    dims = values.shape(rng, 1, 3)
    at = int(rng.integers(0, len(dims)))
    attributes = f", replica_groups={{{{0}}}}, dimensions={{{at}}}"
    return begun_and_done(op, name, dims, "({0}, {0})", "", attributes)


@generator("all-reduce-start", "all-reduce-done")
def all_reduce(rng, op, name):
    dims = values.shape(rng, 1, 3)
    fold, text, _ = reducer(rng, TYPES[name])
    parameter = fold_parameter(fold, TYPES[name], dims)
    attributes = ", replica_groups={{0}}, to_apply=fold"
    return begun_and_done(op, name, dims, "{0}", "", attributes, parameter, text)


@generator("collective-permute-start", "collective-permute-done")
def collective_permute(rng, op, name):
    dims = values.shape(rng)
    attributes = f", source_target_pairs={rng.choice(['{{0,0}}', '{}'])}"
    return begun_and_done(op, name, dims, "({0}, {0}, u32[], u32[])", "", attributes)


@generator("copy-start", "copy-done")
def copy(rng, op, name):
    return begun_and_done(op, name, values.shape(rng), "({0}, {0}, u32[])", "", "")


@generator("add-dependency", "after-all", "domain", "collective-broadcast")
def identity(rng, op, name):
    dims = values.shape(rng)
    array = shape_text(name, dims)
    body = {
        "domain": f'  ROOT r = {array} domain(p0), domain={{kind="sharding", entry={{maximal '
        "device=0}, exit={replicated}}",
        "collective-broadcast": f"  ROOT r = {array} collective-broadcast(p0), "
        "replica_groups={{0}}",
    }.get(
        op["name"],
        f"  t = token[] after-all()\n  u = token[] after-all(t, t)\n"
        f"  ROOT r = {array} add-dependency(p0, u)",
    )
    return Program(
        op["name"],
        name,
        [Parameter(name, dims)],
        check="exact",
        body=body,
        xla_body=f"  ROOT r = {array} copy(p0)",
    )


@generator("bitcast")
def bitcast(rng, op, name):
    """To another shape, or to another type of the same width."""
    t = TYPES[name]
    dims = values.shape(rng, 1, 3)
    other = name
    if t.kind not in ("pred", "complex") and t.bits >= 8 and rng.random() < 0.5:
        same = [u.name for u in TYPES.values() if u.bits == t.bits]
        other = str(rng.choice([u for u in same if TYPES[u].kind not in ("pred", "complex")]))
    target = shape_text(other, dims if other != name else [int(np.prod(dims))])
    return Program(
        "bitcast",
        name,
        [Parameter(name, dims)],
        check="bits",
        body=f"  ROOT r = {target} bitcast(p0)",
        xla_body=f"  ROOT r = {target} {'reshape' if other == name else 'bitcast-convert'}(p0)",
    )


@generator("mulhi")
def mulhi(rng, op, name):
    """Up to 32 bits; twice 64 is wider than XLA's types."""
    t = TYPES[name]
    if t.is_integer and t.bits == 64:
        return None
    dims = values.shape(rng)
    wide = shape_text("u64" if t.kind == "unsigned" else "s64", dims)
    shift = "logical" if t.kind == "unsigned" else "arithmetic"
    return Program(
        "mulhi",
        name,
        [Parameter(name, dims)] * 2,
        check="exact",
        xla_body=f"""\
  x = {wide} convert(p0)
  y = {wide} convert(p1)
  z = {wide} multiply(x, y)
  b = {wide.split('[')[0]}[] constant({t.bits})
  n = {wide} broadcast(b), dimensions={{}}
  h = {wide} shift-right-{shift}(z, n)
  ROOT r = {shape_text(name, dims)} convert(h)""",
    )


def masked_groups(name, dims, at, groups):
    """Lines that give lhs_i: p0 where dimension `at` belongs to group i of p2, and zeros elsewhere."""
    array, places = shape_text(name, dims), shape_text("s32", dims)
    mask = shape_text("pred", dims)
    zero = {"pred": "false", "complex": "(0, 0)"}.get(TYPES[name].kind, "0")
    lines = [
        f"  place = {places} iota(), iota_dimension={at}",
        f"  zero = {name}[] constant({zero})",
        f"  zeros = {array} broadcast(zero), dimensions={{}}",
        "  end_0 = s32[] constant(0)",
    ]
    for i in range(groups):
        lines += [
            f"  size_{i} = s32[1] slice(p2), slice={{[{i}:{i + 1}]}}",
            f"  scalar_{i} = s32[] reshape(size_{i})",
            f"  end_{i + 1} = s32[] add(end_{i}, scalar_{i})",
            f"  low_{i} = {places} broadcast(end_{i}), dimensions={{}}",
            f"  high_{i} = {places} broadcast(end_{i + 1}), dimensions={{}}",
            f"  from_{i} = {mask} compare(place, low_{i}), direction=GE",
            f"  to_{i} = {mask} compare(place, high_{i}), direction=LT",
            f"  here_{i} = {mask} and(from_{i}, to_{i})",
            f"  lhs_{i} = {array} select(here_{i}, p0, zeros)",
        ]
    return lines


@generator("ragged-dot")
def ragged_dot(rng, op, name):
    if name == "f8e8m0fnu":  # has no zero for what is outside of a group
        return None
    m, k, n, g = (int(rng.integers(1, 9)) for _ in range(4))
    contracting = bool(rng.random() < 0.4)
    grouped = k if contracting else m

    def sizes(rng, style):
        cuts = np.sort(rng.integers(0, grouped + 1, g))
        return np.diff(cuts, prepend=0).astype(np.int32)

    lines = masked_groups(name, [m, k], int(contracting), g)
    one = shape_text(name, [m, n])
    for i in range(g):
        if contracting:
            lines += [
                f"  dot_{i} = {one} dot(lhs_{i}, p1), lhs_contracting_dims={{1}}, "
                "rhs_contracting_dims={0}",
                f"  part_{i} = {shape_text(name, [1, m, n])} reshape(dot_{i})",
            ]
        else:
            lines += [
                f"  matrix_{i} = {name}[1,{k},{n}] slice(p1), "
                f"slice={{[{i}:{i + 1}], [0:{k}], [0:{n}]}}",
                f"  rhs_{i} = {name}[{k},{n}] reshape(matrix_{i})",
                f"  dot_{i} = {one} dot(lhs_{i}, rhs_{i}), lhs_contracting_dims={{1}}, "
                "rhs_contracting_dims={0}",
                f"  sum_{i} = {one} " + (f"add(sum_{i - 1}, dot_{i})" if i else "copy(dot_0)"),
            ]
    if contracting:
        parts = ", ".join(f"part_{i}" for i in range(g))
        lines.append(f"  ROOT r = {name}[{g},{m},{n}] concatenate({parts}), dimensions={{0}}")
    else:
        lines.append(f"  ROOT r = {one} copy(sum_{g - 1})")
    return Program(
        "ragged-dot",
        name,
        [
            Parameter(name, [m, k]),
            Parameter(name, [k, n] if contracting else [g, k, n]),
            Parameter("s32", [g], sizes),
        ],
        (
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}"
            if contracting
            else "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
            "rhs_group_dims={0}"
        ),
        check="product sum",
        styles=("finite", "tame"),
        xla_body="\n".join(lines),
    )


def scaled(lines, i, name, dims, blocks, scale, result):
    """Appends lines that give f_i: operand p_i times its scale p_(i + 2), in the result's type."""
    counts = [d // b for d, b in zip(dims, blocks)]
    spread = [x for pair in zip(counts, blocks) for x in pair]
    array = shape_text(result, dims)
    kept = ints(range(0, 2 * len(dims), 2))
    lines += [
        f"  x_{i} = {array} convert(p{i})",
        f"  s_{i} = {shape_text(result, counts)} convert(p{i + 2})",
        f"  b_{i} = {shape_text(result, spread)} broadcast(s_{i}), dimensions={kept}",
        f"  c_{i} = {array} reshape(b_{i})",
        f"  f_{i} = {array} multiply(x_{i}, c_{i})",
    ]
    return Parameter(scale, counts)


@generator("scaled-dot")
def scaled_dot(rng, op, name):
    t = TYPES[name]
    blocks = [int(b) for b in rng.integers(1, 4, 3)]
    m, k, n = (b * int(rng.integers(1, 5)) for b in blocks)
    result = name if t.kind == "float" else "f32"
    scale = str(rng.choice([name, "f32"]))
    lines = []
    scales = [
        scaled(lines, 0, name, [m, k], blocks[:2], scale, result),
        scaled(lines, 1, name, [k, n], blocks[1:], scale, result),
    ]
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    shape = shape_text(result, [m, n])
    return Program(
        "scaled-dot",
        name,
        [Parameter(name, [m, k]), Parameter(name, [k, n]), *scales],
        dims,
        shape,
        check="product sum",
        styles=("tame",),
        xla_body="\n".join(lines) + f"\n  ROOT r = {shape} dot(f_0, f_1), {dims}",
    )


@generator("ragged-all-to-all")
def ragged_all_to_all(rng, op, name):
    """One device: rows of the input into rows of the output."""
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    row = [int(d) for d in rng.integers(1, 4, int(rng.integers(0, 3)))]
    count = int(rng.integers(0, min(n, m) + 1))
    start, to = int(rng.integers(0, n - count + 1)), int(rng.integers(0, m - count + 1))

    def one(value):
        return Parameter("s32", [1], lambda rng, style: np.array([value], np.int32))

    shape, rows = shape_text(name, [m, *row]), f"s32[{m}]"
    return Program(
        op["name"],
        name,
        [Parameter(name, [n, *row]), Parameter(name, [m, *row])]
        + [one(x) for x in (start, count, to, count)],
        "replica_groups={{0}}",
        check="exact",
        xla_body=f"""\
  i = {rows} iota(), iota_dimension=0
  from = s32[] reshape(p2)
  size = s32[] reshape(p3)
  to = s32[] reshape(p4)
  tos = {rows} broadcast(to), dimensions={{}}
  froms = {rows} broadcast(from), dimensions={{}}
  sizes = {rows} broadcast(size), dimensions={{}}
  zero = s32[] constant(0)
  zeros = {rows} broadcast(zero), dimensions={{}}
  j = {rows} subtract(i, tos)
  source = {rows} add(j, froms)
  g = {shape} gather(p0, source), offset_dims={ints(range(1, 1 + len(row)))}, \
collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, \
slice_sizes={ints([1, *row])}
  a = pred[{m}] compare(j, zeros), direction=GE
  b = pred[{m}] compare(j, sizes), direction=LT
  c = pred[{m}] and(a, b)
  d = {shape_text('pred', [m, *row])} broadcast(c), dimensions={{0}}
  ROOT r = {shape} select(d, g, p1)""",
    )
