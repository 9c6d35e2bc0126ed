#!/usr/bin/env python3
"""Compares Axle with XLA:CPU on random programs of one operation each.

    tests/diff_xla.py                          # 10 cases per operation and class of element types
    tests/diff_xla.py --ops dot,clamp --count 500 --seed 7 --time-limit 600
    tests/diff_xla.py --list                   # how each operation is drawn
    tests/diff_xla.py --program X.hlo --inputs X.npz      # both sides of a recorded difference

Cases come from the op table (`axle ops --json`): a new operation is drawn as soon as it has a row. What
is exact must have equal bits; other results stay within a bound that is computed for each element
(tests/diff/compare.py); known differences are rows of tests/diff/known.py. Needs the packages of
scripts/requirements.txt: with `scripts/deps.sh --python` they are in .venv, which is found.

Exit code: 0 no difference, 1 differences, 77 no jaxlib."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "diff"))

sys.path.insert(0, os.path.join(ROOT, "tests"))

import jaxlib_python  # noqa: E402

jaxlib_python.enter()

import numpy as np  # noqa: E402

import compare  # noqa: E402
import compare_complex  # noqa: E402, F401: registers checks
import compare_more  # noqa: E402, F401
import structural  # noqa: E402
from element_types import CLASSES, from_file, of_class, type_of  # noqa: E402
from engines import Axle, Refused, Xla, save_inputs  # noqa: E402
from known import (
    CLASSES_NOT_COMPARED,
    KNOWN,
    NOT_COMPARED,
    NOT_DRAWN,
    TYPES_NOT_COMPARED,
)  # noqa: E402
from programs import propose  # noqa: E402

# Not xla_cpu_use_fusion_emitters=False, which is quicker still: that is other code, with other rounding.
QUICK_XLA = {"xla_backend_optimization_level": 0}
TRIES = 80


class Tally:
    """What happened to one op in one class of element types."""

    def __init__(self):
        self.cases = 0
        self.not_run = 0  # not implemented in Axle; counted as cases too
        self.differences = 0
        self.known = collections.Counter()
        self.refused = ""  # why Axle took no program
        self.xla_refused = collections.Counter()


class Run:
    def __init__(self, options):
        self.options = options
        self.axle = Axle(options.tool, options.engine)
        self.xla = Xla(QUICK_XLA if options.quick else {})
        self.tallies = {}
        self.deadline = time.monotonic() + options.time_limit if options.time_limit else None
        self.failures = 0

    def close(self):
        self.axle.close()
        self.xla.close()

    def out_of_time(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def draw(self, rng, row, kind, tally):
        """A program that Axle accepts, with its printed text; or None."""
        make = structural.GENERATORS.get(row["name"], propose)
        types = [t.name for t in of_class(kind)]
        for _ in range(TRIES):
            program = make(rng, row, str(rng.choice(types)))
            if program is None:
                continue
            try:
                return program, self.axle.print(program.text())
            except Refused as refused:
                if refused.code not in (3, 5):
                    self.report(
                        program, program.text(), None, f"axle ends with {refused.code}: {refused}"
                    )
                    return None
                tally.refused = str(refused).split("\n")[0]
                if make is not propose and os.environ.get("AXLE_DIFF_VERBOSE"):
                    print(f"{program.text()}{refused}", file=sys.stderr)
        return None

    def compare_class(self, rng, row, kind):
        tally = self.tallies.setdefault((row["name"], kind), Tally())
        while tally.cases < self.options.count and not self.out_of_time():
            drawn = self.draw(rng, row, kind, tally)
            if drawn is None:
                return
            program, text = drawn
            draws = (
                min(self.options.draws, self.options.count - tally.cases)
                if program.parameters
                else 1
            )
            self.compare_program(
                row, program, text, [program.sample(rng) for _ in range(draws)], tally
            )

    def compare_program(self, row, program, text, argument_lists, tally):
        tally.cases += len(argument_lists)
        try:
            ours = self.axle.run(text, argument_lists)
        except Refused as refused:
            if refused.code == 5:
                tally.refused = str(refused).split("\n")[0]
                tally.not_run += len(argument_lists)
                return
            self.difference(
                tally, program, text, argument_lists[0], f"axle ends with {refused.code}: {refused}"
            )
            return
        try:
            xla_text = self.axle.print(program.text(for_xla=True)) if program.xla_body else text
            theirs = self.xla.run(xla_text, argument_lists)
        except Refused as refused:
            message = str(refused)
            known = [k for k in KNOWN if k.refusal and k.applies(program) and k.refusal in message]
            if known:
                tally.xla_refused[known[0].reason] += len(argument_lists)
                return
            self.difference(
                tally, program, text, argument_lists[0], f"XLA refuses it: {message[:1000]}"
            )
            return
        twin = compare.Twin(program, self.axle)
        for arguments, a, x in zip(argument_lists, ours, theirs):
            context = compare.Context(program, row, arguments, a, x, twin)
            why = self.first_difference(context, tally)
            if why:
                self.difference(tally, program, text, arguments, why)
                return

    def first_difference(self, context, tally):
        if [(r.shape, r.dtype) for r in context.axle] != [(r.shape, r.dtype) for r in context.xla]:
            return f"axle gives {context.axle}, XLA {context.xla}"
        for i, (a, x) in enumerate(zip(context.axle, context.xla)):
            with np.errstate(all="ignore"):
                ok = compare.check_of(context, i)(context, i)
                for known in KNOWN:
                    if ok.all() or known.where is None or not known.applies(context.program):
                        continue
                    mask = known.where(context, i) & ~ok
                    tally.known[known.reason] += int(mask.sum())
                    ok = ok | mask
            if not ok.all():
                where = tuple(int(k[0]) for k in np.nonzero(~ok)) if a.ndim else ()
                text = (
                    f"out_{i} {type_of(a).name} element {{{','.join(map(str, where))}}}: axle {a[where]!r}, "
                    f"XLA {x[where]!r}; {int((~ok).sum())} of {a.size} differ"
                )
                same = [b[where] for b in context.arguments if b.shape == a.shape]
                return text + (f"; arguments there {same}" if same else "")
        return ""

    def difference(self, tally, program, text, arguments, why):
        tally.differences += 1
        self.report(program, text, arguments, why)

    def report(self, program, text, arguments, why):
        """A repro that can be pasted."""
        self.failures += 1
        folder = os.path.join(self.options.keep, "diff_failures")
        os.makedirs(folder, exist_ok=True)
        base = os.path.join(folder, f"{program.op}_{program.type}_{self.failures}")
        with open(base + ".hlo", "w") as file:
            file.write(text)
        clear_progress()
        print(f"DIFFERENCE {program.op} {program.type}: {why}\n{text}")
        inputs = ""
        if arguments:
            save_inputs(base + ".npz", arguments)
            inputs = f" --inputs {base}.npz"
        print(
            f"repro: {self.options.tool} run {base}.hlo{inputs}\n"
            f"repro: tests/diff_xla.py --program {base}.hlo{inputs}\n",
            flush=True,
        )


def progress(done, total, name):
    if sys.stderr.isatty():
        width = 30
        filled = width * done // max(total, 1)
        sys.stderr.write(f"\r\033[K[{'#' * filled}{'.' * (width - filled)}] {done}/{total} {name}")
        sys.stderr.flush()


def clear_progress():
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")


def summary(run, rows):
    """Markdown: one line per op, one column per class of element types. `*`: listed below with a reason."""
    lines = ["| operation | " + " | ".join(CLASSES) + " |", "|---|" + "---|" * len(CLASSES)]
    notes = collections.Counter()
    for row in rows:
        cells = []
        for kind in CLASSES:
            tally = run.tallies.get((row["name"], kind))
            if why_not(row["name"], kind):
                cells.append("*")
            elif tally is None or (tally.cases == 0 and not tally.refused):
                cells.append("")
            elif tally.cases == 0:
                cells.append(
                    "not yet"
                    if "still to come" in tally.refused or "not evaluated" in tally.refused
                    else "-"
                )
            else:
                lacking = sum(tally.xla_refused.values())
                cell = (
                    f"{tally.cases - tally.not_run}" if tally.not_run < tally.cases else "not yet"
                )
                if tally.not_run:
                    notes[
                        f"not yet in Axle: {row['name']}, {kind}: {tally.refused}"
                    ] += tally.not_run
                if tally.differences:
                    cell += f" **{tally.differences} differ**"
                cells.append(cell + (f" ({lacking} not in XLA)" if lacking else ""))
            if tally is not None:
                for reason, count in (+tally.known).items():
                    notes[f"known: {reason} ({row['name']})"] += count
                for reason, count in tally.xla_refused.items():
                    notes[f"XLA lacks: {row['name']}: {reason}"] += count
        lines.append(f"| {row['name']} | " + " | ".join(cells) + " |")
    names = {row["name"] for row in rows}
    reasons = collections.defaultdict(list)
    for name, reason in sorted(NOT_COMPARED.items()):
        reasons[reason] += [name] if name in names else []
    for (name, kind), reason in sorted(CLASSES_NOT_COMPARED.items()):
        reasons[reason] += [f"{name} of {kind}"] if name in names else []
    for name, reason in sorted(TYPES_NOT_COMPARED.items()):
        reasons[reason].append(name)
    for reason, what in reasons.items():
        if what:
            notes[f"not compared: {', '.join(what)}: {reason}"] += 0
    for what, reason in NOT_DRAWN.items():
        notes[f"not drawn: {what}: {reason}"] += 0
    lines.append("")
    lines += [
        f"* {text}" + (f": {count} elements or cases" if count else "")
        for text, count in sorted(notes.items())
    ]
    return "\n".join(lines)


def why_not(name, kind):
    return NOT_COMPARED.get(name) or CLASSES_NOT_COMPARED.get((name, kind))


def uncovered(run, rows):
    """Cells that are neither compared, nor rejected by a rule of the op, nor listed with a reason."""
    complaints = []
    for row in rows:
        for kind in CLASSES:
            tally = run.tallies.get((row["name"], kind))
            if why_not(row["name"], kind) or (tally and tally.cases > tally.not_run):
                continue
            first = (row["element_types"] or [{"supported": []}])[0]
            taken = {t.name for t in of_class(kind)} & set(first["supported"])
            refused = tally.refused if tally else ""
            if taken or not refused:
                complaints.append(f"{row['name']}, {kind}: {refused or 'no program was drawn'}")
    return complaints


def show_program(options):
    """Both results of one program."""
    with open(options.program) as file:
        text = file.read()
    axle, xla = Axle(options.tool, options.engine), Xla(QUICK_XLA if options.quick else {})
    arguments = []
    if options.inputs:
        found = re.findall(
            r"= ([a-z0-9]+)\[[^ ]* parameter\((\d+)\)", text[text.index("\nENTRY ") :]
        )
        with np.load(options.inputs) as npz:
            arguments = [
                from_file(npz[f"in_{n}"], t) for n, t in sorted((int(n), t) for t, n in found)
            ]
    code = 0
    ours = axle.run(axle.print(text), [arguments])[0]
    theirs = xla.run(axle.print(text), [arguments])[0]
    for i, (a, x) in enumerate(zip(ours, theirs)):
        print(f"out_{i}\n  axle {a!r}\n  XLA  {x!r}")
        code |= not compare.all_parts(compare.exact_part, a, x).all()
    axle.close()
    xla.close()
    print("some bits differ" if code else "the bits are equal")
    return int(code)


def read_options():
    build = os.environ.get("AXLE_BINARY_DIR", os.path.join(ROOT, "build", "dev"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", help="only these, separated by commas")
    parser.add_argument(
        "--count", type=int, default=10, help="cases for each op and class of types"
    )
    parser.add_argument("--draws", type=int, default=5, help="argument lists for each program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=0, help="seconds; 0 for none")
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th op, from the I-th")
    parser.add_argument("--quick", action="store_true", help="XLA compiles without optimisation")
    parser.add_argument("--engine", default="interpret", help="of axle: interpret or native")
    parser.add_argument("--list", action="store_true", help="how each op is drawn")
    parser.add_argument("--report", help="write the table there too")
    parser.add_argument("--program", help="an .hlo file to run on both sides")
    parser.add_argument("--inputs", help="its .npz")
    parser.add_argument(
        "--tool", default=os.environ.get("AXLE_TOOL", os.path.join(build, "bin", "axle"))
    )
    parser.add_argument("--keep", default=build, help="folder for the repros")
    return parser.parse_args()


def main():
    options = read_options()
    if options.program:
        return show_program(options)
    table = json.loads(
        subprocess.run([options.tool, "ops", "--json"], capture_output=True, check=True).stdout
    )
    rows = table["ops"]
    if options.ops:
        names = options.ops.split(",")
        unknown = set(names) - {row["name"] for row in rows}
        if unknown:
            print(f"no such operation: {', '.join(sorted(unknown))}", file=sys.stderr)
            return 2
        rows = [row for row in rows if row["name"] in names]
    index, shards = map(int, options.shard.split("/"))
    rows = rows[index - 1 :: shards]
    if options.list:
        for row in rows:
            how = "generator" if row["name"] in structural.GENERATORS else "from its row"
            if row["name"] in NOT_COMPARED:
                how = f"not compared: {NOT_COMPARED[row['name']]}"
            print(f"{row['name']:28}{how}")
        return 0
    run = Run(options)
    started = time.monotonic()
    work = [(row, kind) for row in rows for kind in CLASSES if not why_not(row["name"], kind)]
    for done, (row, kind) in enumerate(work):
        progress(done, len(work), f"{row['name']} {kind}")
        # A seed of its own, so that a class gives the same cases whatever else is run.
        seed = [options.seed, *f"{row['name']} {kind}".encode()]
        run.compare_class(np.random.default_rng(seed), row, kind)
    clear_progress()
    run.close()
    text = summary(run, rows)
    print(text)
    if options.report:
        with open(options.report, "w") as file:
            file.write(text + "\n")
    missing = [] if run.out_of_time() else uncovered(run, rows)
    if missing:
        print(
            "neither compared nor known why not; a generator (tests/diff/structural.py) or a reason "
            "(tests/diff/known.py) is missing:",
            *missing,
            sep="\n  ",
        )
    cases = sum(t.cases for t in run.tallies.values())
    print(
        f"{cases} cases, {run.failures} differences, seed {options.seed}, {time.monotonic() - started:.0f} s"
    )
    return int(run.failures > 0 or bool(missing))


if __name__ == "__main__":
    sys.exit(main())
