"""What compiles programs and has the devices that they run on.

compile(), put() and the functions of _transfers.py are those of one client of the process, which has one device. A
Client of one's own has as many devices as it likes: each is this machine's processor, and programs of several
replicas and partitions run on as many of them. It may be in a job of several processes, each with a client, whose
devices run programs together (_job.py).
"""

import threading
from ctypes import byref, c_int64, c_void_p, pointer

from ._buffers import put_with
from ._calls import Limits
from ._errors import AxleError
from ._executable import Executable
from ._job import connect, leave_at_exit, read_options
from ._library import ClientOptions, CompileOptions, check, destroy_with, lib
from ._programs import Module, parse_with
from ._transfers import from_channel, from_outfeed, to_channel, to_infeed

_ENGINES = {"default": 0, "native": 1, "interpret": 2}
_NUMERICS = {"strict": 0, "fast": 1}
_client = None
_client_lock = threading.Lock()


def default_client():
    """The one of this process; it lives as long."""
    global _client
    with _client_lock:
        if _client is None:
            _client = Client()
        return _client


def _count(name, value, least):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise AxleError("INVALID_ARGUMENT", f"{name} is {value!r}, must be a number from {least}")
    return value.__index__()


class Client:
    """Compiles programs, and has the devices that they run on.

    num_devices     each is this machine's processor
    num_threads     that programs use; None: AXLE_NUM_THREADS, or one for each processor. The devices of one run
                    share them
    memory_limit    bytes of all buffers together, and of the values of each run beside them
    waits_for_host  whether a program waits for what the host has not yet put into an infeed or a channel; otherwise
                    that is an error
    distributed     makes it the client of one process of a job: a dict of what the environment of launchers does not
                    say, {} if that says it all. The call waits until all processes have come.

                        transport        "gloo" or "mpi"
                        rendezvous       "file:///FOLDER" or "tcp://HOST:PORT"
                        process_id, num_processes
                        secret, job, listen_address, allow_no_secret, epoch
                        connect_limit, silence_limit, late_warning, late_limit: seconds

    devices are those of this process. process_id is 0 and num_processes 1 without a job. num_job_devices is the
    number of the devices of all processes, first_device(process) that of the first one of a process.
    """

    def __init__(self, num_devices=1, num_threads=None, memory_limit=None, waits_for_host=False, distributed=None):
        options = ClientOptions(
            num_devices=_count("num_devices", num_devices, 1),
            num_threads=0 if num_threads is None else _count("num_threads", num_threads, 1),
            memory_limit=0 if memory_limit is None else _count("memory_limit", memory_limit, 1),
            never_waits_for_host=int(not waits_for_host),
        )
        self._handle = c_void_p()
        if distributed is None:
            check(lib.axle_client_create(byref(options), byref(self._handle)))
        else:
            job = read_options(distributed)
            options.distributed = pointer(job)
            connect(options, self._handle)
            leave_at_exit(self)
        destroy_with(self, lib.axle_client_destroy, self._handle)
        self.process_id = lib.axle_client_process_id(self._handle)
        self.num_processes = lib.axle_client_num_processes(self._handle)
        self.num_job_devices = self.first_device(self.num_processes)
        self.devices = tuple(Device(self, ordinal) for ordinal in range(options.num_devices))

    def __repr__(self):
        process = f", process {self.process_id} of {self.num_processes}" if self.num_processes > 1 else ""
        return f"<axle.Client of {len(self.devices)} devices{process}>"

    def first_device(self, process=None):
        """The number of the first device of a process, this one if None, among the devices of the job."""
        process = self.process_id if process is None else _count("process", process, 0)
        number = lib.axle_client_first_device(self._handle, process)
        if number < 0:
            raise AxleError("INVALID_ARGUMENT", f"there is no process {process}; there are {self.num_processes}")
        return number

    def reconnect(self, time_limit=None):
        """Connects with the other processes of the job again, all of which call this, after a run has raised
        UNAVAILABLE. Executables and buffers stay as they are."""
        limits = Limits(time_limit)
        limits.call(lib.axle_client_reconnect, self._handle, limits.handle, keep=(self,))

    def leave(self):
        """Tells the other processes of the job that this one has done its part. Programs that they share cannot run here
        any more. Done at the end of the process too."""
        lib.axle_client_leave(self._handle)

    def compile(
        self,
        program,
        *arguments,
        engine="default",
        numerics="strict",
        format=None,
        label=None,
        time_limit=None,
        memory_limit=None,
        progress=None,
        allow_elided=False,
        replicas=None,
        partitions=None,
        devices=None,
    ):
        """Compiles a Module, or whatever parse() reads, and returns an Executable. Ctrl-C ends it.

        arguments     those to compile a function of JAX for; none for other programs
        engine        "native", "interpret", or "default": native code, but the interpreter where its library is
                      missing
        numerics      "strict", or "fast" for what is faster and not so exact
        time_limit    seconds for reading, and again for compiling
        memory_limit  bytes
        progress      called with the part that is done, 0 to 1, or None if that is not known; what it raises ends the
                      compilation
        allow_elided  for tests: a program whose constants have lost their elements, constant({...}), is compiled with
                      a counting pattern in their place; otherwise it is refused
        replicas      how many there are, and of partitions; None: as the program says
        partitions
        devices       of this client, or their ordinals: devices[r * partitions + p] runs replica r of partition p;
                      None: the first ones. In a job numbers are those among the devices of all processes
        """
        if engine not in _ENGINES:
            raise AxleError("INVALID_ARGUMENT", f"there is no engine {engine!r}; there are {', '.join(_ENGINES)}")
        if numerics not in _NUMERICS:
            raise AxleError("INVALID_ARGUMENT", f"there are no numerics {numerics!r}; there are {', '.join(_NUMERICS)}")
        limits = Limits(time_limit, memory_limit, progress=progress)
        if isinstance(program, Module) and not arguments:
            module = program
        else:
            module = parse_with(limits, program, arguments, format, label)
        options = CompileOptions(
            engine=_ENGINES[engine],
            numerics=_NUMERICS[numerics],
            limits=limits.handle,
            allow_elided=int(bool(allow_elided)),
            replicas=0 if replicas is None else _count("replicas", replicas, 1),
            partitions=0 if partitions is None else _count("partitions", partitions, 1),
        )
        if devices is not None:
            ordinals = [device.number if isinstance(device, Device) else device for device in devices]
            options.devices = (c_int64 * len(ordinals))(*[_count("a device", ordinal, 0) for ordinal in ordinals])
            options.num_devices = len(ordinals)
        handle = c_void_p()
        limits.call(
            lib.axle_client_compile, self._handle, module._handle, byref(options), byref(handle), keep=(module, self)
        )
        return Executable(handle, module, self)

    def put(self, array, device=0):
        """A Buffer on the device of this ordinal: a copy of an array."""
        return put_with(self._handle, array, _count("device", device, 0))


