"""What JAX's lowering does for the platform "axle": which rules it takes, and calls of Python functions.

Rules. JAX has rules for all platforms and rules for some. Those for "cpu" are right for Axle too: they end in operations
and in custom calls of LAPACK's names, which Axle has built in. So the platform's table of rules answers with them, where
nobody has registered one for "axle"; modules that are imported later are seen as well.

Calls of Python (jax.pure_callback, io_callback, debug.callback, debug.print, checkify). JAX hands the functions to its own
clients in a form that is private to jaxlib. Here a call is a custom call of `axle_python_callback`, whose attribute `id`
names the function in a table of this process. The plugin calls it through XLA's FFI, as it does with handlers of users. An
id is a random number, so that a program out of a persistent compilation cache does not find the function of another process.
The program keeps its functions alive.
"""

import ctypes
import secrets
import traceback
import weakref

TARGET = "axle_python_callback"


def register(platform, c_api):
    """Makes JAX's rules serve `platform`, which is known to JAX. `c_api` is the capsule of the plugin's PJRT_Api."""
    from jax._src import callback
    from jax._src.interpreters import mlir

    rules = mlir._platform_specific_lowerings
    if platform != "cpu":
        rules[platform] = _Rules(rules["cpu"], rules.get(platform, {}))
    _take_handlers(platform, _Extension(c_api))
    callback.emit_python_callback = _emitter(platform, callback.emit_python_callback)


class _Rules(dict):
    """Rules by primitive, with those of another platform behind them."""

    def __init__(self, behind, own):
        super().__init__(own)
        self._behind = behind

    def __contains__(self, primitive):
        return super().__contains__(primitive) or primitive in self._behind

    def __missing__(self, primitive):
        return self._behind[primitive]

    def get(self, primitive, default=None):
        return self[primitive] if primitive in self else default


# --- FFI handlers ---------------------------------------------------------------------------------------------------


class _ExtensionBase(ctypes.Structure):
    pass


_ExtensionBase._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(_ExtensionBase)),
]


class _Api(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.POINTER(_ExtensionBase))]


class _RegisterArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("name_size", ctypes.c_size_t),
        ("api_version", ctypes.c_int),
        ("handler", ctypes.c_void_p),
        ("platform", ctypes.c_char_p),
        ("platform_size", ctypes.c_size_t),
        ("traits", ctypes.c_int),
    ]


class _TypeInfo(ctypes.Structure):
    """What PJRT is told about a type."""

    _fields_ = [("deleter", ctypes.c_void_p), ("serialize", ctypes.c_void_p), ("deserialize", ctypes.c_void_p)]


class _FfiTypeInfo(ctypes.Structure):
    """What XLA's ffi.h says about a type."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _TypeArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("name_size", ctypes.c_size_t),
        ("id", ctypes.c_int64),
        ("info", ctypes.POINTER(_TypeInfo)),
    ]


_STAGES = ("instantiate", "prepare", "initialize", "execute")  # in the order of a bundle


class _BundleArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("name_size", ctypes.c_size_t),
        ("platform", ctypes.c_char_p),
        ("platform_size", ctypes.c_size_t),
        *((stage, ctypes.c_void_p) for stage in _STAGES),
        ("traits", ctypes.c_uint32),
    ]


class _MessageArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
    ]


class _DestroyArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("error", ctypes.c_void_p)]


class _FfiExtension(ctypes.Structure):
    _fields_ = [
        ("base", _ExtensionBase),
        ("type_register", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_TypeArgs))),
        ("user_data_add", ctypes.c_void_p),
        ("register_handler", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_RegisterArgs))),
    ]


class _ErrorTable(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("instance_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        (
            "message",
            ctypes.CFUNCTYPE(
                None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)
            ),
        ),
    ]


def _pointer_in(capsule):
    """The pointer that a PyCapsule has, whatever its name."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def _raise_error(error):
    """Raises a PJRT_Error of the plugin."""
    if not error:
        return
    table = ctypes.cast(error, ctypes.POINTER(ctypes.POINTER(_ErrorTable))).contents.contents
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    table.message(error, ctypes.byref(data), ctypes.byref(size))
    text = ctypes.string_at(data.value, size.value).decode(errors="replace")
    table.destroy(error)
    raise ValueError(text)


