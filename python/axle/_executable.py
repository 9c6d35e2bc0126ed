"""What runs programs.

A call costs a few microseconds, so what it hands to the library, a `_Frame`, is made once and used again: the
descriptions of arguments and results, of which a call changes little more than the pointers. Calls that run at
the same time have a frame each.

Ctrl-C has to end a run of the main thread, which needs a second thread (_calls.py) and a hundred microseconds.
A run that cannot take long does without: its program has no loops and waits, and little work. So does a run of a
program whose last run was quick; the library polls meanwhile, which costs a microsecond.
"""

import threading
import time
from ctypes import POINTER, byref, c_int64, c_void_p, pointer

import numpy as np

from ._arrays import address_of, as_numpy, from_numbers
from ._buffers import Buffer
from ._calls import HereLimits, Limits
from ._errors import AxleError
from ._library import Analysis, Array, ExecuteOptions, check, destroy_with, lib
from ._profile import Profile

# Of a run that Ctrl-C need not end: less than 0.1 s of the interpreter, whatever the operations are. What takes native
# code longer than this would not gain from it.
_SHORT = {"flops": 2e5, "bytes_accessed": 1e6, "num_instructions": 2000}
# What took so many seconds is worth a second thread, on which it can be interrupted at any time.
_LONG = 2e-3
_run = lib.axle_executable_run


def _int64s(values):
    return (c_int64 * len(values))(*values)


class _Slot:
    """The description of one array, to be used again and again."""

    __slots__ = ("shape", "dims", "dtype", "is_dynamic", "array", "strides", "sizes", "what")

    def __init__(self, shape, what=None):
        self.shape = shape
        self.dims = shape.dims
        self.dtype = shape.dtype
        self.what = what
        self.is_dynamic = any(shape.dynamic)
        self.sizes = _int64s(shape.dims)
        self.strides = _int64s(shape.dims)  # used of arrays that are not dense
        self.array = Array(type=shape._number, rank=len(shape.dims), dims=_int64s(shape.dims))
        if self.is_dynamic:
            self.array.sizes = self.sizes

    def read(self, argument):
        """Describes an argument, and returns what must live as long as the library reads it."""
        value = argument if isinstance(argument, np.ndarray) else _as_array(argument, self.shape, self.what)
        if value.dtype is not self.dtype or value.shape != self.dims or self.is_dynamic:
            value = _fitted(value, self)
        described = self.array
        if value.flags.c_contiguous:
            described.byte_strides = None
        else:
            self.strides[:] = value.strides
            described.byte_strides = self.strides
        described.data = address_of(value)
        return value

    def make(self):
        """A new array for a result."""
        array = np.empty(self.dims, self.dtype)
        self.array.data = address_of(array)
        return array

    def result(self, array):
        """The part of a result that the run gave."""
        return array[tuple(slice(0, size) for size in self.sizes)] if self.is_dynamic else array


class _Frame:
    """What a call hands to the library."""

    def __init__(self, module):
        self.inputs = [
            _Slot(leaf, what)
            for i, shape in enumerate(module.input_shapes)
            for leaf, what in _named_leaves(shape, f"argument {i}")
        ]
        self.outputs = [_Slot(leaf) for leaf in module.output_shape.leaves()]
        self.input_pointers = _pointers(self.inputs)
        self.output_pointers = _pointers(self.outputs)


def _pointers(slots):
    return (POINTER(Array) * len(slots))(*[pointer(slot.array) for slot in slots])


def _named_leaves(shape, what):
    if shape.is_tuple:
        for i, element in enumerate(shape.elements):
            yield from _named_leaves(element, f"{what}, element {i}")
    elif shape.is_array:
        yield shape, what


