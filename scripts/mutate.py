#!/usr/bin/env python3
"""Feeds damaged programs to `axle batch` and checks that each gets a result or a diagnostic.

    mutate.py AXLE [--count N] [--seed S] [--verb parse|print|run] [--only I] [--keep DIR] [DIR...]

Takes the programs of tests/data and, when it is there, ../shared/corpus; damages them in ways that
break parsers (bytes, tokens, numbers, nesting, lengths, pieces of two programs); asks one process to
read thousands of them, and starts another when one dies. A mutant is a function of (seed, its number)
alone, so `--seed S --only I` makes it again. What must hold for each: the exit code is 0, 3, 4 or 5, a
failure says why, the process lives, the answer comes within the time limit and the memory limit.
"""
import argparse
import json
import os
import pathlib
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED_EXITS = {0, 3, 4, 5}
WINDOW = 32  # requests in flight
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z0-9_.\-]*|-?[0-9][0-9.eE+]*|\s+|.", re.S)
NUMBER = re.compile(rb"-?\d+")
EXTREMES = [b"0", b"-1", b"1", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807",
            b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616",
            b"1099511627776", b"1" * 400, b"1e400", b"-0", b"0.0", b"nan", b"inf", b"-inf", b"0x7f"]
SNIPPETS = [b"{", b"}", b"(", b")", b"[", b"]", b",", b"=", b"%", b"/*", b"*/", b"//", b'"', b"->",
            b"\0", b"\xff\xfe", b"\n", b"ROOT ", b"ENTRY ", b"<=", b"?", b"...", b"f32[]", b"token[]",
            b"tuple(", b"parameter(0)", b"constant({", b"metadata={", b"sharding={", b", to_apply=",
            b"f32[1000000000000]", b"s4[3]{0:E(4)}", b"{1,0:T(8,128)}", b"while", b"\xe2\x88\x9e"]


def replace_span(text, start, end, new):
    return text[:start] + new + text[end:]


def flip_bytes(rng, text, _):
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        at = rng.randrange(len(data))
        data[at] = rng.choice((data[at] ^ (1 << rng.randrange(8)), rng.randrange(256)))
    return bytes(data)


def edit_tokens(rng, text, _):
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(tokens))
        other = rng.randrange(len(tokens))
        action = rng.randrange(4)
        if action == 0:
            tokens[at] = b""
        elif action == 1:
            tokens[at] = tokens[at] * rng.choice((2, 3, 50))
        elif action == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = tokens[other]
    return b"".join(tokens)


def change_numbers(rng, text, _):
    for _ in range(rng.choice((1, 1, 2, 4))):
        found = list(NUMBER.finditer(text))
        if not found:
            break
        match = rng.choice(found)
        value = rng.choice(EXTREMES)
        if rng.random() < 0.3:
            value = b"%d" % (int(match[0][:18]) + rng.choice((-1, 1)))
        text = replace_span(text, *match.span(), value)
    return text


def insert_snippet(rng, text, _):
    at = rng.randrange(len(text) + 1)
    return replace_span(text, at, at, rng.choice(SNIPPETS) * rng.choice((1, 1, 1, 2, 1000)))


def nest(rng, text, _):
    at = rng.randrange(len(text) + 1)
    opening, closing = rng.choice(((b"{", b"}"), (b"(", b")"), (b"[", b"]"), (b"/*", b"*/"),
                                   (b"{{", b""), (b"tuple(", b""), (b"(f32[], ", b")")))
    depth = rng.choice((10, 1000, 50000))
    return replace_span(text, at, at, opening * depth + (closing * depth if rng.random() < .5 else b""))


def truncate(rng, text, _):
    return text[:rng.randrange(len(text))]


def cut_lines(rng, text, _):
    lines = text.splitlines(keepends=True)
    start = rng.randrange(len(lines))
    count = rng.choice((1, 1, 2, 5))
    block = lines[start:start + count]
    action = rng.randrange(3)
    if action == 0:
        del lines[start:start + count]
    elif action == 1:
        lines[start:start] = block
    else:
        del lines[start:start + count]
        at = rng.randrange(len(lines) + 1)
        lines[at:at] = block
    return b"".join(lines)


def splice(rng, text, programs):
    other = rng.choice(programs)[1]
    return text[:rng.randrange(len(text))] + other[rng.randrange(len(other)):]


def rename(rng, text, _):
    """Makes dangling, double and cyclic references."""
    names = re.findall(rb"%[\w.\-]+", text) or re.findall(rb"\b[a-z][\w]*\.\d+\b", text)
    if not names:
        return flip_bytes(rng, text, _)
    old, new = rng.choice(names), rng.choice(names + [b"%nowhere"])
    return text.replace(old, new, rng.choice((1, 2, -1)))


MUTATIONS = (flip_bytes, edit_tokens, edit_tokens, change_numbers, change_numbers, insert_snippet,
             nest, truncate, cut_lines, splice, rename)


def mutant(seed, number, programs):
    """Returns (what it was made of, its bytes)."""
    rng = random.Random(f"{seed}/{number}")
    name, text = rng.choice(programs)
    used = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        mutation = rng.choice(MUTATIONS)
        used.append(mutation.__name__)
        text = mutation(rng, text, programs) or b"\n"
    return f"{name}: {', '.join(used)}", text[:1 << 20]


def load_programs(folders, limit):
    paths = []
    for folder in folders:
        paths += sorted([*folder.rglob("*.hlo"), *folder.rglob("*.hlo.txt")])
    programs = [(str(p), p.read_bytes()) for p in paths]
    return [(name, text) for name, text in programs if 0 < len(text) <= limit]


