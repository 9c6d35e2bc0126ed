#!/usr/bin/env python3
"""The wheel of this build (scripts/make_wheel.py): what is inside, what pip makes of it in a fresh virtual environment,
what runs there, and that nothing is left when it is uninstalled."""

import base64
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

import axle_module  # noqa: E402,F401  goes on in the Python that has numpy

import make_wheel  # noqa: E402  isort: skip
from jaxlib_python import SKIPPED  # noqa: E402  isort: skip

BUILD = pathlib.Path(os.environ["AXLE_BINARY_DIR"])
PROGRAM = """
import axle
exe = axle.compile("ENTRY e { p = s32[2] parameter(0) ROOT r = s32[2] negate(p) }", engine="native")
print(axle.library_path, exe([1, 2]).tolist())
"""
# Of two processes with two devices each: each prints its sums and what it has loaded from outside of the package.
PROCESSES_PROGRAM = """
import axle, numpy as np, re, sys
add = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }"
body = "ENTRY e { x = f32[1000] parameter(0) ROOT r = f32[1000] all-reduce(x), replica_groups={}, to_apply=add }"
client = axle.Client(num_devices=2, distributed={"transport": sys.argv[1], "connect_limit": 60})
exe = client.compile(f"HloModule m, replica_count=4 {add} {body}", replicas=4, engine="native")
results = exe.execute_replicated([[np.arange(1000, dtype=np.float32) + n] for n in exe.device_numbers])
assert all((np.asarray(r[0]) == 4 * np.arange(1000) + 6).all() for r in results), results
maps = open("/proc/self/maps").read()
print(sorted(set(re.findall(r"/((?:lib|axl)(?:gloo|ibverbs|hiredis|nl|axle_gloo)[-.].*)$", maps, re.MULTILINE))))
"""
JAX_PROGRAM = ROOT / "tests" / "package" / "jax_program.py"


def run(*command, **environment):
    """Stdout of a command that must succeed. The library is not that of the build."""
    inherited = {name: value for name, value in os.environ.items()
                 if name not in ("AXLE_LIBRARY", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "JAX_PLATFORMS")}
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, env={**inherited, **environment})
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode} of {command}: {done.stdout}")
    return done.stdout


def needs(library):
    return make_wheel.needed_by(BUILD / "lib" / library) if (BUILD / "lib" / library).exists() else []