class Executable:
    """A compiled program: call it. Made by compile(); any number of threads may call it at a time."""

    def __init__(self, handle, module, client):
        self._handle = handle
        self._client = client
        destroy_with(self, lib.axle_executable_destroy, handle)
        self.module = module
        self._num_results = lib.axle_executable_num_results(handle)
        self._num_devices = lib.axle_executable_num_devices(handle)
        self._num_arguments = len(module.input_shapes)
        self._has_flat_arguments = all(shape.is_array for shape in module.input_shapes)
        self._is_array = module.output_shape.is_array
        self._frames = []  # that no call uses now
        self._is_quick = False  # the last run was
        self._free_limits = []  # HereLimits that no call uses now
        cost = self.cost_analysis()
        self._is_short = cost["is_complete"] and all(cost[name] <= most for name, most in _SHORT.items())

    @property
    def name(self):
        return self.module.name

    @property
    def devices(self):
        """The devices that run it together, one for each replica and partition: r * partitions + p. In a job, those of
        them that are this process's."""
        ordinals = [lib.axle_executable_device(self._handle, d) for d in range(self._num_devices)]
        return tuple(self._client.devices[ordinal] for ordinal in ordinals)

    @property
    def device_numbers(self):
        """What each of devices runs: replica * partitions + partition."""
        return tuple(lib.axle_executable_device_number(self._handle, d) for d in range(self._num_devices))

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
        num_instructions, argument_bytes, result_bytes, constant_bytes, alias_bytes and peak_temporary_bytes; and
        is_complete, whether a run does no more than that.
        """
        analysis = Analysis()
        check(lib.axle_executable_analyze(self._handle, byref(analysis)))
        cost = {name: getattr(analysis, name) for name, _ in Analysis._fields_[1:]}
        cost["is_complete"] = cost["is_complete"] != 0
        return cost

    def execute(self, *buffers, time_limit=None, memory_limit=None, step_limit=None, progress=None, profile=None):
        """Runs the program on Buffers, one for each parameter, and returns a list of Buffers, one for each element of
        the result if that is a tuple, else one.

        Nothing is copied. Buffers that the program aliases with its result are donated: they are deleted. Limits,
        profile and Ctrl-C as for a call of the executable.
        """
        for buffer in buffers:
            if not isinstance(buffer, Buffer):
                raise AxleError(
                    "INVALID_ARGUMENT", f"execute() takes buffers, which put() makes, not {type(buffer).__name__}"
                )
        count = len(buffers)
        arguments = (c_void_p * count)(*[buffer._handle for buffer in buffers])
        results = (c_void_p * self._num_results)()
        try:
            self._start(
                lib.axle_executable_execute, (time_limit, memory_limit, step_limit, progress), profile, (self, buffers),
                arguments, count, results, self._num_results, None,
            )
        except BaseException:
            for handle in results:  # there are some if Ctrl-C came when the run was over
                lib.axle_buffer_destroy(handle)
            raise
        return [Buffer(c_void_p(handle)) for handle in results]

    def execute_replicated(
        self, arguments, *, time_limit=None, memory_limit=None, step_limit=None, progress=None, profile=None
    ):
        """Runs the program on all of its devices at the same time.

        arguments  for each device a list: an array or a Buffer on that device for each parameter
        returns    for each device a list of Buffers, as execute() gives it

        If a device fails, the others end soon, and the error is that of the first one. Limits are of all devices
        together, but for steps, of which each device has that many; the progress is that of the first device.
        """
        if len(arguments) != self._num_devices:
            raise AxleError(
                "INVALID_ARGUMENT", f'"{self.name}" runs on {self._num_devices} devices, not on {len(arguments)}'
            )
        lists = [self._buffers_on(device, values) for device, values in zip(self.devices, arguments)]
        handles = (c_void_p * (len(lists) * self._num_arguments))(
            *[buffer._handle for buffers in lists for buffer in buffers]
        )
        results = (c_void_p * (len(lists) * self._num_results))()
        try:
            self._start(
                lib.axle_executable_execute_replicated, (time_limit, memory_limit, step_limit, progress), profile,
                (self, lists), len(lists), handles, self._num_arguments, results, self._num_results,
            )
        except BaseException:
            for handle in results:
                lib.axle_buffer_destroy(handle)
            raise
        buffers = [Buffer(c_void_p(handle)) for handle in results]
        return [buffers[d * self._num_results : (d + 1) * self._num_results] for d in range(len(lists))]

    def _buffers_on(self, device, values):
        """Arguments of one device as Buffers, in the types of the parameters."""
        if len(values) != self._num_arguments:
            raise AxleError(
                "INVALID_ARGUMENT",
                f'"{self.name}" takes {self._num_arguments} arguments, not {len(values)} (device {device.ordinal})',
            )
        buffers = []
        for i, (value, shape) in enumerate(zip(values, self.input_shapes)):
            if not isinstance(value, Buffer):
                if not shape.is_array or any(shape.dynamic):
                    raise AxleError("INVALID_ARGUMENT", f"argument {i} must be a Buffer, for {shape}")
                slot = _Slot(shape, f"argument {i}")
                value = device.put(slot.read(value))
            buffers.append(value)
        return buffers

    def _start(self, function, limits, profile, keep, *arguments):
        """Calls axle_executable_run or a kin of it; on this thread if nothing can end it before its time, or if the last
        run was quick."""
        if profile is not None and not isinstance(profile, Profile):
            raise AxleError("INVALID_ARGUMENT", f"profile is {profile!r}, must be None or an axle.Profile")
        options = None if profile is None else ExecuteOptions(profile=profile._handle)
        if limits == (None, None, None, None) and (
            self._is_short or threading.current_thread() is not threading.main_thread()
        ):
            status = function(self._handle, None if options is None else byref(options), *arguments)
            if status:
                check(status)
            return
        begin = time.perf_counter()
        if self._is_quick and limits == (None, None, None, None) and options is None:
            try:
                here = self._free_limits.pop()
            except IndexError:
                here = HereLimits()
            status = function(self._handle, here.options, *arguments)
            self._is_quick = time.perf_counter() - begin < _LONG
            here.check(status)
            self._free_limits.append(here)
            return
        limits = Limits(*limits)
        options = options or ExecuteOptions()
        options.limits = limits.handle
        limits.call(function, self._handle, byref(options), *arguments, keep=(keep, profile))
        # Devices that run together wait for each other, and do not poll.
        self._is_quick = self._num_devices == 1 and time.perf_counter() - begin < _LONG

    def __repr__(self):
        return f"<axle.Executable {self.name}>"

    def __call__(self, *arguments, time_limit=None, memory_limit=None, step_limit=None, progress=None, profile=None):
        """Runs the program.

        One argument for each parameter: an array of the parameter's type and shape, of numpy's or of any package's
        that has __dlpack__ or __array__; a number or nested lists of numbers, which that type must have; or a tuple
        of them where the parameter is one. Arrays are read in place if they are contiguous, and must not change
        meanwhile. The result is a numpy array, or a tuple.

        Dynamic dimensions take any size up to their bound, and give what the program says.

        time_limit is in seconds, memory_limit in bytes of values, step_limit in turns of loops and calls. Ctrl-C
        ends a run. profile, an axle.Profile, gets the times of the steps.
        """
        if len(arguments) != self._num_arguments:
            raise AxleError(
                "INVALID_ARGUMENT", f'"{self.name}" takes {self._num_arguments} arguments, not {len(arguments)}'
            )
        if self._num_devices > 1:
            raise AxleError(
                "INVALID_ARGUMENT",
                f'"{self.name}" runs on {self._num_devices} devices: execute_replicated() takes arguments for each',
            )
        if not self._has_flat_arguments:
            leaves = []
            for i, (argument, shape) in enumerate(zip(arguments, self.input_shapes)):
                _add_leaves(argument, shape, f"argument {i}", leaves)
            arguments = leaves
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(self.module)
        keep = [slot.read(argument) for slot, argument in zip(frame.inputs, arguments)]
        results = [slot.make() for slot in frame.outputs]
        self._start(
            _run, (time_limit, memory_limit, step_limit, progress), profile, (self, frame, keep, results),
            frame.input_pointers, len(keep), frame.output_pointers, len(results),
        )
        results = [slot.result(array) for slot, array in zip(frame.outputs, results)]
        self._frames.append(frame)  # not after an error: the call may still use it
        return results[0] if self._is_array else _assemble(self.module.output_shape, iter(results))


def _add_leaves(argument, shape, what, leaves):
    if shape.is_tuple:
        if not isinstance(argument, (tuple, list)) or len(argument) != len(shape.elements):
            raise AxleError("INVALID_ARGUMENT", f"{what} must be a tuple of {len(shape.elements)}, for {shape}")
        for i, (value, element) in enumerate(zip(argument, shape.elements)):
            _add_leaves(value, element, f"{what}, element {i}", leaves)
    elif shape.is_array:
        leaves.append(argument)
    elif argument is not None:  # a token
        raise AxleError("INVALID_ARGUMENT", f"{what} must be None, for {shape}")


def _as_array(argument, shape, what):
    """A numpy array of what is none yet. Numbers and lists of Python have no type of their own, and get the shape's."""
    array = as_numpy(argument, what)
    if array is not None:
        return array
    try:
        return from_numbers(argument, shape.type, shape.dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise AxleError("INVALID_ARGUMENT", f"{what}: {error}, for {shape}") from error


def _fitted(array, slot):
    """The array in the byte order of the machine, filled up to the bounds of dynamic dimensions, whose sizes go to
    the slot. AxleError unless it fits."""
    shape = slot.shape
    if array.dtype != slot.dtype:
        if array.dtype.newbyteorder("=") != slot.dtype:
            raise AxleError(
                "INVALID_ARGUMENT", f"{slot.what} is of type {array.dtype}, must be {slot.dtype}, for {shape}"
            )
        array = array.astype(slot.dtype)
    fits = len(array.shape) == len(shape.dims) and all(
        size == dim or (is_dynamic and size < dim)
        for size, dim, is_dynamic in zip(array.shape, shape.dims, shape.dynamic)
    )
    if not fits:
        raise AxleError("INVALID_ARGUMENT", f"{slot.what} has shape {list(array.shape)}, must fit {shape}")
    if not slot.is_dynamic:
        return array
    slot.sizes[:] = array.shape
    if array.shape == shape.dims:
        return array
    padded = np.zeros(shape.dims, slot.dtype)
    padded[tuple(slice(0, size) for size in array.shape)] = array
    return padded


def _assemble(shape, results):
    if shape.is_tuple:
        return tuple(_assemble(element, results) for element in shape.elements)
    return next(results) if shape.is_array else None
