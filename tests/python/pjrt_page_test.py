#!/usr/bin/env python3
"""The blocks of docs/pjrt.md are run as they stand, with the plugin of this build and its declarations of XLA's header."""

import os
import pathlib
import sys

import axle_module  # goes on in the Python that has numpy
import docs_page
import jaxlib_python

# The members of XLA's table have the prefix too, and its element types have names; slots and numbers are the same.
HEADER = """
#include "axle/pjrt/c_abi.h"
typedef struct PrefixedApi {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define AXLE_PJRT_FUNCTION(name, since) PJRT_##name* PJRT_##name;
#include "axle/pjrt/functions.def"
} PrefixedApi;
#define PJRT_Api PrefixedApi
enum { PJRT_Buffer_Type_F32 = 11 };
"""

if __name__ == "__main__":
    if not (pathlib.Path(os.environ["AXLE_LIBRARY"]).parent / "libaxle_pjrt.so").exists():
        print("skipped: this build has no libaxle_pjrt.so")
        sys.exit(jaxlib_python.SKIPPED)
    files = {"xla/axle": axle_module.ROOT / "axle", "xla/xla/pjrt/c/pjrt_c_api.h": HEADER}
    sys.exit(docs_page.run("pjrt", ("c", "console"), files))
