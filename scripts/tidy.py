#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build: tidy.py [OPTIONS] BUILD_DIR [FILE...]

--quick leaves out the static analyzer, which takes most of the time. --changed looks only at what changed: since the
branch left origin/main, or, on main itself and where there is no such branch, in the last 10 commits (in fewer if
the clone has fewer); for a header that changed, at one source that includes it. Findings count on lines that changed:
one that was there before, or that a new version of clang-tidy makes, stops nobody. --time-limit SECONDS begins no
file after so long, and says how many are left; sources come before headers. A file that was clean is looked at
again only when it, a header that it includes, its flags or the configuration changed; BUILD_DIR/tidy keeps one
stamp per file. Exits 1 when there is a finding.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAST_COMMITS = 10


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
    for configuration in (ROOT / ".clang-tidy", *sorted(ROOT.glob("*/.clang-tidy"))):
        digest.update(configuration.read_bytes())
    digest.update(command.encode())
    for path in sorted(files):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def git(*arguments):
    """What git prints, or None where it fails: no history, no such commit."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def changed_files():
    """Returns (what they changed since, the files that changed and are still there), or None without a history."""
    head = git("rev-parse", "HEAD")
    if head is None:
        return None
    since, base = "origin/main", git("merge-base", "origin/main", "HEAD")
    if base is None or base == head:
        ancestors = git("rev-list", "--first-parent", f"--max-count={LAST_COMMITS + 1}", "HEAD").split()
        base = ancestors[-1]
        since = f"{len(ancestors) - 1} commits ago"
    files = []
    for line in git("diff", "--name-status", "-M", base).splitlines():
        status, *names = line.split("\t")
        if status[0] != "D" and status != "R100":
            files.append((ROOT / names[-1]).resolve())
    return since, files, changed_lines(base)


def changed_lines(base):
    """clang-tidy's line filter: [{name, lines}] of what is not as it was."""
    ranges, path = {}, None
    for line in git("diff", "-U0", "-M", base, "--", "*.cc", "*.h", "*.c", "*.def").splitlines():
        if line.startswith("+++ "):
            path = str(ROOT / line[6:]) if line.startswith("+++ b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and path and hunk[2] != "0":
            begin, count = int(hunk[1]), int(hunk[2] or 1)
            ranges.setdefault(path, []).append([begin, begin + count - 1])
    return [{"name": name, "lines": lines} for name, lines in ranges.items()]


def only_changed(entries, changed):
    """The entries for files that changed; for a header one that includes it, of the same name if there is one."""
    chosen = [entry for entry in entries if entry["source"] in changed]
    covered = {path for entry in chosen for path in entry["files"]}
    for header in (path for path in changed if path.suffix in (".h", ".def") and path not in covered):
        users = [entry for entry in entries if header in entry["files"]]
        if users:
            best = min(users, key=lambda entry: (entry["source"].stem != header.stem, len(entry["files"])))
            chosen.append(best)
            covered.update(best["files"])
    return chosen


def entries_of(build, wanted):
    """The sources of the build, each with what it includes."""
    deps = dependencies(build)
    result = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if build not in source.parents and (not wanted or source in wanted):
            files = {source, *deps.get(entry.get("output", ""), [])}
            result.append({"source": source, "command": entry["command"], "files": files})
    return result


def run_all(options, build, todo, time_limit):
    """Prints findings as they come; returns how many files have some, and how many were not begun."""
    end = time.monotonic() + time_limit if time_limit else float("inf")

    def check(item):
        source, stamp, value = item
        if time.monotonic() > end:
            return None, ""
        run = subprocess.run([*options, "-p", build, source], capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(value)
        return run.returncode, run.stdout + ("" if run.stdout else run.stderr)

    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for code, text in pool.map(check, todo):
            left += code is None
            if code:
                failed += 1
                print(text, flush=True)
    return failed, left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS")
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    args = parser.parse_args()
    tidy = next((t for t in ("clang-tidy-22", "clang-tidy-19") if shutil.which(t)), None)
    if not tidy:
        print("tidy: no clang-tidy; run scripts/deps.sh", file=sys.stderr)
        return 2
    # The flags are those of g++, of which clang does not know every warning.
    options = [tidy, "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
    if args.quick:
        options.append("--checks=-clang-analyzer-*")
    build = args.build.resolve()
    entries = entries_of(build, {path.resolve() for path in args.files})
    what = ""
    if args.changed:
        changed = changed_files()
        if changed is None:
            print("tidy: no history here, so nothing is known to have changed; without --changed all files are looked at")
            return 0
        entries = only_changed(entries, changed[1])
        what = f" that changed since {changed[0]}"
        # A command line has its limit: of a change as large as that, whole files are looked at.
        lines = json.dumps(changed[2])
        if len(lines) < 100_000:
            options.append(f"--line-filter={lines}")
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    todo = []
    for entry in entries:
        source = entry["source"]
        value = stamp_value(" ".join(options) + entry["command"], entry["files"])
        stamp = stamps / str(source.relative_to(ROOT)).replace("/", "_")
        if not (stamp.exists() and stamp.read_text() == value):
            todo.append((source, stamp, value))
    failed, left = run_all(options, build, todo, args.time_limit)
    print(f"tidy: {len(entries)} files{what}, {len(todo) - left} looked at, {failed} with findings"
          + (f", {left} left out when the time was over" if left else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
