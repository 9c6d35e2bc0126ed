"""Axle for Python: compiles and runs HLO programs on numpy arrays.

    import axle
    exe = axle.compile('''
        HloModule axpy
        ENTRY main {
          x = f32[4] parameter(0)
          y = f32[4] parameter(1)
          ROOT r = f32[4] add(x, y)
        }''')
    print(exe(x, y))

docs/python.md has the whole interface. Thread-safe: any number of threads may compile and run.
"""

from ._buffers import Buffer
from ._builder import Builder, Op, computation
from ._errors import AxleError
from ._executable import Executable, compile, put
from ._files import load, save
from ._library import LIBRARY_PATH as library_path
from ._library import VERSION as version
from ._programs import Module, parse
from ._shapes import Shape
from ._transfers import from_channel, from_outfeed, to_channel, to_infeed

__version__ = version
__all__ = [
    "AxleError",
    "Buffer",
    "Builder",
    "Executable",
    "Module",
    "Op",
    "Shape",
    "compile",
    "computation",
    "from_channel",
    "from_outfeed",
    "library_path",
    "load",
    "parse",
    "put",
    "save",
    "to_channel",
    "to_infeed",
    "version",
]
