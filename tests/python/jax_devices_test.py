#!/usr/bin/env python3
"""JAX programs over eight devices of one process on the plugin of this build: jit with shardings, shard_map, pmap and the
collectives, under Shardy and without it, against the same program on one device. What sums in another order than one
device is compared up to rounding, everything else bit for bit."""

import contextlib
import importlib
import io
import os
import sys
import unittest

import axle_module
import jax_plugin_site  # noqa: F401  goes on in the Python that has JAX

os.environ["AXLE_NUM_DEVICES"] = "8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

SHUFFLED = [5, 2, 7, 0, 3, 6, 1, 4]


def mesh_of(shape, names, order=range(8)):
    return Mesh(np.array([jax.devices()[i] for i in order]).reshape(shape), names)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def put(value, mesh, *spec):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))


def on_one(f, *args):
    """The function on one device, with whole values."""
    return jax.jit(f)(*[jax.device_put(arg, jax.devices()[0]) for arg in args])


class Programs(unittest.TestCase):
    """Each test runs under Shardy; WithoutShardy runs them all again."""

    shardy = True

    @classmethod
    def setUpClass(cls):
        jax.config.update("jax_use_shardy_partitioner", cls.shardy)
        jax.clear_caches()

    def same(self, got, expected):
        got, expected = jax.tree.map(np.asarray, (got, expected))
        jax.tree.map(np.testing.assert_array_equal, got, expected)

    def near(self, got, expected, rtol=1e-5):
        got, expected = jax.tree.map(np.asarray, (got, expected))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-5), got, expected)

    # --- shard_map ---------------------------------------------------------------------------------------------------

    def test_psum(self):
        mesh = mesh_of((4, 2), ("x", "y"))
        x = numbers(8, 6)
        for axes, spec, expected in (
            ("x", P(None, "y"), x.reshape(4, 2, 6).sum(0)),
            ("y", P("x", None), x.reshape(8, 2, 3).sum(1)),
            (("x", "y"), P(), x.reshape(4, 2, 2, 3).sum((0, 2))),
        ):
            f = jax.shard_map(lambda v, axes=axes: lax.psum(v, axes), mesh=mesh, in_specs=P("x", "y"), out_specs=spec)
            self.near(jax.jit(f)(x), expected)

    def test_all_gather_and_ppermute_move_whole_parts(self):
        mesh = mesh_of((8,), ("i",), SHUFFLED)
        x = numbers(16, 3)

        def f(v):
            shifted = lax.ppermute(v, "i", [(i, (i + 3) % 8) for i in range(8)])
            return lax.all_gather(v, "i", tiled=True), shifted, lax.pmax(v, "i")

        f = jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=(P(), P("i"), P()), check_vma=False)
        expected = x, np.roll(x, 6, axis=0), x.reshape(8, 2, 3).max(0)
        self.same(jax.jit(f)(put(x, mesh, "i")), expected)

    def test_all_to_all_transposes_parts(self):
        mesh = mesh_of((8,), ("i",))
        x = numbers(8, 8, 5)
        f = jax.shard_map(lambda v: lax.all_to_all(v, "i", 1, 0, tiled=True), mesh=mesh, in_specs=P("i"), out_specs=P(None, "i"))
        self.same(jax.jit(f)(x), x)
        g = jax.shard_map(lambda v: lax.all_to_all(v, "i", 1, 1), mesh=mesh, in_specs=P("i"), out_specs=P("i"))
        self.same(jax.jit(g)(x), np.swapaxes(x, 0, 1))

    def test_psum_scatter(self):
        mesh = mesh_of((8,), ("i",), SHUFFLED)
        x = numbers(8, 16)
        f = jax.shard_map(lambda v: lax.psum_scatter(v[0], "i", tiled=True), mesh=mesh, in_specs=P("i"), out_specs=P("i"))
        self.near(jax.jit(f)(x), x.sum(0))

    def test_axis_index(self):
        mesh = mesh_of((2, 4), ("x", "y"), SHUFFLED)
        f = jax.shard_map(
            lambda: (10 * lax.axis_index("x") + lax.axis_index("y")).reshape(1, 1), mesh=mesh, in_specs=(), out_specs=P("x", "y")
        )
        self.same(jax.jit(f)(), np.array([[0, 1, 2, 3], [10, 11, 12, 13]]))

    def test_ring_matmul(self):
        mesh = mesh_of((8,), ("i",))
        a, b = numbers(16, 24), numbers(24, 10, seed=1)

        def f(a, b):  # a has rows, b goes round
            me, size = lax.axis_index("i"), b.shape[0]

            def step(k, state):
                total, b = state
                part = lax.dynamic_slice_in_dim(a, (me + k) % 8 * size, size, 1)
                return total + part @ b, lax.ppermute(b, "i", [((i + 1) % 8, i) for i in range(8)])

            zero = lax.pcast(jnp.zeros((a.shape[0], b.shape[1]), a.dtype), "i", to="varying")
            return lax.fori_loop(0, 8, step, (zero, b))[0]

        f = jax.shard_map(f, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=P("i"))
        self.near(jax.jit(f)(put(a, mesh, "i"), put(b, mesh, "i")), a @ b)

    def test_scan_in_a_region(self):
        mesh = mesh_of((4, 2), ("x", "y"))
        x, steps = numbers(8, 4), numbers(5, 4, seed=1)

        def f(v, steps):
            def step(carry, s):
                carry = carry + lax.pmean(carry * s, "x")
                return carry, lax.psum(carry.sum(), "x")

            return lax.scan(step, v, steps)

        g = jax.shard_map(f, mesh=mesh, in_specs=(P("x"), P()), out_specs=(P("x"), P()))

        def whole(v, steps):
            def step(carry, s):
                carry = carry + jnp.tile((carry * s).reshape(4, 2, 4).mean(0), (4, 1))
                return carry, carry.sum()

            return lax.scan(step, v, steps)

        self.near(jax.jit(g)(x, steps), on_one(whole, x, steps), 1e-4)

    def test_grad_through_a_region(self):
        mesh = mesh_of((8,), ("i",), SHUFFLED)
        x, w = numbers(16, 4), numbers(4, 3, seed=1)

        def loss(w, x):
            local = jax.shard_map(
                lambda w, x: lax.psum(jnp.sum(jnp.tanh(x @ w) ** 2), "i"), mesh=mesh, in_specs=(P(), P("i")), out_specs=P()
            )
            return local(w, x)

        got = jax.jit(jax.value_and_grad(loss))(w, put(x, mesh, "i"))
        self.near(got, on_one(jax.value_and_grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)), w, x), 1e-4)

    def test_partly_manual_region(self):
        mesh = mesh_of((4, 2), ("x", "y"), SHUFFLED)
        x = numbers(8, 6)

        def f(x):
            local = jax.shard_map(
                lambda v: v * 2 + lax.axis_index("x"), mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}
            )
            return local(jnp.sin(x)) + 1

        expected = on_one(lambda x: jnp.sin(x) * 2 + jnp.repeat(jnp.arange(4), 2)[:, None] + 1, x)
        self.same(jax.jit(f)(put(x, mesh, "x", "y")), expected)

    def test_region_in_a_region(self):
        mesh = mesh_of((4, 2), ("x", "y"))
        x = numbers(8, 6)

        def inner(v):
            return lax.all_gather(v, "y", axis=1, tiled=True) + lax.axis_index("x")

        def outer(v):
            return jax.shard_map(inner, in_specs=P(None, "y"), out_specs=P(None, None), axis_names={"y"}, check_vma=False)(v)

        f = jax.shard_map(outer, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=False)
        self.same(jax.jit(f)(x), x + np.repeat(np.arange(4, dtype=np.float32), 2)[:, None])

    def test_region_in_a_loop(self):
        mesh = mesh_of((8,), ("i",))
        x = numbers(16)
        local = jax.shard_map(lambda v: lax.ppermute(v, "i", [(i, (i + 1) % 8) for i in range(8)]), mesh=mesh,
                              in_specs=P("i"), out_specs=P("i"))  # fmt: skip
        self.same(jax.jit(lambda x: lax.fori_loop(0, 3, lambda _, v: local(v) + 1, x))(x), np.roll(x, 6) + 1 + 1 + 1)

    def test_terms_of_a_sum(self):
        if not self.shardy:
            self.skipTest("JAX has such values with Shardy alone")
        mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
        x, w = numbers(8, 12), numbers(12, 6, seed=1)

        def f(x, w):
            terms = jnp.einsum("bi,io->bo", x, w, out_sharding=P(None, None, unreduced={"x"}))
            return jax.sharding.reshard(terms, P("y", None)), terms

        with jax.set_mesh(mesh):
            got, terms = jax.jit(f)(put(x, mesh, None, "x"), put(w, mesh, "x", None))
            self.near(got, x @ w)
            self.near(sum(np.asarray(shard.data) for shard in terms.addressable_shards) / 2, x @ w)

    # --- pmap --------------------------------------------------------------------------------------------------------

    def test_pmap(self):
        x = numbers(8, 3)
        f = jax.pmap(lambda v: (v + lax.axis_index("i"), lax.psum(v, "i")), axis_name="i")
        self.near(f(x), (x + np.arange(8)[:, None], np.tile(x.sum(0), (8, 1))))
        g = jax.pmap(lambda v, w: v * w, in_axes=(0, None), devices=jax.devices()[::-1][:4])
        self.same(g(x[:4], x[0]), x[:4] * x[0])

    # --- jit with shardings ------------------------------------------------------------------------------------------

    def test_matmul(self):
        mesh = mesh_of((4, 2), ("x", "y"), SHUFFLED)
        a, b = numbers(16, 8), numbers(8, 12, seed=1)
        f = jax.jit(lambda a, b: a @ b, out_shardings=NamedSharding(mesh, P("y", "x")))
        got = f(put(a, mesh, "x", "y"), put(b, mesh, "y"))
        self.assertEqual(got.sharding, NamedSharding(mesh, P("y", "x")))
        self.assertEqual({shard.data.shape for shard in got.addressable_shards}, {(8, 3)})
        self.same(got, on_one(lambda a, b: a @ b, a, b))

    def test_train_step_data_parallel(self):
        self.train(mesh_of((8,), ("data",)), P("data"), (P(), P()))

    def test_train_step_tensor_parallel(self):
        self.train(mesh_of((2, 4), ("data", "model"), SHUFFLED), P("data"), (P(None, "model"), P("model")))

    def train(self, mesh, batch_spec, specs):
        x, y = numbers(16, 6), numbers(16, 2, seed=1)
        weights = numbers(6, 8, seed=2) / 4, numbers(8, 2, seed=3) / 4

        def step(weights, x, y):
            def loss(weights):
                return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)

            value, gradients = jax.value_and_grad(loss)(weights)
            return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value

        shardings = tuple(NamedSharding(mesh, spec) for spec in specs)
        sharded = jax.jit(step, donate_argnums=0, out_shardings=(shardings, NamedSharding(mesh, P())))
        got, expected = tuple(map(jax.device_put, weights, shardings)), weights
        for _ in range(3):
            before = got
            got, loss = sharded(got, put(x, mesh, *batch_spec), put(y, mesh, *batch_spec))
            expected, expected_loss = on_one(step, expected, x, y)
            self.assertTrue(all(w.is_deleted() for w in before))
            self.same((got, loss), (expected, expected_loss))
        self.assertEqual(tuple(w.sharding for w in got), shardings)

    def test_reductions_across_a_divided_axis(self):
        mesh = mesh_of((8,), ("x",), SHUFFLED)
        x = numbers(16, 8)

        def f(x):
            return x.sum(), x.max(0), jnp.argmax(x), jnp.cumsum(x, 0), jnp.sort(x.ravel()), jax.nn.softmax(x, 0)

        self.same(jax.jit(f)(put(x, mesh, "x")), on_one(f, x))

    def test_sharding_constraints(self):
        mesh = mesh_of((4, 2), ("x", "y"))
        x = numbers(8, 12)

        def f(x, constrain=lambda v, spec: lax.with_sharding_constraint(v, NamedSharding(mesh, spec))):
            y = constrain(jnp.sin(x), P("x", "y"))
            z = constrain(y.T @ y, P(None, "x"))
            odd = constrain(y[:7, :5], P("x", "y"))  # 4 and 2 divide neither 7 nor 5
            return constrain(z, P("y", None)), odd.sum(1)

        got = jax.jit(f)(put(x, mesh, "x"))
        self.same(got, on_one(lambda x: f(x, lambda v, _: v), x))
        self.assertEqual({shard.data.shape for shard in got[0].addressable_shards}, {(6, 12)})

    def test_random_numbers_are_those_of_one_device(self):
        mesh = mesh_of((8,), ("x",))

        def f(key):
            return jax.random.normal(key, (16, 3)), jax.random.permutation(key, 16)

        sharded = jax.jit(f, out_shardings=NamedSharding(mesh, P("x")))
        self.same(sharded(jax.random.key(7)), on_one(f, jax.random.key(7)))

    def test_results_take_the_sharding_of_their_operands(self):
        mesh = mesh_of((4, 2), ("x", "y"), SHUFFLED)
        x = put(numbers(8, 6), mesh, "x", "y")
        got = jax.jit(lambda x: (x * 2 + 1, x.sum()))(x)
        self.assertEqual(got[0].sharding, x.sharding)
        self.assertTrue(got[1].is_fully_replicated)
        self.same(got[0], np.asarray(x) * 2 + 1)

    def test_donation_to_another_sharding(self):
        mesh = mesh_of((8,), ("x",))
        x = put(numbers(16, 8), mesh, "x")
        expected = np.asarray(x) * 3
        got = jax.jit(lambda x: x * 3, donate_argnums=0, out_shardings=NamedSharding(mesh, P(None, "x")))(x)
        self.assertTrue(x.is_deleted())
        self.same(got, expected)

    def test_device_put_between_shardings(self):
        mesh, other = mesh_of((8,), ("x",)), mesh_of((2, 4), ("x", "y"), SHUFFLED)
        x = numbers(8, 4)
        value = jax.device_put(put(x, mesh, "x"), NamedSharding(other, P("y", "x")))
        self.same(value, x)
        self.same(jax.device_put(value, jax.devices()[3]), x)
        self.assertEqual(value.addressable_shards[1].data.shape, (2, 2))

    def test_types_and_empty_arrays(self):
        mesh = mesh_of((8,), ("x",), SHUFFLED)
        values = [np.arange(16) % 3 == 0, np.arange(16, dtype=np.int8), np.arange(16) * 1j, np.zeros((8, 0), np.float32),
                  np.zeros((0, 8), np.int32), jnp.arange(16).astype(jnp.bfloat16), jnp.arange(16).astype(jnp.int4)]  # fmt: skip
        values = [np.asarray(value, np.complex64 if np.iscomplexobj(value) else None) for value in values]
        args = [put(value, mesh, *((None, "x") if value.shape == (0, 8) else ("x",))) for value in values]
        got = jax.jit(lambda *a: a[::-1], out_shardings=NamedSharding(mesh, P()))(*args)
        self.same(list(got), values[::-1])

    def test_calls_of_python_run_once(self):
        mesh = mesh_of((8,), ("x",))
        x = numbers(16)
        calls = []

        def host(v):
            calls.append(v)
            return v[::-1]

        f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x * 2) + 1)
        self.same(f(put(x, mesh, "x")), (x * 2)[::-1] + 1)
        self.assertEqual([call.shape for call in calls], [(16,)])
        seen = []
        g = jax.shard_map(lambda v: jax.debug.callback(lambda i: seen.append(int(i)), lax.axis_index("x")) or v, mesh=mesh,
                          in_specs=P("x"), out_specs=P("x"))  # fmt: skip
        jax.block_until_ready(jax.jit(g)(x))
        jax.effects_barrier()
        self.assertEqual(sorted(seen), list(range(8)))

    def test_compiled_programs_say_their_shardings(self):
        mesh = mesh_of((4, 2), ("x", "y"))
        x = jax.ShapeDtypeStruct((8, 6), np.float32, sharding=NamedSharding(mesh, P("x", "y")))
        compiled = jax.jit(lambda x: x.T, out_shardings=NamedSharding(mesh, P("y", "x"))).lower(x).compile()
        self.assertEqual(compiled.input_shardings[0][0].spec, P("x", "y"))
        self.assertEqual(compiled.output_shardings.spec, P("y", "x"))
        self.assertIn("all-gather", compiled.as_text())

    def test_serialized_programs(self):
        from jax.experimental import serialize_executable

        mesh = mesh_of((8,), ("x",), SHUFFLED)
        x = put(numbers(16), mesh, "x")
        compiled = jax.jit(lambda x: jnp.cumsum(x), out_shardings=NamedSharding(mesh, P("x"))).lower(x).compile()
        again = serialize_executable.deserialize_and_load(
            *serialize_executable.serialize(compiled), execution_devices=list(mesh.devices.flat)
        )
        self.same(again(x), compiled(x))
        self.assertEqual(again.output_shardings, compiled.output_shardings)


class WithoutShardy(Programs):
    shardy = False


class Examples(unittest.TestCase):
    def run_main(self, name, *args):
        sys.path.insert(0, str(axle_module.ROOT / "examples" / "jax"))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = importlib.import_module(name).main(*args)
        self.assertIn("8 devices", out.getvalue())
        return result

    def test_data_parallel(self):
        losses = self.run_main("data_parallel", 60)
        self.assertLess(losses[-1], losses[0] / 4)

    def test_ring_matmul(self):
        self.assertLess(self.run_main("ring_matmul", 64), 1e-3)


if __name__ == "__main__":
    unittest.main()
