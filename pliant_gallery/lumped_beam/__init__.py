"""Free beam to be lumped into 3, 5, 9 or 20 rigid elements (E. J. H. Yap et al. 2022, section 4, table 2).

It is the flexible crank of the crank-slider without its mechanism: height 2.60925 mm, see there.
"""

from __future__ import annotations

import pliant as pl
from pliant_gallery.crank_slider import PAPER


def model(*, section: pl.Section = PAPER.section, length: float = PAPER.crank_length) -> pl.Model:
    """Make the beam without any support.

    section  stiffness and mass per length
    length   m

    >>> model()
    <Model "free beam": 0 rigid bodies, 1 beam, 0 joints, 0 forces>
    """
    m = pl.Model("free beam", plane="xy")
    m.add(pl.Beam("beam", length=length, section=section, angle=0.0, free=True))
    return m
