"""The two sides: Axle through `axle batch`, XLA:CPU through a process of its own (xla_worker.py),
which may abort without taking the comparison with it."""

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy as np

from element_types import from_file, to_file

HERE = os.path.dirname(os.path.abspath(__file__))
# How long XLA may take for one program, at the first and at the second try; it takes seconds.
ANSWER_SECONDS = (30, 200)
# XLA:CPU writes beyond arrays of these, and its process may abort or hang on that program or on a later one.
TWO_BITS = re.compile(r"\b[su]2\[")
LEAF = re.compile(r"([a-z][a-z0-9]*)\[([0-9,<=]*)\]")


class Refused(Exception):
    """A side did not take the program. `code`: the exit code of axle, or the stage in XLA."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Ended(Exception):
    """XLA's process ended instead of answering."""

    def __init__(self, code):
        super().__init__()
        self.code = code


class Axle:
    """An `axle batch` process."""

    def __init__(self, tool, engine="interpret"):
        self.tool = tool
        self.engine = engine
        self.folder = tempfile.mkdtemp(
            prefix="axle-diff-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None
        )
        self.process = None

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _ask(self, requests):
        if self.process is None:
            command = [self.tool, "batch", "--time-limit=20", "--mem-limit=1G", f"--engine={self.engine}"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        answers = []
        for request in requests:
            try:
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
                line = self.process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if not line:
                code = self.process.wait()
                self.process = None
                raise Refused(70, f"axle ended with {code} on {request}")
            answers.append(json.loads(line))
        return answers

    def _path(self, name):
        return os.path.join(self.folder, name)

    def print(self, text):
        """The module as Axle prints it, shapes inferred."""
        path, out = self._path("module.hlo"), self._path("printed.hlo")
        with open(path, "w") as file:
            file.write(text)
        (answer,) = self._ask([{"verb": "print", "file": path, "output": out}])
        if answer["exit"] != 0:
            raise Refused(answer["exit"], answer["message"])
        with open(out) as file:
            return file.read()

    def run(self, text, argument_lists):
        """The leaves of the result for each argument list."""
        path = self._path("module.hlo")
        with open(path, "w") as file:
            file.write(text)
        types = [name for name, _ in LEAF.findall(result_shape(text))]
        requests = []
        for i, arguments in enumerate(argument_lists):
            inputs, output = self._path(f"in_{i}.npz"), self._path(f"out_{i}.npz")
            save_inputs(inputs, arguments)
            requests.append({"verb": "run", "file": path, "inputs": inputs, "output": output})
        results = []
        for i, answer in enumerate(self._ask(requests)):
            if answer["exit"] != 0:
                raise Refused(answer["exit"], answer["message"])
            with np.load(self._path(f"out_{i}.npz")) as npz:
                results.append([from_file(npz[f"out_{k}"], t) for k, t in enumerate(types)])
        return results


def save_inputs(path, arguments):
    np.savez(path, **{f"in_{k}": to_file(a) for k, a in enumerate(arguments)})


def result_shape(text):
    """The shape of the entry's root, from printed text."""
    entry = text[text.index("\nENTRY ") :]
    root = re.search(r"\n *ROOT %?[^ ]+ = (.*)", entry).group(1)
    if not root.startswith("("):
        return root.split(" ")[0]
    depth = 0
    for i, c in enumerate(root):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return root[: i + 1]
    return root


class Xla:
    """XLA:CPU in a process of its own, started again when it aborts. Programs with 2-bit integers have another one."""

    def __init__(self, options, is_for_two_bits=False):
        self.options = options
        self.process = None
        self.two_bits = None if is_for_two_bits else Xla(options, is_for_two_bits=True)

    def close(self):
        if self.two_bits is not None:
            self.two_bits.close()
        if self.process is not None:
            limit = threading.Timer(ANSWER_SECONDS[0], self.process.kill)
            limit.start()
            self.process.stdin.close()
            self.process.wait()
            limit.cancel()

    def run(self, text, argument_lists):
        """Results of one program. If XLA's process ends or does not answer, another one tries: one has aborted, and one
        has run in circles where it looks up element types, on programs that XLA runs every other time."""
        if self.two_bits is not None and TWO_BITS.search(text):
            return self.two_bits.run(text, argument_lists)
        try:
            return self._run(text, argument_lists, ANSWER_SECONDS[0])
        except Ended:
            pass
        try:
            return self._run(text, argument_lists, ANSWER_SECONDS[1 if self.two_bits is not None else 0])
        except Ended as ended:
            raise Refused("abort", f"XLA's process ended with {ended.code}") from None

    def _run(self, text, argument_lists, seconds):
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, os.path.join(HERE, "xla_worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if os.environ.get("AXLE_DIFF_VERBOSE") else subprocess.DEVNULL,
            )
        limit = threading.Timer(seconds, self.process.kill)
        try:
            pickle.dump((text, argument_lists, self.options), self.process.stdin)
            self.process.stdin.flush()
            limit.start()
            answer = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = self.process.wait()
            self.process = None
            raise Ended(code) from None
        finally:
            limit.cancel()
        if isinstance(answer, tuple):
            raise Refused(*answer)
        return answer
