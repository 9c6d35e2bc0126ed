#!/usr/bin/env python3
"""jax.profiler on Axle: traces have the steps of programs beside JAX's own events."""

import glob
import pathlib
import tempfile
import unittest

import jax_plugin_site  # noqa: F401  goes on in the Python that has jax, on this build's plugin

import jax  # isort: skip
import jax.numpy as jnp  # isort: skip
import numpy as np  # isort: skip


class Profiler(unittest.TestCase):
    def test_trace_has_the_steps_of_the_device(self):
        step = jax.jit(lambda x: jnp.tanh(x @ x))
        x = jnp.full((256, 256), 1e-3, jnp.float32)
        plain = np.asarray(step(x))
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                for _ in range(3):
                    traced = step(x).block_until_ready()
            np.testing.assert_array_equal(np.asarray(traced), plain)
            (file,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
            data = jax.profiler.ProfileData.from_serialized_xspace(pathlib.Path(file).read_bytes())
            planes = {plane.name: plane for plane in data.planes}
            self.assertIn("/device:CUSTOM:Axle 0", planes, sorted(planes))
            events = [event for line in planes["/device:CUSTOM:Axle 0"].lines for event in line.events]
            products = [event for event in events if event.name.startswith("dot")]
            self.assertGreaterEqual(len(products), 3, [event.name for event in events])
            for event in products:
                self.assertGreater(event.duration_ns, 0)

    def test_nothing_is_traced_outside(self):
        step = jax.jit(lambda x: x + 1)
        step(jnp.float32(1)).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                pass
            step(jnp.float32(1)).block_until_ready()
            (file,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
            data = jax.profiler.ProfileData.from_serialized_xspace(pathlib.Path(file).read_bytes())
            self.assertNotIn("/device:CUSTOM:Axle 0", [plane.name for plane in data.planes])


if __name__ == "__main__":
    unittest.main()