def brought():
    """The libraries of the transports of this build, and Gloo with what stands there for the parts that are not used."""
    names = [name for name in ("libaxle_gloo.so", "libaxle_mpi.so") if (BUILD / "lib" / name).exists()]
    gloo = any(name.startswith("libgloo.so") for name in needs("libaxle_gloo.so"))
    return names + (["axlgloo.so.0", "axlhiredis.so.0.14", "axlibverbs.so.1"] if gloo else [])


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.wheel = make_wheel.make_wheel(BUILD, cls.folder / "wheel")  # as large as the released one
        version = make_wheel.project()["version"]
        cls.info = f"axle_compiler-{version}.dist-info"
        cls.name = f"axle_compiler-{version}-py3-none-manylinux_2_36_x86_64.whl"

    def test_archive(self):
        self.assertEqual(self.wheel.name, self.name)
        self.assertLessEqual(self.wheel.stat().st_size, 20_000_000)
        with zipfile.ZipFile(self.wheel) as archive:
            entries = archive.infolist()
            content = {entry.filename: archive.read(entry) for entry in entries}
        self.assertEqual(len(content), len(entries))
        self.assertEqual({entry.date_time for entry in entries}, {(1980, 1, 1, 0, 0, 0)})
        self.assertEqual(
            sorted(name for name in content if not name.endswith(".py")),
            sorted([
                "axle/bin/axle", "axle/lib/libaxle.so.0.1", "axle/lib/libaxle_codegen.so",
                *(["axle/lib/libaxle_pjrt.so"] if (BUILD / "lib" / "libaxle_pjrt.so").exists() else []),
                *(f"axle/lib/{name}" for name in brought()),
                *(f"{self.info}/{name}" for name in (
                    "LICENSE", "METADATA", "RECORD", "WHEEL", "entry_points.txt", "third-party-licences.txt")),
            ]),
        )
        modules = [f"axle/{path.name}" for path in (ROOT / "python" / "axle").glob("*.py")]
        self.assertEqual(sorted(name for name in content if name.endswith(".py")), sorted(modules))
        for entry in entries:
            is_binary = entry.filename.startswith(("axle/lib/", "axle/bin/"))
            self.assertEqual(entry.external_attr >> 16, 0o100755 if is_binary else 0o100644, entry.filename)
            self.assertEqual(content[entry.filename][:4] == b"\x7fELF", is_binary, entry.filename)

        rows = list(csv.reader(content[f"{self.info}/RECORD"].decode().splitlines()))
        self.assertEqual(sorted(row[0] for row in rows), sorted(content))
        for name, digest, size in rows:
            if name == f"{self.info}/RECORD":
                self.assertEqual((digest, size), ("", ""))
                continue
            hashed = base64.urlsafe_b64encode(hashlib.sha256(content[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), (f"sha256={hashed}", str(len(content[name]))), name)

        metadata = content[f"{self.info}/METADATA"].decode()
        for line in ("Metadata-Version: 2.1", "Name: axle-compiler", "Requires-Python: >=3.9",
                     "Requires-Dist: numpy>=1.22", 'Requires-Dist: ml_dtypes; extra == "narrow"',
                     "License-File: third-party-licences.txt", "Description-Content-Type: text/markdown"):
            self.assertIn(line, metadata.partition("\n\n")[0].splitlines())
        self.assertEqual(metadata.partition("\n\n")[2], (ROOT / "python" / "README.md").read_text())
        self.assertIn("Tag: py3-none-manylinux_2_36_x86_64\n", content[f"{self.info}/WHEEL"].decode())
        self.assertEqual(content[f"{self.info}/entry_points.txt"].decode(),
                         "[console_scripts]\naxle = axle._command:main\n\n[jax_plugins]\naxle = axle.jax_plugin\n")

    def test_same_bytes_again(self):
        again = make_wheel.make_wheel(BUILD, self.folder / "again")
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())

    def check_processes(self, venv, site):
        """Several processes with what the wheel brings, in Python and in JAX, and what is said where MPI is not there."""
        python, launch = venv / "bin" / "python", (venv / "bin" / "axle", "launch", "-n", "2", "--")
        if "libaxle_gloo.so" in brought():
            lines = run(*launch, python, "-c", PROCESSES_PROGRAM, "gloo").splitlines()
            loaded = sorted(name for name in brought() if name != "libaxle_mpi.so")
            self.assertEqual(sorted(lines), [f"[{process}] {loaded}" for process in range(2)])
            if (site / "axle" / "lib" / "libaxle_pjrt.so").exists() and importlib.util.find_spec("jax"):
                with socket.socket() as free:
                    free.bind(("127.0.0.1", 0))
                    port = free.getsockname()[1]
                text = run(*launch, python, ROOT / "examples" / "jax" / "multi_process.py", JAX_PLATFORMS="axle",
                           COORDINATOR=f"127.0.0.1:{port}")
                self.assertIn("[0] 2 processes, 2 devices, 64 examples\n", text)
                self.assertEqual(len(set(re.findall(r"the weights sum up to (\S+)$", text, re.MULTILINE))), 1, text)
        for library in filter(make_wheel.OF_THE_MACHINE["axle/lib/libaxle_mpi.so"].fullmatch, needs("libaxle_mpi.so")):
            folder = self.folder / "no_mpi"
            folder.mkdir()
            (folder / library).touch()
            done = subprocess.run([python, "-c", PROCESSES_PROGRAM, "mpi"], capture_output=True, text=True,
                                  env={"LD_LIBRARY_PATH": str(folder)})
            self.assertEqual(done.stderr.splitlines()[-1],
                             f"axle._errors.AxleError: UNAVAILABLE: connect: no libaxle_mpi.so: {folder / library}: file too short; "
                             "it needs the package libopenmpi3 or libmpich12")

    def test_installed(self):
        venv = self.folder / "venv"
        run(sys.executable, "-m", "venv", "--without-pip", venv)
        site = next(venv.glob("lib/python3*/site-packages"))
        (site / "outside.pth").write_text(f"{importlib.util.find_spec('numpy').submodule_search_locations[0]}/..\n")
        python, pip = venv / "bin" / "python", (sys.executable, "-m", "pip", "--python", venv / "bin" / "python")

        def files():
            return {path for path in venv.rglob("*")}

        before = files()
        run(*pip, "install", "--quiet", "--no-deps", "--no-index", self.wheel)
        library = site / "axle" / "lib" / "libaxle.so.0.1"
        self.assertEqual(run(python, "-c", PROGRAM), f"{library} [-1, -2]\n")
        # Installed libraries do not come first; the one that the environment names does.
        elsewhere = self.folder / "prefix"
        (elsewhere / "lib").mkdir(parents=True)
        (elsewhere / "lib" / "libaxle.so.0.1").write_text("not a library")
        installed = {"CMAKE_PREFIX_PATH": str(elsewhere), "HOME": str(elsewhere), "LD_LIBRARY_PATH": str(elsewhere / "lib")}
        self.assertEqual(run(python, "-c", PROGRAM, **installed), f"{library} [-1, -2]\n")
        named = os.environ["AXLE_LIBRARY"]
        self.assertEqual(run(python, "-c", PROGRAM, AXLE_LIBRARY=named), f"{named} [-1, -2]\n")

        tool = venv / "bin" / "axle"
        self.assertEqual(run(tool, "--version", **installed), f"axle {make_wheel.project()['version']}\n")
        axpy = ROOT / "examples" / "axpy_tanh.hlo"
        self.assertEqual(run(tool, "run", axpy, "--fake=iota"),
                         run(os.environ["AXLE_TOOL"], "run", axpy, "--fake=iota"))
        libraries = run("ldd", site / "axle" / "bin" / "axle")
        self.assertIn(f"libaxle.so.0.1 => {site.resolve()}", libraries.replace("/axle/bin/../lib", ""))

        groups = run(python, "-c", "import importlib.metadata\n"
                     "print(*(entry.load().initialize for entry in importlib.metadata.entry_points(group='jax_plugins')"
                     " if entry.name == 'axle'))")
        self.assertRegex(groups, r"^<function initialize at 0x\w+>\n$")
        if (site / "axle" / "lib" / "libaxle_pjrt.so").exists() and importlib.util.find_spec("jax"):
            self.assertEqual(run(python, JAX_PROGRAM, JAX_PLATFORMS="axle", **installed), "axle\n")
            self.assertEqual(run(python, JAX_PROGRAM, AXLE_AS_CPU="1"), "cpu\n")
            self.assertEqual(run(python, JAX_PROGRAM), "cpu\n")

        self.check_processes(venv, site)
        self.assertTrue(any("__pycache__" in path.parts for path in files() - before))
        run(*pip, "uninstall", "--quiet", "--yes", "axle-compiler")
        self.assertEqual(files() - before, set())


