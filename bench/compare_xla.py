#!/usr/bin/env python3
"""Compares Axle with XLA:CPU on the programs of bench/programs/ or bench/breadth/; docs/benchmarks.md says how.

    bench/compare_xla.py                         all programs, 1 and 2 threads: hours
    bench/compare_xla.py --quick                 the headline set on 1 thread, with few samples
    bench/compare_xla.py --only D1 T1.exp.1M --threads 1 2
    bench/compare_xla.py --suite breadth --threads 1      the small functions of bench/breadth/
    bench/compare_xla.py --self-test             each side against itself: ratios must be 1 within 5 %

Needs a build of Axle (cmake --build --preset bench) and jaxlib (scripts/deps.sh --compare).
"""

import argparse
import json
import os
import pickle
import signal
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "bench")]
import jaxlib_python  # noqa: E402

START_SECONDS = 120  # for a process of one side to start
COMPILE_SECONDS = 20  # at least
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
LARGE_RESULT = 32 << 20  # from here on XLA's time is that of fresh pages, unless they are huge
REFERENCE_BYTES = 512 << 20  # larger programs are not run in f64: that takes up to four times as much, several times over
FLOOR_PROGRAM = "W7.add"
PROFILE_SECONDS = 0.2  # of runs whose steps are timed, where Axle is slower
SELF_TEST = ("E1.1024", "T1.exp.1M", "R1.minor.1024", "N1.1Kx1K", "D1.256", "W7.add")
SELF_TEST_BAR = 0.05


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="docs/benchmarks.md has the method.")
    parser.add_argument(
        "--quick", action="store_true", help="headline set, 1 thread, XLA's synchronous mode, 7 samples, 4 s per side"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="programs, or what their ids begin with")
    parser.add_argument(
        "--suite", choices=("programs", "breadth"), default="programs", help="the folder of bench/ (default: programs)"
    )
    parser.add_argument(
        "--family", nargs="+", default=[], metavar="NAME", help="families: E T R ... of programs, words of breadth"
    )
    parser.add_argument("--headline", action="store_true", default=None, help="only the headline set")
    parser.add_argument("--engine", choices=("interpret", "native"), default="native", help="Axle's (default: native)")
    parser.add_argument(
        "--numerics", nargs="+", choices=("strict", "fast"), help="Axle's (default: both; quick: strict)"
    )
    parser.add_argument("--threads", nargs="+", type=int, metavar="N", help="default: 1 2")
    parser.add_argument(
        "--modes", nargs="+", choices=("sync", "async"), help="XLA's; the faster one counts (default: both)"
    )
    parser.add_argument("--samples", type=int, metavar="N", help="of each side, of 5 ms or more (default: 15)")
    parser.add_argument(
        "--time-limit",
        type=float,
        metavar="S",
        help="seconds for the samples of a side, and for each request; 20 or more for a compilation (default: 30)",
    )
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="of a run that is too noisy (default: 2)")
    parser.add_argument("--keep-noisy", action="store_true", help="count runs that stay too noisy; they are marked")
    parser.add_argument("--no-reference", action="store_true", help="leave out the errors against f64")
    parser.add_argument("--cold", action="store_true", help="also compile in fresh processes")
    parser.add_argument(
        "--build",
        default=os.path.join(ROOT, "build", "bench"),
        metavar="DIR",
        help="of Axle (default: build/bench)",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="where results go; .md and .svg lie beside it (default: build/compare/...)"
    )
    parser.add_argument("--self-test", action="store_true", help="Axle against Axle, XLA against XLA")
    parser.add_argument("--list", action="store_true", help="print the programs and stop")
    options = parser.parse_args()
    quick = options.quick
    if quick and options.headline is None and not (options.only or options.family or options.suite != "programs"):
        options.headline = True
    options.threads = options.threads or ([1] if quick else [1, 2])
    options.numerics = options.numerics or (["strict"] if quick else ["strict", "fast"])
    options.modes = options.modes or (["sync"] if quick else ["sync", "async"])
    options.samples = options.samples or (7 if quick else 15)
    options.time_limit = options.time_limit or (4 if quick else 30)
    return options