class _Extension:
    """The FFI extension of the plugin."""

    TYPE = 5

    def __init__(self, c_api):
        node = ctypes.cast(_pointer_in(c_api), ctypes.POINTER(_Api)).contents.extensions
        while node and node.contents.type != self.TYPE:
            node = node.contents.next
        if not node:
            raise ImportError("axle: libaxle_pjrt.so has no FFI extension: it is of another version")
        self._functions = ctypes.cast(node, ctypes.POINTER(_FfiExtension)).contents

    def register(self, name, address, api_version, platform, traits=0):
        name, platform = name.encode(), platform.encode()
        args = _RegisterArgs(
            ctypes.sizeof(_RegisterArgs), name, len(name), api_version, address, platform, len(platform), traits
        )
        _raise_error(self._functions.register_handler(ctypes.byref(args)))

    def register_stages(self, name, addresses, platform, traits=0):
        """A bundle: the addresses of handlers by the names of their stages."""
        name, platform = name.encode(), platform.encode()
        bundle = (addresses.get(stage) for stage in _STAGES)
        args = _BundleArgs(
            ctypes.sizeof(_BundleArgs), None, name, len(name), platform, len(platform), *bundle, traits
        )
        api = _ffi_api.contents
        error = api.handler_register(ctypes.byref(args))
        if error:
            message = _MessageArgs(ctypes.sizeof(_MessageArgs), None, error, None)
            api.error_message(ctypes.byref(message))
            text = message.message.decode(errors="replace")
            api.error_destroy(ctypes.byref(_DestroyArgs(ctypes.sizeof(_DestroyArgs), None, error)))
            raise ValueError(text)

    def register_type(self, name, type_id, deleter=None):
        """Returns the id of a type, which is a new one if `type_id` is 0. `deleter` is the address of a function."""
        name = name.encode()
        info = _TypeInfo(deleter) if deleter else None
        args = _TypeArgs(
            ctypes.sizeof(_TypeArgs), None, name, len(name), type_id, ctypes.pointer(info) if info else None
        )
        _raise_error(self._functions.type_register(ctypes.byref(args)))
        return args.id


def _take_handlers(platform, extension):
    """Registers the handlers and types that jax.ffi was given for the platform, and those that it will be given."""
    from jaxlib import xla_client

    def register(name, function, platform_name, api_version=0, traits=0):
        name = name.decode() if isinstance(name, bytes) else name
        if not isinstance(function, dict):
            extension.register(name, _pointer_in(function), api_version, platform_name, int(traits))
            return
        unknown = sorted(set(function) - set(_STAGES))
        if unknown:
            raise ValueError(
                f"axle: FFI target {name!r} has a function for the stage {unknown[0]!r}; there are {', '.join(_STAGES)}"
            )
        addresses = {stage: _pointer_in(handler) for stage, handler in function.items()}
        extension.register_stages(name, addresses, platform_name, int(traits))

    def register_type(name, type_id):
        name = name.decode() if isinstance(name, bytes) else name
        deleter = None
        if isinstance(type_id, dict):
            if type_id.get("type_info") is not None:
                deleter = ctypes.cast(_pointer_in(type_id["type_info"]), ctypes.POINTER(_FfiTypeInfo)).contents.deleter
            type_id = type_id["type_id"]
        place = ctypes.cast(_pointer_in(type_id), ctypes.POINTER(ctypes.c_int64))
        place.contents.value = extension.register_type(name, place.contents.value, deleter)

    extension.register(TARGET, ctypes.cast(_handler, ctypes.c_void_p).value, 1, platform)
    xla_client.register_custom_call_handler(platform, register)
    if hasattr(xla_client, "register_custom_type_handler"):
        xla_client.register_custom_type_handler(platform, register_type)


# --- Calls of Python ------------------------------------------------------------------------------------------------

_functions = weakref.WeakValueDictionary()  # by id


class _Callback:
    """A function that a program calls, alive as long as the program."""

    def __init__(self, function):
        self.function = function
        self.id = secrets.randbits(63)
        _functions[self.id] = self


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _Buffers(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("buffers", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    ]


class _Scalar(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_uint64))]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("values", ctypes.POINTER(ctypes.POINTER(_Scalar))),
    ]


