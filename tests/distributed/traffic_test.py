#!/usr/bin/env python3
"""The bytes that processes send each other for a collective are those of the plan that `axle simulate` shows.

Each program has one collective. A job of two, three and four processes runs all of them with native code, and each process
counts what it has sent (Transport::sent). The plan gives the bytes of the process that sends most, and what all links
carry, which counts each byte where it leaves a process and where it enters one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["AXLE_BINARY_DIR"])
AXLE = BUILD / "bin" / "axle"
REDUCERS = """
sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
from_left { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] subtract(a, b) }
"""


def reversed_group(count):
    """All devices, the last one first: one group, whose order is not that of the processes."""
    return "{{" + ",".join(map(str, range(count - 1, -1, -1))) + "}}"


def every_other(count):
    """Two groups that both have devices of all processes."""
    return "{{" + ",".join(map(str, range(0, count, 2))) + "},{" + ",".join(map(str, range(1, count, 2))) + "}}"


def programs(count):
    """The texts by name, for `count` devices, which is even."""
    reduce = [("all", "{}"), ("reversed", reversed_group(count)), ("every_other", every_other(count))]
    pairs = "{" + ",".join(f"{{{d},{(d + 3) % count}}}" for d in range(count - 1)) + "}"
    n = 3 * count
    for kind in ("f32", "bf16"):
        for name, groups in reduce:
            for reducer in ("sum", "from_left"):
                # Below the limit of one round, just above it, with parts of unequal sizes, and in several pieces.
                for size in (1, 700, 9001, 40001, 500003) if name != "reversed" else (700, 9001):
                    yield (f"all-reduce {kind} {name} {reducer} {size}", kind, [size],
                           f"all-reduce(x), replica_groups={groups}, to_apply={reducer}", [size])
        two = f"({kind}[5003], {kind}[4,3001])"
        yield (f"all-reduce {kind} two operands", kind, [5003],
               f"all-reduce(x, y), replica_groups={{}}, to_apply=sum", two)
        size = count // 2
        halves = every_other(count)
        for columns in (1, 501, 7001):
            yield (f"reduce-scatter {kind} {columns}", kind, [n, columns],
                   f"reduce-scatter(x), replica_groups={{}}, dimensions={{0}}, to_apply=sum", [3, columns])
            yield (f"all-gather {kind} {columns}", kind, [3, columns],
                   f"all-gather(x), replica_groups={halves}, dimensions={{0}}", [3 * size, columns])
            yield (f"all-to-all {kind} {columns}", kind, [n, columns],
                   f"all-to-all(x), replica_groups={reversed_group(count)}, dimensions={{0}}", [n, columns])
            yield (f"permute {kind} {columns}", kind, [3, columns],
                   f"collective-permute(x), source_target_pairs={pairs}", [3, columns])
            yield (f"broadcast {kind} {columns}", kind, [3, columns],
                   f"collective-broadcast(x), replica_groups={halves}", [3, columns])


def text_of(kind, operand, operation, result, count):
    shape, out = (dims if isinstance(dims, str) else f"{kind}[{','.join(map(str, dims))}]" for dims in (operand, result))
    y = f"y = {kind}[4,3001] broadcast(c), dimensions={{}}\n" if isinstance(result, str) else ""
    return (
        f"HloModule m, replica_count={count}\n{REDUCERS.replace('TYPE', kind)}"
        f"ENTRY e {{ i = u32[] replica-id() c = {kind}[] convert(i) x = {shape} broadcast(c), dimensions={{}}\n{y}"
        f"  ROOT r = {out} {operation} }}\n"
    )


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Traffic(unittest.TestCase):
    def check(self, processes, devices):
        count = processes * devices
        with tempfile.TemporaryDirectory() as folder:
            cases = list(programs(count))
            files = []
            for i, (_, kind, operand, operation, result) in enumerate(cases):
                files.append(pathlib.Path(folder, f"{i}.hlo"))
                files[-1].write_text(text_of(kind, operand, operation, result, count))
            output = run(AXLE, "launch", "-n", processes, "--", BUILD / "bin" / "axle_traffic_process", devices, *files)
            sent = [[] for _ in range(processes)]
            for line in output.splitlines():
                process, size, _ = line.split()
                sent[int(process.strip("[]"))].append(int(size))
            self.assertEqual([len(sizes) for sizes in sent], [len(cases)] * processes)
            for i, (name, *_) in enumerate(cases):
                with self.subTest(processes=processes, program=name):
                    plan = json.loads(run(AXLE, "simulate", files[i], "--replicas", count, "--devices-per-process", devices,
                                          "--latency", "1us", "--bandwidth", "1GB/s", "--json"))["jobs"][0]
                    sizes = [sent[process][i] for process in range(processes)]
                    self.assertGreater(max(sizes), 0)
                    self.assertEqual(max(sizes), plan["collectives"][0]["sent_bytes"])
                    self.assertEqual(2 * sum(sizes), plan["links"][0]["bytes"])

    def test_two_processes(self):
        self.check(2, 3)

    def test_three_processes(self):
        self.check(3, 2)

    def test_four_processes(self):
        self.check(4, 2)


if __name__ == "__main__":
    if "AXLE_LIBRARY" not in os.environ:  # hundreds of processes
        print("skipped: no AXLE_LIBRARY; ctest sets it, but not with sanitizers")
        sys.exit(77)
    if not (BUILD / "lib" / "libaxle_gloo.so").exists():
        print("skipped: this build has no libaxle_gloo.so")
        sys.exit(77)
    unittest.main()
