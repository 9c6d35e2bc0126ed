#!/usr/bin/env python3
"""Runs test suites of others on Axle and on XLA:CPU, and compares: jax_suites.py [OPTIONS] [SUITE...]

Suites are JAX's own tests, by the names of their files (lax, nn, linalg, ...), from the checkout of jax-ml/jax that
--jax-tests or JAX_TESTS names, and the tests that wheels carry (chex, optax, haiku). What counts is the difference: of the tests
that pass on XLA:CPU, how many pass on Axle, which takes the place of JAX's platform "cpu" (AXLE_AS_CPU=1), so that the same
tests run. Each file runs in a process of its own, --jobs at a time; a crash or a hang is written as the failure of its
test, and the file goes on with the next one. Results are kept in --results: a second call runs only what is missing.

--seconds bounds the whole. Then each suite's tests run in an order that is drawn from --seed, the same on both sides, and
what counts is the tests that both came to. A second call goes on with the others.

--failing runs Axle first, and on XLA:CPU only what did not pass: that finds every test that fails on Axle alone, and leaves
open how many pass on both.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# JAX's own tests: files of tests/ without "_test.py".
JAX = [
    "lax", "lax_numpy", "lax_numpy_indexing", "lax_numpy_reducers", "lax_numpy_einsum", "lax_numpy_operators",
    "lax_numpy_ufuncs", "nn", "fft", "random", "lax_scipy", "linalg", "lax_control_flow", "lax_autodiff", "lax_vmap", "api",
    "dtypes", "array", "export", "shape_poly", "python_callback", "ffi", "compilation_cache", "debugging_primitives",
    "checkify", "lax_scipy_sparse", "shard_map", "pmap", "pjit", "scipy_signal", "scipy_stats", "batching", "custom_linear_solve", "ode", "scipy_ndimage",
]  # fmt: skip
# Suites of wheels: the package and what pytest gets.
WHEELS = {"chex": ["--pyargs", "chex"], "optax": ["--pyargs", "optax"], "haiku": ["--pyargs", "haiku"]}
PLATFORMS = ("xla", "axle")
# Tests that pass on XLA:CPU by what they take for granted of it, and the reason. They count in the table as what they are,
# and not for --least.
KNOWN = {
    "optax: contrib/_galore_test.py::GaLoreTest::test_projector_updates_when_gap_is_one":
        "expects other singular vectors where rows change places; Axle's SVD gives the same ones, which is right too",
}  # fmt: skip
MOST_PRINTED = 20  # failures; more are only in the file


class Deadlines:
    """Until when the tests of a suite are started. The time that is left when a suite begins is shared equally by the
    suites that have not begun; both of its platforms have the same end. Without `seconds` there is none."""

    def __init__(self, seconds, suites, clock=time.time):
        self._end = None if seconds is None else clock() + seconds
        self._left = len(suites)
        self._clock = clock
        self._known = {}
        self._lock = threading.Lock()

    def of(self, suite):
        if self._end is None:
            return None
        with self._lock:
            if suite not in self._known:
                now = self._clock()
                self._known[suite] = now + (self._end - now) / self._left
                self._left -= 1
            return self._known[suite]

    def most(self, suite):
        """The seconds that a process of the suite may take that begins now: its tests end by themselves."""
        return None if self._end is None else max(self.of(suite) - self._clock(), 0) + 300

    def is_over(self, suite):
        return self._end is not None and self._clock() >= self.of(suite)


def environment(options, suite, platform, log):
    env = dict(os.environ)
    env.update(
        AXLE_SUITE_LOG=str(log), AXLE_SUITE_TIMEOUT=str(options.timeout), JAX_PLATFORMS="cpu", JAX_SKIP_SLOW_TESTS="1",
        JAX_NUM_GENERATED_CASES=str(options.cases), JAX_TRACEBACK_FILTERING="off", PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
    env["AXLE_SUITE_SEED"] = "" if options.seed is None else str(options.seed)
    env["AXLE_SUITE_UNTIL"] = str(options.deadlines.of(suite) or "")
    paths = [str(ROOT / "scripts"), *options.path, env.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    env.pop("AXLE_AS_CPU", None)
    if platform == "axle":
        env["AXLE_AS_CPU"] = "1"
    return env


def log_of(options, suite, platform):
    return options.results / f"{suite}.{platform}.jsonl"


def targets_of(options, suite):
    if suite in WHEELS:
        return WHEELS[suite], options.results
    return [f"tests/{suite}_test.py"], options.jax_tests


def run(options, suite, platform):
    """Runs a suite until all of its tests have an end, or its time is over; each crash costs one more process."""
    log = log_of(options, suite, platform)
    done = log.with_suffix(".done")
    if done.exists():
        return
    targets, folder = targets_of(options, suite)
    command = [options.python, "-m", "pytest", "-q", "-p", "jax_suite_plugin", "-p", "no:cacheprovider", "-o", "addopts=",
               "--tb=short", "--continue-on-collection-errors", *targets]  # fmt: skip
    if options.keyword:
        command += ["-k", options.keyword]
    env = environment(options, suite, platform, log)
    only = options.failing and platform == "xla"
    if only:
        chosen = log.with_suffix(".chosen")
        ended = outcomes(options, suite, "axle").items()
        chosen.write_text(json.dumps([test for test, (outcome, _) in ended if outcome != "passed"]))
        env["AXLE_SUITE_ONLY"] = str(chosen)
    for attempt in range(100):
        with open(log.with_suffix(".out"), "a") as out:
            try:
                code = subprocess.run(
                    command, cwd=folder, env=env, stdout=out, stderr=subprocess.STDOUT, timeout=options.deadlines.most(suite)
                ).returncode
            except subprocess.TimeoutExpired:
                code = "no end"  # it hung outside of a test, whose time is limited by itself
        # 0: all pass, 1: some fail, 5: nothing left to run. Else the process died in a test, if it came so far; one
        # that took too long ends it with 1.
        if code in (0, 1, 5) and not is_unfinished(log):
            if not only:
                done.touch()
            return
        if options.deadlines.is_over(suite):
            return  # a later call goes on
        if not is_unfinished(log):
            break
    with open(log, "a") as file:
        file.write(json.dumps({"end": f"{suite} as a whole", "outcome": "crash", "why": f"pytest ended with {code}"}) + "\n")
    done.touch()


def is_unfinished(log):
    """Whether the last test that was started has no end."""
    lines = log.read_text().splitlines() if log.exists() else []
    return bool(lines) and "start" in json.loads(lines[-1])


def outcomes(options, suite, platform):
    log = log_of(options, suite, platform)
    found, started = {}, None
    if not log.exists():
        return found
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        if entry.get("end"):
            found[entry["end"]] = (entry["outcome"], entry["why"])
        elif "start" in entry:
            started = entry["start"]
    if started is not None and started not in found:
        found[started] = ("crash", "the process ended, or the test took too long")
    return found


def run_jobs(options, jobs):
    """Runs pairs of a suite and a platform, and says how each ended."""
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(run, options, *job): job for job in jobs}
        for i, future in enumerate(concurrent.futures.as_completed(running), 1):
            suite, platform = running[future]
            future.result()
            counts = collections.Counter(outcome for outcome, _ in outcomes(options, suite, platform).values())
            text = ", ".join(f"{counts[name]} {name}" for name in ("passed", "failed", "skipped", "crash") if counts[name])
            print(f"[{i}/{len(jobs)}] {suite} on {platform}: {text or 'nothing ran'} ({time.time() - start:.0f} s)",
                  flush=True)  # fmt: skip


def compare(options, suite):
    """What counts of a suite: the tests that pass on XLA:CPU, and a dict of those that do not pass on Axle, with the reason.
    While the suite has not ended on Axle, tests that it did not come to do not count."""
    xla, axle = (outcomes(options, suite, platform) for platform in PLATFORMS)
    passed = [test for test, (outcome, _) in xla.items() if outcome == "passed"]
    if not log_of(options, suite, "axle").with_suffix(".done").exists():
        passed = [test for test in passed if test in axle]
    differ = {}
    for test in passed:
        outcome, why = axle.get(test, ("missing", "it did not run"))
        if outcome != "passed":
            differ[test] = f"{outcome}: {why}"
    return passed, differ


def wrong_platforms(options, suite):
    """Sentences for the sides that ran on something else: a comparison of XLA:CPU with itself would always succeed."""
    for platform in PLATFORMS:
        log = log_of(options, suite, platform)
        for line in log.read_text().splitlines() if log.exists() else []:
            ran_on = json.loads(line).get("platform")
            if ran_on is not None and ("axle" in ran_on) != (platform == "axle"):
                yield f'{suite}: the side of {platform} ran on "{ran_on}"'


def report(options, suites):
    """Prints the table and returns the share of what passes on XLA:CPU that passes on Axle, without what is in KNOWN."""
    print(f"\n{'suite':24} {'XLA:CPU':>8} {'Axle':>8} {'of those':>9} {'crash':>6}  tests that pass on XLA:CPU")
    total = collections.Counter()
    reasons = collections.defaultdict(list)
    for suite in suites:
        passed, differ = compare(options, suite)
        both = len(passed) - len(differ)
        crashes = sum(outcome == "crash" for outcome, _ in outcomes(options, suite, "axle").values())
        total.update(passed=len(passed), both=both, crashes=crashes)
        share = f"{both / len(passed):9.2%}" if passed else f"{'-':>9}"
        ended = all(log_of(options, suite, platform).with_suffix(".done").exists() for platform in PLATFORMS)
        print(f"{suite:24} {len(passed):8} {both:8} {share} {crashes:6}{'' if ended else '  of the tests that both came to'}")
        for test, reason in differ.items():
            name = f"{suite}: {test}"
            reasons[f"known: {KNOWN[name]}" if name in KNOWN else reason].append(name)
            total["known"] += name in KNOWN
    share = total["both"] / total["passed"] if total["passed"] else 0
    print(f"{'all':24} {total['passed']:8} {total['both']:8} {share:9.2%} {total['crashes']:6}")
    if reasons:
        path = options.results / "failures.txt"
        with open(path, "w") as file:
            for why, tests in sorted(reasons.items(), key=lambda item: -len(item[1])):
                file.write(f"{len(tests)} x {why}\n")
                file.writelines(f"    {test}\n" for test in tests)
        print(f"\nwhat fails on Axle alone, by its message: {path}")
        if total["passed"] - total["both"] <= MOST_PRINTED:
            print(path.read_text(), end="")
    counted = total["passed"] - total["known"]
    return total["both"] / counted if counted else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="default: all that are there")
    parser.add_argument("--jax-tests", type=pathlib.Path, default=os.environ.get("JAX_TESTS"),
                        help="a checkout of jax-ml/jax of about the version that is installed (JAX_TESTS)")  # fmt: skip
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has jax, axle-compiler and pytest")
    parser.add_argument("--path", action="append", default=[], help="a folder in front of PYTHONPATH, any number of times")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build" / "jax-suites")
    parser.add_argument("--cases", type=int, default=10, help="generated cases of each of JAX's tests (default 10)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds of one test (default 120)")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time (default 2)")
    parser.add_argument("--keyword", "-k", help="only tests that pytest's -k chooses")
    parser.add_argument("--platform", choices=PLATFORMS, action="append", help="run one side only")
    parser.add_argument("--seconds", type=float, help="start no test after that time")
    parser.add_argument("--seed", type=int, help="draws the order of tests; drawn itself if --seconds is given without it")
    parser.add_argument("--failing", action="store_true", help="run on XLA:CPU only what does not pass on Axle")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results of these suites")
    parser.add_argument("--least", type=float, default=0, help="exit with 1 below this share, such as 0.99")
    options = parser.parse_args()

    suites = options.suites or [*(JAX if options.jax_tests else []), *WHEELS]
    if not options.jax_tests and any(suite not in WHEELS for suite in suites):
        parser.error("JAX's own tests need --jax-tests or JAX_TESTS, a checkout of jax-ml/jax")
    if options.seconds is not None and options.failing:
        parser.error("--failing needs all of Axle's results: not with --seconds")
    if options.seconds is not None and options.seed is None:
        options.seed = random.randrange(1_000_000)
    if options.seed is not None:
        print(f"order of tests: --seed {options.seed}", flush=True)
    options.python = os.path.abspath(options.python)  # each suite has a folder of its own
    options.results = options.results.resolve()
    options.results.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        for suite in suites:
            for path in options.results.glob(f"{suite}.*"):
                path.unlink()
    options.deadlines = Deadlines(options.seconds, suites)
    jobs = [(suite, platform) for suite in suites for platform in options.platform or PLATFORMS]
    if options.failing:
        run_jobs(options, [job for job in jobs if job[1] == "axle"])
        run_jobs(options, [job for job in jobs if job[1] == "xla"])
    else:
        run_jobs(options, jobs)
    share = report(options, suites)
    wrong = [sentence for suite in suites for sentence in wrong_platforms(options, suite)]
    for sentence in wrong:
        print(f"jax_suites: {sentence}", file=sys.stderr)
    return 0 if share >= options.least and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
