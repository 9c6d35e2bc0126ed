#!/usr/bin/env python3
"""bench/compare_peers.py without its peers but NumPy: its rows, NumPy's results, its report, what replaces CUDA."""

import ast
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "bench"), os.path.join(ROOT, "python")]
import jaxlib_python  # noqa: E402

jaxlib_python.enter(("numpy", "ml_dtypes", "scipy"))

import numpy as np  # noqa: E402

from compare import programs  # noqa: E402
from peers import numpy_rows, onnx_rows, report, rows, without_cuda  # noqa: E402

COMMAND = [sys.executable, os.path.join(ROOT, "bench", "compare_peers.py")]


def torch_ids():
    """The keys of torch_rows.FUNCTIONS, without PyTorch."""
    with open(os.path.join(ROOT, "bench", "peers", "torch_rows.py")) as file:
        tree = ast.parse(file.read())
    (table,) = [n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "FUNCTIONS"]
    return [key.value for key in table.keys]


class Recorder:
    """A graph that only keeps which operands its nodes have."""

    def __init__(self):
        self.operands = set()

    def __getattr__(self, operation):
        def add(*operands, outputs=1, **attributes):
            for operand in operands:
                assert isinstance(operand, (str, list, np.ndarray, np.generic)), (operation, operand)
            self.operands |= {o for o in operands if isinstance(o, str)}
            names = [f"{operation}{len(self.operands)}.{i}" for i in range(outputs)]
            return names[0] if outputs == 1 else names

        return add


class Rows(unittest.TestCase):
    def test_sixty_kernels_and_six_models(self):
        self.assertEqual(len(rows.IDS), len(set(rows.IDS)))
        self.assertEqual(len(rows.ROWS["models"]), 6)
        self.assertEqual(len(rows.IDS) - 6, 60)

    def test_each_has_a_program_whose_results_can_be_compared(self):
        for id in rows.IDS:
            self.assertIn(programs.find(id).check, ("close", "exact"))

    def test_each_peer_has_a_function_or_a_reason(self):
        own = {"numpy": list(numpy_rows.FUNCTIONS), "torch": torch_ids(), "onnx": list(onnx_rows.FUNCTIONS)}
        for peer, ids in own.items():
            missing = rows.MISSING.get(peer, {})
            self.assertEqual(ids, [id for id in rows.IDS if id not in missing], peer)
            self.assertTrue(all(missing.values()))

    def test_strides_are_those_of_the_program(self):
        filters = sum(1 for shape, _ in programs.find("M2.n1").inputs if shape.count(",") == 3) - 1
        self.assertEqual((len(rows.resnet_strides()), rows.resnet_strides().count(2)), (filters, 7))

    def test_graphs_take_all_arguments(self):
        for id, function in onnx_rows.FUNCTIONS.items():
            graph = Recorder()
            names = [f"x{i}" for i in range(len(programs.find(id).inputs))]
            results = function(graph, *names)
            self.assertLessEqual(set(names), graph.operands, id)
            self.assertTrue(results)


class NumpyResults(unittest.TestCase):
    def test_they_are_those_of_axle(self):
        if not os.environ.get("AXLE_LIBRARY"):
            self.skipTest("AXLE_LIBRARY is not set")
        import axle

        for id in rows.IDS:
            with self.subTest(id):
                program = programs.find(id)
                arguments = program.arguments()
                got = numpy_rows.FUNCTIONS[id](*arguments)
                got = [np.asarray(r) for r in (got if isinstance(got, (tuple, list)) else [got])]
                executable = axle.compile(program.text())
                want = [r.numpy() for r in executable.execute(*map(axle.put, arguments))]
                self.assertEqual(programs.compare(program, got, want)[1], "")
                self.assertEqual(report.other_types(got, want), "")


def made_up(id, times, problems=None, noisy=""):
    seconds = {name: [time] * 5 for name, time in times.items()}
    return report.row(programs.find(id), rows.CATEGORY[id], 1, seconds, problems or {}, noisy)


