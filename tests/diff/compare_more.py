"""Bounds of linear algebra, transforms and batch normalisation, computed in f64 from the arguments."""

import numpy as np

from compare import CHECKS, all_parts, near, real_type
from element_types import type_of


def wide(array):
    return array.astype(np.complex128 if type_of(array).kind == "complex" else np.float64)


def cholesky(context, i):
    """n u cond(A) |L|: the matrices are drawn well conditioned."""
    a, x = context.axle[i], context.xla[i]
    if a.size == 0:
        return np.ones(a.shape, bool)
    matrix = wide(context.arguments[0])
    n = matrix.shape[-1]
    size = np.abs(wide(a)).max(axis=(-1, -2), keepdims=True)
    condition = np.linalg.cond(np.tril(matrix) + np.conj(np.swapaxes(np.tril(matrix, -1), -1, -2)))[
        ..., None, None
    ]
    bound = 4 * (n + 2) * real_type(a).unit_roundoff * condition * size
    zeros = (wide(a) == 0) & (wide(x) == 0)
    return all_parts(lambda p, q: near(p, q, np.broadcast_to(bound, a.shape)), a, x) | zeros


def triangular(context, i):
    """gamma |T^-1| |T| |x|, element by element."""
    a, x = context.axle[i], context.xla[i]
    if a.size == 0:
        return np.ones(a.shape, bool)
    facts = context.program.facts
    matrix = wide(context.arguments[0])
    matrix = np.tril(matrix) if facts["lower"] else np.triu(matrix)
    n = matrix.shape[-1]
    if facts["unit"]:
        matrix = matrix - matrix * np.eye(n) + np.eye(n)
    if facts["how"] != "NO_TRANSPOSE":
        matrix = np.swapaxes(matrix, -1, -2)
    growth = np.abs(np.linalg.inv(matrix)) @ np.abs(matrix)
    solution = np.abs(wide(a))
    spread = (
        growth @ solution
        if facts["left"]
        else solution @ (np.abs(matrix) @ np.abs(np.linalg.inv(matrix)))
    )
    bound = 8 * (n + 2) * real_type(a).unit_roundoff * spread
    return all_parts(lambda p, q: near(p, q, bound), a, x)


def fft(context, i):
    """A few log2(N) u times the sum of magnitudes that goes into every bin."""
    a, x = context.axle[i], context.xla[i]
    if a.size == 0:
        return np.ones(a.shape, bool)
    facts = context.program.facts
    axes = tuple(range(-len(facts["lengths"]), 0))
    count = np.prod(facts["lengths"])
    size = np.abs(wide(context.arguments[0])).sum(axis=axes, keepdims=True)
    if facts["kind"] in ("IFFT", "IRFFT"):
        size = 2 * size / count
    bound = (8 + 4 * np.log2(count)) * real_type(a).unit_roundoff * size
    return all_parts(lambda p, q: near(p, q, np.broadcast_to(bound, a.shape)), a, x)


def batch_norm(context, i):
    """gamma_m times the formula with every term replaced by its magnitude."""
    a, x = context.axle[i], context.xla[i]
    if a.size == 0:
        return np.ones(a.shape, bool)
    facts, name = context.program.facts, context.program.op
    args = [wide(v) for v in context.arguments]
    operand = args[0]
    others = tuple(d for d in range(operand.ndim) if d != facts["feature"])
    m = operand.size // operand.shape[facts["feature"]]
    wide_shape = [1] * operand.ndim
    wide_shape[facts["feature"]] = -1

    def spread(v):
        return v.reshape(wide_shape)

    def mean(v):
        return v.mean(axis=others)

    u = real_type(a).unit_roundoff
    gamma = 8 * (m + 8) * u
    if name == "batch-norm-training":
        square = mean(operand**2)
        root = 1 / np.sqrt(np.var(operand, axis=others) + facts["epsilon"])
        scale, offset = args[1:3]
        y = np.abs(spread(scale * root)) * (np.abs(operand) + spread(mean(np.abs(operand)))) * (
            1 + spread(square * root**2)
        ) + np.abs(spread(offset))
        size = [y, mean(np.abs(operand)), 2 * square][i]
    elif name == "batch-norm-inference":
        scale, offset, average, variance = args[1:]
        root = 1 / np.sqrt(variance + facts["epsilon"])
        gamma = 12 * u
        size = np.abs(spread(scale * root)) * (np.abs(operand) + np.abs(spread(average))) + np.abs(
            spread(offset)
        )
    else:
        scale, average, variance, gradient = args[1:]
        root = 1 / np.sqrt(variance + facts["epsilon"])
        centred = np.abs(operand) + np.abs(spread(average))
        g = np.abs(gradient)
        products = mean(g * centred)
        size = [
            np.abs(spread(scale * root))
            * (g + spread(mean(g)) + centred * spread(products * root**2)),
            m * products * root,
            m * mean(g),
        ][i]
    return near(a, x, gamma * size)


CHECKS.update(
    {"cholesky": cholesky, "triangular": triangular, "fft": fft, "batch norm": batch_norm}
)
