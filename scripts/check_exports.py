#!/usr/bin/env python3
"""A shared library of ours shows and needs no more than it says: check_exports.py LIBRARY...

Every name that it defines for others is one of namespace axle or a C function axle_*, and of libaxle_pjrt.so
GetPjrtApi alone; what it needs is the C and C++ libraries and zlib (and libaxle.so for the others, Gloo and MPI for
their transports); libaxle.so has at
most 10 MB.
Prints one line per finding and exits 1 when there is one. docs/adr/2026-11-22-exported-names.md has the reasons.
"""
import pathlib
import re
import subprocess
import sys

# As axle/exports.map has them: functions and variables, those inside of functions, guards, tables.
NAME = re.compile(r"axle_|_Z(Z?N(K?[OR]?)4axle|GVZ?N(K?[OR]?)4axle|T[VTIS]N4axle|T[WH]N4axle|"
                  r"T(h|v|c).*_NK?4axle)")
NEEDED = re.compile(r"lib(c|m|stdc\+\+|gcc_s|z)\.so\.\d+|ld-linux.*\.so\.\d+")
# What one library alone may need.
ITS_OWN = {"libaxle_gloo.so": r"libgloo\.so\.\d+", "libaxle_mpi.so": r"libmpi(ch)?\.so\.\d+"}
# Bytes of libaxle.so that are loaded: what `strip` leaves of it. It was 8 MB before it read StableHLO, which takes 1.7.
LARGEST = 10_000_000


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


def check_names(library):
    lines = run("nm", "-D", "--defined-only", "--format=just-symbols", library).split()
    names = [line.split("@")[0] for line in lines]
    if library.name.startswith("libaxle_pjrt.so"):
        if names != ["GetPjrtApi"]:
            yield f"shows {', '.join(names)}, must show GetPjrtApi alone"
        return
    if not any(name.startswith(("_ZN4axle", "axle_")) for name in names):
        yield "shows no name of axle at all"
    for name in names:
        if not NAME.match(name):
            yield f"shows {run('c++filt', name).strip()}"


def check_needed(library):
    sonames = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", library))
    for soname in sonames:
        ours = soname.startswith("libaxle.so.") and not library.name.startswith("libaxle.so")
        own = re.fullmatch(ITS_OWN.get(library.name, "$"), soname)
        if not ours and not own and not NEEDED.fullmatch(soname):
            yield f"needs {soname}"
    # What those bring in, if they are here: a library that is missing would be found by its users only.
    for line in run("ldd", library).splitlines():
        if "not found" in line:
            yield line.strip()


def check_size(library):
    sizes = run("size", "--format=berkeley", library).splitlines()[1].split()
    loaded = int(sizes[0]) + int(sizes[1])
    if library.name.startswith("libaxle.so") and loaded > LARGEST:
        yield f"has {loaded} bytes, more than {LARGEST}"


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = []
    for library in map(pathlib.Path, sys.argv[1:]):
        for check in (check_names, check_needed, check_size):
            found += [f"{library.name}: {finding}" for finding in check(library)]
    print("\n".join(found) or f"exports: {len(sys.argv) - 1} libraries show names of axle only")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
