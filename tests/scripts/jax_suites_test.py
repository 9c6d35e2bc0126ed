#!/usr/bin/env python3
"""scripts/jax_suites.py with a program in the place of pytest, which writes what scripts/jax_suite_plugin.py would."""
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import jax_suites  # noqa: E402

# `python -m pytest ... --pyargs SUITE`: what it does is the text `act` of the test.
PYTEST = """#!{python}
import json, os, sys, time
suite = sys.argv[-1]
platform = "axle" if os.environ.get("AXLE_AS_CPU") == "1" else "xla"
path = os.environ["AXLE_SUITE_LOG"]
seen = open(path).read() if os.path.exists(path) else ""
def write(**entry):
    with open(path, "a") as file:
        file.write(json.dumps(entry) + "\\n")
def test(name, outcome="passed", why=""):
    write(start=name)
    write(end=name, outcome=outcome, why=why)
def end(ran_on=None):
    write(end="", platform=ran_on or {{"axle": "axle 0.1.0", "xla": "cpu"}}[platform])
{act}
"""


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_suites(self, act, *arguments):
        """Exit status, stdout and stderr."""
        python = self.folder / "python"
        python.write_text(PYTEST.format(python=sys.executable, act=textwrap.dedent(act)))
        python.chmod(0o755)
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "jax_suites.py", "--python", python, "--results", self.folder / "results",
             *arguments],
            capture_output=True, text=True, env={name: value for name, value in os.environ.items() if name != "JAX_TESTS"},
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def row(self, out, suite):
        """The numbers of a suite in the table."""
        return next(line.split()[1:] for line in out.splitlines() if line.startswith(f"{suite} ") and " on " not in line)

    def test_all_pass(self):
        code, out, err = self.run_suites("test('a'); test('b', 'skipped'); end()", "--least", "1", "chex", "optax")
        self.assertEqual((code, err), (0, ""), out)
        self.assertEqual(self.row(out, "chex"), ["1", "1", "100.00%", "0"])
        self.assertEqual(self.row(out, "all"), ["2", "2", "100.00%", "0"])

    def test_what_fails_on_axle_alone(self):
        act = """
            test('a'); test('both', 'failed', 'old')
            test('b', *(('failed', 'wrong value') if platform == 'axle' else ()))
            if platform == 'xla': test('c')
            end()
            sys.exit(1)
        """
        code, out, _ = self.run_suites(act, "--least", "1", "chex")
        self.assertEqual(code, 1)
        self.assertEqual(self.row(out, "chex"), ["3", "1", "33.33%", "0"])
        self.assertIn("1 x failed: wrong value\n    chex: b\n1 x missing: it did not run\n    chex: c\n", out)

    def test_what_is_known(self):
        name, reason = next(iter(jax_suites.KNOWN.items()))
        suite, test = name.split(": ")
        act = f"""
            test('a')
            test({test!r}, 'failed' if platform == 'axle' else 'passed')
            test('b', 'failed' if platform == 'axle' and 'chex' == suite else 'passed')
            end()
        """
        code, out, _ = self.run_suites(act, "--least", "1", suite)
        self.assertEqual(code, 0, out)
        self.assertEqual(self.row(out, suite), ["3", "2", "66.67%", "0"])
        self.assertIn(f"1 x known: {reason}\n    {name}\n", out)
        # In another suite it is not known, and beside another failure it does not help.
        self.assertEqual(self.run_suites(act, "--least", "1", suite, "chex")[0], 1)

    def test_no_test_passes(self):
        self.assertEqual(self.run_suites("test('a', 'failed'); end(); sys.exit(1)", "--least", "1", "chex")[0], 1)

    def test_an_end_that_nobody_knows(self):
        code, out, _ = self.run_suites("sys.exit(4)", "--least", "1", "chex")
        self.assertEqual(code, 1)
        self.assertIn("chex on axle: 1 crash", out)

    def test_a_crash_is_a_failure_and_the_rest_runs(self):
        act = """
            if platform == 'axle' and '"b"' not in seen:
                write(start='b')
                os.abort()
            if platform == 'axle':
                write(end='b', outcome='crash', why='the process ended')
            else:
                test('b')
            test('a')
            end()
        """
        code, out, _ = self.run_suites(act, "--least", "1", "chex")
        self.assertEqual(code, 1)
        self.assertEqual(self.row(out, "chex"), ["2", "1", "50.00%", "1"])

    def test_a_side_on_the_wrong_platform(self):
        code, _, err = self.run_suites("test('a'); end('cpu')", "chex")
        self.assertEqual(code, 1)
        self.assertEqual(err, 'jax_suites: chex: the side of axle ran on "cpu"\n')
        code, _, err = self.run_suites("test('a'); end('axle 0.1.0')", "--fresh", "chex")
        self.assertEqual(code, 1)
        self.assertEqual(err, 'jax_suites: chex: the side of xla ran on "axle 0.1.0"\n')

    def test_time_that_is_over(self):
        # Each side comes to a test that the other one does not reach: neither counts.
        act = """
            assert os.environ["AXLE_SUITE_SEED"] == "7"
            test('a'); test('b')
            test('c' if platform == 'axle' else 'd')
            end()
            time.sleep(max(0, float(os.environ["AXLE_SUITE_UNTIL"]) - time.time()))
            sys.exit(2)
        """
        code, out, err = self.run_suites(act, "--seconds", "1", "--seed", "7", "--least", "1", "chex")
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn("order of tests: --seed 7\n", out)
        self.assertEqual(self.row(out, "chex")[:4], ["2", "2", "100.00%", "0"])
        self.assertIn("of the tests that both came to", out)
        # Another call goes on, and ends the suites.
        code, out, _ = self.run_suites("test('d' if platform == 'axle' else 'c'); end()", "--least", "1", "chex")
        self.assertEqual(code, 0)
        self.assertEqual(self.row(out, "chex"), ["4", "4", "100.00%", "0"])

    def test_a_failure_within_the_time(self):
        act = """
            test('a', *(('failed', 'wrong value') if platform == 'axle' else ()))
            end()
            time.sleep(max(0, float(os.environ["AXLE_SUITE_UNTIL"]) - time.time()))
            sys.exit(2)
        """
        code, out, _ = self.run_suites(act, "--seconds", "1", "--least", "1", "chex")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"^order of tests: --seed \d+\n")
        self.assertIn("1 x failed: wrong value\n    chex: a\n", out)

    def test_failing_alone(self):
        act = """
            if platform == 'axle':
                test('a'); test('b', 'failed', 'wrong value'); test('c', 'skipped')
            else:
                for name in json.load(open(os.environ["AXLE_SUITE_ONLY"])): test(name)
            end()
        """
        code, out, err = self.run_suites(act, "--failing", "chex")
        self.assertEqual((code, err), (0, ""), out)
        self.assertEqual(self.row(out, "chex")[:2], ["2", "0"])
        self.assertIn("chex: b\n", out)
        # What is missing on XLA:CPU runs when it is asked for.
        code, out, _ = self.run_suites("test('a'); end()", "chex")
        self.assertEqual(self.row(out, "chex"), ["3", "1", "33.33%", "0"])

    def test_failing_within_seconds_is_refused(self):
        code, _, err = self.run_suites("end()", "--failing", "--seconds", "1", "chex")
        self.assertEqual(code, 2)
        self.assertIn("error: --failing needs all of Axle's results: not with --seconds\n", err)

    def test_no_deadline_unless_asked(self):
        act = """
            assert (os.environ["AXLE_SUITE_UNTIL"], os.environ["AXLE_SUITE_SEED"]) == ("", "")
            test('a'); end()
        """
        self.assertEqual(self.run_suites(act, "--least", "1", "chex")[0], 0)


