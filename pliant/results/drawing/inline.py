"""The player inside a notebook, in a frame of its own."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

HEIGHT = 520
"""Of the frame, in pixels."""


@dataclass(frozen=True)
class Inline:
    """A page with a player; the last line of a notebook's cell shows it. `page` is the HTML."""

    page: str = field(repr=False)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="animation" '
            f'style="width:100%; height:{HEIGHT}px; border:1px solid #ddd"></iframe>'
        )
