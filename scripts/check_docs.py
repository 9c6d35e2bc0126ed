#!/usr/bin/env python3
"""Holds the pages of the repository to five rules; prints what breaks them and exits with 1.

A relative link leads to a file of the repository. A cell of a table has at most 40 words. The index
docs/README.md links to every page of docs/. The table of kinds in docs/explain.md is the list
axle/runtime/region_kinds.def; --update writes it. The table of functions in docs/pjrt.md has the functions, minor
versions and states of axle/pjrt/functions.def. Pages of docs/ops are generated and not checked."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_WORDS = 40
KINDS = "axle/runtime/region_kinds.def"
FUNCTIONS = "axle/pjrt/functions.def"
STATES = {
    "OF": "implemented", "FREE": "implemented", "VOID": "implemented", "REFUSED": "UNIMPLEMENTED", "ABSENT": "null"
}
BEGIN = "<!-- made by scripts/check_docs.py --update: begin -->"
END = "<!-- end -->"


def problems(page):
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        target = link.partition("#")[0]
        if target and not target.startswith(("http:", "https:")) and not (page.parent / target).exists():
            yield f"the link {link} leads nowhere"
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|"):
            longest = max(len(cell.split()) for cell in line.strip().strip("|").split("|"))
            if longest > MAX_WORDS:
                yield f"line {number}: a cell has {longest} words, more than {MAX_WORDS}"


def with_kinds(page):
    """The page with the table of kinds as the list has it."""
    rows = re.findall(
        r'^(?:REGION_KIND\(\w+, |FOLD_FORM\()"([^"]*)", "([^"]*)"\)', (ROOT / KINDS).read_text(encoding="utf-8"), re.MULTILINE
    )
    table = "".join(f"| `{name}` | {what} |\n" for name, what in rows)
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n| kind | what is in it |\n|---|---|\n{table}{page[end:]}"


def wrong_functions(page):
    """The first difference between the table of functions in the page and the list."""
    entries = re.findall(
        r"^AXLE_PJRT_(OF|FREE|VOID|REFUSED|ABSENT)\((\w+), (\d+)", (ROOT / FUNCTIONS).read_text(encoding="utf-8"), re.MULTILINE
    )
    expected = [(name, since, STATES[kind]) for kind, name, since in entries]
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\w+) \| [^|]+ \|$", page, re.MULTILINE)
    if rows == expected:
        return None
    row, entry = next((pair for pair in zip(rows, expected) if pair[0] != pair[1]), (len(rows), len(expected)))
    return f"the table of functions is not {FUNCTIONS}: {row} instead of {entry}"


def main():
    docs = ROOT / "docs"
    explain = docs / "explain.md"
    if "--update" in sys.argv[1:]:
        explain.write_text(with_kinds(explain.read_text(encoding="utf-8")), encoding="utf-8")
    pages = [*sorted(ROOT.glob("*.md")), *sorted(docs.glob("*.md")), *sorted(docs.glob("adr/*.md"))]
    found = [f"{page.relative_to(ROOT)}: {problem}" for page in pages for problem in problems(page)]
    index = (docs / "README.md").read_text(encoding="utf-8")
    for page in sorted(docs.glob("*.md")):
        if page.name != "README.md" and f"]({page.name})" not in index:
            found.append(f"docs/README.md: has no link to {page.name}")
    if with_kinds(explain.read_text(encoding="utf-8")) != explain.read_text(encoding="utf-8"):
        found.append(f"docs/explain.md: its table is not {KINDS}: run scripts/check_docs.py --update")
    if wrong := wrong_functions((docs / "pjrt.md").read_text(encoding="utf-8")):
        found.append(f"docs/pjrt.md: {wrong}")
    print("\n".join(found) or f"docs: {len(pages)} pages ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
