"""What people read of a comparison with peers: the rows, the table, and the chart."""

import math

from compare import report, stats

from .rows import missing, ROWS

NAMES = {"axle": "Axle", "numpy": "NumPy, SciPy", "eager": "PyTorch", "compiled": "torch.compile", "onnx": "ONNX Runtime"}
MIN_RATIO = 0.95  # a row below it is behind


def other_types(got, want):
    """Says which result has another kind or width of floating point number than Axle's, or ""."""
    for number, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype and not (a.dtype.kind in "biu" and b.dtype.kind in "biu"):
            return f"result {number} has type {a.dtype}, not {b.dtype}"
    return ""


def row(program, category, threads, times, problems, noisy):
    """A row of the result.

    times     {side: seconds per call of each sample}
    problems  {side: why it has no time}
    """
    ms = {name: stats.p20(samples) * 1e3 for name, samples in times.items()}
    peers = {name: value for name, value in ms.items() if name != "axle"}
    best = min(peers, key=peers.get, default=None)
    remarks = [f"{NAMES[name]}: {problem}" for name, problem in problems.items()]
    result = {
        "id": program.id,
        "family": category,
        "threads": threads,
        "numerics": "",
        "ms": ms,
        "min_ms": {name: min(samples) * 1e3 for name, samples in times.items()},
        "best": best,
        "problems": problems,
        "missing": {name: why for name in NAMES if (why := missing(name, program.id))},
        "remarks": remarks,
    }
    if best and "axle" in ms:
        result["ratio"] = peers[best] / ms["axle"]
    if noisy:
        result["noisy"] = noisy
        remarks.append(noisy)
    return result


def behind(rows):
    """Rows in which the best peer is faster by more than 5 %, the slowest first."""
    return sorted((r for r in rows if r.get("ratio") and r["ratio"] < MIN_RATIO), key=lambda r: r["ratio"])


def table(result):
    """Markdown: what was measured, a table of all rows, geometric means, and the rows that are behind."""
    rows, peers = result["rows"], result["peers"]
    machine = result["machine"]
    lines = [
        "| | |",
        "|---|---|",
        f"| date, commit | {result['date']}, {result['commit']} |",
        f"| machine | {machine.get('Model name', '?')}, {machine.get('CPU(s)', '?')} CPUs, {machine.get('kernel', '')} |",
        "| versions | " + ", ".join(f"{n} {v}" for n, v in result["versions"].items() if n != "axle_library") + " |",
        f"| threads, Axle's numerics | {result['threads']}, {result['numerics']} |",
        f"| a call of Axle that adds two numbers | {result.get('call_us', math.nan):.1f} us |",
        "",
    ]
    head = ("row", "axle ms", *(NAMES[p] for p in peers), "best peer", "ratio", "remarks")
    cells = []
    for r in rows:
        values = [report.number(r["ms"].get(name)) or "–" for name in ("axle", *peers)]
        best = NAMES[r["best"]] if r["best"] else ""
        cells.append((r["id"], *values, best, report.ratio_text(r), "; ".join(r["remarks"])))
    lines += [*report.aligned([head, *cells], (0, len(head) - 3, len(head) - 1)), ""]
    lines.append("Ratio = time of the best peer / time of Axle, each the 20th percentile of its samples; – = not expressible.")
    counted = [r for r in rows if not r.get("noisy")]
    means = stats.scores(counted)
    if means:
        lines.append("Geometric means of the ratios: " + ", ".join(f"{name} {mean:.2f}x" for name, mean in means.items()))
    for peer in peers:
        ratios = [r["ms"][peer] / r["ms"]["axle"] for r in counted if peer in r["ms"] and "axle" in r["ms"]]
        if ratios:
            mean = stats.geometric_mean(ratios)
            lines.append(f"{NAMES[peer]}: {mean:.2f} times Axle's time in the geometric mean of {len(ratios)} rows")
    late = behind(rows)
    with_ratio = sum(1 for r in rows if r.get("ratio"))
    lines += ["", f"Behind the best peer by more than 5 %: {len(late)} of {with_ratio} rows"]
    lines += [f"* {r['id']}: {report.ratio_text(r)}, {NAMES[r['best']]}" for r in late]
    wrong = [r for r in rows if r["problems"]]
    if wrong:
        lines += ["", f"A side failed or had another result: {len(wrong)} rows"]
        lines += [f"* {r['id']}: {'; '.join(f'{NAMES[n]}: {p}' for n, p in r['problems'].items())}" for r in wrong]
    return "\n".join(lines) + "\n"


def chart(result):
    """SVG: a bar per row, right of 1 if Axle is faster than the best peer."""
    title = f"Time of the best peer / time of Axle, {result['date']}, {result['commit']}; right of 1: Axle is faster"
    return report.chart(result, True, {name: name for name in ROWS}, title)
