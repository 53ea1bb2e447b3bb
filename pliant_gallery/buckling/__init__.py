"""Classical buckling and snap-through: columns, frames, arches, bistable beams, trusses, rings, follower loads.

Every problem is a function that returns a Model, for `pl.path` to follow.
Unless said otherwise lengths, bending stiffness and mass per length are 1, so that loads are in units of EI / L^2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import asin, atan2, cos, hypot, pi, sin

import numpy as np

import pliant as pl
from pliant.errors import OptionError, nearest

SLENDER = pl.Section(
    axial_stiffness=1e6, shear_stiffness=1e6, bending_stiffness=1.0, mass_per_length=1.0, rotary_inertia=1e-6
)
"""EI = 1; with EA = GA a straight beam's rotations are exactly those of the inextensible elastica."""

UP = pi / 2
SUPPORTS = ("pinned-pinned", "clamped-free", "clamped-clamped", "clamped-pinned")


def column(*, supports: str = "pinned-pinned", section: pl.Section = SLENDER) -> pl.Model:
    """Make Euler's columns: along x from the origin, pushed at their tip by "load/x" (negative) in a fixed direction.

    supports  "pinned-pinned", "clamped-free", "clamped-clamped" or "clamped-pinned": at base and tip

    >>> column(supports="clamped-free")
    <Model "clamped-free column": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    _choose("supports", supports, SUPPORTS)
    base, tip = supports.split("-")
    m = pl.Model(f"{supports} column")
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=1.0, section=section, angle=0.0))
    hold = {"pinned": pl.Revolute, "clamped": pl.Weld}[base]
    m.add(hold(ground.at(0, 0), beam.at(s=0)))
    if tip != "free":
        guide = {"pinned": pl.Slider, "clamped": pl.Prismatic}[tip]
        m.add(guide(ground.at(0, 0), beam.at(s=1)))
    m.add(pl.Force(beam.at(s=1), x=0.0, name="load"), beam.at(s=0.5))
    return m


def lee_frame(*, length: float = 1.0, section: pl.Section = SLENDER) -> pl.Model:
    """Make Lee's frame: equal column and girder, a rigid corner, pins at both ends, "load/y" a fifth along.

    S.-L. Lee, F. S. Manuel, E. C. Rossow, Large deflections and stability of elastic frames, J. Eng. Mech. Div. ASCE 94
    (1968) 521-547.
    """
    m = pl.Model("Lee frame")
    ground = m.add(pl.Ground())
    upright = m.add(pl.Beam("column", length=length, section=section, angle=UP, position=(0, 0)))
    girder = m.add(pl.Beam("girder", length=length, section=section, angle=0.0, position=(0, length)))
    m.add(
        pl.Revolute(ground.at(0, 0), upright.at(s=0)),
        pl.Weld(upright.at(s=1), girder.at(s=0), angle=-UP),
        pl.Revolute(ground.at(length, length), girder.at(s=1)),
        pl.Force(girder.at(s=0.2), y=0.0, name="load"),
    )
    return m


TOGGLE_LENGTH, TOGGLE_RISE = 12.943 * 0.0254, 0.386 * 0.0254  # m
TOGGLE = pl.Section(
    axial_stiffness=1.885e6 * 4.4482216,
    shear_stiffness=1.885e6 * 4.4482216,
    bending_stiffness=9.27e3 * 4.4482216 * 0.0254**2,
    mass_per_length=0.32,
)
"""Williams's bar: EA = 1.885e6 lb, EI = 9.27e3 lb in^2; its shear is not published, GA = EA here."""


