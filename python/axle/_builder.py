"""Programs built op by op, without text.

The names of the operations, of their attributes and of the computations that they call come from the op table of
the library (axle_op_name and so on), so that there is no list of them here: `builder.reduce_window(...)` is the op
"reduce-window". What only Python has is in Op: operators, slices, and numbers in place of operands.
"""

import functools
import keyword
import sys
from ctypes import byref, c_int64, c_void_p

import numpy as np

from ._arrays import address_of, as_numpy, from_numbers
from ._errors import AxleError
from ._library import Array, OpOptions, check, destroy_with, lib
from ._programs import Module
from ._shapes import numpy_type, shape_from_handle, type_name, type_number

_OPERAND, _ATTRIBUTE, _ATTRIBUTE_KIND, _COMPUTATION = range(4)


class _OpInfo:
    """A row of the op table."""

    def __init__(self, name):
        encoded = name.encode()

        def parts(part):
            found = []
            while (text := lib.axle_op_part_name(encoded, part, len(found))) is not None:
                found.append(text.decode())
            return found

        self.name = name
        self.summary = lib.axle_op_summary(encoded).decode()
        self.declares_shape = lib.axle_op_declares_shape(encoded) != 0
        self.operands = parts(_OPERAND)
        self.kinds = dict(zip(parts(_ATTRIBUTE), parts(_ATTRIBUTE_KIND)))
        self.computations = parts(_COMPUTATION)


@functools.lru_cache(maxsize=None)
def _op_table():
    """By the name in Python: reduce_window, and_."""
    table = {}
    while (name := lib.axle_op_name(len(table))) is not None:
        text = name.decode()
        python = text.replace("-", "_")
        table[python + "_" if keyword.iskeyword(python) else python] = text
    return table


_op_info = functools.lru_cache(maxsize=None)(_OpInfo)


def _text_of(value, kind):
    """An attribute's value as HLO text spells it."""
    if isinstance(value, str):
        if kind != "string":
            return value
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, slice):
        return f"[{value.start or 0}:{value.stop}" + (f":{value.step}]" if value.step is not None else "]")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return "{" + ",".join(_text_of(item, kind) for item in value) + "}"
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value)


