"""The machine: what it is, what it can do at most, and what else it is doing."""

import datetime
import json
import math
import os
import re
import subprocess

from .programs import num_bytes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def describe():
    """The fields of lscpu that matter for speed."""
    output = subprocess.run(["lscpu", "--json"], capture_output=True, text=True, check=True).stdout
    fields, left = {}, list(json.loads(output)["lscpu"])
    while left:
        field = left.pop(0)
        fields[field["field"].rstrip(":")] = field.get("data")
        left += field.get("children") or []
    wanted = (
        "Architecture",
        "CPU(s)",
        "Model name",
        "CPU family",
        "Model",
        "Stepping",
        "Thread(s) per core",
        "Hypervisor vendor",
        "L1d cache",
        "L2 cache",
        "L3 cache",
        "Flags",
    )
    return {name: fields[name] for name in wanted if name in fields} | {"kernel": os.uname().release}


def slug(description):
    """What describe() found, as a part of a file's name."""
    name = re.sub(r"\(.*?\)", "", description.get("Model name", "unknown"))
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short", "HEAD") or "unknown") + (
        " with changes" if git("status", "--porcelain") else ""
    )


def today():
    return datetime.date.today().isoformat()


class Limits:
    """Bandwidth and arithmetic of so many threads, measured by bench_limits in this run."""

    def __init__(self, measured):
        self.measured = measured
        # By the bytes that are touched, of which a copy has two arrays.
        self._copies = sorted((2 * float(size), rate * 1e9) for size, rate in measured["copy_gbps"].items())
        self._reads = sorted((float(size), rate * 1e9) for size, rate in measured.get("read_gbps", {}).items())

    @staticmethod
    def measure(build, cpus):
        """None without the program bench_limits."""
        program = os.path.join(build, "bin", "bench_limits")
        if not os.path.exists(program):
            return None
        command = [program, "--json", "--threads", str(len(cpus))]
        output = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        ).stdout
        return Limits(json.loads(output))

    def bandwidth(self, footprint, mostly_read=False):
        """Bytes per second, reads and writes together, of what touches so many bytes: that of a copy, or of a read
        alone where that is faster and hardly anything is written."""
        rate = _interpolated(self._copies, footprint)
        if mostly_read and self._reads:
            rate = max(rate, _interpolated(self._reads, footprint))
        return rate

    def seconds(self, program):
        """The least that the program needs; None if it says neither bytes nor operations."""
        peak = self.measured["gflops"].get(program.peak)
        arithmetic = program.flops / (peak * 1e9) if peak and program.flops else 0
        read = sum(num_bytes(shape) for shape, _ in program.inputs)
        rate = self.bandwidth(program.bytes, mostly_read=program.bytes - read < program.bytes / 8)
        return max(program.bytes / rate, arithmetic) or None


def _interpolated(ladder, size):
    """Between the points of a ladder [(size, rate)], on logarithmic scales; at the ends the rate of the end."""
    if size <= ladder[0][0]:
        return ladder[0][1]
    for (low, low_rate), (high, high_rate) in zip(ladder, ladder[1:]):
        if size <= high:
            part = math.log(size / low) / math.log(high / low)
            return low_rate * (high_rate / low_rate) ** part
    return ladder[-1][1]


class OtherLoad:
    """How many processors others than `sides` and this process keep busy, on the average since it was made.

    cpus  numbers of the processors that are looked at; all if empty. The sides must use no others.
    """

    def __init__(self, sides, cpus=()):
        self._sides, self._cpus = sides, cpus
        self._begin = self._now()

    def _now(self):
        tick = os.sysconf("SC_CLK_TCK")
        wanted = {f"cpu{n}" for n in self._cpus} or {"cpu"}
        with open("/proc/stat") as file:
            lines = [line.split() for line in file if line.split()[0] in wanted]
        fields = [sum(column) for column in zip(*([int(n) for n in line[1:9]] for line in lines))]
        idle, everything = fields[3] + fields[4], sum(fields)
        own = sum(os.times()[:2]) + sum(side.cpu_seconds() for side in self._sides)
        return everything / tick, (everything - idle) / tick, own

    def __call__(self):
        total, busy, own = (now - then for now, then in zip(self._now(), self._begin))
        if total < 0.1:  # ticks are too coarse for so little
            return 0.0
        seconds = total / (len(self._cpus) or os.cpu_count())
        return max(0.0, busy - own) / seconds
