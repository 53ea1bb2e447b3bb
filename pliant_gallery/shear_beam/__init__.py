"""Thick cantilever (C.-C. Lan, K.-M. Lee, J.-H. Liou, Mechanism and Machine Theory 44, 2009, example 1).

Clamped at its left end, a load along it and a force at its tip, small displacements: Timoshenko's linear beam. The
paper gives its square section and its material in a figure only; the values here are ours (ERRATA, shooting paper, 3).
"""

from __future__ import annotations

import pliant as pl

LENGTH, SIDE = 1.0, 0.1  # m
LOAD, FORCE = 1000.0, 1000.0  # N/m along the beam, N at its tip
SECTION = pl.Section.rectangle(SIDE, SIDE, pl.STEEL)


def model(*, load: float = LOAD, force: float = FORCE) -> pl.Model:
    """Make the beam along x.

    load   along y, N/m
    force  along y at the tip, N

    >>> model()
    <Model "shear beam": 0 rigid bodies, 1 beam, 1 joint, 2 forces>
    """
    m = pl.Model("shear beam", plane="xy")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=SECTION, angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.DistributedLoad(beam, y=load), pl.Force(beam.at(s=1), y=force))
    return m
