"""Puts the plugin of this build where JAX finds it, as an installed wheel has it, or ends the script as skipped: for tests
that begin with `import jax_plugin_site`. JAX runs on it from then on, in an environment without settings of ours."""

import os
import pathlib
import sys
import tempfile

import axle_module  # goes on in the Python that has numpy
import jaxlib_python

jaxlib_python.enter()
sys.path.insert(0, str(axle_module.ROOT / "scripts"))

import make_wheel  # noqa: E402

if not (pathlib.Path(os.environ["AXLE_LIBRARY"]).parent / "libaxle_pjrt.so").exists():
    print("skipped: this build has no libaxle_pjrt.so")
    sys.exit(jaxlib_python.SKIPPED)

SITE = tempfile.TemporaryDirectory()
INFO = pathlib.Path(SITE.name, "axle_compiler-0.dist-info")
INFO.mkdir()
(INFO / "entry_points.txt").write_text(make_wheel.entry_points(make_wheel.project()))
sys.path.insert(0, SITE.name)
UNSET = ("AXLE_AS_CPU", "AXLE_NUM_DEVICES", "JAX_NUM_CPU_DEVICES", "JAX_COMPILATION_CACHE_DIR", "XLA_FLAGS")
for variable in UNSET:
    os.environ.pop(variable, None)
os.environ["JAX_PLATFORMS"] = "axle"
