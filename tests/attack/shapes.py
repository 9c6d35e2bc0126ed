"""Programs of one shape and any size: what makes compilers slow, or take memory, beyond what a reader would expect.

Each function of SHAPES takes the number of things to write and a random.Random, and returns HLO text. The size in bytes
grows with the number; text(shape, size, rng) finds the number for a size.
"""

import random

_SCALARS = ("f32", "s32", "f64", "u8", "s64", "bf16")
_UNARY = ("negate", "abs", "exponential", "tanh", "cosine", "sqrt", "floor")
_BINARY = ("add", "multiply", "subtract", "maximum", "minimum")

_ADD = """add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
"""


def _module(body, before="", head=""):
    return f"HloModule m{head}\n{before}ENTRY main {{\n{body}}}\n"


def _lines(lines):
    return "".join(f"  {line}\n" for line in lines)


def _join(items):
    return ", ".join(items)


def wide_tuple(n, rng):
    t = rng.choice(_SCALARS)
    names = [f"x{i}" for i in range(n)]
    return _module(
        _lines([f"p = {t}[] parameter(0)"] + [f"{x} = {t}[] add(p, p)" for x in names])
        + f"  ROOT r = ({_join([t + '[]'] * n)}) tuple({_join(names)})\n"
    )


def wide_tuple_elements(n, rng):
    t = rng.choice(_SCALARS)
    shape = f"({_join([t + '[]'] * n)})"
    gets = [f"g{i} = {t}[] get-tuple-element(p), index={rng.randrange(n)}" for i in range(n)]
    return _module(
        f"  p = {shape} parameter(0)\n" + _lines(gets)
        + f"  ROOT r = {shape} tuple({_join(f'g{i}' for i in range(n))})\n"
    )


def _while(n, t, dims, update, rng):
    shape = f"(s32[], {_join([t + dims] * n)})"
    gets = [f"x{i} = {t}{dims} get-tuple-element(s), index={i + 1}" for i in range(n)]
    made = [f"y{i} = {t}{dims} {update(i)}" for i in range(n)] if update else []
    result = [f"y{i}" if update else f"x{(i + 1) % n}" for i in range(n)]
    return (
        f"cond {{\n  s = {shape} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  k = s32[] constant(3)\n"
        f"  ROOT c = pred[] compare(i, k), direction=LT\n}}\nbody {{\n  s = {shape} parameter(0)\n"
        "  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
        + _lines(gets) + _lines(made)
        + f"  ROOT r = {shape} tuple(j, {_join(result)})\n}}\n",
        shape,
    )


