#!/usr/bin/env python3
"""Times a process from its start to its first result, against a C program that only loads the same libraries.

    bench/startup.py [--build DIR] [--engine native|interpret] [--runs N]

Bars: 15 ms, and 1.2x of the C program. Runs of the two go in turns; 20th percentiles.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = "HloModule tiny\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] exponential(x)\n}\n"
LOADER = r"""#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (dlopen(argv[i], RTLD_NOW) == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  puts("loaded");
  return 0;
}
"""


def seconds(command):
    begin = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    took = time.perf_counter() - begin
    if run.returncode != 0:
        sys.exit(f"startup: {' '.join(command)}: {run.stderr.strip()}")
    return took


def p20(times):
    return sorted(times)[len(times) // 5]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"), metavar="DIR")
    parser.add_argument("--engine", choices=("native", "interpret"), default="native")
    parser.add_argument("--runs", type=int, default=40, metavar="N")
    options = parser.parse_args()
    libraries = [os.path.join(options.build, "lib", "libaxle.so")]
    if options.engine == "native":
        libraries.append(os.path.join(options.build, "lib", "libaxle_codegen.so"))
    with tempfile.TemporaryDirectory(prefix="axle-startup-") as folder:
        program, loader = os.path.join(folder, "tiny.hlo"), os.path.join(folder, "loader")
        with open(program, "w") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", loader, "-ldl"], input=LOADER, text=True, check=True)
        ours = [os.path.join(options.build, "bin", "axle"), "run", program, "--engine", options.engine, "--fake"]
        theirs = [loader, *libraries]
        times = [(seconds(ours), seconds(theirs)) for _ in range(options.runs + 2)][2:]
    axle, loading = (p20(list(side)) * 1e3 for side in zip(*times))
    print(
        f"axle run --engine {options.engine}, from start to result: {axle:.1f} ms (bar 15); "
        f"a C program that loads {' and '.join(map(os.path.basename, libraries))}: {loading:.1f} ms; "
        f"ratio {axle / loading:.2f} (bar 1.2)"
    )


if __name__ == "__main__":
    main()
