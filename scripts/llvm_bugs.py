#!/usr/bin/env python3
"""Checks which bugs of LLVM that Axle works around are still there: scripts/llvm_bugs.py [--llc LLC] [--all] [--page].

Each tests/codegen/llvm_bugs/*.ll reproduces one bug. It is a program: its `main` returns 0 if the kernel in it gave
the right bits and 1 if not. The header of the file says what is wrong, in which configurations (x86-64 level and
optimisation level) LLVM 22 is, in which versions of LLVM the bug is present or absent, and which function of
axle/codegen works around it. This script compiles each file with `llc` and runs it in the configurations of its
header, or with --all in every configuration; where this CPU cannot run the code it looks at the assembly, if the
header has a pattern. It prints a table and fails

  * if a bug is absent where the header says present, or the other way round: then LLVM has changed, and the
    header, the workaround and docs/llvm-workarounds.md are due;
  * with LLVM 22, if the configurations in which it is wrong are not those of the header;
  * if a workaround that a header names is not in axle/codegen, or the code names a file that does not exist;
  * if docs/llvm-workarounds.md is not what the headers give (--page writes it).
"""
import argparse
import concurrent.futures
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/codegen/llvm_bugs"
PAGE = ROOT / "docs/llvm-workarounds.md"
BEGIN, END = "<!-- made by scripts/llvm_bugs.py --page: begin -->", "<!-- end -->"
REFERENCE = 22  # the version whose configurations the headers list
OLDEST = 19  # that Axle is built with; headers need not say anything of older versions
LEVELS = ("O0", "O1", "O2")
# What CPUID must say, in the words of /proc/cpuinfo, to run code for a level of x86-64.
FEATURES = {
    "v2": {"ssse3", "sse4_1", "sse4_2", "popcnt", "cx16"},
    "v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
SKIPPED = 77  # what ctest counts as not run
SECONDS = 60  # for one compilation or run: some bugs make the compiler loop
KEYS = ("Bug", "Kind", "What", "Expected", "Got", "Component", "Flags", "Wrong", "Present", "Absent", "Assembly", "Workaround",
        "Remove when")
KINDS = ("wrong result", "compiler crash")
OPTIONAL = ("Flags", "Assembly")


class Bug:
    """The header of one reproducer."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.fields, key = {}, None
        for line in path.read_text().splitlines():
            if not line.startswith("; "):
                break
            if match := re.match(r"; ([A-Z][a-z ]+): (.*)", line):
                key = match[1]
                self.fields[key] = match[2]
            else:
                self.fields[key] += " " + line[1:].strip()
        missing = [key for key in KEYS if key not in self.fields and key not in OPTIONAL]
        unknown = [key for key in self.fields if key not in KEYS]
        if missing or unknown or self.fields["Kind"] not in KINDS:
            sys.exit(f"llvm_bugs: {path}: the header lacks {missing}, has the unknown keys {unknown}, or its kind is none of {KINDS}")

    def __getitem__(self, key):
        return self.fields.get(key, "")

    def configurations(self):
        """The pairs of x86-64 level and optimisation level in which LLVM 22 is wrong."""
        return {(words[0], level) for words in (part.split() for part in self["Wrong"].split(",")) for level in words[1:]}

    def state(self, version):
        """True if the header says that the bug is present in this version, None if it says nothing."""
        for key, is_present in (("Present", True), ("Absent", False)):
            for first, last in re.findall(r"(\d+)(?:-(\d+))?", self[key]):
                if int(first) <= version <= int(last or first):
                    return is_present
        return None

    def workarounds(self):
        return [word.strip() for word in self["Workaround"].split(",")]


def runnable_levels():
    if platform.machine() not in ("x86_64", "AMD64"):
        return set()
    flags = set(re.search(r"^flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    return {level for level, needed in FEATURES.items() if needed <= flags}


def version_of(llc):
    text = subprocess.run([llc, "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"LLVM version (\d+)", text)[1])


def is_wrong(llc, version, bug, level, effort, can_run, folder):
    """Whether one configuration shows the bug; None if that cannot be seen here."""
    if not can_run and not bug["Assembly"]:
        return None
    stem = pathlib.Path(folder) / f"{bug.name}_{level}_{effort}"
    command = [llc, f"-{effort}", f"-mcpu=x86-64-{level}", "-mtriple=x86_64-linux-gnu", "-relocation-model=pic",
               *bug["Flags"].split(), *(["-opaque-pointers"] if version == 14 else []), bug.path]
    try:
        if not can_run:
            text = subprocess.run([*command, "-o", "-"], capture_output=True, text=True, timeout=SECONDS).stdout
            return re.search(bug["Assembly"], text) is not None
        done = subprocess.run([*command, "-filetype=obj", "-o", f"{stem}.o"], capture_output=True, timeout=SECONDS)
        if done.returncode != 0:
            if bug["Kind"] == "compiler crash":
                return True
            raise RuntimeError(f"{bug.path.name}: {llc} fails: " + done.stderr.decode(errors="replace")[:300])
        linked = subprocess.run(["cc", f"{stem}.o", "-o", stem], capture_output=True, text=True)
        if linked.returncode != 0:
            raise RuntimeError(f"{bug.path.name} does not link: {linked.stderr[:300]}")
        return subprocess.run([stem], timeout=SECONDS).returncode != 0
    except subprocess.TimeoutExpired:
        if bug["Kind"] == "compiler crash":
            return True
        raise


def check_code(bugs):
    """Headers and sources name each other."""
    sources = {path: path.read_text() for path in sorted((ROOT / "axle/codegen").rglob("*.[hc]*"))}
    problems = []
    for bug in bugs:
        for name in bug.workarounds():
            if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in sources.values()):
                problems.append(f"{bug.path.name}: nothing in axle/codegen is called {name}")
        if not any(f"{bug.name}.ll" in text for text in sources.values()):
            problems.append(f"{bug.path.name}: no comment in axle/codegen names it")
    names = {bug.path.name for bug in bugs}
    for path, text in sources.items():
        for name in sorted(set(re.findall(r"\b([a-z0-9]+_[a-z0-9_]+\.ll)\b", text)) - names):
            problems.append(f"{path.relative_to(ROOT)} names {name}, which does not exist")
    return problems


def page_of(bugs):
    """The part of the page that the headers give."""
    lines = ["| bug | present in LLVM | absent in | wrong with LLVM 22 |", "|---|---|---|---|"]
    for bug in bugs:
        lines.append(f"| [`{bug.name}`](#{bug.name}) | {bug['Present']} | {bug['Absent']} | {bug['Wrong']} |")
    for bug in bugs:
        flags = f", with `{bug['Flags']}`" if bug["Flags"] else ""
        lines += ["", f"### {bug.name}", "", f"**{escaped(bug['Bug'])}.** {escaped(bug['What'])}", "",
                  f"* Reproducer: [`{bug.path.name}`](../tests/codegen/llvm_bugs/{bug.path.name}){flags}",
                  f"* Expected: {escaped(bug['Expected'])}", f"* Got: {escaped(bug['Got'])}",
                  f"* Kind: {bug['Kind']}; component: {escaped(bug['Component'])}",
                  f"* Wrong with LLVM 22: {bug['Wrong']}; present in {bug['Present']}, absent in {bug['Absent']}",
                  "* Workaround: " + ", ".join(f"`{name}`" for name in bug.workarounds()),
                  f"* Remove when: {escaped(bug['Remove when'])}"]
    return "\n".join(lines)


def escaped(text):
    return re.sub(r"([<>|*_~])", r"\\\1", text)


def check_page(bugs, write):
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END, 1)[1]
    new = head + BEGIN + "\n" + page_of(bugs) + "\n" + END + tail
    if write:
        PAGE.write_text(new)
    return [] if write or new == text else [f"{PAGE.relative_to(ROOT)} is out of date: scripts/llvm_bugs.py --page"]


def run(llc, version, bugs, runnable, everywhere):
    """By bug and configuration: True, False or None as is_wrong gives it."""
    every = [(level, effort) for level in FEATURES for effort in LEVELS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = {bug.name: {(level, effort): pool.submit(is_wrong, llc, version, bug, level, effort, level in runnable, folder)
                              for level, effort in every if everywhere or (level, effort) in bug.configurations()}
                   for bug in bugs if bug.state(version) is not None or version >= OLDEST}
        return {name: {key: future.result() for key, future in futures.items()} for name, futures in pending.items()}


def judge(bug, version, seen):
    """What one bug does here, in words for the table, and what is not as the header says."""
    known = {key for key, value in seen.items() if value is not None}
    wrong = {key for key in known if seen[key]}
    if not seen:
        return "not checked", []
    if not wrong and not known & bug.configurations():
        return "not seen on this CPU", []
    state = "still present" if wrong else "fixed in this LLVM"
    header = bug.state(version)
    if header is None:
        return state, [f"{bug.name}: the header says nothing of LLVM {version}; it is {state}"]
    if bool(wrong) != header:
        return state, [f"{bug.name}: {state} ({version}), but the header says " + ("present" if header else "absent")]
    if version == REFERENCE and header and wrong != bug.configurations() & known:
        return state, [f"{bug.name}: wrong in {sorted(wrong)}, but the header says {bug['Wrong']}"]
    return state, []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llc", default="llc", help="of the LLVM to look at")
    parser.add_argument("--all", action="store_true", help="every configuration, not only those of the headers")
    parser.add_argument("--page", action="store_true", help="write the page")
    args = parser.parse_args()
    bugs = [Bug(path) for path in sorted(FOLDER.glob("*.ll"))]
    problems = check_code(bugs) + check_page(bugs, args.page)
    if args.page:
        print("\n".join(problems) or f"llvm_bugs: wrote {PAGE.relative_to(ROOT)}")
        return bool(problems)
    llc = shutil.which(args.llc)
    if llc is None or shutil.which("cc") is None:
        print("\n".join(problems) or f"llvm_bugs: skipped, there is no {args.llc} or no cc: scripts/deps.sh installs both")
        return 1 if problems else SKIPPED
    runnable, version = runnable_levels(), version_of(llc)
    results = run(llc, version, bugs, runnable, args.all)
    print(f"LLVM {version}, {llc}")
    for level in sorted(set(FEATURES) - runnable):
        print(f"this CPU does not run x86-64-{level}: only assembly is looked at there, where a header has a pattern")
    for bug in bugs:
        seen = results.get(bug.name, {})
        state, different = judge(bug, version, seen)
        wrong = " ".join(f"{level}-{effort}" for (level, effort), value in sorted(seen.items()) if value)
        print(f"{bug.name:34} {state:20} {wrong}")
        problems += different
    print("\n".join(problems) or f"llvm_bugs: {len(bugs)} bugs are as their headers say")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
