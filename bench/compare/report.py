"""What people read of a comparison: the table, and the chart."""

import html
import math

from . import stats
from .programs import FAMILIES

COLUMNS = (
    "program",
    "T",
    "numerics",
    "axle ms",
    "xla ms",
    "ratio",
    "axle min",
    "xla min",
    "compile ms",
    "xla",
    "MB",
    "xla",
    "error",
    "xla",
    "of limit",
    "remarks",
)


def number(value, digits=3):
    if value is None:
        return ""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(decimals, 5)}f}"


def _error(value):
    return "" if value is None else "0" if value == 0 else f"{value:.1e}"


def ratio_text(row):
    ratio = row.get("ratio")
    return "" if not ratio else f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"


def _where(row):
    """"; loop add, multiply 93 % at 41 % of the roofline": the steps that take most of a run's time."""
    profile = row.get("profile")
    if not profile:
        return ""
    parts = []
    for step in profile["steps"]:
        if step["share"] and step["share"] >= 0.1:
            roofline = f" at {step['roofline'] * 100:.0f} % of the roofline" if step["roofline"] is not None else ""
            parts.append(f"{step['step']} {step['share'] * 100:.0f} %{roofline}")
    if profile["outside_share"] >= 0.1:
        parts.append(f"outside of steps {profile['outside_share'] * 100:.0f} %")
    return "; " + ", ".join(parts)


def _cells(row):
    share = row.get("limit_share")
    return (
        row["id"] + ("*" if row["headline"] else ""),
        str(row["threads"]),
        row["numerics"],
        number(row.get("axle_ms")),
        number(row.get("xla_ms")),
        ratio_text(row),
        number(row.get("axle_min_ms")),
        number(row.get("xla_min_ms")),
        number(row.get("axle_compile_ms")),
        number(row.get("xla_compile_ms")),
        number(row.get("peak_rss_mb")),
        number(row.get("xla_peak_rss_mb")),
        _error(row.get("max_error")),
        _error(row.get("xla_max_error")),
        "" if share is None else f"{share:.0%}",
        "; ".join(row["remarks"]),
    )


