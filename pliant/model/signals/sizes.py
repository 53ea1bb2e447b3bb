"""Size of a signal, so that a small change of it is small in any units."""

from __future__ import annotations

from pliant.model.model import Model
from pliant.units import exponents


def units(model: Model, name: str) -> str | None:
    """Return the units of a signal, as declared by the part that it drives; None if unknown."""
    part, _, quantity = name.rpartition("/")
    known: str | None = model.part(part).own_units.get(quantity)
    return known


def of_force(model: Model, name: str) -> bool:
    """Return whether a signal is a force or a moment."""
    return exponents(units(model, name) or "1")[1:] == (-2, 1)


def size(model: Model, name: str, value: float, length: float, force: float = 0.0, noise: float = 0.0) -> float:
    """Return the size of a signal with a value: at least the ``length`` of the model, or a radian; for loads the
    ``force`` at work, for moments at that length. 1 if all of that is zero, or a load up to the moment ``noise``.
    """
    along, time, mass = exponents(units(model, name) or "1")
    least = 0.0
    if (time, mass) == (0, 0):
        least = length**along
    elif of_force(model, name):
        least = force * length ** (along - 1)
        value = value if abs(value) * length ** (2 - along) > noise else 0.0
    return max(abs(value), least) or 1.0
