"""The rows as functions of NumPy and SciPy, as one who knows both would write them."""

import math

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.special
from numpy.lib.stride_tricks import sliding_window_view

from .rows import click_parameters, pairs, resnet_strides, RESNET_STAGES

f32 = np.float32


def chain(x):
    for k in range(10):
        x = np.maximum(x * (1.0 - k / 128) + k / 8, -2.0 - k)
    return x


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def logsumexp(x):
    m = x.max(1)
    return np.log(np.exp(x - m[:, None]).sum(1)) + m


def rms_norm(x):
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + f32(1e-6))


def layer_norm(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, -1, keepdims=True) + f32(1e-5)) * gain + bias


def attention(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2) * f32(q.shape[-1] ** -0.5)) @ v


def cross_entropy(x, labels):
    return np.mean(logsumexp(x) - np.take_along_axis(x, labels[:, None], 1)[:, 0])


def exact_s8_dot(a, b):
    return (a.astype(f32) @ b.astype(f32)).astype(np.int32)  # BLAS has no integers; these sums are exact in f32


def in_f32(a, b):
    return (a.astype(f32) @ b.astype(f32)).astype(a.dtype)


def same_padding(size, kernel, stride):
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def conv_nchw(x, w):
    """3x3, as one product with the windows."""
    windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
    return np.moveaxis(np.tensordot(w, windows, ((1, 2, 3), (1, 4, 5))), 1, 0)


def conv_nhwc(x, w, stride=1):
    """As a sum of products, one for each place of the kernel."""
    kh, kw, _, features = w.shape
    n, h, width, channels = x.shape
    out_h, out_w = -(-h // stride), -(-width // stride)
    if kh > 1 or kw > 1:
        x = np.pad(x, ((0, 0), same_padding(h, kh, stride), same_padding(width, kw, stride), (0, 0)))
    if channels < 16:  # a product with so few columns is slow: one with all windows
        windows = sliding_window_view(x, (kh, kw), (1, 2))[:, ::stride, ::stride]
        return np.tensordot(windows, w, ((4, 5, 3), (0, 1, 2)))
    total = 0
    for i in range(kh):
        for j in range(kw):
            part = x[:, i : i + stride * (out_h - 1) + 1 : stride, j : j + stride * (out_w - 1) + 1 : stride]
            total = total + part.reshape(-1, channels) @ w[i, j]
    return total.reshape(n, out_h, out_w, features)


def depthwise_nhwc(x, w):
    _, h, width, _ = x.shape
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sum(x[:, i : i + h, j : j + width] * w[i, j, 0] for i in range(3) for j in range(3))


def conv_1d(x, w):
    n, length, channels = x.shape
    x = np.pad(x, ((0, 0), (2, 2), (0, 0)))
    parts = (x[:, i : i + length].reshape(-1, channels) @ w[i] for i in range(5))
    return sum(parts).reshape(n, length, -1)


def max3_nchw(x):
    x = np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=-np.inf)
    return max_of_nine(lambda i, j: x[:, :, i : i + 63 : 2, j : j + 63 : 2])


def max3_nhwc(x):
    size = x.shape[1]
    x = np.pad(x, ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=-np.inf)
    return max_of_nine(lambda i, j: x[:, i : i + size - 1 : 2, j : j + size - 1 : 2])


def max_of_nine(part):
    result = part(0, 0)
    for i in range(3):
        for j in range(3):
            result = np.maximum(result, part(i, j))
    return result


def avg2(x):
    return (x[:, ::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, ::2] + x[:, 1::2, 1::2]) * f32(0.25)


def added(x, indices, values):
    x = x.copy()
    np.add.at(x, indices, values)
    return x


def top8(x):
    at = np.argpartition(x, -8, 1)[:, -8:]
    values = np.take_along_axis(x, at, 1)
    order = np.argsort(-values, 1)
    return np.take_along_axis(values, order, 1), np.take_along_axis(at, order, 1)


def relu(x):
    return np.maximum(x, 0)


def sgd(*arguments):
    """A step of a perceptron with three layers, its gradient written down."""
    layers, (x, labels) = pairs(arguments, 3)
    values = [x]
    for w, b in layers[:-1]:
        values.append(relu(values[-1] @ w + b))
    w, b = layers[-1]
    slope = softmax(values[-1] @ w + b)
    slope[np.arange(len(labels)), labels] -= 1
    slope /= len(labels)
    new = []
    for (w, b), value in zip(reversed(layers), reversed(values)):
        new += [b - f32(0.01) * slope.sum(0), w - f32(0.01) * (value.T @ slope)]
        if value is not x:
            slope = (slope @ w.T) * (value > 0)
    return new[::-1]


def resnet(images, *parameters):
    *layers, w, b = parameters
    remaining = iter(zip(layers[::3], layers[1::3], layers[2::3], resnet_strides()))

    def layer(x):
        kernel, gain, bias, stride = next(remaining)
        if kernel.shape[0] == 1:
            x = x[:, ::stride, ::stride]
            return x @ kernel[0, 0] * gain + bias
        return conv_nhwc(x, kernel, stride) * gain + bias

    x = max3_nhwc(relu(layer(images)))
    for _, blocks in RESNET_STAGES:
        for block in range(blocks):
            y = layer(relu(layer(relu(layer(x)))))
            x = relu(y + (layer(x) if block == 0 else x))
    return softmax(x.mean((1, 2)) @ w + b)


