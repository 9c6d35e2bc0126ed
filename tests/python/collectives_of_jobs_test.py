#!/usr/bin/env python3
"""Collectives over several processes, both engines, against the model in numpy of collectives_test.py.

    collectives_of_jobs_test.py                                starts the processes of each job
    collectives_of_jobs_test.py PROCESS RENDEZVOUS SHARES      is one of them; SHARES are devices of each, "1,3,2,2"

Every process makes the same programs, with what each device must get, runs those that have devices here, and compares
what these get. The devices of a program are drawn among all, in any order, so that groups have neighbours of one
process, of several, and in turn.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import axle_module

import axle  # isort: skip
import numpy as np  # isort: skip
from collectives_test import mistake, program_of  # isort: skip

# Each a type, replicas, partitions, and the shape of the operand. The last ones are too large for one message.
SMALL = (16, 5)
PROGRAMS = (
    ("f32", 2, 1, SMALL),
    ("bf16", 1, 2, SMALL),
    ("s8", 3, 1, SMALL),
    ("f8e4m3fn", 3, 1, SMALL),
    ("pred", 2, 2, SMALL),
    ("f16", 1, 4, SMALL),
    ("f64", 5, 1, SMALL),
    ("c64", 5, 1, SMALL),
    ("bf16", 4, 2, SMALL),
    ("u16", 2, 4, SMALL),
    ("f32", 4, 1, (0, 3)),
    ("f32", 3, 1, (160, 257)),
    ("bf16", 4, 1, (160, 257)),
)
JOBS = ((3, 5), (1, 3, 2, 2))


def run(process, rendezvous, shares):
    client = axle.Client(
        num_devices=shares[process],
        distributed={"rendezvous": rendezvous, "process_id": process, "num_processes": len(shares), "connect_limit": 60},
    )
    own = range(sum(shares[:process]), sum(shares[: process + 1]))
    compared = 0
    for seed, (name, replicas, partitions, dims) in enumerate(PROGRAMS):
        devices = [int(d) for d in np.random.default_rng(seed + len(shares)).permutation(sum(shares))]
        devices = devices[: replicas * partitions]
        if not set(devices) & set(own):
            continue
        program = program_of(name, replicas, partitions, dims, seed)
        for engine in ("native", "interpret"):
            exe = client.compile(program.text(), engine=engine, devices=devices)
            results = exe.execute_replicated([[program.operands[n]] for n in exe.device_numbers])
            for number, result in zip(exe.device_numbers, results):
                if wrong := mistake(program, number, result):
                    sys.exit(f"{name}, {replicas} x {partitions} on devices {devices}, {engine}, {wrong}")
                compared += len(program.results)
    print(f"{compared} results")


@unittest.skipUnless(
    (pathlib.Path(os.environ["AXLE_LIBRARY"]).parent / "libaxle_gloo.so").exists(), "this build has no libaxle_gloo.so"
)
class Jobs(unittest.TestCase):
    def check(self, shares):
        text = ",".join(map(str, shares))
        with tempfile.TemporaryDirectory() as folder:
            running = [
                subprocess.Popen([sys.executable, __file__, str(process), f"file://{folder}/meet", text],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for process in range(len(shares))
            ]
            try:
                for process in running:
                    output = process.communicate(timeout=120)[0]
                    self.assertRegex(output, r"^\d{3,} results\n$")
                    self.assertEqual(process.returncode, 0)
            finally:
                for process in running:
                    process.kill()
                    process.communicate()

    def test_two_processes(self):
        self.check(JOBS[0])

    def test_four_processes(self):
        self.check(JOBS[1])


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run(int(sys.argv[1]), sys.argv[2], [int(number) for number in sys.argv[3].split(",")])
    else:
        assert axle_module.ROOT
        unittest.main()