class Batch:
    """An `axle batch` process that is asked in windows of requests."""

    def __init__(self, command, time_limit):
        self.time_limit = time_limit
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.pending = b""

    def send(self, requests):
        """False when the process is gone."""
        try:
            self.process.stdin.write("".join(json.dumps(r) + "\n" for r in requests).encode())
            self.process.stdin.flush()
            return True
        except BrokenPipeError:
            return False

    def receive(self):
        """The next answer, or what went wrong as a string."""
        deadline = time.monotonic() + self.time_limit + 2
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.process.kill()
                self.process.wait()
                return f"no answer within {self.time_limit} s"
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                code = self.process.wait()
                self.log.seek(0)
                return f"the process ended with {code}: {self.log.read()[-3000:].decode(errors='replace')}"
            self.pending += chunk
        line, self.pending = self.pending.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError as error:
            return f"an answer that is not JSON ({error}): {line[:200]!r}"

    def peak_bytes(self):
        """Most resident memory since the last call."""
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
            return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) << 10
        except (OSError, TypeError):
            return 0

    def close(self):
        """The exit code, once it has read that there is no more."""
        try:
            self.process.stdin.close()
            return self.process.wait(timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            return self.process.wait()


def verdict(answer, number, time_limit):
    """What is wrong with an answer, or None."""
    if isinstance(answer, str):
        return answer
    if answer.get("id") != number:
        return f"answer to {answer.get('id')} instead of {number}"
    if answer.get("exit") not in ALLOWED_EXITS:
        return f"exit {answer.get('exit')}: {answer.get('message', '')[:2000]}"
    if answer["exit"] != 0 and not answer.get("message", "").strip():
        return f"exit {answer['exit']} without a message"
    if answer.get("seconds", 0) > time_limit:
        return f"took {answer['seconds']} s"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("axle", help="the command line tool")
    parser.add_argument("folders", nargs="*", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="number of a single mutant")
    parser.add_argument("--verb", choices=("parse", "print", "run"), default="parse")
    parser.add_argument("--time-limit", type=float, default=10, help="seconds for one mutant")
    parser.add_argument("--mem-limit", type=float, default=1, help="GiB for one mutant; 0: no check")
    parser.add_argument("--max-size", type=int, default=1 << 16, help="bytes of an original")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mutants"),
                        help="where mutants that fail are kept")
    args = parser.parse_args()
    shared = pathlib.Path(os.environ.get("AXLE_SHARED") or ROOT.parent / "shared")
    folders = args.folders or [ROOT / "tests" / "data", shared / "corpus"]
    programs = load_programs(folders, args.max_size)
    if not programs:
        print(f"mutate: no programs in {' '.join(map(str, folders))}")
        return 1

    # Without limits of its own on the command line: it is the defaults that must hold.
    command = [args.axle, "batch"] + (["--fake=zeros"] if args.verb == "run" else [])
    numbers = [args.only] if args.only is not None else range(args.count)
    work = pathlib.Path(tempfile.mkdtemp(prefix="mutate-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    exits, failures, started, batch = {}, [], time.monotonic(), None

    def fail(number, what, origin, text):
        args.keep.mkdir(parents=True, exist_ok=True)
        path = args.keep / f"{args.seed}-{number}.hlo"
        path.write_bytes(text)
        failures.append(number)
        print(f"mutate: mutant {number} of {origin}\n  {what}\n"
              f"  repro: {args.axle} {args.verb} {path}\n"
              f"  again: scripts/mutate.py {args.axle} --verb {args.verb} --seed {args.seed} "
              f"--only {number}", flush=True)

    try:
        todo = list(numbers)
        while todo and len(failures) < 20:
            window, todo = todo[:WINDOW], todo[WINDOW:]
            made, requests = {}, []
            for number in window:
                made[number] = mutant(args.seed, number, programs)
                path = work / f"{number % WINDOW}.hlo"
                path.write_bytes(made[number][1])
                request = {"id": number, "verb": args.verb, "file": str(path)}
                if args.verb == "print":
                    request["output"] = str(work / "printed")
                requests.append(request)
            if batch is None:
                batch = Batch(command, args.time_limit)
                batch.send([])
                batch.peak_bytes()
            batch.send(requests)
            for index, number in enumerate(window):
                answer = batch.receive()
                wrong = verdict(answer, number, args.time_limit)
                if wrong:
                    fail(number, wrong, *made[number])
                if isinstance(answer, str):  # the rest of the window goes to a new process
                    todo = window[index + 1:] + todo
                    batch.close()
                    batch = None
                    break
                exits[answer.get("exit")] = exits.get(answer.get("exit"), 0) + 1
            if batch and args.mem_limit:
                peak = batch.peak_bytes()
                if peak > args.mem_limit * 2**30:
                    where = f"somewhere in mutants {window[0]}..{window[-1]}"
                    fail(window[0], f"{peak >> 20} MiB resident {where}", *made[window[0]])
        if batch and batch.close() != 0:
            print(f"mutate: the process ended with {batch.process.returncode} at the end of its input")
            failures.append(-1)
    finally:
        if batch and batch.process.poll() is None:
            batch.process.kill()
        shutil.rmtree(work, ignore_errors=True)
    counts = ", ".join(f"{n} exit {code}" for code, n in sorted(exits.items(), key=str))
    print(f"mutate: {args.verb}, seed {args.seed}: {sum(exits.values())} mutants of {len(programs)} programs"
          f" in {time.monotonic() - started:.1f} s: {counts}; {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
