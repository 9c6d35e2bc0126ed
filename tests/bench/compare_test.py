#!/usr/bin/env python3
"""bench/compare_xla.py: its statistics on made-up timings, its processes when they fail, its table and chart."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "bench")]
import jaxlib_python  # noqa: E402

jaxlib_python.enter()

from compare import machine, process, programs, report, stats  # noqa: E402

COMMAND = [sys.executable, os.path.join(ROOT, "bench", "compare_xla.py")]


class MadeUp:
    """A side that takes `seconds` per call, and now and then up to twice as much; from the call `turn` on `later`."""

    def __init__(self, seconds, seed, later=None, turn=0):
        self.random = random.Random(seed)
        self.seconds, self.later, self.turn, self.samples, self.calls = seconds, later, turn, 0, []

    def __call__(self, calls):
        self.samples += 1
        self.calls.append(calls)
        base = self.later if self.later and self.samples > self.turn else self.seconds
        slow = self.random.random() < 0.3
        return calls * base * (1 + 0.005 * self.random.random() + (self.random.random() if slow else 0))


class Statistics(unittest.TestCase):
    def test_p20(self):
        self.assertEqual(stats.p20([5, 1, 2, 3, 4]), 2)
        self.assertEqual(stats.p20([7]), 7)
        self.assertEqual(stats.p20(list(range(15))), 3)

    def test_equal_sides_have_ratio_1(self):
        for seconds in (3e-6, 2e-4, 0.02):
            for seed in range(20):
                first, second = stats.interleave([MadeUp(seconds, seed), MadeUp(seconds, seed + 1000)], 15, 60)
                self.assertLess(abs(stats.p20(first) / stats.p20(second) - 1), 0.05)

    def test_ratio_is_found(self):
        ours, theirs = stats.interleave([MadeUp(1e-4, 1), MadeUp(3e-4, 2)], 15, 60)
        self.assertLess(abs(stats.p20(theirs) / stats.p20(ours) - 3), 0.05)

    def test_samples_take_5_ms(self):
        for seconds in (1e-7, 3e-5, 4e-3, 0.5):
            side = MadeUp(seconds, 1)
            times = stats.interleave([side], 15, 60)
            self.assertEqual(len(times[0]), 15)
            self.assertTrue(
                all(
                    calls * seconds >= 0.9 * stats.MIN_SECONDS or seconds > stats.MIN_SECONDS
                    for calls in side.calls[-15:]
                )
            )
            self.assertTrue(all(calls * seconds <= 2.5 * stats.MIN_SECONDS or calls == 1 for calls in side.calls))

    def test_budget_leaves_three_samples(self):
        side = MadeUp(2.0, 1)
        self.assertEqual(len(stats.interleave([side], 15, 1)[0]), 3)
        self.assertLess(len(stats.interleave([side], 15, 20)[0]), 15)

    def test_turns(self):
        order = []

        def side(name):
            return lambda n: order.append(name) or 0.01

        stats.interleave([side("a"), side("b")], 3, 60)
        self.assertEqual("".join(order), "aabb" + "ababab")

    def test_noise(self):
        for seed in range(20):
            steady = stats.interleave([MadeUp(1e-4, seed), MadeUp(3e-4, seed + 1000)], 15, 60)
            self.assertEqual(stats.noise(steady, 0.0), "")
        self.assertEqual(stats.drift([1.0] * 8 + [1.2] * 8), abs(1 / 1.2 - 1))
        self.assertEqual(stats.drift([1, 2, 3]), 0)
        self.assertEqual(stats.noise([[1.0] * 8 + [1.2] * 8], 0), "halves differ by 17%")
        self.assertEqual(stats.noise([[1.0] * 8], 0.5), "load of other processes 0.5")
        slower = stats.interleave([MadeUp(1e-4, 1, later=1.5e-4, turn=13)], 20, 60)
        self.assertIn("halves differ", stats.noise(slower, 0))

    def test_floor(self):
        self.assertAlmostEqual(stats.without_floor(9e-6, 6e-6), 3e-6)
        self.assertIsNone(stats.without_floor(6.5e-6, 6e-6))
        self.assertIsNone(stats.without_floor(5e-6, 6e-6))

    def test_scores(self):
        rows = [
            {"family": "E", "ratio": 2.0},
            {"family": "E", "ratio": 8.0},
            {"family": "T", "ratio": 1.0},
            {"family": "T"},
        ]
        means = stats.scores(rows)
        self.assertEqual({name: round(mean, 9) for name, mean in means.items()}, {"E": 4.0, "T": 1.0, "all": 2.0})
        self.assertEqual(stats.scores([]), {})


class Limits(unittest.TestCase):
    def test_the_larger_bound_counts(self):
        limits = machine.Limits(
            {
                "copy_gbps": {"16384": 400, "1048576": 100, "67108864": 20},
                "gflops": {"f32": 200},
                "read_gbps": {"16384": 300, "1048576": 200, "67108864": 10},
            }
        )
        self.assertEqual(limits.bandwidth(1000), 400e9)
        self.assertAlmostEqual(limits.bandwidth(2 << 20), 100e9)
        self.assertAlmostEqual(limits.bandwidth(1 << 18), 200e9)  # halfway between 2^15 and 2^21, by logarithms
        self.assertEqual(limits.bandwidth(1 << 30), 20e9)
        self.assertAlmostEqual(limits.bandwidth(1 << 20, mostly_read=True), 200e9)
        self.assertEqual(limits.bandwidth(1 << 30, mostly_read=True), 20e9)

        def program(inputs=(), **fields):
            return programs.Program(
                "X",
                "X",
                False,
                fields.get("flops", 0),
                fields.get("peak", "f32"),
                "close",
                list(inputs),
                [],
                fields["bytes"],
            )

        size = float(1 << 21)
        self.assertAlmostEqual(limits.seconds(program(bytes=size)), size / 100e9)
        self.assertAlmostEqual(limits.seconds(program(bytes=size, flops=2e9)), 1e-2)
        self.assertAlmostEqual(limits.seconds(program(bytes=size, flops=2e9, peak="none")), size / 100e9)
        read = limits.seconds(program(bytes=size, inputs=[["f32[524288]", "normal"]]))
        self.assertAlmostEqual(read, size / limits.bandwidth(size, mostly_read=True))
        self.assertLess(read, size / 100e9)

    def test_bench_limits(self):
        build = os.environ.get("AXLE_BINARY_DIR", "")
        if not os.path.exists(os.path.join(build, "bin", "bench_limits")):
            self.skipTest("there is no bench_limits in AXLE_BINARY_DIR")
        limits = machine.Limits.measure(build, [min(os.sched_getaffinity(0))])
        self.assertEqual(limits.measured["threads"], 1)
        self.assertGreater(limits.measured["gflops"]["f32"], limits.measured["gflops"]["f64"])
        self.assertGreater(limits.bandwidth(1 << 14), limits.bandwidth(1 << 26))
        self.assertGreater(limits.bandwidth(1 << 24, mostly_read=True), 1e8)

    def test_machine(self):
        self.assertIn("Model name", machine.describe())
        load = machine.OtherLoad([])
        self.assertGreaterEqual(load(), 0)


class Processes(unittest.TestCase):
    def side(self, body):
        """A worker that answers requests as `body` says."""
        code = (
            "import pickle, sys, time, os\nwhile True:\n name, arguments = pickle.load(sys.stdin.buffer)\n"
            f" {body}\n sys.stdout.buffer.flush()"
        )
        return process.Side("axle", 1, [0], {}, command=[sys.executable, "-c", code])

    def test_answers_and_errors(self):
        side = self.side("pickle.dump((name == 'good', ' '.join([name, *arguments])), sys.stdout.buffer)")
        self.assertEqual(side.ask("good", "a", "b", timeout=10), "good a b")
        with self.assertRaises(process.Failure) as caught:
            side.ask("bad", "news", timeout=10)
        self.assertEqual(str(caught.exception), "bad: bad news")
        self.assertEqual(side.ask("good", timeout=10), "good")
        side.stop()

    def test_hang_ends_and_the_next_request_starts_again(self):
        side = self.side("time.sleep(60 if name == 'hang' else 0); pickle.dump((True, os.getpid()), sys.stdout.buffer)")
        first = side.ask("pid", timeout=10)
        with self.assertRaises(process.Failure) as caught:
            side.ask("hang", timeout=0.3)
        self.assertEqual(str(caught.exception), "hang: no answer within 0.3 s")
        self.assertNotEqual(side.ask("pid", timeout=10), first)
        side.stop()

    def test_death(self):
        side = self.side("print('out of luck', file=sys.stderr, flush=True); os.kill(os.getpid(), 9)")
        with self.assertRaises(process.Failure) as caught:
            side.ask("die", timeout=10)
        self.assertEqual(str(caught.exception), f"the process ended with {-signal.SIGKILL}: out of luck")


def row(**fields):
    return {
        "id": "E1.128",
        "family": "E",
        "headline": True,
        "compile_only": False,
        "threads": 1,
        "numerics": "strict",
        "remarks": [],
        **fields,
    }


class Reports(unittest.TestCase):
    RESULT = {
        "machine": {"Model name": "Abacus", "CPU(s)": "2"},
        "versions": {"jaxlib": "1"},
        "date": "2026-01-01",
        "commit": "abc",
        "engine": "native",
        "limits": {"1": {"copy_gbps": {"16384": 400}, "gflops": {"f32": 200}}},
        "rows": [
            row(axle_ms=1.0, xla_ms=2.0, ratio=2.0, limit_share=0.5),
            row(id="E2", ratio=0.5, noisy="halves differ by 9%"),
            row(
                id="T1.<x>",
                family="T",
                headline=False,
                ratio=0.02,
                profile={
                    "outside_share": 0.25,
                    "steps": [
                        {"step": "loop add, sine", "share": 0.7, "roofline": 0.4123},
                        {"step": "sort sort", "share": 0.2, "roofline": None},
                        {"step": "move copy", "share": 0.05, "roofline": 0.9},
                    ],
                },
            ),
            row(id="D1", family="D", reason="axle: compile: no dot", remarks=["no dot"]),
        ],
    }

    def test_table(self):
        text = report.table(self.RESULT)
        self.assertRegex(text, r"\| E1.128\* \| 1 \| strict   \|    1.00 \|   2.00 \| 2.00x \|.* 50% \|")
        self.assertIn("headline set (1 rows), 1 threads, strict: E 2.00x, all 2.00x", text)
        self.assertIn("all programs (2 rows), 1 threads, strict: E 2.00x, T 0.02x, all 0.20x", text)
        self.assertIn(
            "headline set (2 rows), 1 threads, strict: E 1.00x, all 1.00x", report.table(self.RESULT, keep_noisy=True)
        )
        self.assertIn(
            "Below 1.00x: 2 of 3 rows\n* T1.<x>, 1 threads, strict: 0.02x; loop add, sine 70 % at 41 % of the roofline, "
            "sort sort 20 %, outside of steps 25 %\n* E2, 1 threads, strict: 0.50x\n",
            text,
        )
        self.assertIn("Without a ratio: 1 rows\n* D1, 1 threads, strict: axle: compile: no dot\n", text)

    def test_compile_lines(self):
        rows = [
            row(axle_compile_ms=2, xla_compile_ms=18, axle_compile_peak_mb=1, xla_compile_peak_mb=5),
            row(axle_compile_ms=40, xla_compile_ms=40, axle_compile_peak_mb=9, xla_compile_peak_mb=1),
            row(id="W7", axle_compile_ms=2, xla_compile_ms=1),
            row(axle_compile_ms=2),
        ]
        self.assertEqual(
            report.compile_lines(rows),
            [
                "Compilation, 1 threads, strict: XLA's time / Axle's 3.0x where XLA needs more than 10 ms (2 rows, geometric mean); "
                "Axle is slower on 1 of 3: W7; peak memory, XLA's / Axle's 5.0x where XLA takes more than 4 MiB (1 rows)"
            ],
        )
        self.assertEqual(report.compile_lines([]), [])

    def test_chart(self):
        tree = xml.etree.ElementTree.fromstring(report.chart(self.RESULT))
        texts = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("T: transcendental functions, geometric mean 0.02x", texts)
        self.assertIn("T1.<x> 1T strict", texts)
        self.assertEqual(len(list(tree.iter("{http://www.w3.org/2000/svg}rect"))), 1 + 2)

    def test_empty(self):
        empty = {**self.RESULT, "rows": [], "limits": {}}
        self.assertIn("none (no bench_limits)", report.table(empty))
        xml.etree.ElementTree.fromstring(report.chart(empty))


class Command(unittest.TestCase):
    def test_list_and_wrong_names(self):
        listed = subprocess.run([*COMMAND, "--list", "--only", "D1"], capture_output=True, text=True)
        self.assertEqual((listed.returncode, len(listed.stdout.splitlines())), (0, 6))
        wrong = subprocess.run([*COMMAND, "--only", "Z9"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (1, "compare: no such program; --list has them\n"))

    def test_a_small_comparison(self):
        """From the command to its files: a program that both sides run, and one that Axle's engine refuses or runs."""
        library = os.environ.get("AXLE_LIBRARY")
        if not library:
            self.skipTest("AXLE_LIBRARY is not set")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            build = os.path.dirname(os.path.dirname(library))
            run = subprocess.run(
                [
                    *COMMAND,
                    "--quick",
                    "--only",
                    "T1.exp.4096",
                    "D10.33x65x17",
                    "--engine",
                    "interpret",
                    "--samples",
                    "3",
                    "--keep-noisy",
                    "--retries",
                    "0",
                    "--build",
                    build,
                    "--json",
                    path,
                ],
                capture_output=True,
                text=True,
                timeout=120,
            )
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            with open(path) as file:
                rows = json.load(file)["rows"]
            self.assertEqual([r["id"] for r in rows], ["T1.exp.4096", "D10.33x65x17"])
            for r in rows:
                self.assertNotIn("reason", r)
                self.assertGreater(r["ratio"], 0)
                self.assertGreater(r["axle_ms"], 0)
                self.assertLess(r["max_error"], 1e-5)
                self.assertLess(r["xla_max_error"], 1e-5)
                if r["ratio"] < 0.5 and r["axle_ms"] > 0.02:  # not by chance, nor by the costs of calls
                    self.assertEqual(r["profile"]["steps"][0]["share"] > 0, True, r["profile"])
            self.assertEqual(sorted(os.listdir(folder)), ["out.json", "out.md", "out.svg"])


if __name__ == "__main__":
    unittest.main()
