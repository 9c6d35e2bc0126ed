#!/usr/bin/env python3
"""What `cmake --install` leaves serves programs outside of this tree: package.py install | shared | static |
static-native | pkg-config | headers | python

`install` puts the package of the build in AXLE_BINARY_DIR under a prefix and moves that elsewhere. The
others use it there: CMake with find_package, pkg-config with plain compilers, all public headers at once.
Compilers are those of the build, without its flags.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["AXLE_BINARY_DIR"])
FOLDER = BUILD / "package_test"
PREFIX = FOLDER / "prefix"
CXX, CC = os.environ["AXLE_CXX"], os.environ["AXLE_CC"]
EXAMPLES = SOURCE / "examples"

# What each example prints, as a pattern, and its arguments.
RUNS = {
    "axpy": ([], r"f32\[4\] \{12, 24, 36, 48\}\n"),
    "axpy_c": ([], r"12 24 36 48\n"),
    "while_loop": (["1071", "462"], r"gcd\(1071, 462\) = 21\n"),
    "linear_regression": ([], r"(?s).*\ny = 3\.00 x -1\.00\n"),
    "custom_call": ([], r"squared distances: f32\[3,3\] "
                        r"\{ \{ 0, 25, 64 \}, \{ 25, 0, 25 \}, \{ 64, 25, 0 \} \}\n"),
    # The number was counted by a program in Python.
    "game_of_life": (["--frames", "200"], r"(?s)([.#]{64}\n){24}generation 200: 94 cells are alive\n"),
    "mlp": (["--steps", "20", str(EXAMPLES / "mlp_train_step.hlo")],
            r"(?s).*\nBoth gave the same bits: every loss, parameter and momentum\.\n"),
}


def run(*command, **options):
    """Stdout of a command that must succeed."""
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\npackage: exit status {done.returncode} of {' '.join(map(str, command))}")
    return done.stdout


def run_example(name, program):
    arguments, pattern = RUNS[name]
    out = run(program, *arguments)
    if not re.fullmatch(pattern, out):
        sys.exit(f"{out}\npackage: {program} prints the above and not {pattern}")
    print(f"package: {name}: ok")


def install():
    shutil.rmtree(FOLDER, ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", FOLDER / "first")
    (FOLDER / "first").rename(PREFIX)
    notes = run(PREFIX / "bin" / "axle", "run", EXAMPLES / "axpy_tanh.hlo", "--fake=iota")
    if not notes.startswith("out_0 = f32[4,8]"):
        sys.exit(f"{notes}\npackage: the installed axle prints the above")
    share = PREFIX / "share"
    for file, command in (("bash-completion/completions/axle", "completion bash"),
                          ("zsh/site-functions/_axle", "completion zsh"),
                          ("fish/vendor_completions.d/axle.fish", "completion fish"),
                          ("man/man1/axle.1", "man"), ("man/man1/axle-run.1", "man run")):
        path = share / file
        if not path.exists() or path.read_text() != run(PREFIX / "bin" / "axle", *command.split()):
            sys.exit(f"package: {path} is not what axle {command} prints")


def configure(source, build):
    shutil.rmtree(build, ignore_errors=True)
    run("cmake", "--no-warn-unused-cli", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
        f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_C_COMPILER={CC}",
        *(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache"
          for language in ("C", "CXX") if shutil.which("ccache")))
    run("cmake", "--build", build, env={**os.environ, "CCACHE_BASEDIR": str(FOLDER)})


def shared():
    """examples/ as a project of its own; docs/api.md has the first of them."""
    program = (EXAMPLES / "axpy.cc").read_text()
    shown = program[program.index("#include"):program.index("int main")].strip()
    if shown not in (SOURCE / "docs" / "api.md").read_text():
        sys.exit("package: docs/api.md does not show examples/axpy.cc as it is")
    build = FOLDER / "examples"
    configure(EXAMPLES, build)
    names = sorted(path.stem for path in EXAMPLES.iterdir() if path.suffix in (".cc", ".c"))
    for name in names:
        run_example(name, build / f"example_{name}")


def static():
    """A program with libaxle.a inside needs no libaxle.so, and gets no native engine."""
    source = FOLDER / "static_source"
    source.mkdir(exist_ok=True)
    (source / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES CXX)
find_package(axle 0.1 REQUIRED)
add_executable(static {SOURCE}/tests/package/static_engine.cc)
target_link_libraries(static axle::static)
""")
    configure(source, FOLDER / "static")
    program = FOLDER / "static" / "static"
    if "libaxle" in run("readelf", "--dynamic", program):
        sys.exit("package: a program with axle::static needs libaxle.so")
    codegen = PREFIX / "lib" / "libaxle_codegen.so"
    out = run(program, codegen)
    expected = "f32[] 6\n"
    if codegen.exists():
        expected += (f"UNAVAILABLE: compile: {codegen} belongs to another copy of axle than this program\n")
    if not out.startswith(expected):
        sys.exit(f"{out}\npackage: static_engine prints the above and not\n{expected}")


