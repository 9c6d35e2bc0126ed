#!/usr/bin/env python3
"""Feeds damaged programs to `axle batch` and checks that each gets a result or a diagnostic.

    mutate.py AXLE [--format text|proto|npz|mlir|mlirbc] [--count N] [--seed S] [--verb parse|print|run]
              [--only I] [--keep DIR] [DIR...]

Takes the programs of tests/data as HLO text or as protos, as
StableHLO in text or bytecode, or the inputs of programs; damages them in ways that break readers (bytes, tokens, numbers, nesting,
lengths, pieces of two programs; fields of messages with lengths that still fit; arrays inside of
archives with checksums that still fit); asks one process to read thousands of them, and starts another
when one dies. A mutant is a function of (seed, its number)
alone, so `--seed S --only I` makes it again. What must hold for each: the exit code is 0, 3, 4 or 5, a
failure says why, the process lives, the answer comes within the time limit and the memory limit.
"""
import argparse
import io
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
import warnings
import zipfile

warnings.filterwarnings("ignore", "Duplicate name")  # on purpose

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


# --- Protos: messages as lists of [field, wire type, value], taken apart where they look like messages.

def read_varint(data, at):
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("varint")


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_fields(data):
    """The fields of a message; ValueError or IndexError if it is none."""
    fields, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if wire == 2:
                size, at = read_varint(data, at)
            if size is None or at + size > len(data) or not 0 < field < 1 << 16:
                raise ValueError("field")
            value, at = data[at:at + size], at + size
        fields.append([field, wire, value])
    return fields


def write_fields(fields):
    out = []
    for field, wire, value in fields:
        out.append(varint(field << 3 | wire))
        out.append(varint(value) if wire == 0 else varint(len(value)) + value if wire == 2 else value)
    return b"".join(out)


def change_field(rng, fields):
    at = rng.randrange(len(fields))
    field, wire, value = fields[at]
    action = rng.randrange(8)
    if action == 0:
        del fields[at]
    elif action == 1:
        fields[at:at] = [fields[at]] * rng.choice((1, 2, 50))
    elif action == 2:
        fields[at] = fields[rng.randrange(len(fields))]
    elif action == 3:
        fields[at] = [rng.choice((field + 1, rng.randrange(1, 100), 100000)), wire, value]
    elif wire == 0:
        extremes = (0, 1, -1, value + 1, value - 1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, 37)
        fields[at] = [field, wire, rng.choice(extremes)]
    elif action == 4:
        fields[at] = [field, 0, rng.choice((0, 1, 1 << 40))]
    elif action == 5 and wire == 2:
        fields[at] = [field, wire, varint(rng.choice((0, 7, 1 << 40, -1))) * rng.choice((1, 3, 500))]
    elif action == 6 and wire == 2:
        for _ in range(rng.choice((1, 10, 200))):  # inside of itself
            value = varint(field << 3 | 2) + varint(len(value)) + value
        fields[at] = [field, wire, value]
    elif wire == 2:
        fields[at] = [field, wire, flip_bytes(rng, value, ()) if value else b"x"]
    return write_fields(fields)


def edit_message(rng, data, programs):
    """Changes a field somewhere in the tree of messages; the lengths around it are made to fit."""
    try:
        fields = read_fields(data)
    except (ValueError, IndexError):
        return flip_bytes(rng, data, programs)
    inner = [i for i, (_, wire, value) in enumerate(fields) if wire == 2 and len(value) > 2]
    if not fields or not inner or rng.random() < 0.2:
        return change_field(rng, fields) if fields else b"\x0a"
    # Not always the first of the many that are alike.
    at = rng.choice(inner)
    field, wire, value = fields[at]
    try:
        read_fields(value)
    except (ValueError, IndexError):
        return change_field(rng, fields)
    fields[at] = [field, wire, edit_message(rng, value, programs)]
    return write_fields(fields)


PROTO_MUTATIONS = (edit_message,) * 6 + (flip_bytes, flip_bytes, truncate, splice)


# --- Archives of arrays

def read_members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def edit_members(rng, data, programs):
    """Damages arrays inside of an archive whose checksums fit again."""
    try:
        members = read_members(data)
        assert members
    except Exception:  # whatever zipfile says about an archive that is damaged already
        return flip_bytes(rng, data, programs)
    at = rng.randrange(len(members))
    name, array = members[at]
    mutation = rng.choice((flip_bytes, truncate, change_numbers, edit_tokens, splice, cut_lines))
    head = array[:128]  # where the shape and the type are
    action = rng.randrange(5)
    if action == 0:
        members.append(members[at])
    elif action == 1:
        members[at] = (rng.choice(("in_9.npy", "in_0", "../x.npy", "in_0.npy", "a" * 300)), array)
    elif action == 2:
        members[at] = (name, mutation(rng, array or b"x", programs))
    else:
        members[at] = (name, mutation(rng, head or b"x", programs) + array[128:])
    out = io.BytesIO()
    kind = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, array in members:
            archive.writestr(zipfile.ZipInfo(name), array, kind)
    return out.getvalue()


