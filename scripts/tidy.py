#!/usr/bin/env python3
"""Runs clang-tidy-19 over the sources of a build: tidy.py BUILD_DIR [FILE...]

A file that was clean is looked at again only when it, a header that it includes, its flags or the
configuration changed; BUILD_DIR/tidy keeps one stamp per file. Exits 1 when there is a finding.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def dependencies(build):
    """Returns {object file: the files of this tree that it was made from}, from ninja's log."""
    out = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True)
    result, current = {}, None
    for line in out.stdout.splitlines():
        if line and not line.startswith(" "):
            current = result.setdefault(line.split(":")[0], [])
        elif line.strip():
            path = (build / line.strip()).resolve()
            if ROOT in path.parents:
                current.append(path)
    return result


def stamp_value(command, files):
    digest = hashlib.sha256()
    digest.update((ROOT / ".clang-tidy").read_bytes() + command.encode())
    for path in sorted(files):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = {pathlib.Path(name).resolve() for name in sys.argv[2:]}
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    deps = dependencies(build)
    todo, total = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if build in source.parents or (wanted and source not in wanted):
            continue
        total += 1
        files = {source, *deps.get(entry.get("output", ""), [])}
        value = stamp_value(entry["command"], files)
        stamp = stamps / str(source.relative_to(ROOT)).replace("/", "_")
        if not (stamp.exists() and stamp.read_text() == value):
            todo.append((source, stamp, value))

    def check(item):
        source, stamp, value = item
        run = subprocess.run(["clang-tidy-19", "--quiet", "-p", build, source],
                             capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(value)
        return run.returncode, run.stdout + ("" if run.stdout else run.stderr)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for code, text in pool.map(check, todo):
            if code:
                failed += 1
                print(text)
    print(f"tidy: {total} files, {len(todo)} looked at, {failed} with findings")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