def _caller():
    """The line that calls this package, as a file and a number."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return (None, 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


class _ShapeHandle:
    """An axle_shape of a text or a Shape."""

    def __init__(self, shape):
        self.handle = c_void_p()
        check(lib.axle_shape_parse(str(shape).encode(), byref(self.handle)))
        destroy_with(self, lib.axle_shape_destroy, self.handle)


class Builder:
    """Makes a program op by op.

        b = axle.Builder("axpy")
        a, x, y = b.parameter("f32[]"), b.parameter("f32[4]"), b.parameter("f32[4]")
        exe = b.compile(a * x + y)

    Each operation of HLO is a method, named as in HLO text with _ for -, and a _ more if it is a word of Python:
    b.tanh(x), b.and_(x, y), b.reduce(x, 0, dimensions=[0], to_apply=add). Its operands are Ops of this builder, or
    numbers and arrays, which become constants: a number takes the type that the operation needs there. Its keywords are the attributes of HLO text, with values of Python or
    their text; the computations that it calls, which are Modules; `shape` of the result, of ops that do not imply it;
    and `name` of the instruction. help(b.reduce) lists them.

    A mistake is an AxleError with the file and line of the caller. The builder is of no use afterwards.
    Used by one thread at a time.
    """

    def __init__(self, name="main"):
        name = str(name)
        self._handle = c_void_p()
        check(lib.axle_builder_create(name.encode(), byref(self._handle)))
        destroy_with(self, lib.axle_builder_destroy, self._handle)
        self.name = name
        self._num_parameters = 0
        self._num_built = 0  # each build() takes the ops away

    def __repr__(self):
        return f"<axle.Builder {self.name}>"

    def __dir__(self):
        return sorted({*super().__dir__(), *_op_table()} - {"parameter_", "constant_"})

    def __getattr__(self, name):
        op = _op_table().get(name)
        if op is None:
            raise AttributeError(f"{name!r} is neither an operation nor a method of axle.Builder")
        info = _op_info(op)

        def method(*operands, **options):
            return self.op(op, *operands, **options)

        keywords = [*info.kinds, *info.computations, *(["shape"] if info.declares_shape else [])]
        method.__name__ = method.__qualname__ = name
        method.__doc__ = (
            f"{info.summary}\n\noperands: {', '.join(info.operands) or 'none'}\n"
            f"keywords: {', '.join(keywords) or 'none'}"
        )
        return method

    def _locate(self):
        file, line = _caller()
        check(lib.axle_builder_set_location(self._handle, file.encode(errors="replace") if file else None, line))

    def parameter(self, shape, name=None):
        """The next parameter: `shape` as HLO text spells it, "f32[2,3]" or "(s32[], f32[<=4])", or a Shape."""
        self._locate()
        number = c_int64()
        shape = _ShapeHandle(shape)
        encoded = name.encode() if name else None
        check(lib.axle_builder_parameter(self._handle, self._num_parameters, shape.handle, encoded, byref(number)))
        self._num_parameters += 1
        return Op(self, number.value)

    def constant(self, value, type=None):
        """A copy of an array, or of a number or nested lists of them: these become `type`, "f32" for example, and
        without one pred, s32, f32 or c64, whatever the first number asks for."""
        array = as_numpy(value, "the constant")
        if array is None:
            type = type or _type_of_numbers(value)
            try:
                array = from_numbers(value, type, numpy_type(type))
            except (ValueError, TypeError, OverflowError) as error:
                raise AxleError("INVALID_ARGUMENT", f"constant: {error}") from error
        elif type is not None and array.dtype != numpy_type(type):
            raise AxleError("INVALID_ARGUMENT", f"constant: the array is of type {array.dtype}, not {type}")
        if array.dtype.byteorder not in "=|":
            array = array.astype(array.dtype.newbyteorder("="))
        self._locate()
        described = Array(
            type=type_number(array.dtype),
            rank=array.ndim,
            dims=(c_int64 * array.ndim)(*array.shape),
            byte_strides=(c_int64 * array.ndim)(*array.strides),
            data=address_of(array),
        )
        number = c_int64()
        check(lib.axle_builder_constant(self._handle, byref(described), byref(number)))
        return Op(self, number.value)

    def op(self, opcode, *operands, shape=None, name=None, **options):
        """Any operation by its name in HLO text: b.op("reduce-window", x, 0.0, window="{size=3}", to_apply=add)."""
        if opcode not in _op_table().values():
            opcode = _op_table().get(opcode, opcode)
        info = _op_info(opcode) if opcode in _op_table().values() else None
        operands = self._operands(opcode, operands, info.operands if info else ["operand"])
        attributes, called = [], []
        for key in info.computations if info else ():
            if key in options:
                found = options.pop(key)
                called += [_computation(key, item) for item in (found if isinstance(found, (list, tuple)) else [found])]
        for key, value in options.items():
            if value is not None:
                attributes.append(f"{key}={_text_of(value, info.kinds.get(key) if info else None)}")
        numbers = (c_int64 * len(operands))(*[operand._number for operand in operands])
        result_shape = _ShapeHandle(shape) if shape is not None else None
        given = OpOptions(
            attributes=", ".join(attributes).encode() if attributes else None,
            computations=(c_void_p * len(called))(*[module._handle for module in called]) if called else None,
            num_computations=len(called),
            shape=result_shape.handle if result_shape else None,
            name=name.encode() if name else None,
        )
        self._locate()
        number = c_int64()
        check(lib.axle_builder_add(self._handle, opcode.encode(), numbers, len(operands), byref(given), byref(number)))
        return Op(self, number.value)

    def _operands(self, opcode, values, names):
        """Ops. Of numbers, the operand's role says which type they take (see _types)."""
        flat = []
        for value in values:
            is_list = isinstance(value, (list, tuple)) and any(isinstance(item, Op) for item in value)
            if is_list and opcode == "tuple" and len(values) > 1:
                _refuse_nested()
            flat += _flat(value) if is_list else [value]
        ops = [self._as_op(value, type) for value, type in zip(flat, _types(names, flat))]
        return _branches_alike(ops, flat) if opcode == "select" and len(ops) == 3 else ops

    def _as_op(self, value, type=None):
        if isinstance(value, Op):
            if value.builder is not self:
                raise AxleError(
                    "INVALID_ARGUMENT",
                    f"an operand is of builder {value.builder.name!r}, not of {self.name!r}; what a computation gets "
                    "from outside is a parameter of it",
                )
            value._check_is_there()
            return value
        if isinstance(value, (list, tuple)):
            _flat([value])
        return self.constant(value, type if as_numpy(value, "an operand") is None else None)

    def build(self, root):
        """The Module whose result is `root`, an Op, or a tuple or list of Ops. The builder is empty afterwards."""
        if isinstance(root, (tuple, list)):
            root = self.tuple(*_flat(root))
        root = self._as_op(root)
        self._locate()
        module = c_void_p()
        check(lib.axle_builder_build(self._handle, root._number, byref(module)))
        self._num_parameters = 0
        self._num_built += 1
        return Module(module)

    def compile(self, root, **options):
        """axle.compile(self.build(root), **options): an Executable."""
        from ._client import compile

        return compile(self.build(root), **options)


