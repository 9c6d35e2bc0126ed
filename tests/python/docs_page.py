"""Runs the blocks of a page of docs/ as they stand, one after the other, in one folder: Python in this process, the
C++ or C of the page as one file, named after it, that a shell block compiles; HLO is written to a file of its name. A
console block is a command, behind "$ ", and what it prints. `~` is that folder, and `~/axle` an installation."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import axle_module  # goes on in the Python that has numpy
import jaxlib_python


def shown(printed, wanted, command):
    """Whether the lines of a console block are there, in order; a line "..." stands for any number of lines, and "..."
    at the end of one for the rest of it. Versions of LLVM number values and choose registers in other ways: of IR and
    assembly, operations and types count."""

    def plain(line):
        if "--to asm" in command:
            return line.split()[0] if line.split() else ""
        return re.sub(r"%[\w.]+", "%", line) if "--to llvm" in command else line

    lines, at, may_skip = printed.splitlines(), 0, False
    for line in wanted:
        if line == "...":
            may_skip = True
            continue
        def fits(other):
            if line.endswith("..."):
                return other.startswith(line[:-3])
            return plain(other) == plain(line)
        end = len(lines) if may_skip else min(at + 1, len(lines))
        at = next((i + 1 for i in range(at, end) if fits(lines[i])), 0)
        if at == 0:
            print(f"not in what is printed: {line}")
            return False
        may_skip = False
    return True


def run(name, languages, files=None):
    """The exit status of the test. Each of the languages must be there. `files` by their paths come first: a text, or the path of what
    a link leads to."""
    page = axle_module.ROOT / "docs" / f"{name}.md"
    library = pathlib.Path(os.environ["AXLE_LIBRARY"])
    tool = os.environ.get("AXLE_TOOL")
    if tool is None or shutil.which("c++") is None:
        print("skipped: no axle tool in this build, or no c++")
        return jaxlib_python.SKIPPED
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    names = {}
    flags = f"-I{axle_module.ROOT} -L{library.parent} -laxle"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("bin").mkdir()
        pathlib.Path("bin", "axle").symlink_to(tool)
        pathlib.Path("axle").mkdir()
        pathlib.Path("axle", "lib").symlink_to(library.parent)
        for path, content in (files or {}).items():
            pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                pathlib.Path(path).write_text(content)
            else:
                pathlib.Path(path).symlink_to(content)
        environment = dict(os.environ, HOME=folder, PATH=f"{folder}/bin:{os.environ['PATH']}")
        for language, text in blocks:
            if language == "python":
                exec(compile(text, str(page), "exec"), names)
            elif language in ("c", "cpp"):
                with open(f"{name.replace('-', '_')}.{'c' if language == 'c' else 'cc'}", "a") as source:
                    source.write(text + "\n")
            elif language == "hlo":
                pathlib.Path(re.match(r"HloModule (\w+)", text)[1] + ".hlo").write_text(text)
            elif language == "sh":
                text = text.replace("$(pkg-config --cflags --libs axle)", flags)
                text = text.replace("$(pkg-config --variable=libdir axle)", str(library.parent))
                ran = subprocess.run(["sh", "-ec", text], env=environment, capture_output=True, text=True)
                sys.stdout.write(ran.stdout + ran.stderr)
                if ran.returncode != 0 or ran.stderr:
                    print(f"this failed:\n{text}")
                    return 1
            elif language == "console":
                command, *wanted = text.rstrip("\n").split("\n")
                ran = subprocess.run(["sh", "-ec", command.removeprefix("$ ")], env=environment, capture_output=True,
                                     text=True)
                if ran.returncode != 0 or ran.stderr or not shown(ran.stdout, wanted, command):
                    print(f"this failed:\n{command}\n{ran.stdout}{ran.stderr}")
                    return 1
            else:
                print(f"a block of {language or 'no language'}, which this test does not run")
                return 1
        os.chdir(axle_module.ROOT)
    print(f"{name}: {len(blocks)} blocks ran")
    return 0 if set(languages) <= {language for language, _ in blocks} else 1
