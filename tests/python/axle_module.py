"""Imports the Python module of this checkout with the library of this build, or ends the script as
skipped: for tests that begin with `import axle_module`."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "python")]

import jaxlib_python  # noqa: E402

if "AXLE_LIBRARY" not in os.environ:
    print("skipped: no AXLE_LIBRARY; ctest sets it, but not with sanitizers")
    sys.exit(jaxlib_python.SKIPPED)
jaxlib_python.enter(("numpy", "ml_dtypes"))
