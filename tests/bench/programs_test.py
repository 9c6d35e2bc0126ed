#!/usr/bin/env python3
"""bench/programs/ and bench/breadth/: the manifests fit their files, and every program parses."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "bench")]
import jaxlib_python  # noqa: E402

jaxlib_python.enter(("numpy", "ml_dtypes"))

import numpy as np  # noqa: E402

from compare import programs  # noqa: E402

MAX_FILE_BYTES, MAX_BYTES = 400_000, 2_500_000
MIN_BREADTH = 400


def parameters_of(text):
    """The shapes of the entry's parameters, in order."""
    entry = re.search(r"^ENTRY .*?^\}", text, re.M | re.S).group(0)
    found = re.findall(r"= (\w+\[[\d,]*\])(?:\{[\d,]*\})? parameter\((\d+)\)", entry)
    return [shape for shape, _ in sorted(found, key=lambda f: int(f[1]))]


def parse(*arguments, **more):
    command = [os.environ["AXLE_TOOL"], "parse", "-q", "--time-limit", "60", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **more)


def all_programs():
    return [p for suite in programs.SUITES for p in programs.load(suite)]


class Manifest(unittest.TestCase):
    def setUp(self):
        self.programs = all_programs()

    def test_ids_and_families(self):
        ids = [p.id for p in self.programs]
        self.assertEqual(len(ids), len(set(ids)))
        for suite in programs.SUITES.values():
            own = programs.load(suite.name)
            self.assertEqual({p.family for p in own}, set(suite.families))
            for p in own:
                self.assertEqual(p.family, suite.family_of(p.id))
                self.assertTrue(p.id.startswith(p.family))
        self.assertEqual(programs.find("index.table").suite, "breadth")
        self.assertEqual(programs.find("E1.128").suite, "programs")

    def test_breadth_is_broad(self):
        self.assertGreaterEqual(len(programs.load("breadth")), MIN_BREADTH)

    def test_the_headline_set_has_all_its_rows(self):
        rows = {p.id.split(".")[0] for p in self.programs if p.headline}
        expected = (
            "E1 E2 E3 E5 E7 T1 T2 T3 R1 R2 R4 N1 N2 N3 N4 N5 D1 D2 D3 D4 D5 D8 D9 C1 C2 C3 G1 G3 G4 G5 G6 L1 L3 "
            "W1 W2 W3 W5 W6 M1 M2 M3 M4 K1"
        )
        self.assertEqual(rows, set(expected.split()))

    def test_files(self):
        for suite in programs.SUITES.values():
            files = set(os.listdir(suite.folder)) - {os.path.basename(suite.manifest)}
            self.assertEqual(files, {p.file for p in programs.load(suite.name) if p.file})
            sizes = [os.path.getsize(os.path.join(suite.folder, f)) for f in files]
            self.assertLess(max(sizes), MAX_FILE_BYTES)
            self.assertLess(sum(sizes), MAX_BYTES)

    def test_fields(self):
        for p in self.programs:
            with self.subTest(p.id):
                self.assertNotEqual(bool(p.file), bool(p.generator))
                self.assertIn(p.peak, programs.PEAKS)
                self.assertIn(p.check, programs.CHECKS)
                self.assertGreater(p.bytes, 0)
                self.assertGreaterEqual(p.flops, 0)

    def test_inputs_are_those_of_the_text(self):
        for p in self.programs:
            with self.subTest(p.id):
                self.assertEqual([shape for shape, _ in p.inputs], parameters_of(p.text()))

    def test_donated_arguments_are_those_of_the_text(self):
        for p in self.programs:
            with self.subTest(p.id):
                alias = re.search(r"input_output_alias=\{(.*?)\}, entry", p.text().splitlines()[0])
                aliased = sorted(int(n) for n in re.findall(r": \((\d+), \{\}", alias.group(1))) if alias else []
                self.assertEqual(p.donated, aliased)

    def test_select(self):
        self.assertEqual([p.id for p in programs.select(self.programs, ["E1"])], ["E1.128", "E1.1024", "E1.16384"])
        self.assertEqual([p.id for p in programs.select(self.programs, ["E1.128", "T2"], "T")], ["T2"])
        self.assertTrue(all(p.headline for p in programs.select(self.programs, headline=True)))


