#!/usr/bin/env python3
"""Makes a wheel of a build: make_wheel.py BUILD_FOLDER OUTPUT_FOLDER [--level 0..9]

The wheel has what `cmake --install` installs of the components `runtime`, `distributed`, `distributed_mpi` and `python`,
stripped, in one folder of Python: the module `axle`, in axle/lib the libraries by their sonames, in axle/bin the command line. What pip
shows of it comes from python/pyproject.toml. The same build gives the same bytes.

libaxle_gloo.so brings a copy of the Gloo of this machine. Its names, and the names of what Gloo needs, begin with "axl" in
the place of "lib", as other packages of the process may have those libraries too. For InfiniBand and Redis, which Axle
does not use, the wheel has axle/distributed/gloo/unused. libaxle_mpi.so takes the MPI of the machine where it is loaded.

Its tag promises that it runs on every Linux of glibc 2.36, with Python alone. So the script refuses a library or program
that needs a newer symbol, or a library that is neither in the wheel nor one that manylinux lets a wheel expect, or that
does not find those of the wheel by itself. It also refuses a wheel of more than 20 MB. `--level` is of compression.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAG = "py3-none-manylinux_2_36_x86_64"
LARGEST = 20_000_000
# From PEP 600 and the policy of manylinux_2_36: libraries that are there, and the newest versions of their symbols, those
# of Debian 12. GLIBC_ABI_DT_RELR came with glibc 2.36.
EXPECTED = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libstdc++.so.6", "libgcc_s.so.1",
            "libz.so.1", "ld-linux-x86-64.so.2"}
NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0), "ZLIB": (1, 2, 9)}
ALSO = {"GLIBC_ABI_DT_RELR"}
LICENCE_FILES = (ROOT / "LICENSE", ROOT / "docs" / "third-party-licences.txt")
# What a library may need that is not in the wheel: it is loaded only where somebody asks for it, and says what is missing.
OF_THE_MACHINE = {"axle/lib/libaxle_mpi.so": re.compile(r"libmpi(ch)?\.so\.\d+")}
TRANSPORT = "axle/lib/libaxle_gloo.so"
GLOO = re.compile(r"libgloo\.so\.[\d.]+")
UNUSED_OF_GLOO = re.compile(r"lib(ibverbs|hiredis)\.so\.[\d.]+")
BROUGHT = re.compile(r"axle/lib/axl(gloo|ibverbs|hiredis)\.so\.[\d.]+")
# In the order of what a wheel must have first: the libraries, and the folder in which each finds the others.
RPATHS = {"lib": "$ORIGIN", "bin": "$ORIGIN/../lib"}


class Refused(Exception):
    """What a wheel must not be."""


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def stage(build, folder):
    """Installs what goes into the wheel, and returns it as a dict: the file for each name in the wheel."""
    for component in ("runtime", "distributed", "distributed_mpi", "wheel", "python"):
        run("cmake", "--install", build, "--prefix", folder, "--component", component, "--strip")
    files = {}
    package = folder / "lib" / "python3" / "site-packages"
    for path in package.rglob("*.py"):
        files[path.relative_to(package).as_posix()] = path
    for path in (folder / "lib").glob("*.so*"):
        if not path.is_symlink():
            soname = re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path))
            files[f"axle/lib/{soname.group(1) if soname else path.name}"] = path
    files["axle/bin/axle"] = folder / "bin" / "axle"
    for name in ("axle/lib/libaxle_codegen.so", "axle/bin/axle", "axle/__init__.py"):
        if name not in files or not files[name].exists():
            raise Refused(f"{build} installs no {name}")
    unused = files.pop("axle/lib/libaxle_gloo_unused.so", None)
    if TRANSPORT in files:
        bring_gloo(files, folder, unused)
    return files


def needed_by(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path))


def renamed(name):
    return "axl" + name.removeprefix("lib")


def bring_gloo(files, folder, unused):
    """Adds a copy of the shared libgloo.so that the transport needs, if it needs one, and stands in for what that needs
    and does not use. Names in a library end with a zero byte, and the new ones have the length of the old ones."""
    for name in filter(GLOO.fullmatch, needed_by(files[TRANSPORT])):
        found = re.search(rf"^\s*{re.escape(name)} => (/\S+)", run("ldd", files[TRANSPORT]), re.MULTILINE)
        if not found:
            raise Refused(f"{TRANSPORT} needs {name}, which is not on this machine")
        gloo = pathlib.Path(found.group(1))
        stands_in = list(filter(UNUSED_OF_GLOO.fullmatch, needed_by(gloo)))
        for source, target in ((files[TRANSPORT], TRANSPORT), (gloo, f"axle/lib/{renamed(name)}")):
            content = source.read_bytes()
            for old in (name, *stands_in):
                content = content.replace(b"\0" + old.encode() + b"\0", b"\0" + renamed(old).encode() + b"\0")
            files[target] = folder / f"renamed-{source.name}"
            files[target].write_bytes(content)
        files |= {f"axle/lib/{renamed(old)}": unused for old in stands_in}


def newer_symbols(versions):
    """Those of the versions of symbols that a machine of the tag may not have."""
    for version in sorted(set(versions)):
        name, _, number = version.rpartition("_")
        is_number = re.fullmatch(r"\d+(\.\d+)*", number)
        if version not in ALSO and not (
            is_number and name in NEWEST and tuple(map(int, number.split("."))) <= NEWEST[name]
        ):
            yield version


def check_binary(name, dynamic, versions, names):
    """Refuses what would not run on every machine of the tag. The arguments are the name in the wheel, what readelf
    says of its dynamic section and of versions, and all names in the wheel."""
    ours = {other.rpartition("/")[2] for other in names if other.startswith("axle/lib/")}
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    foreign = sorted(set(needed) - EXPECTED - ours)
    if name in OF_THE_MACHINE:
        foreign = [other for other in foreign if not OF_THE_MACHINE[name].fullmatch(other)]
    if foreign:
        raise Refused(f"{name} needs {', '.join(foreign)}, which is neither in the wheel nor in manylinux")
    # Version information of what it defines comes first; only what it needs has a file.
    needs = versions.partition("Version needs section")[2]
    of_files = re.split(r"\bFile: (\S+)", needs)  # each file is followed by the versions that are needed of it
    foreign_needs = of_files[0] + "".join(text for file, text in zip(of_files[1::2], of_files[2::2]) if file not in ours)
    newer = list(newer_symbols(re.findall(r"\bName: (\S+)", foreign_needs)))
    if newer:
        raise Refused(f"{name} needs {', '.join(newer)}, which {TAG} does not promise")
    # Not RUNPATH, before which LD_LIBRARY_PATH comes.
    paths = [path for found in re.findall(r"\(RPATH\).*\[(.*)\]", dynamic) for path in found.split(":")]
    folder = RPATHS[name.split("/")[1]]
    # What is brought for another library is found by the RPATH of that.
    if ours & set(needed) and not BROUGHT.fullmatch(name) and ("(RUNPATH)" in dynamic or folder not in paths):
        raise Refused(f"{name} needs libraries of the wheel and has not the RPATH {folder}: {paths}")
    outside = [path for path in paths if not path.startswith("$ORIGIN")]
    if outside:
        raise Refused(f"{name} looks for libraries in {', '.join(outside)}")


def project():
    with open(ROOT / "python" / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def metadata(said):
    """METADATA of the core metadata 2.1."""
    lines = [
        "Metadata-Version: 2.1", f"Name: {said['name']}", f"Version: {said['version']}",
        f"Summary: {said['description']}", "License: Apache-2.0 WITH LLVM-exception",
        *(f"License-File: {path.name}" for path in LICENCE_FILES),
        *(f"Classifier: {classifier}" for classifier in said.get("classifiers", [])),
        f"Requires-Python: {said['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in said["dependencies"]),
    ]
    for extra, requirements in said.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / "python" / said["readme"]).read_text()


def entry_points(said):
    groups = {"console_scripts": said.get("scripts", {}), **said.get("entry-points", {})}
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in sorted(entries.items()))
        for group, entries in sorted(groups.items()) if entries
    )


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def pack(contents, path, info, level):
    """Writes the archive: bytes by name, RECORD last, everything of `info` (the folder of metadata) at the end."""
    names = sorted(contents, key=lambda name: (name.startswith(info), name))
    record = "".join(record_line(name, contents[name]) for name in names) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*names, f"{info}/RECORD"):
            entry = zipfile.ZipInfo(name)  # of 1980, whatever the time is
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: the permissions count
            is_program = name.startswith(("axle/bin/", "axle/lib/"))
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            archive.writestr(entry, contents.get(name, record.encode()), compresslevel=level)


def make_wheel(build, output, level=9):
    """The path of the wheel."""
    said = project()
    name = f"{said['name'].replace('-', '_')}-{said['version']}"
    info = f"{name}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        files = stage(build, pathlib.Path(folder))
        for binary in files:
            if binary.startswith(("axle/lib/", "axle/bin/")):
                check_binary(binary, run("readelf", "--dynamic", "--wide", files[binary]),
                             run("readelf", "--version-info", "--wide", files[binary]), files)
        contents = {name: path.read_bytes() for name, path in files.items()}
    contents |= {f"{info}/{path.name}": path.read_bytes() for path in LICENCE_FILES}
    contents[f"{info}/METADATA"] = metadata(said).encode()
    contents[f"{info}/entry_points.txt"] = entry_points(said).encode()
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: axle\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{name}-{TAG}.whl"
    pack(contents, path, info, level)
    if path.stat().st_size > LARGEST:
        raise Refused(f"{path} has {path.stat().st_size} bytes, more than {LARGEST}")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--level", type=int, default=9, choices=range(10))
    arguments = parser.parse_args()
    try:
        path = make_wheel(arguments.build, arguments.output, arguments.level)
    except Refused as refusal:
        print(f"make_wheel: {refusal}", file=sys.stderr)
        return 1
    print(f"make_wheel: {path}, {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
