"""Finds libaxle.so and declares what is used of axle/c_api.h."""

import ctypes
import ctypes.util
import os
import subprocess
import weakref
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p

from ._errors import AxleError
from ._places import library_folders

_API_VERSION = 1  # the AXLE_C_API_VERSION that this package is written for
_NAMES = ("libaxle.so.0.1", "libaxle.so")  # the second one comes with the headers


def _candidates():
    """Paths and names for the loader, the best ones first."""
    if os.environ.get("AXLE_LIBRARY"):
        yield os.environ["AXLE_LIBRARY"]  # and nothing else: a wrong path is to be noticed
        return
    for folder in library_folders():
        yield from (str(folder / name) for name in _NAMES)
    for name in (_NAMES[0], ctypes.util.find_library("axle")):
        if name:
            yield name
    try:
        asked = subprocess.run(["pkg-config", "--variable=libdir", "axle"], capture_output=True, text=True)
    except OSError:
        return
    if asked.returncode == 0 and asked.stdout.strip():
        yield from (os.path.join(asked.stdout.strip(), name) for name in _NAMES)


def _load():
    missing, failed = [], []
    for path in _candidates():
        if os.path.sep in path and not os.path.exists(path):
            missing.append(os.path.dirname(path))
            continue
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            failed.append(f"{path}: {error}")
    lines = [*failed, *(f"{folder}: no libaxle.so" for folder in dict.fromkeys(missing))]
    raise ImportError(
        "axle: there is no libaxle.so. Build Axle and `cmake --install build/release --prefix ~/axle`, or set "
        "AXLE_LIBRARY to the path of the library. Tried:\n  " + "\n  ".join(lines)
    )


lib, LIBRARY_PATH = _load()


