"""Generators of linear algebra, transforms, random bits, batch normalisation, dynamic sizes, scans."""

import numpy as np

import values
from element_types import TYPES
from programs import Parameter, Program, same_width_unsigned
from control import exact_op
from generator_parts import computation, generator, identity, ints, reducer, shape_text


def batch_dims(rng):
    return [int(rng.integers(1, 4)) for _ in range(int(rng.integers(0, 3)))]


def is_inexact(name):
    return TYPES[name].is_float or TYPES[name].kind == "complex"


def normal(rng, name, dims):
    t = TYPES[name]
    array = rng.standard_normal(dims)
    return array + 1j * rng.standard_normal(dims) if t.kind == "complex" else array


@generator("cholesky")
def cholesky(rng, op, name):
    n = int(rng.integers(0, 12))
    dims = [*batch_dims(rng), n, n]

    def draw(rng, style):
        b = normal(rng, name, dims)
        return (b @ np.conj(np.swapaxes(b, -1, -2)) / max(n, 1) + 2 * np.eye(n)).astype(
            TYPES[name].memory
        )

    return Program(
        "cholesky",
        name,
        [Parameter(name, dims, draw if is_inexact(name) else None)],
        f"lower={rng.choice(['true', 'false'])}",
        check="cholesky",
        styles=("tame",),
    )


@generator("triangular-solve")
def triangular_solve(rng, op, name):
    n, m = int(rng.integers(1, 12)), int(rng.integers(0, 6))
    batch = batch_dims(rng)
    left, lower, unit = (bool(rng.integers(0, 2)) for _ in range(3))
    how = str(rng.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]))

    def draw(rng, style):
        return (0.5 * normal(rng, name, [*batch, n, n]) + 3 * np.eye(n)).astype(TYPES[name].memory)

    text = {True: "true", False: "false"}
    return Program(
        "triangular-solve",
        name,
        [
            Parameter(name, [*batch, n, n], draw if is_inexact(name) else None),
            Parameter(name, [*batch, n, m] if left else [*batch, m, n]),
        ],
        f"left_side={text[left]}, lower={text[lower]}, unit_diagonal={text[unit]}, transpose_a={how}",
        check="triangular",
        styles=("tame",),
        facts={"left": left, "lower": lower, "unit": unit, "how": how},
    )


@generator("fft")
def fft(rng, op, name):
    t = TYPES[name]
    lengths = [
        int(rng.choice([1, 2, 3, 4, 5, 8, 12, 17, 32])) for _ in range(int(rng.integers(1, 4)))
    ]
    while np.prod(lengths) > 2000:
        lengths.pop()
    dims = [*batch_dims(rng), *lengths]
    kind = str(rng.choice(["FFT", "IFFT", "IRFFT"])) if t.kind == "complex" else "RFFT"
    if kind == "IRFFT":
        dims[-1] = lengths[-1] // 2 + 1
    return Program(
        "fft",
        name,
        [Parameter(name, dims)],
        f"fft_type={kind}, fft_length={ints(lengths)}",
        check="fft",
        styles=("tame",),
        facts={"lengths": lengths, "kind": kind},
    )


@generator("rng-bit-generator")
def rng_bit_generator(rng, op, name):
    algorithm = str(rng.choice(["rng_default", "rng_three_fry", "rng_philox"]))
    state = [2] if algorithm == "rng_three_fry" else [int(rng.choice([2, 3]))]
    result = f"({shape_text('u64', state)}, {shape_text(name, values.shape(rng, 0, 3))})"
    return Program(
        op["name"], name, [Parameter("u64", state)], f"algorithm={algorithm}", result, check="exact"
    )


@generator("batch-norm-training", "batch-norm-inference", "batch-norm-grad")
def batch_norm(rng, op, name):
    dims = [int(rng.choice([1, 2, 3, 5, 16])) for _ in range(int(rng.integers(1, 4)))]
    feature = int(rng.integers(0, len(dims)))
    vector = [dims[feature]]

    def positive(rng, style):
        return rng.uniform(0.25, 4, vector).astype(TYPES[name].memory)

    count = {"batch-norm-training": 2, "batch-norm-inference": 3, "batch-norm-grad": 2}[op["name"]]
    parameters = [Parameter(name, dims)] + [Parameter(name, vector) for _ in range(count)]
    if op["name"] != "batch-norm-training":
        parameters.append(Parameter(name, vector, positive))
    if op["name"] == "batch-norm-grad":
        parameters.append(Parameter(name, dims))
    epsilon = float(rng.choice([0.0009765625, 0.125, 1.0]))
    return Program(
        op["name"],
        name,
        parameters,
        f"epsilon={epsilon}, feature_index={feature}",
        check="batch norm",
        styles=("tame",),
        facts={"feature": feature, "epsilon": epsilon},
    )


