#!/usr/bin/env python3
"""What axle.compile takes for a program, and what it says of the rest."""

import gzip
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import numpy as np  # isort: skip
from module_test import AXPY  # isort: skip

X = np.ones(4, np.float32)


class FakeComputation:
    """jaxlib's XlaComputation."""

    def __init__(self, proto):
        self.proto = proto

    def as_serialized_hlo_module_proto(self):
        return self.proto


class FakeLowered:
    """jax.stages.Lowered."""

    def __init__(self, proto):
        self.proto = proto

    def compiler_ir(self, dialect=None):
        return FakeComputation(self.proto) if dialect == "hlo" else None


class Programs(unittest.TestCase):
    def assert_axpy(self, program):
        np.testing.assert_array_equal(axle.compile(program)(2, X, X), 3 * X)

    def assert_refused(self, code, pattern, program):
        with self.assertRaisesRegex(axle.AxleError, pattern) as caught:
            axle.compile(program)
        self.assertEqual(caught.exception.code, code)

    def test_files(self):
        proto = axle.parse(AXPY).to_proto()
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            for name, content in {
                "axpy.hlo": AXPY.encode(),
                "axpy.txt": AXPY.encode(),
                "axpy.pb": proto,
                "axpy.hlo.gz": gzip.compress(AXPY.encode()),
                "no ending": AXPY.encode(),
            }.items():
                path = pathlib.Path(folder, name)
                path.write_bytes(content)
                self.assert_axpy(path)
                self.assert_axpy(str(path))
                os.chdir(folder)
                try:
                    self.assert_axpy(name)
                finally:
                    os.chdir(before)
            wrong = pathlib.Path(folder, "wrong.hlo")
            wrong.write_text("ENTRY e {\n  ROOT r = f32[2] iotas()\n}")
            with self.assertRaises(axle.AxleError) as caught:
                axle.compile(wrong)
            self.assertEqual((caught.exception.file, caught.exception.line), (str(wrong), 2))
            np.savez(os.path.join(folder, "x.npz"), x=X)
            self.assert_refused("INVALID_ARGUMENT", "x.npz: this is a zip archive", os.path.join(folder, "x.npz"))
            self.assert_refused("INVALID_ARGUMENT", "cannot read", pathlib.Path(folder))
        for missing in ("missing.hlo", "missing.pb", "a/missing.txt", pathlib.Path("missing")):
            self.assert_refused("NOT_FOUND", f"there is no file '{missing}'", missing)
        self.assert_refused("INVALID_ARGUMENT", "name of a file, not a program", "a/model")
        self.assert_axpy(AXPY.replace("\n", " "))

    def test_jax_by_its_interface(self):
        proto = axle.parse(AXPY).to_proto()
        self.assert_axpy(FakeLowered(proto))
        self.assert_axpy(FakeComputation(proto))
        self.assert_axpy(bytearray(proto))

    def test_what_is_no_program(self):
        self.assert_refused("INVALID_ARGUMENT", "the module has no function", "module @jit_f {\n}")
        self.assert_refused("INVALID_ARGUMENT", "byte 4", b"ML\xefR")
        archive = io.BytesIO()
        np.savez(archive, x=X)
        self.assert_refused("INVALID_ARGUMENT", "zip archive, as NumPy's .npz", archive.getvalue())
        self.assert_refused("INVALID_ARGUMENT", "an ONNX model", b"\x08\x07\x12\x07pytorch")
        self.assert_refused("INVALID_ARGUMENT", "a ndarray is no program: a program is HLO text", X)
        self.assert_refused("INVALID_ARGUMENT", "a NoneType is no program", None)
        self.assert_refused("INVALID_ARGUMENT", "a Executable is no program: it is compiled already", axle.compile(AXPY))
        for program, name in ((AXPY, "str"), (axle.parse(AXPY), "Module")):
            with self.assertRaisesRegex(
                axle.AxleError, f"a {name} takes no arguments to compile it for; only a function does"
            ):
                axle.compile(program, X)

    def test_jax(self):
        try:
            import jax
            import jax.export
            import jax.numpy as jnp
        except ImportError:
            self.skipTest("no jax")

        @jax.jit
        def f(x, y):
            return jnp.tanh(x @ y) + 1, jax.lax.fori_loop(0, 3, lambda i, s: s + i, 0)

        x, y = np.ones((2, 3), np.float32), np.full((3, 2), 0.25, np.float32)
        lowered = f.lower(x, y)
        for program in (
            lowered,
            lowered.compiler_ir("hlo"),
            lowered.as_text(dialect="hlo"),
            lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(),
            lowered.compile().as_text(),
            lowered.as_text(),
            lowered.as_text(debug_info=True),
            lowered.compiler_ir(),
            jax.export.export(f)(x, y),
            jax.export.export(f)(x, y).mlir_module_serialized,
        ):
            a, b = axle.compile(program)(x, jnp.asarray(y))
            np.testing.assert_allclose(a, f(x, y)[0], rtol=1e-6)
            self.assertEqual(b, 3)
        self.assert_refused("INVALID_ARGUMENT", "the Lowered", lowered.compile())

    def test_function_of_jax(self):
        try:
            import jax
            import jax.numpy as jnp
        except ImportError:
            self.skipTest("no jax")

        def f(x, weights, unused):
            return jnp.tanh(x @ weights["w"]) + weights["b"]

        x, w, b = np.ones((2, 3), np.float32), np.full((3, 2), 0.25, np.float32), np.float32(1)
        weights = {"w": w, "b": b}
        expected = f(x, weights, 0)
        arguments = (x, weights, x)
        described = jax.tree_util.tree_map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), arguments)
        for shapes in (arguments, described):
            # The leaves are arguments, dicts in the order of their keys, and the one that f does not use is there too.
            np.testing.assert_allclose(axle.compile(f, *shapes)(x, b, w, x), expected, rtol=1e-6)
        # A function that jax.jit has made has the options that it was made with.
        jitted = jax.jit(f, static_argnums=2)
        np.testing.assert_allclose(axle.compile(jitted, x, weights, 7, engine="interpret")(x, b, w), expected, rtol=1e-6)
        self.assertEqual([str(shape) for shape in axle.parse(jitted, x, weights, 7).input_shapes],
                         ["f32[2,3]", "f32[]", "f32[3,2]"])
        self.assertEqual(axle.compile(lambda: jnp.arange(3))().tolist(), [0, 1, 2])
        for function in (f, jax.jit(f)):
            self.assert_refused(
                "INVALID_ARGUMENT",
                r"f: missing a required argument: 'x'; pass arguments of the shapes and types to compile it for: "
                r"axle\.compile\(f, \*arguments\), arrays or jax\.ShapeDtypeStruct",
                function,
            )
        with self.assertRaisesRegex(TypeError, "dot_general requires contracting dimensions"):
            axle.compile(f, x, {"w": x, "b": b}, x)  # what JAX says of the function is passed on

    def test_function_without_jax(self):
        with unittest.mock.patch.dict("sys.modules", {"jax": None}):
            self.assert_refused("UNAVAILABLE", "a function is compiled through JAX, which is missing: ", lambda x: x)


if __name__ == "__main__":
    unittest.main()