def dynamic(*lines):
    return "".join(f" 0x1 ({tag})  {text}: [{value}]\n" for tag, text, value in lines)


class Refusals(unittest.TestCase):
    """What readelf says is given, as no compiler of Debian 12 makes such a library."""

    NAMES = ("axle/lib/libaxle.so.0.1", "axle/lib/libaxle_codegen.so", "axle/bin/axle")
    ZLIB = ("NEEDED", "Shared library", "libz.so.1")
    OURS = ("NEEDED", "Shared library", "libaxle.so.0.1")

    def refusal(self, name, lines, *versions):
        needs = "Version definition section\n  Name: GLIBC_9.9\nVersion needs section '.gnu.version_r'\n"
        needs += "".join(f"  0x0010:   Name: {version}  Flags: none  Version: 2\n" for version in versions)
        try:
            make_wheel.check_binary(name, dynamic(*lines), needs, self.NAMES)
        except make_wheel.Refused as refused:
            return str(refused)
        return None

    def test_libraries(self):
        self.assertIsNone(self.refusal("axle/lib/libaxle.so.0.1", [self.ZLIB]))
        self.assertEqual(self.refusal("axle/lib/libaxle.so.0.1", [self.ZLIB, ("NEEDED", "Shared library", "libzstd.so.1")]),
                         "axle/lib/libaxle.so.0.1 needs libzstd.so.1, which is neither in the wheel nor in manylinux")

    def test_mpi(self):
        mpi = [("NEEDED", "Shared library", "libmpi.so.40"), ("NEEDED", "Shared library", "libucp.so.0")]
        self.assertIsNone(self.refusal("axle/lib/libaxle_mpi.so", mpi[:1]))
        self.assertEqual(self.refusal("axle/lib/libaxle_mpi.so", mpi),
                         "axle/lib/libaxle_mpi.so needs libucp.so.0, which is neither in the wheel nor in manylinux")
        self.assertEqual(self.refusal("axle/lib/libaxle_gloo.so", mpi[:1]),
                         "axle/lib/libaxle_gloo.so needs libmpi.so.40, which is neither in the wheel nor in manylinux")

    def test_versions(self):
        self.assertIsNone(self.refusal("axle/bin/axle", [], "GLIBC_2.36", "GLIBC_2.2.5", "GLIBCXX_3.4.30", "CXXABI_1.3",
                                       "GCC_3.0", "ZLIB_1.2.3.4", "GLIBC_ABI_DT_RELR"))
        self.assertEqual(
            self.refusal("axle/bin/axle", [], "GLIBC_2.37", "GLIBCXX_3.4.31", "GLIBC_PRIVATE", "LLVM_19.1", "GLIBC_2.36"),
            "axle/bin/axle needs GLIBCXX_3.4.31, GLIBC_2.37, GLIBC_PRIVATE, LLVM_19.1, which "
            "py3-none-manylinux_2_36_x86_64 does not promise")

    def test_run_paths(self):
        codegen, tool = "axle/lib/libaxle_codegen.so", "axle/bin/axle"
        beside = ("RPATH", "Library rpath", "$ORIGIN")
        self.assertIsNone(self.refusal(codegen, [self.OURS, beside]))
        self.assertIsNone(self.refusal(tool, [self.OURS, ("RPATH", "Library rpath", "$ORIGIN/../lib")]))
        needs = "needs libraries of the wheel and has not the RPATH"
        self.assertEqual(self.refusal(codegen, [self.OURS]), f"{codegen} {needs} $ORIGIN: []")
        self.assertEqual(self.refusal(tool, [self.OURS, beside]), f"{tool} {needs} $ORIGIN/../lib: ['$ORIGIN']")
        self.assertEqual(self.refusal(codegen, [self.OURS, beside, ("RUNPATH", "Library runpath", "$ORIGIN")]),
                         f"{codegen} {needs} $ORIGIN: ['$ORIGIN']")
        self.assertEqual(self.refusal(codegen, [self.OURS, ("RPATH", "Library rpath", "$ORIGIN:/home/me/lib")]),
                         f"{codegen} looks for libraries in /home/me/lib")

    def test_build(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(make_wheel.Refused, "^cmake --install .*: .*cmake_install.cmake"):
                make_wheel.make_wheel(pathlib.Path(folder), pathlib.Path(folder))


if __name__ == "__main__":
    if importlib.util.find_spec("pip") is None:
        print("skipped: no pip; scripts/deps.sh --python installs one")
        sys.exit(SKIPPED)
    unittest.main()
