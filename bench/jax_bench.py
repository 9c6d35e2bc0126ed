#!/usr/bin/env python3
"""JAX on Axle beside JAX on XLA:CPU: jax_bench.py [--python PYTHON] [--path FOLDER] [--devices N] [--quick]

Each side is a process of its own, and they take turns (A B A B ...); a figure is the median of the best times of each
turn, in one process order, so that what else the machine does falls on both. PYTHON is an interpreter that has jax and
axle-compiler (`make compare-jax` makes one). Prints a table in Markdown; the bars are a
jitted x + 1 within 1.1 times of XLA:CPU's time, and compilation five times as fast. With --devices the programs are
all-reduces and training steps over so many devices of a process; their bar is half of XLA:CPU's time.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

# The programs that a worker measures; program() makes the jitted function and the arguments of each.
PROGRAMS = ("add", "mlp", "mlp_grad", "scan", "attention", "conv", "softmax", "sort", "cholesky", "while", "gru")
PROGRAMS += ("cnn_step", "transformer_step")  # models: the loss, its gradients and the update of all weights

# Those over several devices: an all-reduce of so much on each device, a step of data-parallel training with averaged
# gradients (a small network, and one of a million weights), and a product whose blocks travel around a ring.
DEVICE_PROGRAMS = ("psum 1 KB", "psum 64 KB", "psum 16 MB", "small_step", "large_step", "ring_matmul")


def device_program(name):
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    n = len(jax.devices())
    mesh = Mesh(jax.devices(), "d")
    spread = lambda x, *spec: jax.device_put(x, NamedSharding(mesh, P(*spec)))
    on_devices = lambda f, arguments, results: jax.jit(jax.shard_map(f, mesh=mesh, in_specs=arguments, out_specs=results))
    if name.startswith("psum"):
        size = {"1 KB": 256, "64 KB": 16384, "16 MB": 1 << 22}[name.removeprefix("psum ")]
        return on_devices(lambda x: jax.lax.psum(x, "d"), P("d"), P()), (spread(jnp.ones((n, size)), "d"),)
    if name.endswith("step"):
        width, rows = {"small_step": (32, 8), "large_step": (512, 32)}[name]

        def loss(weights, x, y):
            for w in weights[:-1]:
                x = jnp.tanh(x @ w)
            return ((x @ weights[-1] - y) ** 2).mean()

        def step(weights, x, y):
            value, gradients = jax.value_and_grad(loss)(jax.lax.pcast(weights, "d", to="varying"), x, y)
            value, gradients = jax.lax.pmean((value, gradients), "d")
            return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value

        weights = [spread(jax.random.normal(jax.random.key(i), (width, width)) * 0.05) for i in range(4)]
        data = [spread(jax.random.normal(jax.random.key(9 + i), (n * rows, width)), "d") for i in range(2)]
        return on_devices(step, (P(), P("d"), P("d")), (P(), P())), (weights, *data)
    if name == "ring_matmul":

        def ring(rows, block):  # rows [64, 64 n] and a block [64, 128] per device
            def turn(i, state):
                total, block = state
                at = (jax.lax.axis_index("d") + i) % n
                total += jax.lax.dynamic_slice(rows, (0, 64 * at), (64, 64)) @ block
                return total, jax.lax.ppermute(block, "d", [(j, (j - 1) % n) for j in range(n)])

            return jax.lax.fori_loop(0, n, turn, (jax.lax.pcast(jnp.zeros((64, 128)), "d", to="varying"), block))[0]

        key = jax.random.key(0)
        rows, blocks = jax.random.normal(key, (64 * n, 64 * n)), jax.random.normal(key, (64 * n, 128))
        return on_devices(ring, (P("d"), P("d")), P("d")), (spread(rows, "d"), spread(blocks, "d"))
    raise ValueError(name)


def program(name):
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    normal = lambda *shape: jax.random.normal(key, shape)
    if name == "add":
        return jax.jit(lambda x: x + 1), (jnp.arange(4.0),)
    if name in ("mlp", "mlp_grad"):
        weights = [normal(256, 256) * 0.06 for _ in range(4)]

        def mlp(weights, x):
            for w in weights:
                x = jnp.tanh(x @ w)
            return x

        if name == "mlp":
            return jax.jit(mlp), (weights, normal(64, 256))
        return jax.jit(jax.grad(lambda weights, x: (mlp(weights, x) ** 2).mean())), (weights, normal(64, 256))
    if name == "scan":
        return jax.jit(lambda x: jax.lax.scan(lambda c, _: (jnp.sin(c) + 1, c.sum()), x, None, 1000)), (normal(8),)
    if name == "attention":

        def attention(q, k, v):
            weights = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1]))
            return jnp.einsum("bhqk,bhkd->bhqd", weights, v)

        return jax.jit(attention), (normal(2, 8, 128, 64),) * 3
    if name == "conv":
        conv = lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.jit(conv), (normal(8, 32, 32, 16), normal(3, 3, 16, 32))
    if name == "softmax":
        return jax.jit(jax.nn.softmax), (normal(512, 1024),)
    if name == "sort":
        return jax.jit(jnp.sort), (normal(100_000),)
    if name == "cholesky":
        a = normal(128, 128)
        return jax.jit(jnp.linalg.cholesky), (a @ a.T + 128 * jnp.eye(128),)
    if name == "while":
        count = lambda x: jax.lax.while_loop(lambda s: s[0] < 1000, lambda s: (s[0] + 1, s[1] * 0.999), (0, x))
        return jax.jit(count), (jnp.float32(1),)
    if name == "gru":
        w, u = normal(64, 192) * 0.1, normal(64, 192) * 0.1

        def gru(xs):
            def step(h, x):
                a, b = x @ w, h @ u
                z = jax.nn.sigmoid(a[:, :64] + b[:, :64])
                r = jax.nn.sigmoid(a[:, 64:128] + b[:, 64:128])
                return (1 - z) * h + z * jnp.tanh(a[:, 128:] + r * b[:, 128:]), None

            return jax.lax.scan(step, jnp.zeros((16, 64)), xs)[0]

        return jax.jit(gru), (normal(50, 16, 64),)
    if name == "cnn_step":

        def cnn_loss(weights, x, labels):
            for w in weights[:2]:
                x = jax.nn.relu(
                    jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                )
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            x = jax.nn.relu(x.reshape(x.shape[0], -1) @ weights[2] + weights[3])
            return -(jax.nn.log_softmax(x @ weights[4]) * jax.nn.one_hot(labels, 10)).sum(-1).mean()

        weights = [normal(3, 3, 1, 16), normal(3, 3, 16, 32), normal(1568, 64) * 0.03, jnp.zeros(64), normal(64, 10)]
        return jax.jit(step_of(cnn_loss)), (weights, normal(16, 28, 28, 1), jnp.arange(16) % 10)
    if name == "transformer_step":

        def norm(x, scale):
            x = x - x.mean(-1, keepdims=True)
            return scale * x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)

        def block_loss(weights, x, y):
            heads = lambda a: a.reshape(*a.shape[:2], 4, 32).transpose(0, 2, 1, 3)
            q, k, v = (heads(norm(x, weights["norm1"]) @ w) for w in weights["qkv"])
            scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(32)
            scores = jnp.where(jnp.tril(jnp.ones((64, 64), bool)), scores, -1e9)
            mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
            x = x + mixed.transpose(0, 2, 1, 3).reshape(x.shape) @ weights["out"]
            x = x + jax.nn.gelu(norm(x, weights["norm2"]) @ weights["up"]) @ weights["down"]
            return ((x - y) ** 2).mean()

        weights = {"norm1": jnp.ones(128), "norm2": jnp.ones(128), "qkv": [normal(128, 128) * 0.09 for _ in range(3)]}
        weights |= {"out": normal(128, 128) * 0.09, "up": normal(128, 512) * 0.09, "down": normal(512, 128) * 0.04}
        return jax.jit(step_of(block_loss)), (weights, normal(4, 64, 128), normal(4, 64, 128))
    raise ValueError(name)


def step_of(loss):
    """A step of training by gradient descent: the loss and new weights."""
    import jax

    def step(weights, *batch):
        value, gradients = jax.value_and_grad(loss)(weights, *batch)
        return value, jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients)

    return step


def best(function, seconds):
    """The shortest time of a call, in microseconds, of rounds that take about `seconds` in all."""
    function()
    begin = time.perf_counter()
    function()
    calls = max(1, int(seconds / 8 / max(time.perf_counter() - begin, 1e-7)))
    times = []
    for _ in range(8):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - begin) / calls)
    return 1e6 * min(times)


def resident_megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def worker(seconds, devices):
    before = resident_megabytes()
    begin = time.perf_counter()
    import jax

    imported = time.perf_counter() - begin
    memory = resident_megabytes()
    jax.devices()
    results = {"import": 1e6 * imported, "memory": resident_megabytes() - memory, "import memory": memory - before}
    assert devices is None or len(jax.devices()) == devices
    for name in DEVICE_PROGRAMS if devices else PROGRAMS:
        function, arguments = device_program(name) if devices else program(name)
        lowered = function.lower(*arguments)
        begin = time.perf_counter()
        lowered.compile()
        results[f"compile {name}"] = 1e6 * (time.perf_counter() - begin)
        results[f"run {name}"] = best(lambda: jax.block_until_ready(function(*arguments)), seconds)
    print(json.dumps(results))


def side(options, is_axle):
    env = dict(os.environ, JAX_PLATFORMS="axle" if is_axle else "cpu")
    env["PYTHONPATH"] = os.pathsep.join([*options.path, env.get("PYTHONPATH", "")])
    command = [options.python, os.path.abspath(__file__), "--worker", str(options.seconds)]
    if options.devices:
        command += ["--devices", str(options.devices)]
        env["AXLE_NUM_DEVICES"] = str(options.devices)
        env["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
    run = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"jax_bench: {' '.join(command)} on {env['JAX_PLATFORMS']} ended with {run.returncode}")
    return json.loads(run.stdout.splitlines()[-1])


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--path", action="append", default=[], help="a folder in front of PYTHONPATH")
    parser.add_argument("--turns", type=int, default=5, help="processes of each side (default 5)")
    parser.add_argument("--seconds", type=float, default=0.4, help="of each program in each process (default 0.4)")
    parser.add_argument("--devices", type=int, help="programs over so many devices (default: programs for one)")
    parser.add_argument("--quick", action="store_true", help="two turns")
    parser.add_argument("--worker", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        return worker(options.worker, options.devices)
    turns = []
    for turn in range(2 if options.quick else options.turns):
        turns.append((side(options, True), side(options, False)))
        print(f"turn {turn + 1} done", file=sys.stderr)
    median = lambda key: [statistics.median(turn[i][key] for turn in turns) for i in (0, 1)]
    print("| | Axle | XLA:CPU | Axle / XLA |\n|---|---|---|---|")
    for what in ("run", "compile"):
        ratios = []
        for name in DEVICE_PROGRAMS if options.devices else PROGRAMS:
            axle, xla = median(f"{what} {name}")
            ratios.append(axle / xla)
            print(f"| {what} {name} | {axle:.1f} us | {xla:.1f} us | {axle / xla:.2f} |")
        print(f"| {what}, geometric mean | | | {geometric(ratios):.2f} |")
    axle, xla = median("import")
    print(f"| `import jax` | {axle / 1e3:.0f} ms | {xla / 1e3:.0f} ms | {axle / xla:.2f} |")
    axle, xla = median("memory")
    print(f"| memory until there are devices | {axle:.1f} MB | {xla:.1f} MB | {axle / xla:.2f} |")


if __name__ == "__main__":
    main()
