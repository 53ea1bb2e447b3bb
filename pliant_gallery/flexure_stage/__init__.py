"""Flexure stage: a plate on four leaf springs, guided along one axis and stiff against all else."""

from __future__ import annotations

import pliant as pl

LEAF = pl.Section.rectangle(10e-3, 0.5e-3, pl.STEEL)  # bends about its z axis, which is z of the stage
LENGTH, WIDE, DEEP = 0.05, 0.06, 0.04  # m: of the leaves, between them
MASS = 0.2  # kg


def model() -> pl.Model:
    """Make the stage on leaves along z from the ground, which guide it along x. Loads act at "stage"."""
    m = pl.Model("flexure stage", plane=None)
    ground = m.add(pl.Ground())
    inertia = MASS / 12.0 * (DEEP**2), MASS / 12.0 * (WIDE**2), MASS / 12.0 * (WIDE**2 + DEEP**2)
    stage = m.add(pl.Body("stage", mass=MASS, inertia=inertia, position=(0, 0, LENGTH), orientation=(0, 0, 0)))
    up = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # rows: columns are x along z, y along x, z along y
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1)), 1):
        at = 0.5 * WIDE * x, 0.5 * DEEP * y
        leaf = m.add(pl.Beam(f"leaf {k}", length=LENGTH, section=LEAF, position=(*at, 0.0), orientation=up))
        m.add(
            pl.Weld(ground.at(*at, 0.0, orientation=up), leaf.at(s=0), orientation=(0, 0, 0), name=f"foot {k}"),
            pl.Weld(leaf.at(s=1), stage.at(*at, 0.0, orientation=up), orientation=(0, 0, 0), name=f"top {k}"),
        )
    m.add(pl.Force(stage.at(), name="load"))
    return m
