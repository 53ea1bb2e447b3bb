"""Auto: a mesh chosen by its permitted error."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from pliant.elements._options import check_count, check_finite
from pliant.errors import OptionError

FINEST = 1e-10  # of a frequency: below, rounding errors dominate


@dataclass(frozen=True)
class Auto:
    """The smallest number of `Exact` elements that gives the first modes of the assembled mechanism accurately.

    accuracy  largest relative error of their frequencies
    modes     number of modes that have to be accurate. Deflections with as many half waves are resolved equally well,
              also if the mechanism bends far; `estimate` computes their error
    order     of the elements

    The longest beam has the number of elements that `compile` finds, shorter ones fewer in proportion; the settings of
    the system list them.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL)))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    >>> pl.compile(m, elements=pl.Auto(accuracy=1e-3, modes=3)).settings["elements"]
    {'beam': "Exact(elements=4, order=3, mass='consistent')"}
    """

    _: KW_ONLY
    accuracy: float = 1e-4
    modes: int = 6
    order: int = 3

    def __post_init__(self) -> None:
        check_count("Auto", "modes", self.modes, largest=100)
        check_count("Auto", "order", self.order, largest=16)
        check_finite("Auto", "accuracy", self.accuracy)
        if not FINEST <= self.accuracy < 1.0:
            raise OptionError(f"Auto: accuracy is {self.accuracy!r}; it must be at least {FINEST:g} and less than 1.")
