"""The machine: what it is, what it can do at most, and what else it is doing."""

import datetime
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def describe():
    """The fields of lscpu that matter for speed."""
    output = subprocess.run(["lscpu", "--json"], capture_output=True, text=True, check=True).stdout
    fields, left = {}, list(json.loads(output)["lscpu"])
    while left:
        field = left.pop(0)
        fields[field["field"].rstrip(":")] = field.get("data")
        left += field.get("children") or []
    wanted = ("Architecture", "CPU(s)", "Model name", "CPU family", "Model", "Stepping", "Thread(s) per core", "Hypervisor vendor",
              "L1d cache", "L2 cache", "L3 cache", "Flags")
    return {name: fields[name] for name in wanted if name in fields} | {"kernel": os.uname().release}


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if git("status", "--porcelain") else "")


def today():
    return datetime.date.today().isoformat()


class Limits:
    """Bandwidth and arithmetic of so many threads, measured by bench_limits in this run."""

    def __init__(self, measured):
        self.measured = measured
        self._copies = sorted((float(size), rate) for size, rate in measured["copy_gbps"].items())

    @staticmethod
    def measure(build, cpus):
        """None without the program bench_limits."""
        program = os.path.join(build, "bin", "bench_limits")
        if not os.path.exists(program):
            return None
        command = [program, "--json", "--threads", str(len(cpus))]
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120,
                                preexec_fn=lambda: os.sched_setaffinity(0, cpus)).stdout
        return Limits(json.loads(output))

    def bandwidth(self, footprint):
        """Bytes per second that a copy moves, reads and writes together, if it touches so many bytes."""
        for size, rate in self._copies:
            if footprint <= 2 * size:
                return rate * 1e9
        return self._copies[-1][1] * 1e9

    def seconds(self, program):
        """The least that the program needs; None if it says neither bytes nor operations."""
        peak = self.measured["gflops"].get(program.peak)
        arithmetic = program.flops / (peak * 1e9) if peak and program.flops else 0
        return max(program.bytes / self.bandwidth(program.bytes), arithmetic) or None


class OtherLoad:
    """How many processors others than `sides` and this process keep busy, on the average since it was made."""

    def __init__(self, sides):
        self._sides = sides
        self._begin = self._now()

    def _now(self):
        tick = os.sysconf("SC_CLK_TCK")
        with open("/proc/stat") as file:
            fields = [int(n) for n in file.readline().split()[1:9]]
        idle, everything = fields[3] + fields[4], sum(fields)
        own = sum(os.times()[:2]) + sum(side.cpu_seconds() for side in self._sides)
        return everything / tick, (everything - idle) / tick, own

    def __call__(self):
        total, busy, own = (now - then for now, then in zip(self._now(), self._begin))
        if total < 0.1:  # ticks are too coarse for so little
            return 0.0
        seconds = total / os.cpu_count()
        return max(0.0, busy - own) / seconds