NPZ_MUTATIONS = (edit_members,) * 4 + (flip_bytes, flip_bytes, truncate, splice)

# Of each format: the endings of its files, the mutations, and what a mutant's file ends in.
FORMATS = {
    "text": ((".hlo", ".hlo.txt"), MUTATIONS, ".hlo"),
    "proto": ((".hlo.pb",), PROTO_MUTATIONS, ".hlo.pb"),
    "npz": (("inputs.npz",), NPZ_MUTATIONS, ".npz"),
    "mlir": ((".mlir",), MUTATIONS, ".mlir"),
    "mlirbc": ((".bc",), (flip_bytes, flip_bytes, flip_bytes, truncate, splice), ".bc"),
}
# As which format a mutant is read, however damaged it is.
READ_AS = {"proto": "hlo.pb", "mlir": "stablehlo", "mlirbc": "stablehlo"}


def mutant(seed, number, programs, mutations):
    """Returns (the file that it was made of, how, its bytes)."""
    rng = random.Random(f"{seed}/{number}")
    name, text = rng.choice(programs)
    used = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        mutation = rng.choice(mutations)
        used.append(mutation.__name__)
        text = mutation(rng, text, programs) or b"\n"
    return name, ", ".join(used), text[:1 << 20]


def load_programs(folders, limit, suffixes):
    paths = []
    for folder in folders:
        paths += sorted(p for p in folder.rglob("*") if p.name.endswith(suffixes))
    programs = [(str(p), p.read_bytes()) for p in paths]
    return [(name, text) for name, text in programs if 0 < len(text) <= limit]


def request_for(args, number, origin, path, work):
    """What is asked about a mutant."""
    if args.format == "npz":
        program = pathlib.Path(origin).with_name("program.hlo.txt")
        return {"id": number, "verb": "run", "file": str(program), "inputs": str(path)}
    request = {"id": number, "verb": args.verb, "file": str(path)}
    if args.verb == "print":
        request["output"] = str(work / "printed")
    return request


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
    parser.add_argument("--format", choices=tuple(FORMATS), default="text")
    parser.add_argument("--verb", choices=("parse", "print", "run"), default="parse")
    parser.add_argument("--time-limit", type=float, default=10, help="seconds for one mutant")
    parser.add_argument("--mem-limit", type=float, default=1, help="GiB for one mutant; 0: no check")
    parser.add_argument("--max-size", type=int, default=1 << 16, help="bytes of an original")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mutants"),
                        help="where mutants that fail are kept")
    args = parser.parse_args()
    folders = args.folders or [ROOT / "tests" / "data"]
    suffixes, mutations, ending = FORMATS[args.format]
    programs = load_programs(folders, args.max_size, suffixes)
    if args.format == "npz":  # of programs that run in no time
        programs = [p for p in programs if ROOT / "tests/data/corpus" not in pathlib.Path(p[0]).parents]
    if not programs:
        print(f"mutate: no programs in {' '.join(map(str, folders))}")
        return 1

    # Without limits of its own on the command line: it is the defaults that must hold.
    command = [args.axle, "batch", "--time-limit=8", "--mem-limit=1G"]
    if args.format in READ_AS:
        command.append(f"--from={READ_AS[args.format]}")
    if args.verb == "run" and args.format != "npz":
        command.append("--fake=zeros")
    numbers = [args.only] if args.only is not None else range(args.count)
    work = pathlib.Path(tempfile.mkdtemp(prefix="mutate-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    exits, failures, started, batch = {}, [], time.monotonic(), None

    def fail(number, what, origin, how, text):
        args.keep.mkdir(parents=True, exist_ok=True)
        path = args.keep / f"{args.seed}-{number}{ending}"
        path.write_bytes(text)
        failures.append(number)
        if args.format == "npz":
            repro = f"run {pathlib.Path(origin).with_name('program.hlo.txt')} --inputs {path}"
        else:
            repro = f"{args.verb} {'--from ' + READ_AS[args.format] + ' ' if args.format in READ_AS else ''}{path}"
        print(f"mutate: mutant {number} of {origin}: {how}\n  {what}\n"
              f"  repro: {args.axle} {repro}\n"
              f"  again: scripts/mutate.py {args.axle} --format {args.format} --verb {args.verb} "
              f"--seed {args.seed} --only {number}", flush=True)

    try:
        todo = list(numbers)
        while todo and len(failures) < 20:
            window, todo = todo[:WINDOW], todo[WINDOW:]
            made, requests = {}, []
            for number in window:
                made[number] = mutant(args.seed, number, programs, mutations)
                path = work / f"{number % WINDOW}{ending}"
                path.write_bytes(made[number][2])
                requests.append(request_for(args, number, made[number][0], path, work))
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
    print(f"mutate: {args.format}, {args.verb}, seed {args.seed}: {sum(exits.values())} mutants of {len(programs)} programs"
          f" in {time.monotonic() - started:.1f} s: {counts}; {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
