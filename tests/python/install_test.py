#!/usr/bin/env python3
"""`pip install ./python`, without a network, into a folder of its own; what is installed runs a program."""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

import axle_module  # goes on in the Python that has numpy

from jaxlib_python import SKIPPED  # isort: skip

PROGRAM = """
import axle
exe = axle.compile("HloModule n\\nENTRY e {\\n p = s32[2] parameter(0)\\n ROOT r = s32[2] negate(p)\\n}")
print(axle.__file__, list(map(int, exe([1, 2]))))
"""


def can_build_wheels():
    if importlib.util.find_spec("setuptools") is None:
        return False
    version = importlib.metadata.version("setuptools").split(".")
    return [int(part) for part in version[:2]] >= [70, 1] or importlib.util.find_spec("wheel") is not None


def main():
    if importlib.util.find_spec("pip") is None or not can_build_wheels():
        print("skipped: no pip, or no setuptools that makes wheels (70.1); scripts/deps.sh --python installs one")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        # pip builds where the sources are.
        shutil.copytree(axle_module.ROOT / "python", f"{folder}/python")
        command = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet"]
        subprocess.run([*command, "--target", f"{folder}/site", f"{folder}/python"], check=True)
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=dict(os.environ, PYTHONPATH=f"{folder}/site"),
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        expected = f"{folder}/site/axle/__init__.py [-1, -2]\n"
        if ran.stdout != expected:
            print(f"got {ran.stdout}expected {expected}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
