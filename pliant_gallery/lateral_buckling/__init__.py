"""Flexural-torsional buckling: strips that leave the plane in which they are bent.

Every problem is a function that returns a Model, for `pl.path` to follow. Strips lie along x and are tall along y;
loads are in the plane of x and y. Length and stiffness out of the plane are 1 unless given.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import pliant as pl
from pliant.errors import OptionError, nearest

QUARTER = 90 * pl.DEG
ACROSS = pl.rotation(y=-QUARTER)
"""x of this frame is along z: a Universal or Perpendicular from it keeps y of a section level."""


def strip(*, strong: float = 1e4, weak: float = 1.0, torsion: float = 1.0, axial: float = 1e6) -> pl.Section:
    """Return a section by its stiffnesses: bending in its plane and out of it, twist; equal stretching and both shears.

    With these three equal, the strain of a constant force has one direction everywhere, x' = t + F/EA, and does not
    change its moment: rotations are exactly the rotations of a rod that neither stretches nor shears.
    """
    return pl.Section(
        axial_stiffness=axial, shear_stiffness=axial, shear_stiffness_z=axial,
        bending_stiffness=strong, bending_stiffness_y=weak, torsional_stiffness=torsion,
        mass_per_length=1.0, rotary_inertia=1e-4, rotary_inertia_y=1e-4,
    )  # fmt: skip


def cantilever(*, offset: float = 0.0, **stiffness: float) -> pl.Model:
    """Make a clamped strip under "load/y" at its tip, `offset` above the axis (Prandtl, Michell 1899).

    >>> cantilever()
    <Model "cantilever strip": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    m = pl.Model("cantilever strip", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=1.0, section=strip(**stiffness)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1, y=offset), y=0.0, name="load"))
    return m


def between_forks(**stiffness: float) -> pl.Model:
    """Make a strip between forks, which let it turn but not roll over, bent by end moments "left/z" and "right/z"."""
    m = pl.Model("strip between forks", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=1.0, section=strip(**stiffness), angle=0.0))
    m.add(
        pl.Universal(ground.at(0, 0, orientation=ACROSS), beam.at(s=0)),
        pl.Slider(ground.at(0, 0), beam.at(s=1)),
        pl.Perpendicular(ground.at(0, 0, orientation=ACROSS), beam.at(s=1)),
        pl.Moment(beam.at(s=0), z=0.0, name="left"),
        pl.Moment(beam.at(s=1), z=0.0, name="right"),
    )
    return m


ENDS = {"right/z": 1.0, "left/z": -1.0}
"""Equal and opposite end moments of `between_forks`."""
COUPLES = ("axial", "following", "quasi-tangential", "semi-tangential")
ARM = 0.01


def bent_cantilever(*, couple: str = "axial", **stiffness: float) -> pl.Model:
    """Make a clamped strip under a tip moment of one kind; `couple_load` has its signals for a moment of 1.

    couple  "axial" keeps its direction in space, "following" turns with the tip: both are pl.Moment and have no
            potential. "quasi-tangential" is a pair of dead forces on an arm across the strip, "semi-tangential" two
            such pairs, on arms across and along it.
    """
    if couple not in COUPLES:
        raise OptionError(f"couple={couple!r} is not known. {nearest(couple, COUPLES)}")
    m = pl.Model(f"strip under an {couple} moment", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=1.0, section=strip(**stiffness)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), beam.at(s=1))
    if couple in ("axial", "following"):
        m.add(pl.Moment(beam.at(s=1), z=0.0, follower=couple == "following", name="moment"))
        return m
    for sign, name in ((1, "above"), (-1, "below")):
        m.add(pl.Force(beam.at(s=1, y=sign * ARM), x=0.0, name=name))
    for sign, name in ((1, "ahead"), (-1, "behind")) if couple == "semi-tangential" else ():
        m.add(pl.Force(beam.at(s=1, x=sign * ARM), y=0.0, name=name))
    return m


