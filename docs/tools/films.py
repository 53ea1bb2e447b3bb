"""The films of the pages, written into docs/images: python docs/tools/films.py"""

from __future__ import annotations

from pathlib import Path

import pliant as pl
from pliant_gallery import four_bar, leg
from pliant_gallery.leg.stages import pretension, release

IMAGES = Path(__file__).parents[1] / "images"


def main() -> None:
    """A four-bar with a flexible coupler, and the leg that is bent and let go."""
    bar = pl.transient(pl.compile(four_bar.model(coupler="flexible"), elements=6), end_time=1.0, step=2e-3)
    pl.animate(bar, IMAGES / "four-bar.gif", fps=15, speed=0.5, traces="coupler/tip", ghost=True)
    held, free = (pl.compile(leg.model(hold=hold), elements=pl.Exact(6, order=2)) for hold in ("q3", None))
    fall = release(free, pretension(held).rest, end_time=0.8)
    pl.animate(fall, IMAGES / "leg-release.gif", fps=15, speed=0.4, ghost=True)


if __name__ == "__main__":
    main()
