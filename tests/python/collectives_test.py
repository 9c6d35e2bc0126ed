#!/usr/bin/env python3
"""Collectives on several devices, both engines, against numpy.

The model here is written from the documents of the operations and shares nothing with the library: each function gets
the operands of all devices, of a group in the order of the group, and returns their results. Reductions are the tree
of docs/numerics.md N9. Each program has one parameter and many collectives of it, and each result is compared bit for
bit. collectives_of_jobs_test.py runs some of the programs over several processes.

    collectives_test.py [--part 1/5]     only every fifth combination
"""

import itertools
import sys
import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import ml_dtypes
import numpy as np  # isort: skip

TYPES = {
    "pred": np.bool_,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}
NARROW_FLOATS = ("f16", "bf16", "f8e4m3fn", "f8e5m2")
LAYOUTS = {2: [(2, 1), (1, 2)], 3: [(3, 1)], 4: [(2, 2), (1, 4)], 5: [(5, 1)], 8: [(4, 2), (2, 4)], 16: [(4, 4)]}
PART, PARTS = 1, 1


# The model.


def multiply(a, b):
    """Of complex numbers each product and each sum is rounded by itself."""
    if a.dtype.kind != "c":
        return a * b
    result = np.empty_like(a)
    result.real = a.real * b.real - a.imag * b.imag
    result.imag = a.real * b.imag + a.imag * b.real
    return result


REDUCERS = {
    "add": lambda a, b: a + b,
    "multiply": multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "subtract": lambda a, b: a - b,
}


def reducers_of(name):
    if name == "pred":
        return ["and", "or", "xor"]
    if name[0] == "c":
        return ["add", "multiply", "subtract"]
    if "f" in name:
        return ["add", "multiply", "minimum", "maximum", "subtract"]
    return ["add", "multiply", "minimum", "maximum", "and", "or", "xor", "subtract"]


def tree(fold, values):
    """The left half is the largest power of two below the count."""
    if len(values) == 1:
        return values[0]
    half = 1
    while 2 * half < len(values):
        half *= 2
    return fold(tree(fold, values[:half]), tree(fold, values[half:]))


def reduced(name, reducer, values):
    fold = REDUCERS[reducer]
    if reducer == "subtract":  # no known reduction: from the left, each step in the type itself
        result = values[0]
        for value in values[1:]:
            result = (result - value).astype(values[0].dtype)
        return result
    if name in NARROW_FLOATS and reducer in ("add", "multiply"):
        return tree(fold, [value.astype(np.float32) for value in values]).astype(values[0].dtype)
    return tree(fold, values)


class Devices:
    def __init__(self, replicas, partitions):
        self.replicas, self.partitions = replicas, partitions
        self.count = replicas * partitions

    def participants(self, mode, groups, device):
        """The devices of this device's group, in order."""
        replica, partition = divmod(device, self.partitions)
        own = {"replica": replica, "both": replica, "partition": partition, "flat": device}[mode]
        ids = {"replica": self.replicas, "both": self.replicas, "partition": self.partitions, "flat": self.count}[mode]
        group = next(g for g in groups or [list(range(ids))] if own in g)
        if mode == "replica":
            return [r * self.partitions + partition for r in group]
        if mode == "partition":
            return [replica * self.partitions + p for p in group]
        if mode == "both":
            return [r * self.partitions + p for r in group for p in range(self.partitions)]
        return group

    def in_groups(self, mode, groups, operands, function):
        """function(values of the group, position) for each device."""
        results = []
        for device in range(self.count):
            group = self.participants(mode, groups, device)
            results.append(function([operands[d] for d in group], group.index(device)))
        return results

    def ragged(self, mode, groups, operands, outputs, offsets):
        """offsets[device] has an array each of input offsets, sizes and output offsets, [group size, updates]."""
        results = []
        for device in range(self.count):
            group = self.participants(mode, groups, device)
            position, result = group.index(device), outputs[device].copy()
            for sender in group:
                for start, size, to in zip(*(array[position] for array in offsets[sender])):
                    result[to : to + size] = operands[sender][start : start + size]
            results.append(result)
        return results

    def permuted(self, mode, pairs, operands):
        results = []
        for device in range(self.count):
            replica, partition = divmod(device, self.partitions)
            own = replica if mode == "replica" else partition
            source = next((s for s, t in pairs if t == own), None)
            if source is None:
                results.append(np.zeros_like(operands[device]))
            elif mode == "replica":
                results.append(operands[source * self.partitions + partition])
            else:
                results.append(operands[replica * self.partitions + source])
        return results