class Comparison:
    """All programs with one number of threads."""

    def __init__(self, options, threads, cpus, folder):
        self.options, self.threads, self.folder = options, threads, folder
        axle = {"AXLE_LIBRARY": os.path.join(options.build, "lib", "libaxle.so")}
        self.axle = {
            n: Side("axle", threads, cpus, {"engine": options.engine, "numerics": n}, axle) for n in options.numerics
        }
        self.xla = {m: Side("xla", threads, cpus, {"mode": m}) for m in options.modes}
        self.huge = Side("xla", threads, cpus, {"mode": options.modes[0]}, HUGE_PAGES)
        self.reference = Side("xla", threads, cpus, {"mode": "async"})
        self.sides = [*self.axle.values(), *self.xla.values(), self.huge, self.reference]
        self.limits = Limits.measure(options.build, cpus[-threads:])
        self.floors = {}

    def start(self):
        """Starts the processes: {name: version}. Failure if one of them cannot."""
        versions = {}
        for side in (*self.axle.values(), *self.xla.values()):
            versions.update(side.ask("versions", timeout=START_SECONDS))
        return versions

    def stop(self):
        for side in self.sides:
            side.stop()

    def run(self, program):
        """The rows of a program, one for each of Axle's numerics."""
        times, facts, problems = {}, {}, {}
        running = {("axle", n): side for n, side in self.axle.items()} | {
            ("xla", m): side for m, side in self.xla.items()
        }
        for key, side in running.items():
            try:
                facts[key] = self._prepare(program, side, key)
            except Failure as failure:
                problems[key] = str(failure)
        self._check(program, facts, problems)
        ready = {key: side for key, side in running.items() if key in facts and key not in problems}
        noisy = ""
        # Without a partner a time says nothing about the ratio, but it is told.
        if not program.compile_only and ready:
            large = max(facts[key].get("result_bytes", 0) for key in ready) >= LARGE_RESULT
            if large and not self.options.quick and any(k[0] == "xla" for k in ready):
                try:
                    facts["xla", "huge"] = self._prepare(program, self.huge, ("xla", "huge"))
                    ready["xla", "huge"] = self.huge
                except Failure as failure:
                    problems["xla", "huge"] = str(failure)
            options = self.options
            times, noisy = sampling.sample(ready, problems, options.samples, options.time_limit, options.retries)
            for key, side in list(ready.items()):
                try:
                    facts[key]["peak_mb"] = side.ask("peak_mb", timeout=START_SECONDS)
                except Failure as failure:
                    problems[key] = str(failure)
            self._profile_slow(times, ready, facts)
        if any(stats.p20(samples) < stats.FLOOR_ROWS for samples in times.values()):
            self.measure_floor()  # as the machine is just now
        for side in (*running.values(), self.huge):
            if side.is_running:
                try:
                    side.ask("drop", timeout=START_SECONDS)
                except Failure:
                    side.stop()
        return [self._row(program, n, times, facts, problems, noisy) for n in self.axle]

    def run_or_say_why(self, program):
        """As run(); what goes wrong in this process is the reason of the rows, and the next program is tried."""
        try:
            return self.run(program)
        except Exception as error:  # noqa: BLE001: hours of other rows are worth more than this one
            self.stop()
            problem = f"the comparison itself: {type(error).__name__}: {error}"
            keys = [("axle", n) for n in self.axle]
            return [self._row(program, n, {}, {}, {key: problem for key in keys}, "") for n in self.axle]

    def _prepare(self, program, side, key):
        limit = max(self.options.time_limit, 1)
        if not side.is_running:
            side.ask("versions", timeout=START_SECONDS)
        facts = side.ask("compile", program.id, timeout=max(limit, COMPILE_SECONDS))
        if not program.compile_only:
            path = os.path.join(self.folder, "-".join(key))
            facts.update(side.ask("first", path, timeout=limit + 10))
            facts["result_bytes"] = os.path.getsize(path)
            facts["path"] = path
        if self.options.cold and key[0] == "axle" or self.options.cold and key[1] == self.options.modes[0]:
            fresh = side.another()
            fresh.ask("versions", timeout=START_SECONDS)
            try:
                facts["cold_ms"] = fresh.ask("compile", program.id, timeout=max(limit, COMPILE_SECONDS))["compile_ms"]
            finally:
                fresh.stop()
        return facts

    def _check(self, program, facts, problems):
        """Compares results with those of XLA, and both with f64 where there is such a program."""
        if program.compile_only:
            return
        expected = next((facts[key] for key in facts if key[0] == "xla"), None)
        results = {key: load(fact["path"]) for key, fact in facts.items()}
        reference = self._reference(program) if results else None
        for key, arrays in results.items():
            if reference is not None:
                facts[key]["max_error"], _ = programs.compare(program, arrays, reference)
            if key[0] == "axle" and expected is not None:
                error, wrong = programs.compare(program, arrays, load(expected["path"]))
                facts[key]["difference"] = error
                if wrong:
                    problems[key] = f"not XLA's result: {wrong}"

    def _profile_slow(self, times, ready, facts):
        """Adds to the facts of a side of Axle's that is slower than XLA where its time goes."""
        theirs = min((stats.p20(t) for k, t in times.items() if k[0] == "xla" and k[1] != "huge"), default=None)
        for key, side in ready.items():
            if key[0] != "axle" or theirs is None or stats.p20(times[key]) <= theirs:
                continue
            calls = max(3, min(200, round(PROFILE_SECONDS / stats.p20(times[key]))))
            try:
                facts[key]["profile"] = side.ask("profile", calls, timeout=self.options.time_limit)
            except Failure:
                pass  # the times are there

    def _reference(self, program):
        if self.options.no_reference or program.check not in ("close", "absolute"):
            return None
        if program.bytes > REFERENCE_BYTES:
            return None
        path = os.path.join(self.folder, "reference")
        try:
            if not self.reference.is_running:
                self.reference.ask("versions", timeout=START_SECONDS)
            if self.reference.ask("compile", program.id, True, timeout=self.options.time_limit) is None:
                return None
            self.reference.ask("first", path, True, timeout=self.options.time_limit)
            arrays = load(path)
            self.reference.ask("drop", timeout=START_SECONDS)
            return arrays
        except Failure:
            return None

    def measure_floor(self):
        """What a call costs on each side, from the addition of two numbers; the least that was ever measured."""
        program = programs.select(programs.load(), [FLOOR_PROGRAM])[0]
        for key, side in [(("axle", n), s) for n, s in self.axle.items()] + [
            (("xla", m), s) for m, s in self.xla.items()
        ]:
            try:
                side.ask("compile", program.id, timeout=START_SECONDS)
                side.ask("first", os.path.join(self.folder, "floor"), timeout=START_SECONDS)
                (samples,) = stats.interleave(
                    [lambda n, side=side: side.ask("sample", n, timeout=START_SECONDS)], 15, 5
                )
                self.floors[key] = min(stats.p20(samples), self.floors.get(key) or 1)
                side.ask("drop", timeout=START_SECONDS)
            except Failure:
                self.floors.setdefault(key, None)

    def _row(self, program, numerics, times, facts, problems, noisy):
        own = ("axle", numerics)
        xla = min(
            (k for k in times if k[0] == "xla" and k[1] != "huge"), key=lambda k: stats.p20(times[k]), default=None
        )
        row = {
            "id": program.id,
            "family": program.family,
            "headline": program.headline,
            "compile_only": program.compile_only,
            "threads": self.threads,
            "numerics": numerics,
            "engine": self.options.engine,
            "remarks": [],
        }
        ours, theirs = facts.get(own, {}), facts.get(xla or ("xla", self.options.modes[0]), {})
        for prefix, fact in (("axle_", ours), ("xla_", theirs)):
            row.update(
                {
                    prefix + name: fact[name]
                    for name in ("compile_ms", "compile_peak_mb", "first_ms", "cold_ms")
                    if name in fact
                }
            )
        if "profile" in ours:
            row["profile"] = ours["profile"]
        for name, fact in (("peak_rss_mb", "peak_mb"), ("max_error", "max_error"), ("difference", "difference")):
            row.update({p + name: f[fact] for p, f in (("", ours), ("xla_", theirs)) if f.get(fact) is not None})
        for prefix, key in (("axle_", own), ("xla_", xla)):
            if key in times:
                row[f"{prefix}ms"], row[f"{prefix}min_ms"] = stats.p20(times[key]) * 1e3, min(times[key]) * 1e3
                row[f"{prefix}samples"] = len(times[key])
        if xla is not None:
            row["xla_mode"] = xla[1]
            row.update({f"xla_{k[1]}_ms": stats.p20(times[k]) * 1e3 for k in times if k[0] == "xla"})
        if own in times and xla is not None:
            self._add_ratio(program, row, stats.p20(times[own]), stats.p20(times[xla]), own, xla)
            if noisy:
                row["noisy"] = noisy
                row["remarks"].append(noisy)
            if ("xla", "huge") in times:
                row["ratio_huge"] = stats.p20(times["xla", "huge"]) / stats.p20(times[own])
                row["remarks"].append(f"{row['ratio_huge']:.2f}x to XLA with huge pages")
        elif program.compile_only and "axle_compile_ms" in row and "xla_compile_ms" in row:
            row["compile_ratio"] = row["xla_compile_ms"] / row["axle_compile_ms"]
            row["remarks"].append(f"compiles {row['compile_ratio']:.2f}x as fast")
        else:
            wanted = [own] + [k for k in problems if k[0] == "xla" and k[1] != "huge"]
            row["reason"] = "; ".join(f"{k[0]}: {problems[k]}" for k in wanted if k in problems) or "no time"
            row["remarks"].append(row["reason"])
        if self.limits is not None and not program.compile_only:
            least = self.limits.seconds(program)
            row["limit_ms"] = least * 1e3 if least else None
            for prefix, name in (("axle_", "limit_share"), ("xla_", "xla_limit_share")):
                if least and f"{prefix}ms" in row:
                    row[name] = least * 1e3 / row[f"{prefix}ms"]
        return row

    def _add_ratio(self, program, row, ours, theirs, own, xla):
        floors = self.floors.get(own), self.floors.get(xla)
        if min(ours, theirs) < stats.FLOOR_ROWS and all(floors) and not program.id.startswith("W7"):
            row["floor_ms"], row["xla_floor_ms"] = (f * 1e3 for f in floors)
            costs = f"the calls' {floors[0] * 1e6:.1f} and {floors[1] * 1e6:.1f} us"
            left = stats.without_floor(ours, floors[0]), stats.without_floor(theirs, floors[1])
            if None in left:
                row["remarks"].append(f"hardly more than {costs}")
            else:
                ours, theirs = left
                row["remarks"].append(f"ratio without {costs}")
        row["ratio"] = theirs / ours


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def self_test_ratio(options, pair, program, folder):
    """(ratio of the two, why the run does not count or ""), of the first run that counts or is within the bar, or of
    the last of some tries."""
    for attempt in range(1 + options.retries):
        for side in pair:
            if attempt > 0:
                side.stop()  # a process may be slower than its twin by where its memory happens to lie
            side.ask("versions", timeout=START_SECONDS)
            side.ask("compile", program.id, timeout=START_SECONDS)
            side.ask("first", os.path.join(folder, "self"), timeout=START_SECONDS)
        others = OtherLoad(pair)
        times = stats.interleave(
            [lambda n, s=s: s.ask("sample", n, timeout=START_SECONDS) for s in pair], options.samples, 20
        )
        noisy = stats.noise(times, others())
        ratio = stats.p20(times[1]) / stats.p20(times[0])
        if not noisy or abs(ratio - 1) <= SELF_TEST_BAR:
            break
    return ratio, noisy