def transformer(x, bias1, bias2, down, gain1, gain2, out, qkv, up):
    n, width = x.shape
    q, k, v = (layer_norm(x, gain1, bias1) @ qkv).reshape(n, 3, 12, -1).transpose(1, 2, 0, 3)
    x = x + attention(q, k, v).swapaxes(0, 1).reshape(n, width) @ out
    return x + gelu(layer_norm(x, gain2, bias2) @ up) @ down


def lstm(hidden, cell, inputs, w_input, w_hidden, bias):
    projected = inputs @ w_input + bias
    outputs = np.empty_like(inputs)
    n = hidden.shape[1]
    for i, part in enumerate(projected):
        gates = part + hidden @ w_hidden
        keep, write, show = scipy.special.expit(gates[:, np.r_[: 2 * n, 3 * n : 4 * n]]).reshape(-1, 3, n).swapaxes(0, 1)
        cell = keep * cell + write * np.tanh(gates[:, 2 * n : 3 * n])
        hidden = outputs[i] = show * np.tanh(cell)
    return hidden, cell, outputs


def dense(x, layers):
    for w, b in layers[:-1]:
        x = relu(x @ w + b)
    return x @ layers[-1][0] + layers[-1][1]


def click_probability(*arguments):
    tables, bottom, top, ids, features = click_parameters(arguments)
    first = relu(dense(features, bottom))
    vectors = np.stack([first, *(t[ids[:, i]] for i, t in enumerate(tables))], 1)
    products = vectors @ vectors.swapaxes(1, 2)
    row, column = np.tril_indices(27, -1)
    return scipy.special.expit(dense(np.concatenate([first, products[:, row, column]], 1), top)[:, 0])


def conv_net(x, a, b, w):
    x = relu(conv_nhwc(relu(conv_nhwc(x, a, 2)), b, 2))
    return x.reshape(8, -1) @ w


FUNCTIONS = {
    "E1.1024": np.add,
    "E3": chain,
    "E4": lambda x, row, column: x + row + column,
    "elementwise.u8_normalise": lambda x: (x.astype(f32) - 127.5) / 127.5,
    "elementwise.f64_chain": lambda x, y: (x * y + 1.0) / (x * x + 2.0),
    "elementwise.f32_to_s8": lambda x: np.clip(np.rint(x * 127), -127, 127).astype(np.int8),
    "T1.exp.4096": np.exp,
    "T1.exp.1M": np.exp,
    "T1.tanh.1M": np.tanh,
    "T2": lambda x, bias: gelu(x + bias),
    "T4.erf": scipy.special.erf,
    "T4.exp.f64": np.exp,
    "special.sin": np.sin,
    "special.power": np.power,
    "R1.all.1024": np.sum,
    "R1.minor.1024": lambda x: x.sum(1),
    "R1.major.1024": lambda x: x.sum(0),
    "reduce.argmax_rows": lambda x: x.argmax(1),
    "reduce.logsumexp": logsumexp,
    "stats.variance_columns": lambda x: x.var(0),
    "N1.1Kx1K": softmax,
    "N3.rms.1Kx1K": rms_norm,
    "nn.layer_norm": layer_norm,
    "nn.attention": attention,
    "nn.cross_entropy": cross_entropy,
    "D1.64": np.matmul,
    "D1.512": np.matmul,
    "D2.1x4096x4096": np.matmul,
    "D3.ABt": lambda a, b: a @ b.T,
    "D4.64x64x64x64": np.matmul,
    "D4.1024x8x8x8": np.matmul,
    "D5.bf16.256": in_f32,
    "D6.s8.512": exact_s8_dot,
    "D7.f64": np.matmul,
    "D7.f16": in_f32,
    "C2.28.nchw.n1": conv_nchw,
    "conv.one_channel": lambda x, w: scipy.ndimage.correlate(x[0, 0], w[0, 0], mode="constant")[None, None],
    "C1.3x3.56.64.n1": conv_nhwc,
    "C3.14.512": depthwise_nhwc,
    "conv.1d": conv_1d,
    "window.max3_nchw": max3_nchw,
    "window.avg2": avg2,
    "index.rows64": lambda t, i: np.take(t, i, 0),
    "index.along_rows": lambda x, i: np.take_along_axis(x, i, 1),
    "scatter.add": added,
    "scatter.add_rows64": added,
    "G7.1024": lambda x: np.ascontiguousarray(x.T),
    "move.permute_021": lambda x: np.ascontiguousarray(x.transpose(0, 2, 1)),
    "move.pad": lambda x: np.pad(x, ((3, 5), (2, 9))),
    "sort.f32": np.sort,
    "sort.rows100": np.sort,
    "sort.top8": top8,
    "sort.argsort": lambda x: np.argsort(x, kind="stable"),
    "scan.cumsum_rows": lambda x: np.cumsum(x, 1),
    "fft.n1024": scipy.fft.fft,
    "fft.real_16384": scipy.fft.rfft,
    "fft.2d_256": scipy.fft.fft2,
    "linalg.cholesky_500": lambda a: scipy.linalg.cholesky(a, lower=True, check_finite=False),
    "linalg.solve_300": np.linalg.solve,
    "L3.eigh.256": lambda a: tuple(scipy.linalg.eigh(a, check_finite=False, driver="evd")),
    "M1.sgd": sgd,
    "M2.n1": resnet,
    "M3.fwd.f32.128": transformer,
    "M4.n1": lstm,
    "M5.test": click_probability,
    "nn.conv_net": conv_net,
}
