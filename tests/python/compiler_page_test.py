#!/usr/bin/env python3
"""docs/compiler.md follows a program from HLO to assembly: its commands print what the page shows."""

import platform
import sys

import docs_page  # goes on in the Python that has numpy
import jaxlib_python

if __name__ == "__main__":
    if platform.machine() != "x86_64":
        print("skipped: the page shows code for x86")
        sys.exit(jaxlib_python.SKIPPED)
    sys.exit(docs_page.run("compiler", ("hlo", "console")))
