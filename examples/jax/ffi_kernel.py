"""A kernel of one's own in C++, called through jax.ffi: JAX_PLATFORMS=axle python ffi_kernel.py

Needs a C++ compiler (CXX, or g++), no other package. The kernel is compiled with JAX's own headers, as for any other
platform, and registered for the platform that JAX runs on.
"""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np


def build(folder):
    library = pathlib.Path(folder) / "libffi_kernel.so"
    source = pathlib.Path(__file__).with_name("ffi_kernel.cc")
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-isystem", jax.ffi.include_dir(), source, "-o", library],
                   check=True)  # fmt: skip
    return ctypes.CDLL(str(library))


def main():
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
    platform = jax.devices()[0].platform
    jax.ffi.register_ffi_target("rms_norm", jax.ffi.pycapsule(library.RmsNormHandler), platform=platform)

    @jax.jit
    def rms_norm(x, epsilon=1e-5):
        call = jax.ffi.ffi_call("rms_norm", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return call(x, epsilon=np.float32(epsilon))

    x = jnp.arange(12.0).reshape(3, 4)
    expected = x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
    print(f"{jax.devices()[0]}\nkernel\n{rms_norm(x)}\nJAX\n{expected}")
    return float(jnp.abs(rms_norm(x) - expected).max())


if __name__ == "__main__":
    main()