class _ErrorArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    ]


class _FfiApi(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("version_struct_size", ctypes.c_size_t),
        ("version_extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("internal", ctypes.c_void_p),
        ("error_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_ErrorArgs))),
        ("error_message", ctypes.CFUNCTYPE(None, ctypes.POINTER(_MessageArgs))),
        ("error_destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(_DestroyArgs))),
        ("handler_register", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_BundleArgs))),
    ]


# The functions that handlers may call. The extension of PJRT takes one function for a target; a bundle is registered by
# one of these.
_ffi_api = None


class _Metadata(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("version_struct_size", ctypes.c_size_t),
        ("version_extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _ExtensionBase), ("metadata", ctypes.POINTER(_Metadata))]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.POINTER(_ExtensionBase)),
        ("api", ctypes.POINTER(_FfiApi)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    ]


_INTERNAL = 13
_TOKEN = 17


def _types():
    """NumPy's types by XLA's numbers of element types."""
    import ml_dtypes
    import numpy as np

    types = {
        1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32,
        9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64, 15: np.complex64, 18: np.complex128,
    }  # fmt: skip
    named = {
        16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4", 22: "uint4", 23: "float8_e4m3b11fnuz",
        24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz", 26: "int2", 27: "uint2", 28: "float8_e4m3", 29: "float8_e3m4",
        32: "float4_e2m1fn", 33: "float8_e8m0fnu",
    }  # fmt: skip
    types.update((number, getattr(ml_dtypes, name)) for number, name in named.items() if hasattr(ml_dtypes, name))
    return {number: np.dtype(value) for number, value in types.items()}


_PACKED = {21: 4, 22: 4, 26: 2, 27: 2, 32: 4}  # bits of the types that share bytes
_types_by_number = None


def _array(buffer):
    """A buffer's elements, in place where each has bytes of its own; a token is an array of none."""
    import numpy as np

    global _types_by_number
    if _types_by_number is None:
        _types_by_number = _types()
    if buffer.type == _TOKEN:
        return np.zeros((0,), np.bool_)
    shape = tuple(buffer.dims[i] for i in range(buffer.rank))
    dtype = _types_by_number[buffer.type]
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return np.zeros(shape, dtype)
    bits = _PACKED.get(buffer.type)
    size = -(-count * bits // 8) if bits else count * dtype.itemsize
    data = np.frombuffer((ctypes.c_ubyte * size).from_address(buffer.data), np.uint8)
    if not bits:
        return data.view(dtype).reshape(shape)
    parts = np.stack([(data >> shift) & ((1 << bits) - 1) for shift in range(0, 8, bits)], axis=-1).reshape(-1)[:count]
    if buffer.type in (21, 26):  # signed: the sign fills the byte
        parts = ((parts << (8 - bits)).view(np.int8) >> (8 - bits)).view(np.uint8)
    return parts.view(dtype).reshape(shape)


def _store(buffer, value):
    """Writes a result, which has the type and shape of its buffer."""
    import numpy as np

    if buffer.type == _TOKEN or value.size == 0:
        return
    bits = _PACKED.get(buffer.type)
    if not bits:
        np.copyto(_array(buffer), value)
        return
    per_byte = 8 // bits
    flat = np.ascontiguousarray(value).reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    flat = np.concatenate([flat, np.zeros(-len(flat) % per_byte, np.uint8)]).reshape(-1, per_byte)
    packed = np.zeros(len(flat), np.uint8)
    for i in range(per_byte):
        packed |= flat[:, i] << (i * bits)
    ctypes.memmove(buffer.data, packed.ctypes.data, packed.size)


def _call(frame):
    import numpy as np

    identity = frame.attributes.values[0].contents.value.contents.value
    callback = _functions.get(identity)
    if callback is None:
        raise RuntimeError(
            "the Python function that this program calls is gone: the program was compiled by another process, or "
            "outlived what JAX compiled it for"
        )
    arguments = []
    for i in range(frame.arguments.size):
        value = _array(frame.arguments.buffers[i].contents)
        value = value.copy()  # the function may keep it
        value.flags.writeable = False
        arguments.append(value)
    results = callback.function(*arguments)
    for i in range(frame.results.size):
        _store(frame.results.buffers[i].contents, np.asarray(results[i]))


def _text_of(error):
    """What a function has raised: the exception, then its traceback from the first line of JAX or of the user on."""
    text = "CpuCallback error calling callback: " + "".join(traceback.format_exception_only(type(error), error))
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    if frames is not None:
        text += "\n" + "".join(traceback.format_exception(type(error), error, frames))
    return text.rstrip("\n")


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
def _handler(pointer):
    """The FFI handler behind all calls. What a function raises becomes the error of the execution, with its traceback."""
    global _ffi_api
    frame = pointer.contents
    if frame.extensions and frame.extensions.contents.type == 1:
        # The plugin asks for the version at the registration. The table stays where it is, the frame does not.
        _ffi_api = ctypes.cast(frame.api, ctypes.POINTER(_FfiApi))
        metadata = ctypes.cast(frame.extensions, ctypes.POINTER(_MetadataExtension)).contents.metadata.contents
        metadata.major, metadata.minor = 0, 1
        return None
    try:
        _call(frame)
        return None
    except BaseException as error:
        args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, _text_of(error).encode(errors="replace"), _INTERNAL)
        return frame.api.contents.error_create(ctypes.byref(args))


def _checked(function, result_avals):
    """The function as JAX's own clients call it: as many results as it should have, of their types and shapes."""
    import numpy as np
    from jax._src import dtypes

    canonical = getattr(dtypes, "canonicalize_value", lambda value: value)

    def call(*arguments):
        values = function(*arguments)
        if len(values) != len(result_avals):
            raise RuntimeError(
                f"Mismatched number of outputs from callback. Expected: {len(result_avals)}, Actual: {len(values)}"
            )
        results = tuple(canonical(np.asarray(value)) for value in values)
        for i, (value, aval) in enumerate(zip(results, result_avals)):
            if value.shape != aval.shape:
                raise RuntimeError(
                    f"Incorrect output shape for return value #{i}: Expected: {aval.shape}, Actual: {value.shape}"
                )
            if value.dtype != aval.dtype:
                raise RuntimeError(
                    f"Incorrect output dtype for return value #{i}: Expected: {aval.dtype}, Actual: {value.dtype}"
                )
        return results

    return call


def _emitter(platform, otherwise):
    """The function that lowers calls of Python: our call for the platform, JAX's for others."""
    import numpy as np
    from jax._src import core, ffi
    from jax._src.interpreters import mlir

    takes_context = mlir.set_sharding.__code__.co_argcount == 3  # since jax 0.8

    def emit(
        ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, partitioned=False,
        sharding=None, **_,
    ):  # fmt: skip
        if partitioned and result_avals:
            raise ValueError("Partitioned callback not supported with return values.")
        checked = _checked(callback, result_avals)
        operands, avals_in, avals_out = list(operands), list(operand_avals), list(result_avals)
        function = checked
        if token:
            operands = [token, *operands]
            avals_in, avals_out = [core.abstract_token, *avals_in], [core.abstract_token, *avals_out]

            def function(first, *arguments):
                return (first, *checked(*arguments))

        kept = _Callback(function)
        ctx.module_context.add_keepalive(kept)
        call = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)
        result = call(ctx.replace(avals_in=avals_in, avals_out=avals_out), *operands, id=np.uint64(kept.id))
        if sharding is not None:
            context = [ctx.module_context] if takes_context else []
            mlir.set_sharding(*context, result, _with_token(sharding, avals_out) if token else sharding)
        results = list(result.results)
        if token:
            token, *results = results
        return results, token, kept

    def emit_python_callback(ctx, *arguments, **options):
        is_ours = tuple(ctx.module_context.platforms) == (platform,)
        return (emit if is_ours else otherwise)(ctx, *arguments, **options)  # options differ between versions of JAX

    return emit_python_callback


def _with_token(sharding, avals_out):
    """The shardings of a call's results with one for its first result, a token, if the call has other results."""
    shardings = getattr(sharding, "shardings", None)
    if shardings is None or len(avals_out) == 1:
        return sharding
    first = shardings[0]
    token = type(first)(mesh_shape=(), dim_shardings=(), logical_device_ids=first.logical_device_ids)
    return type(sharding)((token, *shardings))
