#!/usr/bin/env python3
"""Makes axle/builder/builder_methods.inc and .cc, the methods of XlaBuilder, one for each of its free functions; and
tests/builder/styles_test.cc, which calls each of them in every style, from tests/builder/styles.txt.

    scripts/builder_methods.py            writes the files
    scripts/builder_methods.py --check    fails if they are not what the headers say, or if a function is not
                                          called (a ctest)

and axle/client/builder_calls.inc, which says for each operation what function of the builder makes it.

A method takes the arguments of the function without the builder; what it promises is what the function
promises. docs/adr/2026-11-22-builder-methods.md says why they are made this way.
"""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = ROOT / "axle/builder/builder_methods.inc"
BODIES = ROOT / "axle/builder/builder_methods.cc"
CALLS = ROOT / "tests/builder/styles.txt"
OP_CALLS = ROOT / "axle/client/builder_calls.inc"
TEST = ROOT / "tests/builder/styles_test.cc"
# In the order of the methods.
HEADERS = ["elementwise", "constants", "movement", "reductions", "contractions", "control_flow",
           "library_ops", "collectives", "side_effects", "asynchronous"]
HEAD = """\
// Made by scripts/builder_methods.py from the functions of axle/builder/; not for editing. Part of
// class XlaBuilder: each method is the free function of its name, for operands of this builder.
// clang-format off
"""
BODIES_HEAD = """\
// Made by scripts/builder_methods.py from the functions of axle/builder/; not for editing. The
// bodies of the methods that are no templates; a program that includes xla_builder.h need not
// compile them.
#include "axle/builder/xla_builder.h"

namespace axle {

// clang-format off
"""
OP_CALLS_HEAD = """\
// Made by scripts/builder_methods.py from the functions of axle/builder/; not for editing. The
// functions whose bodies make an instruction of the opcode.
// clang-format off
"""
TEST_HEAD = """\
// Made by scripts/builder_methods.py from styles.txt; not for editing. Every function of the
// builder in each style makes one program.
#include "tests/builder/styles.h"

namespace axle {
namespace {

// clang-format off
"""


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)  # and preprocessor lines


def close_of(text, start):
    """The position behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "([{<"
        depth -= text[i] in ")]}>"
        if depth == 0:
            return i + 1
    raise ValueError(f"no end of: {text[start:start + 80]}")


def split_parameters(text):
    parts, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([{<"
        depth -= c in ")]}>"
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [" ".join(part.split()) for part in parts if part.strip()]


class Function:
    def __init__(self, template, name, parameters):
        self.template = template
        self.name = name
        self.parameters = []  # (type, name, default or "")
        for text in parameters:
            declared, _, default = text.partition(" = ")
            kind, name = declared.rsplit(" ", 1)
            self.parameters.append((kind, name, default))

    def method(self):
        """What stands in the class, and what in the .cc file."""
        takes_builder = self.parameters[0][0] == "XlaBuilder*"
        own = self.parameters[1:] if takes_builder else self.parameters
        declared = ", ".join(f"{kind} {name}" + (f" = {default}" if default else "")
                             for kind, name, default in own)
        argument = {name: name + "..." if kind.endswith("...") else name for kind, name, _ in own}
        arguments = ", ".join((["this"] if takes_builder else []) + list(argument.values()))
        single = [argument[name] for kind, name, _ in own if kind in ("XlaOp", "Rest...")]
        lists = [name for kind, name, _ in own
                 if kind in ("ArraySlice<XlaOp>", "std::initializer_list<XlaOp>")]
        place = "location" if "location" in argument else "std::source_location::current()"
        checks = [f'AreOwn("{self.name}", {what}, {place})'
                  for what in ([f"{{{', '.join(single)}}}"] if single else []) + lists]
        explicit = "<T>" if "typename T" in self.template else ""
        call = f"axle::{self.name}{explicit}({arguments})"
        if lists and not single and not takes_builder:
            call = f'OrNoOperand("{self.name}", {call}, {place})'  # no handle says which builder it is
        body = f"{' && '.join(checks)} ? {call} : XlaOp(this, nullptr)" if checks else call
        if lists and not single and not takes_builder and not checks:
            raise ValueError(self.name)
        if self.template:
            return f"{self.template}XlaOp {self.name}({declared}) {{\n  return {body};\n}}\n", ""
        defined = ", ".join(f"{kind} {name}" for kind, name, _ in own)
        return (f"XlaOp {self.name}({declared});\n",
                f"XlaOp XlaBuilder::{self.name}({defined}) {{\n  return {body};\n}}\n")

    def signature(self):
        """As it is declared, but for the place in the user's source, which nobody writes."""
        shown = ", ".join(f"{kind} {name}" + (f" = {default}" if default else "")
                          for kind, name, default in self.parameters if name != "location")
        return f"XlaOp {self.name}({shown})"

    def key(self):
        return self.name, tuple(kind for kind, _, _ in self.parameters)


def functions_in(text):
    """Each function that gives an XlaOp, as a Function, and the position behind its parameters."""
    for found in re.finditer(r"(template\s*<[^;{}()]*>\s*)?(?<![\w:])XlaOp\s+(\w+)\(", text):
        if found.group(2).startswith("operator"):
            continue
        start = found.end() - 1
        end = close_of(text, start)
        template = " ".join((found.group(1) or "").split())
        yield Function(template + "\n" if template else "", found.group(2),
                       split_parameters(text[start + 1:end - 1])), end