class Inputs(unittest.TestCase):
    def test_same_arrays_at_every_call(self):
        program = programs.select(programs.load(), ["D1.64"])[0]
        for first, second in zip(program.arguments(), program.arguments()):
            np.testing.assert_array_equal(first, second)

    def test_fills(self):
        generator = np.random.default_rng(1)
        kinds = {how.split("(")[0].split("*")[0] for p in all_programs() for _, how in p.inputs}
        self.assertEqual(kinds, {"normal", "uniform", "integers", "permutation", "positive_definite"})
        integers = programs.fill("s32[1000]", "integers(3,9)", generator)
        self.assertEqual((integers.dtype, integers.min(), integers.max()), (np.int32, 3, 8))
        uniform = programs.fill("bf16[1000]", "uniform(1,2)", generator).astype(np.float32)
        self.assertTrue(1 <= uniform.min() and uniform.max() <= 2)
        self.assertEqual(sorted(programs.fill("s32[50]", "permutation", generator)), list(range(50)))
        self.assertGreater(np.linalg.eigvalsh(programs.fill("f32[8,8]", "positive_definite", generator)).min(), 0.9)
        self.assertEqual(programs.fill("f32[]", "uniform(4,4)", generator), 4)
        self.assertLess(abs(programs.fill("f64[4000]", "normal*0.5", generator).std() - 0.5), 0.05)

    def test_no_subnormal_numbers(self):
        for p in programs.select(programs.load(), ["E2", "E8", "N4", "T4.exp.f64"]):
            for array in p.arguments():
                parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
                for part in parts:
                    sizes = np.abs(part.astype(np.float64))
                    self.assertFalse(((sizes > 0) & (sizes < 1e-37)).any())


class Texts(unittest.TestCase):
    def test_every_program_parses(self):
        files = [os.path.join(programs.SUITES[p.suite].folder, p.file) for p in all_programs() if p.file]
        result = parse(*files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_generated_programs_parse(self):
        for p in programs.load():
            if p.generator:
                result = parse("-", input=p.text())
                self.assertEqual((result.returncode, result.stderr), (0, ""), p.id)


class Compare(unittest.TestCase):
    def program(self, **fields):
        return programs.Program("T0", "T", False, 0, "f32", fields.pop("check", "close"), [], [], 1, **fields)

    def test_errors(self):
        want = [np.array([1, -4], np.float32)]
        error, wrong = programs.compare(self.program(), [np.array([1, -4.00001], np.float32)], want)
        self.assertLess(abs(error - 2.5e-6), 2e-7)
        self.assertEqual(wrong, "")
        error, wrong = programs.compare(self.program(), [np.array([1, -5], np.float32)], want)
        self.assertEqual((error, wrong), (0.25, "result 0 is off by 0.25 of its largest number, more than 2e-05"))
        self.assertEqual(
            programs.compare(self.program(tolerance=0.3), [np.array([1, -5], np.float32)], want), (0.25, "")
        )
        self.assertEqual(
            programs.compare(self.program(check="absolute"), [np.array([-1, 4], np.float32)], want), (0, "")
        )
        self.assertNotEqual(
            programs.compare(self.program(check="exact"), [np.array([1, -4.00001], np.float32)], want)[1], ""
        )

    def test_special_values(self):
        nan = [np.array([np.nan, np.inf, 1], np.float32)]
        self.assertEqual(programs.compare(self.program(), nan, nan), (0, ""))
        error, wrong = programs.compare(self.program(), [np.array([1, np.inf, 1], np.float32)], nan)
        self.assertEqual(error, np.inf)
        self.assertIn("result 0 is off by inf", wrong)

    def test_integers_counts_and_shapes(self):
        ones = [np.ones(3, np.int32)]
        self.assertEqual(
            programs.compare(self.program(), [np.array([1, 2, 3], np.int32)], ones)[1],
            "result 0 differs in 2 of 3 places",
        )
        self.assertEqual(programs.compare(self.program(), [], ones), (None, "0 results, not 1"))
        self.assertEqual(
            programs.compare(self.program(), [np.ones(4, np.int32)], ones)[1], "result 0 has shape (4,), not (3,)"
        )
        self.assertEqual(
            programs.compare(self.program(outputs=[1]), [np.zeros(1, np.int32), ones[0]], [ones[0][:1], ones[0]]),
            (0, ""),
        )


if __name__ == "__main__":
    unittest.main()
