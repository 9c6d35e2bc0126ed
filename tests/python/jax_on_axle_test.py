#!/usr/bin/env python3
"""JAX on the plugin of this build: what it says where something is wrong, and what only a real client shows. Runs with the
JAX of .venv; a test of the environment is a process of its own."""

import ctypes
import os
import subprocess
import sys
import unittest

import axle_module
from jax_plugin_site import SITE, UNSET

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from axle import _jax_lowerings  # noqa: E402


def error_of(function):
    """What a call raises, as text."""
    try:
        function()
    except Exception as error:
        return str(error)
    return "no error"


def call_target(name):
    return jax.jit(lambda x: jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((3,), np.float32))(x))


def capsule(function):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.cast(function, ctypes.c_void_p), None, None)


class Errors(unittest.TestCase):
    def test_missing_ffi_handler(self):
        self.assertEqual(
            error_of(lambda: call_target("my_target")(jnp.ones(3))),
            'NOT_FOUND: custom-call: no FFI handler "my_target" is registered for platform axle; in JAX: '
            'jax.ffi.register_ffi_target("my_target", handler, platform="axle"); operand f32[3] at '
            f"{__file__}:{call_target.__code__.co_firstlineno + 1}",
        )

    def test_compiler_options(self):
        def error(name, value):
            return error_of(lambda: jax.jit(lambda x: x + 1, compiler_options={name: value})(1.0))

        choices = 'must be "native" or "interpret"'
        self.assertEqual(error("axle_engine", 3), f"INVALID_ARGUMENT: compile options: axle_engine is 3, {choices}")
        self.assertEqual(error("axle_engine", False), f"INVALID_ARGUMENT: compile options: axle_engine is False, {choices}")
        self.assertEqual(error("axle_engine", "x"), f'INVALID_ARGUMENT: compile options: axle_engine is "x", {choices}')
        self.assertEqual(error("axle_engine", "interpret"), "no error")
        self.assertEqual(error("unknown", 1), "INVALID_ARGUMENT: No such compile option: 'unknown'")
        self.assertEqual(error("xla_embed_ir_in_executable", False), "no error")
        self.assertEqual(
            error("xla_embed_ir_in_executable", "maybe"),
            "INVALID_ARGUMENT: While setting option xla_embed_ir_in_executable, 'maybe' is not a valid bool value.",
        )

    def test_one_buffer_donated_and_used(self):
        def error(*donated):
            a = jnp.arange(4.0)
            return error_of(lambda: jax.jit(lambda a, b: (a + 1, b * 2), donate_argnums=donated)(a, a))

        begin = "INVALID_ARGUMENT: execute: arguments 0 and 1 are one buffer, which "
        self.assertEqual(error(0), begin + "argument 0 donates, as in `f(donate(a), a)`; pass a copy of it")
        self.assertEqual(error(1), begin + "argument 1 donates, as in `f(a, donate(a))`; pass a copy of it")
        self.assertEqual(error(0, 1), begin + "both donate, as in `f(donate(a), donate(a))`; pass a copy of it")

    def test_exception_in_a_callback(self):
        def fail(x):
            raise ValueError("first line\nsecond line")

        def run(x):
            return jax.pure_callback(fail, jax.ShapeDtypeStruct((3,), np.float32), x)

        with self.assertLogs("jax._src.callback", "ERROR"):
            text = error_of(lambda: jax.jit(run)(jnp.ones(3)).block_until_ready())
        begin = "INTERNAL: CpuCallback error calling callback: ValueError: first line\nsecond line\n\nTraceback "
        self.assertEqual(text[:len(begin)], begin)
        self.assertTrue(text.endswith("in fail\n    raise ValueError(\"first line\\nsecond line\")\n"
                                      "ValueError: first line\nsecond line"), text)
        self.assertNotIn("_jax_lowerings", text)

    def test_wrong_result_of_a_callback(self):
        def run(x):
            return jax.pure_callback(lambda y: np.ones(2, np.float32), jax.ShapeDtypeStruct((3,), np.float32), x)

        text = error_of(lambda: jax.jit(run)(jnp.ones(3)).block_until_ready())
        self.assertEqual(
            text,
            "INTERNAL: CpuCallback error calling callback: RuntimeError: Incorrect output shape for return value #0: "
            "Expected: (3,), Actual: (2,)",
        )

    def test_environment(self):
        def last_line(**environment):
            inherited = {name: value for name, value in os.environ.items() if name not in UNSET}
            done = subprocess.run(
                [sys.executable, "-c", "import jax; print(jax.devices())"], capture_output=True, text=True,
                env={**inherited, "PYTHONPATH": f"{SITE.name}:{axle_module.ROOT / 'python'}", **environment},
            )
            return (done.stdout + done.stderr).rstrip("\n").rsplit("\n", 1)[-1]

        self.assertEqual(last_line(AXLE_NUM_DEVICES="2"), "[AxleDevice(id=0), AxleDevice(id=1)]")
        hint = "(set JAX_PLATFORMS='' to automatically choose an available backend)"
        self.assertEqual(
            last_line(AXLE_NUM_DEVICES="abc"),
            "RuntimeError: Unable to initialize backend 'axle': INVALID_ARGUMENT: pjrt: the environment variable "
            f'AXLE_NUM_DEVICES is "abc", must be a number from 1 to 1024 {hint}',
        )
        self.assertEqual(
            last_line(AXLE_AS_CPU="1"),
            "RuntimeError: Unable to initialize backend 'axle': with AXLE_AS_CPU=1 in the environment Axle is JAX's "
            f'platform "cpu" and not "axle": take JAX_PLATFORMS=cpu, or unset AXLE_AS_CPU {hint}',
        )
        self.assertEqual(last_line(AXLE_AS_CPU="1", JAX_PLATFORMS="cpu"), "[CpuDevice(id=0)]")


