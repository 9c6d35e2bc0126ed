"""Programs for compile times that are too long to be files: text_of("tiny_ops(1000)") is HLO text."""

import re

_SUM = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n"
_CONSTANTS = "  zero = f32[] constant(0)\n  half = f32[] constant(0.5)\n"


def _module(name, shape, lines, result, root, computations=""):
    body = "\n".join(f"  {line}" for line in lines)
    text = f"HloModule {name}\n\n{computations}ENTRY main {{\n  x = {shape} parameter(0)\n{_CONSTANTS}{body}\n"
    return f"{text}  ROOT r = {result} {root}\n}}\n"


def tiny_ops(n):
    """A chain of elementwise operations on 16 numbers."""
    ops = ("add(v{0}, x)", "multiply(v{0}, c)", "maximum(v{0}, x)", "subtract(v{0}, c)")
    lines = ["c = f32[16] broadcast(half), dimensions={}", "v0 = f32[16] add(x, c)"]
    lines += [f"v{i + 1} = f32[16] {ops[i % 4].format(i)}" for i in range(n - 1)]
    return _module("tiny_ops", "f32[16]", lines, "f32[16]", f"negate(v{n - 1})")


def distinct_fusions(n):
    """Chains of ten operations, all different, each with a sum at its end that no other one can share."""
    lines = []
    for i in range(n):
        lines += [
            f"factor{i} = f32[] constant({1 + i * 0.001:.6g})",
            f"b{i} = f32[256] broadcast(factor{i}), dimensions={{}}",
            f"v{i}_0 = f32[256] multiply(x, b{i})",
        ]
        for bit in range(10):
            op = "maximum" if i >> bit & 1 else "add"
            lines.append(f"v{i}_{bit + 1} = f32[256] {op}(v{i}_{bit}, {'x' if bit % 2 else f'b{i}'})")
        lines.append(f"sum{i} = f32[] reduce(v{i}_10, zero), dimensions={{0}}, to_apply=add")
    result = "(" + ", ".join(["f32[]"] * n) + ")"
    return _module(
        "distinct_fusions", "f32[256]", lines, result, f"tuple({', '.join(f'sum{i}' for i in range(n))})", _SUM
    )


def same_fusions(n):
    """One fusion n times; a sum over everything between two of them keeps them apart."""
    lines = ["h = f32[4096] broadcast(half), dimensions={}"]
    last = "x"
    for i in range(n):
        lines += [
            f"m{i} = f32[4096] multiply({last}, h)",
            f"t{i} = f32[4096] tanh(m{i})",
            f"sum{i} = f32[] reduce(t{i}, zero), dimensions={{0}}, to_apply=add",
            f"b{i} = f32[4096] broadcast(sum{i}), dimensions={{}}",
            f"v{i} = f32[4096] add(t{i}, b{i})",
        ]
        last = f"v{i}"
    return _module("same_fusions", "f32[4096]", lines, "f32[4096]", f"negate({last})", _SUM)


def reduce_chain(n):
    """x = x.T * 0.5 + sum(x), n times: whoever computes producers again for each of their users never ends."""
    lines = ["h = f32[4,4] broadcast(half), dimensions={}"]
    last = "x"
    for i in range(n):
        lines += [
            f"t{i} = f32[4,4] transpose({last}), dimensions={{1,0}}",
            f"m{i} = f32[4,4] multiply(t{i}, h)",
            f"sum{i} = f32[] reduce({last}, zero), dimensions={{0,1}}, to_apply=add",
            f"b{i} = f32[4,4] broadcast(sum{i}), dimensions={{}}",
            f"v{i} = f32[4,4] add(m{i}, b{i})",
        ]
        last = f"v{i}"
    return _module("reduce_chain", "f32[4,4]", lines, "f32[4,4]", f"negate({last})", _SUM)


def mixed(n):
    """About n instructions as a model has them: products, sums over rows, elementwise chains, transposes, slices."""
    lines = ["h = f32[32,32] broadcast(half), dimensions={}"]
    last = "x"
    for i in range(max(1, n // 12)):
        lines += [
            f"d{i} = f32[32,32] dot({last}, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
            f"t{i} = f32[32,32] tanh(d{i})",
            f"sum{i} = f32[32] reduce(t{i}, zero), dimensions={{1}}, to_apply=add",
            f"b{i} = f32[32,32] broadcast(sum{i}), dimensions={{0}}",
            f"q{i} = f32[32,32] multiply(b{i}, h)",
            f"a{i} = f32[32,32] subtract(t{i}, q{i})",
            f"turn{i} = f32[32,32] transpose(a{i}), dimensions={{1,0}}",
            f"l{i} = f32[32,16] slice(turn{i}), slice={{[0:32], [0:16]}}",
            f"r{i} = f32[32,16] slice(turn{i}), slice={{[0:32], [16:32]}}",
            f"cat{i} = f32[32,32] concatenate(r{i}, l{i}), dimensions={{1}}",
            f"m{i} = f32[32,32] maximum(cat{i}, h)",
            f"v{i} = f32[32,32] add(m{i}, {last})",
        ]
        last = f"v{i}"
    return _module("mixed", "f32[32,32]", lines, "f32[32,32]", f"negate({last})", _SUM)


_KINDS = {
    function.__name__: (function, shape)
    for function, shape in (
        (tiny_ops, "f32[16]"),
        (distinct_fusions, "f32[256]"),
        (same_fusions, "f32[4096]"),
        (reduce_chain, "f32[4,4]"),
        (mixed, "f32[32,32]"),
    )
}


def _parse(how):
    name, n = re.fullmatch(r"(\w+)\((\d+)\)", how).groups()
    return (*_KINDS[name], int(n))


def text_of(how):
    function, _, n = _parse(how)
    return function(n)


def arguments_of(how):
    """The shapes of its arguments."""
    return [_parse(how)[1]]


def describe(how):
    return _parse(how)[0].__doc__.strip().rstrip(".")
