#!/usr/bin/env python3
"""The Python module: programs in, arrays in and out, errors."""

import gzip
import pickle
import threading
import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import ml_dtypes  # isort: skip
import numpy as np  # isort: skip

AXPY = """HloModule axpy
ENTRY main {
  a = f32[] parameter(0)
  x = f32[4] parameter(1)
  y = f32[4] parameter(2)
  as = f32[4] broadcast(a), dimensions={}
  ax = f32[4] multiply(as, x)
  ROOT r = f32[4] add(ax, y)
}
"""
LONG_LOOP = """HloModule loop
condition {
  i = s64[] parameter(0)
  n = s64[] constant(1000000000000)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  i = s64[] parameter(0)
  one = s64[] constant(1)
  ROOT r = s64[] add(i, one)
}
ENTRY main {
  i = s64[] parameter(0)
  ROOT r = s64[] while(i), condition=condition, body=body
}
"""
ELEMENT_TYPES = (
    "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 c64 c128 bf16 s2 s4 u2 u4 f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz "
    "f8e3m4 f8e5m2fnuz f8e4m3fnuz f8e8m0fnu f4e2m1fn f6e2m3fn f6e3m2fn"
).split()


def negate(type, dims="4"):
    return axle.compile(f"HloModule n\nENTRY e {{\n p = {type}[{dims}] parameter(0)\n ROOT r = {type}[{dims}] negate(p)\n}}")


def identity(type, dims="4"):
    return axle.compile(f"HloModule i\nENTRY e {{\n p = {type}[{dims}] parameter(0)\n ROOT r = {type}[{dims}] copy(p)\n}}")


class Programs(unittest.TestCase):
    def test_axpy(self):
        exe = axle.compile(AXPY)
        x = np.arange(4, dtype=np.float32)
        np.testing.assert_array_equal(exe(2, x, [1, 1, 1, 1]), np.array([1, 3, 5, 7], np.float32))

    def test_shapes(self):
        exe = axle.compile(AXPY)
        self.assertEqual([str(s) for s in exe.input_shapes], ["f32[]", "f32[4]", "f32[4]"])
        self.assertEqual([str(s) for s in exe.output_shapes], ["f32[4]"])
        self.assertEqual(exe.input_shapes[1].dims, (4,))
        self.assertEqual(exe.input_shapes[1].dtype, np.float32)
        self.assertEqual(exe.name, "axpy")
        self.assertRegex(axle.version, r"^\d+\.\d+\.\d+$")

    def test_cost_analysis(self):
        cost = axle.compile(AXPY).cost_analysis()
        self.assertEqual((cost["flops"], cost["argument_bytes"], cost["result_bytes"]), (8.0, 36, 16))

    def test_other_formats(self):
        module = axle.parse(AXPY.encode())
        x = np.ones(4, np.float32)
        for program in (module, module.to_proto(), module.to_stablehlo(), module.to_stablehlo(bytecode=True), gzip.compress(AXPY.encode()), module.to_text(short=True)):
            np.testing.assert_array_equal(axle.compile(program)(1, x, x), x + x)
        self.assertIn("multiply(as, x)", module.to_text(short=True))

    def test_tuples(self):
        exe = axle.compile(
            "HloModule t\nENTRY e {\n p = (f32[2], (s32[], token[])) parameter(0)\n"
            " x = f32[2] get-tuple-element(p), index=0\n t = (s32[], token[]) get-tuple-element(p), index=1\n"
            " ROOT r = ((s32[], token[]), f32[2]) tuple(t, x)\n}"
        )
        (n, token), x = exe(([1, 2], (7, None)))
        self.assertEqual((n, token, list(x)), (7, None, [1, 2]))
        self.assertEqual(n.dtype, np.int32)
        self.assertEqual(len(exe.output_shapes), 2)

    def test_strides(self):
        exe = axle.compile(
            "HloModule t\nENTRY e {\n p = f32[3,2] parameter(0)\n ROOT r = f32[2,3] transpose(p), dimensions={1,0}\n}"
        )
        base = np.arange(24, dtype=np.float32).reshape(6, 4)
        for x in (base[::2, ::2], base[::-2, 1::2], base[:3, :2].copy("F"), np.broadcast_to(base[0, :2], (3, 2))):
            np.testing.assert_array_equal(exe(x), x.T)
        raw = np.frombuffer(b"\0" + base[:3, :2].tobytes(), np.uint8)[1:].view(np.float32).reshape(3, 2)
        np.testing.assert_array_equal(exe(raw), raw.T)
        big_endian = base[:3, :2].astype(">f4")
        np.testing.assert_array_equal(exe(big_endian), big_endian.T)

    def test_dynamic(self):
        exe = axle.compile("HloModule d\nENTRY e {\n p = f32[<=4] parameter(0)\n ROOT r = f32[<=4] add(p, p)\n}")
        np.testing.assert_array_equal(exe([1, 2, 3]), np.array([2, 4, 6], np.float32))
        self.assertEqual(exe(np.zeros(0, np.float32)).shape, (0,))
        self.assertEqual(exe(np.zeros(4, np.float32)).shape, (4,))
        self.assertEqual(exe.input_shapes[0].dynamic, (True,))

    def test_element_types(self):
        for type in "s8 s16 s32 s64 f16 f32 f64 c64 c128".split():
            exe = negate(type)
            x = np.array([1, -2, 3, 0]).astype(exe.input_shapes[0].dtype)
            y = exe(x)
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, -x)
        for type in "pred u8 u16 u32 u64".split():
            exe = identity(type)
            x = np.array([1, 0, 1, 1]).astype(exe.input_shapes[0].dtype)
            np.testing.assert_array_equal(exe(x), x)

    def test_ml_dtypes(self):
        exe = negate("bf16")
        y = exe(np.array([1.5, -2, 3, 0], ml_dtypes.bfloat16))
        self.assertEqual(y.dtype, np.dtype(ml_dtypes.bfloat16))
        self.assertEqual(list(y.astype(float)), [-1.5, 2, -3, 0])
        for type in "f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e3m4 f8e5m2fnuz f8e4m3fnuz f4e2m1fn f6e2m3fn f6e3m2fn".split():
            exe = identity(type)
            x = np.array([1, 0.5, -1, 0]).astype(exe.input_shapes[0].dtype)
            np.testing.assert_array_equal(exe(x).astype(float), x.astype(float), type)
        for type in "s4 u4 s2 u2".split():
            exe = identity(type)
            x = np.array([1, 0, -1, -2]).astype(exe.input_shapes[0].dtype)
            np.testing.assert_array_equal(exe(x).astype(int), x.astype(int), type)
        exe = axle.compile("HloModule a\nENTRY e {\n p = s4[2] parameter(0)\n ROOT r = s4[2] add(p, p)\n}")
        self.assertEqual(list(exe(np.array([-3, 2], ml_dtypes.int4)).astype(int)), [-6, 4])


