#!/usr/bin/env python3
"""Writes bench/programs/: the programs of the comparison with XLA:CPU, and what the comparison has to know of them.

    bench/make_programs.py            write all of them
    bench/make_programs.py --check    say whether the files are what this script writes; nothing is changed

Each program is a function of JAX below, exported as HLO text; both sides read that text. manifest.json says for each
what fills its arguments, which of them are donated, and what it must move and compute. Needs JAX:
scripts/deps.sh --compare.
"""

import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "bench")]
import jaxlib_python  # noqa: E402

jaxlib_python.enter()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax, nn  # noqa: E402

from compare import generated, programs  # noqa: E402
from compare.programs import dtype_of  # noqa: E402
from program_writer import Argument, Writer, is_argument, product, shaped  # noqa: E402

f32, bf16, f16, f64, s32, c64 = jnp.float32, jnp.bfloat16, jnp.float16, jnp.float64, jnp.int32, jnp.complex64
writer = Writer(programs.SUITES["programs"])
define = writer.define


# --- E: elementwise ------------------------------------------------------------------------------------------------


def elementwise():
    for n in (128, 1024, 16384):
        shape = shaped("f32", 1, 2, 1, n, 256)
        define(f"E1.{n}", jnp.add, shape, shape, headline=True, flops=2 * n * 256)
    define("E2", lambda a, b, c: nn.relu(a * b + c), *["bf16[4096,1024]"] * 3, headline=True, flops=3 * 2**22)

    def chain(x):
        for k in range(10):
            x = jnp.maximum(x * (1.0 - k / 128) + k / 8, -2.0 - k)
        return x

    define("E3", chain, "f32[1048576]", headline=True, flops=30 * 2**20)
    define("E4", lambda x, row, column: x + row + column, "f32[1024,1024]", "f32[1024]", "f32[1024,1]", flops=2**21)
    define("E5.f32bf16", lambda x: x.astype(bf16), "f32[4096,4096]", headline=True, flops=2**24)
    define("E5.bf16f32", lambda x: x.astype(f32), "bf16[4096,4096]", headline=True, flops=2**24)
    define("E5.dequant", lambda q: (q.astype(f32) - 5.0) * 0.03125, "s8[4096,4096]", headline=True, flops=2**25)

    def integers(a, b, c, p):
        larger = jnp.clip(jnp.where(a > b, a, b + 1), -40, 60)
        return jnp.where(p & (c < 200), larger, a), c + p.astype(jnp.uint8)

    shape = "[2048,2048]"
    define(
        "E6",
        integers,
        *[Argument(t + shape, "integers(-100,100)") for t in ("s32", "s32")],
        Argument("u8" + shape, "integers(0,255)"),
        Argument("pred" + shape, "integers(0,2)"),
        flops=6 * 2**22,
    )
    for n, name in ((2**20, "1M"), (2**24, "16M")):
        define(f"E7.{name}", adam, *adam_state(n), headline=True, flops=14.0 * n, donate=(0, 1, 2))
    # Sizes between 4 K and 1 M, spread evenly over the octaves.
    sizes = [int(4096 * 2 ** (8 * ((37 * i) % 120) / 119)) for i in range(120)]
    columns = [list(c) for c in zip(*(adam_state(n) for n in sizes))]
    define("E7.120", adam_of_lists, *columns, headline=True, flops=14.0 * sum(sizes), donate=(0, 1, 2))
    define("E8", lambda a, b: jnp.abs(a * b), "c64[1048576]", "c64[1048576]", flops=10 * 2**20)


def adam(parameter, mean, variance, gradient):
    mean = 0.9 * mean + 0.1 * gradient
    variance = 0.999 * variance + 0.001 * (gradient * gradient)
    step = 1.25 * mean / (jnp.sqrt(1.1 * variance) + 1e-8)
    return parameter - 0.001 * step, mean, variance


def adam_of_lists(parameters, means, variances, gradients):
    new = [adam(*state) for state in zip(parameters, means, variances, gradients)]
    return tuple([state[i] for state in new] for i in range(3))


def adam_state(*dims):
    shape = shaped("f32", *dims)
    return (Argument(shape), Argument(shape, "uniform(0,0.1)"), Argument(shape, "uniform(0.01,1)"), Argument(shape))


# --- T: transcendental functions -----------------------------------------------------------------------------------


