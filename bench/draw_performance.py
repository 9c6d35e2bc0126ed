#!/usr/bin/env python3
"""Draws docs/performance.svg and docs/breadth.svg from the tables of families in docs/performance.md: a bar for each ratio.

`bench/draw_performance.py --check` writes nothing and exits with 1 if a committed chart is another one.
"""

import html
import math
import os
import sys

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
COLOURS = ["#225ea8", "#d95f0e", "#2a7f62"]
CHARTS = ("performance.svg", "breadth.svg")  # in the order of the tables
BAR, LABEL, WIDTH, LOW, HIGH = 12, 230, 420, -1, 3  # pixels; the scale in powers of two


def family_tables(page):
    """Of each table whose first column is "family": the names of the columns of ratios, up to the one of "programs", and
    for each family its ratios (None where a cell is empty)."""
    lines = page.splitlines()
    for begin, first in enumerate(lines):
        if not first.startswith("| family |"):
            continue
        cells = []
        for line in lines[begin:]:
            if not line.startswith("|"):
                break
            cells.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        head, rows = cells[0], cells[2:]
        end = head.index("programs") if "programs" in head else len(head)
        yield head[1:end], [(row[0], [float(cell) if cell else None for cell in row[1:end]]) for row in rows]


def chart(machines, families):
    def x(ratio):
        return LABEL + WIDTH * (math.log2(ratio) - LOW) / (HIGH - LOW)

    parts = []

    def text(at, y, content, anchor="start"):
        parts.append(f'<text x="{at:.1f}" y="{y}" font-size="11" text-anchor="{anchor}">{html.escape(content)}</text>')

    def bar(begin, y, width, colour):
        parts.append(f'<rect x="{begin:.1f}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colour}"/>')

    text(8, 18, "XLA:CPU's time / Axle's time (logarithmic); right of 1x Axle is faster")
    for i, machine in enumerate(machines):
        bar(8 + 190 * i, 26, 10, COLOURS[i])
        text(24 + 190 * i, 35, machine)
    top = y = 52
    for family, ratios in families:
        measured = [(i, ratio) for i, ratio in enumerate(ratios) if ratio is not None]
        text(LABEL - 8, y + BAR * len(measured) / 2 + 3, family, "end")
        for i, ratio in measured:
            begin, end = sorted((x(1), x(ratio)))
            bar(begin, y, end - begin, COLOURS[i])
            text(end + 4, y + 9, f"{ratio:.2f}x")
            y += BAR
        y += 8
    for power in range(LOW, HIGH + 1):
        at = x(2.0**power)
        colour = "#333" if power == 0 else "#ccc"
        parts.insert(0, f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top - 6}" y2="{y}" stroke="{colour}"/>')
        text(at, y + 14, f"{2.0**power:g}x", "middle")
    width, height = LABEL + WIDTH + 60, y + 24
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"


def main():
    with open(os.path.join(DOCS, "performance.md"), encoding="utf-8") as file:
        tables = list(family_tables(file.read()))
    result = 0
    for name, table in zip(CHARTS, tables, strict=True):
        drawn = chart(*table)
        path = os.path.join(DOCS, name)
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
            continue
        with open(path, encoding="utf-8") as file:
            same = file.read() == drawn
        if not same:
            print(f"docs/{name} is not drawn from docs/performance.md: run bench/draw_performance.py")
            result = 1
    return result


if __name__ == "__main__":
    sys.exit(main())