class Device:
    """One of a client's devices."""

    __slots__ = ("client", "ordinal")

    def __init__(self, client, ordinal):
        self.client = client
        self.ordinal = ordinal

    @property
    def number(self):
        """Among the devices of all processes of a job; without a job the ordinal."""
        return self.client.first_device() + self.ordinal

    def put(self, array):
        """A Buffer on this device: a copy of an array."""
        return put_with(self.client._handle, array, self.ordinal)

    def to_infeed(self, *arrays):
        """As axle.to_infeed, and so the next three."""
        to_infeed(*arrays, device=self)

    def from_outfeed(self, *shapes):
        return from_outfeed(*shapes, device=self)

    def to_channel(self, channel, *arrays):
        to_channel(channel, *arrays, device=self)

    def from_channel(self, channel, *shapes):
        return from_channel(channel, *shapes, device=self)

    def __repr__(self):
        return f"<axle.Device cpu:{self.ordinal}>"


def compile(program, *arguments, **options):
    return default_client().compile(program, *arguments, **options)


compile.__doc__ = Client.compile.__doc__


def put(array):
    """A Buffer: a copy of an array, for Executable.execute(), of the array's own type and shape. Arrays of other
    packages are taken too if they have __dlpack__ or __array__."""
    return default_client().put(array)