def self_test(options, cpus, folder):
    """Each side against itself; True if each ran something and all ratios are 1 within the bar."""
    wanted = options.only or SELF_TEST
    good = True
    axle = {"AXLE_LIBRARY": os.path.join(options.build, "lib", "libaxle.so")}
    for threads in options.threads:
        for kind, settings, environment in (
            ("axle", {"engine": options.engine, "numerics": "strict"}, axle),
            ("xla", {"mode": "sync"}, {}),
        ):
            pair = [Side(kind, threads, cpus, settings, environment) for _ in range(2)]
            ran = 0
            for program in programs.select(programs.load(), wanted):
                try:
                    ratio, noisy = self_test_ratio(options, pair, program, folder)
                except Failure as failure:
                    print(f"{kind:5} {threads} threads {program.id:16} not run: {failure}", flush=True)
                    continue
                ran += 1
                fine = abs(ratio - 1) <= SELF_TEST_BAR
                good = good and fine
                print(
                    f"{kind:5} {threads} threads {program.id:16} {ratio:6.3f}x "
                    + ", ".join(filter(None, ("ok" if fine else "differs", noisy))),
                    flush=True,
                )
            for side in pair:
                side.stop()
            good = good and ran > 0
    return good


def compare(options, chosen, cpus, folder):
    result = {
        "machine": machine.describe(),
        "versions": {},
        "date": machine.today(),
        "commit": machine.commit(),
        "engine": options.engine,
        "quick": options.quick,
        "samples": options.samples,
        "limits": {},
        "rows": [],
        "geomean": {},
    }
    progress = Progress(len(chosen) * len(options.threads))
    comparison = None
    try:
        for threads in options.threads:
            if threads > len(cpus):
                print(f"compare: only {len(cpus)} processors; {threads} threads are left out", file=sys.stderr)
                continue
            comparison = Comparison(options, threads, cpus, folder)
            try:
                result["versions"].update(comparison.start())
            except Failure as failure:
                sys.exit(f"compare: {failure}")
            if comparison.limits is not None:
                result["limits"][str(threads)] = comparison.limits.measured
            comparison.measure_floor()
            for program in chosen:
                progress.show(f"{program.id}, {threads} threads")
                result["rows"] += comparison.run_or_say_why(program)
                progress.step()
            comparison.stop()
    except KeyboardInterrupt:
        result["interrupted"] = True
    finally:
        progress.clear()
        if comparison is not None:
            comparison.stop()
    result["geomean"] = {
        f"{threads} {numerics} {name}": stats.scores(part)
        for headline, name in ((True, "headline"), (False, "all"))
        for (threads, numerics), part in report.configurations(
            report.scored(result["rows"], headline, options.keep_noisy)
        ).items()
    }
    return result


