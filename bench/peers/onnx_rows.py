"""The rows as graphs of ONNX: functions from a graph (onnx_graph.py) and the names of its inputs to those of its results.

A complex array is an array of pairs here, which is how ONNX has complex numbers.
"""

import numpy as np

from .rows import click_parameters, pairs, resnet_strides, RESNET_STAGES

f32 = np.float32
FLOAT, INT8, INT64 = 1, 3, 7  # element types as ONNX numbers them


def chain(g, x):
    for k in range(10):
        x = g.Max(g.Add(g.Mul(x, f32(1.0 - k / 128)), f32(k / 8)), f32(-2.0 - k))
    return x


def f64_chain(g, x, y):
    return g.Div(g.Add(g.Mul(x, y), np.float64(1)), g.Add(g.Mul(x, x), np.float64(2)))


def f32_to_s8(g, x):
    return g.Cast(g.Clip(g.Round(g.Mul(x, f32(127))), f32(-127), f32(127)), to=INT8)


def variance(g, x):
    centred = g.Sub(x, g.ReduceMean(x, [0]))
    return g.ReduceMean(g.Mul(centred, centred), [0], keepdims=0)


def rms_norm(g, x):
    return g.Div(x, g.Sqrt(g.Add(g.ReduceMean(g.Mul(x, x), [-1]), f32(1e-6))))


def layer_norm(g, x, gain, bias):
    return g.LayerNormalization(x, gain, bias, axis=-1, epsilon=1e-5)


def attention(g, q, k, v, transposed=(0, 2, 1)):
    scores = g.MatMul(q, g.Transpose(k, perm=transposed))
    return g.MatMul(g.Softmax(g.Mul(scores, f32(0.125)), axis=-1), v)


def cross_entropy(g, x, labels):
    picked = g.GatherElements(g.LogSoftmax(x, axis=1), g.Unsqueeze(labels, [1]), axis=1)
    return g.Neg(g.ReduceMean(picked, [0, 1], keepdims=0))


def to_nchw(g, x):
    return g.Transpose(x, perm=(0, 3, 1, 2))


def to_nhwc(g, x):
    return g.Transpose(x, perm=(0, 2, 3, 1))


def conv(g, x, w, stride=1, group=1):
    """Images in NCHW, kernels in HWIO. XLA's padding puts what is odd behind, as SAME_UPPER does."""
    w = g.Transpose(w, perm=(3, 2, 0, 1))
    return g.Conv(x, w, strides=(stride, stride), auto_pad="SAME_UPPER", group=group)


def conv_1d(g, x, w):
    y = g.Conv(g.Transpose(x, perm=(0, 2, 1)), g.Transpose(w, perm=(2, 1, 0)), pads=(2, 2))
    return g.Transpose(y, perm=(0, 2, 1))


def max3(g, x):
    return g.MaxPool(x, kernel_shape=(3, 3), strides=(2, 2), auto_pad="SAME_UPPER")


def avg2(g, x):
    return to_nhwc(g, g.AveragePool(to_nchw(g, x), kernel_shape=(2, 2), strides=(2, 2)))


def sort(g, x, count):
    """ONNX has no sort; all of an array's elements are the smallest ones of it."""
    return g.TopK(x, [count], axis=-1, largest=0, sorted=1, outputs=2)


def fft_2d(g, x):
    return g.DFT(g.DFT(x, "", np.int64(0)), "", np.int64(1))


def sgd(g, *arguments):
    """A step of a perceptron with three layers, its gradient written down."""
    layers, (x, labels) = pairs(arguments, 3)
    values = [x]
    for w, b in layers[:-1]:
        values.append(g.Relu(g.Gemm(values[-1], w, b)))
    w, b = layers[-1]
    hot = g.OneHot(g.Cast(labels, to=INT64), np.int64(10), np.array([0, 1], f32), axis=-1)
    slope = g.Mul(g.Sub(g.Softmax(g.Gemm(values[-1], w, b), axis=-1), hot), f32(1 / 128))
    new = []
    for (w, b), value in zip(reversed(layers), reversed(values)):
        new.append(g.Sub(b, g.Mul(g.ReduceSum(slope, [0], keepdims=0), f32(0.01))))
        new.append(g.Gemm(value, slope, w, transA=1, alpha=-0.01))
        if value is not x:
            live = g.Cast(g.Greater(value, f32(0)), to=FLOAT)
            slope = g.Mul(g.Gemm(slope, w, transB=1), live)
    return new[::-1]


