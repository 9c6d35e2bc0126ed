"""A JAX function in a file, run by JAX and by the `axle` command, which needs no JAX: JAX_PLATFORMS=axle python export_run.py

Needs the command `axle` on the path, which comes with the wheel.
"""

import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import export


def spectrum(signal, weights):
    window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(signal.shape[-1]) / signal.shape[-1])
    return jnp.abs(jnp.fft.rfft(signal * window)) @ weights


def main():
    shapes = jax.ShapeDtypeStruct((4, 64), jnp.float32), jax.ShapeDtypeStruct((33, 3), jnp.float32)
    exported = export.export(jax.jit(spectrum), platforms=["cpu"], disabled_checks=[])(*shapes)
    signal = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
    weights = np.ones((33, 3), np.float32) / 33
    expected = np.asarray(jax.jit(spectrum)(signal, weights))
    with tempfile.TemporaryDirectory() as folder:
        program, output = pathlib.Path(folder) / "spectrum.mlir.bc", pathlib.Path(folder) / "out.npy"
        program.write_bytes(exported.mlir_module_serialized)
        np.savez(pathlib.Path(folder) / "in.npz", signal=signal, weights=weights)
        run = ["axle", "run", program, "--inputs", pathlib.Path(folder) / "in.npz", "--output", output]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        found = np.load(output)
        size = program.stat().st_size
    print(f"{size} bytes of StableHLO\nJAX on {jax.devices()[0]}\n{expected}\naxle run\n{found}")
    return float(np.abs(found - expected).max())


if __name__ == "__main__":
    main()