def toggle(*, length: float = TOGGLE_LENGTH, rise: float = TOGGLE_RISE, section: pl.Section = TOGGLE) -> pl.Model:
    """Make Williams's toggle: two bars, clamped at their far ends, rigidly joined at the apex, where "load/y" acts.

    F. W. Williams, An approach to the non-linear behaviour of the members of a rigid jointed plane framework with
    finite deflections, Q. J. Mech. Appl. Math. 17 (1964) 451-469.
    """
    slope = asin(rise / length)
    half = length * cos(slope)
    m = pl.Model("Williams toggle")
    ground = m.add(pl.Ground())
    left = m.add(pl.Beam("left", length=length, section=section, angle=slope, position=(-half, 0)))
    right = m.add(pl.Beam("right", length=length, section=section, angle=-slope, position=(0, rise)))
    m.add(
        pl.Weld(ground.at(-half, 0), left.at(s=0), angle=slope),
        pl.Weld(left.at(s=1), right.at(s=0), angle=-2 * slope),
        pl.Weld(ground.at(half, 0), right.at(s=1), angle=-slope),
        pl.Force(left.at(s=1), y=0.0, name="load"),
    )
    return m


def arch(
    *, half_angle: float, supports: str = "pinned-pinned", radius: float = 1.0, section: pl.Section = SLENDER
) -> pl.Model:
    """Make a circular arch about the origin, `half_angle` on either side of the crown, where "load/y" acts.

    supports  "pinned-pinned", "clamped-clamped" or "clamped-pinned": left and right

    >>> arch(half_angle=107.5 * pl.DEG, supports="clamped-pinned")
    <Model "clamped-pinned arch": 0 rigid bodies, 1 beam, 2 joints, 1 force>
    """
    _choose("supports", supports, ("pinned-pinned", "clamped-clamped", "clamped-pinned"))
    x, y = radius * sin(half_angle), radius * cos(half_angle)
    m = pl.Model(f"{supports} arch")
    ground = m.add(pl.Ground())
    bow = pl.Beam(
        "arch",
        length=2 * half_angle * radius,
        section=section,
        curvature=-1 / radius,
        angle=half_angle,
        position=(-x, y),
    )
    m.add(bow)
    hold = {"pinned": pl.Revolute, "clamped": pl.Weld}
    left, right = supports.split("-")
    m.add(
        hold[left](ground.at(-x, y, angle=half_angle), bow.at(s=0)),
        hold[right](ground.at(x, y, angle=-half_angle), bow.at(s=1)),
        pl.Force(bow.at(s=0.5), y=0.0, name="load"),
    )
    return m


SINE_FORCES = 40


def sine_arch(*, rise: float = 2.0, span: float = 1.0, slenderness: float = 2000.0) -> pl.Model:
    """Make a shallow pinned arch a sin(pi x / span) under q sin(pi x / span), as point forces "load 1/y", ...

    rise         a in units of 2 r, r the radius of gyration of the section
    slenderness  span / r

    Y. C. Fung, A. Kaplan, Buckling of low arches or curved beams of small curvature, NACA TN 2840 (1952).
    """
    gyration = span / slenderness
    EA = 1.0 / gyration**2
    section = pl.Section(EA, EA, 1.0, mass_per_length=1.0, rotary_inertia=gyration**2)
    height = 2.0 * gyration * rise
    x = np.linspace(0.0, span, 4001)
    slope, bend = (height * pi / span) * np.cos(pi * x / span), -height * (pi / span) ** 2 * np.sin(pi * x / span)
    stretch = np.hypot(1.0, slope)
    arc = np.concatenate([[0.0], np.cumsum((stretch[1:] + stretch[:-1]) / 2 * np.diff(x))])
    along = np.interp(np.linspace(0.0, arc[-1], 2 * SINE_FORCES + 1), arc, x)
    curvature = tuple(np.interp(along, x, bend / stretch**3))
    m = pl.Model("sine arch")
    ground, bow = m.add(
        pl.Ground(),
        pl.Beam("arch", length=float(arc[-1]), section=section, curvature=curvature, angle=atan2(slope[0], 1.0)),
    )
    m.add(pl.Revolute(ground.at(0, 0), bow.at(s=0)), pl.Revolute(ground.at(span, 0), bow.at(s=1)))
    for k in range(1, SINE_FORCES):
        m.add(pl.Force(bow.at(s=k / SINE_FORCES), y=0.0, name=f"load {k}"))
    return m


