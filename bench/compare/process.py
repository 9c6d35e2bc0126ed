"""One side of a comparison in a process of its own, which may hang or die."""

import json
import os
import pickle
import select
import subprocess
import sys
import tempfile
import time

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")


class Failure(Exception):
    """Why there is no answer; the text is for the row of a table."""


class Side:
    """A worker process with a configuration; it is started again after it hung or died.

    kind     "axle" or "xla"
    threads  how many of `cpus` it may use
    options  of the worker: engine and numerics, or mode
    """

    def __init__(self, kind, threads, cpus, options, environment=None, command=None):
        self.kind = kind
        own = ",".join(map(str, cpus[-threads:]))
        self._command = command or [sys.executable, WORKER, kind, str(threads), own, json.dumps(options)]
        self._again = kind, threads, cpus, options, environment, command
        self._environment = {**os.environ, **(environment or {})}
        self._process = self._errors = None

    @property
    def is_running(self):
        return self._process is not None

    def another(self):
        """A side of the same configuration, in a process of its own."""
        return Side(*self._again)

    def ask(self, name, *arguments, timeout):
        """What the worker's method returns. Failure if it raises, dies, or needs longer than `timeout` seconds."""
        if self._process is None:
            self._start()
        process = self._process
        deadline = time.monotonic() + timeout
        try:
            pickle.dump((name, arguments), process.stdin)
            process.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        if not select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            self.stop()
            raise Failure(f"{name}: no answer within {timeout:g} s")
        try:
            good, answer = pickle.load(process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise self._died() from None
        if not good:
            raise Failure(f"{name}: {' '.join(answer.split())[:300]}")
        return answer

    def _start(self):
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=self._environment
        )

    def _died(self):
        code = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read()[-2000:].decode(errors="replace").strip().splitlines()[-1:]
        self.stop()
        return Failure(f"the process ended with {code}" + (f": {last[0][:200]}" if last else ""))

    def stop(self):
        """Ends the process; the next request starts another one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout, self._errors):
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
        self._process = None

    def cpu_seconds(self):
        """Processor time that the process has used."""
        if self._process is None:
            return 0.0
        try:
            with open(f"/proc/{self._process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