class Errors(unittest.TestCase):
    def assert_error(self, code, message, function, *arguments, **options):
        with self.assertRaises(axle.AxleError) as caught:
            function(*arguments, **options)
        self.assertEqual((caught.exception.code, caught.exception.message), (code, message))
        return caught.exception

    def test_text(self):
        with self.assertRaises(axle.AxleError) as caught:
            axle.compile("HloModule m\nENTRY e {\n  ROOT r = f32[2] iotas()\n}", label="model.hlo")
        error = caught.exception
        self.assertEqual((error.code, error.file, error.line, error.column), ("INVALID_ARGUMENT", "model.hlo", 3, 19))
        self.assertIn('did you mean "iota"', error.message)
        self.assertEqual(pickle.loads(pickle.dumps(error)).message, error.message)

    def test_arguments(self):
        exe = axle.compile(AXPY)
        x = np.zeros(4, np.float32)
        error = "INVALID_ARGUMENT"
        self.assert_error(error, '"axpy" takes 3 arguments, not 1', exe, x)
        self.assert_error(error, "argument 1 is of type float64, must be float32, for f32[4]", exe, 1, np.zeros(4), x)
        self.assert_error(error, "argument 2 has shape [3], must fit f32[4]", exe, 1, x, x[:3])
        self.assert_error(error, "argument 1 has shape [], must fit f32[4]", exe, 1, 2, x)
        with self.assertRaisesRegex(axle.AxleError, "argument 1: .*, for f32"):
            exe(1, "abc", x)
        exe = axle.compile(
            "HloModule t\nENTRY e {\n p = (f32[2], s32[]) parameter(0)\n"
            " ROOT x = f32[2] get-tuple-element(p), index=0\n}"
        )
        self.assert_error(error, "argument 0 must be a tuple of 2, for (f32[2], s32[])", exe, x)

    def test_options(self):
        self.assert_error(
            "INVALID_ARGUMENT",
            "there is no engine 'gpu'; there are default, native, interpret",
            axle.compile,
            AXPY,
            engine="gpu",
        )
        self.assert_error(
            "INVALID_ARGUMENT",
            'axle_module_parse: unknown format "x"; there are hlo, hlo.pb, stablehlo',
            axle.parse,
            AXPY,
            format="x",
        )

    def test_without_ml_dtypes(self):
        from unittest import mock

        exe = negate("bf16")
        with mock.patch.dict("sys.modules", {"ml_dtypes": None}):
            self.assert_error(
                "UNAVAILABLE",
                "numpy has no type for bf16; the package ml_dtypes has one, which is not installed",
                exe,
                [1, 2, 3, 4],
            )


class Limits(unittest.TestCase):
    def test_limits(self):
        exe = axle.compile(LONG_LOOP)
        for code, options in (
            ("DEADLINE_EXCEEDED", {"time_limit": 0.01}),
            ("RESOURCE_EXHAUSTED", {"step_limit": 1000}),
        ):
            with self.assertRaises(axle.AxleError) as caught:
                exe(0, **options)
            self.assertEqual(caught.exception.code, code)
        self.assertEqual(exe(10**12 - 1, memory_limit=2**64 + 1, step_limit=2**64 + 1), 10**12)
        exe = negate("f32", "1000000")
        with self.assertRaises(axle.AxleError) as caught:
            exe(np.zeros(1000000, np.float32), memory_limit=1000)
        self.assertEqual(caught.exception.code, "RESOURCE_EXHAUSTED")

    def test_elided(self):
        text = "HloModule m\nENTRY e { ROOT k = u32[12] constant({...}) }\n"
        with self.assertRaisesRegex(axle.AxleError, "print_large_constants=True"):
            axle.compile(text)
        self.assertIn("constant({...})", axle.parse(text).to_text())
        self.assertEqual(list(axle.compile(text, allow_elided=True)()), list(range(12)))

    def test_progress(self):
        seen = []
        exe = axle.compile(AXPY)
        x = np.zeros(4, np.float32)
        exe(1, x, x, progress=seen.append)
        self.assertEqual(seen[-1], 1.0)

        def stop(_):
            raise StopIteration("enough")

        with self.assertRaisesRegex(StopIteration, "enough"):
            exe(1, x, x, progress=stop)

    def test_threads(self):
        """The lock of Python is free while a program runs, and other threads run theirs."""
        exe = axle.compile(AXPY)
        x = np.ones(4, np.float32)
        wrong = []

        def work(k):
            for _ in range(50):
                if list(exe(k, x, x)) != [k + 1] * 4:
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