def sine_load(*, span: float = 1.0) -> dict[str, float]:
    """Return the load of `sine_arch` at q = 1, downwards: {signal: force}."""
    share = span / SINE_FORCES
    return {f"load {k}/y": -share * sin(pi * k / SINE_FORCES) for k in range(1, SINE_FORCES)}


def bistable(*, shortening: float = 0.02, supports: str = "pinned-pinned", section: pl.Section = SLENDER) -> pl.Model:
    """Make a straight beam squeezed between supports `shortening` closer than its length; "load/y" at its middle.

    It is assembled bowed upwards, and snaps down.

    supports  "pinned-pinned" or "clamped-clamped"
    """
    _choose("supports", supports, ("pinned-pinned", "clamped-clamped"))
    hold = {"pinned": pl.Revolute, "clamped": pl.Weld}[supports.split("-")[0]]
    m = pl.Model(f"{supports} bistable beam")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0, position=(0, 0)))
    m.add(
        hold(ground.at(0, 0), beam.at(s=0)),
        hold(ground.at(1.0 - shortening, 0), beam.at(s=1)),
        pl.Force(beam.at(s=0.5), y=0.0, name="load"),
    )
    return m


def truss(*, height: float = 0.5, guided: bool = False, series: float | None = None) -> pl.Model:
    """Make von Mises's truss: two springs of stiffness 1 from (-1, 0) and (1, 0) to an apex at `height` under "load/y".

    guided  the apex may move along y only
    series  stiffness of a spring above the (guided) apex, whose upper end is driven by "drive/y" instead of a load
    """
    m = pl.Model("von Mises truss")
    ground = m.add(pl.Ground())
    apex = m.add(pl.Body("apex", mass=1.0, inertia=0.0, position=(0, height), angle=0.0))
    rest = hypot(1.0, height)
    m.add(
        pl.Spring("left", ground.at(-1, 0), apex.at(), stiffness=1.0, rest_length=rest),
        pl.Spring("right", ground.at(1, 0), apex.at(), stiffness=1.0, rest_length=rest),
    )
    if guided or series is not None:
        m.add(pl.Slider(ground.at(0, 0, angle=UP), apex.at()))
    if series is None:
        m.add(pl.Force(apex.at(), y=0.0, name="load"))
        return m
    handle = m.add(pl.Body("handle", mass=1.0, inertia=0.0, position=(0, height + 1.0), angle=0.0))
    m.add(
        pl.Spring("series", apex.at(), handle.at(), stiffness=series, rest_length=1.0),
        pl.Slider(ground.at(0, 0, angle=UP), handle.at()),
        pl.Motion(ground.at(0, 0), handle.at(), y=height + 1.0, name="drive"),
    )
    return m


RING_FORCES = 24


def ring(*, pressure: bool = True, section: pl.Section = SLENDER) -> pl.Model:
    """Make a quarter of a ring of radius 1, held by its symmetry; it buckles into an ellipse.

    pressure  True: "load/y" per length, normal to the ring as it bends; False: dead radial forces, `ring_load`
    """
    m = pl.Model("ring")
    ground = m.add(pl.Ground())
    bow = m.add(pl.Beam("ring", length=pi / 2, section=section, curvature=1.0, angle=UP, position=(1, 0)))
    m.add(pl.Prismatic(ground.at(0, 0), bow.at(s=0)), pl.Prismatic(ground.at(0, 0, angle=UP), bow.at(s=1)))
    if pressure:
        m.add(pl.DistributedLoad(bow, y=0.0, follower=True, name="load"))
    else:
        for k in range(RING_FORCES + 1):
            m.add(pl.Force(bow.at(s=k / RING_FORCES), name=f"load {k}"))
    return m


