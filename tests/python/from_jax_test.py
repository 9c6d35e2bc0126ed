#!/usr/bin/env python3
"""The blocks of docs/from-jax.md are run as they stand."""

import sys

import docs_page  # goes on in the Python that has numpy
import jaxlib_python

jaxlib_python.enter()

if __name__ == "__main__":
    sys.exit(docs_page.run("from-jax", ("python", "sh", "cpp")))
