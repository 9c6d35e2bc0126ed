#!/usr/bin/env python3
"""The blocks of docs/cookbook.md are run as they stand."""

import sys

import docs_page  # goes on in the Python that has numpy

if __name__ == "__main__":
    sys.exit(docs_page.run("cookbook", ("python", "sh", "cpp", "hlo")))
