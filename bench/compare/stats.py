"""Statistics of timings: what is told of samples, when they are to be thrown away, and how ratios are put together."""

import math

MIN_SECONDS = 0.005  # of a sample
MAX_DRIFT = 0.05
MAX_OTHER_LOAD = 0.3
FLOOR_ROWS = 20e-6  # below this the cost of a call is subtracted on both sides
LEAST_OF_FLOOR = 0.1  # if less than this part of the floor is left of a time, that is noise


def p20(times):
    """The value that a fifth of the times lies below."""
    return sorted(times)[len(times) // 5]


def drift(times):
    """How far the p20s of the first and the second half are apart, as a part of the second; 0 of fewer than 4 times."""
    if len(times) < 4:
        return 0.0
    half = len(times) // 2
    return abs(p20(times[:half]) / p20(times[half:]) - 1)


def geometric_mean(values):
    """None of no values."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def calls_per_sample(seconds_per_call):
    return max(1, math.ceil(1.2 * MIN_SECONDS / max(seconds_per_call, 1e-9)))  # a bit more: some samples are fast


def interleave(sides, samples, budget):
    """Times sides in turns: A B A B ...

    sides    functions from a number of calls to the seconds that they took
    samples  of each side, of at least 5 ms each; fewer if together they would take longer than `budget` seconds, but 3
    Returns one list of seconds per call for each side.
    """
    calls = []
    for side in sides:
        n = 1
        took = side(n)
        while took < MIN_SECONDS / 2:  # one call alone says little about the next ones
            n = max(2 * n, int(n * MIN_SECONDS / 2 / max(took, 1e-7)))
            took = side(n)
        calls.append(calls_per_sample(min(took, side(n)) / n))
    times = [[] for _ in sides]
    spent = 0.0
    for done in range(samples):
        if done >= 3 and spent * (done + 1) / done > budget:
            break
        for side, n, own in zip(sides, calls, times):
            took = side(n)
            spent += took
            own.append(took / n)
    return times


def without_floor(seconds, floor):
    """A time without what a call of nothing takes, or None if that is nearly all of it."""
    left = seconds - floor
    return left if left >= LEAST_OF_FLOOR * floor else None


def noise(times_of_sides, other_load):
    """Why a run does not count, or ""."""
    worst = max(map(drift, times_of_sides))
    if worst > MAX_DRIFT:
        return f"halves differ by {worst:.0%}"
    if other_load > MAX_OTHER_LOAD:
        return f"load of other processes {other_load:.1f}"
    return ""


def scores(rows):
    """Geometric means of the ratios by family, and of those as "all"."""
    families = {}
    for row in rows:
        if row.get("ratio"):
            families.setdefault(row["family"], []).append(row["ratio"])
    means = {family: geometric_mean(ratios) for family, ratios in sorted(families.items())}
    if means:
        means["all"] = geometric_mean(means.values())
    return means