class Deadlines(unittest.TestCase):
    def test_suites_share_what_is_left(self):
        now = 1000
        deadlines = jax_suites.Deadlines(300, ["a", "b", "c"], clock=lambda: now)
        self.assertEqual(deadlines.of("a"), 1100)
        now = 1040  # the first one took less
        self.assertEqual(deadlines.of("b"), 1170)
        self.assertEqual(deadlines.of("a"), 1100)
        self.assertFalse(deadlines.is_over("b"))
        now = 1170
        self.assertTrue(deadlines.is_over("b"))
        self.assertEqual(deadlines.of("c"), 1300)

    def test_none(self):
        deadlines = jax_suites.Deadlines(None, ["a"])
        self.assertIsNone(deadlines.of("a"))
        self.assertFalse(deadlines.is_over("a"))


class Plugin(unittest.TestCase):
    """scripts/jax_suite_plugin.py, called as pytest would."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name) / "log"

    def plugin(self, **environment):
        environment = {"AXLE_SUITE_LOG": str(self.log), **environment}
        for name in [name for name in os.environ if name.startswith("AXLE_SUITE_")]:
            del os.environ[name]
        os.environ.update(environment)
        self.addCleanup(lambda: [os.environ.pop(name, None) for name in environment])
        sys.modules.pop("jax_suite_plugin", None)
        return importlib.import_module("jax_suite_plugin")

    def order(self, names, **environment):
        items = [types.SimpleNamespace(nodeid=name) for name in names]
        config = types.SimpleNamespace(hook=types.SimpleNamespace(pytest_deselected=lambda items: None))
        self.plugin(**environment).pytest_collection_modifyitems(config, items)
        return [item.nodeid for item in items]

    def test_order(self):
        names = [f"t{i}" for i in range(20)]
        self.assertEqual(self.order(names), names)
        drawn = self.order(names, AXLE_SUITE_SEED="1")
        self.assertCountEqual(drawn, names)
        self.assertNotEqual(drawn, names)
        self.assertNotEqual(self.order(names, AXLE_SUITE_SEED="2"), drawn)
        # The other side has come further; what is left has the same order.
        self.log.write_text("".join(f'{{"start": "{name}"}}\n{{"end": "{name}"}}\n' for name in names[:5]))
        rest = [name for name in drawn if name not in names[:5]]
        self.assertEqual(self.order(names, AXLE_SUITE_SEED="1"), rest)

    def test_only(self):
        only = self.log.with_suffix(".only")
        only.write_text('["b", "c"]')
        self.log.write_text('{"start": "c"}\n{"end": "c"}\n')
        self.assertEqual(self.order(["a", "b", "c"], AXLE_SUITE_ONLY=str(only)), ["b"])

    def test_a_test_without_an_end_is_a_crash(self):
        self.log.write_text('{"start": "a"}\n')
        self.assertEqual(self.order(["a", "b"]), ["b"])
        self.assertIn('{"end": "a", "outcome": "crash", "why": "the process ended, or the test took too long"}\n',
                      self.log.read_text())

    def test_time(self):
        for until, stop in (("", False), (str(time.time() + 1000), False), (str(time.time() - 1), "the time is over")):
            item = types.SimpleNamespace(session=types.SimpleNamespace(shouldstop=False))
            self.plugin(AXLE_SUITE_UNTIL=until).pytest_runtest_teardown(item, None)
            self.assertEqual(item.session.shouldstop, stop)


if __name__ == "__main__":
    unittest.main()
