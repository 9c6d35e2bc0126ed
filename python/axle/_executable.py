"""Programs and what runs them."""

import ctypes
import threading
from ctypes import POINTER, byref, c_int64, c_void_p, pointer

import numpy as np

from ._buffers import execute, put_with
from ._calls import Limits
from ._errors import AxleError
from ._library import Analysis, Array, CompileOptions, ExecuteOptions, ParseOptions, check, destroy_with, lib, take_bytes
from ._shapes import shape_from_handle

_ENGINES = {"default": 0, "native": 1, "interpret": 2}
_NUMERICS = {"strict": 0, "fast": 1}
_client = None
_client_lock = threading.Lock()


def _get_client():
    """The one of this process; it lives as long."""
    global _client
    with _client_lock:
        if _client is None:
            client = c_void_p()
            check(lib.axle_client_create(None, byref(client)))
            _client = client
        return _client


class Module:
    """A verified program. Made by parse()."""

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

    def __repr__(self):
        return f"<axle.Module {self.name}>"


def _parse(program, format, label, limits):
    data = program.encode() if isinstance(program, str) else bytes(program)
    options = ParseOptions(
        format=format.encode() if format else None,
        label=label.encode() if label else None,
        limits=limits.handle,
    )
    handle = c_void_p()
    limits.call(lib.axle_module_parse, data, len(data), byref(options), byref(handle))
    return Module(handle)


def parse(program, *, format=None, label=None, time_limit=None, memory_limit=None):
    """Reads a program: HLO text as str or bytes, or a serialized HloModuleProto, HloProto or HloSnapshot, any of
    them compressed with gzip or zstd or not.

    format  "hlo", "hlo.pb", "stablehlo", "stablehlo.bc"; found out if None
    label   opens error messages, a file name for example
    """
    return _parse(program, format, label, Limits(time_limit, memory_limit))


def compile(
    program,
    *,
    engine="default",
    numerics="strict",
    format=None,
    label=None,
    time_limit=None,
    memory_limit=None,
    progress=None,
    allow_elided=False,
):
    """Compiles a Module, or whatever parse() reads, and returns an Executable.

    engine        "native", "interpret", or "default": native code, but the interpreter where its library is missing
    numerics      "strict", or "fast" for what is faster and not so exact
    time_limit    seconds for reading, and again for compiling
    memory_limit  bytes
    progress      called with the part that is done, 0 to 1, or None if that is not known; what it raises ends the
                  compilation
    allow_elided  for tests: a program whose constants have lost their elements, constant({...}), is compiled with a
                  counting pattern in their place; otherwise it is refused
    """
    if engine not in _ENGINES:
        raise AxleError("INVALID_ARGUMENT", f"there is no engine {engine!r}; there are {', '.join(_ENGINES)}")
    if numerics not in _NUMERICS:
        raise AxleError("INVALID_ARGUMENT", f"there are no numerics {numerics!r}; there are {', '.join(_NUMERICS)}")
    limits = Limits(time_limit, memory_limit, progress=progress)
    module = program if isinstance(program, Module) else _parse(program, format, label, limits)
    options = CompileOptions(engine=_ENGINES[engine], numerics=_NUMERICS[numerics], limits=limits.handle,
                             allow_elided=int(bool(allow_elided)))
    handle = c_void_p()
    limits.call(
        lib.axle_client_compile, _get_client(), module._handle, byref(options), byref(handle), keep=module
    )
    return Executable(handle, module)


def put(array):
    """A Buffer: a copy of an array, for Executable.execute(), of the array's own type and shape."""
    return put_with(_get_client(), array)


def _int64s(values):
    return (c_int64 * len(values))(*values)


def _describe(shape, array, sizes=None):
    """The Array of a numpy array; `sizes` are c_int64s, of dynamic dimensions."""
    rank = len(shape.dims)
    return Array(
        type=shape._number,
        rank=rank,
        dims=_int64s(array.shape),
        byte_strides=_int64s(array.strides),
        data=array.ctypes.data,
        sizes=sizes,
    )


def _pointers(arrays):
    return (POINTER(Array) * len(arrays))(*[pointer(array) for array in arrays])


