#!/usr/bin/env python3
"""Tries a wheel with several versions of JAX: jax_versions.py WHEEL FOLDER [VERSION...]

For each version it makes a virtual environment in FOLDER, or takes the one that is there, and installs that JAX from the
Python registry (600 MB each), and the wheel. It runs tests/package/jax_program.py on Axle, on Axle in the place of JAX's
CPU, and where Axle is not asked for, and the tests of axle.jax_plugin. A program must succeed, say the platform and
nothing else. Exits 1 if one does not.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The oldest that the plugin is for, and the newest of each minor version.
VERSIONS = ("0.7.0", "0.7.2", "0.8.3", "0.9.2", "0.10.2")
# What is in the environment, and the platform that the program is to run on.
RUNS = (({"JAX_PLATFORMS": "axle"}, "axle"), ({"AXLE_AS_CPU": "1"}, "cpu"), ({}, "cpu"))


def run(command, **environment):
    """Exit status, stdout and stderr."""
    chosen = ("JAX_PLATFORMS", "AXLE_AS_CPU", "AXLE_LIBRARY", "PYTHONPATH")
    inherited = {name: value for name, value in os.environ.items() if name not in chosen}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env={**inherited, **environment})
    return done.returncode, done.stdout, done.stderr


def must(*command):
    status, out, err = run(command)
    if status != 0:
        sys.exit(f"jax_versions: {' '.join(map(str, command))}\n{out}{err}")


def install(folder, version, wheel):
    """The Python of an environment with both."""
    python = folder / version / "bin" / "python"
    if not python.exists():
        must(sys.executable, "-m", "venv", folder / version)
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    must(*pip, f"jax=={version}", f"jaxlib=={version}", "ml_dtypes", wheel)
    must(*pip, "--force-reinstall", "--no-deps", wheel)  # one of the same version may be there
    return python


def try_version(python, version):
    """Whether everything went well."""
    good = True
    for environment, platform in RUNS:
        status, out, err = run([python, ROOT / "tests" / "package" / "jax_program.py"], **environment)
        asked = " ".join(f"{name}={value}" for name, value in environment.items()) or "not asked for"
        if (status, out, err) == (0, f"{platform}\n", ""):
            print(f"jax {version}: {asked}: ok", flush=True)
        else:
            good = False
            print(f"jax {version}: {asked}: exit status {status}\n{out}{err}", flush=True)
    # The test goes on in the Python of AXLE_VENV; the library it names is the wheel's own.
    status, library, err = run([python, "-c", "import axle; print(axle.library_path)"])
    if status == 0:
        status, _, err = run([python, ROOT / "tests" / "python" / "jax_plugin_test.py"],
                             AXLE_VENV=str(python.parent.parent), AXLE_LIBRARY=library.strip())
    print(f"jax {version}: axle.jax_plugin: {'ok' if status == 0 else err}", flush=True)
    return good and status == 0


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    wheel, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    good = [try_version(install(folder, version, wheel), version) for version in sys.argv[3:] or VERSIONS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
