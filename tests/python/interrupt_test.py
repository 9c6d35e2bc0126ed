#!/usr/bin/env python3
"""Ctrl-C ends a run, and the interpreter ends after fork and with a run under way."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

import axle_module  # noqa: F401  goes on in the Python that has numpy

import numpy as np  # isort: skip
import axle  # isort: skip
from axle import _calls  # isort: skip
from module_test import AXPY, LONG_LOOP  # isort: skip


class Interrupts(unittest.TestCase):
    def test_keyboard_interrupt(self):
        exe = axle.compile(LONG_LOOP)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            exe(0, time_limit=60)
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual(exe(10**12), 10**12)  # and it still works

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