class Executable:
    """A compiled program: call it. Made by compile(); any number of threads may call it at a time."""

    def __init__(self, handle, module):
        self._handle = handle
        destroy_with(self, lib.axle_executable_destroy, handle)
        self.module = module
        self._num_results = lib.axle_executable_num_results(handle)

    @property
    def name(self):
        return self.module.name

    @property
    def input_shapes(self):
        """One Shape for each argument."""
        return self.module.input_shapes

    @property
    def output_shapes(self):
        """One Shape for each element of the result, if that is a tuple; else one."""
        return self.module.output_shapes

    def cost_analysis(self):
        """What a run costs, as far as the program tells, each computation once: a dict of flops, bytes_accessed,
        num_instructions, argument_bytes, result_bytes, constant_bytes, alias_bytes and peak_temporary_bytes.
        """
        analysis = Analysis()
        check(lib.axle_executable_analyze(self._handle, byref(analysis)))
        return {name: getattr(analysis, name) for name, _ in Analysis._fields_[1:]}

    def execute(self, *buffers):
        """Runs the program on Buffers, one for each parameter, and returns a list of Buffers, one for each element of
        the result if that is a tuple, else one.

        Nothing is copied, and a call costs a few microseconds. Buffers that the program aliases with its result are
        donated: they are deleted. The run is on the caller's thread, and Ctrl-C is noticed when it is over; a call of
        the executable can be ended.
        """
        return execute(self._handle, self._num_results, buffers)

    def __repr__(self):
        return f"<axle.Executable {self.name}>"

    def __call__(self, *arguments, time_limit=None, memory_limit=None, step_limit=None, progress=None):
        """Runs the program.

        One argument for each parameter: an array, or what numpy makes one of, of the parameter's type and shape, or
        a tuple of them where the parameter is one. Arrays are read in place if they are contiguous, and must not
        change meanwhile. The result is an array, or a tuple.

        Dynamic dimensions take any size up to their bound, and give what the program says.

        time_limit is in seconds, memory_limit in bytes of values, step_limit in turns of loops and calls. Ctrl-C
        ends a run.
        """
        shapes = self.input_shapes
        if len(arguments) != len(shapes):
            raise AxleError(
                "INVALID_ARGUMENT", f'"{self.name}" takes {len(shapes)} arguments, not {len(arguments)}'
            )
        keep, inputs = [], []  # `keep` is what the descriptions point into
        for i, (argument, shape) in enumerate(zip(arguments, shapes)):
            _add_argument(argument, shape, f"argument {i}", keep, inputs)
        outputs, described = [], []
        for leaf in self.module.output_shape.leaves():
            array = np.empty(leaf.dims, leaf.dtype)
            sizes = _int64s(leaf.dims)
            outputs.append((array, sizes if any(leaf.dynamic) else None))
            described.append(_describe(leaf, array, sizes))
        limits = Limits(time_limit, memory_limit, step_limit, progress)
        options = ExecuteOptions(limits=limits.handle)
        limits.call(
            lib.axle_executable_run,
            self._handle,
            byref(options),
            _pointers(inputs),
            len(inputs),
            _pointers(described),
            len(described),
            keep=(self, keep, outputs),
        )
        return _assemble(self.module.output_shape, iter(outputs))


def _add_argument(argument, shape, what, keep, inputs):
    if shape.is_tuple:
        if not isinstance(argument, (tuple, list)) or len(argument) != len(shape.elements):
            raise AxleError("INVALID_ARGUMENT", f"{what} must be a tuple of {len(shape.elements)}, for {shape}")
        for i, (value, element) in enumerate(zip(argument, shape.elements)):
            _add_argument(value, element, f"{what}, element {i}", keep, inputs)
        return
    if not shape.is_array:  # a token
        if argument is not None:
            raise AxleError("INVALID_ARGUMENT", f"{what} must be None, for {shape}")
        return
    array = _as_array(argument, shape, what)
    sizes = None
    if any(shape.dynamic):
        if array.shape != shape.dims:
            padded = np.zeros(shape.dims, shape.dtype)
            padded[tuple(slice(0, size) for size in array.shape)] = array
            sizes = _int64s(array.shape)
            array = padded
    keep.append(array)
    inputs.append(_describe(shape, array, sizes))


def _as_array(argument, shape, what):
    """A numpy array of the shape's type in the byte order of the machine, maybe smaller in dynamic dimensions."""
    if isinstance(argument, np.ndarray) or hasattr(argument, "__array__") or hasattr(argument, "__array_interface__"):
        array = np.asarray(argument)
        if array.dtype != shape.dtype and array.dtype.newbyteorder("=") == shape.dtype:
            array = array.astype(shape.dtype)
        if array.dtype != shape.dtype:
            raise AxleError("INVALID_ARGUMENT", f"{what} is of type {array.dtype}, must be {shape.dtype}, for {shape}")
    else:  # numbers and lists of Python have no type of their own
        try:
            array = np.asarray(argument, shape.dtype)
        except (ValueError, TypeError, OverflowError) as error:
            raise AxleError("INVALID_ARGUMENT", f"{what}: {error}, for {shape}") from error
    fits = len(array.shape) == len(shape.dims) and all(
        size == dim or (is_dynamic and size < dim)
        for size, dim, is_dynamic in zip(array.shape, shape.dims, shape.dynamic)
    )
    if not fits:
        raise AxleError("INVALID_ARGUMENT", f"{what} has shape {list(array.shape)}, must fit {shape}")
    return array


def _assemble(shape, outputs):
    if shape.is_tuple:
        return tuple(_assemble(element, outputs) for element in shape.elements)
    if not shape.is_array:
        return None
    array, sizes = next(outputs)
    return array if sizes is None else array[tuple(slice(0, size) for size in sizes)]
