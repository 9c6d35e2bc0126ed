#!/usr/bin/env python3
"""A small form of `make demo-distributed`: a training over processes loses one and goes on from its checkpoint."""

import os
import pathlib
import subprocess
import sys
import unittest

import axle_module

BUILD = pathlib.Path(os.environ["AXLE_LIBRARY"]).parent.parent


@unittest.skipUnless(
    (BUILD / "lib" / "libaxle_gloo.so").exists() and (BUILD / "bin" / "axle").exists(), "a build without Gloo or the tool"
)
class Demo(unittest.TestCase):
    def test_small(self):
        script = axle_module.ROOT / "examples" / "demo_distributed.py"
        done = subprocess.run(
            [sys.executable, str(script), str(BUILD), "--steps", "60", "--every", "20", "--processes", "3"],
            capture_output=True, text=True, timeout=240,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"process 2 of 3 is \d+, devices 1 of 3, from step 40")
        self.assertRegex(done.stdout, r'\[0\] another process is gone: UNAVAILABLE: (all-reduce( "[^"]+")?|execute): .*process 2 \(.*is lost')
        self.assertIn("finished: accuracy", done.stdout)
        self.assertIn("The weights have the same bits as those of an undisturbed training", done.stdout)


if __name__ == "__main__":
    unittest.main()
