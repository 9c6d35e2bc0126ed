#!/usr/bin/env python3
"""Writes bench/breadth/: small functions of everyday JAX over everything that people write, most of them never tuned for.

    bench/make_breadth.py             write all of them
    bench/make_breadth.py --check     say whether the files are what this script writes; nothing is changed

`bench/compare_xla.py --suite breadth` measures them. An id is FAMILY.name; the families are in compare/programs.py.
Needs JAX: scripts/deps.sh --compare.
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
import jax.scipy as jsp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax, nn, random, vmap  # noqa: E402

from compare import programs  # noqa: E402
from program_writer import Argument, Writer  # noqa: E402

f32, f64, bf16, f16, s32, u32, u8, s8, c64 = (
    jnp.float32, jnp.float64, jnp.bfloat16, jnp.float16, jnp.int32, jnp.uint32, jnp.uint8, jnp.int8, jnp.complex64,
)  # fmt: skip
writer = Writer(programs.SUITES["breadth"])
M = "f32[1048576]"  # a million numbers
UNIT, POSITIVE = "uniform(0.01,0.99)", "uniform(0.25,4)"


def A(shape, fill="normal"):
    return Argument(shape, fill)


def integers(shape, below, begin=0):
    return Argument(shape, f"integers({begin},{below})")


def unit(shape):
    return Argument(shape, UNIT)


def positive(shape):
    return Argument(shape, POSITIVE)


def add(family, functions, **more):
    """Defines {name: (function, arguments...)} of a family; a dictionary at the end of a row goes into its entry."""
    for name, (function, *arguments) in functions.items():
        options = dict(more)
        if arguments and isinstance(arguments[-1], dict):
            options.update(arguments.pop())
        writer.define(f"{family}.{name}", function, *arguments, **options)


# --- Elementwise ---------------------------------------------------------------------------------------------------


def elementwise():
    def polynomial(x):
        return ((((1.1 * x - 0.3) * x + 0.7) * x - 0.2) * x + 0.5) * x - 1.0

    def tone_map(x):
        return jnp.clip((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0)

    add(
        "elementwise",
        {
            "axpy": (lambda a, x, y: a * x + y, "f32[]", M, M),
            "polynomial": (polynomial, M),
            "clip": (lambda x: jnp.clip(x, -1.0, 1.0), M),
            "where": (lambda x, y: jnp.where(x > 0, x, y), M, M),
            "where_small": (lambda x, y: jnp.where(x > 0, x, y), "f32[100]", "f32[100]"),
            "divide": (lambda x, y: x / y, M, positive(M)),
            "hypot": (jnp.hypot, M, M),
            "sign_abs": (lambda x: jnp.sign(x) * jnp.sqrt(jnp.abs(x)), M),
            "floor_mod": (lambda x: x - jnp.floor(x / 0.7) * 0.7, M),
            "remainder": (lambda x, y: jnp.remainder(x, y), "f32[262144]", positive("f32[262144]")),
            "round": (lambda x: jnp.round(x * 10.0) / 10.0, M),
            "nan_to_num": (jnp.nan_to_num, M),
            "isclose": (lambda x, y: jnp.isclose(x, y), M, M),
            "outer_sum": (lambda x, y: x[:, None] + y[None, :], "f32[1024]", "f32[1024]"),
            "outer_product": (jnp.outer, "f32[2000]", "f32[2000]"),
            "bias_3d": (lambda x, b: x + b[None, :, None], "f32[32,64,400]", "f32[64]"),
            "f64_chain": (lambda x, y: (x * y + 1.0) / (x * x + 2.0), "f64[500000]", "f64[500000]"),
            "f16_chain": (lambda x, y: (x * y + x) * 0.5, "f16[1000000]", "f16[1000000]"),
            "bf16_chain": (lambda x, y: (x * y + x) * 0.5, "bf16[1000000]", "bf16[1000000]"),
            "s32_to_f32": (lambda x: x.astype(f32) * 0.5, "s32[1000000]"),
            "f32_to_s8": (lambda x: jnp.clip(jnp.round(x * 127), -127, 127).astype(s8), "f32[1000000]"),
            "u8_normalise": (lambda x: (x.astype(f32) - 127.5) / 127.5, integers("u8[1000000]", 256)),
            "complex_mul": (lambda x, y: x * y, "c64[300000]", "c64[300000]"),
            "complex_div": (lambda x, y: x / y, "c64[300000]", "c64[300000]"),
            "complex_exp": (jnp.exp, "c64[100000]"),
            "complex_abs": (jnp.abs, "c64[500000]"),
            "complex_angle": (jnp.angle, "c64[200000]"),
            "polar": (lambda r, t: lax.complex(r * jnp.cos(t), r * jnp.sin(t)), "f32[300000]", "f32[300000]"),
            "tone_map": (tone_map, unit(M)),
            "lerp": (lambda a, b, t: a + (b - a) * t, M, M, unit(M)),
            "smoothstep": (lambda x: (lambda t: t * t * (3 - 2 * t))(jnp.clip(x, 0, 1)), M),
            "relu_grad": (lambda x, g: jnp.where(x > 0, g, 0.0), M, M),
            "swiglu": (lambda x, y: nn.silu(x) * y, "f32[512,2048]", "f32[512,2048]"),
            "gelu_exact": (lambda x: nn.gelu(x, approximate=False), "f32[512,2048]"),
            "mish": (lambda x: x * jnp.tanh(nn.softplus(x)), "f32[512,512]"),
            "elu": (nn.elu, M),
            "reciprocal_sqrt": (lambda x: 1.0 / jnp.sqrt(x), positive(M)),
            "many_small": (lambda *x: tuple(v * 2.0 + 1.0 for v in x), *["f32[64]"] * 12),
        },
    )


# --- Special functions ---------------------------------------------------------------------------------------------


def special():
    n = "f32[262144]"
    add(
        "special",
        {
            "exp": (jnp.exp, n),
            "log": (jnp.log, positive(n)),
            "sin": (jnp.sin, n),
            "cos_large": (lambda x: jnp.cos(x * 1000.0), n),
            "tan": (jnp.tan, n, {"tolerance": 1e-4}),
            "arcsin": (jnp.arcsin, unit(n)),
            "arccos": (jnp.arccos, unit(n)),
            "arctan": (jnp.arctan, n),
            "sinh": (jnp.sinh, n),
            "cosh": (jnp.cosh, n),
            "arcsinh": (jnp.arcsinh, n),
            "arccosh": (jnp.arccosh, A(n, "uniform(1.1,9)")),
            "arctanh": (jnp.arctanh, unit(n)),
            "log2": (jnp.log2, positive(n)),
            "log10": (jnp.log10, positive(n)),
            "exp2": (jnp.exp2, n),
            "power": (lambda x, y: x**y, positive(n), n),
            "square_root": (jnp.sqrt, positive(n)),
            "cube": (lambda x: x**3, n),
            "sigmoid": (nn.sigmoid, n),
            "log_sigmoid": (nn.log_sigmoid, n),
            "softplus": (nn.softplus, n),
            "erf": (jsp.special.erf, n),
            "erfc": (jsp.special.erfc, n),
            "erfinv": (jsp.special.erfinv, unit(n)),
            "ndtr": (jsp.special.ndtr, n),
            "ndtri": (jsp.special.ndtri, unit(n)),
            "log_ndtr": (jsp.special.log_ndtr, n, {"tolerance": 1e-4}),
            "lgamma": (jsp.special.gammaln, positive(n)),
            "digamma": (jsp.special.digamma, positive(n)),
            "gammainc": (jsp.special.gammainc, positive("f32[4096]"), positive("f32[4096]"), {"tolerance": 1e-4}),
            "betainc": (
                jsp.special.betainc, positive("f32[4096]"), positive("f32[4096]"), unit("f32[4096]"),
                {"tolerance": 1e-4},
            ),
            "betaln": (jsp.special.betaln, positive(n), positive(n), {"tolerance": 1e-4}),
            "i0e": (jsp.special.i0e, n),
            "i1e": (jsp.special.i1e, n),
            "zeta": (lambda x: jsp.special.zeta(x + 1.5, 1.0), unit("f32[16384]")),
            "polygamma": (lambda x: jsp.special.polygamma(1, x), positive("f32[16384]"), {"tolerance": 1e-4}),
            "sinc": (jnp.sinc, n),
            "xlogy": (jsp.special.xlogy, unit(n), unit(n)),
            "entr": (jsp.special.entr, unit(n)),
            "rel_entr": (jsp.special.rel_entr, unit(n), unit(n)),
            "logit": (jsp.special.logit, unit(n)),
            "expi": (jsp.special.expi, positive("f32[16384]"), {"tolerance": 1e-4}),
            "exp_f64": (jnp.exp, "f64[131072]"),
            "log_f64": (jnp.log, positive("f64[131072]")),
            "sin_f64": (jnp.sin, "f64[131072]"),
            "tanh_f64": (jnp.tanh, "f64[131072]"),
            "power_f64": (lambda x, y: x**y, positive("f64[65536]"), "f64[65536]"),
            "erf_f64": (jsp.special.erf, "f64[65536]"),
            "tanh_bf16": (jnp.tanh, "bf16[262144]"),
            "exp_f16": (jnp.exp, "f16[262144]"),
        },
    )  # fmt: skip


# --- Reductions ----------------------------------------------------------------------------------------------------


def reduce():
    t, square = {"tolerance": 1e-4}, "f32[1024,1024]"
    add(
        "reduce",
        {
            "sum": (jnp.sum, M, t),
            "sum_small": (jnp.sum, "f32[100]", t),
            "sum_f64": (jnp.sum, "f64[1000000]"),
            "sum_bf16": (lambda x: jnp.sum(x, 1), "bf16[1024,1024]"),
            "sum_s32": (jnp.sum, "s32[1000000]"),
            "sum_u8": (lambda x: jnp.sum(x.astype(s32)), integers("u8[1000000]", 256)),
            "mean_rows": (lambda x: x.mean(1), square, t),
            "mean_columns": (lambda x: x.mean(0), square, t),
            "mean_middle": (lambda x: x.mean(1), "f32[64,256,64]", t),
            "mean_outer": (lambda x: x.mean((0, 2)), "f32[64,64,256]", t),
            "sum_inner3": (lambda x: x.sum(-1), "f32[300000,3]"),
            "sum_inner8": (lambda x: x.sum(-1), "f32[100000,8]"),
            "max_inner5": (lambda x: x.max(-1), "f32[100000,5]"),
            "product": (lambda x: x.prod(1), A("f32[1000,1000]", "uniform(0.99,1.01)"), t),
            "max": (jnp.max, M),
            "argmax": (jnp.argmax, M),
            "argmax_rows": (lambda x: x.argmax(1), square),
            "argmin_columns": (lambda x: x.argmin(0), square),
            "min_max": (lambda x: (x.min(), x.max()), M),
            "all_any": (lambda x: (jnp.all(x > -9), jnp.any(x > 9)), M),
            "count": (lambda x: jnp.sum(x > 0.5), M),
            "norm": (jnp.linalg.norm, M, t),
            "norm_rows": (lambda x: jnp.linalg.norm(x, axis=1), square, t),
            "norm_l1": (lambda x: jnp.sum(jnp.abs(x), 1), square, t),
            "dot_self": (lambda x, y: jnp.sum(x * y), M, M, {"check": "shape"}),
            "dot_rows": (lambda x, y: jnp.sum(x * y, 1), square, square, {"tolerance": 1e-3}),
            "logsumexp": (lambda x: nn.logsumexp(x, 1), square),
            "logsumexp_columns": (lambda x: nn.logsumexp(x, 0), square),
            "softmax_columns": (lambda x: nn.softmax(x, 0), square),
            "softmax_inner10": (nn.softmax, "f32[20000,10]"),
            "log_softmax": (nn.log_softmax, square),
            "masked_mean": (lambda x, m: jnp.sum(x * m, 1) / jnp.sum(m, 1), square, unit(square), {"tolerance": 1e-3}),
            "where_sum": (lambda x: jnp.sum(x, 1, where=x > 0), square, t),
            "complex_sum": (lambda x: x.sum(1), "c64[500,1000]", t),
            "trace": (jnp.trace, square, {"tolerance": 1e-3}),
            "sum_of_outer": (lambda x, y: jnp.sum(jnp.outer(x, y)), unit("f32[2000]"), unit("f32[2000]"), t),
            "variance_of_means": (lambda x: jnp.var(x.mean(2), 1), "f32[100,100,100]", {"tolerance": 1e-3}),
            "ragged_max": (lambda x, n: jnp.max(jnp.where(jnp.arange(512) < n[:, None], x, -jnp.inf), 1),
                           "f32[2000,512]", integers("s32[2000]", 512, 1)),
        },
    )  # fmt: skip


# --- Dots ----------------------------------------------------------------------------------------------------------


def dot():
    def ein(spec, *shapes, **more):
        return (lambda *a: jnp.einsum(spec, *a), *shapes, {"tolerance": 1e-4, **more})

    mm = lambda a, b: a @ b
    rows = {
        "64": ein("ij,jk->ik", "f32[64,64]", "f32[64,64]"),
        "200": ein("ij,jk->ik", "f32[200,200]", "f32[200,200]"),
        "333": ein("ij,jk->ik", "f32[333,333]", "f32[333,333]"),
        "f64_300": ein("ij,jk->ik", "f64[300,300]", "f64[300,300]"),
        "bf16_512": (mm, "bf16[512,512]", "bf16[512,512]"),
        "f16_256": (mm, "f16[256,256]", "f16[256,256]"),
        "c64_200": ein("ij,jk->ik", "c64[200,200]", "c64[200,200]"),
        "s32_256": (mm, integers("s32[256,256]", 100), integers("s32[256,256]", 100)),
        "s8_512": (
            lambda a, b: lax.dot(a, b, preferred_element_type=s32),
            integers("s8[512,512]", 100), integers("s8[512,512]", 100),
        ),
        "matvec": ein("ij,j->i", "f32[2048,2048]", "f32[2048]"),
        "vecmat": ein("i,ij->j", "f32[2048]", "f32[2048,2048]"),
        "matvec_small": ein("ij,j->i", "f32[32,32]", "f32[32]"),
        "inner": ein("i,i->", "f32[100000]", "f32[100000]", check="shape"),
        "tall": ein("ij,jk->ik", "f32[20000,32]", "f32[32,16]"),
        "thin_result": ein("ij,jk->ik", "f32[2000,1000]", "f32[1000,3]"),
        "skinny8": ein("ij,jk->ik", "f32[8,1024]", "f32[1024,1024]"),
        "gram": ein("ij,ik->jk", "f32[5000,64]", "f32[5000,64]", tolerance=1e-3),
        "xxt": (lambda x: x @ x.T, "f32[400,300]", {"tolerance": 1e-4}),
        "atb": ein("ji,jk->ik", "f32[512,256]", "f32[512,256]"),
        "abt": ein("ij,kj->ik", "f32[256,512]", "f32[256,512]"),
        "chain3": (lambda a, b, c: a @ b @ c, "f32[256,256]", "f32[256,256]", "f32[256,256]", {"tolerance": 1e-4}),
        "bilinear": ein("bi,ij,bj->b", "f32[1000,64]", "f32[64,64]", "f32[1000,64]"),
        "batch_64x32": ein("bij,bjk->bik", "f32[64,32,32]", "f32[64,32,32]"),
        "batch_16_128": ein("bij,bjk->bik", "f32[16,128,128]", "f32[16,128,128]"),
        "batch_5x7": ein("bij,bjk->bik", "f32[2000,5,7]", "f32[2000,7,5]"),
        "batch_matvec": ein("bij,bj->bi", "f32[256,64,64]", "f32[256,64]"),
        "heads": ein("bqhd,bkhd->bhqk", "f32[2,128,8,64]", "f32[2,128,8,64]"),
        "heads_value": ein("bhqk,bkhd->bqhd", "f32[2,8,128,128]", "f32[2,128,8,64]"),
        "tensor": ein("abc,cde->abde", "f32[16,16,32]", "f32[32,16,16]"),
        "trace_of_product": ein("ij,ji->", "f32[512,512]", "f32[512,512]", tolerance=1e-2),
        "khatri_rao": ein("ik,jk->ijk", "f32[64,128]", "f32[64,128]"),
        "kron": (jnp.kron, "f32[32,32]", "f32[32,32]"),
        "bias_relu": (lambda x, w, b: nn.relu(x @ w + b), "f32[128,784]", "f32[784,256]", "f32[256]", {"tolerance": 1e-4}),
        "low_rank": (lambda x, u, v: x @ u @ v, "f32[256,1024]", "f32[1024,16]", "f32[16,1024]", {"tolerance": 1e-4}),
        "quadratic": (lambda x, a: jnp.sum((x @ a) * x, 1), "f32[1000,100]", "f32[100,100]", {"tolerance": 1e-4}),
        "int8_dequant": (
            lambda x, q, s: x @ (q.astype(f32) * s), "f32[16,512]", integers("s8[512,512]", 100, -100), "f32[512]",
            {"tolerance": 1e-4},
        ),
        "matrix_power": (lambda a: jnp.linalg.matrix_power(a * 0.1, 5), "f32[128,128]", {"tolerance": 1e-4}),
    }  # fmt: skip
    add("dot", rows)


# --- Convolutions --------------------------------------------------------------------------------------------------


def conv():
    t = {"tolerance": 1e-4}

    def conv2d(x, w, stride=1, padding="SAME", dilation=1, groups=1, layout=("NHWC", "HWIO", "NHWC"), lhs_dilation=1):
        return lax.conv_general_dilated(
            x, w, (stride, stride), padding, (lhs_dilation,) * 2, (dilation,) * 2, layout, feature_group_count=groups
        )

    def with_options(**options):
        return lambda x, w: conv2d(x, w, **options)

    nchw = ("NCHW", "OIHW", "NCHW")

    def gradient(argument, **options):
        return lambda x, w: jax.grad(lambda *a: jnp.sum(conv2d(*a, **options) ** 2), argument)(x, w)

    def conv1d(x, w, **options):
        return lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), **options)

    add(
        "conv",
        {
            "3x3": (conv2d, "f32[4,32,32,32]", "f32[3,3,32,32]", t),
            "rgb7x7": (with_options(stride=2), "f32[1,112,112,3]", "f32[7,7,3,32]", t),
            "rgb3x3": (conv2d, "f32[1,128,128,3]", "f32[3,3,3,16]", t),
            "1x1": (conv2d, "f32[4,28,28,64]", "f32[1,1,64,64]", t),
            "5x5": (conv2d, "f32[2,28,28,16]", "f32[5,5,16,16]", t),
            "nchw": (with_options(layout=nchw), "f32[4,32,32,32]", "f32[32,32,3,3]", t),
            "nchw_bf16": (with_options(layout=nchw), "bf16[4,32,32,32]", "bf16[32,32,3,3]"),
            "bf16": (conv2d, "bf16[4,32,32,32]", "bf16[3,3,32,32]"),
            "f64": (conv2d, "f64[2,16,16,16]", "f64[3,3,16,16]"),
            "strided": (with_options(stride=2), "f32[4,32,32,32]", "f32[3,3,32,64]", t),
            "dilated": (with_options(dilation=2), "f32[2,32,32,32]", "f32[3,3,32,32]", t),
            "transposed": (with_options(lhs_dilation=2, padding=((2, 1), (2, 1))), "f32[2,16,16,32]", "f32[3,3,32,32]", t),
            "grouped": (with_options(groups=4), "f32[4,28,28,64]", "f32[3,3,16,64]", t),
            "depthwise": (with_options(groups=64), "f32[4,28,28,64]", "f32[3,3,1,64]", t),
            "depthwise_1d": (
                lambda x, w: conv1d(x, w, feature_group_count=128), "f32[4,512,128]", "f32[4,1,128]", t),
            "1d": (conv1d, "f32[8,256,32]", "f32[5,32,32]", t),
            "1d_causal": (
                lambda x, w: lax.conv_general_dilated(
                    x, w, (1,), [(8, 0)], rhs_dilation=(4,), dimension_numbers=("NWC", "WIO", "NWC")),
                "f32[4,512,32]", "f32[3,32,32]", t),
            "1d_one_feature": (conv1d, "f32[1,100000,1]", "f32[65,1,1]", t),
            "3d": (
                lambda x, w: lax.conv_general_dilated(
                    x, w, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")),
                "f32[1,16,16,16,16]", "f32[3,3,3,16,16]", t),
            "grad_input": (gradient(0), "f32[2,28,28,32]", "f32[3,3,32,32]", t),
            "grad_filter": (gradient(1), "f32[2,28,28,32]", "f32[3,3,32,32]", t),
            "grad_strided": (gradient((0, 1), stride=2), "f32[2,28,28,32]", "f32[3,3,32,32]", t),
            "grad_depthwise": (gradient((0, 1), groups=32), "f32[2,28,28,32]", "f32[3,3,1,32]", t),
            "one_channel": (with_options(layout=nchw), "f32[1,1,512,512]", "f32[1,1,5,5]", t),
            "bias_relu_pool": (
                lambda x, w, b: lax.reduce_window(
                    nn.relu(conv2d(x, w) + b), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
                "f32[4,28,28,8]", "f32[3,3,8,16]", "f32[16]", t),
        },
    )  # fmt: skip


# --- Gathers -------------------------------------------------------------------------------------------------------


def index():
    def bilinear(image, y, x):
        y0, x0 = jnp.floor(y).astype(s32), jnp.floor(x).astype(s32)
        fy, fx = y - y0, x - x0
        at = lambda dy, dx: image[y0 + dy, x0 + dx]
        return (at(0, 0) * (1 - fx) + at(0, 1) * fx) * (1 - fy) + (at(1, 0) * (1 - fx) + at(1, 1) * fx) * fy

    places = A("f32[200000]", "uniform(1,500)")
    add(
        "index",
        {
            "table": (lambda t, i: t[i], "f32[256]", integers("s32[1000000]", 256)),
            "table_u8": (lambda t, i: t[i], "f32[256]", integers("u8[1000000]", 256)),
            "table_s8": (lambda t, i: t[i], integers("s8[256]", 100), integers("s32[1000000]", 256)),
            "table_f64": (lambda t, i: t[i], "f64[1000]", integers("s32[500000]", 1000)),
            "table_large": (lambda t, i: t[i], "f32[4000000]", integers("s32[500000]", 4000000)),
            "table_fused": (lambda t, i, x: t[i] * x + 1.0, "f32[256]", integers("s32[1000000]", 256), "f32[1000000]"),
            "rows64": (lambda t, i: t[i], "f32[10000,64]", integers("s32[5000]", 10000)),
            "rows3": (lambda t, i: t[i], "f32[10000,3]", integers("s32[200000]", 10000)),
            "rows768": (lambda t, i: t[i], "f32[5000,768]", integers("s32[512]", 5000)),
            "rows_bf16": (lambda t, i: t[i], "bf16[10000,128]", integers("s32[5000]", 10000)),
            "columns": (lambda t, i: t[:, i], "f32[1000,1000]", integers("s32[500]", 1000)),
            "pairs": (lambda t, i, j: t[i, j], "f32[500,500]", *[integers("s32[200000]", 500)] * 2),
            "along_rows": (
                lambda x, i: jnp.take_along_axis(x, i, 1), "f32[1000,1000]", integers("s32[1000,100]", 1000)),
            "along_columns": (
                lambda x, i: jnp.take_along_axis(x, i, 0), "f32[1000,500]", integers("s32[100,500]", 1000)),
            "one_of_each_row": (
                lambda x, i: jnp.take_along_axis(x, i[:, None], 1), "f32[10000,100]", integers("s32[10000]", 100)),
            "diagonal": (jnp.diagonal, "f32[2000,2000]"),
            "fancy_sum": (lambda t, i: t[i].sum(1), "f32[10000,32]", integers("s32[2000,10]", 10000)),
            "embedding_mean": (lambda t, i: t[i].mean(1), "f32[20000,64]", integers("s32[256,40]", 20000)),
            "one_hot": (lambda i: nn.one_hot(i, 100), integers("s32[20000]", 100)),
            "one_hot_dot": (lambda i, w: nn.one_hot(i, 100) @ w, integers("s32[2000]", 100), "f32[100,64]",
                            {"tolerance": 1e-4}),
            "interp": (
                lambda x, p, v: jnp.interp(x, jnp.cumsum(p), v), A("f32[200000]", "uniform(0,300)"), unit("f32[500]"),
                "f32[500]", {"tolerance": 1e-3}),
            "searchsorted": (
                lambda a, v: jnp.searchsorted(jnp.cumsum(a), v), unit("f32[1000]"),
                A("f32[100000]", "uniform(0,500)"), {"check": "shape"}),
            "searchsorted_sort": (
                lambda a, v: jnp.searchsorted(a, v, method="sort"), integers("s32[1000]", 1),
                integers("s32[20000]", 9)),
            "digitize": (lambda x: jnp.digitize(x, jnp.linspace(-3, 3, 33)), "f32[100000]"),
            "bilinear": (bilinear, "f32[512,512]", places, places),
            "map_coordinates": (
                lambda im, y, x: jsp.ndimage.map_coordinates(im, [y, x], order=1), "f32[512,512]", places, places),
            "sparse_matvec": (
                lambda v, j, i, x: jax.ops.segment_sum(v * x[j], i, 10000), "f32[100000]",
                integers("s32[100000]", 10000), integers("s32[100000]", 10000), "f32[10000]", {"tolerance": 1e-4}),
            "ell_matvec": (lambda v, j, x: jnp.sum(v * x[j], 1), "f32[10000,16]", integers("s32[10000,16]", 10000),
                           "f32[10000]", {"tolerance": 1e-4}),
            "permute": (lambda x, p: x[p], "f32[100000]", A("s32[100000]", "permutation")),
            "roll": (lambda x: jnp.roll(x, 7, 1), "f32[1000,1000]"),
            "roll_by_argument": (lambda x, n: jnp.roll(x, n), "f32[1000000]", integers("s32[]", 1000)),
            "dynamic_slices": (
                vmap(lambda x, i: lax.dynamic_slice(x, (i,), (32,)), (None, 0)), "f32[100000]",
                integers("s32[5000]", 90000)),
            "windows": (
                lambda x: x[jnp.arange(10000)[:, None] + jnp.arange(16)[None, :]], "f32[10016]"),
            "boolean_mask": (lambda x: jnp.where(x > 1, x, 0)[jnp.nonzero(x > 1, size=1000)[0]], "f32[10000]"),
            "repeat": (lambda x: jnp.repeat(x, 3, axis=0), "f32[5000,64]"),
            "repeat_ragged": (
                lambda x, n: jnp.repeat(x, n, total_repeat_length=20000), "f32[5000]", integers("s32[5000]", 8)),
            "neighbours": (lambda x, e: x[e[:, 0]] - x[e[:, 1]], "f32[5000,3]", integers("s32[60000,2]", 5000)),
            "palette": (lambda p, i: p[i], integers("u8[256,3]", 256), integers("u8[256,256]", 256)),
            "chess": (lambda b, m: b[m // 8, m % 8], integers("s32[8,8]", 12), integers("s32[100000]", 64)),
            "tridiagonal": (
                lambda x: jnp.stack([x, jnp.roll(x, 1), jnp.roll(x, -1)], 1), "f32[200000]"),
        },
    )  # fmt: skip


# --- Scatters ------------------------------------------------------------------------------------------------------


def scatter():
    t = {"tolerance": 1e-4}
    into, at, values = "f32[10000]", integers("s32[100000]", 10000), "f32[100000]"
    add(
        "scatter",
        {
            "add": (lambda x, i, v: x.at[i].add(v), into, at, values, t),
            "set": (lambda x, i, v: x.at[i].set(v), into, A("s32[10000]", "permutation"), "f32[10000]"),
            "max": (lambda x, i, v: x.at[i].max(v), into, at, values),
            "multiply": (lambda x, i, v: x.at[i].multiply(v), into, integers("s32[5000]", 10000), "f32[5000]", t),
            "add_s32": (lambda x, i: x.at[i].add(1), integers("s32[10000]", 5), at),
            "add_f64": (lambda x, i, v: x.at[i].add(v), "f64[10000]", at, "f64[100000]"),
            "add_bf16": (lambda x, i, v: x.at[i].add(v), "bf16[10000]", integers("s32[10000]", 10000), "bf16[10000]"),
            "add_rows64": (lambda x, i, v: x.at[i].add(v), "f32[1000,64]", integers("s32[5000]", 1000), "f32[5000,64]", t),
            "add_rows3": (
                lambda x, i, v: x.at[i].add(v), "f32[5000,3]", integers("s32[60000]", 5000), "f32[60000,3]", t),
            "set_rows": (
                lambda x, i, v: x.at[i].set(v, unique_indices=True), "f32[5000,128]", A("s32[5000]", "permutation"),
                "f32[5000,128]"),
            "add_pairs": (
                lambda x, i, j, v: x.at[i, j].add(v), "f32[300,300]", *[integers("s32[50000]", 300)] * 2, "f32[50000]", t),
            "few": (lambda x, i, v: x.at[i].set(v), "f32[1000000]", integers("s32[10]", 1000000), "f32[10]",
                    {"check": "shape"}),
            "segment_sum": (lambda v, i: jax.ops.segment_sum(v, i, 1000), values, integers("s32[100000]", 1000), t),
            "segment_sum_sorted": (
                lambda v: jax.ops.segment_sum(v, jnp.arange(100000) // 100, 1000, indices_are_sorted=True), values, t),
            "segment_max": (lambda v, i: jax.ops.segment_max(v, i, 1000), values, integers("s32[100000]", 1000)),
            "segment_mean": (
                lambda v, i: jax.ops.segment_sum(v, i, 500) / jnp.maximum(
                    jax.ops.segment_sum(jnp.ones_like(v), i, 500), 1), values, integers("s32[100000]", 500), t),
            "segment_rows": (
                lambda v, i: jax.ops.segment_sum(v, i, 500), "f32[5000,32]", integers("s32[5000]", 500), t),
            "bincount": (lambda i: jnp.bincount(i, length=256), integers("s32[200000]", 256)),
            "weighted_bincount": (
                lambda i, w: jnp.bincount(i, w, length=256), integers("s32[200000]", 256), "f32[200000]",
                {"tolerance": 1e-3}),
            "histogram": (lambda x: jnp.histogram(x, 50, (-4.0, 4.0))[0], "f32[100000]", {"tolerance": 1e-3}),
            "histogram2d": (
                lambda x, y: jnp.histogram2d(x, y, 20, [[-3, 3], [-3, 3]])[0], "f32[20000]", "f32[20000]"),
            "gather_grad": (
                lambda t, i: jax.grad(lambda t: jnp.sum(jnp.sin(t[i])))(t), "f32[5000,32]", integers("s32[5000]", 5000), t),
            "message_passing": (
                lambda x, a, b: jax.ops.segment_sum(x[a], b, 2000), "f32[2000,32]",
                *[integers("s32[10000]", 2000)] * 2, t),
            "dynamic_update_slice": (
                lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), "f32[1000,1000]", "f32[50,50]", integers("s32[]", 900)),
            "invert_permutation": (
                lambda p: jnp.zeros_like(p).at[p].set(jnp.arange(50000)), A("s32[50000]", "permutation")),
            "set_diagonal": (
                lambda x: jnp.fill_diagonal(x, 1.0, inplace=False), "f32[1000,1000]"),
            "scatter_windows": (
                lambda x, i, v: lax.scatter_add(
                    x, i[:, None], v,
                    lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(),
                                                scatter_dims_to_operand_dims=(0,))),
                "f32[20000]", integers("s32[2000]", 19000), "f32[2000,32]", t),
        },
    )  # fmt: skip


# --- Sorting -------------------------------------------------------------------------------------------------------


def sort():
    add(
        "sort",
        {
            "f32": (jnp.sort, "f32[200000]"),
            "s32": (jnp.sort, integers("s32[200000]", 1000000)),
            "u8": (jnp.sort, integers("u8[200000]", 256)),
            "f64": (jnp.sort, "f64[100000]"),
            "bf16": (jnp.sort, "bf16[100000]"),
            "rows100": (jnp.sort, "f32[2000,100]"),
            "rows8": (jnp.sort, "f32[20000,8]"),
            "columns": (lambda x: jnp.sort(x, 0), "f32[100,2000]"),
            "descending": (lambda x: -jnp.sort(-x), "f32[100000]"),
            "argsort": (jnp.argsort, "f32[100000]"),
            "argsort_rows": (jnp.argsort, "f32[1000,100]"),
            "rank": (lambda x: jnp.argsort(jnp.argsort(x)), "f32[50000]"),
            "key_value": (
                lambda k, v: lax.sort_key_val(k, v), A("s32[100000]", "permutation"), "f32[100000]"),
            "two_keys": (
                lambda a, b: lax.sort((a, b), num_keys=2), integers("s32[50000]", 100), integers("s32[50000]", 99999)),
            "lexsort": (lambda a, b: jnp.lexsort((a, b)), integers("s32[30000]", 99), integers("s32[30000]", 99)),
            "top8": (lambda x: lax.top_k(x, 8), "f32[1000,1000]"),
            "top1": (lambda x: lax.top_k(x, 1), "f32[1000,1000]"),
            "top100_of_100000": (lambda x: lax.top_k(x, 100), "f32[100000]"),
            "median": (jnp.median, "f32[100001]"),
            "median_rows": (lambda x: jnp.median(x, 1), "f32[1000,101]"),
            "percentile": (lambda x: jnp.percentile(x, jnp.array([5.0, 50.0, 95.0])), "f32[100000]"),
            "unique": (lambda x: jnp.unique(x, size=100), integers("s32[20000]", 100)),
            "unique_counts": (
                lambda x: jnp.unique(x, size=64, return_counts=True), integers("s32[10000]", 64)),
            "shuffle_by_key": (lambda x, k: x[jnp.argsort(k)], "f32[20000,16]", "f32[20000]"),
            "isin": (lambda a, b: jnp.isin(a, b), integers("s32[20000]", 9999), integers("s32[100]", 9999)),
            "partition": (lambda x: jnp.partition(x, 10), "f32[20000]", {"check": "shape"}),
            "small": (jnp.sort, "f32[16]"),
        },
    )  # fmt: skip


# --- Cumulative operations -----------------------------------------------------------------------------------------


def scan():
    t = {"tolerance": 1e-4}

    def recurrence(a, b):
        return lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (a, b))[1]

    add(
        "scan",
        {
            "cumsum": (jnp.cumsum, unit("f32[1000000]"), t),
            "cumsum_rows": (lambda x: jnp.cumsum(x, 1), "f32[1000,1000]", t),
            "cumsum_columns": (lambda x: jnp.cumsum(x, 0), "f32[1000,1000]", t),
            "cumsum_inner16": (lambda x: jnp.cumsum(x, 1), "f32[20000,16]", t),
            "cumsum_s32": (jnp.cumsum, integers("s32[1000000]", 10)),
            "cumsum_f64": (jnp.cumsum, "f64[300000]"),
            "cumsum_reverse": (lambda x: jnp.cumsum(x[::-1])[::-1], unit("f32[300000]"), t),
            "cumprod": (jnp.cumprod, A("f32[100000]", "uniform(0.99,1.01)"), {"tolerance": 1e-3}),
            "cummax": (lambda x: lax.cummax(x), "f32[300000]"),
            "cummax_rows": (lambda x: lax.cummax(x, 1), "f32[1000,500]"),
            "logcumsumexp": (lambda x: lax.cumlogsumexp(x), "f32[100000]", t),
            "associative_scan": (lambda x: lax.associative_scan(jnp.add, x), unit("f32[131072]"), t),
            "linear_recurrence": (
                lambda a, b: recurrence(a, b), A("f32[16384,8]", "uniform(0.5,0.9)"), "f32[16384,8]", t),
            "ema": (
                lambda x: lax.scan(lambda c, v: ((c * 0.9 + v * 0.1),) * 2, jnp.zeros(64), x)[1], "f32[2000,64]", t),
            "diff": (jnp.diff, "f32[1000000]"),
            "moving_average": (
                lambda x: (lambda c: (c[16:] - c[:-16]) / 16)(jnp.cumsum(x)), unit("f32[300000]"), {"tolerance": 1e-2}),
            "drawdown": (lambda x: jnp.min(x - lax.cummax(x)), "f32[300000]", t),
            "trapezoid": (lambda y: jnp.trapezoid(y, dx=0.01), "f32[1000,1000]", {"tolerance": 1e-3}),
            "integral_image": (lambda x: jnp.cumsum(jnp.cumsum(x, 0), 1), unit("f32[512,512]"), t),
            "count_changes": (lambda x: jnp.cumsum(jnp.diff(x) != 0), integers("s32[300000]", 3)),
        },
    )  # fmt: skip


# --- Windows -------------------------------------------------------------------------------------------------------


def window():
    def pool(x, initial, function, size, stride, padding="VALID"):
        return lax.reduce_window(x, initial, function, size, stride, padding)

    def patches(x):
        return jnp.stack([jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)])

    image, one = "f32[8,64,64,16]", "f32[512,512]"
    add(
        "window",
        {
            "max2": (lambda x: pool(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1)), image),
            "max3_nchw": (lambda x: pool(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME"), "f32[8,16,64,64]"),
            "avg2": (lambda x: pool(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1)) / 4, image),
            "avg3_same": (lambda x: pool(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME") / 9, image),
            "max_1d": (lambda x: pool(x, -jnp.inf, lax.max, (5,), (1,)), "f32[200000]"),
            "sum_1d_64": (lambda x: pool(x, 0.0, lax.add, (64,), (1,)), "f32[100000]", {"tolerance": 1e-4}),
            "sum_1d_64_strided": (lambda x: pool(x, 0.0, lax.add, (64,), (64,)), "f32[1000000]", {"tolerance": 1e-4}),
            "box_5x5": (lambda x: pool(x, 0.0, lax.add, (5, 5), (1, 1), "SAME"), one, {"tolerance": 1e-4}),
            "dilate_3x3": (lambda x: pool(x, -jnp.inf, lax.max, (3, 3), (1, 1), "SAME"), one),
            "erode_3x3": (lambda x: pool(x, jnp.inf, lax.min, (3, 3), (1, 1), "SAME"), one),
            "median_3x3": (lambda x: jnp.median(patches(x), 0), "f32[128,128]"),
            "local_response": (
                lambda x: x / (1 + 1e-4 * pool(x * x, 0.0, lax.add, (1, 1, 1, 5), (1, 1, 1, 1), "SAME")) ** 0.75, image),
            "max2_grad": (
                lambda x: jax.grad(lambda x: jnp.sum(pool(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1)) ** 2))(x),
                image),
            "avg2_grad": (
                lambda x: jax.grad(lambda x: jnp.sum(pool(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1)) ** 2))(x), image),
            "global_avg": (lambda x: x.mean((1, 2)), image, {"tolerance": 1e-4}),
            "max_3d": (lambda x: pool(x, -jnp.inf, lax.max, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1)), "f32[2,16,32,32,8]"),
            "stencil_5": (
                lambda x: x[1:-1, 1:-1] * -4 + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:], "f32[1024,1024]"),
            "stencil_9_roll": (lambda x: jnp.mean(patches(x), 0), "f32[256,256]"),
            "stencil_3d": (
                lambda x: sum(jnp.roll(x, s, a) for s in (-1, 1) for a in range(3)) - 6 * x, "f32[64,64,64]"),
            "sliding_dot": (
                lambda x, w: vmap(lambda i: lax.dynamic_slice(x, (i,), (16,)) @ w)(jnp.arange(5000)), "f32[5016]",
                "f32[16]", {"tolerance": 1e-4}),
        },
    )  # fmt: skip


# --- Fourier transforms --------------------------------------------------------------------------------------------


def fft():
    t = {"tolerance": 1e-4}

    def dct(x):
        n = x.shape[-1]
        y = jnp.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1)
        return jnp.real(jnp.fft.fft(y) * jnp.exp(-1j * jnp.pi * jnp.arange(n) / (2 * n)).astype(c64))

    add(
        "fft",
        {
            **{f"n{n}": (jnp.fft.fft, f"c64[{max(1, 65536 // n)},{n}]", t)
               for n in (16, 64, 128, 256, 1000, 1009, 1024, 1536, 4096, 65536)},
            "inverse_512": (jnp.fft.ifft, "c64[128,512]", t),
            "c128_1024": (jnp.fft.fft, "c128[32,1024]"),
            "real_256": (jnp.fft.rfft, "f32[256,256]", t),
            "real_1000": (jnp.fft.rfft, "f32[64,1000]", t),
            "real_16384": (jnp.fft.rfft, "f32[4,16384]", t),
            "real_inverse_1024": (lambda x: jnp.fft.irfft(x, 1024), "c64[64,513]", t),
            "columns": (lambda x: jnp.fft.fft(x, axis=0), "c64[256,256]", t),
            "2d_256": (jnp.fft.fft2, "c64[256,256]", t),
            "2d_real": (jnp.fft.rfft2, "f32[256,256]", t),
            "2d_batch": (jnp.fft.fft2, "c64[16,64,64]", t),
            "3d_32": (jnp.fft.fftn, "c64[32,32,32]", t),
            "shift": (lambda x: jnp.fft.fftshift(jnp.fft.fft2(x)), "c64[128,128]", t),
            "power_spectrum": (lambda x: jnp.abs(jnp.fft.rfft(x)) ** 2, "f32[64,1024]", t),
            "convolve": (
                lambda a, b: jnp.fft.irfft(jnp.fft.rfft(a, 8192) * jnp.fft.rfft(b, 8192), 8192), "f32[4096]",
                "f32[4096]", t),
            "autocorrelation": (
                lambda x: jnp.fft.irfft(jnp.abs(jnp.fft.rfft(x, 4096)) ** 2, 4096), "f32[16,2048]", t),
            "stft": (lambda x: jsp.signal.stft(x, nperseg=256)[2], "f32[16384]", {"tolerance": 1e-3}),
            "dct": (dct, "f32[64,256]", t),
            "spectral_derivative": (
                lambda x: jnp.real(jnp.fft.ifft(1j * jnp.fft.fftfreq(1024, 1 / 1024) * jnp.fft.fft(x))), "f32[32,1024]", t),
            "poisson": (
                lambda f: jnp.real(jnp.fft.ifft2(jnp.fft.fft2(f) / (
                    1 + jnp.fft.fftfreq(128)[:, None] ** 2 + jnp.fft.fftfreq(128)[None, :] ** 2))), "f32[128,128]", t),
        },
    )  # fmt: skip


# --- Linear algebra ------------------------------------------------------------------------------------------------


def linalg():
    def spd(*dims):
        return A(f"f32[{','.join(map(str, dims))}]", "positive_definite")

    solve = lambda a, b: jnp.linalg.solve(a, b)
    t, signs = {"tolerance": 1e-3}, {"check": "absolute", "tolerance": 2e-3}
    add(
        "linalg",
        {
            **{f"cholesky_{n}": (jnp.linalg.cholesky, spd(n, n), t) for n in (16, 100, 500)},
            "cholesky_batch": (jnp.linalg.cholesky, spd(100, 16, 16), t),
            "cholesky_f64": (jnp.linalg.cholesky, A("f64[128,128]", "positive_definite")),
            **{f"solve_{n}": (solve, spd(n, n), f"f32[{n}]", t) for n in (16, 100, 300)},
            "solve_batch": (lambda a, b: solve(a, b[..., None]), spd(500, 6, 6), "f32[500,6]", t),
            "solve_many": (solve, spd(100, 100), "f32[100,100]", t),
            **{f"inverse_{n}": (jnp.linalg.inv, spd(n, n), t) for n in (16, 100, 300)},
            "inverse_batch": (jnp.linalg.inv, spd(500, 4, 4), t),
            "det_100": (lambda a: jnp.linalg.slogdet(a), spd(100, 100), t),
            "det_batch": (jnp.linalg.det, spd(1000, 4, 4), t),
            "triangular": (
                lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), spd(200, 200), "f32[200,50]", t),
            "cho_solve": (lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), spd(100, 100), "f32[100]", t),
            "lu": (lambda a: jsp.linalg.lu_factor(a)[0], spd(150, 150), t),
            "qr_100": (lambda a: jnp.linalg.qr(a)[1], "f32[100,100]", signs),
            "qr_tall": (lambda a: jnp.linalg.qr(a)[1], "f32[1000,20]", signs),
            "lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], "f32[200,20]", "f32[200]", t),
            "normal_equations": (lambda a, b: solve(a.T @ a, a.T @ b), "f32[5000,20]", "f32[5000]", t),
            "eigh_32": (lambda a: jnp.linalg.eigh(a)[0], spd(32, 32), t),
            "eigh_100": (lambda a: jnp.linalg.eigh(a)[0], spd(100, 100), t),
            "eigh_batch": (lambda a: jnp.linalg.eigh(a)[0], spd(200, 4, 4), t),
            "eigvalsh": (jnp.linalg.eigvalsh, spd(64, 64), t),
            "svd_64": (lambda a: jnp.linalg.svd(a)[1], "f32[64,64]", t),
            "svd_tall": (lambda a: jnp.linalg.svd(a, full_matrices=False)[1], "f32[200,20]", t),
            "svd_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), "f32[50,50]", t),
            "pinv": (jnp.linalg.pinv, "f32[60,30]", t),
            "rank": (jnp.linalg.matrix_rank, "f32[50,50]"),
            "spectral_norm": (lambda a: jnp.linalg.norm(a, 2), "f32[50,50]", t),
            "expm": (jsp.linalg.expm, "f32[32,32]", {"tolerance": 1e-2}),
            "power_iteration": (
                lambda a, v: lax.fori_loop(0, 50, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v),
                spd(200, 200), "f32[200]", t),
            "conjugate_gradient": (lambda a, b: jsp.sparse.linalg.cg(a, b, maxiter=20)[0], spd(200, 200), "f32[200]", t),
            "tridiagonal": (
                lambda d, e, b: lax.linalg.tridiagonal_solve(e, d, e, b[:, None]), A("f32[1000]", "uniform(3,4)"),
                unit("f32[1000]"), "f32[1000]", t),
            "cholesky_grad": (
                lambda a: jax.grad(lambda a: jnp.sum(jnp.log(jnp.diagonal(jnp.linalg.cholesky(a)))))(a), spd(64, 64), t),
            "solve_grad": (lambda a, b: jax.grad(lambda a: jnp.sum(solve(a, b)))(a), spd(50, 50), "f32[50]",
                           {"tolerance": 1e-2}),
        },
        peak="none",
    )  # fmt: skip


# --- Random numbers ------------------------------------------------------------------------------------------------


def rng():
    n = 100000

    def draw(function):
        return (lambda k: function(random.wrap_key_data(k)), integers("u32[2]", 1000000), {"tolerance": 1e-3})

    add(
        "random",
        {
            "bits": draw(lambda k: random.bits(k, (1000000,))),
            "uniform": draw(lambda k: random.uniform(k, (1000000,))),
            "uniform_f64_range": draw(lambda k: random.uniform(k, (n,), minval=-3.0, maxval=5.0)),
            "normal": draw(lambda k: random.normal(k, (1000000,))),
            "normal_small": draw(lambda k: random.normal(k, (10,))),
            "normal_bf16": draw(lambda k: random.normal(k, (n,), bf16)),
            "truncated_normal": draw(lambda k: random.truncated_normal(k, -2, 2, (n,))),
            "bernoulli": draw(lambda k: random.bernoulli(k, 0.3, (1000000,))),
            "randint": draw(lambda k: random.randint(k, (1000000,), 0, 100)),
            "exponential": draw(lambda k: random.exponential(k, (n,))),
            "gumbel": draw(lambda k: random.gumbel(k, (n,))),
            "laplace": draw(lambda k: random.laplace(k, (n,))),
            "cauchy": draw(lambda k: random.cauchy(k, (n,))),
            "rademacher": draw(lambda k: random.rademacher(k, (n,))),
            "gamma": draw(lambda k: random.gamma(k, 2.5, (2000,))),
            "beta": draw(lambda k: random.beta(k, 2.0, 3.0, (1000,))),
            "dirichlet": draw(lambda k: random.dirichlet(k, jnp.ones(8), (200,))),
            "poisson": draw(lambda k: random.poisson(k, 4.0, (2000,))),
            "student_t": draw(lambda k: random.t(k, 5.0, (1000,))),
            "permutation": draw(lambda k: random.permutation(k, 20000)),
            "choice": draw(lambda k: random.choice(k, 1000, (20000,))),
            "choice_without": draw(lambda k: random.choice(k, 10000, (100,), replace=False)),
            "categorical": (
                lambda k, l: random.categorical(random.wrap_key_data(k), l), integers("u32[2]", 99), "f32[2000,100]"),
            "split": draw(lambda k: random.key_data(random.split(k, 10000))),
            "fold_in": (
                lambda k, i: random.key_data(vmap(lambda i: random.fold_in(random.wrap_key_data(k), i))(i)),
                integers("u32[2]", 99), integers("s32[10000]", 99)),
            "dropout": (
                lambda k, x: jnp.where(random.bernoulli(random.wrap_key_data(k), 0.9, x.shape), x / 0.9, 0),
                integers("u32[2]", 99), "f32[512,1024]"),
            "multivariate_normal": (
                lambda k, m, c: random.multivariate_normal(random.wrap_key_data(k), m, c, (1000,)),
                integers("u32[2]", 99), "f32[8]", A("f32[8,8]", "positive_definite"), {"tolerance": 1e-3}),
            "orthogonal": draw(lambda k: jnp.abs(random.orthogonal(k, 32))),
            "random_walk": draw(lambda k: jnp.cumsum(random.normal(k, (100, 1000)), 1)),
            "monte_carlo_pi": draw(lambda k: jnp.mean(jnp.sum(random.uniform(k, (n, 2)) ** 2, 1) < 1)),
        },
    )  # fmt: skip


# --- Loops and branches --------------------------------------------------------------------------------------------


def control():
    def newton(x):
        return lax.fori_loop(0, 20, lambda i, y: 0.5 * (y + x / y), x)

    def collatz(n):
        step = lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)
        return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]

    def mandelbrot(c):
        def step(i, s):
            z, n = s
            z = z * z + c
            alive = jnp.abs(z) < 2
            return jnp.where(alive, z, 2.0), n + alive

        return lax.fori_loop(0, 50, step, (jnp.zeros_like(c), jnp.zeros(c.shape, s32)))[1]

    def mandelbrot_reals(x, y):
        def step(i, s):
            a, b, n = s
            alive = a * a + b * b < 4
            return jnp.where(alive, a * a - b * b + x, a), jnp.where(alive, 2 * a * b + y, b), n + alive

        zero = jnp.zeros_like(x)
        return lax.fori_loop(0, 50, step, (zero, zero, zero.astype(s32)))[2]

    def runge_kutta(y):
        f = lambda y: jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])

        def step(i, y, h=0.001):
            a = f(y)
            b = f(y + h / 2 * a)
            c = f(y + h / 2 * b)
            return y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))

        return lax.fori_loop(0, 500, step, y)

    def edit_distance(a, b):
        def row(previous, x):
            first = previous[0] + 1

            def cell(left, y):
                up, diagonal, same = y
                best = jnp.minimum(jnp.minimum(left, up) + 1, diagonal + jnp.where(same, 0, 1))
                return best, best

            rest = lax.scan(cell, first, (previous[1:], previous[:-1], b == x))[1]
            return jnp.concatenate([first[None], rest]), None

        return lax.scan(row, jnp.arange(b.size + 1), a)[0][-1]

    def life(x):
        def step(i, x):
            n = sum(jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - x
            return ((n == 3) | ((x == 1) & (n == 2))).astype(s32)

        return lax.fori_loop(0, 20, step, x)

    def bisect(y):
        def step(i, s):
            low, high = s
            middle = 0.5 * (low + high)
            left = middle**3 + middle > y
            return jnp.where(left, low, middle), jnp.where(left, middle, high)

        return lax.fori_loop(0, 30, step, (jnp.full_like(y, -10.0), jnp.full_like(y, 10.0)))[0]

    def rnn(w, u, x):
        return lax.scan(lambda h, v: (jnp.tanh(w @ h + u @ v),) * 2, jnp.zeros(64), x)[1]

    def sieve(n):
        def step(i, s):
            return jnp.where((jnp.arange(5000) % (i + 2) == 0) & (jnp.arange(5000) > i + 2), 0, s)

        return lax.fori_loop(0, 69, step, n)

    def fill_in_place(x):
        return lax.fori_loop(0, 1000, lambda i, x: x.at[i].set(x[i] * 2 + i), x)

    def insertion(x):
        def step(i, x):
            def inner(s):
                j, x = s
                a, b = x[j - 1], x[j]
                return j - 1, x.at[j - 1].set(b).at[j].set(a)

            return lax.while_loop(lambda s: (s[0] > 0) & (s[1][s[0] - 1] > s[1][s[0]]), inner, (i, x))[1]

        return lax.fori_loop(1, 64, step, x)

    t = {"tolerance": 1e-3}
    add(
        "control",
        {
            "count": (lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 0.5 + 1), (0, 1.0)),
                      integers("s32[]", 10001, 10000)),
            "sin_loop": (lambda x: lax.fori_loop(0, 1000, lambda i, v: jnp.sin(v) + 0.1, x), "f32[]", t),
            "sin_loop_f64": (lambda x: lax.fori_loop(0, 1000, lambda i, v: jnp.sin(v) + 0.1, x), "f64[]"),
            "tanh_loop": (lambda x: lax.fori_loop(0, 1000, lambda i, v: jnp.tanh(v) + 0.1, x), "f32[16]", t),
            "pow_loop": (lambda x: lax.fori_loop(0, 1000, lambda i, v: v**0.9 + 0.1, x), positive("f32[]"), t),
            "newton": (newton, positive("f32[10000]")),
            "newton_scalar": (newton, positive("f32[]")),
            "collatz": (vmap(collatz), integers("s32[1000]", 1000, 1)),
            "collatz_scalar": (collatz, integers("s32[]", 28, 27)),
            "mandelbrot": (mandelbrot, "c64[64,64]", {"check": "shape"}),
            "mandelbrot_reals": (mandelbrot_reals, "f32[128,128]", "f32[128,128]", {"check": "shape"}),
            "runge_kutta": (runge_kutta, "f32[3]", {"check": "shape"}),
            "runge_kutta_many": (runge_kutta, "f32[3,256]", {"check": "shape"}),
            "edit_distance": (edit_distance, integers("s32[100]", 4), integers("s32[100]", 4)),
            "life": (life, integers("s32[128,128]", 2)),
            "bisect": (bisect, "f32[10000]", t),
            "rnn": (rnn, "f32[64,64]", "f32[64,32]", "f32[100,32]", {"check": "shape"}),
            "rnn_grad": (
                lambda w, u, x: jax.grad(lambda w: jnp.sum(rnn(w * 0.05, u, x)))(w), "f32[64,64]", "f32[64,32]",
                "f32[100,32]", {"tolerance": 1e-2}),
            "scan_layers_grad": (
                lambda w, x: jax.grad(lambda w: jnp.sum(
                    lax.scan(lambda h, w: (jnp.tanh(h @ w * 0.1), None), x, w)[0] ** 2))(w), "f32[12,64,64]",
                "f32[32,64]", t),
            "sieve": (sieve, integers("s32[5000]", 2, 1)),
            "fill_in_place": (fill_in_place, "f32[1000]"),
            "insertion_sort": (insertion, "f32[64]"),
            "cond": (lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x), integers("s32[]", 2), "f32[100000]"),
            "switch": (
                lambda i, x: lax.switch(i, [lambda x: x, lambda x: x * 2, jnp.exp], x), integers("s32[]", 3), "f32[100000]"),
            "cond_in_loop": (
                lambda x: lax.fori_loop(0, 500, lambda i, v: lax.cond(i % 7 == 0, lambda v: v.at[i].add(1.0), lambda v: v, v), x),
                "f32[10000]"),
            "vmapped_while": (
                vmap(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 1.01), (0, 1.0))[1]),
                integers("s32[1000]", 200), t),
            "nested": (
                lambda x: lax.fori_loop(0, 50, lambda i, v: lax.fori_loop(0, 50, lambda j, v: v * 0.99 + i * j * 1e-4, v), x),
                "f32[100]", t),
            "fibonacci": (lambda n: lax.fori_loop(0, n, lambda i, s: (s[1], s[0] + s[1]), (0, 1))[0],
                          integers("s32[]", 1001, 1000)),
            "gcd": (vmap(lambda a, b: lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0]),
                    integers("s32[2000]", 10000, 1), integers("s32[2000]", 10000, 1)),
            "heat": (
                lambda x: lax.fori_loop(0, 100, lambda i, x: x.at[1:-1].add(0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])), x),
                "f32[10000]", t),
            "map_small": (lambda x: lax.map(lambda v: jnp.sum(jnp.exp(v)), x), "f32[200,50]", t),
            "logistic_map": (lambda x: lax.scan(lambda c, _: (3.7 * c * (1 - c),) * 2, x, None, 1000)[1], unit("f32[]"),
                             {"check": "shape"}),
            "kalman": (
                lambda z: lax.scan(lambda s, z: (lambda p, k: ((s[0] + k * (z - s[0]), (1 - k) * p), s[0]))(
                    s[1] + 0.01, (s[1] + 0.01) / (s[1] + 1.01)), (0.0, 1.0), z)[1], "f32[5000]", t),
        },
    )  # fmt: skip


# --- Small vectors and matrices ------------------------------------------------------------------------------------


def small():
    def quaternion(a, b):
        aw, ax, ay, az = (a[..., i] for i in range(4))
        bw, bx, by, bz = (b[..., i] for i in range(4))
        return jnp.stack(
            [
                aw * bw - ax * bx - ay * by - az * bz,
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
            ],
            -1,
        )

    def determinant3(m):
        return jnp.sum(m[..., 0, :] * jnp.cross(m[..., 1, :], m[..., 2, :]), -1)

    def inverse2(m):
        a, b, c, d = m[..., 0, 0], m[..., 0, 1], m[..., 1, 0], m[..., 1, 1]
        adjugate = jnp.stack([jnp.stack([d, -b], -1), jnp.stack([-c, a], -1)], -2)
        return adjugate / (a * d - b * c)[..., None, None]

    def rotations(angles):
        c, s = jnp.cos(angles), jnp.sin(angles)
        z, o = jnp.zeros_like(c), jnp.ones_like(c)
        rows = [jnp.stack([c, -s, z], -1), jnp.stack([s, c, z], -1), jnp.stack([z, z, o], -1)]
        return jnp.stack(rows, -2)

    t, v3, m3 = {"tolerance": 1e-4}, "f32[100000,3]", "f32[50000,3,3]"
    add(
        "small",
        {
            "matvec3": (lambda m, v: jnp.einsum("bij,bj->bi", m, v), "f32[100000,3,3]", v3, t),
            "matmul3": (lambda a, b: a @ b, m3, m3, t),
            "matmul4": (lambda a, b: a @ b, "f32[50000,4,4]", "f32[50000,4,4]", t),
            "matmul2": (lambda a, b: a @ b, "f32[50000,2,2]", "f32[50000,2,2]", t),
            "matmul16": (lambda a, b: a @ b, "f32[2000,16,16]", "f32[2000,16,16]", t),
            "matmul8_f64": (lambda a, b: a @ b, "f64[2000,8,8]", "f64[2000,8,8]"),
            "one_rotation": (lambda v, m: v @ m.T, v3, "f32[3,3]", t),
            "affine": (lambda v, m, o: v @ m.T + o, v3, "f32[3,3]", "f32[3]", t),
            "cross": (jnp.cross, v3, v3, t),
            "normalise": (lambda v: v / jnp.linalg.norm(v, axis=-1, keepdims=True), v3),
            "dot3": (lambda a, b: jnp.sum(a * b, -1), v3, v3, t),
            "outer3": (lambda a, b: a[:, :, None] * b[:, None, :], v3, v3),
            "length4": (lambda v: jnp.sqrt(jnp.sum(v * v, -1)), "f32[100000,4]"),
            "quaternion": (quaternion, "f32[100000,4]", "f32[100000,4]", t),
            "determinant3": (determinant3, m3, t),
            "inverse2": (inverse2, A("f32[50000,2,2]", "positive_definite"), {"tolerance": 1e-3}),
            "trace3": (lambda m: jnp.trace(m, axis1=1, axis2=2), m3, t),
            "transpose3": (lambda m: m.swapaxes(-1, -2), m3),
            "symmetric3": (lambda m: 0.5 * (m + m.swapaxes(-1, -2)), m3),
            "rotations": (rotations, "f32[50000]"),
            "chain4": (lambda a, b, c, d: a @ b @ c @ d, *["f32[10000,4,4]"] * 4, t),
            "homogeneous": (
                lambda m, v: jnp.einsum("ij,bj->bi", m, jnp.concatenate([v, jnp.ones((100000, 1))], 1))[:, :3],
                "f32[4,4]", v3, t),
            "complex_2x2": (lambda a, b: a @ b, "c64[10000,2,2]", "c64[10000,2,2]", t),
            "stress": (lambda f: jnp.einsum("bki,bkj->bij", f, f) - jnp.eye(3), m3, t),
            "split_join": (lambda v: jnp.stack([v[:, 2], v[:, 0], v[:, 1]], 1), v3),
            "add_scalar_vector": (lambda a, b: a + b, "f32[3]", "f32[3]"),
            "tiny_mlp": (
                lambda x, a, b: jnp.tanh(x @ a) @ b, "f32[4]", "f32[4,16]", "f32[16,2]", t),
            "spring_forces": (
                lambda x: jnp.sum((x[:, None] - x[None, :]) / (
                    jnp.linalg.norm(x[:, None] - x[None, :], axis=-1, keepdims=True) + 1.0), 1), "f32[300,3]", t),
        },
    )  # fmt: skip


# --- Geometry ------------------------------------------------------------------------------------------------------


def geometry():
    def pairwise(x, y):
        return jnp.sum((x[:, None] - y[None, :]) ** 2, -1)

    def haversine(a, b):
        d = b - a
        h = jnp.sin(d[:, 0] / 2) ** 2 + jnp.cos(a[:, 0]) * jnp.cos(b[:, 0]) * jnp.sin(d[:, 1] / 2) ** 2
        return 2 * jnp.arcsin(jnp.sqrt(jnp.clip(h, 0, 1)))

    def sphere(o, d):
        b = jnp.sum(o * d, -1)
        c = jnp.sum(o * o, -1) - 1
        disc = b * b - c
        return jnp.where(disc > 0, -b - jnp.sqrt(jnp.maximum(disc, 0)), jnp.inf)

    def rodrigues(w):
        angle = jnp.linalg.norm(w, axis=-1)[:, None, None] + 1e-8
        z = jnp.zeros(w.shape[0])
        x, y, q = w[:, 0], w[:, 1], w[:, 2]
        k = jnp.stack([jnp.stack([z, -q, y], 1), jnp.stack([q, z, -x], 1), jnp.stack([-y, x, z], 1)], 1) / angle
        return jnp.eye(3) + jnp.sin(angle) * k + (1 - jnp.cos(angle)) * (k @ k)

    def iou(a, b):
        low = jnp.maximum(a[:, None, :2], b[None, :, :2])
        high = jnp.minimum(a[:, None, 2:], b[None, :, 2:])
        common = jnp.prod(jnp.clip(high - low, 0), -1)
        area = lambda r: jnp.prod(jnp.clip(r[:, 2:] - r[:, :2], 0), -1)
        return common / (area(a)[:, None] + area(b)[None, :] - common + 1e-6)

    def inside(points, polygon):
        a, b = polygon, jnp.roll(polygon, -1, 0)
        py, px = points[:, None, 1], points[:, None, 0]
        crosses = (a[None, :, 1] > py) != (b[None, :, 1] > py)
        at = (b[:, 0] - a[:, 0]) * (py - a[:, 1]) / (b[:, 1] - a[:, 1] + 1e-9) + a[:, 0]
        return jnp.sum(crosses & (px < at), 1) % 2

    def triangle(o, d, a, b, c):
        e, f = b - a, c - a
        h = jnp.cross(d, f)
        det = jnp.sum(e * h, -1)
        s = o - a
        u = jnp.sum(s * h, -1) / det
        q = jnp.cross(s, e)
        v = jnp.sum(d * q, -1) / det
        return jnp.where((u > 0) & (v > 0) & (u + v < 1), jnp.sum(f * q, -1) / det, jnp.inf)

    def suppress(boxes, scores):
        overlaps = iou(boxes, boxes)
        order = jnp.argsort(-scores)

        def step(i, keep):
            at = order[i]
            higher = jnp.zeros(scores.shape, bool).at[order].set(jnp.arange(scores.size) < i)
            return keep.at[at].set(~jnp.any(higher & keep & (overlaps[at] > 0.5)))

        return lax.fori_loop(0, scores.size, step, jnp.ones(scores.shape, bool))

    t, p3 = {"tolerance": 1e-3}, "f32[50000,3]"
    add(
        "geometry",
        {
            "pairwise3": (pairwise, "f32[500,3]", "f32[500,3]", t),
            "pairwise64": (pairwise, "f32[200,64]", "f32[200,64]", t),
            "pairwise_dot": (
                lambda x, y: jnp.sum(x * x, 1)[:, None] + jnp.sum(y * y, 1) - 2 * x @ y.T, "f32[1000,32]", "f32[1000,32]", t),
            "nearest": (lambda x, y: jnp.argmin(pairwise(x, y), 1), "f32[1000,3]", "f32[200,3]"),
            "k_nearest": (lambda x: lax.top_k(-pairwise(x, x), 5)[0], "f32[500,3]", t),
            "haversine": (haversine, "f32[50000,2]", "f32[50000,2]", t),
            "ray_sphere": (sphere, p3, p3, {"check": "shape"}),
            "ray_triangle": (triangle, p3, p3, p3, p3, p3, {"check": "shape"}),
            "rodrigues": (rodrigues, "f32[20000,3]", t),
            "box_overlap": (iou, unit("f32[300,4]"), unit("f32[300,4]"), t),
            "suppression": (suppress, unit("f32[100,4]"), unit("f32[100]")),
            "points_in_polygon": (inside, "f32[5000,2]", "f32[20,2]"),
            "polygon_area": (
                lambda p: 0.5 * jnp.abs(jnp.sum(p[:, 0] * jnp.roll(p[:, 1], 1) - p[:, 1] * jnp.roll(p[:, 0], 1))),
                "f32[10000,2]", {"tolerance": 1e-2}),
            "triangle_areas": (
                lambda v, f: 0.5 * jnp.linalg.norm(
                    jnp.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]]), axis=-1),
                "f32[5000,3]", integers("s32[10000,3]", 5000), t),
            "bounding_box": (lambda p: (p.min(0), p.max(0)), p3),
            "centroid": (lambda p: p.mean(0), p3, {"tolerance": 1e-2}),
            "centred_covariance": (lambda p: (lambda c: c.T @ c / 50000)(p - p.mean(0)), p3, t),
            "look_at": (
                lambda p, e: (lambda f: jnp.stack([jnp.cross(f, p), f, e], 1))(
                    (p - e) / jnp.linalg.norm(p - e, axis=-1, keepdims=True)), p3, p3, t),
            "project": (lambda p, m: (lambda q: q[:, :2] / q[:, 2:])(p @ m + 5.0), p3, "f32[3,3]", {"check": "shape"}),
            "spherical": (
                lambda p: jnp.stack([jnp.linalg.norm(p, axis=-1), jnp.arctan2(p[:, 1], p[:, 0]),
                                     jnp.arccos(p[:, 2] / jnp.linalg.norm(p, axis=-1))], 1), p3, t),
            "voxel_index": (
                lambda p: jnp.sum(jnp.floor(p * 10).astype(s32) * jnp.array([1, 100, 10000]), -1), p3),
            "gravity": (
                lambda x, m: jnp.sum((lambda d: d / (jnp.sum(d * d, -1, keepdims=True) + 0.1) ** 1.5 * m[None, :, None])(
                    x[None] - x[:, None]), 1), "f32[300,3]", unit("f32[300]"), t),
            "lennard_jones": (
                lambda x: (lambda r: jnp.sum(4 * (r**-6 - r**-3)) / 2)(pairwise(x, x) + 1.0), "f32[500,3]", t),
            "marching_sign": (lambda x: (x[:-1, :-1] > 0) * 1 + (x[1:, :-1] > 0) * 2 + (x[:-1, 1:] > 0) * 4, "f32[500,500]"),
        },
    )  # fmt: skip


# --- Signals and images --------------------------------------------------------------------------------------------


def signal():
    def hsv(rgb):
        high, low = rgb.max(-1), rgb.min(-1)
        d = high - low + 1e-6
        r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
        hue = jnp.where(high == r, (g - b) / d % 6, jnp.where(high == g, (b - r) / d + 2, (r - g) / d + 4))
        return jnp.stack([hue / 6, d / (high + 1e-6), high], -1)

    def separable(x, w):
        x = vmap(lambda r: jnp.convolve(r, w, mode="same"))(x)
        return vmap(lambda r: jnp.convolve(r, w, mode="same"))(x.T).T

    def equalise(x):
        counts = jnp.bincount(x.ravel(), length=256)
        return (jnp.cumsum(counts) * 255 // x.size)[x]

    def rotate(image):
        y, x = jnp.meshgrid(jnp.arange(200.0), jnp.arange(200.0), indexing="ij")
        c, s = math.cos(0.3), math.sin(0.3)
        at = [c * (y - 100) - s * (x - 100) + 100, s * (y - 100) + c * (x - 100) + 100]
        return jsp.ndimage.map_coordinates(image, at, order=1)

    def bilateral(x):
        total = weight = 0.0
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                y = jnp.roll(x, (i, j), (0, 1))
                w = jnp.exp(-((y - x) ** 2) / 0.1 - (i * i + j * j) / 2)
                total, weight = total + w * y, weight + w
        return total / weight

    def biquad(x):
        def step(s, v):
            y = 0.2 * v + 0.4 * s[0] + 0.2 * s[1] + 0.9 * s[2] - 0.3 * s[3]
            return (v, s[0], y, s[2]), y

        return lax.scan(step, (0.0,) * 4, x)[1]

    def sobel(x):
        kernel = jnp.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
        gx = jsp.signal.convolve2d(x, kernel, mode="same")
        gy = jsp.signal.convolve2d(x, kernel.T, mode="same")
        return jnp.sqrt(gx * gx + gy * gy)

    t, image, rgb = {"tolerance": 1e-4}, "f32[256,256]", unit("f32[256,256,3]")
    resize = lambda shape, method: (lambda x: jax.image.resize(x, shape, method))
    add(
        "signal",
        {
            "convolve_1d": (lambda a, b: jnp.convolve(a, b), "f32[20000]", "f32[64]", t),
            "convolve_1d_long": (lambda a, b: jnp.convolve(a, b, mode="same"), "f32[4096]", "f32[1024]", t),
            "correlate_1d": (lambda a, b: jnp.correlate(a, b, mode="same"), "f32[20000]", "f32[64]", t),
            "fft_convolve": (lambda a, b: jsp.signal.fftconvolve(a, b), "f32[20000]", "f32[2000]", t),
            "convolve_2d": (
                lambda x, w: jsp.signal.convolve2d(x, w, mode="same"), image, "f32[7,7]", t),
            "fir_bank": (lambda x, w: vmap(lambda w: jnp.convolve(x, w, mode="valid"))(w), "f32[4096]", "f32[16,32]", t),
            "biquad": (biquad, "f32[5000]", t),
            "gaussian_blur": (separable, image, "f32[9]", t),
            "sobel": (sobel, image, t),
            "laplacian": (
                lambda x: jsp.signal.convolve2d(x, jnp.array([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]), mode="same"), image, t),
            "bilateral": (bilateral, image, t),
            "unsharp": (lambda x, w: 1.5 * x - 0.5 * separable(x, w), image, "f32[5]", t),
            "resize_nearest": (resize((512, 512), "nearest"), image),
            "resize_bilinear": (resize((400, 400), "bilinear"), image, t),
            "resize_cubic": (resize((128, 128), "cubic"), image, t),
            "downsample_mean": (lambda x: x.reshape(128, 2, 128, 2).mean((1, 3)), image),
            "upsample_repeat": (lambda x: jnp.repeat(jnp.repeat(x, 2, 0), 2, 1), image),
            "grey": (lambda x: x @ jnp.array([0.299, 0.587, 0.114]), rgb, t),
            "grey_u8": (
                lambda x: (x.astype(f32) @ jnp.array([0.299, 0.587, 0.114])).astype(u8), integers("u8[256,256,3]", 256),
                {"check": "shape"}),
            "hsv": (hsv, rgb, {"check": "shape"}),
            "srgb_gamma": (lambda x: jnp.where(x < 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055), rgb),
            "equalise": (equalise, integers("s32[256,256]", 256)),
            "rotate": (rotate, "f32[200,200]", {"tolerance": 1e-3}),
            "flip": (lambda x: x[:, ::-1], rgb),
            "crop_pad": (lambda x: jnp.pad(x[16:-16, 16:-16], 16, mode="edge"), image),
            "reflect_pad": (lambda x: jnp.pad(x, 8, mode="reflect"), image),
            "otsu_threshold": (
                lambda x: (lambda h: jnp.argmax((jnp.cumsum(h) / h.sum()) * (1 - jnp.cumsum(h) / h.sum())))(
                    jnp.bincount(x.ravel(), length=256)), integers("s32[256,256]", 256)),
            "normalise_channels": (lambda x: (x - x.mean((0, 1))) / x.std((0, 1)), rgb, {"tolerance": 1e-3}),
            "hwc_to_chw": (lambda x: x.transpose(2, 0, 1), rgb),
            "window_rms": (
                lambda x: jnp.sqrt(jnp.mean(x.reshape(-1, 256) ** 2, 1)), "f32[262144]", t),
            "hann_frames": (
                lambda x: x[jnp.arange(0, 16000, 128)[:, None] + jnp.arange(256)] * jnp.hanning(256), "f32[16384]", t),
            "mel": (lambda s, m: jnp.log(s**2 @ m + 1e-6), "f32[200,257]", unit("f32[257,40]"), t),
            "zero_crossings": (lambda x: jnp.sum(jnp.diff(jnp.sign(x)) != 0), "f32[262144]"),
            "peak_positions": (
                lambda x: (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]) & (x[1:-1] > 1), "f32[262144]"),
            "dither": (lambda x: (x * 255 + jnp.arange(256) % 2 * 0.5).astype(u8), unit(image)),
            "alpha_blend": (
                lambda a, b, m: a * m[..., None] + b * (1 - m[..., None]), rgb, rgb, unit(image)),
        },
    )  # fmt: skip


# --- Statistics ----------------------------------------------------------------------------------------------------


def stats():
    def moments(x):
        c = x - x.mean()
        v = (c * c).mean()
        return (c**3).mean() / v**1.5, (c**4).mean() / v**2

    def kmeans(x, c):
        nearest = jnp.argmin(jnp.sum((x[:, None] - c[None]) ** 2, -1), 1)
        one = nn.one_hot(nearest, c.shape[0])
        return one.T @ x / jnp.maximum(one.sum(0)[:, None], 1)

    def density(x, at):
        return jnp.exp(-0.5 * ((at[:, None] - x[None]) / 0.3) ** 2).sum(1) / (x.size * 0.3 * math.sqrt(2 * math.pi))

    def gaussian_mixture(x, m, s):
        log = -0.5 * jnp.sum(((x[:, None] - m) / s) ** 2, -1) - jnp.sum(jnp.log(s), -1)
        return nn.softmax(log, 1)

    t, square = {"tolerance": 1e-3}, "f32[1000,100]"
    add(
        "stats",
        {
            "variance": (jnp.var, M, t),
            "variance_columns": (lambda x: x.var(0), square, t),
            "std_rows": (lambda x: x.std(1), square, t),
            "z_score": (lambda x: (x - x.mean(0)) / x.std(0), square, t),
            "moments": (moments, M, {"tolerance": 1e-2}),
            "covariance": (lambda x: jnp.cov(x, rowvar=False), square, t),
            "correlation": (lambda x: jnp.corrcoef(x, rowvar=False), square, t),
            "correlation_pair": (lambda x, y: jnp.corrcoef(x, y)[0, 1], unit(M), unit(M), {"check": "shape"}),
            "quantiles": (lambda x: jnp.quantile(x, jnp.linspace(0, 1, 11)), "f32[50000]", t),
            "kl": (lambda p, q: jnp.sum(p * (jnp.log(p) - jnp.log(q)), 1), unit(square), unit(square), t),
            "entropy": (lambda x: -jnp.sum(nn.softmax(x) * nn.log_softmax(x), 1), square, t),
            "cosine": (
                lambda x, y: jnp.sum(x * y, 1) / (jnp.linalg.norm(x, axis=1) * jnp.linalg.norm(y, axis=1)), square, square, t),
            "cosine_matrix": (lambda x: (lambda n: n @ n.T)(x / jnp.linalg.norm(x, axis=1, keepdims=True)), "f32[500,64]", t),
            "mahalanobis": (
                lambda x, m, p: jnp.einsum("bi,ij,bj->b", x - m, p, x - m), "f32[5000,16]", "f32[16]", "f32[16,16]", t),
            "normal_logpdf": (jsp.stats.norm.logpdf, M),
            "normal_cdf": (jsp.stats.norm.cdf, "f32[262144]"),
            "gamma_logpdf": (lambda x, a: jsp.stats.gamma.logpdf(x, a), positive("f32[65536]"), positive("f32[65536]"), t),
            "t_logpdf": (lambda x: jsp.stats.t.logpdf(x, 5.0), "f32[262144]"),
            "multivariate_logpdf": (
                lambda x, m, c: jsp.stats.multivariate_normal.logpdf(x, m, c), "f32[1000,8]", "f32[8]",
                A("f32[8,8]", "positive_definite"), t),
            "linear_regression": (
                lambda x, y: jnp.linalg.solve(x.T @ x + 0.1 * jnp.eye(20), x.T @ y), "f32[5000,20]", "f32[5000]", t),
            "logistic_gradient": (
                lambda w, x, y: jax.grad(lambda w: jnp.mean(nn.softplus(x @ w) - y * (x @ w)))(w), "f32[50]",
                "f32[2000,50]", unit("f32[2000]"), t),
            "kmeans_step": (kmeans, "f32[5000,8]", "f32[10,8]", t),
            "density": (density, "f32[1000]", "f32[500]", t),
            "mixture": (gaussian_mixture, "f32[2000,4]", "f32[8,4]", A("f32[8,4]", "uniform(0.5,1.5)"), t),
            "bootstrap": (lambda x, i: x[i].mean(1), "f32[1000]", integers("s32[100,1000]", 1000), {"tolerance": 1e-2}),
            "running_mean": (lambda x: jnp.cumsum(x) / (1 + jnp.arange(100000)), unit("f32[100000]"), t),
            "mode": (lambda x: jnp.argmax(jnp.bincount(x, length=50)), integers("s32[50000]", 50)),
            "confusion": (
                lambda a, b: jnp.zeros((10, 10), s32).at[a, b].add(1), integers("s32[20000]", 10), integers("s32[20000]", 10)),
            "rmse": (lambda a, b: jnp.sqrt(jnp.mean((a - b) ** 2)), M, M, t),
            "r_squared": (
                lambda y, f: 1 - jnp.sum((y - f) ** 2) / jnp.sum((y - y.mean()) ** 2), M, M, t),
            "auc": (
                lambda s, y: (lambda r: jnp.sum(r * y))(jnp.argsort(jnp.argsort(s)).astype(f32)), "f32[10000]",
                unit("f32[10000]"), t),
            "gaussian_kernel": (
                lambda x, y: jnp.exp(-0.5 * jnp.sum((x[:, None] - y[None]) ** 2, -1)), "f32[300,10]", "f32[300,10]", t),
            "gp_likelihood": (
                lambda x, y: (lambda c: -0.5 * jnp.sum(jsp.linalg.solve_triangular(c, y, lower=True) ** 2)
                              - jnp.sum(jnp.log(jnp.diagonal(c))))(
                    jnp.linalg.cholesky(jnp.exp(-0.5 * (x[:, None] - x[None]) ** 2) + 0.5 * jnp.eye(100))),
                "f32[100]", "f32[100]", t),
        },
    )  # fmt: skip


# --- Sequence models and networks ----------------------------------------------------------------------------------


def networks():
    def lstm(x, w, u, b):
        def step(s, v):
            h, c = s
            i, f, g, o = jnp.split(v @ w + h @ u + b, 4, -1)
            c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
            h = nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[1], u.shape[0]))
        return lax.scan(step, (zero, zero), x)[1]

    def attention(q, k, v, mask=None):
        s = jnp.einsum("hqd,hkd->hqk", q, k) / 8
        if mask is not None:
            s = jnp.where(mask, s, -1e9)
        return jnp.einsum("hqk,hkd->hqd", nn.softmax(s), v)

    def layer_norm(x, g, b):
        m = x.mean(-1, keepdims=True)
        return (x - m) * lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b

    def rotary(x):
        angle = jnp.arange(x.shape[0])[:, None] * 10000 ** (-jnp.arange(0, 1, 2 / x.shape[1]))
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)

    def viterbi(log, move):
        def step(s, e):
            scores = s[:, None] + move
            return scores.max(0) + e, scores.argmax(0)

        return lax.scan(step, log[0], log[1:])

    def forward_algorithm(log, move):
        return lax.scan(lambda s, e: (nn.logsumexp(s[:, None] + move, 0) + e, None), log[0], log[1:])[0]

    def ssm(a, b, c, u):
        return lax.scan(lambda s, v: ((a * s + b * v), None) if c is None else (a * s + b * v, jnp.sum(c * s)), a * 0, u)[1]

    def experts(x, g, w):
        top, at = lax.top_k(x @ g, 2)
        return jnp.einsum("bk,bkd->bd", nn.softmax(top), jnp.einsum("bi,bkij->bkj", x, w[at]))

    def block(x, q, k, v, o, a, b, g, h):
        n = layer_norm(x, g, h)
        heads = lambda w: (n @ w).reshape(-1, 4, 32).transpose(1, 0, 2)
        mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
        y = attention(heads(q), heads(k), heads(v), mask).transpose(1, 0, 2).reshape(x.shape)
        x = x + y @ o
        return x + nn.gelu(layer_norm(x, g, h) @ a) @ b

    def mlp(p, x):
        for w in p:
            x = nn.relu(x @ w)
        return x

    def batch_norm(x, g, b):
        m, v = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b

    t = {"tolerance": 1e-3}
    heads = ["f32[8,128,64]"] * 3
    w = A("f32[128,128]", "normal*0.1")
    add(
        "nn",
        {
            "lstm": (lstm, "f32[50,16,32]", A("f32[32,256]", "normal*0.1"), A("f32[64,256]", "normal*0.1"), "f32[256]", t),
            "lstm_grad": (
                lambda x, w, u, b: jax.grad(lambda u: jnp.sum(lstm(x, w, u, b)))(u), "f32[30,16,32]",
                A("f32[32,256]", "normal*0.1"), A("f32[64,256]", "normal*0.1"), "f32[256]", t),
            "gru_step": (
                lambda h, x, w, u: (lambda z: z * h + (1 - z) * jnp.tanh(x @ w))(nn.sigmoid(h @ u)), "f32[32,128]",
                "f32[32,128]", w, w, t),
            "attention": (attention, *heads, t),
            "attention_causal": (lambda q, k, v: attention(q, k, v, jnp.tril(jnp.ones((128, 128), bool))), *heads, t),
            "attention_grad": (
                lambda q, k, v: jax.grad(lambda *a: jnp.sum(attention(*a) ** 2), (0, 1, 2))(q, k, v), *["f32[4,64,64]"] * 3, t),
            "attention_bf16": (attention, *["bf16[8,128,64]"] * 3),
            "decode_step": (
                lambda q, k, v: nn.softmax(jnp.einsum("hd,hkd->hk", q, k)) [:, None] @ v, "f32[8,64]", "f32[8,512,64]",
                "f32[8,512,64]", t),
            "kv_cache": (
                lambda c, k, i: lax.dynamic_update_slice(c, k, (0, i, 0)), "f32[8,512,64]", "f32[8,1,64]", integers("s32[]", 500)),
            "layer_norm": (layer_norm, "f32[512,256]", "f32[256]", "f32[256]", t),
            "layer_norm_grad": (
                lambda x, g, b: jax.grad(lambda *a: jnp.sum(layer_norm(*a) ** 2), (0, 1, 2))(x, g, b), "f32[512,256]",
                "f32[256]", "f32[256]", t),
            "batch_norm": (batch_norm, "f32[16,16,16,32]", "f32[32]", "f32[32]", t),
            "group_norm": (
                lambda x: (lambda y: ((y - y.mean((1, 2, 4), keepdims=True)) / (
                    y.std((1, 2, 4), keepdims=True) + 1e-5)).reshape(x.shape))(x.reshape(8, 16, 16, 4, 8)), "f32[8,16,16,32]", t),
            "rotary": (rotary, "f32[512,128]", t),
            "positional": (
                lambda x: x + jnp.sin(jnp.arange(512)[:, None] / 10000 ** (jnp.arange(128) / 128)), "f32[512,128]", t),
            "cross_entropy": (
                lambda x, y: -jnp.mean(jnp.take_along_axis(nn.log_softmax(x), y[:, None], 1)), "f32[512,1000]",
                integers("s32[512]", 1000), t),
            "cross_entropy_grad": (
                lambda x, y: jax.grad(lambda x: -jnp.mean(jnp.take_along_axis(nn.log_softmax(x), y[:, None], 1)))(x),
                "f32[512,1000]", integers("s32[512]", 1000), t),
            "label_smoothing": (
                lambda x, y: -jnp.mean(jnp.sum((nn.one_hot(y, 100) * 0.9 + 0.001) * nn.log_softmax(x), 1)), "f32[2000,100]",
                integers("s32[2000]", 100), t),
            "viterbi": (viterbi, "f32[200,32]", "f32[32,32]", t),
            "forward_algorithm": (forward_algorithm, "f32[200,32]", "f32[32,32]", t),
            "state_space": (ssm, A("f32[64]", "uniform(0.5,0.9)"), "f32[64]", "f32[64]", "f32[1000]", t),
            "experts": (experts, "f32[64,64]", "f32[64,8]", "f32[8,64,64]", t),
            "block": (
                block, "f32[64,128]", w, w, w, w, A("f32[128,512]", "normal*0.1"), A("f32[512,128]", "normal*0.1"), "f32[128]",
                "f32[128]", t),
            "mlp": (mlp, [w] * 3, "f32[64,128]", t),
            "mlp_grad": (lambda p, x: jax.grad(lambda p: jnp.sum(mlp(p, x) ** 2))(p), [w] * 3, "f32[64,128]", t),
            "mlp_hessian_vector": (
                lambda p, x, v: jax.jvp(jax.grad(lambda p: jnp.sum(jnp.tanh(x @ p) ** 2)), (p,), (v,))[1], w, "f32[64,128]", w, t),
            "mlp_jacobian": (
                lambda p, x: vmap(jax.jacrev(lambda x: jnp.tanh(x @ p)))(x), A("f32[16,16]", "normal*0.1"), "f32[100,16]", t),
            "per_example_grad": (
                lambda p, x: vmap(lambda x: jax.grad(lambda p: jnp.sum(jnp.tanh(x @ p)))(p))(x), A("f32[32,16]", "normal*0.1"),
                "f32[100,32]", t),
            "lora": (lambda x, p, a, b: x @ p + (x @ a) @ b, "f32[64,512]", "f32[512,512]", "f32[512,8]", "f32[8,512]", t),
            "top_k_sampling": (
                lambda x: (lambda v: jnp.where(x < v[:, -1:], -jnp.inf, x))(lax.top_k(x, 40)[0]), "f32[16,5000]"),
            "beam_step": (
                lambda s, x: lax.top_k((s[:, None] + nn.log_softmax(x)).ravel(), 4), "f32[4]", "f32[4,5000]", t),
            "contrastive": (
                lambda a, b: -jnp.mean(jnp.diagonal(nn.log_softmax(a @ b.T))), "f32[256,64]", "f32[256,64]", t),
            "vae_loss": (
                lambda m, s, e: jnp.mean(jnp.sum(0.5 * (m**2 + jnp.exp(s) - s - 1), 1)) + jnp.sum(m + jnp.exp(0.5 * s) * e),
                *["f32[512,32]"] * 3, {"tolerance": 1e-2}),
            "fourier_features": (
                lambda x, b: jnp.concatenate([jnp.sin(x @ b), jnp.cos(x @ b)], -1), "f32[5000,3]", "f32[3,64]", t),
            "graph_attention": (
                lambda x, a, b, w: (lambda h, e: jax.ops.segment_sum(h[a] * jnp.exp(e)[:, None], b, 1000))(
                    x @ w, jnp.tanh(jnp.sum(x[a] * x[b], 1))), "f32[1000,16]", integers("s32[5000]", 1000),
                integers("s32[5000]", 1000), "f32[16,16]", t),
            "conv_net": (
                lambda x, a, b, w: nn.relu(lax.conv_general_dilated(
                    nn.relu(lax.conv_general_dilated(x, a, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))),
                    b, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))).reshape(8, -1) @ w, "f32[8,28,28,1]",
                A("f32[3,3,1,16]", "normal*0.3"), A("f32[3,3,16,32]", "normal*0.1"), A("f32[1568,10]", "normal*0.1"), t),
        },
    )  # fmt: skip


# --- Integers and bits ---------------------------------------------------------------------------------------------


def bits():
    n = "u32[1000000]"

    def xorshift(x):
        for _ in range(4):
            x = x ^ (x << 13)
            x = x ^ (x >> 17)
            x = x ^ (x << 5)
        return x

    def murmur(x):
        x = (x ^ (x >> 16)) * u32(0x85EBCA6B)
        x = (x ^ (x >> 13)) * u32(0xC2B2AE35)
        return x ^ (x >> 16)

    def spread(x):
        x = x & 0xFFFF
        for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            x = (x | (x << shift)) & u32(mask)
        return x

    def reverse(x):
        for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
            x = ((x >> shift) & u32(mask)) | ((x & u32(mask)) << shift)
        return x

    def mod_power(x):
        r = jnp.ones_like(x)
        for bit in "1011011":
            r = r * r % 10007
            if bit == "1":
                r = r * x % 10007
        return r

    def crc(x):
        return lax.fori_loop(0, 8, lambda i, c: jnp.where(c & 1, (c >> 1) ^ u32(0xEDB88320), c >> 1), x)

    add(
        "bits",
        {
            "xorshift": (xorshift, integers(n, 1 << 31)),
            "murmur": (murmur, integers(n, 1 << 31)),
            "popcount": (lax.population_count, integers(n, 1 << 31)),
            "leading_zeros": (lax.clz, integers(n, 1 << 31)),
            "popcount_u8": (lax.population_count, integers("u8[1000000]", 256)),
            "reverse": (reverse, integers(n, 1 << 31)),
            "morton": (lambda x, y: spread(x) | (spread(y) << 1), integers(n, 65536), integers(n, 65536)),
            "grey_code": (lambda x: x ^ (x >> 1), integers(n, 1 << 31)),
            "rotate": (lambda x, k: (x << k) | (x >> (32 - k)), integers(n, 1 << 31), integers(n, 31, 1)),
            "divide": (lambda x, y: x // y, "s32[500000]", integers("s32[500000]", 100, 1)),
            "modulo": (lambda x: x % 97, integers("s32[1000000]", 1 << 30)),
            "modulo_s64": (lambda x: x % 1000003, integers("s64[300000]", 1 << 40)),
            "multiply_s64": (lambda x, y: x * y + 1, "s64[500000]", "s64[500000]"),
            "mod_power": (mod_power, integers("s32[200000]", 10007)),
            "gcd": (jnp.gcd, integers("s32[20000]", 9999, 1), integers("s32[20000]", 9999, 1)),
            "crc": (crc, integers(n, 1 << 31)),
            "packbits": (jnp.packbits, integers("u8[1000000]", 2)),
            "unpackbits": (jnp.unpackbits, integers("u8[100000]", 256)),
            "xor_reduce": (lambda x: lax.reduce(x, u32(0), lax.bitwise_xor, (0,)), integers(n, 1 << 31)),
            "and_rows": (lambda x: lax.reduce(x, s32(-1), lax.bitwise_and, (1,)), integers("s32[1000,1000]", 1 << 30)),
            "saturating_add": (
                lambda a, b: jnp.minimum(a.astype(s32) + b.astype(s32), 255).astype(u8), integers("u8[1000000]", 256),
                integers("u8[1000000]", 256)),
            "average_u8": (
                lambda a, b: ((a.astype(jnp.uint16) + b + 1) >> 1).astype(u8), integers("u8[1000000]", 256),
                integers("u8[1000000]", 256)),
            "fixed_point": (
                lambda a, b: ((a.astype(s32) * b.astype(s32)) >> 15).astype(jnp.int16), "s16[1000000]", "s16[1000000]"),
            "float_bits": (lambda x: lax.bitcast_convert_type(x, s32) >> 23, M),
            "fast_inverse_sqrt": (
                lambda x: (lambda y: y * (1.5 - 0.5 * x * y * y))(
                    lax.bitcast_convert_type(s32(0x5F3759DF) - (lax.bitcast_convert_type(x, s32) >> 1), f32)), positive(M)),
            "max_s32": (jnp.max, "s32[1000000]"),
            "argmin_s8": (jnp.argmin, "s8[1000000]"),
            "is_prime": (
                lambda x: jnp.all(x[:, None] % jnp.arange(2, 100) != 0, 1), integers("s32[20000]", 10000, 100)),
            "parity": (lambda x: lax.population_count(x) & 1, integers(n, 1 << 31)),
            "compare_strings": (lambda a, b: jnp.all(a == b, 1), integers("u8[50000,16]", 2), integers("u8[50000,16]", 2)),
            "base64_index": (
                lambda x: jnp.stack([x[:, 0] >> 2, (x[:, 0] & 3) << 4 | x[:, 1] >> 4, (x[:, 1] & 15) << 2 | x[:, 2] >> 6,
                                     x[:, 2] & 63], 1), integers("u8[100000,3]", 256)),
            "int4_unpack": (lambda x: jnp.stack([x & 15, x >> 4], -1).reshape(-1), integers("u8[500000]", 256)),
        },
    )  # fmt: skip


# --- Movement ------------------------------------------------------------------------------------------------------


def move():
    square = "f32[1000,1000]"
    add(
        "move",
        {
            "transpose": (jnp.transpose, square),
            "transpose_1024": (jnp.transpose, "f32[1024,1024]"),
            "transpose_f64": (jnp.transpose, "f64[700,700]"),
            "transpose_u8": (jnp.transpose, integers("u8[1000,1000]", 256)),
            "transpose_add": (lambda x: x + x.T, square),
            "permute_021": (lambda x: x.transpose(0, 2, 1), "f32[64,100,150]"),
            "permute_102": (lambda x: x.transpose(1, 0, 2), "f32[100,100,100]"),
            "permute_210": (lambda x: x.transpose(2, 1, 0), "f32[100,100,100]"),
            "permute_0231": (lambda x: x.transpose(0, 2, 3, 1), "f32[8,32,64,64]"),
            "split_heads": (lambda x: x.reshape(128, 8, 64).transpose(1, 0, 2), "f32[128,512]"),
            "concatenate_rows": (lambda a, b: jnp.concatenate([a, b], 0), square, square),
            "concatenate_columns": (lambda a, b: jnp.concatenate([a, b], 1), square, square),
            "stack_inner": (lambda a, b: jnp.stack([a, b], -1), M, M),
            "stack_outer": (lambda *x: jnp.stack(x), *["f32[100000]"] * 8),
            "split": (lambda x: jnp.split(x, 4, 1), square),
            "pad": (lambda x: jnp.pad(x, ((3, 5), (2, 9))), square),
            "pad_interior": (lambda x: lax.pad(x, 0.0, ((1, 1, 1), (1, 1, 1))), "f32[500,500]"),
            "slice": (lambda x: x[100:900, 100:900] * 2, square),
            "slice_strided": (lambda x: x[::2, ::3] * 2, square),
            "even_odd": (lambda x: (x[::2], x[1::2]), M),
            "reverse": (lambda x: x[::-1, ::-1] * 1.0, square),
            "tile": (lambda x: jnp.tile(x, (4, 4)), "f32[250,250]"),
            "broadcast_to": (lambda x: jnp.broadcast_to(x[:, None], (1000, 1000)), "f32[1000]"),
            "meshgrid": (lambda x, y: jnp.meshgrid(x, y), "f32[1000]", "f32[1000]"),
            "tril": (jnp.tril, square),
            "eye_like": (lambda x: jnp.eye(1000) + x, "f32[]"),
            "arange_grid": (lambda s: (jnp.arange(1000)[:, None] * 1000 + jnp.arange(1000)) * s, "f32[]"),
            "pixel_shuffle": (
                lambda x: x.reshape(64, 64, 2, 2, 16).transpose(0, 2, 1, 3, 4).reshape(128, 128, 16), "f32[64,64,64]"),
            "patches": (
                lambda x: x.reshape(16, 14, 16, 14, 3).transpose(0, 2, 1, 3, 4).reshape(256, 588), "f32[224,224,3]"),
            "im2col": (
                lambda x: jnp.concatenate([x[i : i + 62, j : j + 62] for i in range(3) for j in range(3)], -1), "f32[64,64,16]"),
            "interleave": (lambda a, b: jnp.stack([a, b], 1).reshape(-1), "f32[500000]", "f32[500000]"),
            "deinterleave_complex": (lambda x: (jnp.real(x), jnp.imag(x)), "c64[500000]"),
            "bool_pack": (lambda x: (x > 0).astype(s8), M),
            "swap_halves": (lambda x: jnp.concatenate([x[500:], x[:500]]), square),
            "checkerboard": (lambda x: jnp.where((jnp.arange(1000)[:, None] + jnp.arange(1000)) % 2 == 0, x, 0), square),
            "vec_of_lower": (lambda x: x[jnp.tril_indices(300)], "f32[300,300]"),
        },
    )  # fmt: skip


# --- Gradients and optimisers --------------------------------------------------------------------------------------


def optim():
    def adam(p, m, v, g):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return p - 0.001 * m / (jnp.sqrt(v) + 1e-8), m, v

    def clip(*g):
        norm = jnp.sqrt(sum(jnp.sum(x * x) for x in g))
        return tuple(x * jnp.minimum(1.0, 1.0 / (norm + 1e-6)) for x in g)

    def rosenbrock(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    def descend(x):
        return lax.fori_loop(0, 100, lambda i, x: x - 1e-4 * jax.grad(rosenbrock)(x), x)

    def regression(w, x, y):
        return lax.fori_loop(0, 20, lambda i, w: w - 0.01 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w), w)

    def line_search(x):
        steps = 0.5 ** jnp.arange(10.0)
        g = jax.grad(rosenbrock)(x)
        return steps[jnp.argmin(vmap(lambda s: rosenbrock(x - s * g))(steps))]

    t, w = {"tolerance": 1e-3}, "f32[512,512]"
    add(
        "optim",
        {
            "sgd": (lambda p, g: p - 0.1 * g, w, w),
            "momentum": (lambda p, m, g: (lambda m: (p - 0.1 * m, m))(0.9 * m + g), w, w, w),
            "adam": (adam, w, w, positive(w), w),
            "adam_many": (
                lambda p, m, v, g: [adam(*s) for s in zip(p, m, v, g)], *[[A("f32[1000]", UNIT)] * 16] * 4),
            "rmsprop": (lambda p, v, g: (lambda v: (p - 0.01 * g * lax.rsqrt(v + 1e-8), v))(0.9 * v + 0.1 * g * g), w, positive(w), w),
            "lion": (lambda p, m, g: (p - 1e-3 * jnp.sign(0.9 * m + 0.1 * g), 0.99 * m + 0.01 * g), w, w, w),
            "clip_by_norm": (clip, w, w, "f32[512]", t),
            "weight_decay": (lambda p, g: p * 0.999 - 0.01 * g, w, w),
            "ema": (lambda a, b: 0.999 * a + 0.001 * b, w, w),
            "rosenbrock_grad": (jax.grad(rosenbrock), "f32[100000]", t),
            "rosenbrock_hvp": (
                lambda x, v: jax.jvp(jax.grad(rosenbrock), (x,), (v,))[1], "f32[100000]", "f32[100000]", t),
            "rosenbrock_hessian": (jax.hessian(rosenbrock), "f32[50]", t),
            "descend": (descend, unit("f32[1000]"), t),
            "regression": (regression, "f32[20]", "f32[1000,20]", "f32[1000]", t),
            "line_search": (line_search, unit("f32[1000]")),
            "newton_step": (
                lambda x: x - jnp.linalg.solve(jax.hessian(rosenbrock)(x), jax.grad(rosenbrock)(x)), unit("f32[20]"),
                {"tolerance": 1e-2}),
            "project_simplex": (
                lambda x: (lambda s: jnp.maximum(x - jnp.max((jnp.cumsum(s, 1) - 1) / (1 + jnp.arange(100)), 1, keepdims=True), 0))(
                    -jnp.sort(-x, 1)), "f32[500,100]", t),
            "sinkhorn": (
                lambda c: lax.fori_loop(0, 20, lambda i, k: (lambda r: r / r.sum(0, keepdims=True))(
                    k / k.sum(1, keepdims=True)), jnp.exp(-c)), unit("f32[100,100]"), t),
            "proximal": (lambda x: jnp.sign(x) * jnp.maximum(jnp.abs(x) - 0.1, 0), M),
            "huber_grad": (jax.grad(lambda x: jnp.sum(jnp.where(jnp.abs(x) < 1, 0.5 * x * x, jnp.abs(x) - 0.5))), M),
        },
    )  # fmt: skip


def main():
    for family in (
        elementwise, special, reduce, dot, conv, index, scatter, sort, scan, window, fft, linalg, rng, control, small,
        geometry, signal, stats, networks, bits, move, optim,
    ):  # fmt: skip
        family()
    return writer.main(__doc__)


if __name__ == "__main__":
    sys.exit(main())
