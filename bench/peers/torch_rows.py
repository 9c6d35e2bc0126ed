"""The rows as functions of PyTorch, which run as they are and compiled by torch.compile.

Images of programs with features last are views for PyTorch (its "channels last" format); nothing is moved for that.
"""

import torch
import torch.nn.functional as F

from .rows import click_parameters, pairs, resnet_strides, RESNET_STAGES


def chain(x):
    for k in range(10):
        x = torch.clamp_min(x * (1.0 - k / 128) + k / 8, -2.0 - k)
    return x


def attention(q, k, v):
    return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def to_nchw(x):
    return x.permute(0, 3, 1, 2)


def to_nhwc(x):
    return x.permute(0, 2, 3, 1).contiguous()


def same(x, kernel, stride, value=0.0):
    """Padded as XLA pads if that is not the same at both ends, and the padding that is left for the operation."""
    total = max((-(-x.shape[2] // stride) - 1) * stride + kernel - x.shape[2], 0)
    if total % 2 == 0:
        return x, total // 2
    low, high = total // 2, total - total // 2
    return F.pad(x, (low, high, low, high), value=value), 0


def conv(x, w, stride=1, groups=1):
    """Images in NCHW, kernels in HWIO."""
    x, padding = same(x, w.shape[0], stride)
    return F.conv2d(x, w.permute(3, 2, 0, 1), stride=stride, padding=padding, groups=groups)


def max3(x):
    x, padding = same(x, 3, 2, -torch.inf)
    return F.max_pool2d(x, 3, 2, padding)


def sgd(*arguments):
    layers, (x, labels) = pairs(arguments, 3)

    def loss(*flat):
        h = x
        for w, b in pairs(flat, 3)[0][:-1]:
            h = torch.relu(torch.addmm(b, h, w))
        return F.cross_entropy(torch.addmm(flat[-1], h, flat[-2]), labels.long())

    flat = [p for layer in layers for p in layer]
    gradients = torch.func.grad(loss, tuple(range(6)))(*flat)
    return [p - 0.01 * g for p, g in zip(flat, gradients)]


def resnet(images, *parameters):
    *layers, w, b = parameters
    remaining = iter(zip(layers[::3], layers[1::3], layers[2::3], resnet_strides()))

    def layer(x):
        kernel, gain, bias, stride = next(remaining)
        return conv(x, kernel, stride) * gain[:, None, None] + bias[:, None, None]

    x = max3(torch.relu(layer(to_nchw(images))))
    for _, blocks in RESNET_STAGES:
        for block in range(blocks):
            y = layer(torch.relu(layer(torch.relu(layer(x)))))
            x = torch.relu(y + (layer(x) if block == 0 else x))
    return torch.softmax(x.mean((2, 3)) @ w + b, -1)


def transformer(x, bias1, bias2, down, gain1, gain2, out, qkv, up):
    n, width = x.shape
    q, k, v = (F.layer_norm(x, (width,), gain1, bias1, 1e-5) @ qkv).view(n, 3, 12, -1).permute(1, 2, 0, 3)
    x = x + attention(q, k, v).transpose(0, 1).reshape(n, width) @ out
    return x + F.gelu(F.layer_norm(x, (width,), gain2, bias2, 1e-5) @ up, approximate="tanh") @ down


def lstm(hidden, cell, inputs, w_input, w_hidden, bias):
    projected, outputs = inputs @ w_input + bias, []
    for part in projected:
        keep, write, candidate, show = (part + hidden @ w_hidden).chunk(4, 1)
        cell = torch.sigmoid(keep) * cell + torch.sigmoid(write) * torch.tanh(candidate)
        hidden = torch.sigmoid(show) * torch.tanh(cell)
        outputs.append(hidden)
    return hidden, cell, torch.stack(outputs)


def dense(x, layers):
    for w, b in layers[:-1]:
        x = torch.relu(torch.addmm(b, x, w))
    return torch.addmm(layers[-1][1], x, layers[-1][0])


def click_probability(*arguments):
    tables, bottom, top, ids, features = click_parameters(arguments)
    first = torch.relu(dense(features, bottom))
    vectors = torch.stack([first, *(F.embedding(ids[:, i], t) for i, t in enumerate(tables))], 1)
    products = vectors @ vectors.transpose(1, 2)
    row, column = torch.tril_indices(27, 27, -1)
    return torch.sigmoid(dense(torch.cat([first, products[:, row, column]], 1), top)[:, 0])


def conv_net(x, a, b, w):
    x = torch.relu(conv(torch.relu(conv(to_nchw(x), a, 2)), b, 2))
    return x.permute(0, 2, 3, 1).reshape(8, -1) @ w


FUNCTIONS = {
    "E1.1024": torch.add,
    "E3": chain,
    "E4": lambda x, row, column: x + row + column,
    "elementwise.u8_normalise": lambda x: (x.float() - 127.5) / 127.5,
    "elementwise.f64_chain": lambda x, y: (x * y + 1.0) / (x * x + 2.0),
    "elementwise.f32_to_s8": lambda x: torch.clamp(torch.round(x * 127), -127, 127).to(torch.int8),
    "T1.exp.4096": torch.exp,
    "T1.exp.1M": torch.exp,
    "T1.tanh.1M": torch.tanh,
    "T2": lambda x, bias: F.gelu(x + bias, approximate="tanh"),
    "T4.erf": torch.erf,
    "T4.exp.f64": torch.exp,
    "special.sin": torch.sin,
    "special.power": torch.pow,
    "R1.all.1024": torch.sum,
    "R1.minor.1024": lambda x: x.sum(1),
    "R1.major.1024": lambda x: x.sum(0),
    "reduce.argmax_rows": lambda x: x.argmax(1),
    "reduce.logsumexp": lambda x: torch.logsumexp(x, 1),
    "stats.variance_columns": lambda x: torch.var(x, 0, correction=0),
    "N1.1Kx1K": lambda x: torch.softmax(x, -1),
    "N3.rms.1Kx1K": lambda x: F.rms_norm(x, (1024,), None, 1e-6),
    "nn.layer_norm": lambda x, gain, bias: F.layer_norm(x, (256,), gain, bias, 1e-5),
    "nn.attention": attention,
    "nn.cross_entropy": lambda x, labels: F.cross_entropy(x, labels.long()),
    "D1.64": torch.mm,
    "D1.512": torch.mm,
    "D2.1x4096x4096": torch.mm,
    "D3.ABt": lambda a, b: a @ b.T,
    "D4.64x64x64x64": torch.bmm,
    "D4.1024x8x8x8": torch.bmm,
    "D5.bf16.256": torch.mm,
    "D6.s8.512": torch._int_mm,
    "D7.f64": torch.mm,
    "D7.f16": torch.mm,
    "C2.28.nchw.n1": lambda x, w: F.conv2d(x, w, padding=1),
    "conv.one_channel": lambda x, w: F.conv2d(x, w, padding=2),
    "C1.3x3.56.64.n1": lambda x, w: to_nhwc(conv(to_nchw(x), w)),
    "C3.14.512": lambda x, w: to_nhwc(conv(to_nchw(x), w, groups=512)),
    "conv.1d": lambda x, w: F.conv1d(x.transpose(1, 2), w.permute(2, 1, 0), padding=2).transpose(1, 2).contiguous(),
    "window.max3_nchw": max3,
    "window.avg2": lambda x: to_nhwc(F.avg_pool2d(to_nchw(x), 2)),
    "index.rows64": lambda t, i: torch.index_select(t, 0, i),
    "index.along_rows": lambda x, i: torch.gather(x, 1, i.long()),
    "scatter.add": lambda x, i, v: x.index_add(0, i, v),
    "scatter.add_rows64": lambda x, i, v: x.index_add(0, i, v),
    "G7.1024": lambda x: x.T.contiguous(),
    "move.permute_021": lambda x: x.transpose(1, 2).contiguous(),
    "move.pad": lambda x: F.pad(x, (2, 9, 3, 5)),
    "sort.f32": lambda x: torch.sort(x).values,
    "sort.rows100": lambda x: torch.sort(x, -1).values,
    "sort.top8": lambda x: torch.topk(x, 8),
    "sort.argsort": lambda x: torch.argsort(x, stable=True),
    "scan.cumsum_rows": lambda x: torch.cumsum(x, 1),
    "fft.n1024": torch.fft.fft,
    "fft.real_16384": torch.fft.rfft,
    "fft.2d_256": torch.fft.fft2,
    "linalg.cholesky_500": torch.linalg.cholesky,
    "linalg.solve_300": torch.linalg.solve,
    "L3.eigh.256": torch.linalg.eigh,
    "M1.sgd": sgd,
    "M2.n1": resnet,
    "M3.fwd.f32.128": transformer,
    "M4.n1": lstm,
    "M5.test": click_probability,
    "nn.conv_net": conv_net,
}
