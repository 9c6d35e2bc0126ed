#!/usr/bin/env python3
"""The table of CI's parts in CONTRIBUTING.md has the parts of .ci/run, in its order, with its minutes, below an hour."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    run = [(name, int(minutes)) for minutes, name in re.findall(r"^part (\d+) (.+)$", (ROOT / ".ci/run").read_text(), re.M)]
    page = (ROOT / "CONTRIBUTING.md").read_text()
    table = page[page.index("| part | minutes |"):].split("\n\n")[0]
    rows = [(name, int(minutes)) for name, minutes in re.findall(r"^\| ([^|]+) \| (\d+) \|", table, re.M)]
    total = sum(minutes for _, minutes in run)
    print(f"ci: {len(run)} parts, {total} minutes")
    if rows != run:
        print(f"CONTRIBUTING.md: {rows}\n.ci/run:         {run}")
    return rows != run or not run or total >= 60


if __name__ == "__main__":
    sys.exit(main())