def read_header(name):
    text = without_comments((ROOT / f"axle/builder/{name}.h").read_text())
    return [function for function, _ in functions_in(text)]


def operation_calls(functions):
    """One line for each opcode and function that makes an instruction of it: of its name, or with that opcode and
    no other in its body. A function that only calls others is not the call of an operation."""
    declared = {f.key(): f for f in functions}
    calls = set()
    for opcode, name in re.findall(r"^(?:OP|UNARY|BINARY)\((\w+)(?:, (\w+))?\)",
                                   (ROOT / "axle/ir/opcodes.def").read_text(), flags=re.M):
        calls |= {(opcode, f.signature()) for f in functions if f.name in (opcode, name)}
        calls |= {(opcode, f.signature().replace(" ", " HloInstruction::", 1))
                  for f in read_header("hlo_instruction") if f.name == "Create" + opcode}
    for path in sorted((ROOT / "axle/builder").glob("*.cc")):
        text = without_comments(path.read_text())
        for function, end in functions_in(text):
            if function.key() not in declared or not text[end:].lstrip().startswith("{"):
                continue
            body = text[end:body_end(text, text.index("{", end))]
            made = set(re.findall(r"\bOpcode::k(\w+)", body))
            if len(made) == 1:
                calls.add((made.pop(), declared[function.key()].signature()))
    return OP_CALLS_HEAD + "".join(f'{{Opcode::k{opcode}, "{signature}"}},\n'
                                   for opcode, signature in sorted(calls)) + "// clang-format on\n"


def body_end(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] == "{"
        depth -= text[i] == "}"
        if depth == 0:
            return i + 1
    raise ValueError(f"no end of: {text[start:start + 80]}")


def read_opcodes():
    here = "Location location = std::source_location::current()"
    functions = []
    for kind, function in re.findall(r"^(UNARY|BINARY)\(\w+, (\w+)\)",
                                     (ROOT / "axle/ir/opcodes.def").read_text(), flags=re.M):
        operands = ["XlaOp operand"] if kind == "UNARY" else [
            "XlaOp lhs", "XlaOp rhs", "BroadcastDims broadcast_dimensions = {}"]
        functions.append(Function("", function, operands + [here]))
    return functions


def test_text(functions):
    """A test for each row of styles.txt; the three calls stand on one line, because programs say where."""
    opcodes = {f.name: "x" if len(f.parameters) == 2 else "x, y" for f in read_opcodes()}
    rows = [line for line in CALLS.read_text().splitlines() if line and not line.startswith("#")]
    called = {re.match(r"\w+", row).group() for row in rows}
    rows += [f"{name}({arguments})" for name, arguments in opcodes.items() if name not in called]
    missing = sorted({f.name for f in functions} - called - set(opcodes))
    if missing:
        sys.exit(f"tests/builder/styles.txt has no call of: {', '.join(missing)}")
    out = TEST_HEAD
    members = sorted(set(re.findall(
        r"\b(\w+) =\s+(?:Next|CreateToken|Tuple|Slice|Build|Channel|{\"bf)",
        (ROOT / "tests/builder/styles.h").read_text())))
    count = {}
    for row in sorted(rows):
        call, _, older = (part.strip() for part in row.partition("|"))
        name = re.match(r"\w+", call).group()
        count[name] = count.get(name, 0) + 1
        use = lambda text: re.sub(r'(?<![\w:."])(' + "|".join(members) + r")\b(?![\w(])", r"o.\1", text)
        function = use(call[len(name):])
        method = re.sub(r"^((?:<\w+>)?)\(&b(, )?", r"\1(", function)  # calls among the arguments stay as they are
        older = use(older[len(name):]) if older else method
        operands = "const Operands& o" if "o." in function else "const Operands&"
        lambdas = ", ".join(f"[]({builder}, {operands}) {{ return {text}; }}" for builder, text in (
            ("XlaBuilder& b" if "&b" in function else "XlaBuilder&", name + function),
            ("XlaBuilder& b", f"b.{name}{method}"), ("ComputationBuilder& b", f"b.{name}{older}")))
        out += f"TEST(Styles, {name}{count[name] if count[name] > 1 else ''}) {{\n  ExpectOneProgram({lambdas});\n}}\n"
    return out + "\n}  // namespace\n}  // namespace axle\n"


def main():
    functions = read_opcodes() + [f for name in HEADERS for f in read_header(name)]
    methods = HEAD + "".join(f.method()[0] for f in functions) + "// clang-format on\n"
    bodies = (BODIES_HEAD + "".join(f.method()[1] for f in functions) +
              "// clang-format on\n\n}  // namespace axle\n")
    stale = 0
    for path, text in ((METHODS, methods), (BODIES, bodies), (TEST, test_text(functions)),
                       (OP_CALLS, operation_calls(functions))):
        have = path.read_text() if path.exists() else ""
        if "--check" not in sys.argv:
            path.write_text(text)
        elif have != text:
            stale = 1
            sys.stdout.writelines(list(difflib.unified_diff(
                have.splitlines(True), text.splitlines(True), path.name, "as it must be"))[:40])
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/builder_methods.py")
    return stale


if __name__ == "__main__":
    sys.exit(main())
