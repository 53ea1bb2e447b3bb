"""What the figures share: panels in our colours, and a folder to save them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pliant as pl

GREY = "#999999"


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> list[Any]:
    """Axes with a light grid; size in inches, options of `plt.subplots`."""
    import matplotlib.pyplot as plt

    grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **options)[1]
    for ax in grid.flat:
        ax.set_prop_cycle(color=pl.plots.COLOURS)
        ax.grid(color="#dddddd", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    return list(grid.flat)


def save(drawings: Mapping[str, Callable[[], None]], out: Path) -> list[Path]:
    """Draw every figure into a folder, as ``<name>.png``."""
    import matplotlib.pyplot as plt

    files = []
    for name, draw in drawings.items():
        draw()
        files.append(out / f"{name}.png")
        plt.gcf().savefig(files[-1], dpi=90)
        plt.close()
    return files