def check_alone(program):
    """It has Axle, LLVM and the native engine inside, and runs in any folder."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", program))
    for name in needed:
        if not re.fullmatch(r"lib(c|m|stdc\+\+|gcc_s|z|zstd)\.so\.\d+|ld-linux.*\.so\.\d+", name):
            sys.exit(f"package: {program} needs {name}")
    alone = FOLDER / "alone"
    alone.mkdir(exist_ok=True)
    shutil.copy(program, alone / "program")
    # A library that the environment names is for programs without an engine of their own.
    environment = {**os.environ, "AXLE_CODEGEN_LIBRARY": "/nowhere/libaxle_codegen.so"}
    out = run(alone / "program", env=environment, cwd=alone)
    if out != "0.0857266 1 same bits\n":
        sys.exit(f"{out}\npackage: static_native prints the above")
    named = subprocess.run([alone / "program", PREFIX / "lib" / "libaxle_codegen.so"], stdout=subprocess.PIPE, text=True)
    if named.returncode != 1 or "belongs to another copy of axle than this program" not in named.stdout:
        sys.exit(f"{named.stdout}\npackage: static_native with a library prints the above")
    run("strip", alone / "program")
    print(f"package: {program.name} has {(alone / 'program').stat().st_size / 1e6:.1f} MB")


def static_native():
    """A program with all inside, by find_package and by pkg-config."""
    if not (PREFIX / "lib" / "libaxle_native.a").exists():
        print("package: this build has no native engine")
        sys.exit(77)
    source = FOLDER / "static_native_source"
    source.mkdir(exist_ok=True)
    (source / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C CXX)
find_package(axle 0.1 REQUIRED COMPONENTS static_native)
add_executable(by_cmake {SOURCE}/tests/package/static_native.cc)
target_link_libraries(by_cmake axle::static_native)
""")
    configure(source, FOLDER / "static_native")
    check_alone(FOLDER / "static_native" / "by_cmake")
    if not (PREFIX / "lib" / "pkgconfig" / "axle-static-native.pc").exists():
        sys.exit("package: axle-static-native.pc is not installed")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(PREFIX / "lib" / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "axle-static-native", env=environment).split()
    program = FOLDER / "by_pkg_config"
    run(CXX, "-std=c++20", SOURCE / "tests" / "package" / "static_native.cc", *flags, "-o", program)
    check_alone(program)