def transcendental():
    positive = "uniform(0.25,4)"
    for name, function in (("exp", jnp.exp), ("log", jnp.log), ("tanh", jnp.tanh)):
        for shape, label in (("f32[4096]", "4096"), ("f32[1048576]", "1M"), ("bf16[1048576]", "bf16")):
            define(f"T1.{name}.{label}", function, Argument(shape, positive), headline=True)
    define("T2", lambda x, bias: nn.gelu(x + bias), "f32[512,3072]", "f32[3072]", headline=True)
    define("T3", lambda a, x, b, c: jnp.tanh(a * x + b) * c, *["f32[4194304]"] * 4, headline=True)
    unary = {
        "sincos": lambda x: jnp.sin(x) + jnp.cos(x),
        "erf": lax.erf,
        "log1p": jnp.log1p,
        "expm1": jnp.expm1,
        "pow": lambda x: x**1.7,
        "rsqrt": lax.rsqrt,
        "cbrt": jnp.cbrt,
    }
    for name, function in unary.items():
        define(f"T4.{name}", function, Argument("f32[262144]", positive))
    define("T4.atan2", jnp.arctan2, "f32[262144]", "f32[262144]")
    for name, function in (("exp", jnp.exp), ("tanh", jnp.tanh), ("sincos", unary["sincos"]), ("pow", unary["pow"])):
        define(f"T4.{name}.f64", function, Argument("f64[65536]", positive), peak="f64")
    define("T5", lambda x: nn.silu(nn.softplus(nn.sigmoid(x))), "bf16[4096,768]")


# --- R: reductions -------------------------------------------------------------------------------------------------


def reductions():
    for n in (1024, 8192):
        for name, dims in (("all", None), ("minor", 1), ("major", 0)):
            define(
                f"R1.{name}.{n}",
                lambda x, dims=dims: jnp.sum(x, dims),
                shaped("f32", n, n),
                headline=True,
                flops=n * n,
                tolerance=1e-4,
            )
    define("R2.sum", lambda x: x.sum(2), "bf16[1,4096,1024]", headline=True, flops=2**22)
    define("R2.mean", lambda x: x.mean(1), "bf16[1,4096,1024]", headline=True, flops=2**22)
    shape = "f32[1024,4096]"
    define("R3.maxargmax", lambda x: (x.max(1), x.argmax(1)), shape, flops=2**23)
    define("R3.minprod", lambda x: (x.min(1), x.prod(1)), Argument(shape, "uniform(0.9,1.1)"), flops=2**23)
    define("R3.andor", lambda x: ((x < 3).all(1), (x > 3).any(1)), shape, flops=2**23)

    def statistics(x):
        mean = x.mean((0, 1, 2))
        return mean, (x * x).mean((0, 1, 2)) - mean * mean

    define("R4", statistics, "f32[32,56,56,64]", headline=True, flops=3 * product(32, 56, 56, 64))
    define("R5", lambda x: (x * x).sum(), "f32[1,2,1,16384,256]", flops=2**24)
    size = product(8, 112, 112, 64)
    images = "f32[8,112,112,64]"
    define("R6.max3s2", max_pool, images, flops=9 * size / 4)
    define("R6.avg2", lambda x: window_sum(x, 2, 2) * 0.25, images, flops=size)
    define("R6.sum3", lambda x: window_sum(x, 3, 1), images, flops=9 * size)
    define("R7", lambda x, g: jax.vjp(max_pool, x)[1](g)[0], images, "f32[8,56,56,64]", flops=9 * size / 4)


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def window_sum(x, size, stride):
    return lax.reduce_window(x, 0.0, lax.add, (1, size, size, 1), (1, stride, stride, 1), "SAME")


# --- N: softmax, normalisation, attention --------------------------------------------------------------------------


def normalisation():
    for label, dims in (("1Kx1K", (1024, 1024)), ("1Kx4K", (1024, 4096)), ("8x1Kx1K", (8, 1024, 1024))):
        shape, size = shaped("f32", *dims), product(*dims)
        define(f"N1.{label}", nn.softmax, shape, headline=True, flops=4 * size)
        define(f"N3.rms.{label}", rms_norm, shape, headline=True, flops=4 * size)
        define(f"N3.z.{label}", z_score, shape, headline=True, flops=6 * size)
    scale = [Argument("f32[768]", "uniform(0.5,1.5)"), Argument("f32[768]")]
    define("N2.bf16", layer_norm, "bf16[1,4096,768]", *scale, headline=True, flops=8 * product(4096, 768))

    def with_gradient(x, gain, bias, gradient):
        value, backward = jax.vjp(layer_norm, x, gain, bias)
        return (value, *backward(gradient))

    define(
        "N2.grad", with_gradient, "f32[512,768]", *scale, "f32[512,768]", headline=True, flops=24 * product(512, 768)
    )
    heads = shaped("bf16", 1, 12, 128, 64)
    define("N4", attention, heads, heads, heads, headline=True, flops=4.0 * 12 * 128 * 128 * 64, peak="bf16")
    for h, n in ((12, 1024), (4, 2048)):
        shape = shaped("f32", 1, h, n, 64)
        define(
            f"N5.{h}x{n}",
            lambda q, k, v: attention(q, k, v, causal=True),
            shape,
            shape,
            shape,
            headline=True,
            flops=4.0 * h * n * n * 64,
        )
    define(
        "N6",
        jax.value_and_grad(cross_entropy),
        "f32[256,32000]",
        Argument("s32[256]", "integers(0,32000)"),
        flops=6 * product(256, 32000),
    )


