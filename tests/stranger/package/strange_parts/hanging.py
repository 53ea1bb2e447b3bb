"""A file format: ``MASS STIFFNESS`` of each body in a row that hangs on springs, one a line."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import pliant as pl


def read_hanging(path: str | PathLike[str], *, length: float = 0.1) -> pl.Model:
    """Read masses (kg) and stiffnesses (N/m), the uppermost first; every spring has a length (m) without force."""
    m = pl.Model(Path(path).stem, plane="xy")
    above = m.add(pl.Ground()).at(0, 0)
    m.add(pl.Gravity())
    for number, line in enumerate(Path(path).read_text().splitlines(), start=1):
        mass, stiffness = map(float, line.split())
        body = m.add(pl.Body(f"body{number}", mass=mass, inertia=1.0, position=(0.0, -number * length), free=True))
        m.add(pl.Spring(f"spring{number}", above, body.at(), stiffness=stiffness, rest_length=length))
        above = body.at()
    return m
