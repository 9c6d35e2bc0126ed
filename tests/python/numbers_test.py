#!/usr/bin/env python3
"""What arguments may be: numbers that fit their type, and arrays of other packages."""

import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import numpy as np  # isort: skip
from axle._arrays import from_dlpack  # isort: skip
from axle._shapes import numpy_type  # isort: skip
from module_test import ELEMENT_TYPES, identity  # isort: skip

# A number, and what is said of it where it does not fit; None where it does.
RANGES = {
    "u8": [
        (255, None),
        (300, "300 is out of the range of u8, 0 to 255"),
        (-1, "-1 is out of the range of u8, 0 to 255"),
    ],
    "s32": [
        (1.5, "1.5 is not an integer, as s32 needs"),
        (2.0, "2.0 is not an integer, as s32 needs"),
        (2**40, "1099511627776 is out of the range of s32, -2147483648 to 2147483647"),
        (-(2**31), None),
        (float("nan"), "nan is not an integer, as s32 needs"),
        (True, "True is not a number of s32"),
        (1j, "1j is not an integer, as s32 needs"),
    ],
    "s4": [(7, None), (8, "8 is out of the range of s4, -8 to 7")],
    "u2": [(3, None), (4, "4 is out of the range of u2, 0 to 3")],
    "s64": [(2**63 - 1, None), (2**63, f"{2**63} is out of the range of s64, {-2**63} to {2**63 - 1}")],
    "u64": [(2**64 - 1, None), (2**64, f"{2**64} is out of the range of u64, 0 to {2**64 - 1}")],
    "pred": [(True, None), (1, None), (2, "2 is neither True (1) nor False (0)")],
    "f32": [
        (1e40, "1e+40 is out of the range of f32"),
        (0.1, None),
        (float("inf"), None),
        (float("nan"), None),
        (True, "True is not a number of f32"),
        (1j, "1j is complex, and f32 is not"),
        (2**24 + 1, None),
    ],
    "f64": [(1e308, None), (10**400, "int too large to convert to float")],
    "f16": [(65519, None), (65520, "65520.0 is out of the range of f16")],
    "bf16": [(1e39, "1e+39 is out of the range of bf16")],
    "f8e4m3fn": [
        (460, None),
        (500, "500.0 is out of the range of f8e4m3fn"),
        (float("inf"), "inf is not a value of f8e4m3fn"),
    ],
    "f8e8m0fnu": [(2, None), (-1, "-1.0 is out of the range of f8e8m0fnu")],
    "f4e2m1fn": [
        (6, None),
        (6.5, "6.5 is out of the range of f4e2m1fn"),
        (float("nan"), "nan is not a value of f4e2m1fn"),
        (float("inf"), "inf is not a value of f4e2m1fn"),
    ],
    "c64": [(1j, None), (1, None)],
}


class Numbers(unittest.TestCase):
    def test_ranges(self):
        for type, cases in RANGES.items():
            scalar, pair, constants = identity(type, ""), identity(type, "2,1"), axle.Builder("c")
            fill = True if type == "pred" else 1
            for number, mistake in cases:
                if mistake is None:
                    expected = np.asarray(number, numpy_type(type))
                    self.assertEqual(scalar(number).tobytes(), expected.tobytes())
                    self.assertEqual(pair([[fill], (number,)])[1, 0].tobytes(), expected.tobytes())
                    continue
                arguments = (scalar, number, f"{type}[]"), (pair, [[fill], (number,)], f"{type}[2,1]")
                for exe, argument, shape in arguments:
                    with self.assertRaises(axle.AxleError, msg=(type, number)) as caught:
                        exe(argument)
                    self.assertEqual(caught.exception.message, f"argument 0: {mistake}, for {shape}")
                    self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
                with self.assertRaises(axle.AxleError) as caught:
                    constants.constant([fill, number], type)
                self.assertEqual(caught.exception.message, f"constant: {mistake}")

    def test_what_is_no_array(self):
        for argument in ([[1, 2], [3]], "text", {}, None):
            with self.assertRaises(axle.AxleError) as caught:
                identity("f32", "2,2")(argument)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


