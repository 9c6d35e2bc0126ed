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

import importlib

# Each name is loaded when it is first used, and libaxle.so with the first of them: the plugin of JAX and the command
# line are parts of this package that need neither.
_NAMES = {
    "AxleError": "_errors.AxleError",
    "Buffer": "_buffers.Buffer",
    "Builder": "_builder.Builder",
    "Client": "_client.Client",
    "Device": "_client.Device",
    "Executable": "_executable.Executable",
    "Module": "_programs.Module",
    "Op": "_builder.Op",
    "Profile": "_profile.Profile",
    "Shape": "_shapes.Shape",
    "__version__": "_library.VERSION",
    "compile": "_client.compile",
    "computation": "_builder.computation",
    "from_channel": "_transfers.from_channel",
    "from_outfeed": "_transfers.from_outfeed",
    "library_path": "_library.LIBRARY_PATH",
    "load": "_files.load",
    "parse": "_programs.parse",
    "put": "_client.put",
    "save": "_files.save",
    "to_channel": "_transfers.to_channel",
    "to_infeed": "_transfers.to_infeed",
    "version": "_library.VERSION",
}
__all__ = [name for name in _NAMES if not name.startswith("_")]


def __getattr__(name):
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _NAMES[name].split(".")
    value = getattr(importlib.import_module("." + module, __name__), attribute)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__():
    return sorted({*globals(), *_NAMES})