def computation(function, *shapes, name="computation"):
    """A Module for an op to call, made of a function of Ops.

        add = axle.computation(lambda x, y: x + y, "f32[]", "f32[]")
        total = b.reduce(x, 0.0, dimensions=[0], to_apply=add)

    The function gets a parameter for each shape and returns an Op, or a tuple or list of them. If it needs the
    builder, that is x.builder.
    """
    builder = Builder(name)
    return builder.build(function(*[builder.parameter(shape) for shape in shapes]))


def _computation(key, value):
    if isinstance(value, Module):
        return value
    raise AxleError(
        "INVALID_ARGUMENT",
        f"{key} is a {type(value).__name__}, must be a Module, which axle.computation(function, *shapes) makes",
    )


def _refuse_nested():
    raise AxleError(
        "INVALID_ARGUMENT", "lists of Ops are not nested here: make a tuple of the inner ones with builder.tuple(...)"
    )


def _flat(values):
    """A list that may have Ops in it; AxleError if a list in it has some."""
    open_lists = [item for item in values if isinstance(item, (list, tuple))]
    while open_lists:
        for item in open_lists.pop():
            if isinstance(item, Op):
                _refuse_nested()
            if isinstance(item, (list, tuple)):
                open_lists.append(item)
    return list(values)


# What the names of operands in the op table end in where these are no data: they count or address elements.
_INTEGER_ROLES = ("indices", "index", "sizes", "size", "offsets")