def pkg_config():
    environment = {**os.environ, "PKG_CONFIG_PATH": str(PREFIX / "lib" / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "axle", env=environment).split()
    flags.append(f"-Wl,-rpath,{PREFIX / 'lib'}")
    run(CXX, "-std=c++20", EXAMPLES / "axpy.cc", *flags, "-o", FOLDER / "pkg_config_axpy")
    run_example("axpy", FOLDER / "pkg_config_axpy")
    if (EXAMPLES / "axpy_c.c").exists():
        run(CC, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", EXAMPLES / "axpy_c.c", *flags,
            "-o", FOLDER / "pkg_config_axpy_c")
        run_example("axpy_c", FOLDER / "pkg_config_axpy_c")


def headers():
    """All of them in one file, with the warnings that a user may have and none of our flags. That each one
    compiles alone is checked in the tree, and that what they include is there follows from this."""
    include = PREFIX / "include"
    names = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    if "axle/axle.h" not in names or len(names) < 40:
        sys.exit(f"package: only these headers are installed: {names}")
    text = "".join(f"#include <{name}>\n" for name in names)
    run(CXX, "-x", "c++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
        f"-I{include}", "-", input=text)
    print(f"package: {len(names)} headers: ok")
    # An older standard gets one line that says so.
    source = FOLDER / "old.cc"
    source.write_text("#include <axle/axle.h>\nint main() {}\n")
    old = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-I{PREFIX / 'include'}", source],
                         capture_output=True, text=True)
    errors = [line for line in old.stderr.splitlines() if "error:" in line]
    if old.returncode == 0 or len(errors) != 1 or "Axle needs C++20" not in errors[0]:
        sys.exit(f"package: C++17 should get one error:\n{old.stderr}")


def python():
    """The module that is installed finds the library from where it is; a copy elsewhere, from what it is told."""
    sys.path.insert(0, str(SOURCE / "tests"))
    import jaxlib_python

    jaxlib_python.enter(("numpy",))
    program = ("import axle\nexe = axle.compile('ENTRY e { p = s32[2] parameter(0) ROOT r = s32[2] negate(p) }')\n"
               "print(axle.library_path, exe([1, 2]).tolist())")
    site = PREFIX / "lib" / "python3" / "site-packages"
    shutil.rmtree(FOLDER / "python", ignore_errors=True)
    elsewhere = FOLDER / "python" / "no" / "prefix" / "site"
    shutil.copytree(site, elsewhere)
    home = FOLDER / "python" / "home"
    home.mkdir(parents=True)
    (home / "axle").symlink_to(PREFIX)
    library = PREFIX / "lib" / "libaxle.so.0.1"
    for name, packages, told, found in (
        ("beside it", site, {}, library),
        ("~/axle", elsewhere, {"HOME": str(home)}, home / "axle" / "lib" / "libaxle.so.0.1"),
        ("CMAKE_PREFIX_PATH", elsewhere, {"CMAKE_PREFIX_PATH": f"/nowhere:{PREFIX}"}, library),
        ("PATH", elsewhere, {"PATH": f"{PREFIX / 'bin'}:{os.environ['PATH']}"}, library),
        ("pkg-config", elsewhere, {"PKG_CONFIG_PATH": str(PREFIX / "lib" / "pkgconfig")}, library),
        ("AXLE_LIBRARY", elsewhere, {"AXLE_LIBRARY": str(library)}, library),
    ):
        environment = {k: v for k, v in os.environ.items() if k not in ("AXLE_LIBRARY", "CMAKE_PREFIX_PATH")}
        environment.update({"HOME": "/nowhere", "PYTHONPATH": str(packages), **told})
        out = run(sys.executable, "-c", program, env=environment, cwd=FOLDER)
        # pkg-config's path has .. in it.
        path, result = out.strip().split(" ", 1)
        if not os.path.samefile(path, found) or result != "[-1, -2]":
            sys.exit(f"{out}\npackage: python by {name} prints the above and not {found} [-1, -2]")
        print(f"package: python, library by {name}: ok")


if __name__ == "__main__":
    steps = {"install": install, "shared": shared, "static": static, "static-native": static_native, "pkg-config": pkg_config,
             "headers": headers, "python": python}
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[1]]()
