"""Panels of figures in our colours, and a folder to save them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pliant.results.drawing import canvas

GREY = "#999999"


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> list[Any]:
    """Return new axes, row by row; size in inches, options of `plt.subplots`."""
    return list(canvas.panels(rows, columns, size, **options).flat)


def save(drawings: Mapping[str, Callable[[], None]], out: Path, prefix: str = "") -> list[Path]:
    """Draw every figure into a folder, as ``<prefix><name>.png``."""
    import matplotlib.pyplot as plt

    files = []
    for name, draw in drawings.items():
        draw()
        files.append(out / f"{prefix}{name}.png")
        plt.gcf().savefig(files[-1], dpi=90)
        plt.close()
    return files
