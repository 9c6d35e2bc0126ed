"""The programs of bench/programs/ and bench/breadth/: their manifests, their text, and arrays for their arguments."""

import dataclasses
import json
import math
import os
import re
import zlib

import numpy as np

from . import generated

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclasses.dataclass(frozen=True)
class Suite:
    """A folder of bench/ with a manifest. An id begins with the name of its family, one of the keys of `families`."""

    name: str
    families: dict

    @property
    def folder(self):
        return os.path.join(BENCH, self.name)

    @property
    def manifest(self):
        return os.path.join(self.folder, "manifest.json")

    def family_of(self, id):
        return id.split(".")[0] if id.split(".")[0] in self.families else id[0]


PROGRAM_FAMILIES = {
    "E": "elementwise",
    "T": "transcendental functions",
    "R": "reductions",
    "N": "softmax, norms, attention",
    "D": "dot",
    "C": "convolution",
    "G": "movement, indexing, sorting",
    "L": "random numbers, Fourier, linear algebra",
    "W": "control flow and latency",
    "M": "whole models",
    "K": "compile time",
}
BREADTH_FAMILIES = {
    "elementwise": "arithmetic, conversions, complex numbers",
    "special": "special functions",
    "reduce": "reductions",
    "dot": "dots and einsums",
    "conv": "convolutions and their gradients",
    "index": "gathers, look-ups, interpolation",
    "scatter": "scatters, segments, histograms",
    "sort": "sorting and order statistics",
    "scan": "cumulative operations",
    "window": "windows",
    "fft": "Fourier transforms",
    "linalg": "linear algebra",
    "random": "random numbers",
    "control": "loops and branches",
    "small": "small vectors and matrices",
    "geometry": "geometry",
    "signal": "signals and images",
    "stats": "statistics",
    "nn": "sequence models and networks",
    "bits": "integers and bits",
    "move": "transposes, pads, reshapes",
    "optim": "gradients and optimisers",
}
SUITES = {
    "programs": Suite("programs", PROGRAM_FAMILIES),
    "breadth": Suite("breadth", BREADTH_FAMILIES),
}
FAMILIES = PROGRAM_FAMILIES | BREADTH_FAMILIES
PEAKS = ("f32", "f64", "bf16", "s8", "none")
CHECKS = ("close", "exact", "absolute", "shape")
# Of the largest number of a result, if the manifest does not say another one.
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "complex64": 1e-4, "float32": 2e-5, "bfloat16": 2e-2, "float16": 2e-3}
_NAMES = {
    "pred": "bool",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
_NAMES |= {f"{s}{n}": f"{'u' if s == 'u' else ''}int{n}" for s in "su" for n in (8, 16, 32, 64)}


def dtype_of(name):
    """The numpy type of an element type of HLO text."""
    if name == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_NAMES[name])


def shape_of(text):
    """(numpy type, dimensions) of "f32[2,3]"."""
    name, dims = re.fullmatch(r"(\w+)\[([\d,]*)\]", text).groups()
    return dtype_of(name), tuple(int(d) for d in dims.split(",") if d)


def num_bytes(text):
    dtype, dims = shape_of(text)
    return dtype.itemsize * math.prod(dims)


@dataclasses.dataclass(frozen=True)
class Program:
    """One entry of the manifest; bench/make_programs.py says what the fields mean."""

    id: str
    family: str
    headline: bool
    flops: float
    peak: str
    check: str
    inputs: list  # [shape, fill]
    donated: list  # numbers of arguments
    bytes: float
    file: str = ""
    generator: str = ""
    compile_only: bool = False
    tolerance: float = 0
    outputs: tuple = ()  # those that are compared; all if empty
    note: str = ""
    suite: str = "programs"

    def text(self):
        if self.generator:
            return generated.text_of(self.generator)
        with open(os.path.join(SUITES[self.suite].folder, self.file)) as file:
            return file.read()

    def aliases(self):
        """(number of a donated argument, number of the result that takes its place), of each."""
        pairs = []
        if self.donated:
            head = self.text().split("\n", 1)[0]
            alias = re.search(r"input_output_alias=\{(.*?)\}, entry", head).group(1)
            pairs = [
                (int(number), int(output or 0)) for output, number in re.findall(r"\{(\d*)\}: \((\d+), \{\}", alias)
            ]
        return pairs

    def arguments(self):
        """Arrays for the arguments, the same ones at every call."""
        seed = zlib.crc32(self.id.encode())
        return [fill(shape, how, np.random.default_rng([seed, i])) for i, (shape, how) in enumerate(self.inputs)]