class _Struct(ctypes.Structure):
    """One that begins with struct_size."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)


Progress = ctypes.CFUNCTYPE(None, c_double, c_void_p)
Poll = ctypes.CFUNCTYPE(None, c_void_p)


class LimitsOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("time_limit", c_double),
        ("memory_limit", c_int64),
        ("step_limit", c_int64),
        ("progress", Progress),
        ("progress_context", c_void_p),
        ("poll", Poll),
        ("poll_context", c_void_p),
        ("poll_interval", c_double),
    ]


class Array(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("type", c_int64),
        ("rank", c_size_t),
        ("dims", POINTER(c_int64)),
        ("byte_strides", POINTER(c_int64)),
        ("data", c_void_p),
        ("sizes", POINTER(c_int64)),
    ]


class ParseOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_char_p),
        ("label", c_char_p),
        ("limits", c_void_p),
    ]


class DistributedOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("transport", c_char_p),
        ("rendezvous", c_char_p),
        ("process_id", c_int64),
        ("num_processes", c_int64),
        ("secret", c_char_p),
        ("job", c_char_p),
        ("listen_address", c_char_p),
        ("allow_no_secret", c_int64),
        ("epoch", c_int64),
        ("connect_limit", c_double),
        ("silence_limit", c_double),
        ("late_warning", c_double),
        ("late_limit", c_double),
        ("warn", c_void_p),
        ("warn_context", c_void_p),
    ]


class ClientOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("codegen_library", c_char_p),
        ("num_devices", c_int64),
        ("num_threads", c_int64),
        ("memory_limit", c_int64),
        ("log", c_void_p),
        ("log_context", c_void_p),
        ("never_waits_for_host", c_int64),
        ("distributed", POINTER(DistributedOptions)),
    ]


class CompileOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("engine", c_int64),
        ("numerics", c_int64),
        ("limits", c_void_p),
        ("replicas", c_int64),
        ("partitions", c_int64),
        ("device", c_int64),
        ("allow_elided", c_int64),
        ("devices", POINTER(c_int64)),
        ("num_devices", c_size_t),
    ]


class BufferOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("semantics", c_int64),
        ("device", c_int64),
        ("released", c_void_p),
        ("released_context", c_void_p),
        ("shape", c_void_p),
    ]


class ExecuteOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("limits", c_void_p),
        ("random_seed", c_int64),
        ("donated", POINTER(c_int64)),
        ("num_donated", c_size_t),
        ("not_donated", POINTER(c_int64)),
        ("num_not_donated", c_size_t),
        ("profile", c_void_p),
    ]


class ProfileOptions(_Struct):
    _fields_ = [("struct_size", c_size_t), ("max_events", c_int64)]


class OpOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("attributes", c_char_p),
        ("computations", POINTER(c_void_p)),
        ("num_computations", c_size_t),
        ("shape", c_void_p),
        ("name", c_char_p),
    ]


class Analysis(_Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("flops", c_double),
        ("bytes_accessed", c_double),
        ("num_instructions", c_int64),
        ("argument_bytes", c_int64),
        ("result_bytes", c_int64),
        ("constant_bytes", c_int64),
        ("alias_bytes", c_int64),
        ("peak_temporary_bytes", c_int64),
        ("is_complete", c_int64),
    ]


def _declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments


_OUT = POINTER(c_void_p)
_declare("axle_c_api_version", c_int32)
_declare("axle_version", c_char_p)
_declare("axle_status_code", c_int32, c_void_p)
_declare("axle_status_message", c_char_p, c_void_p)
_declare("axle_status_file", c_char_p, c_void_p)
_declare("axle_status_line", c_int32, c_void_p)
_declare("axle_status_column", c_int32, c_void_p)
_declare("axle_status_destroy", None, c_void_p)
_declare("axle_code_name", c_char_p, c_int32)
_declare("axle_bytes_data", c_void_p, c_void_p)
_declare("axle_bytes_size", c_size_t, c_void_p)
_declare("axle_bytes_destroy", None, c_void_p)
_declare("axle_limits_create", c_void_p, POINTER(LimitsOptions), _OUT)
_declare("axle_limits_cancel", None, c_void_p)
_declare("axle_limits_destroy", None, c_void_p)
_declare("axle_type_name", c_char_p, c_int32)
_declare("axle_arrays_read", c_void_p, c_char_p, c_size_t, c_void_p, _OUT)
_declare("axle_arrays_destroy", None, c_void_p)
_declare("axle_arrays_count", c_size_t, c_void_p)
_declare("axle_arrays_name", c_char_p, c_void_p, c_size_t)
_declare("axle_arrays_at", POINTER(Array), c_void_p, c_size_t)
_declare("axle_arrays_write", c_void_p, c_char_p, POINTER(c_char_p), POINTER(POINTER(Array)), c_size_t, _OUT)
_declare("axle_shape_type", c_int32, c_void_p)
_declare("axle_shape_text", c_char_p, c_void_p)
_declare("axle_shape_rank", c_size_t, c_void_p)
_declare("axle_shape_dims", POINTER(c_int64), c_void_p)
_declare("axle_shape_is_dynamic", c_int32, c_void_p, c_size_t)
_declare("axle_shape_num_elements", c_size_t, c_void_p)
_declare("axle_shape_element", c_void_p, c_void_p, c_size_t)
_declare("axle_shape_parse", c_void_p, c_char_p, _OUT)
_declare("axle_shape_destroy", None, c_void_p)
_declare("axle_op_name", c_char_p, c_size_t)
_declare("axle_op_summary", c_char_p, c_char_p)
_declare("axle_op_declares_shape", c_int32, c_char_p)
_declare("axle_op_part_name", c_char_p, c_char_p, c_int32, c_size_t)
_declare("axle_builder_create", c_void_p, c_char_p, _OUT)
_declare("axle_builder_destroy", None, c_void_p)
_declare("axle_builder_set_location", c_void_p, c_void_p, c_char_p, c_int32)
_declare("axle_builder_parameter", c_void_p, c_void_p, c_int64, c_void_p, c_char_p, POINTER(c_int64))
_declare("axle_builder_constant", c_void_p, c_void_p, POINTER(Array), POINTER(c_int64))
_declare(
    "axle_builder_add", c_void_p, c_void_p, c_char_p, POINTER(c_int64), c_size_t, POINTER(OpOptions), POINTER(c_int64)
)
_declare("axle_builder_op_shape", c_void_p, c_void_p, c_int64, _OUT)
_declare("axle_builder_build", c_void_p, c_void_p, c_int64, _OUT)
_declare("axle_module_parse", c_void_p, c_char_p, c_size_t, POINTER(ParseOptions), _OUT)
_declare("axle_module_destroy", None, c_void_p)
_declare("axle_module_name", c_char_p, c_void_p)
_declare("axle_module_num_parameters", c_size_t, c_void_p)
_declare("axle_module_parameter_shape", c_void_p, c_void_p, c_size_t)
_declare("axle_module_result_shape", c_void_p, c_void_p)
_declare("axle_module_to_text", c_void_p, c_void_p, c_int64, _OUT)
_declare("axle_module_to_proto", c_void_p, c_void_p, _OUT)
_declare("axle_module_to_stablehlo", c_void_p, c_void_p, c_int64, _OUT)
_declare("axle_client_create", c_void_p, POINTER(ClientOptions), _OUT)
_declare("axle_client_destroy", None, c_void_p)
_declare("axle_client_process_id", c_int64, c_void_p)
_declare("axle_client_num_processes", c_int64, c_void_p)
_declare("axle_client_first_device", c_int64, c_void_p, c_int64)
_declare("axle_client_reconnect", c_void_p, c_void_p, c_void_p)
_declare("axle_client_leave", None, c_void_p)
_declare("axle_client_to_infeed", c_void_p, c_void_p, c_int64, POINTER(POINTER(Array)), c_size_t, c_void_p)
_declare("axle_client_from_outfeed", c_void_p, c_void_p, c_int64, POINTER(POINTER(Array)), c_size_t, c_void_p)
_declare("axle_client_to_channel", c_void_p, c_void_p, c_int64, c_int64, POINTER(POINTER(Array)), c_size_t)
_declare(
    "axle_client_from_channel", c_void_p, c_void_p, c_int64, c_int64, POINTER(POINTER(Array)), c_size_t, c_void_p
)
_declare("axle_client_compile", c_void_p, c_void_p, c_void_p, POINTER(CompileOptions), _OUT)
_declare("axle_profile_create", c_void_p, POINTER(ProfileOptions), _OUT)
_declare("axle_profile_text", c_void_p, c_void_p, c_int64, _OUT)
_declare("axle_profile_destroy", None, c_void_p)
_declare("axle_executable_destroy", None, c_void_p)
_declare("axle_executable_analyze", c_void_p, c_void_p, POINTER(Analysis))
_declare(
    "axle_executable_run",
    c_void_p,
    c_void_p,
    POINTER(ExecuteOptions),
    POINTER(POINTER(Array)),
    c_size_t,
    POINTER(POINTER(Array)),
    c_size_t,
)

_declare("axle_executable_num_results", c_size_t, c_void_p)
_declare("axle_executable_num_devices", c_size_t, c_void_p)
_declare("axle_executable_device", c_int64, c_void_p, c_size_t)
_declare("axle_executable_device_number", c_int64, c_void_p, c_size_t)
_declare(
    "axle_executable_execute",
    c_void_p,
    c_void_p,
    POINTER(ExecuteOptions),
    POINTER(c_void_p),
    c_size_t,
    POINTER(c_void_p),
    c_size_t,
    _OUT,
)
_declare(
    "axle_executable_execute_replicated",
    c_void_p,
    c_void_p,
    POINTER(ExecuteOptions),
    c_size_t,
    POINTER(c_void_p),
    c_size_t,
    POINTER(c_void_p),
    c_size_t,
)
_declare("axle_buffer_from_host", c_void_p, c_void_p, POINTER(Array), POINTER(BufferOptions), _OUT)
_declare("axle_buffer_to_host", c_void_p, c_void_p, POINTER(Array), c_void_p)
_declare("axle_buffer_view", c_void_p, c_void_p, c_void_p, _OUT)
_declare("axle_view_data", c_void_p, c_void_p)
_declare("axle_view_destroy", None, c_void_p)
_declare("axle_buffer_shape", c_void_p, c_void_p)
_declare("axle_buffer_device", c_int64, c_void_p)
_declare("axle_buffer_delete", None, c_void_p)
_declare("axle_buffer_is_deleted", c_int32, c_void_p)
_declare("axle_buffer_destroy", None, c_void_p)

if lib.axle_c_api_version() < _API_VERSION:
    raise ImportError(
        f"axle: {LIBRARY_PATH} has version {lib.axle_c_api_version()} of the C interface, this package needs "
        f"{_API_VERSION}"
    )
VERSION = lib.axle_version().decode()


def check(status):
    """Raises what a function returned, unless that is null."""
    if not status:
        return
    try:
        text = [value.decode(errors="replace") for value in (
            lib.axle_code_name(lib.axle_status_code(status)),
            lib.axle_status_message(status),
            lib.axle_status_file(status),
        )]
        place = lib.axle_status_line(status), lib.axle_status_column(status)
    finally:
        lib.axle_status_destroy(status)
    raise AxleError(*text, *place)


def destroy_with(owner, destroy, handle):
    """Destroys a handle with its owner. Not at the end of the process, where daemon threads may still use it."""
    weakref.finalize(owner, destroy, handle).atexit = False


def take_bytes(handle):
    """The content of an axle_bytes, which it destroys."""
    try:
        return ctypes.string_at(lib.axle_bytes_data(handle), lib.axle_bytes_size(handle))
    finally:
        lib.axle_bytes_destroy(handle)
