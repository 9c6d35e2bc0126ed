"""Which programs bench/compare_peers.py measures, and which of them a peer cannot express.

A row is a program of bench/programs/ or bench/breadth/, whose manifest has its arguments and its tolerance. Each peer has
a function for it: numpy_rows.py, torch_rows.py, onnx_rows.py.
"""

ROWS = {
    "elementwise": ("E1.1024", "E3", "E4", "elementwise.u8_normalise", "elementwise.f64_chain", "elementwise.f32_to_s8"),
    "transcendental functions": (
        "T1.exp.4096",
        "T1.exp.1M",
        "T1.tanh.1M",
        "T2",
        "T4.erf",
        "T4.exp.f64",
        "special.sin",
        "special.power",
    ),
    "reductions": (
        "R1.all.1024",
        "R1.minor.1024",
        "R1.major.1024",
        "reduce.argmax_rows",
        "reduce.logsumexp",
        "stats.variance_columns",
    ),
    "softmax, norms, attention": ("N1.1Kx1K", "N3.rms.1Kx1K", "nn.layer_norm", "nn.attention", "nn.cross_entropy"),
    "dot": (
        "D1.64",
        "D1.512",
        "D2.1x4096x4096",
        "D3.ABt",
        "D4.64x64x64x64",
        "D4.1024x8x8x8",
        "D5.bf16.256",
        "D6.s8.512",
        "D7.f64",
        "D7.f16",
    ),
    "convolution": ("C2.28.nchw.n1", "conv.one_channel", "C1.3x3.56.64.n1", "C3.14.512", "conv.1d"),
    "windows": ("window.max3_nchw", "window.avg2"),
    "movement, indexing": (
        "index.rows64",
        "index.along_rows",
        "scatter.add",
        "scatter.add_rows64",
        "G7.1024",
        "move.permute_021",
        "move.pad",
    ),
    "sorting, cumulative sums": ("sort.f32", "sort.rows100", "sort.top8", "sort.argsort", "scan.cumsum_rows"),
    "Fourier transforms": ("fft.n1024", "fft.real_16384", "fft.2d_256"),
    "linear algebra": ("linalg.cholesky_500", "linalg.solve_300", "L3.eigh.256"),
    "models": ("M1.sgd", "M2.n1", "M3.fwd.f32.128", "M4.n1", "M5.test", "nn.conv_net"),
}
CATEGORY = {id: category for category, ids in ROWS.items() for id in ids}
IDS = tuple(CATEGORY)

# {peer: {id: why it has no such function}}
MISSING = {
    "numpy": {},
    "torch": {},
    "onnx": {
        "D5.bf16.256": "its Python interface has no arrays of bf16",
        "linalg.cholesky_500": "ONNX has no Cholesky factorization",
        "linalg.solve_300": "ONNX has no solver",
        "L3.eigh.256": "ONNX has no eigenvalues",
    },
}


def missing(side, id):
    """Why a side has no function for a row, or None."""
    library = "torch" if side in ("eager", "compiled") else side
    return MISSING.get(library, {}).get(id)


# What each network's layers are, as bench/make_programs.py has them.
RESNET_STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # channels in the middle of a block, blocks


def resnet_strides():
    """The strides of ResNet-50's convolutions, in the order of their arguments."""
    strides = [2]
    for stage, (_, blocks) in enumerate(RESNET_STAGES):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            strides += [1, stride, 1] + ([stride] if block == 0 else [])
    return strides


def pairs(arguments, count):
    """[(weights, bias)] of `count` layers from the front of a list of arguments, and the rest of it."""
    return [tuple(arguments[2 * i : 2 * i + 2]) for i in range(count)], arguments[2 * count :]


def click_parameters(arguments):
    """(tables, bottom layers, top layers, ids, dense features) of M5's arguments."""
    tables, rest = arguments[:26], arguments[26:]
    bottom, rest = pairs(rest, 3)
    top, rest = pairs(rest, 3)
    return tables, bottom, top, *rest
