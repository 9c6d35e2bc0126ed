"""Compares `axle batch` with canonical_reference.py, bit for bit, on random arrays.

Run by ctest with AXLE_TOOL in the environment, in parts; python3 tests/numerics/canonical_test.py [SEED [PART/PARTS]].
"""
import ast
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(__file__))
import canonical_reference as ref
import linear_reference as linear

# name: (npy type, struct code, digits of the sums, bytes of an element)
TYPES = {
    "f32": ("<f4", "f", 24, 4),
    "f64": ("<f8", "d", 53, 8),
    "c64": ("<c8", "2f", 24, 8),
    "c128": ("<c16", "2d", 53, 16),
    "bf16": ("<u2", "H", 24, 2),
    "f16": ("<f2", "e", 24, 2),
}
rng = random.Random()


def product(sizes):
    return math.prod(sizes)


def to_bf16(x):
    """The bits of the nearest bf16 of an f32."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return 0x7FC0 if x != x else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def bf16(x):
    return struct.unpack("<f", struct.pack("<I", to_bf16(x) << 16))[0]


def f16(x):
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def narrow(kind, x):
    return {"bf16": bf16, "f16": f16}.get(kind, lambda y: y)(x)


def random_value(kind, spread):
    """Random mantissas, exponents within `spread`, now and then a zero."""
    x = 0.0 if rng.random() < 0.05 else rng.uniform(1, 2) * 2.0 ** rng.uniform(*spread)
    x = math.copysign(x, rng.random() - 0.5)
    return x if kind in ("f64", "c128") else narrow(kind, ref.f32(x))


def random_array(kind, sizes, spread=(-8, 8)):
    count = product(sizes)
    if kind in ("c64", "c128"):
        return [(random_value(kind, spread), random_value(kind, spread)) for _ in range(count)]
    return [random_value(kind, spread) for _ in range(count)]


def npy(kind, sizes, values):
    descr, code, _, _ = TYPES[kind]
    shape = "(" + "".join(f"{n}, " for n in sizes) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    if kind == "bf16":
        values = [to_bf16(x) for x in values]
    flat = itertools.chain(*values) if kind in ("c64", "c128") else values
    flat = list(flat)
    data = struct.pack(f"<{len(flat)}{code[-1]}", *flat)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def read_npy(kind, data):
    size = struct.unpack("<H", data[8:10])[0]
    ast.literal_eval(data[10 : 10 + size].decode())
    body = data[10 + size :]
    code = TYPES[kind][1][-1]
    values = [x for (x,) in struct.iter_unpack("<" + code, body)]
    if kind == "bf16":
        return [struct.unpack("<f", struct.pack("<I", x << 16))[0] for x in values]
    return list(zip(values[::2], values[1::2])) if kind in ("c64", "c128") else values


class Case:
    """One module: HLO text, inputs as (kind, sizes, values), outputs as (kind, values)."""

    def __init__(self, name, hlo, inputs, outputs):
        self.name, self.hlo, self.inputs, self.outputs = name, hlo, inputs, outputs


def shape(kind, sizes):
    return f"{kind}[{','.join(map(str, sizes))}]"


def parameters(inputs):
    return "".join(f"  p{i} = {shape(k, s)} parameter({i})\n" for i, (k, s, _) in enumerate(inputs))


def strides(sizes):
    return [product(sizes[d + 1 :]) for d in range(len(sizes))]


def offsets(sizes, dims, position=None):
    """Offsets of all elements along `dims`, in this order, last fastest."""
    step = strides(sizes)
    return [sum(i * step[d] for i, d in zip(index, dims)) for index in itertools.product(*(range(sizes[d]) for d in dims))]


# Reductions -----------------------------------------------------------------------------------------


def sum_of(kind, elements, columns, init, op):
    digits, size = TYPES[kind][2:]
    if op == "multiply" and kind in ("c64", "c128"):
        r = ref.f32 if digits == 24 else float

        def times(a, b):
            return (r(r(a[0] * b[0]) - r(a[1] * b[1])), r(r(a[0] * b[1]) + r(a[1] * b[0])))

        total = ref.canonical(elements, columns, size, times, times, None) if elements else None
        return init if total is None else times(init, total)
    if kind in ("c64", "c128"):
        parts = [part_sum([x[p] for x in elements], columns, init[p], digits, size) for p in (0, 1)]
        return tuple(parts)
    join = ref.add(digits)
    start = -0.0
    if op == "multiply":
        join = (lambda a, b: ref.f32(a * b)) if digits == 24 else (lambda a, b: a * b)
        start = 1.0
    if not elements:
        return init
    return narrow(kind, join(init, ref.canonical(elements, columns, size, join, join, start)))


def part_sum(elements, columns, init, digits, size):
    join = ref.add(digits)
    return join(init, ref.canonical(elements, columns, size, join, join, -0.0)) if elements else init


def reduction_outputs(kind, sizes, dims, values, init, op):
    kept = [d for d in range(len(sizes)) if d not in dims]
    counted = [d for d in dims if sizes[d] != 1]
    right = [d for d in kept if not counted or d > max(counted)]
    columns = product(sizes[d] for d in right)
    inner = offsets(sizes, sorted(dims))
    return [sum_of(kind, [values[o + i] for i in inner], columns, init, op) for o in offsets(sizes, kept)]


def reduction(kind, sizes, dims, op="add", body=None, spread=(-8, 8)):
    values = random_array(kind, sizes, spread)
    init = random_array(kind, [])[0]
    body = body or f"ROOT r = {kind}[] {op}(a, b)"
    inputs = [(kind, sizes, values), (kind, [], [init])]
    out = shape(kind, [n for d, n in enumerate(sizes) if d not in dims])
    hlo = (
        f"HloModule m\nf {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  {body}\n}}\nENTRY e {{\n"
        f"{parameters(inputs)}  ROOT r = {out} reduce(p0, p1), dimensions={{{','.join(map(str, dims))}}}, to_apply=f\n}}\n"
    )
    outputs = [(kind, reduction_outputs(kind, sizes, dims, values, init, op))]
    return Case(f"reduce {op} {shape(kind, sizes)} over {dims}", hlo, inputs, outputs)


def pair_reduction(sizes, dims):
    """A sum and a product side by side: each in its canonical order."""
    x, y = random_array("f32", sizes), random_array("f32", sizes, (-0.1, 0.1))
    init = random_array("f32", [2])
    inputs = [("f32", sizes, x), ("f32", sizes, y), ("f32", [], init[:1]), ("f32", [], init[1:])]
    out = shape("f32", [n for d, n in enumerate(sizes) if d not in dims])
    args = "".join(f"  {n} = f32[] parameter({i})\n" for i, n in enumerate("abcd"))
    hlo = (
        f"HloModule m\nf {{\n{args}  s = f32[] add(c, a)\n  t = f32[] multiply(b, d)\n"
        f"  ROOT r = (f32[], f32[]) tuple(s, t)\n}}\nENTRY e {{\n{parameters(inputs)}  ROOT r = ({out}, {out}) "
        f"reduce(p0, p1, p2, p3), dimensions={{{','.join(map(str, dims))}}}, to_apply=f\n}}\n"
    )
    outputs = [
        ("f32", reduction_outputs("f32", sizes, dims, v, i, op))
        for v, i, op in ((x, init[0], "add"), (y, init[1], "multiply"))
    ]
    return Case(f"reduce pair {sizes} over {dims}", hlo, inputs, outputs)


def left_fold(sizes, dims):
    """Not a known operation: from the left, in row-major order."""
    values, init = random_array("f32", sizes), random_array("f32", [])
    inputs = [("f32", sizes, values), ("f32", [], init)]
    kept = [d for d in range(len(sizes)) if d not in dims]
    out = shape("f32", [sizes[d] for d in kept])
    hlo = (
        "HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  h = f32[] constant(0.75)\n"
        f"  s = f32[] multiply(a, h)\n  ROOT r = f32[] add(s, b)\n}}\nENTRY e {{\n{parameters(inputs)}"
        f"  ROOT r = {out} reduce(p0, p1), dimensions={{{','.join(map(str, dims))}}}, to_apply=f\n}}\n"
    )
    results = []
    for o in offsets(sizes, kept):
        acc = init[0]
        for i in offsets(sizes, sorted(dims)):
            acc = ref.f32(ref.f32(acc * 0.75) + values[o + i])
        results.append(acc)
    return Case(f"reduce left fold {sizes} over {dims}", hlo, inputs, [("f32", results)])


def reductions():
    for count in (0, 1, 15, 16, 17, 511, 512, 513, 4095, 4096, 4097, 10000, 12289):
        yield reduction("f32", [count], [0])
    for count, columns in ((17, 3), (513, 3), (4097, 3), (15, 15), (512, 15), (4097, 15), (16, 16), (4097, 16), (600, 17)):
        yield reduction("f32", [count, columns], [0])
    yield reduction("f32", [2, 1100], [0])
    yield reduction("f32", [3, 1, 700], [2])
    yield reduction("f32", [700, 1, 1], [0])
    yield reduction("f32", [1, 700, 1, 3], [0, 1])
    yield reduction("f32", [5, 7, 30], [0, 2])
    yield reduction("f32", [30, 3, 40, 2], [2, 0])
    yield reduction("f32", [40, 2, 30, 20], [0, 2])
    yield reduction("f32", [2, 3, 4], [])
    yield reduction("f32", [20, 300], [0, 1], "multiply", spread=(-0.05, 0.05))
    yield reduction("f32", [600], [0], "multiply", spread=(-0.2, 0.2))
    for kind in ("f64", "c64", "c128"):
        for count in (15, 16, 511, 512, 4097):
            yield reduction(kind, [count], [0])
        yield reduction(kind, [600, 3], [0])
        yield reduction(kind, [40, 16], [0])
    yield reduction("c64", [40], [0], "multiply", spread=(-0.5, 0.5))
    yield reduction("c64", [17, 3], [0], "multiply", spread=(-0.5, 0.5))
    yield reduction("c128", [4099], [0], "multiply", spread=(-0.5, -0.5))
    for kind in ("bf16", "f16"):
        yield reduction(kind, [513], [0])
        yield reduction(kind, [4099, 3], [0])
        yield reduction(kind, [2, 40, 1030], [1])
        through_f32 = f"x = f32[] convert(a)\n  y = f32[] convert(b)\n  s = f32[] add(x, y)\n  ROOT r = {kind}[] convert(s)"
        yield reduction(kind, [600], [0], body=through_f32)
    yield pair_reduction([600], [0])
    yield pair_reduction([40, 3, 20], [2, 0])
    yield left_fold([600], [0])
    yield left_fold([40, 3, 20], [0, 2])
    yield left_fold([3, 40], [0])


# Windows, prefix sums, scans, scatters ---------------------------------------------------------------


def join_of(kind, op):
    """The operation of a fold; of narrow floats it is that of f32."""
    if op == "multiply":
        return (lambda a, b: a * b) if TYPES[kind][2] == 53 else (lambda a, b: ref.f32(a * b))
    add = ref.add(TYPES[kind][2])
    return (lambda a, b: (add(a[0], b[0]), add(a[1], b[1]))) if kind in ("c64", "c128") else add


def reducer_text(kind, op):
    return f"f {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT r = {kind}[] {op}(a, b)\n}}\n"


def out_dim(n, w):
    size, stride, low, high, base, dilation = w
    padded = low + (n - 1) * base + 1 + high if n else low + high
    reach = (size - 1) * dilation + 1
    return 0 if padded <= 0 or reach > padded else (padded - reach) // stride + 1


def cumulative(n, w):
    size, stride, low, high, base, dilation = w
    if (stride, base, dilation) != (1, 1, 1) or size < n or size == 1:
        return None
    return "up" if (low, high) == (size - 1, 0) else "down" if (low, high) == (0, size - 1) else None


PLAIN = (1, 1, 0, 0, 1, 1)


def plain_windows(sizes, window, values, join, init):
    """Windows without cumulative dimensions; None where a window shows nothing and there is no init."""
    step = strides(sizes)
    results = []
    for place in itertools.product(*(range(out_dim(n, w)) for n, w in zip(sizes, window))):
        shown = []
        for index in itertools.product(*(range(w[0]) for w in window)):
            at = [o * w[1] + i * w[5] - w[2] for o, i, w in zip(place, index, window)]
            met = all(p % w[4] == 0 and 0 <= p // w[4] < n for p, w, n in zip(at, window, sizes))
            shown.append(values[sum(p // w[4] * s for p, w, s in zip(at, window, step))] if met else None)
        results.append(ref.window_sum(shown, join, init))
    return results


def prefix_along(sizes, d, is_down, values, join, init):
    """Values may be None: nothing is there."""
    results = [None] * len(values)
    other = [n if k != d else 1 for k, n in enumerate(sizes)]
    step = strides(sizes)[d]
    for place in itertools.product(*map(range, other)):
        first = sum(p * s for p, s in zip(place, strides(sizes)))
        line = [first + i * step for i in range(sizes[d])]
        line = line[::-1] if is_down else line
        there = [values[i] for i in line]
        if None in there:
            assert set(there) == {None}
            there = [init] * len(line) if init is not None else there
            for i, y in zip(line, there):
                results[i] = y
            continue
        for i, y in zip(line, ref.prefix(there, join, init)):
            results[i] = y
    return results


def reduce_window(kind, sizes, window, op="add", spread=(-8, 8)):
    """`window`: per dimension (size, stride, low, high, lhs_dilate, rhs_dilate)."""
    values = random_array(kind, sizes, spread)
    init = random_array(kind, [], spread)[0]
    join = join_of(kind, op)
    scans = [d for d, (n, w) in enumerate(zip(sizes, window)) if cumulative(n, w)]
    rest = [PLAIN if d in scans else w for d, w in enumerate(window)]
    folded, dims = values, sizes
    if not scans or rest != [PLAIN] * len(rest):
        folded = plain_windows(sizes, rest, values, join, None if scans else init)
        dims = [out_dim(n, w) for n, w in zip(sizes, rest)]
    for d in reversed(scans):
        first = init if d == scans[0] else None
        folded = prefix_along(dims, d, cumulative(sizes[d], window[d]) == "down", folded, join, first)
    out = [out_dim(n, w) for n, w in zip(sizes, window)]
    names = ("size", "stride", None, None, "lhs_dilate", "rhs_dilate")
    fields = [f"{name}=" + "x".join(str(w[k]) for w in window) for k, name in enumerate(names) if name]
    fields.insert(2, "pad=" + "x".join(f"{w[2]}_{w[3]}" for w in window))
    inputs = [(kind, sizes, values), (kind, [], [init])]
    hlo = (
        f"HloModule m\n{reducer_text(kind, op)}ENTRY e {{\n{parameters(inputs)}"
        f"  ROOT r = {shape(kind, out)} reduce-window(p0, p1), window={{{' '.join(fields)}}}, to_apply=f\n}}\n"
    )
    results = folded if kind in ("c64", "c128") else [narrow(kind, y) for y in folded]
    return Case(f"reduce-window {op} {shape(kind, sizes)} {fields}", hlo, inputs, [(kind, results)])


def up(n):
    return (n, 1, n - 1, 0, 1, 1)


def down(n):
    return (n, 1, 0, n - 1, 1, 1)


def windows():
    for kind in ("f32", "f64", "bf16", "f16", "c64", "c128"):
        for n in (1, 15, 16, 17, 33, 79, 80, 256, 257, 300):
            yield reduce_window(kind, [n], [up(n)])
            yield reduce_window(kind, [n], [down(n)])
        yield reduce_window(kind, [300, 3], [up(300), PLAIN])
        yield reduce_window(kind, [3, 40, 2], [PLAIN, down(40), PLAIN])
        yield reduce_window(kind, [3, 300], [PLAIN, down(300)])
        yield reduce_window(kind, [700], [(600, 1, 0, 0, 1, 1)])
        yield reduce_window(kind, [70], [(9, 2, 3, 5, 1, 1)])
        yield reduce_window(kind, [30, 40], [(25, 3, 1, 2, 1, 1), (30, 2, 0, 4, 1, 1)])
        yield reduce_window(kind, [5, 40], [(3, 1, 1, 1, 1, 1), up(40)])
        yield reduce_window(kind, [40, 6], [down(40), (2, 2, 0, 1, 1, 1)])
        yield reduce_window(kind, [20, 19], [up(20), down(19)])
        yield reduce_window(kind, [6, 30], [(1, 2, 1, 0, 1, 1), up(30)])
    for n in (4095, 4096, 4097, 4400):
        yield reduce_window("f32", [n], [up(n)])
        yield reduce_window("bf16", [n], [down(n)])
    yield reduce_window("f32", [5000, 2], [down(5000), PLAIN])
    yield reduce_window("f32", [4, 300], [PLAIN, (400, 1, 399, 0, 1, 1)])
    yield reduce_window("f32", [20, 2000], [up(20), PLAIN])
    yield reduce_window("bf16", [20, 1500], [down(20), PLAIN])
    # Parts, groups of them, holes and positions that show nothing.
    yield reduce_window("f32", [40000], [(36000, 2000, 0, 0, 1, 1)])
    yield reduce_window("bf16", [70000], [(66000, 2000, 100, 0, 1, 1)])
    yield reduce_window("f32", [300], [(700, 50, 650, 300, 2, 1)])
    yield reduce_window("f64", [100], [(1300, 100, 900, 1300, 1, 1)])
    yield reduce_window("f32", [40], [(2000, 1, 1990, 1990, 50, 1)])
    yield reduce_window("f32", [2, 3000], [(2, 1, 1, 0, 1, 1), (1400, 100, 0, 0, 1, 2)])
    for kind in ("f32", "f64", "bf16"):
        yield reduce_window(kind, [100], [up(100)], "multiply", (-0.1, 0.1))
        yield reduce_window(kind, [20, 3], [down(20), PLAIN], "multiply", (-0.1, 0.1))
        yield reduce_window(kind, [700], [(600, 3, 5, 2, 1, 1)], "multiply", (-0.05, 0.05))


def scan(kind, sizes, dim, is_reverse, op="add", spread=(-8, 8), through_f32=False):
    """A running sum: outputs and the last carry."""
    values = random_array(kind, sizes, spread)
    slice_sizes = sizes[:dim] + sizes[dim + 1 :]
    carry = random_array(kind, slice_sizes, spread)
    join, step = join_of(kind, op), strides(sizes)[dim]
    results, last = [None] * len(values), []
    for place, first in zip(carry, offsets(sizes, [d for d in range(len(sizes)) if d != dim])):
        line = [first + i * step for i in range(sizes[dim])]
        line = line[::-1] if is_reverse else line
        line_results = ref.prefix([values[i] for i in line], join, place)
        for i, y in zip(line, line_results):
            results[i] = y
        last.append(line_results[-1] if line else place)
    one, all_of = shape(kind, slice_sizes), shape(kind, sizes)
    body = f"  s = {one} {op}(x, c)\n"
    if through_f32:
        wide = shape("f32", slice_sizes)
        body = f"  xw = {wide} convert(x)\n  cw = {wide} convert(c)\n  w = {wide} {op}(cw, xw)\n  s = {one} convert(w)\n"
    inputs = [(kind, sizes, values), (kind, slice_sizes, carry)]
    hlo = (
        f"HloModule m\nf {{\n  x = {one} parameter(0)\n  c = {one} parameter(1)\n{body}"
        f"  ROOT r = ({one}, {one}) tuple(s, s)\n}}\nENTRY e {{\n{parameters(inputs)}  ROOT r = ({all_of}, {one}) "
        f"scan(p0, p1), dimensions={{{dim}}}, num_carries=1, is_reverse={str(is_reverse).lower()}, to_apply=f\n}}\n"
    )
    outputs = [(kind, [narrow(kind, y) if not isinstance(y, tuple) else y for y in ys]) for ys in (results, last)]
    return Case(f"scan {op} {all_of} along {dim}, reverse={is_reverse}", hlo, inputs, outputs)


def scans():
    for kind in ("f32", "f64", "bf16", "f16", "c64", "c128"):
        for n in (1, 2, 16, 17, 300):
            yield scan(kind, [n], 0, n % 2 == 0)
        yield scan(kind, [40, 3], 0, True)
        yield scan(kind, [3, 40, 2], 1, False)
        yield scan(kind, [3, 1, 2], 1, False)
    yield scan("f32", [300], 0, False, "multiply", (-0.1, 0.1))
    yield scan("bf16", [2, 40], 1, True, "multiply", (-0.1, 0.1))
    yield scan("bf16", [40, 2], 0, True, through_f32=True)


def scatter(kind, rows_, columns, count, op="add", window=None, spread=(-8, 8)):
    """Rows of updates, or windows of `window` columns at random places, some of them outside."""
    values = random_array(kind, [rows_, columns], spread)
    width = window or columns
    updates = random_array(kind, [count, width], spread)
    join = join_of(kind, op)
    at = [(rng.randrange(rows_ + 1), rng.randrange(columns + 1) if window else 0) for _ in range(count)]
    if kind in ("c64", "c128", "f32", "f64"):
        rounded = lambda x: x
    else:
        rounded = lambda x: narrow(kind, x)
    results = list(values)
    for k, (row, column) in enumerate(at):
        if row >= rows_ or column + width > columns:
            continue
        for j in range(width):
            place = row * columns + column + j
            results[place] = join(results[place], updates[k * width + j])
    inputs = [(kind, [rows_, columns], values), (kind, [count, width], updates)]
    table = "{" + ", ".join("{%d, %d}" % place for place in at) + "}"
    hlo = (
        f"HloModule m\n{reducer_text(kind, op)}ENTRY e {{\n{parameters(inputs)}  i = s32[{count},2] constant({table})\n"
        f"  ROOT r = {shape(kind, [rows_, columns])} scatter(p0, i, p1), update_window_dims={{1}}, inserted_window_dims={{0}}, "
        f"scatter_dims_to_operand_dims={{0,1}}, index_vector_dim=1, to_apply=f\n}}\n"
    )
    return Case(f"scatter {op} {kind} {rows_}x{columns}, {count} of {width}", hlo, inputs, [(kind, list(map(rounded, results)))])


def select_and_scatter(kind, n, size, stride, op="add", spread=(-8, 8)):
    values = random_array(kind, [n])
    count = (n - size) // stride + 1
    source, init = random_array(kind, [count], spread), random_array(kind, [], spread)[0]
    join, results = join_of(kind, op), [init] * n
    for k, x in enumerate(source):
        chosen = k * stride
        for i in range(k * stride, k * stride + size):
            chosen = chosen if values[chosen] >= values[i] else i
        results[chosen] = join(results[chosen], x)
    inputs = [(kind, [n], values), (kind, [count], source), (kind, [], [init])]
    hlo = (
        f"HloModule m\n{reducer_text(kind, op)}g {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n"
        f"  ROOT r = pred[] compare(a, b), direction=GE\n}}\nENTRY e {{\n{parameters(inputs)}  ROOT r = {shape(kind, [n])} "
        f"select-and-scatter(p0, p1, p2), window={{size={size} stride={stride}}}, select=g, scatter=f\n}}\n"
    )
    return Case(f"select-and-scatter {op} {kind} {n}, {size}", hlo, inputs, [(kind, [narrow(kind, x) for x in results])])


def scatters():
    for kind in ("bf16", "f16", "f32", "f64"):
        yield scatter(kind, 5, 3, 200)  # more updates than elements
        yield scatter(kind, 300, 7, 40)
        yield scatter(kind, 9, 400, 30, window=11)
        yield scatter(kind, 4, 400, 500, window=1)
        yield scatter(kind, 2000, 1, 100)
        yield scatter(kind, 3, 40, 30, "multiply", spread=(-0.5, 0.5))
        yield select_and_scatter(kind, 40, 9, 1)
        yield select_and_scatter(kind, 400, 7, 3)
        yield select_and_scatter(kind, 40, 9, 1, "multiply", (-0.2, 0.2))
    yield scatter("bf16", 3000, 2, 600)
    yield scatter("f16", 40, 1500, 7)
    yield scatter("c64", 5, 3, 40)


# Dots -----------------------------------------------------------------------------------------------


def free_dims(sizes, batch, contracting):
    return [d for d in range(len(sizes)) if d not in batch and d not in contracting]


def contracts_last(sizes, contracting):
    large = [d for d in range(len(sizes)) if sizes[d] != 1]
    return bool(large) and large[-1] in contracting


def dot_element(kind, a, b, canonical, tiled):
    digits, size = TYPES[kind][2:]
    is_complex = kind in ("c64", "c128")
    if tiled:
        return ref.in_tiles(ref.dot_tiles(a, b))
    if canonical and is_complex:
        start = (-0.0, -0.0)
        take = lambda acc, x: ref.complex_fma(x[0], x[1], acc, digits)
        join = lambda x, y: tuple(map(ref.add(digits), x, y))
        total = ref.canonical(list(zip(a, b)), 1, size, take, join, start)
        return join((0.0, 0.0), total)
    if canonical:
        take = lambda acc, x: ref.fma(x[0], x[1], acc, digits)
        size = 4 if kind == "f16" else size
        return ref.add(digits)(0.0, ref.canonical(list(zip(a, b)), 1, size, take, ref.add(digits), -0.0))
    return (ref.complex_product if is_complex else ref.product)(ref.dot_parts(a, b), digits)


def dot(lhs, rhs, result, lhs_sizes, rhs_sizes, contracting, batch=((), ()), spread=(-8, 8)):
    x, y = random_array(lhs, lhs_sizes, spread), random_array(rhs, rhs_sizes, spread)
    inputs = [(lhs, lhs_sizes, x), (rhs, rhs_sizes, y)]
    lists = [",".join(map(str, dims)) for dims in (batch[0], contracting[0], batch[1], contracting[1])]
    names = ("lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims", "rhs_contracting_dims")
    attrs = ", ".join(f"{n}={{{v}}}" for n, v in zip(names, lists))
    lhs_free = free_dims(lhs_sizes, batch[0], contracting[0])
    rhs_free = free_dims(rhs_sizes, batch[1], contracting[1])
    out = [lhs_sizes[d] for d in batch[0]] + [lhs_sizes[d] for d in lhs_free] + [rhs_sizes[d] for d in rhs_free]
    hlo = f"HloModule m\nENTRY e {{\n{parameters(inputs)}  ROOT r = {shape(result, out)} dot(p0, p1), {attrs}\n}}\n"
    kind = {"bf16": "f32", "f16": "f32"}.get(result, result)
    # f32 operands of a bf16 product are rounded first.
    if result == "bf16":
        x, y = [[bf16(v) for v in z] for z in (x, y)]
        tiled = True
    else:
        tiled = lhs == rhs == "bf16"
    is_row = lambda sizes, free: product(sizes[d] for d in free) == 1
    canonical = (is_row(rhs_sizes, rhs_free) and contracts_last(lhs_sizes, contracting[0])) or (
        is_row(lhs_sizes, lhs_free) and contracts_last(rhs_sizes, contracting[1])
    )
    results = []
    k = list(zip(offsets(lhs_sizes, contracting[0]), offsets(rhs_sizes, contracting[1])))
    for lb, rb in zip(offsets(lhs_sizes, batch[0]), offsets(rhs_sizes, batch[1])):
        for lf in offsets(lhs_sizes, lhs_free):
            for rf in offsets(rhs_sizes, rhs_free):
                a = [x[lb + lf + i] for i, _ in k]
                b = [y[rb + rf + j] for _, j in k]
                results.append(dot_element(kind, a, b, canonical, tiled) if k else 0.0)
    if kind in ("c64", "c128"):
        results = [r if isinstance(r, tuple) else (r, r) for r in results]
    results = [narrow(result, r) for r in results]
    name = f"dot {shape(lhs, lhs_sizes)} {shape(rhs, rhs_sizes)} -> {shape(result, out)}, {attrs}"
    return Case(name, hlo, inputs, [(result, results)])


def dots():
    mm = ((1,), (0,))
    for kind in ("f32", "f64", "c64", "c128", "bf16", "f16"):
        yield dot(kind, kind, kind, [3, 37], [37, 5], mm)
        yield dot(kind, kind, kind, [9, 20], [20, 18], mm)
        yield dot(kind, kind, kind, [5, 9], [7, 5], ((0,), (1,)))
        yield dot(kind, kind, kind, [600], [600], ((0,), (0,)))
        yield dot(kind, kind, kind, [2, 300], [300], mm)
        yield dot(kind, kind, kind, [300], [2, 300], ((0,), (1,)))
        yield dot(kind, kind, kind, [300], [300, 2], ((0,), (0,)))
        yield dot(kind, kind, kind, [20, 3], [20], ((0,), (0,)))
        yield dot(kind, kind, kind, [2, 3, 17], [2, 17], ((2,), (1,)), ((0,), (0,)))
        yield dot(kind, kind, kind, [2, 0], [0, 3], mm)
    yield dot("f32", "f32", "f32", [4500], [4500], ((0,), (0,)))
    yield dot("f32", "f32", "f32", [40, 1], [40], ((0,), (0,)))
    yield dot("f32", "f32", "f32", [9], [9, 1030], ((0,), (0,)))
    yield dot("f32", "f32", "f32", [9, 1030], [9], ((0,), (0,)))
    yield dot("f32", "f32", "f32", [1, 1100], [1100, 2], mm)
    yield dot("f32", "f32", "f32", [2, 1100], [1100, 2], mm)
    yield dot("bf16", "bf16", "f32", [2, 1100], [1100, 2], mm)
    yield dot("f32", "f32", "f32", [2, 3, 4], [4, 3, 2], ((1, 2), (1, 0)))
    yield dot("f32", "f32", "f32", [3, 2, 4], [4, 2, 5], ((2,), (0,)), ((1,), (1,)))
    yield dot("f32", "f32", "f32", [2], [3], ((), ()))
    yield dot("f32", "f32", "f32", [40, 20], [20, 1], mm)
    # One part, parts of at most 256 (tiles: 512) elements, 64 (tiles: 8) a group, and groups in a tree.
    for kind in ("f32", "f64", "c64", "c128", "bf16", "f16"):
        yield dot(kind, kind, kind, [2, 512], [512, 3], mm)
        yield dot(kind, kind, kind, [2, 517], [517, 3], mm)
        yield dot(kind, kind, kind, [2, 1537], [1537, 2], mm)
    yield dot("f32", "f32", "f32", [2, 3, 700], [700, 3, 2], ((1, 2), (1, 0)))
    for count in (4096, 4097, 9000, 12289):
        yield dot("bf16", "bf16", "f32", [2, count], [count, 2], mm)
    yield dot("bf16", "bf16", "f32", [1, 9000], [9000, 2], mm, spread=(-66, -60))
    for count in (16384, 16385, 33000, 65537):
        yield dot("f32", "f32", "f32", [1, count], [count, 2], mm)
    yield dot("c64", "c64", "c64", [1, 33000], [33000, 2], mm)
    # Parts that underflow to -0.
    for count in (517, 1200):
        yield dot("f32", "f32", "f32", [4, count], [count, 5], mm, spread=(-80, -76))
    # Other result types: what is multiplied decides the order.
    yield dot("bf16", "bf16", "f32", [3, 70], [70, 5], mm)
    yield dot("bf16", "f32", "f32", [3, 70], [70, 5], mm)
    yield dot("f32", "f32", "bf16", [3, 70], [70, 5], mm)
    yield dot("f16", "f16", "f32", [3, 70], [70, 5], mm)
    # Underflow in the tile order: products and sums near and below 2^-126.
    for low in (-130, -100, -80, -70, -66, -64, -62, -58):
        yield dot("bf16", "bf16", "f32", [4, 70], [70, 17], mm, spread=(low, low + 6))
    yield dot("bf16", "bf16", "f32", [4, 70], [70, 3], mm, spread=(-140, 100))
    # Underflow elsewhere is plain IEEE.
    yield dot("f32", "f32", "f32", [4, 30], [30, 17], mm, spread=(-75, -65))
    yield dot("f32", "f32", "f32", [300], [300], ((0,), (0,)), spread=(-80, -65))


# Convolutions ---------------------------------------------------------------------------------------


def convolution_element(kind, positions, size):
    """Of positions of `size` elements or none."""
    unit, most = (32, 512) if kind == "bf16" else (4, 256)
    filled = math.ceil(size / 32) * 32 if kind == "bf16" else size
    if size > 512:
        part = ref.part_size(size, most, unit)
        count = math.ceil(size / part)
        parts = [x for p in positions for x in (ref.split(p, part) or [[]] * count)]
    else:
        parts = ref.split(positions, ref.part_positions(len(positions), filled, most)) if size else []
    if kind == "bf16":
        runs = [[p] for p in parts] if size > 512 else parts
        return ref.in_tiles([[list(zip(*run)) for run in part if run] for part in runs])
    if size <= 512:
        parts = [[x for p in part for x in p] for part in parts]
    if kind in ("c64", "c128"):
        return ref.complex_product(parts, TYPES[kind][2])
    return ref.product(parts, TYPES[kind][2])


def convolution(kind, batch, features, out_features, lhs_spatial, kernel, window, groups=(1, 1), result=None, labels=None):
    """`window`: per dimension (stride, low, high, lhs_dilate, rhs_dilate, reversal)."""
    result = result or kind
    rank = len(kernel)
    digits = "".join(map(str, range(rank)))
    lhs_labels, rhs_labels, out_labels = labels or (f"b{digits}f", f"{digits}io", f"b{digits}f")
    feature_groups, batch_groups = groups
    group_in = features // feature_groups
    size_of = {"b": batch, "f": features, "i": group_in, "o": out_features}
    lhs_size = {**size_of, **{str(d): n for d, n in enumerate(lhs_spatial)}}
    rhs_size = {**size_of, **{str(d): n for d, n in enumerate(kernel)}}
    out_spatial = []
    for n, k, (stride, low, high, base, dilation, _) in zip(lhs_spatial, kernel, window):
        padded = low + (n - 1) * base + 1 + high if n else low + high
        reach = (k - 1) * dilation + 1
        out_spatial.append(0 if padded <= 0 or reach > padded else (padded - reach) // stride + 1)
    out_size = {"b": batch // batch_groups, "f": out_features, **{str(d): n for d, n in enumerate(out_spatial)}}
    lhs_sizes, rhs_sizes = [lhs_size[c] for c in lhs_labels], [rhs_size[c] for c in rhs_labels]
    out_sizes = [out_size[c] for c in out_labels]
    x, y = random_array(kind, lhs_sizes), random_array(kind, rhs_sizes)
    # An infinity in the kernel shows whether padding is multiplied.
    y[0] = math.inf if kind not in ("c64", "c128") else y[0]
    at = lambda labels, sizes, index: sum(index[c] * s for c, s in zip(labels, strides(sizes)))
    tiled = kind == "bf16"

    def element(position):
        o = position["f"]
        group = o // (out_features // feature_groups)
        batch_group = o // (out_features // batch_groups)
        b = position["b"] + batch_group * (batch // batch_groups)
        is_flat = tiled and group_in < 32 and rank > 0
        # For each position, or in tiles of few features for each run, its elements; none if it is skipped.
        positions = []
        for index in itertools.product(*map(range, kernel)):
            at_lhs, at_rhs, met = {"b": b}, {"o": o}, []
            for d, (k, (stride, low, _, base, dilation, reversal)) in enumerate(zip(index, window)):
                p = position[str(d)] * stride + k * dilation - low
                met.append(p % base == 0 and 0 <= p // base < lhs_spatial[d])
                at_lhs[str(d)] = p // base
                at_rhs[str(d)] = kernel[d] - 1 - k if reversal else k
            if not is_flat or index[-1] == 0:
                positions.append([])
            for i in range(group_in):
                if all(met):
                    a = x[at(lhs_labels, lhs_sizes, {**at_lhs, "f": group * group_in + i})]
                    positions[-1].append((a, y[at(rhs_labels, rhs_sizes, {**at_rhs, "i": i})]))
                elif is_flat and all(met[:-1]):
                    positions[-1].append((0.0, 0.0))
        return convolution_element(kind, positions, group_in * (kernel[-1] if is_flat else 1))

    results = []
    for index in itertools.product(*map(range, out_sizes)):
        results.append(narrow(result, element(dict(zip(out_labels, index)))))
    fields = "".join(
        f" {name}=" + "x".join(text(w) for w in window)
        for name, text in (
            ("stride", lambda w: str(w[0])),
            ("pad", lambda w: f"{w[1]}_{w[2]}"),
            ("lhs_dilate", lambda w: str(w[3])),
            ("rhs_dilate", lambda w: str(w[4])),
            ("rhs_reversal", lambda w: str(int(w[5]))),
        )
    )
    attrs = f"window={{size={'x'.join(map(str, kernel))}{fields}}}, " if rank else ""
    attrs += f"dim_labels={lhs_labels}_{rhs_labels}->{out_labels}"
    attrs += f", feature_group_count={feature_groups}, batch_group_count={batch_groups}"
    inputs = [(kind, lhs_sizes, x), (kind, rhs_sizes, y)]
    hlo = f"HloModule m\nENTRY e {{\n{parameters(inputs)}  ROOT r = {shape(result, out_sizes)} convolution(p0, p1), {attrs}\n}}\n"
    return Case(f"convolution {shape(kind, lhs_sizes)} {shape(kind, rhs_sizes)}, {attrs}", hlo, inputs, [(result, results)])


def convolutions():
    plain = (1, 0, 0, 1, 1, False)
    same = (1, 1, 1, 1, 1, False)
    for kind in ("f32", "f64", "c64", "bf16", "f16"):
        yield convolution(kind, 2, 3, 5, [6], [3], [plain])
        yield convolution(kind, 1, 2, 3, [5, 4], [3, 3], [same, same])
        yield convolution(kind, 2, 4, 6, [5], [3], [same], (2, 1))
        yield convolution(kind, 4, 2, 6, [5], [3], [same], (1, 2))
    yield convolution("f32", 1, 3, 18, [7, 6], [3, 2], [(2, 1, 2, 1, 1, False), (1, 0, 1, 1, 2, False)])
    yield convolution("f32", 1, 3, 2, [7, 6], [3, 2], [(2, -1, 2, 2, 1, True), (1, 3, -1, 3, 2, False)])
    yield convolution("f32", 1, 2, 2, [3, 3, 3], [2, 2, 2], [same, plain, (1, 0, 1, 2, 1, True)])
    yield convolution("f32", 3, 4, 5, [], [], [])
    yield convolution("f32", 1, 130, 2, [12], [9], [same])  # k in slices
    yield convolution("f32", 2, 3, 4, [5, 6], [2, 3], [same, plain], labels=("bf01", "oi01", "fb10"))
    yield convolution("f32", 1, 8, 8, [5, 5], [3, 3], [same, same], (8, 1))
    # Parts: whole positions, parts of a position, some of them skipped or empty; groups and their tree.
    for kind in ("f32", "f64", "c64", "bf16", "f16"):
        yield convolution(kind, 1, 130, 2, [5], [9], [(1, 4, 4, 1, 1, False)])
        yield convolution(kind, 1, 3, 2, [300], [301], [(150, 150, 150, 1, 1, True)])
        yield convolution(kind, 1, 700, 2, [3], [3], [same])
        yield convolution(kind, 1, 2, 1, [9, 11], [40, 40], [(3, 36, 38, 1, 1, False), (5, 38, 39, 1, 1, False)])
        yield convolution(kind, 1, 2, 1, [4], [600], [(130, 599, 599, 170, 1, False)])
        yield convolution(kind, 1, 1030, 1, [2], [70], [(60, 69, 69, 1, 1, False)])
    yield convolution("f32", 1, 1, 1, [40], [40000], [(13000, 39999, 39999, 1, 1, False)])
    yield convolution("f32", 1, 1, 1, [33000], [33000], [(1, 1, 0, 1, 1, False)])
    yield convolution("c64", 1, 1, 1, [33000], [33000], [(1, 1, 0, 1, 1, False)])
    yield convolution("bf16", 1, 1, 1, [40, 3], [4000, 3], [(1500, 3999, 3999, 1, 1, False), same], result="f32")
    yield convolution("f32", 1, 8, 8, [1200], [1100], [(50, 20, 10, 1, 1, False)], (8, 1))
    yield convolution("f32", 1, 8, 8, [3], [33300], [(16650, 33299, 33299, 1, 1, False)], (8, 1))
    # Tile order: runs over the last window dimension below 32 features, over features from 32 on.
    yield convolution("bf16", 1, 5, 3, [4, 9], [2, 8], [same, (1, 3, 3, 1, 1, False)], result="f32")
    yield convolution("bf16", 1, 5, 3, [4, 9], [2, 8], [same, (1, 3, 3, 2, 1, True)], result="f32")
    yield convolution("bf16", 1, 31, 3, [4, 3], [2, 3], [same, same], result="f32")
    yield convolution("bf16", 1, 32, 3, [4, 3], [2, 3], [same, same], result="f32")
    yield convolution("bf16", 1, 33, 3, [4, 3], [2, 3], [same, same], result="f32")
    yield convolution("bf16", 2, 5, 3, [], [], [], result="f32")


# Linear algebra and Fourier transforms --------------------------------------------------------------


def pairs(values):
    return [x if isinstance(x, tuple) else (x, 0.0) for x in values]


def unpaired(kind, values):
    return values if kind in ("c64", "c128") else [narrow(kind, re) for re, _ in values]


def rows(values, n):
    return [values[i : i + n] for i in range(0, len(values), n)]


def computed_digits(kind):
    return TYPES[kind][2]


def cholesky(kind, n, lower):
    """Of a matrix whose diagonal dominates."""
    values = random_array(kind, [n, n], (-3, 3))
    for i in range(n):
        big = narrow(kind, 8.0 * n + 8.0 * rng.random()) if kind not in ("f64", "c128") else 8.0 * n + rng.random()
        big = ref.f32(big) if kind in ("f32", "c64") else big
        values[i * n + i] = (big, 3.0) if kind in ("c64", "c128") else big
    a = rows(pairs(values), n)
    if not lower:
        a = [[linear.conj(a[j][i]) for j in range(n)] for i in range(n)]
    factor = linear.cholesky(computed_digits(kind), a, n)
    if not lower:
        factor = [[linear.conj(factor[j][i]) for j in range(n)] for i in range(n)]
    inside = lambda i, j: j < i if lower else j > i
    zero = lambda i, j: (factor[i][j][0] if i == j else 0.0, 0.0)
    expected = [factor[i][j] if inside(i, j) else zero(i, j) for i in range(n) for j in range(n)]
    hlo = f"HloModule m\nENTRY e {{\n  p0 = {shape(kind, [n, n])} parameter(0)\n  ROOT r = {shape(kind, [n, n])} cholesky(p0), lower={str(lower).lower()}\n}}\n"
    return Case(f"cholesky {kind} {n} lower={lower}", hlo, [(kind, [n, n], values)], [(kind, unpaired(kind, expected))])


def triangular_solve(kind, n, columns, left, lower, unit, option):
    values = random_array(kind, [n, n], (-2, 2))
    for i in range(n):
        values[i * n + i] = (3.0, 2.0) if kind in ("c64", "c128") else 3.0
    sizes = [n, columns] if left else [columns, n]
    b = random_array(kind, sizes, (-2, 2))
    t = rows(pairs(values), n)
    if option != "NO_TRANSPOSE":
        t = [[linear.conj(t[j][i]) if option == "ADJOINT" else t[j][i] for j in range(n)] for i in range(n)]
    is_lower = lower == (option == "NO_TRANSPOSE")
    if not left:
        t, is_lower = [list(column) for column in zip(*t)], not is_lower
    right = rows(pairs(b), sizes[1])
    right = list(zip(*right)) if left else right
    solved = [linear.solve(computed_digits(kind), t, column, n, is_lower, unit) for column in right]
    solved = list(zip(*solved)) if left else solved
    expected = unpaired(kind, [x for row in solved for x in row])
    attrs = f"left_side={left}, lower={lower}, unit_diagonal={unit}, ".lower() + f"transpose_a={option}"
    inputs = [(kind, [n, n], values), (kind, sizes, b)]
    hlo = f"HloModule m\nENTRY e {{\n{parameters(inputs)}  ROOT r = {shape(kind, sizes)} triangular-solve(p0, p1), {attrs}\n}}\n"
    return Case(f"triangular-solve {kind} {n}, {attrs}", hlo, inputs, [(kind, expected)])


def fft(kind, lines, n, fft_type):
    digits, half = computed_digits(kind), n // 2 + 1
    part = {"c64": "f32", "c128": "f64"}[kind]
    in_kind, out_kind = (part if fft_type == "RFFT" else kind), (part if fft_type == "IRFFT" else kind)
    in_sizes = [lines, half if fft_type == "IRFFT" else n]
    out_sizes = [lines, half if fft_type == "RFFT" else n]
    values = random_array(in_kind, in_sizes, (-3, 3))
    run = {
        "FFT": linear.forward,
        "IFFT": linear.inverse,
        "RFFT": lambda digits, line: linear.from_real(digits, [re for re, _ in line]),
        "IRFFT": lambda digits, line: [(x, 0.0) for x in linear.to_real(digits, line, n)],
    }[fft_type]
    expected = [x for line in rows(pairs(values), in_sizes[1]) for x in run(digits, line)]
    hlo = f"HloModule m\nENTRY e {{\n  p0 = {shape(in_kind, in_sizes)} parameter(0)\n  ROOT r = {shape(out_kind, out_sizes)} fft(p0), fft_type={fft_type}, fft_length={{{n}}}\n}}\n"
    return Case(f"fft {kind} {lines}x{n} {fft_type}", hlo, [(in_kind, in_sizes, values)], [(out_kind, unpaired(out_kind, expected))])


def linear_algebra():
    for kind in ("f32", "f64", "c64", "c128", "bf16", "f16"):
        for n in (1, 2, 5, 19):
            yield cholesky(kind, n, n % 2 == 1)
        for left, lower, unit in itertools.product((True, False), repeat=3):
            for option in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                yield triangular_solve(kind, 7, 3, left, lower, unit, option)
    for n in (1, 2, 3, 4, 6, 8, 12, 30, 31, 64, 128, 174, 210, 37, 74, 101, 202):
        for fft_type in ("FFT", "IFFT", "RFFT", "IRFFT"):
            # In a convolution, what should be zero is noise of libm's roots.
            if fft_type != "RFFT" or linear.is_smooth(n):
                yield fft("c64", 3, n, fft_type)
    for n in (1, 2, 4, 8):
        for fft_type in ("FFT", "IFFT", "RFFT", "IRFFT"):
            yield fft("c128", 18, n, fft_type)


# Running them ---------------------------------------------------------------------------------------


def bits(kind, value):
    parts = value if isinstance(value, tuple) else (value,)
    code = TYPES[kind][1][-1]
    if kind == "bf16":
        return [to_bf16(value)]
    return ["nan" if x != x else struct.pack("<" + code, x) for x in parts]


def compare(case, path):
    with zipfile.ZipFile(path) as archive:
        for i, (kind, expected) in enumerate(case.outputs):
            actual = read_npy(kind, archive.read(f"out_{i}.npy"))
            if len(actual) != len(expected):
                return f"{len(actual)} elements, not {len(expected)}"
            for j, (a, b) in enumerate(zip(actual, expected)):
                if bits(kind, a) != bits(kind, b):
                    return f"output {i} element {j} of {len(actual)} is {a!r}, must be {b!r}"
    return None


def main():
    tool = os.environ.get("AXLE_TOOL")
    if not tool:
        print("AXLE_TOOL is not set: skipped")
        return 77
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    part, parts = map(int, sys.argv[2].split("/")) if len(sys.argv) > 2 else (1, 1)
    families = [reductions, dots, convolutions, linear_algebra, windows, scans, scatters]
    cases = []
    for family in families[part - 1 :: parts]:
        rng.seed(f"{seed} {family.__name__}")  # each draws the same whatever else is drawn
        cases += family()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        requests = []
        for i, case in enumerate(cases):
            stem = os.path.join(folder, str(i))
            with open(stem + ".hlo", "w", encoding="utf-8") as file:
                file.write(case.hlo)
            with zipfile.ZipFile(stem + ".in.npz", "w") as archive:
                for j, (kind, sizes, values) in enumerate(case.inputs):
                    archive.writestr(f"in_{j}.npy", npy(kind, sizes, values))
            request = {"id": i, "verb": "run", "file": stem + ".hlo", "inputs": stem + ".in.npz"}
            requests.append({**request, "output": stem + ".out.npz"})
        lines = "".join(json.dumps(r) + "\n" for r in requests)
        answer = subprocess.run([tool, "batch"], input=lines, capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in answer.stdout.splitlines()]
        if len(answers) != len(cases):
            print(f"axle batch answered {len(answers)} of {len(cases)} requests\n{answer.stderr}")
            print(f"next is {cases[len(answers)].name}")
            failures += len(cases) - len(answers)
        for case, result in zip(cases, answers):
            wrong = result["message"] if result["exit"] != 0 else compare(case, os.path.join(folder, f"{result['id']}.out.npz"))
            if wrong:
                failures += 1
                print(f"FAILED {case.name}: {wrong}")
    print(f"{len(cases) - failures} of {len(cases)} programs equal bit for bit; repro: canonical_test.py {seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
