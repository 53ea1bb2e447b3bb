"""How large a signal is, so that a small change of it is small in any units."""

from __future__ import annotations

from pliant.model.model import Model
from pliant.units import exponents


def units(model: Model, name: str) -> str | None:
    """Units of a signal, as the part that it drives states them; None if they are not known."""
    part, _, quantity = name.rpartition("/")
    known: str | None = model.part(part).own_units.get(quantity)
    return known


def of_force(model: Model, name: str) -> bool:
    """Whether a signal is a force or a moment."""
    return exponents(units(model, name) or "1")[1:] == (-2, 1)


def size(model: Model, name: str, value: float, length: float, force: float = 0.0, noise: float = 0.0) -> float:
    """Size of a signal that has a value: at least the ``length`` of the model, or a radian; of loads, the ``force`` at
    work, at that length if they are moments. 1 where all of that is zero, a load up to the moment ``noise`` included.
    """
    along, time, mass = exponents(units(model, name) or "1")
    least = 0.0
    if (time, mass) == (0, 0):
        least = length**along
    elif of_force(model, name):
        least = force * length ** (along - 1)
        value = value if abs(value) * length ** (2 - along) > noise else 0.0
    return max(abs(value), least) or 1.0
