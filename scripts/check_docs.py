#!/usr/bin/env python3
"""Holds the pages of the repository to four rules; prints what breaks them and exits with 1.

A relative link leads to a file of the repository. A cell of a table has at most 40 words. The index
docs/README.md links to every page of docs/. The tables of docs/explain.md name every kind of region.
Pages of docs/ops are generated and not checked."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_WORDS = 40
KINDS = "axle/runtime/region_kinds.def"


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


def main():
    docs = ROOT / "docs"
    pages = [*sorted(ROOT.glob("*.md")), *sorted(docs.glob("*.md")), *sorted(docs.glob("adr/*.md"))]
    found = [f"{page.relative_to(ROOT)}: {problem}" for page in pages for problem in problems(page)]
    index = (docs / "README.md").read_text(encoding="utf-8")
    for page in sorted(docs.glob("*.md")):
        if page.name != "README.md" and f"]({page.name})" not in index:
            found.append(f"docs/README.md: has no link to {page.name}")
    kinds = re.findall(r'^REGION_KIND\(\w+, "([^"]*)"', (ROOT / KINDS).read_text(encoding="utf-8"), re.MULTILINE)
    first_cells = re.findall(r"^\|([^|]*)\|", (docs / "explain.md").read_text(encoding="utf-8"), re.MULTILINE)
    for kind in kinds:
        if not any(f"`{kind}`" in cell for cell in first_cells):
            found.append(f'docs/explain.md: no table names the kind of region "{kind}" ({KINDS})')
    print("\n".join(found) or f"docs: {len(pages)} pages ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
