#!/usr/bin/env python3
"""Protos that Axle writes are the same modules to XLA as those that XLA wrote itself.

Needs jaxlib (scripts/deps.sh --python) and a corpus; without them the test is skipped. XLA
orders computations and stack frames anew when it reads a proto, so computations are compared as a
set and without metadata.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import jaxlib_python  # noqa: E402


def computations(text):
    text = re.sub(r", metadata=\{[^{}]*\}", "", text)
    tables = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
    return sorted(part for part in re.split(r"\n\n+", text.strip())
                  if not part.strip().startswith(tables))


def main():
    jaxlib_python.enter()
    from jaxlib import _hlo

    corpus = pathlib.Path(os.environ.get("AXLE_SHARED") or ROOT.parent / "shared") / "corpus"
    programs = sorted(corpus.glob("*/program.hlo.pb"))
    if not programs:
        print(f"xla: no {corpus}")
        return jaxlib_python.SKIPPED
    same = failures = 0
    for path in programs:
        written = subprocess.run([os.environ["AXLE_TOOL"], "convert", "--to", "hlo.pb", str(path)],
                                 capture_output=True)
        if written.returncode == 5:  # an operation that is still to come
            continue
        try:
            ours = _hlo.HloModule.from_serialized_hlo_module_proto(written.stdout)
        except Exception as error:
            print(f"xla: {path.parent.name}: {error or written.stderr}")
            failures += 1
            continue
        theirs = _hlo.HloModule.from_serialized_hlo_module_proto(path.read_bytes())
        if computations(ours.to_string()) == computations(theirs.to_string()):
            same += 1
        else:
            print(f"xla: {path.parent.name} is another module")
            failures += 1
    print(f"xla: {same} of {len(programs)} programs are the same to XLA, {failures} are not")
    return 1 if failures or same < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