def small_integers(name, dims):
    def draw(rng, style):
        parts = rng.integers(-9, 10, (2, *dims))
        return (parts[0] + 1j * parts[1]).astype(TYPES[name].memory)

    return draw


@generator("set-dimension-size", "dynamic-reshape")
def dynamic(rng, op, name):
    """What later ops do with the padding: a fold over a dimension of which only a part is there."""
    t = TYPES[name]
    fold, text, _ = reducer(rng, t, sums=False)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    parts = int(rng.integers(0, n + 1))
    size = Parameter("s32", [], lambda rng, style: np.array(parts, np.int32))
    width = Parameter("s32", [], lambda rng, style: np.array(m, np.int32))
    product = Parameter("s32", [], lambda rng, style: np.array(parts * m, np.int32))
    if op["name"] == "set-dimension-size":
        at = int(rng.integers(0, 2))
        sizes = ["<=" + str(d) if i == at else str(d) for i, d in enumerate([n, m][:: 1 - 2 * at])]
        dims = [n, m] if at == 0 else [m, n]
        body = f"""\
  d = {shape_text(name, sizes)} set-dimension-size(p0, p2), dimensions={{{at}}}"""
    else:
        at, dims = 0, [n * m]
        body = f"""\
  c = {name}[<={n * m}] set-dimension-size(p0, p4), dimensions={{0}}
  d = {name}[<={n},{m}] dynamic-reshape(c, p2, p3)"""
    return Program(
        op["name"],
        name,
        [
            # Of complex numbers, which have no maximum: sums without rounding.
            Parameter(name, dims, small_integers(name, dims) if t.kind == "complex" else None),
            identity(fold, name),
            size,
            width,
            product,
        ],
        computations=text,
        check="exact",
        body=f"""{body}
  n = s32[] get-dimension-size(d), dimensions={{{at}}}
  f = reduce(d, p1), dimensions={{{at}}}, to_apply=fold
  ROOT r = tuple(f, n)""",
    )


@generator("stochastic-convert")
def stochastic_convert(rng, op, name):
    dims = values.shape(rng)
    result = str(rng.choice(["s8", "s16", "s32", "s64"]))
    return Program(
        op["name"],
        name,
        [Parameter(name, dims), Parameter(same_width_unsigned(name), dims)],
        result=shape_text(result, dims),
        check="exact",
    )


@generator("scan")
def scan(rng, op, name):
    """Two inputs and a carry that is a slice of them; each step is exact or rounds once, as IEEE says."""
    t = TYPES[name]
    dims = values.shape(rng, 1, 3, 200)
    at = int(rng.integers(0, len(dims)))
    carry = shape_text(name, dims[:at] + dims[at + 1 :])
    combine = "xor" if t.kind == "pred" else "subtract"
    text = computation(
        "step",
        [carry] * 3,
        f"""\
  x = {carry} {combine}(a0, a2)
  y = {carry} {exact_op(t)}(x, a1)
  ROOT r = ({carry}, {carry}, {carry}) tuple(y, x, x)""",
    )
    array = shape_text(name, dims)
    return Program(
        "scan",
        name,
        [Parameter(name, dims), Parameter(name, dims), Parameter(name, dims[:at] + dims[at + 1 :])],
        f"dimensions={{{at}}}, is_reverse={rng.choice(['true', 'false'])}, num_carries=1, "
        "to_apply=step",
        f"({array}, {array}, {carry})",
        text,
        check="exact",
    )


@generator("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh")
def beside_another(rng, op, name):
    """XLA:CPU has these only in fusions: with a negate, which is exact. Complex ones end its process."""
    if TYPES[name].kind == "complex":
        return None
    dims = values.shape(rng)
    array = shape_text(name, dims)
    return Program(
        op["name"],
        name,
        [Parameter(name, dims)],
        body=f"  f = {array} {op['name']}(p0)\n  ROOT r = {array} negate(f)",
    )
