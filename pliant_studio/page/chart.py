"""Charts on the studio's page: axes to draw in, and their picture."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.results.drawing.canvas import FAINT

if TYPE_CHECKING:
    from pliant_studio.session.mechanism import Reading, Slider


def words(quantity: Slider | Reading) -> str:
    """Return the label of an axis."""
    return f"{quantity.label} [{quantity.unit}]" if quantity.unit else quantity.label


def paper(along: Slider, up: Reading) -> Any:
    """Return axes to draw in."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.6), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_xlabel(words(along), parse_math=False)
    ax.set_ylabel(words(up), parse_math=False)
    return ax


def picture(ax: Any) -> np.ndarray:
    """Return the picture as (height, width, 3) bytes."""
    from PIL import Image

    page = io.BytesIO()
    ax.figure.savefig(page, format="png")
    return np.asarray(Image.open(page).convert("RGB"))
