"""The verification manual: what `pliant validate --json` printed last, a page a case with its table and its margins.

`make manual` (``rows.py``) runs cases and keeps what they print in ``docs/verification/rows.jsonl``; a test compares
the kept cases with those that exist.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from made import Made, picture

from pliant_testing.validation import CASES, KINDS

PAGE = """# {name}

{summary}

**Source.** {source}

**Run it.** `pliant validate {name}` ({seconds:.2g} s when these pages were made, with compiled kernels)

{figures}

| | unit | reference | from | computed | error | tolerance | |
|---|---|---:|---|---:|---:|---:|---|
{rows}

[What the kinds of references mean.](index.md#where-the-references-come-from)

![margins]({name}-margins.png)

How much of its tolerance every error takes; left is better, and all must lie left of the line.
"""
INDEX = """# Verification manual

{count} cases, {rows} comparisons. Made from what `pliant validate --json` printed; run it to make the same tables on
your machine. How the rows are judged is on [Verification](../verification.md).

## Where the references come from

| Kind | In tables | What it is | Comparisons |
|---|---|---|---:|
{kinds}

pliant computed no part of the references of {outside} comparisons, the first four kinds.

## Cases

| Case | Source | Shows | Comparisons | Largest share of a tolerance |
|---|---|---|---:|---:|
{table}
"""


def manual_pages(folder: Path) -> Iterator[Made]:
    """A page a case, and an index."""
    kept = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    pictures = tomllib.loads((folder / "pictures.toml").read_text(encoding="utf-8"))
    table = []
    for case in sorted(kept, key=lambda case: str(case["case"])):
        name, rows = case["case"], case["rows"]
        yield picture(f"verification/{name}-margins.png", margins(rows), dpi=80)
        plt.close("all")
        yield Made(f"verification/{name}.md", page(case, pictures.get(name, [])))
        shows = f"{case['source']} | {CASES.get(name).summary}"
        table.append(f"| [{name}]({name}.md) | {shows} | {len(rows)} | {max(map(share, rows)):.2g} |")
    every = [row for case in kept for row in case["rows"]]
    outside = sum(row["kind"] not in ("other formulation", "itself") for row in every)
    numbers = {"count": len(kept), "rows": len(every), "outside": outside}
    yield Made("verification/index.md", INDEX.format(**numbers, kinds=kinds(every), table="\n".join(table)))


def kinds(rows: list[dict[str, Any]]) -> str:
    """A line for every kind of reference, with the number of its rows."""
    counts = Counter(row["kind"] for row in rows)
    return "\n".join(f"| {kind} | {mark} | {meaning} | {counts[kind]} |" for kind, (mark, meaning) in KINDS.items())


def page(case: dict[str, Any], pictures: list[str]) -> str:
    """One case in words, pictures and numbers."""
    lines = []
    for row in case["rows"]:
        reference = f"{row['reference']:.7g} | {row['kind']}"
        numbers = f"{row['computed']:.7g} | {row['error']:.2g} | {row['tolerance']:.2g}"
        lines.append(
            f"| {row['quantity']} | {row['unit']} | {reference} | {numbers} | {'ok' if row['ok'] else 'off'} |"
        )
    return PAGE.format(
        name=case["case"],
        summary=CASES.get(case["case"]).summary,
        source=case["source"],
        seconds=case["seconds"],
        figures="\n\n".join(f"![{Path(image).stem}](../images/{image})" for image in pictures),
        rows="\n".join(lines),
    )


def share(row: dict[str, Any]) -> float:
    """Error over tolerance; what must be exact takes none of it, or all that there is."""
    if row["tolerance"]:
        return float(row["error"] / row["tolerance"])
    return math.inf if row["error"] else 0.0


def margins(rows: list[dict[str, Any]]) -> plt.Figure:
    """Shares of the tolerances on a logarithmic axis."""
    shares = [max(share(row), 1e-8) for row in rows]
    figure, ax = plt.subplots(figsize=(7.0, 0.8 + 0.2 * len(rows)), layout="constrained")
    ax.scatter(shares, range(len(rows)), color=["#0072b2" if row["ok"] else "#d55e00" for row in rows], s=18)
    ax.axvline(1.0, color="#999999", linewidth=1.0)
    ax.set(
        xscale="log", xlim=(5e-9, 5.0), xlabel="error / tolerance (1e-8: that or less)", ylim=(len(rows) - 0.4, -0.6)
    )
    ax.set_yticks(range(len(rows)), [row["quantity"] for row in rows], fontsize=7)
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