class Client(unittest.TestCase):
    def test_memory_stats(self):
        kept = jnp.ones(1000)
        stats = jax.devices()[0].memory_stats()
        self.assertGreaterEqual(min(stats.values()), 0, stats)
        self.assertGreaterEqual(stats["bytes_in_use"], kept.nbytes)
        self.assertGreaterEqual(stats["peak_bytes_in_use"], stats["bytes_in_use"])
        self.assertGreaterEqual(stats["largest_alloc_size"], kept.nbytes)
        self.assertGreater(stats["num_allocs"], 0)

    def test_ffi_handlers_of_several_stages(self):
        calls = []

        def handler(stage):
            @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_jax_lowerings._Frame))
            def run(pointer):
                frame = pointer.contents
                if frame.extensions:  # which version it is for
                    extension = ctypes.cast(frame.extensions, ctypes.POINTER(_jax_lowerings._MetadataExtension))
                    extension.contents.metadata.contents.minor = 1
                    return None
                calls.append((stage, frame.stage))
                if stage == "execute":
                    x = _jax_lowerings._array(frame.arguments.buffers[0].contents)
                    _jax_lowerings._array(frame.results.buffers[0].contents)[:] = x + 1
                return None

            return run

        stages = ("instantiate", "prepare", "initialize", "execute")
        kept = {stage: handler(stage) for stage in stages}
        bundle = {stage: capsule(function) for stage, function in kept.items()}
        jax.ffi.register_ffi_target("test.stages", bundle, platform="axle")
        f = call_target("test.stages")
        for _ in range(2):
            self.assertEqual(f(jnp.arange(3.0)).tolist(), [1, 2, 3])
        later = [("prepare", 1), ("initialize", 2), ("execute", 3)]
        self.assertEqual(calls, [("instantiate", 0), *later, *later])
        self.assertEqual(
            error_of(lambda: jax.ffi.register_ffi_target("test.bad", {**bundle, "warm": bundle["execute"]}, platform="axle")),
            "axle: FFI target 'test.bad' has a function for the stage 'warm'; there are instantiate, prepare, initialize, "
            "execute",
        )
        del bundle["execute"]
        self.assertEqual(
            error_of(lambda: jax.ffi.register_ffi_target("test.bad", bundle, platform="axle")),
            'register: FFI handler "test.bad" has no function',
        )


if __name__ == "__main__":
    unittest.main()
