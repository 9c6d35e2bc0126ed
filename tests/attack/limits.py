#!/usr/bin/env python3
"""Runs programs of hostile shapes and checks that limits mean what they say.

    limits.py AXLE [--size BYTES] [--limit SECONDS] [--memory BYTES] [--seed S] [--part I/N] [--only SHAPE] [--long] [-v]

Each program (shapes.py) is run natively under a time limit and a memory limit. It has to end within the time limit and
two seconds more, with a result, or with the message of a limit; a result is there within the limit; nothing crashes,
and nothing takes more memory than it may. --long takes texts of 1 MiB and 8 s, as users would; without it all of it is
smaller, so that the whole takes a minute. A fresh seed is drawn unless one is given; the line of a failure repeats it.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shapes  # noqa: E402

GRACE = 2.0  # seconds beyond the limit, until the process is gone
HANG = 20.0  # then it is killed
YES, INVALID, LIMIT, UNSUPPORTED = 0, 3, 4, 5


def run(tool, path, limit, memory):
    """(exit code or -signal, seconds, stdout, stderr, peak bytes, seconds of processors)"""
    command = [tool, "run", path, "--fake", "--json", f"--time-limit={limit}", f"--mem-limit={memory}", "--quiet"]
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        usage = None
        while usage is None:
            pid, status, usage_now = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                usage = usage_now
                break
            if time.monotonic() - begin > limit + HANG:
                process.send_signal(signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.005)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, seconds, out.read(), err.read().decode(errors="replace"), usage.ru_maxrss * 1024, (
            usage.ru_utime + usage.ru_stime
        )


def problem(result, limit, memory):
    """What is wrong with the result of run(), or ""."""
    code, seconds, out, err, peak, cpu = result
    # A process that got less processor time than it may take was not late by itself: others had the processors.
    late = seconds > limit + GRACE and cpu > limit + GRACE
    hung = seconds > limit + HANG  # killed by run()
    if code < 0 and (code != -signal.SIGKILL or late or hung):
        return f"ended with signal {-code} after {seconds:.1f} s"
    if code < 0:
        return ""
    if late:
        return f"exit {code} after {seconds:.1f} s, beyond the limit of {limit} s"
    if peak > memory + (256 << 20):  # the code of the process itself, and what it maps
        return f"took {peak >> 20} MiB, beyond the limit of {memory >> 20} MiB"
    if code == YES:
        report = json.loads(out)["seconds"]
        taken = report["compile"] + sum(report["runs"])
        return f"a result after {taken:.2f} s of {limit} s" if taken > limit + 0.2 else ""
    if code == LIMIT and ("limit" in err):
        return ""
    if code == UNSUPPORTED and err.startswith("UNIMPLEMENTED"):
        return ""
    return f"exit {code}: {err[:300]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--size", type=int, default=320 << 10)
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--memory", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--only")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if options.long:
        options.size, options.limit, options.memory = 1 << 20, 8.0, 4 << 30
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "little")
    print(f"seed {seed}")
    part, parts = map(int, options.part.split("/"))
    names = [options.only] if options.only else list(shapes.SHAPES)[part - 1 :: parts]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failures = 0
    for name in names:
        text = shapes.text(name, options.size, seed)
        with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
            file.write(text)
            file.flush()
            result = run(options.tool, file.name, options.limit, options.memory)
        wrong = problem(result, options.limit, options.memory)
        if options.verbose or wrong:
            code, seconds, _, _, peak, cpu = result
            print(
                f"{name}: {len(text)} bytes, exit {code}, {seconds:.2f} s ({cpu:.2f} s), {peak >> 20} MiB", flush=True
            )
        if wrong:
            failures += 1
            print(
                f"  {wrong}\n  repro: tests/attack/limits.py {options.tool} --only {name} --seed {seed} "
                f"--size {options.size} --limit {options.limit} --memory {options.memory}",
                flush=True,
            )
    print(f"{len(names)} shapes, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