# The programs.


def text_of(groups):
    return "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}"


def groupings(count, random, uneven):
    """Lists of groups of `count` ids: all, all in another order, halves, singles, uneven ones."""
    order = [int(i) for i in random.permutation(count)]
    found = [[], [order], [[i] for i in range(count)]]
    for size in (2, 4):
        if count % size == 0 and size < count:
            found.append([order[i : i + size] for i in range(0, count, size)])
    if uneven and count > 2:
        found.append([order[:1], order[1:]])
    return found


MODES = {
    "replica": "",
    "both": ", channel_id=1, use_global_device_ids=false",
    "flat": ", channel_id=1, use_global_device_ids=true",
}
# Of operations without use_global_device_ids.
SHORT_MODES = {"replica": "", "partition": ", channel_id=1"}


class Program:
    """Collects results: their HLO text, and what each device must get."""

    def __init__(self, name, devices, operands, dims):
        self.name, self.devices, self.operands, self.dims = name, devices, operands, dims
        self.lines, self.results, self.expected, self.computations = [], [], [], []

    def shape(self, dims):
        return f"{self.name}[{','.join(map(str, dims))}]"

    def line(self, shape, text):
        name = f"v{len(self.lines)}"
        self.lines.append(f"  {name} = {shape} {text}")
        return name

    def result(self, dims, text, expected):
        self.results.append((self.line(self.shape(dims), text), self.shape(dims), text))
        self.expected.append(expected)

    def asynchronous(self, dims, text, expected):
        """`text`, an operation of x, between async-start and async-done, with other work between them."""
        name = f"wrapped{len(self.computations)}"
        operand, result = self.shape(self.dims), self.shape(dims)
        self.computations.append(f"{name} {{ x = {operand} parameter(0) ROOT r = {result} {text} }}\n")
        start = self.line(f"(({operand}), {result})", f"async-start(x), calls={name}")
        update = self.line(f"(({operand}), {result})", f"async-update({start})")
        self.result(dims, f"async-done({update})", expected)

    def by_device(self, arrays):
        """The name of an integer array that is another one on each device."""
        count, shape = len(arrays), list(arrays[0].shape)
        numbers = [",".join(map(str, np.asarray(arrays).reshape(-1).tolist()))]
        table = self.line(f"s32[{np.asarray(arrays).size}]", f"constant({{{numbers[0]}}})")
        table = self.line(f"s32[{','.join(map(str, [count, *shape]))}]", f"reshape({table})")
        replica, partition = self.line("u32[]", "replica-id()"), self.line("u32[]", "partition-id()")
        partitions = self.line("u32[]", f"constant({self.devices.partitions})")
        device = self.line("u32[]", f"multiply({replica}, {partitions})")
        device = self.line("u32[]", f"add({device}, {partition})")
        zero = self.line("u32[]", "constant(0)")
        sizes = ",".join(map(str, [1, *shape]))
        row = self.line(
            f"s32[{sizes}]",
            f"dynamic-slice({table}, {device}{f', {zero}' * len(shape)}), dynamic_slice_sizes={{{sizes}}}",
        )
        return self.line(f"s32[{','.join(map(str, shape))}]", f"reshape({row})")

    def text(self):
        values = ", ".join(shape for _, shape, _ in self.results)
        names = ", ".join(name for name, _, _ in self.results)
        reducers = "".join(
            f"{reducer} {{ a = {self.name}[] parameter(0) b = {self.name}[] parameter(1) "
            f"ROOT r = {self.name}[] {reducer}(a, b) }}\n"
            for reducer in reducers_of(self.name)
        )
        lines = "\n".join(self.lines)
        return (
            f"HloModule m, replica_count={self.devices.replicas}, num_partitions={self.devices.partitions}\n"
            f"{reducers}{''.join(self.computations)}ENTRY main {{\n  x = {self.shape(self.dims)} parameter(0)\n{lines}\n"
            f"  ROOT t = ({values}) tuple({names})\n}}\n"
        )


