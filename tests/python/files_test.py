#!/usr/bin/env python3
"""axle.load and axle.save: .npz and safetensors."""

import gc
import json
import os
import pathlib
import struct
import tempfile
import unittest

import axle_module

import axle  # isort: skip
import ml_dtypes  # isort: skip
import numpy as np  # isort: skip

DATA = axle_module.ROOT / "tests" / "data"


def safetensors(header, data=b""):
    """A file with this header, written without axle."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_equal(self, found, wanted):
        wanted = np.asarray(wanted)
        self.assertEqual(found.dtype, wanted.dtype)
        self.assertEqual(found.shape, wanted.shape)
        self.assertEqual(found.tobytes(), wanted.tobytes())

    def assert_refused(self, code, text, *arguments, **options):
        with self.assertRaisesRegex(axle.AxleError, text) as raised:
            axle.load(*arguments, **options)
        self.assertEqual(raised.exception.code, code)

    def test_what_the_package_wrote(self):
        arrays = axle.load(DATA / "safetensors" / "package.safetensors")
        count = np.arange(6).reshape(2, 3)
        for name, dtype in (("float32", np.float32), ("bfloat16", ml_dtypes.bfloat16), ("uint64", np.uint64),
                            ("float8_e4m3fn", ml_dtypes.float8_e4m3fn), ("float8_e5m2", ml_dtypes.float8_e5m2)):
            self.assert_equal(arrays[f"t_{name}"], count.astype(dtype))
        self.assert_equal(arrays["t_bool"], count % 2 == 1)
        self.assert_equal(arrays["t_complex64"], (count - 1j * count).astype(np.complex64))
        self.assert_equal(arrays["scalar"], np.float32(0))
        self.assert_equal(arrays["empty"], np.empty((0, 3), np.float32))
        self.assertIn("ä \"b\"\\", arrays)
        self.assertEqual(len(arrays), 23)

    def test_npz_as_numpy_reads_it(self):
        path = self.folder / "x.npz"
        wanted = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.int64(7), "t": np.ones((3, 2)).T}
        for write in (np.savez, np.savez_compressed):
            write(path, **wanted)
            found = axle.load(str(path))
            self.assertEqual(sorted(found), sorted(wanted))
            for name, array in wanted.items():
                self.assert_equal(found[name], array)
        self.assertEqual(sorted(axle.load(path.read_bytes())), sorted(wanted))

    def test_arrays_outlive_the_file_and_may_be_written_to(self):
        w = axle.load(safetensors({"w": {"dtype": "I32", "shape": [3], "data_offsets": [0, 12]}},
                                  struct.pack("<3i", 1, 2, 3)))["w"]
        gc.collect()
        w += 1
        np.testing.assert_array_equal(w, [2, 3, 4])

    def test_round_trip(self):
        wanted = {
            "w": np.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3),
            "strided": np.arange(12, dtype=np.int16).reshape(3, 4)[::-1, ::2],
            "big": np.arange(3, dtype=">f8"),
            "mask": np.array([True, False]),
            "scalar": np.float16(1.5),
            "list": [1.0, 2.0],
        }
        path = self.folder / "x.safetensors"
        axle.save(path, {**wanted, "buffer": axle.put(np.ones(3, np.uint8))})
        found = axle.load(path)
        self.assertEqual(sorted(found), sorted([*wanted, "buffer"]))
        self.assert_equal(found["w"], wanted["w"])
        self.assert_equal(found["strided"], wanted["strided"].copy())
        self.assert_equal(found["big"], np.arange(3, dtype=np.float64))
        self.assert_equal(found["mask"], wanted["mask"])
        self.assert_equal(found["scalar"], wanted["scalar"])
        self.assert_equal(found["list"], np.array([1.0, 2.0]))
        self.assert_equal(found["buffer"], np.ones(3, np.uint8))
        axle.save(str(self.folder / "x.npz"), {"a": np.arange(3), "b": wanted["w"]})
        with np.load(self.folder / "x.npz") as npz:
            np.testing.assert_array_equal(npz["a"], np.arange(3))
            self.assert_equal(npz["b"], wanted["w"].view(np.uint16))
        # What ml_dtypes calls bfloat16 has another name in .npz.
        self.assertEqual(axle.load(self.folder / "x.npz")["b"].dtype, np.uint16)
        axle.save(path, {})
        self.assertEqual(axle.load(path), {})

    def test_weights_go_into_a_program(self):
        path = self.folder / "x.safetensors"
        axle.save(path, {"w": np.ones((2, 3), ml_dtypes.bfloat16)})
        exe = axle.compile("ENTRY e { w = bf16[2,3] parameter(0) ROOT y = bf16[2,3] add(w, w) }")
        self.assert_equal(exe(axle.load(path)["w"]), np.full((2, 3), 2, ml_dtypes.bfloat16))

    def test_refusals(self):
        one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        good = safetensors({"w": one}, bytes(8))
        self.assertEqual(list(axle.load(good)), ["w"])
        path = self.folder / "x.safetensors"
        path.write_bytes(good[:-1])
        self.assert_refused("INVALID_ARGUMENT", r"x\.safetensors: safetensors: \"w\" lies at 0 to 8, but the file has "
                            "only 7", path)
        self.assert_refused("UNIMPLEMENTED", "elements of type F4, which are not read",
                            safetensors({"w": {**one, "dtype": "F4"}}, bytes(8)))
        self.assert_refused("RESOURCE_EXHAUSTED", "more than 4 B of arrays", good, memory_limit=4)
        self.assert_refused("NOT_FOUND", "there is no file", self.folder / "none.npz")
        self.assert_refused("INVALID_ARGUMENT", "a dict is no file of arrays", {})
        self.assert_refused("INVALID_ARGUMENT", "not a zip archive", b"x" * 100)
        one = self.folder / "one.npy"
        np.save(one, np.ones(2))
        self.assert_refused("INVALID_ARGUMENT", "one array without a name: numpy.load reads it", one)
        for arrays in ([np.ones(2)], {1: np.ones(2)}):
            with self.assertRaisesRegex(axle.AxleError, "must be a dict by name"):
                axle.save(path, arrays)
        with self.assertRaisesRegex(axle.AxleError, "ends neither in .npz nor in .safetensors"):
            axle.save(self.folder / "x.npy", {})
        with self.assertRaisesRegex(axle.AxleError, "cannot write s4"):
            axle.save(path, {"x": np.ones(2, ml_dtypes.int4)})
        with self.assertRaisesRegex(axle.AxleError, "no element type for arrays of"):
            axle.save(path, {"x": np.array(["text"])})
        with self.assertRaisesRegex(axle.AxleError, "cannot write '.*none"):
            axle.save(os.path.join(self.folder, "none", "x.npz"), {})


if __name__ == "__main__":
    unittest.main()
