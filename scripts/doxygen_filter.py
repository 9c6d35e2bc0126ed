#!/usr/bin/env python3
"""A public header as doxygen reads it, of which docs/Doxyfile makes web pages: scripts/doxygen_filter.py HEADER

Our comments are plain: those before a declaration become ///, those behind one ///<, the head of a file its
description; what is set in by more than a space is shown as it stands. A function whose row has one comment
(scripts/check_contracts.py) gets a copy of it. The opcode list, which doxygen does not follow, becomes the
functions that it makes.
"""
import pathlib
import re
import sys

import check_contracts

OPCODES = '#include "axle/ir/opcodes.def"'
# For each line, in this order.
RULES = [
    (r" *// ?(NOLINT|clang-format).*", ""),
    (r"^( *)//( |$)", r"\1///\2"),
    (r"^( *///|^ \*)   ", r"\1      "),
    (r"^( *)/\* ", r"\1/** "),
    (r"([^ /]) +// ", r"\1 ///< "),
    (r"(;) +/\* ", r"\1 /**< "),
]


def with_row_comments(text):
    lines = text.split("\n")
    for line, comment in reversed(check_contracts.Header(text).of_row):
        indent = re.match(" *", lines[line - 1]).group()
        lines[line - 1:line - 1] = [indent + lines[n - 1].strip() for n in comment]
    return "\n".join(lines)


def with_opcodes(text):
    """The declarations that the macros UNARY and BINARY make of the opcode list, in a row."""
    made = []
    opcodes = (check_contracts.ROOT / "axle/ir/opcodes.def").read_text()
    for kind, function in re.findall(r"^(UNARY|BINARY)\(\w+, (\w+)\)", opcodes, re.M):
        body = re.search(rf"#define {kind}\(name, function\)((?:[^\n]*\\\n)*[^\n]*)", text).group(1)
        made.append(" ".join(body.replace("\\", "").split()).replace("function", function))
    text = re.sub(r"^#(define|undef) (OP|UNARY|BINARY)\b(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)
    return text.replace(OPCODES, "\n".join(made))


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    if OPCODES in text and "#define UNARY" in text:
        text = with_opcodes(text)
    text = with_row_comments(text)
    text = re.sub(r"\A// ", "/// \\\\file\n/// ", text)
    text = re.sub(r"\A/\* ", "/** \\\\file\n * ", text)
    for line in text.split("\n"):
        for rule, by in RULES:
            line = re.sub(rule, by, line)
        print(line)


if __name__ == "__main__":
    main()
