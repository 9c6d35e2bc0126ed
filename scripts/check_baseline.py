#!/usr/bin/env python3
"""What runs on any x86-64 is compiled for it: check_baseline.py LIBRARY

An older processor must get as far as the status that says it is too old: the constructors that run when
the library is loaded, Client::Create, the entry points of the C interface and what reads a status use no
instruction of AVX or later. Prints one line per function that does; exits 1 then.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(
    r"^_GLOBAL__sub_I|^axle_(client_create|builder_create|module_parse|arrays_read|arrays_write|status_\w+|c_api_version)$"
    r"|HasBaselineProcessor|CheckProcessor|NewStatus|^_ZN4axle6Client6CreateERK"
)
NEWER = re.compile(r"\t(v[a-z0-9]+|andn|mulx|shlx|shrx|sarx|rorx|bextr|blsr|blsi|blsmsk|lzcnt|tzcnt)\s")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    looked_at, found, function = set(), {}, ""
    process = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.endswith(">:\n"):
            name = line.split("<", 1)[1][:-3]
            function = name if FUNCTION.search(name) else ""
            looked_at.add(function)
        elif function and NEWER.search(line):
            found.setdefault(function, line.strip())
    if process.wait() != 0 or "axle_client_create" not in looked_at or not any("Client6Create" in f for f in looked_at):
        print(f"baseline: {sys.argv[1]} lacks axle_client_create or Client::Create")
        return 1
    print("\n".join(f"baseline: {name}: {line}" for name, line in found.items()) or "baseline: ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
