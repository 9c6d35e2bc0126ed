#!/usr/bin/env python3
"""No product and sum were contracted behind our back: check_contraction.py LIBRARY...

g++ 12 turns ac-bd beside ad+bc into one fused instruction even under -ffp-contract=off. We never ask
for that instruction, so finding one in our libraries means that some bits are wrong. Plain fused
multiply-adds cannot be told apart from those that we write. Prints one line per place; exits 1 then.
"""
import re
import subprocess
import sys

CONTRACTED = re.compile(r"\bvfm(addsub|subadd)\w*")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = []
    for library in sys.argv[1:]:
        function = "?"
        process = subprocess.Popen(["objdump", "-d", "-C", "--no-show-raw-insn", library],
                                   stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.endswith(">:\n"):
                function = line.split("<", 1)[1][:-3]
            elif CONTRACTED.search(line):
                found.append(f"{library}: {function}: {line.strip()}")
        if process.wait() != 0:
            print(f"contraction: objdump cannot read {library}")
            return 1
    print("\n".join(found) or "contraction: ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