def main():
    options = arguments()
    chosen = programs.select(programs.load(options.suite), options.only, options.family, options.headline)
    if options.list:
        for program in chosen:
            name = program.id + ("*" if program.headline else "")
            print(f"{name:24} {program.flops:10.3g} flop {program.bytes:10.3g} bytes  {program.note}".rstrip())
        return 0
    if not chosen:
        sys.exit("compare: no such program; --list has them")
    library = os.path.join(options.build, "lib", "libaxle.so")
    if not os.path.exists(library):
        sys.exit(f"compare: {library} is not there; build it: cmake --preset bench && cmake --build --preset bench")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # results that are there are written
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="axle-compare-") as folder:
        if options.self_test:
            return 0 if self_test(options, cpus, folder) else 1
        result = compare(options, chosen, cpus, folder)
    text = report.table(result, options.keep_noisy)
    print(text, end="")
    path = options.json or os.path.join(
        ROOT, "build", "compare", f"compare-{result['date']}-{machine.slug(result['machine'])}.json"
    )
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    base = path[: -len(".json")] if path.endswith(".json") else path
    for name, content in (
        (path, json.dumps(result, indent=1) + "\n"),
        (base + ".md", text),
        (base + ".svg", report.chart(result, options.keep_noisy)),
    ):
        with open(name, "w") as file:
            file.write(content)
    print(f"\n{path}, {base}.md, {base}.svg")
    return 130 if result.get("interrupted") else 0


if __name__ == "__main__":
    jaxlib_python.enter()
    from compare import machine, programs, report, sampling, stats
    from compare.machine import Limits, OtherLoad
    from compare.process import Failure, Side
    from compare.sampling import Progress

    sys.exit(main())
