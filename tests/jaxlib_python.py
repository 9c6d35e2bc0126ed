"""Scripts that need numpy or compare with XLA call `enter()` first: it goes on in the Python of .venv,
where `scripts/deps.sh --python` puts numpy and jaxlib, or ends the script as skipped."""

import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.environ.get("AXLE_VENV", os.path.join(ROOT, ".venv"))
MODULES = ("numpy", "ml_dtypes", "jax", "jaxlib")
SKIPPED = 77


def enter(modules=MODULES):
    python = os.path.join(VENV, "bin", "python")
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, *sys.argv])
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)}; scripts/deps.sh --python installs it into .venv")
        sys.exit(SKIPPED)