class Reports(unittest.TestCase):
    RESULT = {
        "machine": {"Model name": "Abacus", "CPU(s)": "2"},
        "versions": {"numpy": "1"},
        "date": "2026-01-01",
        "commit": "abc",
        "threads": 1,
        "numerics": "strict",
        "peers": ["numpy", "onnx"],
        "rows": [
            made_up("D1.64", {"axle": 2e-3, "numpy": 1e-3, "onnx": 4e-3}),
            made_up("D1.512", {"axle": 1e-3, "numpy": 4e-3, "onnx": 2e-3}),
            made_up("E3", {"axle": 1e-3, "numpy": 0.96e-3}),
            made_up("L3.eigh.256", {"axle": 1e-3}, {"numpy": "not Axle's result: result 0"}),
            made_up("E4", {"axle": 2e-3, "numpy": 1e-3}, noisy="halves differ by 9%"),
        ],
    }

    def test_the_best_peer_counts(self):
        first, second, third, fourth, _ = self.RESULT["rows"]
        self.assertEqual((first["best"], first["ratio"]), ("numpy", 0.5))
        self.assertEqual((second["best"], second["ratio"]), ("onnx", 2.0))
        self.assertNotIn("ratio", fourth)
        self.assertEqual([r["id"] for r in report.behind(self.RESULT["rows"])], ["D1.64", "E4"])
        self.assertAlmostEqual(third["ratio"], 0.96)
        self.assertEqual(fourth["missing"], {"onnx": rows.MISSING["onnx"]["L3.eigh.256"]})

    def test_table(self):
        text = report.table(self.RESULT)
        self.assertRegex(text, r"\| D1.64 +\| +2.00 \| +1.00 \| +4.00 \| NumPy, SciPy +\| +0.50x \| +\|")
        self.assertRegex(text, r"\| L3.eigh.256 +\| +1.00 \| +– \| +– \| +\| +\| NumPy, SciPy: not Axle's result: result 0 +\|")
        self.assertIn("ratios: dot 1.00x, elementwise 0.96x, all 0.98x\n", text)
        self.assertIn("NumPy, SciPy: 1.24 times Axle's time in the geometric mean of 3 rows\n", text)
        self.assertIn("Behind the best peer by more than 5 %: 2 of 4 rows\n* D1.64: 0.50x, NumPy, SciPy\n", text)
        self.assertIn("A side failed or had another result: 1 rows\n* L3.eigh.256: NumPy, SciPy: not Axle's result", text)

    def test_chart(self):
        tree = xml.etree.ElementTree.fromstring(report.chart(self.RESULT))
        texts = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("dot, geometric mean 1.00x", texts)
        self.assertIn("D1.64 1T", texts)
        self.assertEqual(len(list(tree.iter("{http://www.w3.org/2000/svg}rect"))), 1 + 4)

    def test_other_types_are_told(self):
        one, two = np.ones(2, np.float32), np.ones(2)
        self.assertEqual(report.other_types([two], [one]), "result 0 has type float64, not float32")
        self.assertEqual(report.other_types([np.ones(2, np.int64)], [np.ones(2, np.int32)]), "")


class WithoutCuda(unittest.TestCase):
    def test_a_library_that_needs_others_can_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:

            def compile(name, code, *options):
                source = os.path.join(folder, name + ".c")
                with open(source, "w") as file:
                    file.write(code)
                path = os.path.join(folder, name)
                command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", path, source, *options]
                subprocess.run(command, check=True)
                return path

            script = os.path.join(folder, "map")
            with open(script, "w") as file:
                file.write("GPU_1 { global: *; };\n")
            first = compile("libgpu.so.1", "int launch(void) { return 0; }", f"-Wl,--version-script={script}")
            second = compile("libplain.so.2", "int plain(void) { return 0; }")
            user = "int launch(void), plain(void); int both(void) { return launch() * 1000 + plain(); }"
            path = compile("libuser.so", user, first, second, "-Wl,-rpath,$ORIGIN")
            os.remove(first)
            os.remove(second)
            with self.assertRaises(OSError):
                ctypes.CDLL(path)
            paths, names = without_cuda.closure(path, folder)
            self.assertEqual((paths, names), ([path], ["libgpu.so.1", "libplain.so.2"]))
            functions, owners = without_cuda.missing_functions(paths, names)
            self.assertEqual(functions, {"launch": "GPU_1", "plain": ""})
            without_cuda.write(folder, names, functions, owners)
            self.assertEqual(ctypes.CDLL(path).both(), 100 * 1000 + 100)
            self.assertEqual(without_cuda.closure(path, folder)[1], [])


class Command(unittest.TestCase):
    def run_it(self, *arguments):
        environment = {**os.environ, "AXLE_PEERS_VENV": os.path.join(ROOT, "build", "no-such-environment")}
        return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=environment)

    def test_list_and_what_is_wrong(self):
        listed = self.run_it("--list")
        self.assertEqual((listed.returncode, len(listed.stdout.splitlines())), (0, len(rows.IDS)))
        self.assertRegex(listed.stdout, r"\nL3.eigh.256 +linear algebra +without onnx\n")
        wrong = self.run_it("--only", "Z9")
        self.assertEqual((wrong.returncode, wrong.stderr), (1, "compare_peers: no such row; --list has them\n"))
        missing = self.run_it("--only", "D1.64")
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stderr, "there is no .*no-such-environment; make it: scripts/deps.sh --peers\n")


if __name__ == "__main__":
    unittest.main()