def _roles(names, count):
    """For each of `count` operands its name in the op table, where some stand for any number of operands."""
    if count == len(names) or not names:
        return names
    is_last = names[0].endswith(_INTEGER_ROLES) or names[-1].endswith(_INTEGER_ROLES)
    if not is_last and count % len(names) == 0:  # reduce: as many of each
        return [name for name in names for _ in range(count // len(names))]
    if not is_last and len(names) == 3 and count % 2 == 1:  # scatter: as many of the outer ones
        return names[:1] * (count // 2) + [names[1]] + names[2:] * (count // 2)
    return names + names[-1:] * (count - len(names))  # dynamic-slice, conditional: any number of the last one


def _types(names, values):
    """The types that numbers among these operands take: pred for a predicate; s32, or that of an Op in the same role,
    for what counts or addresses elements; for others that of their partner (the operand of an initial value) or
    of the first Op or array that is data. None: whatever the number asks for."""
    roles = _roles(names, len(values))
    if len(roles) != len(values):
        roles = ["operand"] * len(values)
    if isinstance(values[0] if values else None, (bool, np.bool_)) and roles[0] == "branch_index":
        roles = ["pred", *roles[1:]]
    kinds = ["pred" if role == "pred" else "integer" if role.endswith(_INTEGER_ROLES) else "data" for role in roles]
    places, seen = [], {}  # operands of one role alone have no partners
    for role in roles:
        places.append(seen.get(role, 0) if roles[0] != roles[-1] else 0)
        seen[role] = seen.get(role, 0) + 1
    first = {"pred": "pred", "integer": "s32"}
    types = {}  # of the first Op or array by kind, and by kind and place
    numbers = []
    for value, kind, place in zip(values, kinds, places):
        type = _type_of(value)
        if type:
            types.setdefault(kind, type)
            types.setdefault((kind, place), type)
        elif kind == "data" and not isinstance(value, Op):
            numbers.append(value)
    if len(values) == len(names) and "data" not in types:  # numbers alone: one type for all of them
        asked = [_type_of_numbers(value) for value in numbers]
        if asked:
            types["data"] = max(asked, key=("pred", "s32", "f32", "c64").index)
    return [
        types.get((kind, place)) if kind == "data" and (kind, place) in types else types.get(kind, first.get(kind))
        for kind, place in zip(kinds, places)
    ]


def _type_of(value):
    """The element type of an Op or an array; None of numbers, lists and what is no array."""
    if isinstance(value, Op):
        return value.shape.type if value.shape.is_array else None
    array = as_numpy(value, "an operand")
    return None if array is None else type_name(array.dtype)


def _branches_alike(ops, values):
    """Of select, where a number stands for an array of it: of the other value's shape, or else the predicate's."""
    arrays = [op.shape for op in (*ops[1:], ops[0]) if op.shape.is_array and op.shape.dims]
    if not arrays or any(arrays[0].dynamic):
        return ops
    return [
        op if i == 0 or op.shape.dims or isinstance(value, Op) else op.broadcast_to(arrays[0].dims)
        for i, (op, value) in enumerate(zip(ops, values))
    ]


def _type_of_numbers(value):
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    for types, name in (((bool, np.bool_), "pred"), (int, "s32")):
        if isinstance(value, types):
            return name
    return "c64" if isinstance(value, complex) else "f32"


class Op:
    """A value of a program that is being built.

    Operators are those of XLA, lane by lane: + - * / % ** & | ^ ~ << >>, comparisons, abs(); @ multiplies matrices.
    A number takes the Op's type, and shapes are broadcast to each other as numpy's are. `/` of integers
    rounds to zero, `%` has the sign of the dividend, and >> keeps the sign of signed integers. x[...] takes integers,
    slices, ... and None; an integer may be an Op, of which the place is clamped into the array. An Op of a tuple has
    its elements: t[0], or a, b = t.
    """

    __slots__ = ("builder", "_number", "_shape", "_num_built")
    __array_ufunc__ = None  # array + op is for the op

    def __init__(self, builder, number):
        self.builder = builder
        self._number = number
        self._shape = None
        self._num_built = builder._num_built

    def _check_is_there(self):
        if self._num_built != self.builder._num_built:
            raise AxleError(
                "INVALID_ARGUMENT",
                f"an operand is of a program that builder {self.builder.name!r} has built; the builder is empty since",
            )

    @property
    def shape(self):
        """A Shape."""
        if self._shape is None:
            self._check_is_there()
            handle = c_void_p()
            check(lib.axle_builder_op_shape(self.builder._handle, self._number, byref(handle)))
            try:
                self._shape = shape_from_handle(handle)
            finally:
                lib.axle_shape_destroy(handle)
        return self._shape

    def __repr__(self):
        return f"<axle.Op {self.shape}>"

    def __bool__(self):
        raise TypeError("the value of an axle.Op is not known before the program runs; select or conditional take it")

    __hash__ = object.__hash__  # == is an operation

    def _array_shape(self, what):
        if not self.shape.is_array:
            raise AxleError("INVALID_ARGUMENT", f"{what} is for arrays, not for {self.shape}")
        return self.shape

    def broadcast_to(self, dims):
        """As numpy does it: dimensions are added in front, and those of size 1 are repeated."""
        dims = tuple(int(size) for size in dims)
        shape = self._array_shape("broadcast_to")
        if shape.dims == dims:
            return self
        offset = len(dims) - len(shape.dims)
        fits = offset >= 0 and all(size in (1, dims[offset + i]) for i, size in enumerate(shape.dims))
        if not fits:
            raise AxleError("INVALID_ARGUMENT", f"{shape} cannot be broadcast to dimensions {list(dims)}")
        kept = [i for i, size in enumerate(shape.dims) if size == dims[offset + i]]
        value = self if len(kept) == len(shape.dims) else self.reshape([shape.dims[i] for i in kept])
        return self.builder.op(
            "broadcast", value, dimensions=[offset + i for i in kept], shape=_array_text(shape.type, dims)
        )

    def reshape(self, *dims):
        """The same elements in row-major order: reshape(2, 3) or reshape([2, 3])."""
        shape = self._array_shape("reshape")
        if len(dims) == 1 and not hasattr(dims[0], "__index__"):
            dims = dims[0]
        return self.builder.op("reshape", self, shape=_array_text(shape.type, dims))

    def astype(self, type):
        """Converted to another element type, "f64"; itself if it has that."""
        shape = self._array_shape("astype")
        type = type if isinstance(type, str) and not _is_numpy_name(type) else type_name(np.dtype(type))
        if type == shape.type:
            return self
        return self.builder.op("convert", self, shape=_array_text(type, shape.dims, shape.dynamic))

    @property
    def T(self):
        """With the dimensions in the opposite order."""
        rank = len(self._array_shape("T").dims)
        return self.builder.op("transpose", self, dimensions=range(rank - 1, -1, -1))

    def _binary(self, opcode, other, swap=False, **attributes):
        other = self.builder._as_op(other, self._array_shape(opcode).type)
        dims = _common_dims(opcode, self.shape, other._array_shape(opcode))
        if dims is None:  # equal, or of dynamic sizes: the op says what is wrong
            pair = (self, other)
        else:
            pair = (self.broadcast_to(dims), other.broadcast_to(dims))
        return self.builder.op(opcode, *(reversed(pair) if swap else pair), **attributes)

    def __neg__(self):
        return self.builder.op("negate", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return self.builder.op("abs", self)

    def __invert__(self):
        return self.builder.op("not", self)

    def _shift_right(self):
        return "shift-right-logical" if self.shape.type.startswith("u") else "shift-right-arithmetic"

    def __rshift__(self, other):
        return self._binary(self._shift_right(), other)

    def __rrshift__(self, other):
        return self._binary(self._shift_right(), other, swap=True)

    def __matmul__(self, other):
        return _matmul(self, self.builder._as_op(other, self.shape.type))

    def __rmatmul__(self, other):
        return _matmul(self.builder._as_op(other, self.shape.type), self)

    def __len__(self):
        shape = self.shape
        if shape.is_tuple:
            return len(shape.elements)
        if not shape.dims:
            raise TypeError(f"{shape} has no length")
        return shape.dims[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        if self.shape.is_tuple:
            count = len(self.shape.elements)
            if not isinstance(index, int) or not -count <= index < count:
                raise IndexError(f"{self.shape} has no element {index}")
            return self.builder.op("get-tuple-element", self, index=index % count)
        self._array_shape("[]")
        return _getitem(self, index if isinstance(index, tuple) else (index,))


def _add_operators():
    for name, opcode in {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "mod": "remainder",
        "pow": "power",
        "and": "and",
        "or": "or",
        "xor": "xor",
        "lshift": "shift-left",
    }.items():
        setattr(Op, f"__{name}__", lambda self, other, opcode=opcode: self._binary(opcode, other))
        setattr(Op, f"__r{name}__", lambda self, other, opcode=opcode: self._binary(opcode, other, swap=True))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(
            Op, f"__{name}__", lambda self, other, name=name: self._binary("compare", other, direction=name.upper())
        )


_add_operators()


def _is_numpy_name(text):
    try:
        numpy_type(text)
    except AxleError:
        return False
    return numpy_type(text) is None


def _array_text(type, dims, dynamic=()):
    flags = list(dynamic) or [False] * len(tuple(dims))
    sizes = ",".join(("<=" if flag else "") + str(int(size)) for size, flag in zip(dims, flags))
    return f"{type}[{sizes}]"


def _common_dims(opcode, a, b):
    """What both shapes are broadcast to; None if they need not be."""
    if a.dims == b.dims or (any(a.dynamic + b.dynamic) and a.dims and b.dims):
        return None
    if any(a.dynamic + b.dynamic):
        raise AxleError(
            "INVALID_ARGUMENT", f"{opcode}: a scalar is not broadcast to dynamic sizes here; {a} and {b}"
        )
    rank = max(len(a.dims), len(b.dims))
    pairs = zip((1,) * (rank - len(a.dims)) + a.dims, (1,) * (rank - len(b.dims)) + b.dims)
    dims = []
    for x, y in pairs:
        if x != y and 1 not in (x, y):
            raise AxleError("INVALID_ARGUMENT", f"{opcode}: {a} and {b} cannot be broadcast to each other")
        dims.append(y if x == 1 else x)
    return tuple(dims)


def _matmul(a, b):
    left, right = a._array_shape("@"), b._array_shape("@")
    if not left.dims or not right.dims:
        raise AxleError("INVALID_ARGUMENT", f"@ is for arrays of one dimension or more, not {left} and {right}")
    batch = max(len(left.dims), len(right.dims)) - 2
    if batch > 0 and left.dims[:-2] != right.dims[:-2]:
        raise AxleError("INVALID_ARGUMENT", f"@: the leading dimensions of {left} and {right} differ")
    batch_dims = range(batch) if batch > 0 else None
    return a.builder.op(
        "dot",
        a,
        b,
        lhs_batch_dims=batch_dims,
        rhs_batch_dims=batch_dims,
        lhs_contracting_dims=[len(left.dims) - 1],
        rhs_contracting_dims=[max(len(right.dims) - 2, 0)],
    )


def _getitem(op, items):
    """One slice or dynamic-slice, one reverse where steps are negative, one reshape where dimensions come or go."""
    dims = op.shape.dims
    wanted = sum(1 for item in items if item is not None and item is not Ellipsis)
    if wanted > len(dims) or sum(1 for item in items if item is Ellipsis) > 1:
        raise IndexError(f"{len(items)} indices for {op.shape}")
    if not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    slices, reversed_dims, result = [], [], []
    starts = {}  # Ops, by dimension
    for item in items:
        d = len(slices)
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            for size in dims[d : d + len(dims) - wanted]:
                slices.append(slice(0, size, 1))
                result.append(size)
        elif isinstance(item, slice):
            start, stop, step = item.indices(dims[d])
            places = range(start, stop, step)
            if step < 0:
                reversed_dims.append(d)
                places = places[::-1]
            low = places[0] if len(places) else 0
            slices.append(slice(low, places[-1] + 1 if len(places) else 0, abs(step)))
            result.append(len(places))
        elif isinstance(item, Op) and item.shape.is_array and not item.shape.dims and item.shape.type[0] in "su":
            starts[d] = item
            slices.append(slice(0, dims[d], 1))
        elif isinstance(item, (bool, np.bool_, list, Op)) or not hasattr(item, "__index__") or np.ndim(item) > 0:
            what = item.shape if isinstance(item, Op) else f"a {type(item).__name__}"
            raise AxleError(
                "INVALID_ARGUMENT",
                f"an index is an integer, a slice, ..., None, or an Op of one integer, not {what}; b.select takes masks "
                "and b.gather many indices",
            )
        else:
            place = int(item.__index__())
            if not -dims[d] <= place < dims[d]:
                raise IndexError(f"index {place} is out of range for dimension {d} of {op.shape}")
            place %= dims[d]
            slices.append(slice(place, place + 1, 1))
    value = op
    if any((s.start, s.stop, s.step) != (0, size, 1) for s, size in zip(slices, dims)):
        value = op.builder.op("slice", value, slice=slices)
    if starts:
        first = next(iter(starts.values()))
        zero = op.builder.constant(0, first.shape.type)
        sizes = [1 if d in starts else size for d, size in enumerate(value.shape.dims)]
        value = op.builder.op(
            "dynamic-slice", value, *[starts.get(d, zero) for d in range(len(dims))], dynamic_slice_sizes=sizes
        )
    if reversed_dims:
        value = op.builder.op("reverse", value, dimensions=reversed_dims)
    return value if value.shape.dims == tuple(result) else value.reshape(result)