def rms_norm(x):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def z_score(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / (jnp.sqrt(jnp.mean(centred * centred, -1, keepdims=True)) + 1e-6)


def layer_norm(x, gain, bias):
    wide = x.astype(f32)
    centred = wide - wide.mean(-1, keepdims=True)
    variance = jnp.mean(centred * centred, -1, keepdims=True)
    return (centred * lax.rsqrt(variance + 1e-5) * gain + bias).astype(x.dtype)


def attention(queries, keys, values, causal=False):
    scores = jnp.einsum("bhqd,bhkd->bhqk", queries, keys, preferred_element_type=f32) / math.sqrt(queries.shape[-1])
    if causal:
        n = scores.shape[-1]
        row, column = (lax.broadcasted_iota(s32, (n, n), d) for d in (0, 1))
        scores = jnp.where(column <= row, scores, -1e30)
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(scores).astype(values.dtype), values)


def cross_entropy(logits, labels):
    log_probabilities = nn.log_softmax(logits)
    return -jnp.take_along_axis(log_probabilities, labels[:, None], 1).mean()


# --- D: dot --------------------------------------------------------------------------------------------------------


def dot(id, m, k, n, type="f32", result=None, lhs=1, rhs=0, **more):
    """m x k times k x n; `lhs` and `rhs` are the dimensions that are contracted."""
    numbers = ((lhs,), (rhs,)), ((), ())
    result = dtype_of(result or type)
    define(
        id,
        lambda a, b: lax.dot_general(a, b, numbers, preferred_element_type=result),
        shaped(type, *((m, k) if lhs == 1 else (k, m))),
        shaped(type, *((k, n) if rhs == 0 else (n, k))),
        flops=(8.0 if type == "c64" else 2.0) * m * n * k,
        **more,
    )


def batched(id, b, m, k, n, **more):
    define(id, jnp.matmul, shaped("f32", b, m, k), shaped("f32", b, k, n), flops=2.0 * b * m * n * k, **more)


def dots():
    for n in (64, 128, 256, 512, 1024, 2048):
        dot(f"D1.{n}", n, n, n, headline=True)
    for m, k, n in ((1, 4096, 4096), (8, 4096, 4096), (32, 4096, 4096), (1, 512, 2048), (16, 1024, 1024)):
        dot(f"D2.{m}x{k}x{n}", m, k, n, headline=True)
    dot("D3.ABt", 512, 768, 3072, rhs=1, headline=True)
    dot("D3.AtB", 512, 3072, 768, lhs=0, headline=True)
    for b, m, k, n in ((64, 64, 64, 64), (12, 128, 64, 128), (1024, 8, 8, 8), (8, 512, 512, 512)):
        batched(f"D4.{b}x{m}x{k}x{n}", b, m, k, n, headline=True)
    for n in (256, 1024):
        dot(f"D5.bf16f32.{n}", n, n, n, "bf16", "f32", headline=True, peak="bf16", tolerance=0.01)
        dot(f"D5.bf16.{n}", n, n, n, "bf16", headline=True, peak="bf16")
    dot("D5.g1.1x1152x262144", 1, 1152, 262144, "bf16", headline=True, peak="bf16")
    dot("D5.g2.11x1152x13824t", 11, 1152, 13824, "bf16", rhs=1, headline=True, peak="bf16")
    dot("D5.g3.11x6912x1152", 11, 6912, 1152, "bf16", headline=True, peak="bf16")
    for n in (512, 1024):
        dot(f"D6.s8.{n}", n, n, n, "s8", "s32", peak="s8", check="exact")
    dot("D6.s32.512", 512, 512, 512, "s32", peak="none", check="exact")
    batched_s32 = shaped("s32", 8, 512, 512)
    define("D6.s32.8x512", jnp.matmul, batched_s32, batched_s32, flops=16.0 * 512**3, peak="none", check="exact")
    dot("D7.f64", 512, 512, 512, "f64", peak="f64")
    dot("D7.c64", 512, 512, 512, "c64")
    dot("D7.f16", 512, 512, 512, "f16", tolerance=0.02)
    for k, n in ((32, 128), (128, 512), (512, 1024)):
        define(f"D8.{k}x{n}", jnp.matmul, shaped("f32", k), shaped("f32", k, n), headline=True, flops=2.0 * k * n)
        define(
            f"D8.b8.{k}x{n}",
            lambda x, w: jnp.einsum("bk,bkn->bn", x, w),
            shaped("f32", 8, k),
            shaped("f32", 8, k, n),
            headline=True,
            flops=16.0 * k * n,
        )

    def perceptron(x, w1, b1, w2, b2):
        return x + nn.gelu(x @ w1 + b1) @ w2 + b2

    for m in (1, 128):
        define(
            f"D9.{m}",
            perceptron,
            shaped("f32", m, 768),
            Argument("f32[768,3072]", "normal*0.03"),
            "f32[3072]",
            Argument("f32[3072,768]", "normal*0.03"),
            "f32[768]",
            headline=True,
            flops=4.0 * m * 768 * 3072,
        )
    dot("D10.33x65x17", 33, 65, 17)
    dot("D10.1024x1024x10", 1024, 1024, 10)
    batched("D10.32x100x50x70", 32, 100, 50, 70)


