#!/usr/bin/env python3
"""JAX programs over the devices of several processes on the plugin of this build (jax.distributed): shard_map, pmap, jit
with shardings, multihost_utils. Each program runs on four devices, in one process, in two and in four; every part of
every result must have the same bits on the same device.

    jax_distributed_test.py                                           starts the processes and compares
    jax_distributed_test.py TASK PORT PROCESS PROCESSES FOLDER        is one of them
"""

import functools
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import axle_module
import jax_plugin_site  # noqa: F401  goes on in the Python that has JAX

DEVICES = 4
TASK = sys.argv[1] if len(sys.argv) == 6 else None
if TASK:
    PORT, PROCESS, PROCESSES = map(int, sys.argv[2:5])
    os.environ["AXLE_NUM_DEVICES"] = str(DEVICES // PROCESSES)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

# --- One process ------------------------------------------------------------------------------------------------------


def line(order=range(DEVICES)):
    return Mesh(np.array(jax.devices())[list(order)], ("i",))


def square(order=range(DEVICES)):
    return Mesh(np.array(jax.devices())[list(order)].reshape(2, 2), ("x", "y"))


def numbers(*shape, seed=0, dtype=np.float32):
    values = np.random.default_rng(seed).standard_normal(shape)
    return (values * (8 if np.issubdtype(dtype, np.integer) else 1)).astype(dtype)


def put(value, mesh, *spec):
    """A global array, of which each process makes its parts."""
    return jax.make_array_from_callback(value.shape, NamedSharding(mesh, P(*spec)), lambda index: value[index])


def region(f, mesh, in_specs, out_specs):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


@program
def reductions():
    mesh = line([2, 0, 3, 1])
    for dtype in (np.float32, np.int32, jnp.bfloat16, np.float64 if jax.config.jax_enable_x64 else np.float16):
        x = put(numbers(8, 33, dtype=dtype), mesh, "i")
        f = region(lambda v: (lax.psum(v, "i"), lax.pmax(v, "i"), lax.pmin(v, "i")), mesh, P("i"), P("i"))
        yield from f(x)
    yield region(lambda v: lax.pmean(v, "i"), mesh, P("i"), P())(put(numbers(4, 5), mesh, "i"))


@program
def reductions_of_groups():
    mesh = square([3, 1, 0, 2])
    x = put(numbers(4, 6), mesh, "x", "y")
    yield region(lambda v: lax.psum(v, "x"), mesh, P("x", "y"), P(None, "y"))(x)
    yield region(lambda v: lax.psum(v, "y"), mesh, P("x", "y"), P("x"))(x)
    yield region(lambda v: lax.psum(v, ("y", "x")), mesh, P("x", "y"), P())(x)


@program
def movement():
    mesh = line([1, 3, 0, 2])
    x = put(numbers(8, 12), mesh, "i")

    def f(v):
        shifted = lax.ppermute(v, "i", [(i, (i + 1) % DEVICES) for i in range(DEVICES)])
        some = lax.ppermute(v, "i", [(0, 3), (3, 1)])
        return (lax.all_gather(v, "i", tiled=True), shifted, some, lax.all_to_all(v, "i", 1, 0, tiled=True),
                lax.psum_scatter(v, "i", scatter_dimension=1, tiled=True))  # fmt: skip

    yield from region(f, mesh, P("i"), P("i"))(x)


@program
def loops():
    mesh = line()

    def f(v):
        def step(carry, k):
            carry = lax.ppermute(carry, "i", [(i, (i + 1) % DEVICES) for i in range(DEVICES)]) + lax.pmean(carry, "i") * k
            return carry, lax.psum(carry.sum(), "i")

        return lax.scan(step, v, jnp.arange(5, dtype=jnp.float32))

    yield from region(f, mesh, P("i"), (P("i"), P()))(put(numbers(8, 3), mesh, "i"))


@program
def large():
    mesh = line()
    yield region(lambda v: lax.psum(v, "i"), mesh, P("i"), P())(put(numbers(4, 300_000), mesh, "i"))


@program
def gradients():
    mesh = line([3, 2, 1, 0])

    def loss(w, x):
        f = jax.shard_map(
            lambda w, x: lax.psum(jnp.sum(jnp.tanh(x @ w) ** 2), "i"), mesh=mesh, in_specs=(P(), P("i")), out_specs=P()
        )
        return f(w, x)

    yield from jax.jit(jax.value_and_grad(loss))(put(numbers(4, 3, seed=1), mesh), put(numbers(16, 4), mesh, "i"))


@program
def pmap():
    x = numbers(DEVICES, 3)
    mine = np.array([x[device.id] for device in jax.local_devices()])
    yield from jax.pmap(lambda v: (lax.psum(v, "i"), v + lax.axis_index("i")), axis_name="i")(mine)


@program
def jit_with_shardings():
    mesh = square([2, 0, 3, 1])
    a, b = put(numbers(8, 6), mesh, "x", "y"), put(numbers(6, 10, seed=1), mesh, None, "y")
    yield jax.jit(lambda a, b: a @ b, out_shardings=NamedSharding(mesh, P("y", "x")))(a, b)
    yield jax.jit(lambda a: (a * 2 + 1))(a)
    yield jax.jit(lambda a: (a.sum(), jnp.sort(a.ravel()), jax.nn.softmax(a, 0)), out_shardings=NamedSharding(mesh, P()))(a)
    yield jax.jit(lambda key: jax.random.normal(key, (8, 4)), out_shardings=NamedSharding(mesh, P("x")))(jax.random.key(3))


@program
def another_sharding():
    a, b = square(), line()
    x = put(numbers(8, 8), a, "x", "y")
    yield jax.jit(lambda v: v, out_shardings=NamedSharding(b, P(None, "i")))(x)


@program
def training():
    mesh = line()
    whole = NamedSharding(mesh, P())
    x, y = put(numbers(16, 6), mesh, "i"), put(numbers(16, 2, seed=1), mesh, "i")
    weights = put(numbers(6, 8, seed=2) / 4, mesh), put(numbers(8, 2, seed=3) / 4, mesh)

    @functools.partial(jax.jit, donate_argnums=0, out_shardings=(whole, whole))
    def step(weights, x, y):
        def loss(weights):
            return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(weights)
        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value

    for _ in range(3):
        before = weights
        weights, loss = step(weights, x, y)
        assert all(w.is_deleted() for w in before)
    yield weights, loss


@program
def part_of_the_devices():
    """A program of two devices, one of each half: a process without any of them does not run it."""
    mesh = Mesh(np.array(jax.devices())[[3, 0]], ("i",))
    if any(device.process_index == jax.process_index() for device in mesh.devices.flat):
        yield region(lambda v: lax.psum(v, "i"), mesh, P("i"), P())(put(numbers(4, 3), mesh, "i"))


@program
def own_devices():
    """Each device on its own: nothing goes between processes, in an order of the process's own."""
    devices = jax.local_devices()
    for device in devices if jax.process_index() % 2 else devices[::-1]:
        yield jax.jit(lambda v: jnp.cumsum(v) * 3)(jax.device_put(numbers(7, seed=device.id), device))


def check_devices():
    """What a process says of itself and of the others."""
    of_each = DEVICES // PROCESSES
    assert jax.process_index() == PROCESS and jax.process_count() == PROCESSES
    assert [device.id for device in jax.devices()] == list(range(DEVICES))
    assert [device.process_index for device in jax.devices()] == [i // of_each for i in range(DEVICES)]
    assert jax.local_devices() == jax.devices()[PROCESS * of_each : (PROCESS + 1) * of_each]
    assert [device.local_hardware_id for device in jax.local_devices()] == list(range(of_each))
    assert repr(jax.devices()[3]) == "AxleDevice(id=3)", repr(jax.devices()[3])
    for device in jax.devices():
        assert device.default_memory().kind == "device", device


def check_multihost():
    """multihost_utils, whose results depend on the number of processes."""
    mine = np.arange(3, dtype=np.float32) + 10 * PROCESS
    every = np.stack([np.arange(3, dtype=np.float32) + 10 * i for i in range(PROCESSES)])
    if PROCESSES > 1:
        np.testing.assert_array_equal(multihost_utils.process_allgather(mine), every)
        np.testing.assert_array_equal(multihost_utils.process_allgather(mine, tiled=True), every.ravel())
    np.testing.assert_array_equal(multihost_utils.broadcast_one_to_all(mine), every[0])
    multihost_utils.sync_global_devices("test")
    multihost_utils.assert_equal(np.float32(7), "the same everywhere")
    x = numbers(8, 2)
    np.testing.assert_array_equal(multihost_utils.process_allgather(put(x, line(), "i"), tiled=True), x)
    if PROCESSES == 1:
        return
    whole = multihost_utils.host_local_array_to_global_array(mine, line(), P("i") if DEVICES // PROCESSES == 1 else P())
    assert whole.is_fully_addressable is False


def run_programs(folder):
    check_devices()
    parts = {}
    for name, f in PROGRAMS.items():
        for i, result in enumerate(jax.tree.leaves(list(f()))):
            for shard in result.addressable_shards:
                value = np.asarray(shard.data)
                key = f"{name}/{i}/{shard.device.id}" if name != "own_devices" else f"{name}/{shard.device.id}"
                parts[key] = value.view(np.uint16) if value.dtype == jnp.bfloat16 else value
    check_multihost()
    np.savez(folder / f"{PROCESS}.npz", **parts)


def run_example(folder):
    sys.path.insert(0, str(axle_module.ROOT / "examples" / "jax"))
    import multi_process

    np.save(folder / f"{PROCESS}.npy", multi_process.main(60))


def lose_a_process(_):
    """Process 1 is killed; the others see that at their next run, and every later one."""
    mesh = line()
    f = region(lambda v: lax.psum(v, "i"), mesh, P("i"), P("i"))
    x = put(numbers(8, 3), mesh, "i")
    jax.block_until_ready(f(x))
    if PROCESS == 1:
        time.sleep(1)  # until the others have their results, too
        os.kill(os.getpid(), signal.SIGKILL)
    for _ in range(2):
        start = time.monotonic()
        try:
            jax.block_until_ready(f(x))
            print("no error", flush=True)
        except (jax.errors.JaxRuntimeError, ValueError) as error:  # jaxlib has either
            print(f"after {time.monotonic() - start:.1f} s: {error}", flush=True)
    own = jax.jit(lambda v: v + 1)(jax.device_put(np.ones(2, np.float32), jax.local_devices()[0]))
    print(f"alone: {np.asarray(own)}", flush=True)
    os._exit(0)  # the end of jax.distributed waits for all


def be_a_process():
    if TASK == "lose_a_process":
        jax.config.update("jax_enable_recoverability", True)  # else JAX's service ends the others
    if PROCESSES > 1:
        jax.distributed.initialize(f"127.0.0.1:{PORT}", PROCESSES, PROCESS, initialization_timeout=60)
    {f.__name__: f for f in (run_programs, run_example, lose_a_process)}[TASK](pathlib.Path(sys.argv[5]))


# --- All of them ------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(task, processes, folder):
    """The outputs and exit codes of all processes."""
    port = free_port()
    started = [
        subprocess.Popen(
            [sys.executable, __file__, task, str(port), str(process), str(processes), folder],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        for process in range(processes)
    ]
    try:
        return [(process.communicate(timeout=240)[0], process.returncode) for process in started]
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
                print(process.communicate()[0])


@unittest.skipUnless(
    (pathlib.Path(os.environ["AXLE_LIBRARY"]).parent / "libaxle_gloo.so").exists(), "this build has no libaxle_gloo.so"
)
class JaxDistributed(unittest.TestCase):
    @functools.lru_cache(maxsize=None)  # noqa: B019
    def parts(self, processes):
        """The parts of all results by program, number of the result, and device."""
        with tempfile.TemporaryDirectory() as folder:
            for output, code in start("run_programs", processes, folder):
                self.assertEqual(code, 0, output)
                self.assertNotIn("axle:", output)  # warnings of the transport
            found = {}
            for process in range(processes):
                with np.load(pathlib.Path(folder, f"{process}.npz")) as file:
                    self.assertFalse(found.keys() & set(file.files))
                    found.update({name: file[name] for name in file.files})
            return found

    def compare(self, processes):
        alone, together = self.parts(1), self.parts(processes)
        self.assertEqual(set(alone), set(together))
        self.assertEqual({name.split("/")[0] for name in alone}, set(PROGRAMS))
        for name, value in alone.items():
            self.assertEqual((value.dtype, value.shape), (together[name].dtype, together[name].shape), name)
            self.assertEqual(value.tobytes(), together[name].tobytes(), name)

    def test_two_processes(self):
        self.compare(2)

    def test_four_processes(self):
        self.compare(4)

    def test_example(self):
        losses = []
        for processes in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                outputs = start("run_example", processes, folder)
                self.assertEqual([code for _, code in outputs], [0] * processes, outputs)
                self.assertIn(f"{processes} processes, 4 devices, 128 examples", outputs[0][0])
                sums = {output.split("the weights sum up to ")[1].split()[0] for output, _ in outputs}
                self.assertEqual(len(sums), 1)
                losses += [np.load(pathlib.Path(folder, f"{process}.npy")).tolist() for process in range(processes)]
        self.assertEqual(losses, [losses[0]] * 3)
        self.assertLess(losses[0][-1], losses[0][0] / 4)

    def test_a_process_is_killed(self):
        outputs = start("lose_a_process", 4, "")
        self.assertEqual(outputs[1][1], -signal.SIGKILL)
        for process in (0, 2, 3):
            output, code = outputs[process]
            lines = [text for text in output.splitlines() if text.startswith(("after", "no error", "alone"))]
            self.assertEqual((len(lines), code), (3, 0), output)
            for text in lines[:2]:
                self.assertRegex(text, r"^after \d\.\d s: .*UNAVAILABLE: .*process 1 \(.*is lost")
            self.assertRegex(lines[0], "all-reduce")
            self.assertEqual(lines[2], "alone: [2. 2.]")


if __name__ == "__main__":
    if TASK:
        be_a_process()
    else:
        unittest.main()
