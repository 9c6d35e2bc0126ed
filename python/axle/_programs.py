"""Programs: read from texts, protos, files and JAX."""

import inspect
import os
from ctypes import byref, c_void_p

from ._calls import Limits
from ._errors import AxleError
from ._library import ParseOptions, check, destroy_with, lib, take_bytes
from ._shapes import shape_from_handle

# Endings of files, in a str that is to be a program.
_ENDINGS = (".hlo", ".txt", ".pb", ".gz", ".zst", ".mlir", ".npz", ".npy", ".safetensors", ".onnx", ".bc")


class Module:
    """A verified program. Made by parse() and Builder.build()."""

    def __init__(self, handle):
        self._handle = handle
        destroy_with(self, lib.axle_module_destroy, handle)
        self.name = lib.axle_module_name(handle).decode()
        self.input_shapes = tuple(
            shape_from_handle(lib.axle_module_parameter_shape(handle, i))
            for i in range(lib.axle_module_num_parameters(handle))
        )
        self.output_shape = shape_from_handle(lib.axle_module_result_shape(handle))

    @property
    def output_shapes(self):
        """One for each element of the result, if that is a tuple; else one."""
        return self.output_shape.elements if self.output_shape.is_tuple else (self.output_shape,)

    def to_text(self, short=False, elide_constants=False):
        """HLO text. `short` leaves out metadata and the like, `elide_constants` large arrays."""
        text = c_void_p()
        flags = (1 if short else 0) | (2 if elide_constants else 0)
        check(lib.axle_module_to_text(self._handle, flags, byref(text)))
        return take_bytes(text).decode(errors="replace")

    def to_proto(self):
        """A serialized HloModuleProto."""
        proto = c_void_p()
        check(lib.axle_module_to_proto(self._handle, byref(proto)))
        return take_bytes(proto)

    def to_stablehlo(self, short=False, bytecode=False):
        """StableHLO: text as str, which `short` leaves locations out of, or a portable artifact as bytes."""
        program = c_void_p()
        flags = (1 if short else 0) | (4 if bytecode else 0)
        check(lib.axle_module_to_stablehlo(self._handle, flags, byref(program)))
        written = take_bytes(program)
        return written if bytecode else written.decode(errors="replace")

    def __repr__(self):
        return f"<axle.Module {self.name}>"


def read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise AxleError("NOT_FOUND", f"there is no file {os.fspath(path)!r}") from error
    except OSError as error:
        raise AxleError("INVALID_ARGUMENT", f"cannot read {os.fspath(path)!r}: {error.strerror}") from error


def _is_file_name(text):
    """Whether a str is the name of a file: every program has a brace, and a name of several lines is none."""
    if "\n" in text or "{" in text or not text.strip() or len(text) > 4096 or "\0" in text:
        return False
    return os.path.isfile(text) or text.lower().endswith(_ENDINGS)


def _lowered(function, arguments):
    """The jax.stages.Lowered of a function for arguments like these. It is for the CPU, whatever devices JAX has."""
    if not hasattr(function, "trace"):  # a function that jax.jit has not made
        try:
            import jax
        except ImportError as error:
            raise AxleError("UNAVAILABLE", f"a function is compiled through JAX, which is missing: {error}") from error
        # Each argument stays one of the program, so that it can be called as the function is.
        function = jax.jit(function, keep_unused=True)
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        name = getattr(function, "__name__", "f")
        raise AxleError(
            "INVALID_ARGUMENT",
            f"{name}: {error}; pass arguments of the shapes and types to compile it for: "
            f"axle.compile({name}, *arguments), arrays or jax.ShapeDtypeStruct",
        ) from error
    return function.trace(*arguments).lower(lowering_platforms=("cpu",))


def _is_function(program):
    """Whether it is a function that JAX can trace, jitted or not, and not what JAX or Axle has compiled."""
    return callable(program) and not hasattr(program, "runtime_executable") and not hasattr(program, "cost_analysis")


def _bytes_of(program, arguments=()):
    """The bytes of what parse() takes, and what to call them if they come from a file."""
    if _is_function(program):
        program = _lowered(program, arguments)
    elif arguments:
        raise AxleError(
            "INVALID_ARGUMENT",
            f"a {type(program).__name__} takes no arguments to compile it for; only a function does",
        )
    if isinstance(program, str):
        return (read_file(program), program) if _is_file_name(program) else (program.encode(), None)
    if isinstance(program, os.PathLike):
        return read_file(program), os.fsdecode(program)
    if isinstance(program, (bytes, bytearray, memoryview)):
        return bytes(program), None
    if hasattr(program, "compiler_ir"):  # a jax.stages.Lowered
        program = program.compiler_ir("hlo")
        if program is None:
            raise AxleError("INVALID_ARGUMENT", "this Lowered has no HLO: compiler_ir(\"hlo\") gives None")
    if hasattr(program, "as_serialized_hlo_module_proto"):  # jaxlib's XlaComputation and HloModule
        return program.as_serialized_hlo_module_proto(), None
    if hasattr(program, "operation") and hasattr(program, "context"):  # a module of MLIR
        return str(program).encode(), None
    if hasattr(program, "mlir_module_serialized"):  # a jax.export.Exported
        return bytes(program.mlir_module_serialized), None
    what = type(program).__name__
    if hasattr(program, "runtime_executable"):
        advice = "this is a program that JAX has compiled for XLA; pass what it was compiled from, the Lowered"
    elif callable(program):
        advice = "it is compiled already"
    else:
        advice = (
            "a program is HLO text, the bytes of a proto, the path of a file, an axle.Module, a function of JAX with "
            "its arguments, or what jax.jit(f).lower() gives"
        )
    raise AxleError("INVALID_ARGUMENT", f"a {what} is no program: {advice}")


def parse_with(limits, program, arguments, format, label):
    """parse(), under limits that are there already."""
    data, path = _bytes_of(program, arguments)
    label = label or path
    options = ParseOptions(
        format=format.encode() if format else None,
        label=label.encode(errors="surrogateescape") if label else None,
        limits=limits.handle,
    )
    handle = c_void_p()
    limits.call(lib.axle_module_parse, data, len(data), byref(options), byref(handle))
    return Module(handle)


def parse(program, *arguments, format=None, label=None, time_limit=None, memory_limit=None):
    """Reads a program: HLO text or StableHLO as str or bytes, a serialized HloModuleProto, HloProto or HloSnapshot,
    MLIR bytecode, or what serialize() of a jax.export.Exported gives, any of them compressed with gzip or zstd or not;
    the path of a file with one of these, a pathlib.Path or a str; what jax.jit(f).lower(...) or
    jax.export.export(f)(...) gives; or a function that JAX can trace, jitted or not, with arguments to trace it for:
    arrays, jax.ShapeDtypeStruct, or nested lists and dicts of them, each leaf of which becomes a parameter.

    format  "hlo", "hlo.pb" or "stablehlo"; found out if None
    label   opens error messages, a file name for example; that of the file if None
    """
    return parse_with(Limits(time_limit, memory_limit), program, arguments, format, label)
