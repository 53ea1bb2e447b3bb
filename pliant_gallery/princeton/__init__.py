"""The Princeton beam (E. H. Dowell, J. Traybar, D. H. Hodges, J. Sound Vib. 50, 1977, 533-544): an aluminium strip,
clamped at an angle about its axis, with a weight at its tip. It bends across both sides and twists.

Data as O. A. Bauchau et al. use them, Multibody Syst. Dyn. 34 (2015) 373-389. Their stiffnesses, E = 71.7 GPa and
nu = 0.31 with the measured sides, give EI = 36.28 and 2.429 N m^2, GJ = 3.103 N m^2, as the section below does.
"""

from __future__ import annotations

from math import atan2, cos, sin

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl

LENGTH, HEIGHT, WIDTH = 0.508, 12.377e-3, 3.2024e-3  # m
ALLOY = pl.Material("7075", youngs_modulus=71.7e9, poisson_ratio=0.31, density=2810.0)
SECTION = pl.Section.rectangle(WIDTH, HEIGHT, ALLOY)
LOADS = (4.448, 8.896, 13.345)
"""Tip weights of 1, 2, 3 lb, N."""


def model(*, load: float = LOADS[2], angle: float = 45 * pl.DEG, section: pl.Section = SECTION) -> pl.Model:
    """Make the strip along x, tall along y; the weight pulls at `angle` from its tall side, 0 being down along y.

    >>> model()
    <Model "Princeton beam": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    m = pl.Model("Princeton beam", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=LENGTH, section=section))
    pull = weight(load, angle)
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=pull[1], z=pull[2], name="weight"))
    return m


def tip(result: pl.Result) -> tuple[float, float, float]:
    """Return the tip's displacement down its tall side (chordwise) and across it (flapwise), m, and its twist, rad.

    The twist is the angle of the tall side, viewed along x, as a clinometer on the section reads it.
    """
    point = result.position.sel(marker="strip/tip").values
    tall = Rotation.from_quat(result.marker_orientation.sel(marker="strip/tip").values, scalar_first=True).as_matrix()
    return -float(point[1]), float(point[2]), atan2(tall[2, 1], tall[1, 1])


def weight(load: float, angle: float) -> np.ndarray:
    """Return the (3,) force at the tip (N)."""
    return load * np.array([0.0, -cos(angle), sin(angle)])
