#!/usr/bin/env python3
"""Lets PyTorch of the Python registry be imported without the packages of CUDA, for the CPU alone.

    PYTHON bench/peers/without_cuda.py       PYTHON is that of the environment that torch lies in

The wheel of that registry for Linux on x86-64 is the one for GPUs. Its libraries name those of CUDA as needed, so that
the loader refuses them, although nothing that runs on the CPU calls CUDA. This script asks torch's libraries which
functions they take from there, and writes libraries of those names beside them, in which every function answers with
"no device". Nothing is written if torch can do without them, as the wheels for other machines can.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

RUNTIME = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libgcc_s.", "libstdc++.", "libgomp.", "ld-linux")
NO_DEVICE = 100  # cudaErrorNoDevice, and not 0 for any other library


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed(library):
    """Names of the libraries that it needs, in its order."""
    lines = output("readelf", "--dynamic", "--wide", library).splitlines()
    return [line.split("[")[1].split("]")[0] for line in lines if "(NEEDED)" in line]


def symbols(library, which):
    """{name: version or ""} of its dynamic symbols; `which` is --undefined-only or --defined-only."""
    lines = output("nm", "--dynamic", "--format=posix", which, library).splitlines()
    found = (fields[0].partition("@") for fields in map(str.split, lines) if fields[1] not in "wv")
    return {name: version.lstrip("@") for name, _, version in found}


def versions(library):
    """{version: name of the library that the loader expects it of}."""
    owners, owner = {}, ""
    for line in output("readelf", "--version-info", "--wide", library).splitlines():
        if match := re.search(r"Version: 1  File: (\S+)", line):
            owner = match.group(1)
        elif match := re.search(r"Name: (\S+)  Flags", line):
            owners[match.group(1)] = owner
    return owners


def closure(root, folder):
    """(paths of `root` and all libraries in `folder` that it needs, names of those that it needs from elsewhere)."""
    paths, elsewhere, todo = [], {}, [root]
    while todo:
        path = todo.pop()
        if path in paths:
            continue
        paths.append(path)
        for name in needed(path):
            own = os.path.join(folder, name)
            if os.path.exists(own):
                todo.append(own)
            elif not name.startswith(RUNTIME):
                elsewhere[name] = None
    return paths, list(elsewhere)


def loaded_runtime():
    """Paths of the C and C++ runtime's libraries."""
    names = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0")
    paths = [output("g++", f"-print-file-name={name}").strip() for name in (*names, "ld-linux-x86-64.so.2")]
    return [path for path in paths if os.path.isabs(path)]


def write(folder, names, functions, owners):
    """Libraries of those names in `folder`, each with its functions; those without a version are in the first one.

    functions  {name: version or ""}
    owners     {version: name of its library}
    """
    with tempfile.TemporaryDirectory() as scratch:
        source, script = (os.path.join(scratch, name) for name in ("functions.c", "versions.map"))
        for name in names:
            own = {f: v for f, v in functions.items() if owners.get(v, names[0]) == name}
            with open(source, "w") as file:
                file.writelines(f"long {f}(void) {{ return {NO_DEVICE}; }}\n" for f in sorted(own))
            with open(script, "w") as file:
                for version in sorted(set(own.values()) - {""}):
                    file.write(f"{version} {{ global: {''.join(f'{f}; ' for f in own if own[f] == version)}}};\n")
            command = ["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{name}", source]
            command += [f"-Wl,--version-script={script}"] if any(own.values()) else []
            subprocess.run([*command, "-o", os.path.join(folder, name)], check=True)


def missing_functions(paths, names):
    """({name: version or ""} of what libraries take from those called `names`, {version: name of its library})."""
    wanted, owners = {}, {}
    for path in paths:
        wanted |= symbols(path, "--undefined-only")
        owners |= versions(path)
    functions = {
        name: version
        for name, version in wanted.items()
        if owners.get(version, names[0]) in names and not name.startswith(("Py", "_Py"))  # the interpreter has those
    }
    for path in [*paths, *loaded_runtime()]:
        for name in symbols(path, "--defined-only"):
            functions.pop(name, None)
    return functions, owners


def main():
    torch = os.path.dirname(importlib.util.find_spec("torch").origin)
    folder = os.path.join(torch, "lib")
    (root,) = (os.path.join(torch, f) for f in os.listdir(torch) if re.fullmatch(r"_C\.cpython.*\.so", f))
    paths, names = closure(root, folder)
    if not names:
        return 0
    functions, owners = missing_functions(paths, names)
    write(folder, names, functions, owners)
    print(f"without_cuda: {len(names)} libraries with {len(functions)} functions in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