def wide_while(n, rng):
    t = rng.choice(("f32", "s32", "f64"))
    before, shape = _while(n, t, "[]", lambda i: f"add(x{i}, x{(i + 1) % n})", rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def wide_while_turned(n, rng):
    """The state moves by one place in each turn."""
    before, shape = _while(n, "f32", "[]", lambda i: f"negate(x{(i + 1) % n})", rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def wide_while_swapped(n, rng):
    """The same, and nothing is computed."""
    before, shape = _while(n, rng.choice(("f32", "s64")), "[]", None, rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def wide_while_kept(n, rng):
    """Nothing changes but the counter."""
    before, shape = _while(n, "f32", "[]", lambda i: f"copy(x{i})", rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def wide_while_vectors(n, rng):
    k = rng.choice((2, 3, 16, 100))
    before, shape = _while(n, "f32", f"[{k}]", lambda i: f"multiply(x{i}, x{i})", rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def wide_while_arrays(n, rng):
    before, shape = _while(n, "f32", "[1000]", lambda i: f"add(x{i}, x{i // 2})", rng)
    return _module(f"  p = {shape} parameter(0)\n  ROOT w = {shape} while(p), condition=cond, body=body\n", before)


def many_whiles(n, rng):
    before, shape = _while(2, "f32", "[]", lambda i: f"add(x{i}, x{1 - i})", rng)
    lines = [f"w{i + 1} = {shape} while(w{i}), condition=cond, body=body" for i in range(n)]
    return _module(f"  w0 = {shape} parameter(0)\n" + _lines(lines), before)


def deep_whiles(n, rng):
    """Loops inside of each other."""
    n = min(n, 400)
    text = "cond { x = f32[] parameter(0)  k = f32[] constant(9)  ROOT c = pred[] compare(x, k), direction=LT }\n"
    text += "body0 { x = f32[] parameter(0)  k = f32[] constant(1)  ROOT y = f32[] add(x, k) }\n"
    for i in range(n):
        text += (
            f"body{i + 1} {{ x = f32[] parameter(0)  y = f32[] while(x), condition=cond, body=body{i}\n"
            "  k = f32[] constant(1)  ROOT z = f32[] add(y, k) }\n"
        )
    return _module(f"  p = f32[] parameter(0)\n  ROOT w = f32[] while(p), condition=cond, body=body{n}\n", text)


def deep_chain(n, rng):
    t, dims = rng.choice(("f32", "f64")), rng.choice(("[]", "[7]", "[100]", "[4096]"))
    lines = [f"x{i + 1} = {t}{dims} {rng.choice(_UNARY)}(x{i})" for i in range(n)]
    return _module(f"  x0 = {t}{dims} parameter(0)\n" + _lines(lines))


def deep_binary(n, rng):
    """Each value of two random ones before it: many are live at a time."""
    t, dims = rng.choice(("f32", "s32")), rng.choice(("[]", "[5]", "[64]", "[1000]"))
    lines = [
        f"x{i + 1} = {t}{dims} {rng.choice(_BINARY)}(x{rng.randint(0, i)}, x{rng.randint(max(0, i - 50), i)})"
        for i in range(n)
    ]
    return _module(f"  x0 = {t}{dims} parameter(0)\n" + _lines(lines))


def fibonacci(n, rng):
    dims = rng.choice(("[]", "[64]", "[5000]"))
    lines = [f"x{i + 2} = f32{dims} add(x{i}, x{i + 1})" for i in range(n)]
    return _module(f"  x0 = f32{dims} parameter(0)\n  x1 = f32{dims} parameter(1)\n" + _lines(lines))


def fan_in(n, rng):
    """All values are made first and then added up, the last one first."""
    dims = rng.choice(("[]", "[16]", "[300]"))
    lines = [f"x{i} = f32{dims} {rng.choice(_UNARY)}(p)" for i in range(n)] + [f"s_0 = f32{dims} add(p, p)"]
    lines += [f"s_{i + 1} = f32{dims} add(s_{i}, x{n - 1 - i})" for i in range(n)]
    return _module(f"  p = f32{dims} parameter(0)\n" + _lines(lines))


def deep_fusion(n, rng):
    """One fused computation of them all."""
    dims = rng.choice(("[]", "[64]", "[1000]"))
    lines = [f"x{i + 1} = f32{dims} {rng.choice(_BINARY)}(x{i}, x{rng.randint(0, i)})" for i in range(n)]
    before = f"fused {{\n  x0 = f32{dims} parameter(0)\n" + _lines(lines) + "}\n"
    return _module(
        f"  p = f32{dims} parameter(0)\n  ROOT f = f32{dims} fusion(p), kind=kLoop, calls=fused\n", before
    )


def many_fusions(n, rng):
    before = "fused { x = f32[64] parameter(0)  y = f32[64] exponential(x)  ROOT z = f32[64] add(x, y) }\n"
    lines = [f"x{i + 1} = f32[64] fusion(x{i}), kind=kLoop, calls=fused" for i in range(n)]
    return _module("  x0 = f32[64] parameter(0)\n" + _lines(lines), before)


def many_parameters(n, rng):
    t = rng.choice(_SCALARS)
    lines = [f"p{i} = {t}[] parameter({i})" for i in range(n)] + [f"s_0 = {t}[] add(p0, p0)"]
    lines += [f"s_{i + 1} = {t}[] add(s_{i}, p{i})" for i in range(n)]
    return _module(_lines(lines))


def many_parameters_out(n, rng):
    """Results that are arguments, in another order."""
    order = list(range(n))
    rng.shuffle(order)
    lines = [f"p{i} = f32[8] parameter({i})" for i in range(n)]
    return _module(
        _lines(lines) + f"  ROOT r = ({_join(['f32[8]'] * n)}) tuple({_join(f'p{i}' for i in order)})\n"
    )


def aliased_parameters(n, rng):
    """Every result takes the place of an argument, each of the next one."""
    aliases = _join(f"{{{i}}}: ({i}, {{}}, may-alias)" for i in range(n))
    lines = [f"p{i} = f32[8] parameter({i})" for i in range(n)]
    lines += [f"y{i} = f32[8] negate(p{(i + 1) % n})" for i in range(n)]
    return _module(
        _lines(lines) + f"  ROOT r = ({_join(['f32[8]'] * n)}) tuple({_join(f'y{i}' for i in range(n))})\n",
        head=f", input_output_alias={{ {aliases} }}",
    )


def many_constants(n, rng):
    lines = [f"c_{i} = f32[] constant({rng.randint(0, 10**6)}.5)" for i in range(n)]
    lines += ["s_0 = f32[] add(p, p)"] + [f"s_{i + 1} = f32[] add(s_{i}, c_{i})" for i in range(n)]
    return _module("  p = f32[] parameter(0)\n" + _lines(lines))


def many_array_constants(n, rng):
    def values():
        return _join(str(rng.randint(0, 99)) for _ in range(20))

    lines = [f"c_{i} = s32[20] constant({{{values()}}})" for i in range(n)] + ["s_0 = s32[20] add(p, p)"]
    lines += [f"s_{i + 1} = s32[20] multiply(s_{i}, c_{i})" for i in range(n)]
    return _module("  p = s32[20] parameter(0)\n" + _lines(lines))


def large_constant(n, rng):
    values = _join(str(rng.randint(0, 99)) for _ in range(n))
    return _module(f"  p = s32[{n}] parameter(0)\n  c = s32[{n}] constant({{{values}}})\n  ROOT r = s32[{n}] add(p, c)\n")


def constants_to_fold(n, rng):
    lines = [f"x{i + 1} = f32[1000] {rng.choice(_UNARY)}(x{i})" for i in range(n)]
    return _module("  c = f32[] constant(0.5)\n  x0 = f32[1000] broadcast(c), dimensions={}\n" + _lines(lines))


def many_callees(n, rng):
    before = "".join(
        f"f{i} {{ x = f32[] parameter(0)  c = f32[] constant({i})  ROOT y = f32[] add(x, c) }}\n" for i in range(n)
    )
    return _module(
        "  x0 = f32[] parameter(0)\n" + _lines(f"x{i + 1} = f32[] call(x{i}), to_apply=f{i}" for i in range(n)), before
    )


def deep_callees(n, rng):
    n = min(n, 450)  # calls that are nested deeper are refused
    before = "f0 { x = f32[] parameter(0)  ROOT y = f32[] negate(x) }\n"
    before += "".join(
        f"f{i + 1} {{ x = f32[] parameter(0)  y = f32[] call(x), to_apply=f{i}\n ROOT z = f32[] add(y, x) }}\n"
        for i in range(n)
    )
    return _module(f"  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=f{n}\n", before)


def doubling_callees(n, rng):
    """Each computation calls the one before it twice: 2^n calls if they were written out."""
    n = min(n, 300)
    before = "f0 { x = f32[] parameter(0)  ROOT y = f32[] cosine(x) }\n"
    before += "".join(
        f"f{i + 1} {{ x = f32[] parameter(0)  y = f32[] call(x), to_apply=f{i}\n ROOT z = f32[] call(y), to_apply=f{i} }}\n"
        for i in range(n)
    )
    return _module(f"  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=f{rng.randint(n // 2, n)}\n", before)


def doubling_tuples(n, rng):
    lines, shape = [], "f32[]"
    for i in range(min(n, 14)):
        shape = f"({shape}, {shape})"
        lines.append(f"x{i + 1} = {shape} tuple(x{i}, x{i})")
    return _module("  x0 = f32[] parameter(0)\n" + _lines(lines))


def nested_tuples(n, rng):
    n = min(n, 100)
    lines, shape = [], "f32[]"
    for i in range(n):
        shape = f"({shape}, f32[])"
        lines.append(f"x{i + 1} = {shape} tuple(x{i}, x0)")
    return _module("  x0 = f32[] parameter(0)\n" + _lines(lines))


def many_branches(n, rng):
    before = "".join(
        f"b{i} {{ x = f32[] parameter(0)  c = f32[] constant({i})  ROOT y = f32[] multiply(x, c) }}\n" for i in range(n)
    )
    return _module(
        "  i = s32[] parameter(0)\n  x = f32[] parameter(1)\n"
        f"  ROOT r = f32[] conditional(i, {_join(['x'] * n)}), branch_computations={{{_join(f'b{i}' for i in range(n))}}}\n",
        before,
    )


def wide_branches(n, rng):
    shape = f"({_join(['f32[]'] * n)})"

    def branch(name, op):
        gets = [f"g{i} = f32[] get-tuple-element(s), index={i}" for i in range(n)]
        made = [f"y{i} = f32[] {op}(g{i})" for i in range(n)]
        return (
            f"{name} {{\n  s = {shape} parameter(0)\n" + _lines(gets) + _lines(made)
            + f"  ROOT r = {shape} tuple({_join(f'y{i}' for i in range(n))})\n}}\n"
        )

    return _module(
        f"  c = pred[] parameter(0)\n  s = {shape} parameter(1)\n"
        f"  ROOT r = {shape} conditional(c, s, s), true_computation=yes, false_computation=no\n",
        branch("yes", "negate") + branch("no", "abs"),
    )


def many_conditionals(n, rng):
    before = "yes { x = f32[] parameter(0)  ROOT y = f32[] negate(x) }\nno { x = f32[] parameter(0)  ROOT y = f32[] abs(x) }\n"
    lines = [
        f"x{i + 1} = f32[] conditional(c, x{i}, x{i}), true_computation=yes, false_computation=no" for i in range(n)
    ]
    return _module("  c = pred[] parameter(0)\n  x0 = f32[] parameter(1)\n" + _lines(lines), before)


def many_reductions(n, rng):
    lines = [f"r{i} = f32[] reduce(p, z), dimensions={{0}}, to_apply=add" for i in range(n)]
    return _module(
        f"  p = f32[{rng.choice((3, 100, 5000))}] parameter(0)\n  z = f32[] constant(0)\n" + _lines(lines)
        + f"  ROOT r = ({_join(['f32[]'] * n)}) tuple({_join(f'r{i}' for i in range(n))})\n",
        _ADD,
    )


def wide_reduction(n, rng):
    """One reduction of many operands."""
    params = [f"a{i} = f32[] parameter({i})" for i in range(2 * n)]
    sums = [f"s_{i} = f32[] add(a{i}, a{n + i})" for i in range(n)]
    scalars = f"({_join(['f32[]'] * n)})"
    before = "sums {\n" + _lines(params) + _lines(sums) + f"  ROOT r = {scalars} tuple({_join(f's_{i}' for i in range(n))})\n}}\n"
    return _module(
        "  p = f32[10] parameter(0)\n  z = f32[] constant(0)\n"
        f"  ROOT r = {scalars} reduce({_join(['p'] * n)}, {_join(['z'] * n)}), dimensions={{0}}, to_apply=sums\n",
        before,
    )


def wide_sort(n, rng):
    params = [f"a{i} = f32[] parameter({i})" for i in range(2 * n)]
    before = "less {\n" + _lines(params) + "  ROOT c = pred[] compare(a0, a1), direction=LT\n}\n"
    arrays = [f"p{i} = f32[10] parameter({i})" for i in range(n)]
    return _module(
        _lines(arrays) + f"  ROOT r = ({_join(['f32[10]'] * n)}) sort({_join(f'p{i}' for i in range(n))}), dimensions={{0}}, "
        "to_apply=less\n",
        before,
    )


def wide_concatenate(n, rng):
    k = rng.choice((1, 3, 100))
    return _module(
        f"  p = f32[{k}] parameter(0)\n  ROOT r = f32[{n * k}] concatenate({_join(['p'] * n)}), dimensions={{0}}\n"
    )


def many_slices(n, rng):
    lines = [f"s_{i} = f32[1] slice(p), slice={{[{i}:{i + 1}]}}" for i in range(n)]
    lines += [f"t{i} = f32[1] negate(s_{i})" for i in range(n)]
    return _module(
        f"  p = f32[{n}] parameter(0)\n" + _lines(lines)
        + f"  ROOT r = f32[{n}] concatenate({_join(f't{n - 1 - i}' for i in range(n))}), dimensions={{0}}\n"
    )


def many_updates(n, rng):
    size = rng.choice((16, 1000, 100000))
    lines = [f"x{i + 1} = f32[{size}] dynamic-update-slice(x{i}, u, k{i % 8})" for i in range(n)]
    constants = [f"k{i} = s32[] constant({i})" for i in range(8)]
    return _module(f"  x0 = f32[{size}] parameter(0)\n  u = f32[2] parameter(1)\n" + _lines(constants) + _lines(lines))


def many_transposes(n, rng):
    lines = []
    for i in range(n):
        a, b = ("[30,20]", "[20,30]") if i % 2 else ("[20,30]", "[30,20]")
        lines += [f"t{i} = f32{b} transpose(x{i}), dimensions={{1,0}}", f"x{i + 1} = f32{b} tanh(t{i})"]
    return _module("  x0 = f32[20,30] parameter(0)\n" + _lines(lines))


def many_dots(n, rng):
    k = rng.choice((3, 8, 20))
    lines = [
        f"x{i + 1} = f32[{k},{k}] dot(x{i}, x{rng.randint(0, i)}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
        for i in range(n)
    ]
    return _module(f"  x0 = f32[{k},{k}] parameter(0)\n" + _lines(lines))


def many_sizes(n, rng):
    """Every kernel is of another size, or with another constant: none is compiled for two."""
    lines = []
    for i in range(n):
        lines += [
            f"p{i} = f32[{i + 130}] parameter({i})", f"k{i} = f32[] constant({i}.25)",
            f"b{i} = f32[{i + 130}] broadcast(k{i}), dimensions={{}}",
            f"a{i} = f32[{i + 130}] {rng.choice(_BINARY)}(p{i}, b{i})", f"y{i} = f32[{i + 130}] {rng.choice(_UNARY)}(a{i})",
        ]
    return _module(
        _lines(lines)
        + f"  ROOT r = ({_join(f'f32[{i + 130}]' for i in range(n))}) tuple({_join(f'y{i}' for i in range(n))})\n"
    )


def complex_functions(n, rng):
    """Operations that are long functions."""
    ops = ("power", "atan2", "complex")
    lines = []
    for i in range(n):
        if rng.choice(ops) == "power":
            lines.append(f"x{i + 1} = c64[9] power(x{i}, x{rng.randint(0, i)})")
        else:
            lines.append(f"x{i + 1} = c64[9] {rng.choice(('tan', 'log', 'exponential', 'sqrt'))}(x{i})")
    return _module("  x0 = c64[9] parameter(0)\n" + _lines(lines))


def small_functions_in_loop(n, rng):
    """A loop whose body is long: scalars that depend on each other."""
    lines = [f"x{i + 1} = f32[] {rng.choice(_UNARY)}(x{i})" for i in range(n)]
    before = (
        "cond { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] constant(3)\n"
        "  ROOT c = pred[] compare(i, k), direction=LT }\n"
        "body {\n  s = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
        "  j = s32[] add(i, one)\n  x0 = f32[] get-tuple-element(s), index=1\n" + _lines(lines)
        + f"  ROOT r = (s32[], f32[]) tuple(j, x{n})\n}}\n"
    )
    return _module(
        "  p = (s32[], f32[]) parameter(0)\n  ROOT w = (s32[], f32[]) while(p), condition=cond, body=body\n", before
    )


def many_custom_calls(n, rng):
    before = (
        "less { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)\n"
        "  ROOT c = pred[] compare(a, b), direction=GT }\n"
    )
    lines = [
        f'x{i} = (f32[4], s32[4]) custom-call(p), custom_call_target="TopK", called_computations={{less}}' for i in range(n)
    ]
    return _module("  p = f32[9] parameter(0)\n" + _lines(lines), before)


def deep_broadcasts(n, rng):
    lines = []
    for i in range(n):
        lines += [
            f"b{i} = f32[8,8] broadcast(x{i}), dimensions={{{rng.randint(0, 1)}}}",
            f"x{i + 1} = f32[8] reduce(b{i}, z), dimensions={{{rng.randint(0, 1)}}}, to_apply=add",
        ]
    return _module("  x0 = f32[8] parameter(0)\n  z = f32[] constant(0)\n" + _lines(lines), _ADD)


def softmaxes(n, rng):
    lines = []
    for i in range(n):
        lines += [
            f"e{i} = f32[8,64] exponential(x{i})", f"s_{i} = f32[8] reduce(e{i}, z), dimensions={{1}}, to_apply=add",
            f"t{i} = f32[8,64] broadcast(s_{i}), dimensions={{0}}", f"x{i + 1} = f32[8,64] divide(e{i}, t{i})",
        ]
    return _module("  x0 = f32[8,64] parameter(0)\n  z = f32[] constant(0)\n" + _lines(lines), _ADD)


def bit_casts(n, rng):
    lines = []
    for i in range(n):
        lines += [f"b{i} = s32[] bitcast-convert(x{i})", f"x{i + 1} = f32[] bitcast-convert(b{i})"]
    return _module("  x0 = f32[] parameter(0)\n" + _lines(lines))


def metadata(n, rng):
    lines = [
        f'x{i + 1} = f32[] negate(x{i}), metadata={{op_name="a/{i}" source_file="f{i}.py" source_line={i + 1}}}'
        for i in range(n)
    ]
    return _module("  x0 = f32[] parameter(0)\n" + _lines(lines))


SHAPES = {
    f.__name__: f
    for f in (
        wide_tuple, wide_tuple_elements, wide_while, wide_while_turned, wide_while_swapped,
        wide_while_kept, wide_while_vectors,
        wide_while_arrays, many_whiles, deep_whiles, deep_chain, deep_binary, fibonacci, fan_in, deep_fusion, many_fusions,
        many_parameters, many_parameters_out, aliased_parameters, many_constants, many_array_constants, large_constant,
        constants_to_fold, many_callees, deep_callees, doubling_callees, doubling_tuples, nested_tuples, many_branches,
        wide_branches, many_conditionals, many_reductions, wide_reduction, wide_sort, wide_concatenate, many_slices,
        many_updates, many_transposes, many_dots, many_sizes, complex_functions, small_functions_in_loop,
        many_custom_calls, deep_broadcasts, softmaxes, bit_casts, metadata,
    )
}


def text(shape, size, seed):
    """The largest text of this shape that is not much longer than `size` bytes; the same for the same arguments."""

    def make(n):
        return SHAPES[shape](n, random.Random(f"{shape} {seed}"))

    sample = 64
    per_thing = max(1.0, len(make(sample)) / sample)
    for _ in range(3):
        n = max(1, int(size / per_thing))
        made = make(n)
        if len(made) <= 1.05 * size:
            return made
        per_thing = len(made) / n
    return made
