#!/usr/bin/env python3
"""Holds the tree against layers.txt: every #include of axle/, what a header reaches through others, every edge of
the CMake targets.

Prints one line per violation and exits 1 when there is one. `--link LIBDIR` also looks at the static
library of each folder: a symbol that it takes from another folder must come from one that it may use.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)')


def read_rules():
    """Returns {folder: folders it may include}, {prefix: (owning folders, headers too)} and {header: what it may not
    reach}."""
    allowed, owners, barred = {}, {}, {}
    for line in (ROOT / "layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if "!" in line:
            header, words = line.split("!")
            barred.setdefault(header.strip(), set()).update(words.split())
        elif "=" in line:
            prefix, words = line.split("=")
            folders = words.split()
            owners[prefix.strip()] = ({f for f in folders if f != ".h"}, ".h" in folders)
        elif line:
            folder, folders = line.split(":")
            allowed[folder] = set(folders.split())
    return allowed, owners, barred


def cycles(allowed):
    """The folders that reach themselves."""
    for start in allowed:
        seen, todo = set(), list(allowed[start])
        while todo:
            folder = todo.pop()
            if folder not in seen:
                seen.add(folder)
                todo.extend(allowed.get(folder, ()))
        if start in seen:
            yield f"layers.txt: {start} reaches itself"


def owned(include, prefix):
    return include.startswith(prefix) if prefix.endswith("/") else include == prefix


def include_violations(allowed, owners):
    for path in sorted((ROOT / "axle").rglob("*")):
        if path.suffix not in (".h", ".cc", ".def"):
            continue
        parts = path.relative_to(ROOT / "axle").parts
        where = path.relative_to(ROOT)
        if len(parts) == 1:
            folder, may = "axle", {"builder", "client", "core", "ir", "lib"}  # the public headers
        elif parts[0] in allowed:
            folder, may = parts[0], allowed[parts[0]] | {parts[0]}
        else:
            yield f"{where}: folder {parts[0]} is not in layers.txt"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            include = match[1]
            if include.startswith("axle/"):
                target = include.split("/")[1]
                if "/" in include[5:] and target not in may:
                    yield f"{where}:{number}: {folder} may not include {include}"
            elif include.split("/")[0] in ("tests", "tools", "bench", "examples"):
                yield f"{where}:{number}: the library may not include {include}"
            for prefix, (folders, headers) in owners.items():
                if not owned(include, prefix):
                    continue
                if folder not in folders:
                    who = " ".join(sorted(folders)) or "no folder of axle/"
                    yield f"{where}:{number}: {include} is for {who}"
                elif path.suffix == ".h" and not headers:
                    yield f"{where}:{number}: {include} may stand in .cc files only"


def reach_violations(barred):
    """Each header that `barred` keeps out, with the chain of includes that leads to it."""
    quoted = re.compile(r'\s*#\s*include\s*("([^"]+)"|<[^>]+>)')
    for start, what in barred.items():
        chains, todo = {start: start}, [start]
        while todo:
            header = todo.pop()
            for line in (ROOT / header).read_text().splitlines():
                match = quoted.match(line)
                include = match and (match[2] or match[1])
                if not include or include in chains:
                    continue
                chains[include] = f"{chains[header]} > {include}"
                if match[2] and include.endswith(".h"):
                    todo.append(include)
                path = include.removeprefix("axle/")
                if include in what or include.endswith(".h") and {path, path.split("/")[0]} & what:
                    yield f"{start} may not reach {include}: {chains[include]}"


def cmake_edges():
    """Returns {folder: edges} as the CMakeLists.txt of each folder declares them."""
    edges = {}
    for path in sorted((ROOT / "axle").glob("*/CMakeLists.txt")):
        for match in re.finditer(r"axle_layer\(\s*([^)]*)\)", path.read_text()):
            name, *rest = match[1].split()
            edges[name] = set(rest)
    return edges


def cmake_violations(allowed):
    edges = cmake_edges()
    for folder, declared in edges.items():
        # Folders that do not exist yet are in layers.txt but cannot be linked; codegen is loaded.
        expected = {f for f in allowed.get(folder, ()) if f in edges}
        if declared != expected:
            yield (f"axle/{folder}/CMakeLists.txt: links {' '.join(sorted(declared)) or 'nothing'}, "
                   f"layers.txt says {' '.join(sorted(expected)) or 'nothing'}")


def symbols(archive, option):
    out = subprocess.run(["nm", "--no-sort", "--format=just-symbols", option, archive],
                         capture_output=True, text=True, check=True).stdout
    return {s for s in out.split() if s.startswith("_Z") and "4axle" in s}


def link_violations(allowed, libdir):
    archives = {p.stem[len("libaxle_"):]: p for p in sorted(libdir.glob("libaxle_*.a"))}
    defined = {f: symbols(a, "--defined-only") for f, a in archives.items() if f in allowed}
    for folder in defined:
        needed = symbols(archives[folder], "--undefined-only") - defined[folder]
        may = set().union(*(defined[f] for f in allowed[folder] if f in defined))
        for symbol in sorted(needed - may):
            for other in defined:
                if symbol in defined[other]:
                    yield f"libaxle_{folder}.a takes {symbol} from {other}, which it may not use"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", type=pathlib.Path, help="folder of the static libraries")
    args = parser.parse_args()
    allowed, owners, barred = read_rules()
    found = [*cycles(allowed), *include_violations(allowed, owners), *reach_violations(barred),
             *cmake_violations(allowed)]
    if args.link:
        found += link_violations(allowed, args.link)
    print("\n".join(found) or "layers: ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
