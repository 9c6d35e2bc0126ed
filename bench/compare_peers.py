#!/usr/bin/env python3
"""Compares Axle with NumPy and SciPy, PyTorch, and ONNX Runtime on 60 kernels and 6 models; docs/benchmarks.md says how.

    bench/compare_peers.py                        all rows on one thread: 5 to 10 minutes
    bench/compare_peers.py --only D1 fft --samples 5
    bench/compare_peers.py --threads 2 --build build/release
    bench/compare_peers.py --list

Needs a build of Axle (cmake --build --preset bench) and the environment .venv-peers (scripts/deps.sh --peers).
"""

import argparse
import json
import os
import pickle
import signal
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.environ.get("AXLE_PEERS_VENV", os.path.join(ROOT, ".venv-peers"))
sys.path.insert(0, os.path.join(ROOT, "bench"))

START_SECONDS = 180  # for a process to start; PyTorch takes its time on a busy machine
COMPILE_SECONDS = 600  # for torch.compile, which calls a C++ compiler
EMPTY_CALL = "W7.add"
# malloc keeps what is freed: without this, peers that allocate each result spend their time in page faults.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(4 << 30)}
PEERS = ("numpy", "eager", "compiled", "onnx")



def enter_environment():
    """Goes on in the Python of the peers' environment."""
    python = os.path.join(VENV, "bin", "python")
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, *sys.argv])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="docs/benchmarks.md has the method.")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="rows, or what their ids begin with")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=PEERS, help="default: all")
    parser.add_argument("--numerics", choices=("strict", "fast"), default="strict", help="Axle's (default: strict)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of each side (default: 1)")
    parser.add_argument("--samples", type=int, default=15, metavar="N", help="of each side, of 5 ms or more (default: 15)")
    parser.add_argument(
        "--time-limit", type=float, default=10, metavar="S", help="seconds for the samples of a side (default: 10)"
    )
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="of a row that is too noisy (default: 2)")
    parser.add_argument(
        "--build", default=os.path.join(ROOT, "build", "bench"), metavar="DIR", help="of Axle (default: build/bench)"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="where results go; .md and .svg lie beside it (default: build/compare-peers/...)"
    )
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    return parser.parse_args()