def aligned(lines, left):
    """Lines of a Markdown table, the first one its head; `left` has the numbers of the columns that are aligned left."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]

    def row(cells):
        padded = [c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 1) + ("-" if i in left else ":") for i, w in enumerate(widths)) + "|"
    return [row(lines[0]), rule, *map(row, lines[1:])]


def scored(rows, headline, keep_noisy):
    """The rows that count."""
    return [
        row
        for row in rows
        if row["headline"] >= headline and (keep_noisy or not row.get("noisy")) and not row["compile_only"]
    ]


def table(result, keep_noisy=False):
    """Markdown: what was measured, a table of all rows, geometric means, and the rows where XLA is faster."""
    rows = result["rows"]
    lines = ["| | |", "|---|---|"]
    machine, versions = result["machine"], result["versions"]
    lines += [
        f"| {what} | {text} |"
        for what, text in (
            ("date, commit", f"{result['date']}, {result['commit']}"),
            (
                "machine",
                f"{machine.get('Model name', '?')}, {machine.get('CPU(s)', '?')} CPUs, {machine.get('kernel', '')}",
            ),
            (
                "versions",
                ", ".join(f"{name} {version}" for name, version in versions.items() if name != "axle_library"),
            ),
            ("Axle's engine", result["engine"]),
            (
                "limits measured in this run",
                "; ".join(f"{t} threads: {_limits_text(l)}" for t, l in result["limits"].items())
                or "none (no bench_limits)",
            ),
        )
    ]
    lines += ["", *aligned([COLUMNS, *map(_cells, rows)], (0, 2, len(COLUMNS) - 1)), ""]
    lines.append(
        "Ratio = time of XLA / time of Axle, each the 20th percentile of its samples in this run; * = headline set."
    )
    for headline, name in ((True, "headline set"), (False, "all programs")):
        for (threads, numerics), part in configurations(scored(rows, headline, keep_noisy)).items():
            means = stats.scores(part)
            if means:
                count = sum(1 for row in part if row.get("ratio"))
                text = ", ".join(f"{family} {mean:.2f}x" for family, mean in means.items())
                lines.append(f"Geometric means, {name} ({count} rows), {threads} threads, {numerics}: {text}")
    lines += ["", *compile_lines(rows)]
    slower = [row for row in rows if row.get("ratio") and row["ratio"] < 1]
    lines += ["", f"Below 1.00x: {len(slower)} of {sum(1 for row in rows if row.get('ratio'))} rows"]
    lines += [
        f"* {row['id']}, {row['threads']} threads, {row['numerics']}: {ratio_text(row)}{_where(row)}"
        for row in sorted(slower, key=lambda r: r["ratio"])
    ]
    missing = [row for row in rows if row.get("reason")]
    if missing:
        lines += ["", f"Without a ratio: {len(missing)} rows"]
        lines += [f"* {row['id']}, {row['threads']} threads, {row['numerics']}: {row['reason']}" for row in missing]
    return "\n".join(lines) + "\n"


def compile_lines(rows):
    """How compilation compares, in time and in memory."""
    lines = []
    for (threads, numerics), part in configurations(rows).items():
        both = [row for row in part if row.get("axle_compile_ms") and row.get("xla_compile_ms")]
        long = [row["xla_compile_ms"] / row["axle_compile_ms"] for row in both if row["xla_compile_ms"] > 10]
        text = f"Compilation, {threads} threads, {numerics}: XLA's time / Axle's "
        if long:
            mean = stats.geometric_mean(long)
            text += f"{mean:.1f}x where XLA needs more than 10 ms ({len(long)} rows, geometric mean); "
        slow = [row["id"] for row in both if row["axle_compile_ms"] > row["xla_compile_ms"]]
        text += f"Axle is slower on {len(slow)} of {len(both)}{': ' if slow else ''}{', '.join(slow)}"
        # Below a few MiB the figures are those of the allocator.
        memory = [
            row["xla_compile_peak_mb"] / max(row["axle_compile_peak_mb"], 0.1)
            for row in both
            if row.get("xla_compile_peak_mb", 0) > 4
        ]
        if memory:
            mean = stats.geometric_mean(memory)
            text += f"; peak memory, XLA's / Axle's {mean:.1f}x where XLA takes more than 4 MiB ({len(memory)} rows)"
        lines.append(text)
    return lines


def _limits_text(limits):
    copies = ", ".join(f"{int(size) // 1024} KiB {rate:.0f}" for size, rate in limits["copy_gbps"].items())
    peaks = ", ".join(f"{name} {rate:.0f}" for name, rate in limits["gflops"].items())
    return f"copies of arrays of {copies} GB/s; {peaks} Gop/s"


def configurations(rows):
    parts = {}
    for row in rows:
        parts.setdefault((row["threads"], row["numerics"]), []).append(row)
    return parts


def chart(result, keep_noisy=False, families=FAMILIES, title=None):
    """SVG: for each family a bar per program, on a logarithmic scale, and the geometric means as lines."""
    title = title or (
        f"Time of XLA:CPU / time of Axle ({result['engine']}), {result['date']}, {result['commit']}; "
        "right of 1: Axle is faster"
    )
    rows = [row for row in result["rows"] if row.get("ratio") and (keep_noisy or not row.get("noisy"))]
    step, label, width = 14, 190, 560
    low, high = (f(([math.log2(row["ratio"]) for row in rows] or [0]) + [edge]) for f, edge in ((min, -1), (max, 1)))
    low, high = math.floor(low), math.ceil(high)

    def x(ratio):
        return label + width * (math.log2(ratio) - low) / (high - low)

    y, parts = 26, []

    def text(at, content, size=10, anchor="start", weight="normal"):
        parts.append(
            f'<text x="{at:.1f}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{html.escape(content)}</text>"
        )

    text(8, title, 12)
    for family, name in families.items():
        own = [row for row in rows if row["family"] == family]
        if not own:
            continue
        y += 2 * step
        mean = stats.geometric_mean(row["ratio"] for row in own)
        label_text = name if family == name else f"{family}: {name}"
        text(8, f"{label_text}, geometric mean {mean:.2f}x", 12, weight="bold")
        top = y + 5
        for row in own:
            y += step
            text(label - 6, f"{row['id']} {row['threads']}T {row['numerics']}".rstrip(), anchor="end")
            begin, end = sorted((x(1), x(row["ratio"])))
            colour = "#2a7f62" if row["ratio"] >= 1 else "#b3412f"
            parts.append(
                f'<rect x="{begin:.1f}" y="{y - 9}" width="{max(end - begin, 0.5):.1f}" height="10" fill="{colour}"/>'
            )
            text(label + width + 6, ratio_text(row))
        for ratio, style in ((1, 'stroke="#333"'), (mean, 'stroke="#225ea8" stroke-dasharray="3 2"')):
            parts.append(f'<line x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{top}" y2="{y + 3}" {style}/>')
    height = y + 2 * step
    size = f'width="{label + width + 60}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    return "\n".join([head, f'<rect width="100%" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"
