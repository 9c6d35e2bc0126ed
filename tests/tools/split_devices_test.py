#!/usr/bin/env python3
"""Random modules of several devices give the same bits in one process and over several.

    split_devices_test.py [--seed N] [--count N] [--processes P]    the tool is $AXLE_TOOL; a fresh seed by default

Draws modules with `axle gen` until there are COUNT of several devices, and runs each in one process and over up to P
processes, with native code and with the interpreter. The devices of a process follow each other, and the
processes have different numbers of them. Prints the command that repeats a failure.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PARTS = re.compile(r"(replica_count|num_partitions)=(\d+)")


def num_devices(text):
    count = 1
    for _, number in PARTS.findall(text.splitlines()[0]):
        count *= int(number)
    return count


def command(axle, module, folder, name, options):
    return [axle, "run", str(module), "--fake", "--output", f"{folder}/{name}_{{device}}.npz", "--quiet", *options]


def split(axle, module, folder, name, shares, engine):
    """Runs the module over processes that have so many devices each; the finished process."""
    words = " ".join(
        f"'{word}'" for word in command(axle, module, folder, name, ["--distributed", "gloo", "--engine", engine])
    )
    shell = f'set -- {" ".join(map(str, shares))}; shift $AXLE_PROCESS_ID; exec {words} --local-devices "$1"'
    launch = [axle, "launch", "-n", str(len(shares)), "--", "sh", "-c", shell]
    return subprocess.run(launch, capture_output=True, text=True, timeout=120, check=False)


def draw_shares(draw, devices, most):
    processes = draw.randint(2, min(devices, most))
    cuts = sorted(draw.sample(range(1, devices), processes - 1))
    return [end - begin for begin, end in zip([0, *cuts], [*cuts, devices])]


def check(axle, module, devices, shares, folder):
    """What is wrong with one module; "" if nothing is."""
    for engine in ("native", "interpret"):
        alone = command(axle, module, folder, "whole", ["--engine", engine])
        whole = subprocess.run(alone, capture_output=True, text=True, timeout=120, check=False)
        parts = split(axle, module, folder, engine, shares, engine)
        if (whole.returncode == 0) != (parts.returncode == 0):
            return f"{engine}: exit code {parts.returncode}, {whole.returncode} in one process:\n{parts.stderr}{whole.stderr}"
        for device in range(devices if whole.returncode == 0 else 0):
            one, other = (pathlib.Path(folder, f"{name}_{device}.npz").read_bytes() for name in ("whole", engine))
            if one != other:
                return f"{engine}: the results of device {device} differ"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--processes", type=int, default=4)
    options = parser.parse_args()
    axle = os.environ.get("AXLE_TOOL", "build/dev/bin/axle")
    if not list(pathlib.Path(axle).parent.parent.glob("lib/libaxle_gloo.so")):
        print("there is no libaxle_gloo.so")
        sys.exit(77)
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        generated = pathlib.Path(folder, "modules")
        found = []
        for first in range(0, 100 * options.count, 50):
            generate = ["gen", "--seed", str(options.seed), "--first", str(first), "--count", "50", "--output", generated]
            subprocess.run([axle, *generate], check=True, capture_output=True)
            names = (generated / f"gen_{options.seed}_{number}.hlo" for number in range(first, first + 50))
            found += [(path, devices) for path in names if (devices := num_devices(path.read_text())) > 1]
            if len(found) >= options.count:
                break
        found = found[: options.count]
        if len(found) < options.count:
            sys.exit(f"there are {len(found)} modules of several devices among {first + 50}")
        tasks = []
        for path, devices in found:
            own = pathlib.Path(folder, path.stem)
            own.mkdir()
            tasks.append((axle, path, devices, draw_shares(draw, devices, options.processes), own))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = list(pool.map(lambda task: check(*task), tasks))
        for task, what in zip(tasks, wrong):
            if what:
                print(f"{task[1].name}, {task[3]} devices in the processes: {what}")
        if any(wrong):
            sys.exit(f"repeat with: {sys.argv[0]} --seed {options.seed} --count {options.count}")
        print(f"{len(found)} modules, of 2 to {max(devices for _, devices in found)} devices: all bits are equal")


if __name__ == "__main__":
    main()