class Comparison:
    """Axle and the peers, each in a process of its own, on rows one after the other."""

    def __init__(self, options, cpus, folder):
        self.options, self.folder, self.cpus = options, folder, cpus[-options.threads :]
        threads = options.threads
        count = str(threads)
        common = {f"{name}_NUM_THREADS": count for name in ("OMP", "OPENBLAS", "MKL")}
        common |= KEEP_MEMORY
        common["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
        common["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # compilers beside the processes that are measured
        common["AXLE_LIBRARY"] = os.path.join(options.build, "lib", "libaxle.so")
        script = os.path.join(ROOT, "bench", "peers", "worker.py")
        own = ",".join(map(str, self.cpus))
        self.sides = {}
        for name in ("axle", *options.peers):
            settings = {"engine": "native", "numerics": options.numerics, "compiled": name == "compiled"}
            command = [sys.executable, script, name, count, own, json.dumps(settings)]
            self.sides[name] = Side(name, threads, cpus, {}, common, command)

    def start(self):
        """Starts the processes: {name: version}. Failure if one of them cannot."""
        versions = {}
        for side in self.sides.values():
            versions.update(side.ask("versions", timeout=START_SECONDS))
        return versions

    def call_us(self):
        """Microseconds that a call of Axle takes at least, from the addition of two numbers."""
        side = self.sides["axle"]
        side.ask("compile", EMPTY_CALL, timeout=COMPILE_SECONDS)
        side.ask("first", os.path.join(self.folder, "call"), timeout=COMPILE_SECONDS)
        (times,) = stats.interleave([lambda calls: side.ask("sample", calls, timeout=START_SECONDS)], 15, 5)
        return stats.p20(times) * 1e6

    def stop(self):
        for side in self.sides.values():
            side.stop()

    def run(self, program):
        """The row of a program."""
        results, problems, ready = {}, {}, {}
        for name, side in self.sides.items():
            if rows.missing(name, program.id):
                continue
            try:
                results[name] = self._first(program, name, side)
                ready[name] = side
            except Failure as failure:
                problems[name] = str(failure)
        self._check(program, results, problems, ready)
        options = self.options
        times, noisy = {}, ""
        if ready:
            times, noisy = sampling.sample(
                ready, problems, options.samples, options.time_limit, options.retries, self.cpus
            )
        for side in self.sides.values():
            if side.is_running:
                try:
                    side.ask("drop", timeout=START_SECONDS)
                except Failure:
                    side.stop()
        return peer_report.row(program, rows.CATEGORY[program.id], options.threads, times, problems, noisy)

    def _first(self, program, name, side):
        if not side.is_running:
            side.ask("versions", timeout=START_SECONDS)
        side.ask("compile", program.id, timeout=COMPILE_SECONDS)
        path = os.path.join(self.folder, name)
        side.ask("first", path, timeout=COMPILE_SECONDS)
        with open(path, "rb") as file:
            return pickle.load(file)

    @staticmethod
    def _check(program, results, problems, ready):
        """A peer whose results are not Axle's is not measured, and the row says so."""
        if "axle" not in results:
            return
        for name, arrays in results.items():
            _, wrong = programs.compare(program, arrays, results["axle"])
            wrong = wrong or peer_report.other_types(arrays, results["axle"])
            if wrong:
                problems[name] = f"not Axle's result: {wrong}"
                del ready[name]


def compare(options, chosen, cpus, folder):
    result = {
        "machine": machine.describe(),
        "versions": {},
        "date": machine.today(),
        "commit": machine.commit(),
        "threads": options.threads,
        "numerics": options.numerics,
        "samples": options.samples,
        "peers": list(options.peers),
        "rows": [],
    }
    progress = Progress(len(chosen))
    comparison = Comparison(options, cpus, folder)
    try:
        result["versions"] = comparison.start()
        result["call_us"] = comparison.call_us()
        for program in chosen:
            progress.show(program.id)
            result["rows"].append(comparison.run(program))
            progress.step()
    except KeyboardInterrupt:
        result["interrupted"] = True
    except Failure as failure:
        sys.exit(f"compare_peers: {failure}")
    finally:
        progress.clear()
        comparison.stop()
    return result


def main():
    options = arguments()
    chosen = programs.select([programs.find(id) for id in rows.IDS], options.only)
    if options.list:
        for program in chosen:
            without = ", ".join(peer for peer in PEERS if rows.missing(peer, program.id))
            print(f"{program.id:24} {rows.CATEGORY[program.id]:28} {'without ' + without if without else ''}".rstrip())
        return 0
    if not chosen:
        sys.exit("compare_peers: no such row; --list has them")
    if os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        sys.exit(f"compare_peers: there is no {VENV}; make it: scripts/deps.sh --peers")
    library = os.path.join(options.build, "lib", "libaxle.so")
    if not os.path.exists(library):
        sys.exit(f"compare_peers: {library} is not there; build it: cmake --preset bench && cmake --build --preset bench")
    cpus = sorted(os.sched_getaffinity(0))
    if options.threads > len(cpus):
        sys.exit(f"compare_peers: only {len(cpus)} processors")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # results that are there are written
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_PROC_BIND", "OMP_WAIT_POLICY"):
        os.environ.pop(name, None)  # each library chooses its kernels itself
    with tempfile.TemporaryDirectory(prefix="axle-compare-peers-") as folder:
        result = compare(options, chosen, cpus, folder)
    text = peer_report.table(result)
    print(text, end="")
    path = options.json or os.path.join(
        ROOT, "build", "compare-peers", f"peers-{result['date']}-{machine.slug(result['machine'])}.json"
    )
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    base = path[: -len(".json")] if path.endswith(".json") else path
    for name, content in (
        (path, json.dumps(result, indent=1) + "\n"),
        (base + ".md", text),
        (base + ".svg", peer_report.chart(result)),
    ):
        with open(name, "w") as file:
            file.write(content)
    print(f"\n{path}, {base}.md, {base}.svg")
    if result.get("interrupted"):
        return 130
    return 1 if any(row["problems"] for row in result["rows"]) else 0


if __name__ == "__main__":
    enter_environment()
    from compare import machine, programs, sampling, stats
    from compare.process import Failure, Side
    from compare.sampling import Progress
    from peers import report as peer_report
    from peers import rows

    sys.exit(main())