def ring_load() -> dict[str, float]:
    """Return the dead radial load of 1 per length on the ring, inwards: {signal: force}."""
    load: dict[str, float] = {}
    for k in range(RING_FORCES + 1):
        share = pi / 2 / RING_FORCES * (0.5 if k in (0, RING_FORCES) else 1.0)
        angle = pi / 2 * k / RING_FORCES
        load |= {f"load {k}/x": -share * cos(angle), f"load {k}/y": -share * sin(angle)}
    return load


def heavy_column(*, supports: str = "clamped-free", follower: bool = False, section: pl.Section = SLENDER) -> pl.Model:
    """Make a column along x under "load/x" (negative) per length: weight (Greenhill), or a follower load (Pflueger).

    supports  "clamped-free" or "pinned-pinned"
    """
    _choose("supports", supports, ("clamped-free", "pinned-pinned"))
    m = pl.Model("heavy column")
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=1.0, section=section, angle=0.0))
    if supports == "clamped-free":
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    else:
        m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Slider(ground.at(0, 0), beam.at(s=1)))
    m.add(pl.DistributedLoad(beam, x=0.0, follower=follower, name="load"))
    return m


def follower_column(*, section: pl.Section = SLENDER) -> pl.Model:
    """Make Beck's column: a cantilever along x pushed at its tip by "load/x" (negative) along its own tangent: flutter.

    "load/y" bends it with a force that stays across its tip. M. Beck, Z. angew. Math. Phys. 3 (1952) 225-228.
    """
    m = pl.Model("Beck column")
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=1.0, section=section, angle=0.0))
    m.add(
        pl.Weld(ground.at(0, 0), beam.at(s=0)),
        pl.Force(beam.at(s=1), x=0.0, y=0.0, follower=True, name="load"),
    )
    return m


def double_pendulum(*, follower: bool = True, damping: float = 0.0) -> pl.Model:
    """Make Ziegler's pendulum: two massless rods of length 1, torsion springs of 1, masses 2 and 1, with "load/x".

    follower  the push follows the second rod (flutter), or it keeps its direction (static buckling)
    damping   of both springs

    H. Ziegler, Die Stabilitaetskriterien der Elastomechanik, Ing.-Arch. 20 (1952) 49-56.
    """
    m = pl.Model("double pendulum")
    ground = m.add(pl.Ground())
    first = m.add(pl.Link("first", length=1.0, mass=2.0, inertia=0.0, centre=1.0, angle=0.0))
    second = m.add(pl.Link("second", length=1.0, mass=1.0, inertia=0.0, centre=1.0, angle=0.0))
    m.add(
        pl.Revolute(ground.at(0, 0), first.at(s=0)),
        pl.Revolute(first.at(s=1), second.at(s=0)),
        pl.TorsionSpring("base", ground.at(0, 0), first.at(s=0), stiffness=1.0, damping=damping),
        pl.TorsionSpring("knee", first.at(s=1), second.at(s=0), stiffness=1.0, damping=damping),
        pl.Force(second.at(s=1), x=0.0, follower=follower, name="load"),
    )
    return m


PROBLEMS: dict[str, Callable[..., pl.Model]] = {
    "column": column,
    "lee_frame": lee_frame,
    "toggle": toggle,
    "arch": arch,
    "sine_arch": sine_arch,
    "bistable": bistable,
    "truss": truss,
    "ring": ring,
    "heavy_column": heavy_column,
    "follower_column": follower_column,
    "double_pendulum": double_pendulum,
}


def model(*, problem: str = "column", **options: object) -> pl.Model:
    """Make one of the problems by name, with its options.

    >>> model(problem="lee_frame")
    <Model "Lee frame": 0 rigid bodies, 2 beams, 3 joints, 1 force>
    """
    _choose("problem", problem, tuple(PROBLEMS))
    return PROBLEMS[problem](**options)


def _choose(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name}={value!r} is not known. {nearest(value, choices)}")
