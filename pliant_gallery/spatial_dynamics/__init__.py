"""Motions in space: Bricard's mechanism, a beam thrown into the air, a spinning rod, a free top, a rod that swings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import OptionError, nearest

CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
"""Pins of Bricard's mechanism at the start: corners of a cube (m). From the last to the first is the ground."""
AXES = "yzxyzx"
WIDTH = 0.1
"""Of the square bars of Bricard's mechanism (m)."""
TOP = (0.02, 0.035, 0.05)
"""Moments of inertia of the free top (kg m^2)."""
PULSE = pl.Table((0.0, 2.5, 5.0), (0.0, 200.0, 0.0))
"""Moment of the throw over time (N m)."""
SOFT = pl.Section.general(
    np.diag([800.0, 300.0, 300.0, 0.6, 0.8, 0.8]), mass_per_length=0.7, rotary_inertia=1e-2, rotary_inertia_y=1e-2
)
"""A soft rod, none of whose frequencies is too high for steps of half a millisecond."""


def bricard() -> pl.Model:
    """Make five bars on six pins (IFToMM benchmark A04): by counting it cannot move, but it has one freedom.

    >>> bricard()
    <Model "Bricard": 5 rigid bodies, 0 beams, 6 joints, 1 force>
    """
    m = pl.Model("Bricard", plane=None)
    ground = m.add(pl.Ground())
    hook, corners = ground.at(*CORNERS[0]), np.array(CORNERS, float)
    inertia = WIDTH**2 / 6.0, (1.0 + WIDTH**2) / 12.0, (1.0 + WIDTH**2) / 12.0
    for k, axis in enumerate(AXES[:5]):
        along, pin = corners[k + 1] - corners[k], np.eye(3)["xyz".index(axis)]
        frame = np.column_stack([along, np.cross(pin, along), pin])
        place = tuple(corners[k].tolist())
        bar = m.add(pl.Link(f"bar {k + 1}", length=1.0, mass=1.0, inertia=inertia, position=place, orientation=frame))
        m.add(pl.Revolute(hook, bar.at(s=0, orientation=frame.T), axis=axis, name=f"pin {k + 1}"))
        hook = bar.at(s=1, orientation=frame.T, name=f"corner {k + 1}")
    m.add(pl.Revolute(hook, ground.at(*CORNERS[5]), axis=AXES[5], name="pin 6"), pl.Gravity(y=-9.81))
    return m


def thrown() -> pl.Model:
    """Make a free beam 10 m long that a force and two moments on its lower end throw into the air (J. C. Simo, L.
    Vu-Quoc, Comput. Meth. Appl. Mech. Eng. 66, 1988, 125-161: free flight in space).

    >>> thrown()
    <Model "thrown beam": 0 rigid bodies, 1 beam, 0 joints, 2 forces>
    """
    m = pl.Model("thrown beam", plane=None)
    section = pl.Section.general(
        np.diag([1e4, 1e4, 1e4, 500.0, 500.0, 500.0]), mass_per_length=1.0, rotary_inertia=10.0, rotary_inertia_y=10.0
    )
    down = np.array([0.6, 0.0, -0.8])
    frame = np.column_stack([down, (0.0, 1.0, 0.0), np.cross(down, (0.0, 1.0, 0.0))])
    beam = m.add(pl.Beam("beam", length=10.0, section=section, position=(0, 0, 8), orientation=frame, free=True))
    moment, part = np.array(PULSE.values), PULSE.times
    m.add(
        pl.Force(beam.at(s=1), x=pl.Table(part, tuple(moment / 10.0)), name="force"),
        pl.Moment(beam.at(s=1), y=PULSE, z=pl.Table(part, tuple(moment / 2.0)), name="moment"),
    )
    return m


def rod(*, radius: float = 2e-3) -> pl.Model:
    """Make a free rod of steel, 1 m long, thin and stiff.

    >>> rod()
    <Model "rod": 0 rigid bodies, 1 beam, 0 joints, 0 forces>
    """
    m = pl.Model("rod", plane=None)
    m.add(pl.Beam("rod", length=1.0, section=pl.Section.circle(radius, pl.STEEL), position=(-0.5, 0, 0), free=True))
    return m


def top() -> pl.Model:
    """Make a free rigid body with three different moments of inertia.

    >>> top()
    <Model "top": 1 rigid body, 0 beams, 0 joints, 0 forces>
    """
    m = pl.Model("top", plane=None)
    m.add(pl.Body("top", mass=1.0, inertia=TOP, position=(0, 0, 0), free=True))
    return m


def swing(*, turn: Sequence[float] = (0.0, 0.0, 0.0), shift: Sequence[float] = (0.0, 0.0, 0.0)) -> pl.Model:
    """Make a soft rod on a universal joint with a body pinned to its tip, under gravity.

    turn   rotation vector by which the whole world is turned (rad), and ...
    shift  ... then moved (m)

    >>> swing()
    <Model "swing": 1 rigid body, 1 beam, 2 joints, 1 force>
    """
    m, (R, origin) = pl.Model("swing", plane=None), (Rotation.from_rotvec(turn).as_matrix(), np.array(shift, float))
    x, y, z = (-9.81 * R[:, 2]).tolist()
    centre = tuple((origin + R @ (1.1, 0.0, 0.0)).tolist())
    ground = m.add(pl.Ground())
    arm = m.add(pl.Beam("arm", length=1.0, section=SOFT, position=tuple(origin.tolist()), orientation=R))
    bob = m.add(pl.Body("bob", mass=0.2, inertia=(1e-3, 2e-3, 3e-3), position=centre, orientation=R))
    m.add(
        pl.Universal(ground.at(*origin.tolist(), orientation=R), arm.at(s=0), name="cross"),
        pl.Revolute(arm.at(s=1), bob.at(-0.1, 0, 0), axis="y", name="pin"),
        pl.Gravity(x=x, y=y, z=z),
    )
    return m


MODELS: dict[str, Callable[[], pl.Model]] = {each.__name__: each for each in (bricard, thrown, rod, top, swing)}


def model(*, case: str = "bricard") -> pl.Model:
    """Make one of the models by name: "bricard", "thrown", "rod", "top", "swing".

    >>> model(case="top")
    <Model "top": 1 rigid body, 0 beams, 0 joints, 0 forces>
    """
    if case not in MODELS:
        raise OptionError(f"case={case!r} is not known. {nearest(str(case), MODELS)}")
    return MODELS[case]()
