#!/usr/bin/env python3
"""Every function that the public headers declare has a comment; prints those that have none, exits 1.

The public headers are the INPUT of docs/Doxyfile. A comment stands directly above the declaration or behind it,
or above one that it is in a row with, no blank line between; the head of a class begins a row. Constructors and
operators count. What is private, deleted, defaulted or a destructor does not.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
NO_DESCRIPTION = re.compile(r"//\s*(clang-format|NOLINT)")
NO_FUNCTION = re.compile(r"(using|typedef|static_assert|friend|enum)\b")
NEEDS_NONE = re.compile(r"(virtual\s+)?~|.*=\s*(delete|default)$", re.S)


def public_headers():
    doxyfile = (ROOT / "docs/Doxyfile").read_text().replace("\\\n", " ")
    for name in re.search(r"^INPUT\s*=(.*)$", doxyfile, re.M).group(1).split():
        path = ROOT / name
        if path.is_dir():
            yield from sorted(path.glob("*.h"))
        elif path.suffix == ".h":
            yield path


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def function_name(declaration):
    """The name of the function that is declared, or None."""
    text = " ".join(re.sub(r"\[\[.*?\]\]", "", declaration).split())
    text, count = text.replace("->", ""), 1
    operator = re.search(r"\boperator ?(\(\)|[^\w\s(]+|[\w:]+)", text)
    if operator and not NO_FUNCTION.match(text):
        return operator.group()
    while count:
        text, count = re.subn(r"<[^<>]*>", "", text)
    text = re.sub(r"^template (requires .*?\} ?)?", "", text)
    name = re.search(r"([\w:~]+) ?\((?!\*)", text)
    if name is None or NO_FUNCTION.match(text) or "=" in text[:name.start()]:
        return None
    return name.group(1)


class Header:
    def __init__(self, text):
        self.described, self.ignored, self.missing = set(), set(), []
        self.of_row = []  # (line of a function without a comment of its own, the lines of its row's comment)
        for match in TOKEN.finditer(text):
            if match.group().startswith(("//", "/*")):
                first = text.count("\n", 0, match.start()) + 1
                into = self.ignored if NO_DESCRIPTION.match(match.group()) else self.described
                into.update(range(first, first + match.group().count("\n") + 1))
        code = TOKEN.sub(blanked, text)
        for match in PREPROCESSOR.finditer(code):
            first = code.count("\n", 0, match.start()) + 1
            self.ignored.update(range(first, first + match.group().count("\n") + 1))
        self.code = PREPROCESSOR.sub(blanked, code)
        self.bare = {n for n, line in enumerate(self.code.split("\n"), 1) if not line.strip()}
        self.row_end, self.row_described, self.row_comment = 0, False, range(0)
        self.read()

    def line(self, position):
        return self.code.count("\n", 0, position) + 1

    def close_of(self, position):
        """The position of the brace that closes the one here."""
        depth = 0
        for i in range(position, len(self.code)):
            depth += (self.code[i] == "{") - (self.code[i] == "}")
            if depth == 0:
                return i
        raise ValueError(f"line {self.line(position)}: no end of the braces")

    def is_described(self, start, head_end):
        """Whether a declaration has a comment; makes it the last one of its row."""
        first, last = self.line(start), self.line(head_end)
        above = first - 1
        while above in self.ignored and above in self.bare:
            above -= 1
        top = above
        while top in self.described and top in self.bare:
            top -= 1
        self.own = top < above or any(n in self.described for n in range(first, last + 1))
        if top < above or self.row_end != above:
            self.row_comment = range(top + 1, above + 1)
        self.row_described = self.own or (self.row_end == above and self.row_described)
        return self.row_described

    def read(self):
        scopes = []  # of each namespace and class around: whether it is private here
        start, depth, i = None, 0, 0
        while i < len(self.code):
            c = self.code[i]
            if start is None and not c.isspace() and c not in ";}":
                start = i
            depth += (c in "([") - (c in ")]")
            declaration = self.code[start:i].strip() if start is not None else ""
            if depth > 0 or c not in ":;{}":
                pass
            elif c == ":" and declaration in ("public", "protected", "private"):
                scopes[-1] = declaration == "private"
                if self.row_end != self.line(i) - 1:
                    self.row_described = False
                self.row_end, start = self.line(i), None
            elif c == ";":
                if declaration:
                    self.declare(declaration, start, i, scopes)
                    self.row_end = self.line(i)
                start = None
            elif c == "}":
                scopes.pop()
                self.row_end, start = 0, None
            elif c == "{":
                bare = re.sub(r"\[\[.*?\]\]|^template\s*<.*?>\s*(?=class|struct)", "", declaration, flags=re.S).strip()
                kind = re.match(r"(typedef\s+)?(inline\s+)?(namespace|extern|class|struct|union)\b", bare)
                if kind and "(" not in bare and "=" not in bare:
                    self.is_described(start, i)
                    self.row_end = self.line(i)
                    scopes.append(False)
                    start = None
                else:  # a body, or a list of values
                    end = self.close_of(i)
                    follows = self.code[end + 1:].lstrip()[:1]
                    is_body = function_name(declaration) and follows not in ",{" and not re.search(
                        r"\brequires\s*\([^()]*\)$", declaration)
                    if is_body:
                        self.declare(declaration, start, i, scopes)
                        self.row_end, start = self.line(end), None
                    i = end
            i += 1

    def declare(self, declaration, start, head_end, scopes):
        described = self.is_described(start, head_end)
        name = function_name(declaration)
        if name is None or any(scopes) or NEEDS_NONE.match(declaration):
            return
        if not described:
            self.missing.append((self.line(start), name))
        elif not self.own:
            self.of_row.append((self.line(start), self.row_comment))


def main():
    missing, count = [], 0
    for path in public_headers():
        count += 1
        for line, name in Header(path.read_text()).missing:
            missing.append(f"{path.relative_to(ROOT)}:{line}: {name} has no comment")
    print("\n".join(missing) or f"contracts: every function of {count} headers has a comment")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