# --- C: convolution ------------------------------------------------------------------------------------------------


def convolution(id, batch, spatial, channels, kernel, features, stride=1, groups=1, type="f32", nchw=False, **more):
    """Square kernels, padded to the input's size; `spatial` is the side of the square images."""
    x, w, out = (spatial, spatial), (kernel, kernel), -(-spatial // stride)
    if nchw:
        layout, x, w = ("NCHW", "OIHW", "NCHW"), (batch, channels, *x), (features, channels // groups, *w)
    else:
        layout, x, w = ("NHWC", "HWIO", "NHWC"), (batch, *x, channels), (*w, channels // groups, features)

    def function(images, filters):
        return lax.conv_general_dilated(
            images, filters, (stride, stride), "SAME", dimension_numbers=layout, feature_group_count=groups
        )

    define(
        id,
        function,
        shaped(type, *x),
        shaped(type, *w),
        flops=2.0 * batch * out * out * kernel * kernel * (channels // groups) * features,
        **more,
    )


def convolutions():
    layers = (
        ("7x7s2", 224, 3, 7, 64, 2),
        ("1x1.56.64", 56, 64, 1, 64, 1),
        ("3x3.56.64", 56, 64, 3, 64, 1),
        ("1x1.56.256", 56, 64, 1, 256, 1),
        ("3x3s2.56.128", 56, 128, 3, 128, 2),
        ("3x3.28.128", 28, 128, 3, 128, 1),
        ("3x3.14.256", 14, 256, 3, 256, 1),
        ("1x1.14.1024", 14, 1024, 1, 256, 1),
        ("3x3.7.512", 7, 512, 3, 512, 1),
        ("1x1.7.2048", 7, 2048, 1, 512, 1),
    )
    for batch in (1, 8):
        for name, *sizes in layers:
            convolution(f"C1.{name}.n{batch}", batch, *sizes, headline=True)
    for spatial, channels in ((56, 64), (28, 128), (14, 256)):
        # NHWC at batch 1 and 8 are layers of C1.
        convolution(f"C2.{spatial}.n32", 32, spatial, channels, 3, channels, headline=True)
        for batch in (1, 8):
            convolution(f"C2.{spatial}.nchw.n{batch}", batch, spatial, channels, 3, channels, nchw=True, headline=True)
    convolution("C3.bf16.nchw", 1, 56, 256, 3, 256, groups=256, type="bf16", nchw=True, headline=True)
    convolution("C3.112.32", 16, 112, 32, 3, 32, groups=32, headline=True)
    convolution("C3.14.512", 16, 14, 512, 3, 512, groups=512, headline=True)
    convolution("C4.128.4.8", 8, 128, 4, 3, 8)
    convolution("C4.32.128.1024", 32, 32, 128, 3, 1024)
    convolution("C4.64.32.64", 32, 64, 32, 3, 64)
    convolution("C4.56.256s2", 32, 56, 256, 1, 128, stride=2)
    rows = ("NHC", "HIO", "NHC")
    define(
        "C5.256",
        lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=rows),
        "f32[32,256,4]",
        "f32[3,4,16]",
        flops=2.0 * 32 * 256 * 3 * 4 * 16,
    )
    define(
        "C5.transposed",
        lambda x, w: lax.conv_general_dilated(x, w, (1,), [(255, 255)], lhs_dilation=(64,), dimension_numbers=rows),
        "f32[16,129,400]",
        "f32[256,400,1]",
        flops=2.0 * 16 * 129 * 400 * 256,
    )

    def layer(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    images, weights = "f32[32,56,56,64]", "f32[3,3,64,64]"
    flops = 2.0 * 32 * 56 * 56 * 9 * 64 * 64
    zeros = {s: jax.ShapeDtypeStruct(Argument(s).dims, f32) for s in (images, weights)}
    define(
        "C6.input",
        lambda w, g: jax.linear_transpose(lambda x: layer(x, w), zeros[images])(g)[0],
        weights,
        images,
        flops=flops,
    )
    define(
        "C6.filter",
        lambda x, g: jax.linear_transpose(lambda w: layer(x, w), zeros[weights])(g)[0],
        images,
        images,
        flops=flops,
        tolerance=1e-3,
    )


# --- G: data movement, indexing, sorting ---------------------------------------------------------------------------


def movement():
    table, ids = "f32[50000,256]", Argument("s32[4096]", "integers(0,50000)")
    define("G1.gather", rows_of, table, ids, headline=True, bytes=2.0 * 4096 * 1024)
    define(
        "G1.scatter",
        lambda t, i, g: t.at[i].add(g, mode="drop"),
        table,
        ids,
        "f32[4096,256]",
        headline=True,
        bytes=3.0 * 4096 * 1024,
        donate=(0,),
        tolerance=1e-4,
    )
    for rows, width in ((10, 32), (100, 32), (10, 512), (100, 512)):
        define(
            f"G2.{rows}x{width}",
            rows_of,
            shaped("s32", rows, width),
            Argument(shaped("s32", rows), f"integers(0,{rows})"),
        )
    define(
        "G3.f32",
        lambda t, i, u: t.at[i].add(u, mode="drop"),
        "f32[500,64,8]",
        Argument("s32[100]", "integers(0,500)"),
        "f32[100,64,8]",
        headline=True,
    )
    define(
        "G3.s32",
        lambda t, i, u: t.at[i].add(u, mode="drop", unique_indices=True),
        "s32[262144]",
        Argument("s32[262144]", "permutation"),
        "s32[262144]",
        headline=True,
        check="exact",
    )
    for shape, label in (
        ("bf16[1024,4096]", "bf16.1024x4096"),
        ("f32[64,8732]", "f32.64x8732"),
        ("f32[1048576]", "f32.1M"),
    ):
        define(f"G4.{label}", jnp.sort, shape, headline=True, check="exact")
    define("G4.argsort.bf16", jnp.argsort, "bf16[1024,512]", headline=True, check="exact")
    define("G5.bf16.50000", lambda x: lax.top_k(x, 10), "bf16[1,50000]", headline=True, check="exact")
    define("G5.f32.64x4096", lambda x: lax.top_k(x, 64), "f32[64,4096]", headline=True, check="exact")
    shape, size = "f32[1024,4096]", 2.0**22
    define("G6.cumsum0", lambda x: jnp.cumsum(x, 0), shape, headline=True, flops=size, tolerance=1e-4)
    define("G6.cumsum1", lambda x: jnp.cumsum(x, 1), shape, headline=True, flops=size, tolerance=1e-4)
    define("G6.cummax1", lambda x: lax.cummax(x, 1), shape, headline=True, flops=size, check="exact")
    define(
        "G6.scan1", lambda x: lax.associative_scan(jnp.add, x, axis=1), shape, headline=True, flops=size, tolerance=1e-4
    )
    for n in (128, 1024, 4096):
        define(f"G7.{n}", jnp.transpose, shaped("f32", n, n), check="exact")
    define("G7.4096x1000", jnp.transpose, "f32[1000,4096]", check="exact")
    define("G7.0213", lambda x: x.transpose(0, 2, 1, 3), "bf16[8,12,1024,64]", check="exact")
    shape = "f32[256,128,64]"
    for dim in range(3):
        define(f"G8.concat{dim}", lambda a, b, dim=dim: lax.concatenate([a, b], dim), shape, shape, check="exact")
    define(
        "G8.pad", lambda x: jnp.pad(x, ((0, 0), (1, 1), (2, 2), (2, 2), (0, 0))), "f32[1,4,1024,1024,4]", check="exact"
    )
    define(
        "G8.dus",
        lambda x, update, row: lax.dynamic_update_slice(x, update, (row, 0)),
        "f32[16384,256]",
        "f32[16,256]",
        Argument("s32[]", "integers(0,16000)"),
        donate=(0,),
        bytes=2.0 * 16 * 1024,
        check="exact",
    )


def rows_of(table, ids):
    return jnp.take(table, ids, axis=0, mode="clip")


# --- L: random numbers, Fourier transforms, linear algebra ---------------------------------------------------------


def library():
    key = Argument("u32[2]", "integers(0,100000)")
    for dims in ((16,), (20, 200), (2**20,)):
        define(f"L1.{'x'.join(map(str, dims))}", lambda k, dims=dims: random_numbers(k, dims), key, headline=True)
    define("L2.c2c1024", jnp.fft.fft, "c64[64,1024]", flops=5.0 * 64 * 1024 * 10)
    define("L2.rfft65536", jnp.fft.rfft, "f32[65536]", flops=2.5 * 65536 * 16)
    define("L2.2d256", jnp.fft.fft2, "c64[256,256]", flops=5.0 * 65536 * 16)
    for label, dims in (("b32.64", (32, 64, 64)), ("256", (256, 256)), ("1024", (1024, 1024))):
        n, shape = dims[-1], shaped("f32", *dims)
        cube = product(*dims) * n
        spd = Argument(shape, "positive_definite")
        define(f"L3.chol.{label}", jnp.linalg.cholesky, spd, headline=True, flops=cube / 3)
        define(
            f"L3.trsm.{label}",
            lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
            spd,
            shape,
            headline=True,
            flops=cube,
            tolerance=1e-2,
        )
        define(f"L3.lu.{label}", lax.linalg.lu, spd, headline=True, flops=2 * cube / 3, tolerance=1e-2)
        define(
            f"L3.qr.{label}", jnp.linalg.qr, shape, headline=True, flops=8 * cube / 3, check="absolute", tolerance=1e-2
        )
        define(f"L3.eigh.{label}", jnp.linalg.eigh, spd, headline=True, flops=9 * cube, outputs=[0], tolerance=1e-3)
        if n < 1024:
            define(
                f"L3.svd.{label}", jnp.linalg.svd, shape, headline=True, flops=22 * cube, outputs=[1], tolerance=1e-3
            )


def random_numbers(key, dims):
    key = jax.random.wrap_key_data(key, impl="threefry2x32")
    first, second = jax.random.split(key)
    return jax.random.uniform(first, dims), jax.random.normal(second, dims)


# --- W: control flow and latency -----------------------------------------------------------------------------------


def control():
    def pi(scale):
        i = lax.iota(s32, 100_000_000)
        return jnp.sum(jnp.where(i % 2 == 0, scale, -scale) / (2.0 * i.astype(f32) + 1.0))

    define("W1.pi", pi, Argument("f32[]", "uniform(4,4)"), headline=True, flops=5e8, tolerance=1e-2)
    for n, label in ((10_000, "10k"), (100_000, "100k")):
        define(
            f"W1.newton.{label}",
            lambda a, n=n: lax.fori_loop(0, n, lambda _, x: 0.5 * (x + a / x), a),
            Argument("f32[]", "uniform(1,3)"),
            headline=True,
            flops=3.0 * n,
        )

    def three(state, rows):
        def step(s, row):
            s = jnp.stack([0.9 * s[0] + row[0], 0.7 * s[1] + s[0] * row[1], 0.5 * s[2] + s[1] * row[2]])
            return s, s

        return lax.scan(step, state, rows)

    define("W2", three, "f32[3]", "f32[2000,3]", headline=True, flops=2000 * 8.0)

    def slices(x):
        def step(i, x):
            part = lax.dynamic_slice(x, (100 * i,), (100,))
            return lax.dynamic_update_slice(x, 0.5 * part + 1.0, (100 * i,))

        return lax.fori_loop(0, 1000, step, x)

    define("W3", slices, "f32[100000]", headline=True, flops=2e5, donate=(0,))
    define("W4", oscillator, Argument("f32[2]", "uniform(1,2)"), Argument("f32[]", "uniform(0,0)"), tolerance=0.05)
    small = Argument("f64[6,6]", "uniform(0,0.5)")
    for n in (10, 50, 200):
        define(f"W5.ops.{n}", lambda a, n=n: small_steps(a, n), small, headline=True, peak="f64")
    for n in (5, 50):
        define(f"W5.dots.{n}", lambda a, n=n: small_products(a, n), small, headline=True, peak="f64", flops=432.0 * n)
    define("W5.mass35", mass_matrix, Argument("f64[35]", "uniform(0,1)"), headline=True, peak="f64")
    for n in (1, 10, 1000):
        define(
            f"W6.{n}",
            lambda x, a, n=n: turned(x, a, n),
            "f32[4,4]",
            Argument("f32[4,4]", "uniform(0.1,0.39)"),
            headline=True,
            flops=128.0 * n,
            tolerance=1e-3,
        )
    define("W7.empty", lambda x: x, "f32[]", check="exact")
    define("W7.add", jnp.add, "f32[]", "f32[]", check="exact")
    for n in (128, 2048, 16384):
        define(
            f"W8.{n}",
            lambda *xs: [jnp.sum(jnp.sqrt(x * x + k)) for k, x in enumerate(xs, 1)],
            *[shaped("f32", n, 256)] * 5,
            flops=20.0 * n * 256,
            tolerance=1e-4,
        )


def oscillator(start, begin):
    """A stiff oscillator by a method of second order with an error of third order that chooses its steps."""

    def slope(y):
        return jnp.stack([y[1], 2.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]])

    def step(state):
        t, y, h, n = state
        a = slope(y)
        b = slope(y + 0.5 * h * a)
        c = slope(y + 0.75 * h * b)
        better = y + h / 9.0 * (2.0 * a + 3.0 * b + 4.0 * c)
        error = jnp.max(jnp.abs(h / 72.0 * (8.0 * c + 6.0 * b - 14.0 * a))) + 1e-9
        t, y = lax.cond(error < 1e-3, lambda: (t + h, better), lambda: (t, y))
        return t, y, h * jnp.clip(0.9 * jnp.cbrt(1e-3 / error), 0.3, 3.0), n + 1

    return lax.while_loop(lambda s: (s[0] < 10.0) & (s[3] < 4000), step, (begin, start, f32(0.01), s32(0)))


def small_steps(a, n):
    x = a
    for k in range(n):
        if k % 3 == 0:
            x = jnp.sin(x @ a) + x.T
        elif k % 3 == 1:
            x = 0.5 * x + x[:, 1:2]
        else:
            x = 0.1 * (jnp.tril(x) + x.sum(0))
    return x


def small_products(a, n):
    x = a
    for _ in range(n):
        x = 0.4 * (x @ a)
    return x


def mass_matrix(angles):
    """Of a chain of 35 joints: spatial inertias are summed up from the tip, forces carried down to the base."""
    n = angles.shape[0]
    offset = np.array([[0, -0.2, 0.1], [0.2, 0, -0.3], [-0.1, 0.3, 0]])

    def transform(angle):
        c, s, o, i = jnp.cos(angle), jnp.sin(angle), jnp.zeros_like(angle), jnp.ones_like(angle)
        turn = jnp.stack([c, s, o, -s, c, o, o, o, i]).reshape(3, 3)
        return jnp.block([[turn, jnp.zeros((3, 3), turn.dtype)], [-turn @ offset, turn]])

    transforms = [transform(angles[i]) for i in range(n)]
    inertia = np.diag([0.1, 0.2, 0.3, 1.0, 1.0, 1.0])
    below = jnp.asarray(inertia)
    columns = []
    for i in reversed(range(n)):
        force, column = below[:, 2], []
        for j in reversed(range(i + 1)):
            column.append(force[2])
            force = transforms[j].T @ force
        columns.append(jnp.pad(jnp.stack(column), (0, n - i - 1)))
        below = inertia + transforms[i].T @ below @ transforms[i]
    return jnp.stack(columns)


def turned(x, a, n):
    """n kernels of 16 numbers: products of a matrix and a transpose, which nothing fuses."""
    for _ in range(n):
        x = x.T @ a
    return x


# --- M: whole models -----------------------------------------------------------------------------------------------


def weights(*dims):
    return Argument(shaped("f32", *dims), "normal*0.03")


def models():
    dims = (784, 1024, 1024, 10)
    layers = [(weights(i, o), weights(o)) for i, o in zip(dims, dims[1:])]
    data = (Argument("f32[128,784]", "uniform(0,1)"), Argument("s32[128]", "integers(0,10)"))
    flops = 6.0 * 128 * sum(i * o for i, o in zip(dims, dims[1:])) - 2.0 * 128 * 784 * 1024

    def loss(layers, x, labels):
        for w, b in layers[:-1]:
            x = nn.relu(x @ w + b)
        w, b = layers[-1]
        return cross_entropy(x @ w + b, labels)

    def sgd(layers, x, labels):
        return jax.tree.map(lambda p, g: p - 0.01 * g, layers, jax.grad(loss)(layers, x, labels))

    def with_adam(layers, means, variances, x, labels):
        gradients = jax.grad(loss)(layers, x, labels)
        flat, tree = jax.tree.flatten((layers, means, variances, gradients))
        quarter = len(flat) // 4
        new = [adam(*flat[i::quarter]) for i in range(quarter)]
        return tuple(jax.tree.structure(layers).unflatten([state[k] for state in new]) for k in range(3))

    define("M1.sgd", sgd, layers, *data, headline=True, flops=flops, donate=(0,))
    state = [
        jax.tree.map(lambda a, fill=fill: Argument(a.shape, fill), layers, is_leaf=is_argument)
        for fill in ("uniform(0,0.1)", "uniform(0.01,1)")
    ]
    define("M1.adam", with_adam, layers, *state, *data, headline=True, flops=flops, donate=(0, 1, 2))

    stages = ((64, 3), (128, 4), (256, 6), (512, 3))
    filters = [(7, 3, 64, 2)]  # size, channels, features, stride, in the order of their use
    channels = 64
    for stage, (width, blocks) in enumerate(stages):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            filters += [(1, channels, width, 1), (3, width, width, stride), (1, width, 4 * width, 1)]
            if block == 0:
                filters.append((1, channels, 4 * width, stride))
            channels = 4 * width

    def resnet(images, layers, w, b):
        """With batch norms folded into a gain and a bias per channel."""
        remaining = iter(zip(layers, filters))

        def layer(x):
            (kernel, gain, bias), (_, _, _, stride) = next(remaining)
            x = lax.conv_general_dilated(
                x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            return x * gain + bias

        x = max_pool(nn.relu(layer(images)))
        for _, blocks in stages:
            for block in range(blocks):
                y = layer(nn.relu(layer(nn.relu(layer(x)))))
                x = nn.relu(y + (layer(x) if block == 0 else x))
        return nn.softmax(x.mean((1, 2)) @ w + b)

    parameters = [
        (
            Argument(shaped("f32", k, k, i, o), f"normal*{(k * k * i) ** -0.5:.4g}"),
            Argument(shaped("f32", o), "uniform(0.5,1)"),
            weights(o),
        )
        for k, i, o, _ in filters
    ]
    for batch in (1, 8):
        define(
            f"M2.n{batch}",
            resnet,
            shaped("f32", batch, 224, 224, 3),
            parameters,
            weights(2048, 1000),
            weights(1000),
            headline=True,
            flops=batch * 8.18e9,
        )

    for type in ("f32", "bf16"):
        for n in (128, 512):
            x = shaped(type, n, 768)
            p = {"gain1": "f32[768]", "bias1": "f32[768]", "gain2": "f32[768]", "bias2": "f32[768]"}
            p.update(
                {
                    name: Argument(shaped(type, *dims), "normal*0.03")
                    for name, dims in (
                        ("qkv", (768, 2304)),
                        ("out", (768, 768)),
                        ("up", (768, 3072)),
                        ("down", (3072, 768)),
                    )
                }
            )
            flops = 24.0 * n * 768 * 768 + 4.0 * n * n * 768
            more = {"headline": True, "peak": type, "tolerance": 0.1 if type == "bf16" else 1e-3}
            define(f"M3.fwd.{type}.{n}", transformer_block, x, p, flops=flops, **more)
            define(f"M3.bwd.{type}.{n}", transformer_gradient, x, p, x, flops=3 * flops, **more)

    for n in (1, 32):
        state = shaped("f32", n, 512)
        define(
            f"M4.n{n}",
            lstm,
            state,
            state,
            shaped("f32", 100, n, 512),
            weights(512, 2048),
            weights(512, 2048),
            weights(2048),
            headline=True,
            flops=200.0 * n * 1024 * 2048,
        )

    tables = [weights(1000, 32) for _ in range(26)]
    bottom, top = (
        tuple((weights(i, o), weights(o)) for i, o in zip(d, d[1:])) for d in ((13, 512, 256, 32), (383, 512, 256, 1))
    )
    ids, dense = Argument("s32[256,26]", "integers(0,1000)"), "f32[256,13]"
    define("M5.test", click_probability, tables, bottom, top, ids, dense)
    define(
        "M5.train",
        click_training,
        tables,
        bottom,
        top,
        ids,
        dense,
        Argument("f32[256]", "uniform(0,1)"),
        donate=(0, 1, 2),
    )

    def messages(x, w, source, target):
        return jax.ops.segment_sum(
            nn.relu(jnp.take(x, source, axis=0, mode="clip") @ w), target, num_segments=x.shape[0]
        )

    edges = Argument("s32[100000]", "integers(0,10000)")
    define("M7", messages, "f32[10000,64]", "f32[64,64]", edges, edges, flops=2.0 * 100_000 * 64 * 64)


def transformer_block(x, p):
    n, width, heads = x.shape[0], 768, 12
    qkv = layer_norm(x, p["gain1"], p["bias1"]) @ p["qkv"]
    queries, keys, values = (t.reshape(1, n, heads, -1).swapaxes(1, 2) for t in jnp.split(qkv, 3, 1))
    mixed = attention(queries, keys, values).swapaxes(1, 2).reshape(n, width)
    x = x + mixed.astype(x.dtype) @ p["out"]
    return x + nn.gelu(layer_norm(x, p["gain2"], p["bias2"]) @ p["up"]) @ p["down"]


def transformer_gradient(x, p, gradient):
    value, backward = jax.vjp(transformer_block, x, p)
    return (value, *backward(gradient))


def lstm(hidden, cell, inputs, w_input, w_hidden, bias):
    def step(state, x):
        hidden, cell = state
        keep, write, candidate, show = jnp.split(x @ w_input + hidden @ w_hidden + bias, 4, 1)
        cell = nn.sigmoid(keep) * cell + nn.sigmoid(write) * jnp.tanh(candidate)
        hidden = nn.sigmoid(show) * jnp.tanh(cell)
        return (hidden, cell), hidden

    return lax.scan(step, (hidden, cell), inputs)


def dense_layers(x, layers):
    for w, b in layers[:-1]:
        x = nn.relu(x @ w + b)
    return x @ layers[-1][0] + layers[-1][1]


def click_logits(tables, bottom, top, ids, dense):
    first = nn.relu(dense_layers(dense, bottom))
    vectors = jnp.stack([first, *(jnp.take(t, ids[:, i], axis=0, mode="clip") for i, t in enumerate(tables))], 1)
    products = jnp.einsum("bid,bjd->bij", vectors, vectors)
    row, column = np.tril_indices(vectors.shape[1], -1)
    return dense_layers(jnp.concatenate([first, products[:, row, column]], 1), top)[:, 0]


def click_probability(*arguments):
    return nn.sigmoid(click_logits(*arguments))


def click_training(tables, bottom, top, ids, dense, clicks):
    def loss(*parameters):
        logits = click_logits(*parameters, ids, dense)
        return jnp.mean(nn.softplus(logits) - clicks * logits)

    parameters = (tables, bottom, top)
    return jax.tree.map(lambda p, g: p - 0.01 * g, parameters, jax.grad(loss, (0, 1, 2))(*parameters))


# --- K: compile time -----------------------------------------------------------------------------------------------


def compile_time():
    """Their text is made when it is needed, by compare/generated.py."""
    for id, how in (
        ("K1.4000", "mixed(4000)"),
        ("K2.distinct1000", "distinct_fusions(1000)"),
        ("K2.same200", "same_fusions(200)"),
        ("K2.tiny1000", "tiny_ops(1000)"),
        ("K3.20", "reduce_chain(20)"),
        ("K3.1000", "reduce_chain(1000)"),
    ):
        arguments = [Argument(shape) for shape in generated.arguments_of(how)]
        define(
            id,
            None,
            *arguments,
            headline=id.startswith("K1"),
            check="shape",
            generator=how,
            compile_only=True,
            note=generated.describe(how),
        )
        del writer.programs[id][0]["file"]


def main():
    for family in (
        elementwise,
        transcendental,
        reductions,
        normalisation,
        dots,
        convolutions,
        movement,
        library,
        control,
        models,
        compile_time,
    ):
        family()
    return writer.main(__doc__)


if __name__ == "__main__":
    sys.exit(main())
