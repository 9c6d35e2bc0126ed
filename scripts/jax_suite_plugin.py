"""A pytest plugin for scripts/jax_suites.py: writes what happens to each test as it happens, so that a crash loses none.

AXLE_SUITE_LOG names the file, one JSON object per line: {"start": id}, then {"end": id, "outcome": ..., "why": ...}. Tests
that the file has already are left out, but for one that was started and never ended: it took the process with it, and is
written as a crash. AXLE_SUITE_TIMEOUT is the time of a test in seconds, after which the process ends. AXLE_SUITE_SEED draws
the order of the tests, which is that of pytest without; AXLE_SUITE_UNTIL, seconds since 1970, is when no further test starts.
AXLE_SUITE_ONLY names a file with a JSON list of the tests to run, all without.
At its end the process writes what JAX ran on: {"end": "", "platform": ...}.
"""

import faulthandler
import json
import os
import random
import sys
import time

_log = os.environ["AXLE_SUITE_LOG"]
_timeout = float(os.environ.get("AXLE_SUITE_TIMEOUT", "120"))
_seed = os.environ.get("AXLE_SUITE_SEED", "")
_until = float(os.environ.get("AXLE_SUITE_UNTIL") or "inf")
_only = os.environ.get("AXLE_SUITE_ONLY")
_largest = 3_000_000_000  # bytes of memory with which the process goes on as it is
_failure = {}


def _write(**entry):
    with open(_log, "a") as file:
        file.write(json.dumps(entry) + "\n")


def _seen():
    started, ended = None, set()
    if os.path.exists(_log):
        with open(_log) as file:
            for line in file:
                entry = json.loads(line)
                if "start" in entry:
                    started = entry["start"]
                else:
                    ended.add(entry["end"])
    if started is not None and started not in ended:
        _write(end=started, outcome="crash", why="the process ended, or the test took too long")
        ended.add(started)
    return ended


def pytest_collection_modifyitems(config, items):
    seen = _seen()
    _write(collected=len(items), end="")
    chosen = {item.nodeid for item in items}
    if _only:
        with open(_only) as file:
            chosen = set(json.load(file))
    left_out = [item for item in items if item.nodeid in seen or item.nodeid not in chosen]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in seen and item.nodeid in chosen]
    if _seed:
        # The place of a test depends on its name alone, so that both sides have the same order wherever they go on.
        items.sort(key=lambda item: random.Random(f"{_seed} {item.nodeid}").random())


def pytest_runtest_teardown(item, nextitem):
    if time.time() >= _until:
        item.session.shouldstop = "the time is over"


def pytest_sessionfinish(session):
    jax = sys.modules.get("jax")
    if jax is not None:
        try:
            _write(end="", platform=jax.devices()[0].client.platform_version)
        except Exception as error:  # no platform: each of its tests has failed
            print(error)


def _memory():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pytest_runtest_logstart(nodeid, location):
    _failure.clear()
    _write(start=nodeid)
    faulthandler.dump_traceback_later(_timeout, exit=True)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        why = ""
        if report.outcome == "failed":
            lines = str(report.longrepr).splitlines()
            marked = [line[2:].strip() for line in lines if line.startswith("E ")]
            why = (marked or lines or [""])[0][:400]
        elif report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            why = str(report.longrepr[2])[:200]
        outcome = "failed" if _failure.get("outcome") == "failed" else report.outcome
        _failure.update(outcome=outcome, why=_failure.get("why") or why)


def pytest_runtest_logfinish(nodeid, location):
    faulthandler.cancel_dump_traceback_later()
    _write(end=nodeid, outcome=_failure.get("outcome", "passed"), why=_failure.get("why", ""))
    # JAX keeps what it has compiled, which is gigabytes for a thousand tests.
    global _largest
    if "jax" in sys.modules and _memory() > _largest:
        sys.modules["jax"].clear_caches()
        _largest = max(_largest, _memory() + 1_000_000_000)