def resnet(g, images, *parameters):
    *layers, w, b = parameters
    remaining = iter(zip(layers[::3], layers[1::3], layers[2::3], resnet_strides()))

    def layer(x):
        kernel, gain, bias, stride = next(remaining)
        y = conv(g, x, kernel, stride)
        return g.Add(g.Mul(y, g.Unsqueeze(gain, [1, 2])), g.Unsqueeze(bias, [1, 2]))

    x = max3(g, g.Relu(layer(to_nchw(g, images))))
    for _, blocks in RESNET_STAGES:
        for block in range(blocks):
            y = layer(g.Relu(layer(g.Relu(layer(x)))))
            x = g.Relu(g.Add(y, layer(x) if block == 0 else x))
    mean = g.ReduceMean(x, [2, 3], keepdims=0)
    return g.Softmax(g.Gemm(mean, w, b), axis=-1)


def transformer(g, x, bias1, bias2, down, gain1, gain2, out, qkv, up):
    heads = g.Reshape(g.MatMul(layer_norm(g, x, gain1, bias1), qkv), [128, 3, 12, 64])
    q, k, v = g.Split(g.Transpose(heads, perm=(1, 2, 0, 3)), num_outputs=3, outputs=3)
    mixed = attention(g, q, k, v, (0, 1, 3, 2))
    mixed = g.Reshape(g.Transpose(g.Squeeze(mixed, [0]), perm=(1, 0, 2)), [128, 768])
    x = g.Add(x, g.MatMul(mixed, out))
    up = g.Gelu(g.MatMul(layer_norm(g, x, gain2, bias2), up), approximate="tanh")
    return g.Add(x, g.MatMul(up, down))


def lstm(g, hidden, cell, inputs, w_input, w_hidden, bias):
    """The operation LSTM wants the gates in another order, transposed: the weights are arguments, so each call does it."""

    def weights(w):
        keep, write, candidate, show = g.Split(w, num_outputs=4, axis=1, outputs=4)
        return g.Unsqueeze(g.Transpose(g.Concat(write, show, keep, candidate, axis=1), perm=(1, 0)), [0])

    keep, write, candidate, show = g.Split(bias, num_outputs=4, axis=0, outputs=4)
    biases = g.Concat(write, show, keep, candidate, np.zeros(2048, f32), axis=0)
    state = [g.Unsqueeze(s, [0]) for s in (hidden, cell)]
    y, last, last_cell = g.LSTM(
        inputs, weights(w_input), weights(w_hidden), g.Unsqueeze(biases, [0]), "", *state, hidden_size=512, outputs=3
    )
    return g.Squeeze(last, [0]), g.Squeeze(last_cell, [0]), g.Squeeze(y, [1])


def dense(g, x, layers):
    for w, b in layers[:-1]:
        x = g.Relu(g.Gemm(x, w, b))
    return g.Gemm(x, *layers[-1])


def click_probability(g, *arguments):
    tables, bottom, top, ids, features = click_parameters(arguments)
    first = g.Relu(dense(g, features, bottom))
    columns = g.Split(ids, num_outputs=26, axis=1, outputs=26)
    vectors = [g.Unsqueeze(first, [1]), *(g.Gather(t, c, axis=0) for t, c in zip(tables, columns))]
    vectors = g.Concat(*vectors, axis=1)
    products = g.MatMul(vectors, g.Transpose(vectors, perm=(0, 2, 1)))
    row, column = np.tril_indices(27, -1)
    lower = g.Gather(g.Reshape(products, [256, 729]), np.int64(row * 27 + column), axis=1)
    return g.Sigmoid(g.Squeeze(dense(g, g.Concat(first, lower, axis=1), top), [1]))


def conv_net(g, x, a, b, w):
    x = g.Relu(conv(g, g.Relu(conv(g, to_nchw(g, x), a, 2)), b, 2))
    return g.MatMul(g.Reshape(to_nhwc(g, x), [8, 1568]), w)


