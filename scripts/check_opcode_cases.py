#!/usr/bin/env python3
"""What an op means stands in axle/ops/ and nowhere else: no opcode is asked for outside of it.

Prints one line per place and exits 1 when there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASE = re.compile(r"(\bcase\s+|[=!]=\s*)(?:::)?(?:axle::)?Opcode::")


def main():
    found = []
    for top in ("axle", "tools", "tests", "bench", "examples", "fuzz"):
        for path in sorted((ROOT / top).rglob("*")):
            where = path.relative_to(ROOT)
            if path.suffix not in (".h", ".cc", ".def") or where.parts[:2] == ("axle", "ops"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if CASE.search(line):
                    found.append(f"{where}:{number}: {line.strip()}")
    print("\n".join(found) or "opcode cases: none outside axle/ops/")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
