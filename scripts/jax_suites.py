#!/usr/bin/env python3
"""Runs test suites of others on Axle and on XLA:CPU, and compares: jax_suites.py [OPTIONS] [SUITE...]

Suites are JAX's own tests, by the names of their files (lax, nn, linalg, ...), from the checkout of jax-ml/jax that
--jax-tests or JAX_TESTS names, and the tests that wheels carry (chex, optax, haiku). What counts is the difference: of the tests
that pass on XLA:CPU, how many pass on Axle, which takes the place of JAX's platform "cpu" (AXLE_AS_CPU=1), so that the same
tests run. Each file runs in a process of its own, --jobs at a time; a crash or a hang is written as the failure of its
test, and the file goes on with the next one. Results are kept in --results: a second call runs only what is missing.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# JAX's own tests: files of tests/ without "_test.py".
JAX = [
    "lax", "lax_numpy", "lax_numpy_indexing", "lax_numpy_reducers", "lax_numpy_einsum", "lax_numpy_operators",
    "lax_numpy_ufuncs", "nn", "fft", "random", "lax_scipy", "linalg", "lax_control_flow", "lax_autodiff", "lax_vmap", "api",
    "dtypes", "array", "export", "shape_poly", "python_callback", "ffi", "compilation_cache", "debugging_primitives",
    "checkify", "lax_scipy_sparse", "scipy_signal", "scipy_stats", "batching", "custom_linear_solve", "ode", "scipy_ndimage",
]  # fmt: skip
# Suites of wheels: the package and what pytest gets.
WHEELS = {"chex": ["--pyargs", "chex"], "optax": ["--pyargs", "optax"], "haiku": ["--pyargs", "haiku"]}
PLATFORMS = ("xla", "axle")


def environment(options, platform, log):
    env = dict(os.environ)
    env.update(
        AXLE_SUITE_LOG=str(log), AXLE_SUITE_TIMEOUT=str(options.timeout), JAX_PLATFORMS="cpu", JAX_SKIP_SLOW_TESTS="1",
        JAX_NUM_GENERATED_CASES=str(options.cases), JAX_TRACEBACK_FILTERING="off", PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
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
    """Runs a file until all of its tests have an end; each crash costs one more process."""
    log = log_of(options, suite, platform)
    done = log.with_suffix(".done")
    if done.exists():
        return
    targets, folder = targets_of(options, suite)
    command = [options.python, "-m", "pytest", "-q", "-p", "jax_suite_plugin", "-p", "no:cacheprovider", "-o", "addopts=",
               "--tb=short", "--continue-on-collection-errors", *targets]  # fmt: skip
    if options.keyword:
        command += ["-k", options.keyword]
    for attempt in range(100):
        with open(log.with_suffix(".out"), "a") as out:
            code = subprocess.run(
                command, cwd=folder, env=environment(options, platform, log), stdout=out, stderr=subprocess.STDOUT
            ).returncode
        # 0: all pass, 1: some fail, 5: nothing left to run. Else the process died in a test, if it came so far; one
        # that took too long ends it with 1.
        if code in (0, 1, 5) and not is_unfinished(log):
            done.touch()
            return
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


def report(options, suites):
    print(f"\n{'suite':24} {'XLA:CPU':>8} {'Axle':>8} {'of those':>9} {'crash':>6}  tests that pass on XLA:CPU")
    total = collections.Counter()
    reasons = collections.defaultdict(list)
    for suite in suites:
        xla, axle = (outcomes(options, suite, platform) for platform in PLATFORMS)
        passed = [test for test, (outcome, _) in xla.items() if outcome == "passed"]
        both = [test for test in passed if axle.get(test, ("missing", ""))[0] == "passed"]
        crashes = sum(outcome == "crash" for outcome, _ in axle.values())
        total.update(passed=len(passed), both=len(both), crashes=crashes)
        share = f"{len(both) / len(passed):9.2%}" if passed else f"{'-':>9}"
        print(f"{suite:24} {len(passed):8} {len(both):8} {share} {crashes:6}")
        for test in passed:
            outcome, why = axle.get(test, ("missing", "it did not run"))
            if outcome != "passed":
                reasons[f"{outcome}: {why}"].append(test)
    share = total["both"] / total["passed"] if total["passed"] else 0
    print(f"{'all':24} {total['passed']:8} {total['both']:8} {share:9.2%} {total['crashes']:6}")
    if reasons:
        path = options.results / "failures.txt"
        with open(path, "w") as file:
            for why, tests in sorted(reasons.items(), key=lambda item: -len(item[1])):
                file.write(f"{len(tests)} x {why}\n")
                file.writelines(f"    {test}\n" for test in tests)
        print(f"\nwhat fails on Axle alone, by its message: {path}")
    return share


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
    parser.add_argument("--fresh", action="store_true", help="forget earlier results of these suites")
    parser.add_argument("--least", type=float, default=0, help="exit with 1 below this share, such as 0.99")
    options = parser.parse_args()

    suites = options.suites or [*(JAX if options.jax_tests else []), *WHEELS]
    if not options.jax_tests and any(suite not in WHEELS for suite in suites):
        parser.error("JAX's own tests need --jax-tests or JAX_TESTS, a checkout of jax-ml/jax")
    options.python = os.path.abspath(options.python)  # each suite has a folder of its own
    options.results = options.results.resolve()
    options.results.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        for suite in suites:
            for path in options.results.glob(f"{suite}.*"):
                path.unlink()
    jobs = [(suite, platform) for suite in suites for platform in options.platform or PLATFORMS]
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
    return 0 if report(options, suites) >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