def load(suite="programs"):
    """All programs of a suite, in the manifest's order."""
    with open(SUITES[suite].manifest) as file:
        return [Program(suite=suite, **entry) for entry in json.load(file)]


def find(id):
    """The program of that id, whatever its suite."""
    return next(program for suite in SUITES for program in load(suite) if program.id == id)


def select(programs, ids=(), families=(), headline=None):
    """Those that are asked for: an id or what an id begins with ("D5", "D5.bf16"), letters of families."""

    def wanted(program):
        named = not ids or any(program.id == i or program.id.startswith(i + ".") for i in ids)
        return (
            named
            and (not families or program.family in families)
            and (headline is None or program.headline == headline)
        )

    return [program for program in programs if wanted(program)]


def fill(shape, how, generator):
    """An array. `how` is one of

    normal, normal*S      normal numbers, times S
    uniform(A,B)          between A and B
    integers(A,B)         from A to B - 1
    permutation           of 0 to size - 1
    positive_definite     matrices that are symmetric and well conditioned

    None holds a subnormal number, which XLA takes for zero.
    """
    dtype, dims = shape_of(shape)
    name, numbers = re.fullmatch(r"(\w+)\*?\(?([^()]*)\)?", how).groups()
    numbers = [float(n) for n in numbers.split(",") if n]
    if name == "normal":
        if dtype.kind in "iu":
            return generator.integers(0 if dtype.kind == "u" else -100, 100, dims).astype(dtype)
        array = generator.standard_normal(dims, np.float64 if dtype.itemsize > 4 else np.float32)
        if dtype.kind == "c":
            array = array + 1j * generator.standard_normal(dims)
        return (array * (numbers[0] if numbers else 1)).astype(dtype)
    if name == "uniform":
        low, high = numbers
        return np.asarray(generator.random(dims) * (high - low) + low).astype(dtype)
    if name == "integers":
        return np.asarray(generator.integers(int(numbers[0]), int(numbers[1]), dims)).astype(dtype)
    if name == "permutation":
        return generator.permutation(math.prod(dims)).reshape(dims).astype(dtype)
    if name == "positive_definite":
        factor = generator.standard_normal(dims)
        return (factor @ factor.swapaxes(-1, -2) / dims[-1] + np.eye(dims[-1])).astype(dtype)
    raise ValueError(f"no such fill: {how}")


def compare(program, results, expected):
    """The largest error of results against expected ones, as a part of the largest expected number of its array, and
    what is wrong with the results or ""."""
    if len(results) != len(expected):
        return None, f"{len(results)} results, not {len(expected)}"
    worst, wrong = 0.0, ""
    for i, (got, want) in enumerate(zip(results, expected)):
        if got.shape != want.shape:
            return None, f"result {i} has shape {got.shape}, not {want.shape}"
        if program.check == "shape" or (program.outputs and i not in program.outputs) or got.size == 0:
            continue
        if got.dtype.kind in "biu" and want.dtype.kind in "biu":
            if not np.array_equal(got, want):
                wrong = wrong or f"result {i} differs in {np.count_nonzero(got != want)} of {got.size} places"
            continue
        error = _error(got, want, program.check == "absolute")
        worst = max(worst, error)
        bound = 0 if program.check == "exact" else program.tolerance or TOLERANCES[got.dtype.name]
        if not error <= bound:
            wrong = wrong or f"result {i} is off by {error:.2g} of its largest number, more than {bound:.2g}"
    return worst, wrong


def _error(got, want, signs_are_free):
    wide = np.complex128 if got.dtype.kind == "c" or want.dtype.kind == "c" else np.float64
    got, want = got.astype(wide), want.astype(wide)
    if signs_are_free:
        got, want = np.abs(got), np.abs(want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if same.all():
        return 0.0
    scale = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    with np.errstate(all="ignore"):
        error = np.where(same, 0.0, np.abs(got - want) / (scale or 1.0))
    return float(np.where(np.isnan(error), np.inf, error).max())
