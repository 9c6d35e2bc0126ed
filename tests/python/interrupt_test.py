#!/usr/bin/env python3
"""Ctrl-C ends a run, and the interpreter ends after fork and with a run under way."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import timeit
import unittest
import weakref

import axle_module  # noqa: F401  goes on in the Python that has numpy

import numpy as np  # isort: skip
import axle  # isort: skip
from axle import _calls  # isort: skip
from module_test import AXPY, LONG_LOOP  # isort: skip


SORT = """c {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT l = pred[] compare(x, y), direction=LT
}
ENTRY e {
  a = f32[20000000] parameter(0)
  ROOT s = f32[20000000] sort(a), dimensions={0}, to_apply=c
}
"""
DOT = """ENTRY e {
  a = f32[4000,4000] parameter(0)
  ROOT d = f32[4000,4000] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
# The promised seconds, and what a machine with other work on it may add.
SLACK = 1.5


def slow_to_compile():
    lines = [" x0 = f32[64] parameter(0)"]
    for i in range(60000):
        lines.append(f" x{i + 1} = f32[64] {'sine' if i % 2 else 'tanh'}(x{i})")
    return "ENTRY e {\n" + "\n".join(lines) + "\n}"


class Interrupts(unittest.TestCase):
    def assert_interrupted(self, within, delay, function, *arguments, **options):
        """Ctrl-C after `delay` ends the call in `within` seconds; False if it was over before."""
        sent = []

        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(delay, interrupt)
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                function(*arguments, **options)
                timer.cancel()
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - sent[0], within + SLACK)

    def test_run(self):
        exe = axle.compile(LONG_LOOP)
        self.assert_interrupted(0.2, 0.2, exe, 0, time_limit=60)
        self.assert_interrupted(0.2, 0.2, exe, 0)
        self.assertEqual(exe(10**12), 10**12)  # and it still works

    def test_run_on_buffers(self):
        exe = axle.compile(LONG_LOOP)
        zero = axle.put(np.int64(0))
        self.assert_interrupted(0.2, 0.2, exe.execute, zero)
        self.assertFalse(zero.is_deleted)
        self.assertEqual(exe.execute(axle.put(np.int64(10**12)))[0].numpy(), 10**12)

    def test_one_long_operation(self):
        for engine in ("native", "interpret"):
            exe = axle.compile(SORT, engine=engine)
            self.assert_interrupted(0.2, 0.2, exe, np.random.default_rng(1).random(20000000, np.float32))
            exe = axle.compile(DOT, engine=engine)
            self.assert_interrupted(0.2, 0.1, exe, np.ones((4000, 4000), np.float32))

    def test_compile(self):
        text = slow_to_compile()
        started = time.monotonic()
        axle.parse(text)
        reading = time.monotonic() - started
        for delay in (0.5 * reading, 1.5 * reading, 2.5 * reading):
            self.assert_interrupted(2, delay, axle.compile, text)
        self.assertEqual(axle.compile(LONG_LOOP)(10**12), 10**12)

    def test_other_signals(self):
        """What a handler raises ends the call, and a handler that does not raise leaves it alone."""

        class Alarm(Exception):
            pass

        def raise_alarm(*_):
            raise Alarm

        exe = axle.compile(LONG_LOOP)
        before = signal.signal(signal.SIGALRM, raise_alarm)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(Alarm):
                exe(0, time_limit=60)
            seen = []
            signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaisesRegex(axle.AxleError, "DEADLINE_EXCEEDED"):
                exe(0, time_limit=0.3)
            self.assertEqual(seen, [1])
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_short_runs_need_no_second_thread(self):
        exe = axle.compile(AXPY)
        x = np.ones(4, np.float32)
        buffers = axle.put(np.float32(2)), axle.put(x), axle.put(x)

        class NoWorker:
            def submit(self, *call):
                raise AssertionError("a short run was given to the second thread")

        before = _calls._worker
        _calls._worker = NoWorker()
        try:
            np.testing.assert_array_equal(exe(2, x, x), 3 * x)
            exe.execute(*buffers)
            with self.assertRaises(AssertionError):
                axle.Executable.__call__(exe, 2, x, x, time_limit=1)
        finally:
            _calls._worker = before
        best = min(timeit.repeat(lambda: exe(2.0, x, x), number=200, repeat=20)) / 200
        self.assertLess(best, 60e-6)  # 8 us for three arrays on a machine at rest; a second thread takes 100

    def test_quick_runs_need_no_second_thread(self):
        """The first run of a program with a loop goes to the second thread, and later ones do not, until one is long."""
        exe = axle.compile(LONG_LOOP)
        self.assertEqual(exe(10**12), 10**12)
        zero, all = axle.put(np.int64(0)), axle.put(np.int64(10**12))

        class NoWorker:
            def submit(self, *call):
                raise AssertionError("a quick run was given to the second thread")

        before = _calls._worker
        _calls._worker = NoWorker()
        try:
            self.assertEqual(exe(10**12), 10**12)
            self.assertEqual(exe.execute(all)[0].numpy(), 10**12)
            self.assert_interrupted(0.2, 0.2, exe.execute, zero)
            with self.assertRaisesRegex(AssertionError, "second thread"):
                exe(10**12)
        finally:
            _calls._worker = before
        self.assertEqual(exe(10**12), 10**12)
        best = min(timeit.repeat(lambda: exe.execute(all), number=200, repeat=20)) / 200
        self.assertLess(best, 40e-6)

    def test_signals_in_quick_runs(self):
        """As in test_other_signals, where the main thread runs the program itself, and with two signals at a time."""

        class Alarm(Exception):
            pass

        seen = []

        def handle(*_):
            seen.append(1)
            if len(seen) == 3:
                signal.setitimer(signal.ITIMER_REAL, 0)
                raise Alarm

        exe = axle.compile(LONG_LOOP)
        before = signal.signal(signal.SIGALRM, handle)
        try:
            for _ in range(3):
                seen.clear()
                self.assertEqual(exe(10**12), 10**12)
                self.assertEqual(exe(10**12), 10**12)
                signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)
                with self.assertRaises(Alarm):
                    exe(0)
                self.assertEqual(len(seen), 3)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_interrupted_while_it_begins(self):
        """A call that the main thread has left goes on with what it reads and writes, and is cancelled."""

        class InterruptedWorker:
            def submit(self, *call):
                self.call = call
                raise KeyboardInterrupt

        exe = axle.compile(AXPY)
        x = np.ones(4, np.float32)
        arguments = weakref.ref(x)
        worker, before = InterruptedWorker(), _calls._get_worker()
        _calls._worker = worker
        try:
            with self.assertRaises(KeyboardInterrupt):
                exe(np.float32(2), x, x, time_limit=60)
        finally:
            _calls._worker = before
        del x, exe
        gc.collect()
        self.assertIsNotNone(arguments())
        function, *rest = worker.call
        with self.assertRaisesRegex(axle.AxleError, "CANCELLED"):
            _calls.check(function(*rest))
        del worker.call, function, rest
        gc.collect()
        self.assertIsNone(arguments())

    def test_fork(self):
        exe = axle.compile(LONG_LOOP)
        self.assertEqual(exe(10**12), 10**12)
        child = os.fork()
        if child == 0:
            os._exit(0 if exe(10**12) == 10**12 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_end_of_the_interpreter(self):
        """A daemon thread that still runs a program does not keep the process."""
        program = (
            "import axle_module, threading, time, axle\n"
            "from module_test import LONG_LOOP\n"
            "exe = axle.compile(LONG_LOOP)\n"
            "threading.Thread(target=lambda: exe(0, time_limit=60), daemon=True).start()\n"
            "time.sleep(0.1)\n"
            "print('end')\n"
        )
        folder = os.path.dirname(os.path.abspath(__file__))
        ran = subprocess.run(
            [sys.executable, "-c", program], cwd=folder, env=dict(os.environ, PYTHONPATH=folder),
            capture_output=True, text=True, timeout=50,
        )
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("end\n", "", 0))


if __name__ == "__main__":
    unittest.main()
