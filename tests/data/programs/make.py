#!/usr/bin/env python3
"""Writes inputs.npz, outputs.npz and index.json of the programs in this folder.

The expected results are computed here, in plain Python, from what each program is meant to do. The
form is that of the corpus ($AXLE_SHARED/corpus), so that one test walks both.
"""
import json
import math
import pathlib
import struct
import zipfile

HERE = pathlib.Path(__file__).parent
CODES = {"f32": ("<f4", "f"), "s32": ("<i4", "i"), "pred": ("|b1", "?"), "s64": ("<i8", "q")}


def npy(kind, shape, values):
    descr, code = CODES[kind]
    text = str({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def save(path, prefix, arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, array in enumerate(arrays):
            info = zipfile.ZipInfo(f"{prefix}_{i}.npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, npy(*array))


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def affine_relu():
    x = [1, -2, 3, 0.5, 4, -1]
    w = [1, 2, 0, -1, 0.25, 3, 2, 0, -4, 1, 1, 1]
    b = [0.5, -100, 0, 2]
    y = [max(0, b[j] + sum(x[i * 3 + k] * w[k * 4 + j] for k in range(3)))
         for i in range(2) for j in range(4)]
    return [("f32", [2, 3], x), ("f32", [3, 4], w), ("f32", [4], b)], [("f32", [2, 4], y)], 0


def collatz():
    start = [1, 7, 27, 97]
    steps = []
    for n in start:
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps.append(count)
    return [("s32", [4], start)], [("s32", [4], steps), ("s32", [], [max(steps)])], 0


def softmax():
    x = [0, 1, 2, -1, 3, 3, 3, 3, -50, 0, 50, 10]
    y = []
    for r in range(3):
        row = [math.exp(v) for v in x[r * 4:r * 4 + 4]]
        y += [f32(v / sum(row)) for v in row]
    return [("f32", [3, 4], x)], [("f32", [3, 4], y)], 1e-6


def branches():
    x = [1, 2, 3, -4]
    return [("s32", [], [1]), ("f32", [4], x)], [("f32", [4], [2 * v for v in x])], 0


def moves():
    x = list(range(12))  # [3,4]
    padded = [[-1] * 4] + [x[i * 4:i * 4 + 4] for i in range(3)]
    transposed = [[row[j] for row in padded] for j in range(4)]
    reverse = [row[::-1] for row in transposed]
    both = [[row[0]] + row for row in reverse]
    return [("s64", [3, 4], x)], [("s64", [4, 5], sum(both, []))], 0


def embedding():
    table = [10 * i + j for i in range(5) for j in range(3)]
    ids = [4, 0, 2, 9]  # the last one is clamped
    out = sum((table[min(i, 4) * 3:min(i, 4) * 3 + 3] for i in ids), [])
    order = sorted(range(4), key=lambda k: (-ids[k], k))
    return ([("f32", [5, 3], table), ("s32", [4], ids)],
            [("f32", [4, 3], out), ("s32", [4], order)], 0)


def main():
    programs = []
    for make in (affine_relu, collatz, softmax, branches, moves, embedding):
        inputs, outputs, rtol = make()
        folder = HERE / make.__name__
        save(folder / "inputs.npz", "in", inputs)
        save(folder / "outputs.npz", "out", outputs)
        compare = {"compare": "close", "rtol": rtol, "atol": rtol} if rtol else {"compare": "exact"}
        programs.append({"name": make.__name__,
                         "inputs": [{"type": t, "shape": s} for t, s, _ in inputs],
                         "outputs": [{"type": t, "shape": s, **compare} for t, s, _ in outputs]})
    text = json.dumps({"format": 1, "custom_calls": [], "programs": programs}, indent=1)
    (HERE / "index.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
