#!/usr/bin/env python3
"""What packing for Debian does to the files of `cmake --install`: cmake/AxleDebian.cmake, as CPack runs it."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def pack(folder, generator):
    return subprocess.run(
        ["cmake", f"-DCPACK_GENERATOR={generator}", f"-DCPACK_TEMPORARY_INSTALL_DIRECTORY={folder}",
         "-DCPACK_PACKAGING_INSTALL_PREFIX=/usr", "-P", ROOT / "cmake/AxleDebian.cmake"],
        capture_output=True, text=True,
    )


def main():
    with tempfile.TemporaryDirectory() as name:
        python = pathlib.Path(name) / "usr/lib/python3"
        (python / "site-packages/axle").mkdir(parents=True)
        (python / "site-packages/axle/__init__.py").touch()
        for generator, place in (("TGZ", "site-packages"), ("DEB", "dist-packages")):
            done = pack(name, generator)
            found = sorted(str(path.relative_to(python)) for path in python.rglob("*.py"))
            if done.returncode != 0 or found != [f"{place}/axle/__init__.py"]:
                print(generator, done.stderr, found)
                return 1
        if pack(name, "DEB").returncode == 0:
            print("a package without the Python module was made")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
