"""How the programs of the comparison are written: functions of JAX, exported as HLO text beside a manifest.

make_programs.py and make_breadth.py define programs with a Writer; both need JAX: scripts/deps.sh --compare.
"""

import argparse
import json
import math
import os
import re

import jax
import numpy as np
from compare.programs import dtype_of, num_bytes
from jaxlib import _hlo

MAX_FILE_BYTES = 400_000


class Argument:
    """Of a program: "f32[4,4]" and what fills it, see compare/programs.py."""

    def __init__(self, shape, fill="normal"):
        self.shape, self.fill = shape, fill
        name, dims = re.fullmatch(r"(\w+)\[([\d,]*)\]", shape).groups()
        self.dtype = dtype_of(name)
        self.dims = tuple(int(d) for d in dims.split(",") if d)

    def spec(self):
        return jax.ShapeDtypeStruct(self.dims, self.dtype)


def is_argument(x):
    return isinstance(x, Argument)


def shaped(type, *dims):
    return f"{type}[{','.join(map(str, dims))}]"


def product(*dims):
    return float(math.prod(dims))


class Writer:
    """The programs of one suite (compare/programs.py)."""

    def __init__(self, suite):
        self.suite = suite
        self.programs = {}  # id -> (manifest entry, function or None, arguments)

    def define(
        self, id, function, *arguments, headline=False, flops=0.0, peak="f32", donate=(), check="close", **more
    ):
        """Adds a program. `arguments` are trees of Argument, or shapes, which are filled with normal numbers.

        flops   floating point operations that the function needs
        peak    the arithmetic that bounds them: f32, f64, bf16, s8, or none
        check   how results are compared: close, exact, absolute (signs are free), shape
        more    goes into the manifest: bytes, note, tolerance, outputs (those that are compared)
        """
        assert id not in self.programs, id
        arguments = jax.tree.map(
            lambda a: a if is_argument(a) else Argument(a), arguments, is_leaf=lambda a: isinstance(a, str)
        )
        family = self.suite.family_of(id)
        assert family in self.suite.families, id
        entry = {
            "id": id,
            "family": family,
            "headline": headline,
            "file": f"{id}.hlo",
            "flops": float(flops),
            "peak": peak,
        }
        entry.update(more)
        entry["check"] = check
        entry["donate"] = donate
        self.programs[id] = entry, function, arguments

    def build(self, id):
        """(manifest entry, text or None) of a program."""
        entry, function, arguments = self.programs[id]
        entry = dict(entry)
        leaves = jax.tree.leaves(arguments, is_leaf=is_argument)
        entry["inputs"] = [[a.shape, a.fill] for a in leaves]
        donate = entry.pop("donate")
        entry["donated"] = donated_leaves(arguments, donate)
        text = None
        if function is not None:
            text = export(id, function, arguments, donate)
            if len(text) > MAX_FILE_BYTES:
                raise ValueError(f"{id}: {len(text)} bytes of text")
        if "bytes" not in entry:
            entry["bytes"] = float(sum(num_bytes(a.shape) for a in leaves))
            if function is not None:
                results = re.search(r"entry_computation_layout=\{.*\)->(.*)\}", text.splitlines()[0]).group(1)
                entry["bytes"] += sum(num_bytes(shape) for shape in re.findall(r"\w+\[[\d,]*\]", results))
        return entry, text

    def main(self, description):
        """The command line of a script that has defined all its programs. Returns the exit status."""
        parser = argparse.ArgumentParser(description=description.splitlines()[0])
        parser.add_argument("--check", action="store_true", help="compare the files with what would be written")
        parser.add_argument("--only", nargs="*", default=[], metavar="ID", help="write these alone; the manifest stays")
        options = parser.parse_args()
        files = {}
        entries = []
        for id in self.programs:
            if options.only and id not in options.only:
                continue
            entry, text = self.build(id)
            entries.append(entry)
            if text is not None:
                files[entry["file"]] = text
        if not options.only:
            lines = ",\n".join(json.dumps(entry) for entry in entries)
            files[os.path.basename(self.suite.manifest)] = f"[\n{lines}\n]\n"
        if options.check:
            return self._check(files)
        os.makedirs(self.suite.folder, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(self.suite.folder, name), "w") as file:
                file.write(text)
        print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.2f} MB")
        return 0

    def _check(self, files):
        different = []
        for name, text in files.items():
            path = os.path.join(self.suite.folder, name)
            if not os.path.exists(path) or open(path).read() != text:
                different.append(name)
        different += sorted(set(os.listdir(self.suite.folder)) - set(files))
        for name in different:
            print(f"{os.path.join(self.suite.folder, name)}: not what the script writes")
        return 1 if different else 0


def export(id, function, arguments, donate):
    """HLO text without names of Python functions and files in it."""
    specs = jax.tree.map(Argument.spec, arguments, is_leaf=is_argument)
    wide = any(a.dtype in (np.float64, np.int64, np.complex128) for a in jax.tree.leaves(arguments, is_leaf=is_argument))
    with jax.enable_x64(wide):
        traced = jax.jit(lambda *a: function(*a), donate_argnums=donate, keep_unused=True)
        lowered = traced.lower(*specs)
    text = lowered.compiler_ir("hlo").as_hlo_text(True)
    options = _hlo.HloPrintOptions.short_parsable()
    options.print_large_constants = True
    # Of custom calls alone they mean something.
    options.include_layout_in_shapes = " custom-call(" in text
    head, body = _hlo.hlo_module_from_text(text).to_string(options).rstrip().split("\n", 1)
    # JAX writes down the layouts that make a transpose free; row-major arguments and results are meant.
    head = re.sub(r"\]\{[\d,]*\}", "]", head)
    head = re.sub(r"^HloModule [^,]*", "HloModule " + re.sub(r"\W", "_", id), head)
    return f"{head}\n{body}\n"


def donated_leaves(arguments, donate):
    leaves, count = [], 0
    for i, argument in enumerate(arguments):
        n = len(jax.tree.leaves(argument, is_leaf=is_argument))
        leaves += range(count, count + n) if i in donate else []
        count += n
    return leaves