FUNCTIONS = {
    "E1.1024": lambda g, a, b: g.Add(a, b),
    "E3": chain,
    "E4": lambda g, x, row, column: g.Add(g.Add(x, row), column),
    "elementwise.u8_normalise": lambda g, x: g.Div(g.Sub(g.Cast(x, to=FLOAT), f32(127.5)), f32(127.5)),
    "elementwise.f64_chain": f64_chain,
    "elementwise.f32_to_s8": f32_to_s8,
    "T1.exp.4096": lambda g, x: g.Exp(x),
    "T1.exp.1M": lambda g, x: g.Exp(x),
    "T1.tanh.1M": lambda g, x: g.Tanh(x),
    "T2": lambda g, x, bias: g.Gelu(g.Add(x, bias), approximate="tanh"),
    "T4.erf": lambda g, x: g.Erf(x),
    "T4.exp.f64": lambda g, x: g.Exp(x),
    "special.sin": lambda g, x: g.Sin(x),
    "special.power": lambda g, x, y: g.Pow(x, y),
    "R1.all.1024": lambda g, x: g.ReduceSum(x, [0, 1], keepdims=0),
    "R1.minor.1024": lambda g, x: g.ReduceSum(x, [1], keepdims=0),
    "R1.major.1024": lambda g, x: g.ReduceSum(x, [0], keepdims=0),
    "reduce.argmax_rows": lambda g, x: g.ArgMax(x, axis=1, keepdims=0),
    "reduce.logsumexp": lambda g, x: g.ReduceLogSumExp(x, [1], keepdims=0),
    "stats.variance_columns": variance,
    "N1.1Kx1K": lambda g, x: g.Softmax(x, axis=-1),
    "N3.rms.1Kx1K": rms_norm,
    "nn.layer_norm": layer_norm,
    "nn.attention": attention,
    "nn.cross_entropy": cross_entropy,
    "D1.64": lambda g, a, b: g.MatMul(a, b),
    "D1.512": lambda g, a, b: g.MatMul(a, b),
    "D2.1x4096x4096": lambda g, a, b: g.MatMul(a, b),
    "D3.ABt": lambda g, a, b: g.Gemm(a, b, transB=1),
    "D4.64x64x64x64": lambda g, a, b: g.MatMul(a, b),
    "D4.1024x8x8x8": lambda g, a, b: g.MatMul(a, b),
    "D6.s8.512": lambda g, a, b: g.MatMulInteger(a, b),
    "D7.f64": lambda g, a, b: g.MatMul(a, b),
    "D7.f16": lambda g, a, b: g.MatMul(a, b),
    "C2.28.nchw.n1": lambda g, x, w: g.Conv(x, w, pads=(1, 1, 1, 1)),
    "conv.one_channel": lambda g, x, w: g.Conv(x, w, pads=(2, 2, 2, 2)),
    "C1.3x3.56.64.n1": lambda g, x, w: to_nhwc(g, conv(g, to_nchw(g, x), w)),
    "C3.14.512": lambda g, x, w: to_nhwc(g, conv(g, to_nchw(g, x), w, group=512)),
    "conv.1d": conv_1d,
    "window.max3_nchw": max3,
    "window.avg2": avg2,
    "index.rows64": lambda g, t, i: g.Gather(t, i, axis=0),
    "index.along_rows": lambda g, x, i: g.GatherElements(x, i, axis=1),
    "scatter.add": lambda g, x, i, v: g.ScatterElements(x, i, v, axis=0, reduction="add"),
    "scatter.add_rows64": lambda g, x, i, v: g.ScatterND(
        x, g.Unsqueeze(g.Cast(i, to=INT64), [1]), v, reduction="add"
    ),
    "G7.1024": lambda g, x: g.Transpose(x, perm=(1, 0)),
    "move.permute_021": lambda g, x: g.Transpose(x, perm=(0, 2, 1)),
    "move.pad": lambda g, x: g.Pad(x, [3, 2, 5, 9]),
    "sort.f32": lambda g, x: sort(g, x, 200000)[0],
    "sort.rows100": lambda g, x: sort(g, x, 100)[0],
    "sort.top8": lambda g, x: g.TopK(x, [8], axis=-1, outputs=2),
    "sort.argsort": lambda g, x: sort(g, x, 100000)[1],
    "scan.cumsum_rows": lambda g, x: g.CumSum(x, np.int64(1)),
    "fft.n1024": lambda g, x: g.DFT(x, "", np.int64(1)),
    "fft.real_16384": lambda g, x: g.DFT(g.Unsqueeze(x, [2]), "", np.int64(1), onesided=1),
    "fft.2d_256": fft_2d,
    "M1.sgd": sgd,
    "M2.n1": resnet,
    "M3.fwd.f32.128": transformer,
    "M4.n1": lstm,
    "M5.test": click_probability,
    "nn.conv_net": conv_net,
}
