#!/usr/bin/env python3
"""Objects for more than the baseline processor keep to themselves: check_kernels.py BUILD_DIR

Each object of axle/kernels/x86/ (NAME_v3.cc, NAME_v4.cc) may define names of its own namespace only (isa_v3,
isa_v4): the linker takes one copy of a function that several objects define, and that must never be one with
instructions that the processor may lack. Prints one line per name that is not; exits 1 then.
"""
import pathlib
import re
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found, defined = [], 0
    for path in sorted((pathlib.Path(sys.argv[1]) / "axle/kernels").rglob("*_v[0-9].cc.o")):
        namespace = "isa_" + re.search(r"_(v\d)\.cc", path.name).group(1)
        lines = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        for line in lines.splitlines():
            _, kind, name = line.split(maxsplit=2)
            if kind in "trbdn" or name.startswith(("__asan", "__odr_asan", "DW.ref", ".")):
                continue
            defined += 1
            # As the first part of the name, or of what a variable or a thunk belongs to.
            if not re.match(rf"_Z[A-Z]*N?K?4axle6{namespace}", name):
                found.append(f"kernels: {path.name} defines {name}")
    if defined == 0:
        found.append("kernels: the objects define nothing")
    print("\n".join(found) or "kernels: ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
