#!/usr/bin/env python3
"""Buffers of the Python module: values that stay on the device between runs."""

import threading
import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import ml_dtypes  # isort: skip
import numpy as np  # isort: skip
from axle._shapes import numpy_type  # isort: skip
from module_test import ELEMENT_TYPES, LONG_LOOP  # isort: skip

SUM = "HloModule s\nENTRY e {\n a = f32[3] parameter(0)\n b = f32[3] parameter(1)\n ROOT r = f32[3] add(a, b)\n}"
PAIR = (
    "HloModule p\nENTRY e {\n a = f32[3] parameter(0)\n n = f32[3] negate(a)\n"
    " ROOT r = (f32[3], f32[3]) tuple(a, n)\n}"
)
DONATED = (
    "HloModule d, input_output_alias={ {}: (0, {}, may-alias) }\n"
    "ENTRY e {\n a = f32[3] parameter(0)\n ROOT r = f32[3] negate(a)\n}"
)


class Buffers(unittest.TestCase):
    def test_run(self):
        exe = axle.compile(SUM)
        x = axle.put(np.array([1, 2, 3], np.float32))
        (once,) = exe.execute(x, x)
        (twice,) = exe.execute(once, x)
        np.testing.assert_array_equal(twice.numpy(), np.array([3, 6, 9], np.float32))
        np.testing.assert_array_equal(x.numpy(), np.array([1, 2, 3], np.float32))
        self.assertEqual(str(twice.shape), "f32[3]")
        self.assertEqual(repr(twice), "<axle.Buffer f32[3]>")

    def test_tuple_gives_one_buffer_per_element(self):
        results = axle.compile(PAIR).execute(axle.put(np.array([1, 2, 3], np.float32)))
        self.assertEqual([r.numpy().tolist() for r in results], [[1, 2, 3], [-1, -2, -3]])

    def test_types_shapes_and_strides(self):
        arrays = [
            np.float64(2.5),
            np.arange(6, dtype=np.int64).reshape(2, 3).T,
            np.array([[True, False]]),
            np.array([1.5, -2], ml_dtypes.bfloat16),
            np.zeros((0, 4), np.uint8),
            np.arange(4, dtype=">f4"),
            np.array([1 + 2j], np.complex64),
        ]
        for array in arrays:
            back = axle.put(array).numpy()
            self.assertEqual(back.shape, np.shape(array))
            self.assertEqual(back.dtype, np.asarray(array).dtype.newbyteorder("="))
            np.testing.assert_array_equal(back, array)

    def test_put_copies(self):
        array = np.ones(3, np.float32)
        buffer = axle.put(array)
        array[:] = 7
        np.testing.assert_array_equal(buffer.numpy(), np.ones(3, np.float32))

    def test_limits(self):
        exe = axle.compile(LONG_LOOP)
        zero = axle.put(np.int64(0))
        for code, options in (
            ("DEADLINE_EXCEEDED", {"time_limit": 0.01}),
            ("RESOURCE_EXHAUSTED", {"step_limit": 1000}),
        ):
            with self.assertRaises(axle.AxleError) as caught:
                exe.execute(zero, **options)
            self.assertEqual(caught.exception.code, code)
        x = axle.put(np.ones(3, np.float32))
        seen = []
        (y,) = axle.compile(SUM).execute(x, x, time_limit=60, progress=seen.append)
        self.assertEqual((y.numpy().tolist(), seen[-1]), ([2, 2, 2], 1.0))

    def test_views(self):
        """np.asarray copies nothing, and keeps the memory."""
        for type in ELEMENT_TYPES:
            dtype = numpy_type(type)
            array = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
            buffer = axle.put(array)
            view = np.asarray(buffer)
            self.assertEqual((view.dtype, view.shape), (dtype, (2, 3)))
            self.assertEqual(view.tobytes(), array.tobytes(), type)
            self.assertEqual(view.ctypes.data, np.asarray(buffer).ctypes.data)
            self.assertFalse(view.flags.writeable)
            buffer.delete()
            del buffer
            self.assertEqual(view.tobytes(), array.tobytes(), type)
        self.assertEqual(np.asarray(axle.put(np.zeros((0, 3)))).shape, (0, 3))
        self.assertEqual(np.asarray(axle.put(np.float64(2.5))), 2.5)
        buffer = axle.put(np.ones(3, np.float32))
        self.assertEqual(np.asarray(buffer, np.float64).dtype, np.float64)
        copy = np.array(buffer)
        self.assertTrue(copy.flags.writeable)
        self.assertNotEqual(copy.ctypes.data, np.asarray(buffer).ctypes.data)

    def test_a_view_is_not_donated(self):
        exe = axle.compile(DONATED)
        x = axle.put(np.array([1, 2, 3], np.float32))
        view = np.asarray(x)
        (y,) = exe.execute(x)
        self.assertEqual((view.tolist(), y.numpy().tolist()), ([1, 2, 3], [-1, -2, -3]))

    def test_view_of_dynamic_sizes(self):
        exe = axle.compile(
            "ENTRY e {\n p = f32[4] parameter(0)\n n = s32[] constant(2)\n"
            " ROOT r = f32[<=4] set-dimension-size(p, n), dimensions={0}\n}"
        )
        (buffer,) = exe.execute(axle.put(np.arange(4, dtype=np.float32)))
        for array in (buffer.numpy(), np.asarray(buffer)):
            self.assertEqual(array.tolist(), [0, 1])

    def test_buffers_are_arguments(self):
        x = axle.put(np.array([1, 2, 3], np.float32))
        np.testing.assert_array_equal(axle.compile(SUM)(x, [1, 1, 1]), np.array([2, 3, 4], np.float32))

    def test_donation(self):
        exe = axle.compile(DONATED)
        x = axle.put(np.array([1, 2, 3], np.float32))
        (y,) = exe.execute(x)
        self.assertTrue(x.is_deleted)
        self.assertFalse(y.is_deleted)
        np.testing.assert_array_equal(y.numpy(), np.array([-1, -2, -3], np.float32))
        with self.assertRaises(axle.AxleError) as caught:
            exe.execute(x)
        self.assertEqual(caught.exception.code, "FAILED_PRECONDITION")

    def test_delete(self):
        x = axle.put(np.ones(3, np.float32))
        x.delete()
        x.delete()
        self.assertTrue(x.is_deleted)
        with self.assertRaises(axle.AxleError) as caught:
            x.numpy()
        self.assertEqual(caught.exception.code, "FAILED_PRECONDITION")

    def test_errors(self):
        exe = axle.compile(SUM)
        x = axle.put(np.ones(3, np.float32))
        for arguments in ((x,), (x, axle.put(np.ones(4, np.float32))), (x, np.ones(3, np.float32))):
            with self.assertRaises(axle.AxleError) as caught:
                exe.execute(*arguments)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        with self.assertRaises(axle.AxleError) as caught:
            axle.put(np.array(["text"]))
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_threads(self):
        exe = axle.compile(SUM)
        x = axle.put(np.ones(3, np.float32))
        found = []

        def work():
            y = x
            for _ in range(100):
                (y,) = exe.execute(y, x)
            found.append(y.numpy().tolist())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [[101.0] * 3] * 4)


class Numerics(unittest.TestCase):
    def test_option(self):
        x = np.ones(3, np.float32)
        for numerics in ("strict", "fast"):
            np.testing.assert_array_equal(axle.compile(SUM, numerics=numerics)(x, x), x + x)
        with self.assertRaises(axle.AxleError) as caught:
            axle.compile(SUM, numerics="sloppy")
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


if __name__ == "__main__":
    unittest.main()
