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

# Messages that go in parts and in pieces, which drawn modules are too small for.
LARGE = """HloModule large, replica_count=6
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
sum16 { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] subtract(a, b) ROOT r = f32[] multiply(c, b) }
cond { s = (s32[], f32[700000]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[700000]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1)
  j = s32[] add(i, one) x = f32[700000] get-tuple-element(s), index=1
  r = f32[700000] all-reduce(x), replica_groups={{4,0,1,5,2,3}}, to_apply=sum ROOT t = (s32[], f32[700000]) tuple(j, r) }
ENTRY e {
  x = f32[700000] parameter(0) y = bf16[90001] parameter(1) z = f32[5,6,333] parameter(2)
  zero = s32[] constant(0) s = (s32[], f32[700000]) tuple(zero, x) w = (s32[], f32[700000]) while(s), condition=cond, body=body
  looped = f32[700000] get-tuple-element(w), index=1
  narrow = bf16[90001] all-reduce(y), replica_groups={{0,1,2,3,4},{5}}, to_apply=sum16
  two = (f32[700000], f32[5,6,333]) all-reduce(x, z), replica_groups={{3,1,2},{0,5,4}}, to_apply=sum
  ordered = f32[5,6,333] all-reduce(z), replica_groups={}, to_apply=less
  scattered = f32[5,1,333] reduce-scatter(z), replica_groups={}, dimensions={1}, to_apply=sum
  narrows = bf16[15000] slice(y), slice={[0:15000]}
  scattered16 = bf16[2500] reduce-scatter(narrows), replica_groups={{5,4,3,2,1,0}}, dimensions={0}, to_apply=sum16
  gathered = f32[5,12,333] all-gather(z), replica_groups={{0,3},{1,2},{5,4}}, dimensions={1}
  exchanged = f32[5,6,333] all-to-all(z), replica_groups={{1,0,3,2,5,4}}, dimensions={1}
  dealt = (f32[5,6,333], f32[5,6,333]) all-to-all(z, ordered), replica_groups={{0,5},{1,4},{2,3}}
  moved = f32[700000] collective-permute(x), source_target_pairs={{0,3},{3,5},{5,1},{2,2}}
  told = f32[5,6,333] collective-broadcast(z), replica_groups={{4,1,0},{2,3}}
  ROOT t = (f32[700000], bf16[90001], (f32[700000], f32[5,6,333]), f32[5,6,333], f32[5,1,333], bf16[2500], f32[5,12,333],
    f32[5,6,333], (f32[5,6,333], f32[5,6,333]), f32[700000], f32[5,6,333]) tuple(looped, narrow, two, ordered, scattered,
    scattered16, gathered, exchanged, dealt, moved, told)
}
"""
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
        large = pathlib.Path(folder, "large.hlo")
        large.write_text(LARGE)
        found.append((large, 6))
        if len(found) <= options.count:
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
