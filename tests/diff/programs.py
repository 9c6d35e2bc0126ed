"""Programs of one op, drawn from its row of the op table (`axle ops --json`).

An op whose operands are of one shape and whose attributes are of known kinds needs no code here: a few
programs are proposed, and the first one that Axle accepts is taken. Ops with rules between shapes and
attributes have a generator in structural.py."""

import dataclasses
import re

import values
from element_types import TYPES, of_class

FLOAT_NAMES = [t.name for t in TYPES.values() if t.is_float]


@dataclasses.dataclass
class Parameter:
    type: str
    dims: list
    # A function (rng, style) -> array, for values that are not just any.
    draw: object = None

    def sample(self, rng, style):
        return self.draw(rng, style) if self.draw else values.draw(rng, self.type, self.dims, style)

    @property
    def text(self):
        return f"{self.type}[{','.join(map(str, self.dims))}]"


@dataclasses.dataclass
class Program:
    op: str
    type: str  # what the class is named for
    parameters: list
    attributes: str = ""  # "dimensions={0}"
    result: str = ""  # its shape, where the op does not imply it
    computations: str = ""
    body: str = ""  # lines of the entry, instead of the op on the parameters
    xla_body: str = ""  # for XLA, where it lacks the op: other ops that mean the same
    check: str = ""  # a name in compare.CHECKS; "": what the row's accuracy says
    styles: tuple = ()  # restricts values.styles
    facts: dict = dataclasses.field(default_factory=dict)  # for the check

    def text(self, for_xla=False):
        lines = [f"  p{i} = {p.text} parameter({i})" for i, p in enumerate(self.parameters)]
        names = ", ".join(f"p{i}" for i in range(len(self.parameters)))
        comma = ", " if self.attributes else ""
        lines.append(
            (for_xla and self.xla_body)
            or self.body
            or f"  ROOT r = {self.result} {self.op}({names}){comma}{self.attributes}"
        )
        return (
            "HloModule diff\n\n" + self.computations + "ENTRY main {\n" + "\n".join(lines) + "\n}\n"
        )

    def sample(self, rng):
        style = str(rng.choice(self.styles)) if self.styles else values.styles(rng)
        return [p.sample(rng, style) for p in self.parameters]


def with_types(text, real, complex_type):
    """The same program with every float type replaced, and every complex one: its twin."""
    text = re.sub(rf"\b({'|'.join(FLOAT_NAMES)})\[", real + "[", text)
    return re.sub(r"\b(c64|c128)\[", complex_type + "[", text)


def same_width_unsigned(name):
    found = [t.name for t in of_class("unsigned") if t.bits == TYPES[name].bits]
    return found[0] if found else "u32"


def attribute_text(rng, attribute, rank):
    """A value of a known kind, or None. Optional ones are left out half of the time."""
    kind, name = attribute["kind"], attribute["name"]
    if attribute["presence"] != "required" and rng.random() < 0.5:
        return ""
    if attribute.get("values"):
        return f"{name}={rng.choice(attribute['values'])}"
    if kind == "true or false":
        return f"{name}={rng.choice(['true', 'false'])}"
    if kind == "integer":
        return f"{name}={rng.choice([0, 1, 2, 3, 5, 8, 10, rank])}"
    if kind == "list of integers":
        count = int(rng.integers(0, rank + 1))
        dims = sorted(rng.permutation(rank)[:count].tolist())
        return f"{name}={{{','.join(map(str, dims))}}}"
    return "" if attribute["presence"] != "required" else None


def propose(rng, op, name):
    """One program of the op at an element type, which Axle may or may not accept."""
    dims = values.shape(rng)
    operands = op["operands"]
    count = len(operands)
    if any(o["variadic"] for o in operands):
        count += int(rng.integers(0, 3))
    types = [name] * count
    pattern = int(rng.integers(0, 8)) if count > 1 else 0
    if pattern == 1:
        types[0] = "pred"
    elif pattern == 2:
        types[-1] = same_width_unsigned(name)
    elif pattern == 3:
        types[-1] = str(rng.choice(list(TYPES)))
    shapes = [dims] * count
    if count > 1 and rng.random() < 0.3:
        shapes = [dims if rng.random() < 0.5 else [] for _ in range(count)]
    attributes = [attribute_text(rng, a, len(dims)) for a in op["attributes"]]
    if None in attributes:
        return None
    result = ""
    if op["declared_shape"]:
        result_type = str(rng.choice([name, *TYPES]))
        result = Parameter(result_type, dims).text
    return Program(
        op["name"],
        name,
        [Parameter(t, d) for t, d in zip(types, shapes)],
        ", ".join(a for a in attributes if a),
        result,
    )