def couple_load(couple: str) -> dict[str, float]:
    """Return the signals of the tip moment 1 of `bent_cantilever`: {signal: value}."""
    if couple in ("axial", "following"):
        return {"moment/z": 1.0}
    force = 0.5 / ARM
    if couple == "quasi-tangential":
        return {"above/x": -force, "below/x": force}
    return {"above/x": -force / 2, "below/x": force / 2, "ahead/y": force / 2, "behind/y": -force / 2}


FRAME_LENGTH, FRAME_DEPTH, FRAME_THICKNESS = 240.0, 30.0, 0.6  # mm
FRAME_MATERIAL = pl.Material("frame", youngs_modulus=71240.0, poisson_ratio=0.31, density=1e-9)  # N/mm^2
FRAME_SECTION = pl.Section.rectangle(
    FRAME_THICKNESS, FRAME_DEPTH, FRAME_MATERIAL, torsion_constant=FRAME_DEPTH * FRAME_THICKNESS**3 / 3.0
)
"""Strip of Argyris's frames; torsion as of a thin strip, J = b t^3 / 3."""


def frame() -> pl.Model:
    """Make a clamped upright with an arm at a right angle; "load/y" at the arm's end.

    J. H. Argyris et al., Finite element method: the natural approach, Comput. Meth. Appl. Mech. Eng. 17/18 (1979);
    J. C. Simo, L. Vu-Quoc, ibid. 58 (1986) 79-116.
    """
    m = pl.Model("right-angle frame", plane=None)
    ground = m.add(pl.Ground())
    upright = m.add(pl.Beam("upright", length=FRAME_LENGTH, section=FRAME_SECTION, angle=QUARTER))
    arm = m.add(pl.Beam("arm", length=FRAME_LENGTH, section=FRAME_SECTION))
    m.add(
        pl.Weld(ground.at(0, 0, angle=QUARTER), upright.at(s=0)),
        pl.Weld(upright.at(s=1), arm.at(s=0), orientation=pl.rotation(z=-QUARTER)),
        pl.Force(arm.at(s=1), y=0.0, name="load"),
    )
    return m


def hinged_frame() -> pl.Model:
    """Make the left half of a right-angle frame; its feet turn about z, slide along x, and are bent by "moment/z".

    Its apex stays in the plane of symmetry. Source: see `frame`.
    """
    reach = FRAME_LENGTH * sqrt(0.5)
    m = pl.Model("hinged right-angle frame", plane=None)
    ground, foot, leg = m.add(
        pl.Ground(),
        pl.Body("foot", mass=1e-6, inertia=1e-6, position=(-reach, 0, 0)),
        pl.Beam("leg", length=FRAME_LENGTH, section=FRAME_SECTION, angle=QUARTER / 2, position=(-reach, 0, 0)),
    )
    m.add(
        pl.Prismatic(ground.at(0, 0), foot.at()),
        pl.Revolute(foot.at(), leg.at(s=0)),
        pl.Planar(ground.at(0, 0), leg.at(s=1, angle=-QUARTER / 2), axis="x"),
        pl.Moment(leg.at(s=0), z=0.0, name="moment"),
    )
    return m


PROBLEMS: dict[str, Callable[..., pl.Model]] = {
    "cantilever": cantilever,
    "between_forks": between_forks,
    "bent_cantilever": bent_cantilever,
    "frame": frame,
    "hinged_frame": hinged_frame,
}


def model(*, problem: str = "cantilever", **options: object) -> pl.Model:
    """Make one of the problems by name, with its options.

    >>> model(problem="frame")
    <Model "right-angle frame": 0 rigid bodies, 2 beams, 2 joints, 1 force>
    """
    if problem not in PROBLEMS:
        raise OptionError(f"problem={problem!r} is not known. {nearest(problem, tuple(PROBLEMS))}")
    return PROBLEMS[problem](**options)
