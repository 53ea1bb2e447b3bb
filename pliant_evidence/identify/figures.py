"""Pictures of the tutorial *fit the leg to your prototype*: ``python -m pliant_evidence.identify.figures FOLDER``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

BOTH = 2.448  # standard deviations of two numbers together that hold 95 %
PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "fit.md"


def draw(folder: Path) -> list[Path]:
    """Run the tutorial, and keep what it draws."""
    import matplotlib as mpl

    mpl.use("Agg")
    import os

    import pliant as pl

    before = Path.cwd()
    os.chdir(folder)
    try:
        names: dict[str, Any] = {"__name__": "tutorial"}
        for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
            exec(compile(block, str(PAGE), "exec"), names)
    finally:
        os.chdir(before)
    from pliant.results.drawing import canvas

    ax = canvas.axes(None, (7.0, 4.2))
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    for key, words in (("shape_only", "shape alone"), ("stiffness", "with a load cell")):
        found = names[key]
        spread = found.covariance.sel(parameter=["E", "k"], other=["E", "k"]).values
        scale = np.sqrt(np.diag(spread))
        root = np.linalg.cholesky(spread / np.outer(scale, scale)) * scale[:, None]
        circle = BOTH * root @ np.stack([np.cos(turn), np.sin(turn)])
        ax.plot((found.values["E"] + circle[0]) / 1e9, found.values["k"] + circle[1], label=words)
    inset = ax.inset_axes((0.34, 0.6, 0.26, 0.34))
    inset.plot((found.values["E"] + circle[0]) / 1e9, found.values["k"] + circle[1], color=canvas.COLOURS[1])
    inset.plot(112.0, 281.0, "k+")
    inset.tick_params(labelsize=7)
    inset.locator_params(axis="x", nbins=3)
    inset.ticklabel_format(useOffset=False)
    ax.indicate_inset_zoom(inset)
    ax.plot(112.0, 281.0, "k+", markersize=12, label="truth")
    ax.plot(120.0, 269.43, "kx", label="design")
    ax.set_xlabel("E [GPa]")
    ax.set_ylabel("k [N/m]")
    ax.legend(frameon=False)
    path = folder / "fit-ellipses.png"
    drawn: Any = ax.figure
    drawn.savefig(path, dpi=110)
    for name in ("poses.csv", "ring.csv"):
        Path(folder, name).unlink()
    above, below = canvas.pair()
    pl.plot_fit(names["damping"], ax=above)
    pl.plot_residuals(names["damping"], ax=below)
    drawn = above.figure
    drawn.savefig(folder / "fit-ring-down.png", dpi=110)
    return [path, folder / "fit-ring-down.png"]


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
