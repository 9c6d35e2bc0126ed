#!/usr/bin/env python3
"""One version: what CMakeLists.txt says is what everything else says."""

import os
import pathlib
import re
import subprocess
import sys

import axle_module  # goes on in the Python that has numpy

import axle  # isort: skip


def found(pattern, path):
    match = re.search(pattern, path.read_text(), re.MULTILINE)
    return match and match.group(1)


def main():
    root = axle_module.ROOT
    build = pathlib.Path(os.environ["AXLE_BINARY_DIR"])
    version = found(r"^project\(axle VERSION ([0-9.]+)", root / "CMakeLists.txt")
    tool = subprocess.run([os.environ["AXLE_TOOL"], "--version"], capture_output=True, text=True, check=True).stdout
    newest = found(r"^## ([0-9]\S*)", root / "CHANGELOG.md")  # none before the first one
    says = {
        "python/pyproject.toml": found(r'^version = "(.*)"', root / "python/pyproject.toml"),
        "axle.version": axle.version,
        "axle.__version__": axle.__version__,
        "axle --version": tool.removeprefix("axle ").rstrip(),
        "axle.pc": found(r"^Version: (.*)$", build / "package/axle.pc"),
        "axleConfigVersion.cmake": found(r'^set\(PACKAGE_VERSION "(.*)"\)', build / "package/axleConfigVersion.cmake"),
        "the package for Debian": found(r'^set\(CPACK_PACKAGE_VERSION "(.*)"\)', build / "CPackConfig.cmake"),
        "CHANGELOG.md": newest or version,
    }
    wrong = {where: said for where, said in says.items() if said != version}
    print(version, wrong)
    return 1 if wrong or not version else 0


if __name__ == "__main__":
    sys.exit(main())
