#!/usr/bin/env python3
"""Holds the tree against layers.txt: every #include of axle/, what a header reaches through others, circles of
includes, every edge of the CMake targets.

A line of layers.txt is for a folder, a folder in it or a file: the most specific one holds.

Prints one line per violation and exits 1 when there is one. `--cycles` lists the circles of includes instead. `--link LIBDIR` also looks at the static
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
    """Returns {folder or file: folders and files it may include}, {prefix: (owning folders, headers too)}, {header:
    what it may not reach} and {folder: most components in a circle}."""
    allowed, owners, barred, circles = {}, {}, {}, {}
    for line in (ROOT / "layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if "~" in line:
            folder, most = line.split("~")
            circles[folder.strip()] = int(most)
        elif "!" in line:
            header, words = line.split("!")
            barred.setdefault(header.strip(), set()).update(words.split())
        elif "=" in line:
            prefix, words = line.split("=")
            folders = words.split()
            owners[prefix.strip()] = ({f for f in folders if f != ".h"}, ".h" in folders)
        elif line:
            folder, folders = line.split(":")
            allowed[folder] = set(folders.split())
    return allowed, owners, barred, circles


def unit_of(path, allowed):
    """The most specific line for a path below axle/, or None."""
    while path and path not in allowed:
        path = path.rpartition("/")[0]
    return path or None


def cycles(allowed):
    """The folders that reach themselves, and lines that allow more than that of the folder they are in."""
    for unit, granted in allowed.items():
        parent = unit_of(unit.rpartition("/")[0], allowed)
        top = {g for g in granted if g.split("/")[0] != unit.split("/")[0]}
        for folder in sorted(top - allowed[parent] if parent else ()):
            yield f"layers.txt: {unit} may include {folder}, but {parent} may not"
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
        elif folder := unit_of("/".join(parts), allowed):
            may = allowed[folder]
        else:
            yield f"{where}: folder {parts[0]} is not in layers.txt"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            include = match[1]
            if include.startswith("axle/"):
                target = include[5:]
                granted = unit_of(target, allowed) == folder or any(
                    target == m or target.startswith(m + "/") for m in may)
                if "/" in target and not granted:
                    yield f"{where}:{number}: {folder} may not include {include}"
            elif include.split("/")[0] in ("tests", "tools", "bench", "examples"):
                yield f"{where}:{number}: the library may not include {include}"
            for prefix, (folders, headers) in owners.items():
                if not owned(include, prefix):
                    continue
                if not any(folder == f or folder.startswith(f + "/") for f in folders):
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


def circles_of_includes():
    """The sets of components (a header with its source) that reach each other, largest first."""
    edges = {}
    for path in sorted((ROOT / "axle").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        component = str(path.relative_to(ROOT).with_suffix(""))
        to = edges.setdefault(component, set())
        for line in path.read_text(errors="replace").splitlines():
            match = INCLUDE.match(line)
            if match and match[1].startswith("axle/") and match[1].endswith(".h"):
                to.add(match[1][:-2])
        to.discard(component)
    # Tarjan's algorithm with a stack of its own: a component is closed when its walk is over.
    number, low, open_, found = {}, {}, [], []
    for start in edges:
        walk = [(start, iter(sorted(edges[start])))] if start not in number else []
        while walk:
            node, rest = walk[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                open_.append(node)
            for other in rest:
                if other in edges and other not in number:
                    walk.append((other, iter(sorted(edges[other]))))
                    break
                if other in open_:
                    low[node] = min(low[node], number[other])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == number[node]:
                    at = open_.index(node)
                    if len(open_) - at > 1:
                        found.append(sorted(open_[at:]))
                    del open_[at:]
    return sorted(found, key=len, reverse=True)


def circle_violations(circles):
    for circle in circles_of_includes():
        for folder, most in circles.items():
            inside = [c for c in circle if c.startswith(folder + "/")]
            if len(inside) > most:
                yield f"{folder}: {len(inside)} components include each other, {most} may: {' '.join(inside)}"


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
    parser.add_argument("--cycles", action="store_true", help="list the circles of includes")
    args = parser.parse_args()
    if args.cycles:
        for circle in circles_of_includes():
            print(len(circle), *circle)
        return False
    allowed, owners, barred, circles = read_rules()
    found = [*cycles(allowed), *include_violations(allowed, owners), *reach_violations(barred),
             *circle_violations(circles), *cmake_violations(allowed)]
    if args.link:
        found += link_violations(allowed, args.link)
    print("\n".join(found) or "layers: ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
