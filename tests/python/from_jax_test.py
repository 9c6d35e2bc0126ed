#!/usr/bin/env python3
"""The blocks of docs/from-jax.md are run as they stand, one after the other, in one folder."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import axle_module  # goes on in the Python that has numpy
import jaxlib_python

jaxlib_python.enter()
DOCS = axle_module.ROOT / "docs" / "from-jax.md"
LIBRARY = pathlib.Path(os.environ["AXLE_LIBRARY"])


def main():
    tool = os.environ.get("AXLE_TOOL")
    if tool is None or shutil.which("c++") is None:
        print("skipped: no axle tool in this build, or no c++")
        return jaxlib_python.SKIPPED
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    names = {}
    flags = f"-I{axle_module.ROOT} -L{LIBRARY.parent} -laxle"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("bin").mkdir()
        pathlib.Path("bin", "axle").symlink_to(tool)
        environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
        for language, text in blocks:
            if language == "python":
                exec(compile(text, str(DOCS), "exec"), names)
            elif language == "cpp":
                pathlib.Path("from_jax.cc").write_text(text)
            elif language == "sh":
                text = text.replace("$(pkg-config --cflags --libs axle)", flags)
                text = text.replace("$(pkg-config --variable=libdir axle)", str(LIBRARY.parent))
                ran = subprocess.run(["sh", "-ec", text], env=environment, capture_output=True, text=True)
                sys.stdout.write(ran.stdout + ran.stderr)
                if ran.returncode != 0 or ran.stderr:
                    print(f"this failed:\n{text}")
                    return 1
            else:
                print(f"a block of {language}, which this test does not run")
                return 1
        os.chdir(axle_module.ROOT)
    kinds = [language for language, _ in blocks]
    print(f"from-jax: {len(blocks)} blocks ran")
    return 0 if {"python", "sh", "cpp"} <= set(kinds) else 1


if __name__ == "__main__":
    sys.exit(main())
