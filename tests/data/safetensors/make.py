#!/usr/bin/env python3
"""Writes the file of this folder with the package safetensors, as tests/core/safetensors_test.cc expects it.

Run by hand after a change; needs safetensors 0.8, numpy and ml_dtypes. The values of every array are 0, 1, 2, ... in
row-major order (bool: the lowest bit; complex: minus that as imaginary part).
"""
import pathlib

import ml_dtypes
import numpy as np
import safetensors

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {
    "bool": np.bool_, "uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16, "uint32": np.uint32,
    "int32": np.int32, "uint64": np.uint64, "int64": np.int64, "float16": np.float16, "float32": np.float32,
    "float64": np.float64, "complex64": np.complex64, "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e8m0fnu": ml_dtypes.float8_e8m0fnu, "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}


def array(dtype, shape):
    count = np.arange(int(np.prod(shape)))
    if dtype is np.bool_:
        count = count % 2 == 1
    elif dtype is np.complex64:
        count = count - 1j * count
    return count.reshape(shape).astype(dtype)


arrays = {f"t_{name}": (name, array(dtype, (2, 3))) for name, dtype in TYPES.items()}
arrays["scalar"] = ("float32", array(np.float32, ()))
arrays["empty"] = ("float32", array(np.float32, (0, 3)))
arrays["layer.0.weight"] = ("float32", array(np.float32, (4, 2)))
arrays["ä \"b\"\\"] = ("int32", array(np.int32, (1,)))
safetensors.serialize_file(
    {name: safetensors.TensorSpec(dtype=dtype, shape=value.shape, data_ptr=value.ctypes.data, data_len=value.nbytes)
     for name, (dtype, value) in arrays.items()},
    HERE / "package.safetensors", {"format": "np", "ä": "\"\n"})