def add_reductions(program, random):
    devices, dims = program.devices, program.dims
    for mode, suffix in MODES.items():
        ids = devices.count if mode == "flat" else devices.replicas
        for groups in groupings(ids, random, uneven=True):
            if mode == "flat" and not groups:
                continue
            reducer = str(random.choice(reducers_of(program.name)))
            attributes = f"replica_groups={text_of(groups)}{suffix}, to_apply={reducer}"
            fold = lambda values, _, reducer=reducer: reduced(program.name, reducer, values)  # noqa: E731
            expected = devices.in_groups(mode, groups, program.operands, fold)
            program.result(dims, f"all-reduce(x), {attributes}", expected)
            start = program.line(program.shape(dims), f"all-reduce-start(x), {attributes}")
            program.result(dims, f"all-reduce-done({start})", expected)
            program.asynchronous(dims, f"all-reduce(x), {attributes}", expected)
            size = len(devices.participants(mode, groups, 0))
            if any(len(group) != len((groups or [[]])[0]) for group in groups):
                continue
            for axis in (0, 1):
                part = dims[axis] // size
                if part * size != dims[axis]:
                    continue
                scattered = [
                    np.take(value, range(j * part, (j + 1) * part), axis)
                    for value, j in zip(expected, devices.in_groups(mode, groups, expected, lambda _, j: j))
                ]
                out = [part if i == axis else size for i, size in enumerate(dims)]
                text = f"reduce-scatter(x), {attributes}, dimensions={{{axis}}}"
                program.result(out, text, scattered)
                program.asynchronous(out, text, scattered)


def add_gathers(program, random):
    devices, dims = program.devices, program.dims
    for mode, suffix in MODES.items():
        ids = devices.count if mode == "flat" else devices.replicas
        for groups in groupings(ids, random, uneven=False):
            if mode == "flat" and not groups:
                continue
            size = len(devices.participants(mode, groups, 0))
            for axis in (0, 1):
                expected = devices.in_groups(
                    mode, groups, program.operands, lambda values, _, axis=axis: np.concatenate(values, axis)
                )
                out = [n * size if i == axis else n for i, n in enumerate(dims)]
                attributes = f"replica_groups={text_of(groups)}{suffix}, dimensions={{{axis}}}"
                program.result(out, f"all-gather(x), {attributes}", expected)
                pair = f"({program.shape(dims)}, {program.shape(out)})"
                start = program.line(pair, f"all-gather-start(x), {attributes}")
                program.result(out, f"all-gather-done({start})", expected)


def add_exchanges(program, random):
    devices, dims = program.devices, program.dims
    for mode, suffix in SHORT_MODES.items():
        ids = devices.replicas if mode == "replica" else devices.partitions
        for groups in groupings(ids, random, uneven=False):
            if not groups:
                continue
            size = len(groups[0])
            for axis in (0, 1):
                if dims[axis] % size != 0:
                    continue
                blocks = lambda values, j, axis=axis, size=size: np.concatenate(  # noqa: E731
                    [np.split(value, size, axis)[j] for value in values], axis
                )
                expected = devices.in_groups(mode, groups, program.operands, blocks)
                text = f"all-to-all(x), replica_groups={text_of(groups)}{suffix}, dimensions={{{axis}}}"
                program.result(dims, text, expected)
                program.asynchronous(dims, text, expected)
            # The tuple form: operand i of the device at position j goes to position i.
            rows = [program.line(program.shape([1, dims[1]]), f"slice(x), slice={{[{i}:{i + 1}], [0:{dims[1]}]}}")
                    for i in range(size)] if size <= dims[0] else []
            if rows:
                one = program.shape([1, dims[1]])
                tuple_shape = "(" + ", ".join([one] * size) + ")"
                whole = program.line(
                    tuple_shape, f"all-to-all({', '.join(rows)}), replica_groups={text_of(groups)}{suffix}"
                )
                for k in range(size):
                    expected = devices.in_groups(
                        mode, groups, program.operands, lambda values, j, k=k: values[k][j : j + 1]
                    )
                    program.result([1, dims[1]], f"get-tuple-element({whole}), index={k}", expected)
            broadcast = f"collective-broadcast(x), replica_groups={text_of(groups)}{suffix}"
            program.result(dims, broadcast, devices.in_groups(mode, groups, program.operands, lambda v, _: v[0]))
        order = [int(i) for i in random.permutation(ids)]
        cycle = [(order[i], order[(i + 1) % ids]) for i in range(ids)]
        for pairs in (cycle, cycle[:-1], [(i, i) for i in range(ids)], []):
            expected = devices.permuted(mode, pairs, program.operands)
            attributes = f"source_target_pairs={text_of(pairs)}{suffix}"
            program.result(dims, f"collective-permute(x), {attributes}", expected)
            pair = f"({program.shape(dims)}, {program.shape(dims)})"
            start = program.line(pair, f"collective-permute-start(x), {attributes}")
            program.result(dims, f"collective-permute-done({start})", expected)


