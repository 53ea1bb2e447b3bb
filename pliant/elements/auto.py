"""Auto: a mesh by the error that it may make."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from pliant.elements._options import check_count, check_finite
from pliant.errors import OptionError

FINEST = 1e-10  # of a frequency: below, rounding decides


@dataclass(frozen=True)
class Auto:
    """As few exact elements as give the first modes of the mechanism, as it is assembled.

    accuracy  largest relative error of their frequencies
    modes     how many have to be right. Shapes with as many half waves are as right, also where the mechanism bends
              far: `estimate` tells by how much
    order     of the elements

    The longest beam has the number that `compile` finds, shorter ones fewer in proportion; what was taken is in the
    settings of the system.

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
