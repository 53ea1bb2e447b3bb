"""What the builders of pages hand over."""

from __future__ import annotations

import io
from typing import Any, NamedTuple


class Made(NamedTuple):
    """A page or a picture, by its place under docs."""

    place: str
    content: str | bytes


def picture(place: str, figure: Any, *, dpi: int) -> Made:
    """A matplotlib figure as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, bbox_inches="tight")
    return Made(place, buffer.getvalue())
