"""Samples of several sides in turns, again if they are too noisy; and the line that tells how far a comparison is."""

import sys
import time

from . import stats
from .machine import OtherLoad
from .process import Failure


class Progress:
    """A line on stderr if that is a terminal."""

    def __init__(self, total):
        self._total, self._done, self._begin = total, 0, time.monotonic()
        self._shown = sys.stderr.isatty()

    def show(self, what):
        if self._shown:
            filled = 24 * self._done // max(1, self._total)
            spent = time.monotonic() - self._begin
            left = f", {spent / self._done * (self._total - self._done) / 60:.0f} min left" if self._done else ""
            bar = "#" * filled + "." * (24 - filled)
            sys.stderr.write(f"\r\033[K[{bar}] {self._done}/{self._total} {what}{left}")
            sys.stderr.flush()

    def step(self):
        self._done += 1

    def clear(self):
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def sample(ready, problems, samples, time_limit, retries, cpus=()):
    """({key: seconds per call}, why it does not count or "").

    ready       {key: Side that holds a program}; a side that fails is taken out
    problems    {key: text}: gets why a side failed
    samples     of each side
    time_limit  seconds for the samples of a side
    retries     of a run that is too noisy
    cpus        whose load by others is noise; all if empty
    """
    best = None
    for _ in range(1 + retries):
        failed = []

        def sampler(key, side):
            def seconds(calls):
                try:
                    return side.ask("sample", calls, timeout=2 * time_limit)
                except Failure as failure:
                    failed.append(key)
                    problems[key] = str(failure)
                    raise

            return seconds

        load_of_others = OtherLoad(ready.values(), cpus)
        try:
            times = stats.interleave([sampler(k, s) for k, s in ready.items()], samples, time_limit * len(ready))
        except Failure:
            for key in failed:
                del ready[key]
            if not ready:
                return {}, ""
            continue
        noisy = stats.noise(times, load_of_others())
        best = dict(zip(ready, times)), noisy
        if not noisy:
            break
    return best or ({}, "")
