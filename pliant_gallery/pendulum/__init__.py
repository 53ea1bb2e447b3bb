"""Pendulums whose small swings are known exactly: point masses on massless rods, or a heavy rod.

One bob: omega^2 = g / L. Two equal bobs, one below the other: omega^2 = (2 -+ sqrt 2) g / L. A uniform rod:
omega^2 = 3 g / (2 L).
"""

from __future__ import annotations

from math import pi

import pliant as pl
from pliant.errors import OptionError

GRAVITY = 9.81
KINDS = ("bob", "link", "rod")


def model(*, kind: str = "bob", count: int = 1, length: float = 1.0, angle: float = -0.5 * pi) -> pl.Model:
    """Make a chain of `count` equal members that hangs from the origin.

    kind    "bob": bodies of 1 kg that reach up to the pin above; "link": massless links with 1 kg at the tip;
            "rod": uniform links of 1 kg
    count   number of members
    length  of each (m)
    angle   of all at the start (rad), -pi/2 straight down

    >>> model(kind="rod", count=2)
    <Model "pendulum": 2 rigid bodies, 0 beams, 2 joints, 1 force>
    """
    if kind not in KINDS:
        raise OptionError(f"kind={kind!r}: choose one of {', '.join(KINDS)}.")
    if count < 1:
        raise OptionError(f"count={count!r}: give a whole number of at least 1.")
    m = pl.Model("pendulum", plane="xy")
    above = m.add(pl.Ground()).at(0.0, 0.0)
    for number in range(1, count + 1):
        above = _hang(m, kind, f"{kind} {number}", above, length, angle)
    m.add(pl.Gravity(y=-GRAVITY))
    return m


def _hang(m: pl.Model, kind: str, name: str, above: pl.Marker, length: float, angle: float) -> pl.Marker:
    """Hang one member from a marker; return the marker for the next."""
    if kind == "bob":
        body = m.add(pl.Body(name, mass=1.0, inertia=0.0, angle=angle))
        m.add(pl.Revolute(above, body.at(-length, 0.0)))
        return body.at(0.0, 0.0)
    link = m.add(pl.Link(name, length=length, mass=1.0 if kind == "rod" else 0.0, angle=angle))
    m.add(pl.Revolute(above, link.at(s=0)))
    if kind == "link":
        m.add(pl.PointMass(f"mass {name}", link.at(s=1), mass=1.0))
    return link.at(s=1)
