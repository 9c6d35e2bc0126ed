#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build: tidy.py [--quick] BUILD_DIR [FILE...]

--quick leaves out the static analyzer, which takes most of the time. A file that was clean is looked at again only when it, a header that it includes, its flags or the
configuration changed; BUILD_DIR/tidy keeps one stamp per file. Exits 1 when there is a finding.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
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
    arguments = [a for a in sys.argv[1:] if a != "--quick"]
    tidy = next((t for t in ("clang-tidy-22", "clang-tidy-19") if shutil.which(t)), None)
    if not arguments or not tidy:
        print(__doc__ if tidy else "tidy: no clang-tidy; run scripts/deps.sh", file=sys.stderr)
        return 2
    options = [tidy, "--quiet"]
    if "--quick" in sys.argv:
        options.append("--checks=-clang-analyzer-*")
    build = pathlib.Path(arguments[0]).resolve()
    wanted = {pathlib.Path(name).resolve() for name in arguments[1:]}
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
        value = stamp_value(" ".join(options) + entry["command"], files)
        stamp = stamps / str(source.relative_to(ROOT)).replace("/", "_")
        if not (stamp.exists() and stamp.read_text() == value):
            todo.append((source, stamp, value))

    def check(item):
        source, stamp, value = item
        run = subprocess.run([*options, "-p", build, source],
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
