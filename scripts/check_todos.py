#!/usr/bin/env python3
"""A TODO names the issue that will settle it, `TODO(#12): ...`; prints those that do not, exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORD = re.compile(r"\b(TODO|FIXME|XXX)\b")
LINKED = re.compile(r"\bTODO\(#\d+\): ")


def main():
    found = []
    for top in ("axle", "tools", "tests", "bench", "examples", "fuzz", "cmake"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cc", ".def", ".py", ".sh", ".txt", ".cmake"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if WORD.search(line) and not LINKED.search(line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    print("\n".join(found) or "todos: each names its issue")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
