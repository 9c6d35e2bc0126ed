#!/usr/bin/env python3
"""No library of ours calls libm, whose results differ from machine to machine: check_libm.py BUILD_DIR

Looks at the undefined symbols of each object file. What is one instruction on every machine that we
build for (square root, fused multiply-add, rounding to an integer) is allowed, and so is reading and
setting the floating-point environment. Prints one line per call and exits 1 when there is one.
"""
import pathlib
import re
import subprocess
import sys

EXACT = re.compile(r"(sqrt|fma|rint|nearbyint|floor|ceil|trunc|roundeven)[fl]?$|fe(get|set|hold|update)")


def nm(*arguments):
    out = subprocess.run(["nm", "--format=posix", *map(str, arguments)],
                         capture_output=True, text=True, check=True).stdout
    return out.splitlines()


def libm_symbols():
    path = subprocess.run(["gcc", "-print-file-name=libm.so.6"],
                          capture_output=True, text=True, check=True).stdout.strip()
    names = {line.split()[0].split("@")[0] for line in nm("-D", "--defined-only", path)}
    # GCC calls some of these by a second name when it is told that the mathematics is finite.
    return names | {f"__{name}_finite" for name in names}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    libm = libm_symbols()
    objects = sorted(pathlib.Path(sys.argv[1]).glob("axle/**/*.o"))
    if len(libm) < 100 or not objects:
        print(f"libm: found {len(libm)} functions and {len(objects)} object files, too few to check")
        return 1
    found = []
    for path in objects:
        for line in nm("--undefined-only", path):
            name = line.split()[0]
            if name in libm and not EXACT.match(name):
                found.append(f"{path.relative_to(sys.argv[1])}: calls {name}")
    print("\n".join(found) or f"libm: {len(objects)} object files call nothing of it")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
