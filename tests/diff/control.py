"""Generators of control flow, tuples and constants. The ops inside are exact, so that the values say
which way was taken."""

import numpy as np

import values
from element_types import TYPES
from programs import Parameter, Program
from generator_parts import computation, generator, indices, ints, shape_text


def exact_op(t):
    return {"pred": "and", "complex": "subtract"}.get(
        t.kind, "subtract" if t.is_integer else "maximum"
    )


@generator("while")
def while_(rng, op, name):
    dims = values.shape(rng, 0, 2)
    state = f"(s32[], {shape_text(name, dims)}, {shape_text(name, dims)})"
    text = computation(
        "condition",
        [state],
        f"""\
  i = s32[] get-tuple-element(a0), index=0
  n = s32[] constant({int(rng.integers(0, 6))})
  ROOT r = pred[] compare(i, n), direction=LT""",
    )
    array = shape_text(name, dims)
    text += computation(
        "body",
        [state],
        f"""\
  i = s32[] get-tuple-element(a0), index=0
  x = {array} get-tuple-element(a0), index=1
  y = {array} get-tuple-element(a0), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  z = {array} {exact_op(TYPES[name])}(x, y)
  ROOT r = {state} tuple(next, y, z)""",
    )
    start = Parameter("s32", [], lambda rng, style: np.array(rng.integers(-2, 3), np.int32))
    return Program(
        "while",
        name,
        [start, Parameter(name, dims), Parameter(name, dims)],
        computations=text,
        check="exact",
        body=f"""\
  state = {state} tuple(p0, p1, p2)
  ROOT r = {state} while(state), condition=condition, body=body""",
    )


@generator("conditional")
def conditional(rng, op, name):
    array = shape_text(name, values.shape(rng, 0, 2))
    dims = [int(d) for d in array.split("[")[1][:-1].split(",") if d]
    pair = f"({array}, {array})"
    count = int(rng.integers(1, 5))
    text = ""
    for i in range(max(count, 2)):
        # The first element, the second one, or something of both.
        text += computation(
            f"branch_{i}",
            [pair],
            f"""\
  {'ROOT ' * (i % 3 == 1)}x = {array} get-tuple-element(a0), index=0
  {'ROOT ' * (i % 3 == 2)}y = {array} get-tuple-element(a0), index=1
  {'ROOT ' * (i % 3 == 0)}z = {array} {exact_op(TYPES[name])}(y, x)""",
        )
    if rng.random() < 0.4:
        names = "true_computation=branch_0, false_computation=branch_1"
        operands = "both, both"
        choose = Parameter("pred", [])
    else:
        operands = ", ".join(["both"] * count)
        names = f"branch_computations={{{', '.join(f'branch_{i}' for i in range(count))}}}"
        choose = indices("s32", [], 0, count)
    return Program(
        "conditional",
        name,
        [choose, Parameter(name, dims), Parameter(name, dims)],
        computations=text,
        check="exact",
        body=f"""\
  both = {pair} tuple(p1, p2)
  ROOT r = {array} conditional(p0, {operands}), {names}""",
    )


@generator("call", "fusion")
def call(rng, op, name):
    dims = values.shape(rng, 0, 3)
    array = shape_text(name, dims)
    text = computation(
        "callee", [array, array], f"  ROOT r = {array} {exact_op(TYPES[name])}(a1, a0)"
    )
    how = "to_apply=callee" if op["name"] == "call" else "kind=kLoop, calls=callee"
    return Program(
        op["name"], name, [Parameter(name, dims)] * 2, how, computations=text, check="exact"
    )


@generator("map")
def map_(rng, op, name):
    dims = values.shape(rng, 0, 3)
    scalar = f"{name}[]"
    text = computation(
        "callee", [scalar, scalar], f"  ROOT r = {scalar} {exact_op(TYPES[name])}(a1, a0)"
    )
    return Program(
        "map",
        name,
        [Parameter(name, dims)] * 2,
        f"dimensions={ints(range(len(dims)))}, to_apply=callee",
        computations=text,
        check="exact",
    )


@generator("tuple", "get-tuple-element", "parameter")
def tuples(rng, op, name):
    dims = values.shape(rng, 0, 3)
    kinds = [name, str(rng.choice(list(TYPES))), name]
    parameters = [Parameter(k, dims) for k in kinds]
    nested = f"({parameters[0].text}, ({parameters[1].text}, {parameters[2].text}))"
    inner = f"({parameters[1].text}, {parameters[2].text})"
    return Program(
        op["name"],
        name,
        parameters,
        check="exact",
        body=f"""\
  t = {inner} tuple(p1, p2)
  u = {nested} tuple(p0, t)
  v = {inner} get-tuple-element(u), index=1
  w = {parameters[2].text} get-tuple-element(v), index=1
  ROOT r = ({parameters[2].text}, {parameters[0].text}) tuple(w, p0)""",
    )


@generator("constant")
def constant(rng, op, name):
    t = TYPES[name]
    dims = [int(rng.integers(0, 30))]

    def number(x):
        if t.kind == "complex":
            return f"({float(x.real)!r}, {float(x.imag)!r})"
        return str(int(x)) if t.is_integer or t.kind == "pred" else repr(float(x))

    texts = ", ".join(number(x) for x in values.draw(rng, name, dims, values.styles(rng)))
    return Program(
        "constant",
        name,
        [],
        check="exact",
        body=f"  ROOT r = {shape_text(name, dims)} constant({{{texts}}})",
    )