def add_ragged(program, random):
    """Runs of rows that all have other lengths on other devices, some empty; later ones hide earlier ones."""
    devices, dims = program.devices, program.dims
    flipped = program.line(program.shape(dims), "reverse(x), dimensions={0}")
    outputs = [operand[::-1] for operand in program.operands]
    for mode, suffix in SHORT_MODES.items():
        ids = devices.replicas if mode == "replica" else devices.partitions
        for groups in groupings(ids, random, uneven=False):
            size = len(devices.participants(mode, groups, 0))
            updates = int(random.integers(1, 3))
            offsets = []
            for _ in range(devices.count):
                sizes = random.integers(0, max(dims[0] // 2, 1), (size, updates))
                offsets.append([random.integers(0, dims[0] - sizes + 1), sizes, random.integers(0, dims[0] - sizes + 1)])
            shape = (size,) if updates == 1 else (size, updates)
            names = [program.by_device([of_device[i].reshape(shape) for of_device in offsets]) for i in range(3)]
            text = f"ragged-all-to-all(x, {flipped}, {', '.join(names)}, {names[1]}), replica_groups={text_of(groups)}{suffix}"
            program.result(dims, text, devices.ragged(mode, groups, program.operands, outputs, offsets))


def program_of(name, replicas, partitions, dims, seed):
    """A program with all collectives of the type, the operands of its devices and what they get."""
    random = np.random.default_rng(seed)
    devices = Devices(replicas, partitions)
    operands = [values_of(name, dims, random) for _ in range(devices.count)]
    program = Program(name, devices, operands, dims)
    with np.errstate(all="ignore"):
        add_reductions(program, random)
        add_gathers(program, random)
        add_exchanges(program, random)
        add_ragged(program, random)
    return program


def mistake(program, device, found):
    """The first result of a device that has other bits than the model; None if there is none."""
    for (value, shape, text), expected, result in zip(program.results, program.expected, found):
        if not np.array_equal(bits(np.asarray(result)), bits(expected[device])):
            return f"device {device}: {value} = {shape} {text}\n{np.asarray(result)}\nmust be\n{expected[device]}"
    return None


def values_of(name, dims, random):
    dtype = TYPES[name]
    if name == "pred":
        return random.integers(0, 2, dims).astype(dtype)
    if name[0] in "su":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, dims, dtype, endpoint=True)
    values = random.standard_normal(dims) * 2.0 ** random.integers(-3, 4, dims)
    if name[0] == "c":
        return (values + 1j * random.standard_normal(dims)).astype(dtype)
    return values.astype(dtype)


def bits(array):
    array = np.ascontiguousarray(array)
    return array.view(np.uint8).reshape(-1)


class CollectivesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = axle.Client(num_devices=16)

    def check(self, name, replicas, partitions, dims, seed):
        program = program_of(name, replicas, partitions, dims, seed)
        count = program.devices.count
        order = [int(d) for d in np.random.default_rng(seed).permutation(16)[:count]]
        for engine in ("interpret", "native"):
            executable = self.client.compile(program.text(), engine=engine, devices=order)
            results = executable.execute_replicated([[operand] for operand in program.operands])
            for device in range(count):
                if wrong := mistake(program, device, results[device]):
                    self.fail(f"{name}, {replicas} x {partitions}, {engine}, seed {seed}, {wrong}")
        return len(program.results)

    def test_all(self):
        every = [(name, *layout) for name in TYPES for layouts in LAYOUTS.values() for layout in layouts]
        for name, replicas, partitions in every[PART - 1 :: PARTS]:
            with self.subTest(type=name, replicas=replicas, partitions=partitions):
                self.assertGreater(self.check(name, replicas, partitions, (16, 5), replicas * partitions), 20)

    def test_sizes(self):
        """None, one, and more than fits into any small message."""
        every = list(itertools.product(((0, 3), (2, 1), (64, 257), (480, 512)), ("f32", "bf16", "s8")))
        for dims, name in every[PART - 1 :: PARTS]:
            with self.subTest(type=name, dims=dims):
                self.check(name, 4, 1, dims, 7)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        PART, PARTS = (int(number) for number in sys.argv[2].split("/"))
        del sys.argv[1:3]
    unittest.main()