class Producer:
    """An array of a package that has nothing but DLPack."""

    def __init__(self, array, device=(1, 0), error=None):
        self.array, self.device, self.error = array, device, error

    def __dlpack__(self, **options):
        if self.error is not None:
            raise self.error
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class OldConsumer:
    """Asks as packages before DLPack 1.0 do."""

    def __init__(self, buffer):
        self.buffer = buffer

    def __dlpack__(self, **_):
        return self.buffer.__dlpack__()

    def __dlpack_device__(self):
        return self.buffer.__dlpack_device__()


class DLPack(unittest.TestCase):
    def test_arguments(self):
        x = np.arange(4, dtype=np.float32)
        np.testing.assert_array_equal(identity("f32")(Producer(x)), x)
        np.testing.assert_array_equal(identity("f32")(Producer(np.arange(8, dtype=np.float32)[::2])), 2 * x)
        np.testing.assert_array_equal(axle.put(Producer(x)).numpy(), x)
        with self.assertRaisesRegex(axle.AxleError, "0 is a Producer that cannot be read as an array: on a GPU"):
            identity("f32")(Producer(x, error=BufferError("on a GPU")))
        with self.assertRaisesRegex(axle.AxleError, "argument 0 is of type float64, must be float32"):
            identity("f32")(Producer(x.astype(np.float64)))

    def test_all_types_there_and_back(self):
        for type in ELEMENT_TYPES:
            array = np.array([[1, 0, 1], [0, 1, 1]]).astype(numpy_type(type))
            buffer = axle.put(array)
            self.assertEqual(buffer.__dlpack_device__(), (1, 0))
            if type[1:] in ("2", "4") or type.startswith(("f4e", "f6e")):
                with self.assertRaisesRegex(BufferError, f"DLPack packs several {type} into a byte"):
                    buffer.__dlpack__()
                continue
            for source in (buffer, OldConsumer(buffer)):
                back = from_dlpack(source)
                self.assertEqual((back.dtype, back.shape, back.tobytes()), (array.dtype, (2, 3), array.tobytes()), type)
            self.assertEqual(identity(type, "2,3")(buffer).tobytes(), array.tobytes(), type)

    def test_copies(self):
        buffer = axle.put(np.ones(3, np.float32))
        view = np.asarray(buffer)
        shared = np.from_dlpack(buffer)
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
            self.assertEqual(shared.ctypes.data, view.ctypes.data)
            self.assertFalse(shared.flags.writeable)
        self.assertNotEqual(np.from_dlpack(OldConsumer(buffer)).ctypes.data, view.ctypes.data)
        with self.assertRaisesRegex(BufferError, "which DLPack before 1.0 cannot say"):
            buffer.__dlpack__(copy=False)
        with self.assertRaisesRegex(BufferError, "in the memory of the CPU"):
            buffer.__dlpack__(dl_device=(2, 0))
        del buffer
        np.testing.assert_array_equal(shared, np.ones(3, np.float32))

    def test_jax(self):
        try:
            import jax.numpy as jnp
        except ImportError:
            self.skipTest("no jax")
        for type in (jnp.float32, jnp.bfloat16, jnp.int8):
            x = jnp.arange(4, dtype=type)
            np.testing.assert_array_equal(axle.put(x).numpy(), np.asarray(x))
            back = jnp.from_dlpack(axle.put(x))
            self.assertEqual(back.dtype, x.dtype)
            np.testing.assert_array_equal(np.asarray(back), np.asarray(x))
        np.testing.assert_array_equal(identity("bf16")(jnp.ones(4, jnp.bfloat16)).astype(float), np.ones(4))


if __name__ == "__main__":
    unittest.main()
