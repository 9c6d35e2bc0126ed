#!/usr/bin/env python3
"""What `make demo-distributed` ends with: distributed_mlp.py on four processes of this machine. One of them is killed in
the middle; the others say so and end; the job is started again and goes on from the last checkpoint. The weights at the
end have the bits of a training in one process that nothing has disturbed.

usage: examples/demo_distributed.py BUILD_DIR [--steps N] [--processes N]
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parent



def command(options, folder, checkpoint, *arguments):
    return [
        sys.executable, str(EXAMPLES / "distributed_mlp.py"), "--steps", str(options.steps),
        "--every", str(options.every), "--checkpoint", str(folder / checkpoint), *arguments,
    ]  # fmt: skip


def start(options, arguments):
    """A process whose output is read line by line."""
    environment = {
        **os.environ,
        "AXLE_LIBRARY": str(options.build / "lib" / "libaxle.so"),
        "PYTHONPATH": os.pathsep.join([str(EXAMPLES.parent / "python"), os.environ.get("PYTHONPATH", "")]),
    }
    return subprocess.Popen(
        arguments, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=1
    )


def launch(options, folder, *arguments):
    tool = str(options.build / "bin" / "axle")
    job = command(options, folder, "job.npz", *arguments)
    print(f"\n$ axle launch -n {options.processes} -- python3 examples/distributed_mlp.py --steps {options.steps} "
          f"--every {options.every} --checkpoint checkpoint.npz", flush=True)  # fmt: skip
    return start(options, [tool, "launch", "-n", str(options.processes), "--", *job])


def check(condition, what):
    if not condition:
        sys.exit(f"demo-distributed: {what}")


def run_and_kill(options, folder):
    """The first half: one process is killed once the job is well beyond its first checkpoint."""
    pids, heard, last = {}, set(), options.processes - 1
    is_killed = False
    with launch(options, folder, "--pause", "0.02") as job:
        for line in job.stdout:
            print("  " + line, end="", flush=True)
            if found := re.search(r"process (\d+) of \d+ is (\d+)", line):
                pids[int(found[1])] = int(found[2])
            if re.search(rf"step +{2 * options.every} ", line) and not is_killed:
                is_killed = True
                print(f"\n  $ kill -9 {pids[last]}      # process {last}\n", flush=True)
                os.kill(pids[last], signal.SIGKILL)
            if re.search(rf"another process is gone: UNAVAILABLE: .*process {last} \(.*is lost", line):
                heard.add(line.split("another")[0])
    check(is_killed, "the job has ended before it came to its second checkpoint")
    check(job.returncode != 0, "the job has succeeded without one of its processes")
    check(len(heard) == options.processes - 1, f"{len(heard)} of the other processes have named the lost one")


def go_on(options, folder):
    with launch(options, folder) as job:
        lines = []
        for line in job.stdout:
            print("  " + line, end="", flush=True)
            lines.append(line)
    check(job.returncode == 0, "the second run of the job has failed")
    check(not any("from step 0" in line for line in lines), "the job has not started from its checkpoint")


def compare(options, folder):
    alone = start(options, command(options, folder, "alone.npz", "--devices", str(options.processes)))
    output, _ = alone.communicate()
    check(alone.returncode == 0, f"the training in one process has failed:\n{output}")
    with np.load(folder / "job.npz") as job, np.load(folder / "alone.npz") as one:
        check(job.files == one.files and all(job[name].tobytes() == one[name].tobytes() for name in job.files),
              "the weights differ from those of a training in one process")  # fmt: skip
    print("\nThe weights have the same bits as those of an undisturbed training in one process with "
          f"{options.processes} devices.")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description="A training that loses a process and goes on.")
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--processes", type=int, default=4)
    options = parser.parse_args()
    check(options.processes > 1, "one process has no others")
    check((options.build / "lib" / "libaxle_gloo.so").exists(),
          "this build has no libaxle_gloo.so, which needs libgloo-dev: scripts/deps.sh installs it")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        run_and_kill(options, pathlib.Path(folder))
        go_on(options, pathlib.Path(folder))
        compare(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
