"""Forces of joints and work of drives from a result: reactions on either body, work."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pliant._libraries import interpolate
from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.results.result import Result


class Named(Protocol):
    """A part with a name."""

    @property
    def name(self) -> str:
        """Return the name of the part."""
        ...


AXES = {"global": "reaction", "joint": "joint_reaction"}
POWERS = {"joint": "drive_power", "motor": "motor_power"}
RESOLVED = 0.01  # share of the gross work (to and fro) that may be missed
ORDER = 3.0  # how many times larger the error is with every second instant
FEWEST = 9  # instants that determine a work, if not all were kept


def reaction_of(
    result: Result, joint: str | Named, *, on: str | Named | None = None, axes: str = "global"
) -> xr.DataArray:
    """Return force (N) and moment (N m) of one joint on one of the two bodies that it joins, at its marker b.

    joint  a joint, or its name
    on     the body, or its name ("ground"); default: the body of marker b. On the other body the reaction is opposite,
           at the same point
    axes   "global", or "joint": axes of the joint's frame on marker a; in space a pin turns about its z axis and a
           slide moves along its x axis

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=2.0, angle=-90 * pl.DEG))
    >>> pin, _ = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    >>> rest = pl.statics(pl.compile(m))
    >>> [float(pl.reaction_of(rest, "pin", on=body).sel(wrench="Fy").round(2)) for body in ("arm", ground)]
    [19.62, -19.62]
    """
    if axes not in AXES:
        raise OptionError(f'axes={axes!r}: give "global" or "joint".')
    found: xr.DataArray = getattr(result, AXES[axes]).sel(joint=getattr(joint, "name", joint))
    if on is None:
        return found
    wanted = str(getattr(on, "name", on))
    bodies = [str(found.coords[key].values) for key in ("joint_body_b", "joint_body_a") if key in found.coords]
    if wanted not in bodies:
        name = str(found.coords["joint"].values)
        raise OptionError(f"on={wanted!r}: joint {name!r} is between {' and '.join(bodies)}. {nearest(wanted, bodies)}")
    return found if wanted == bodies[0] else found.copy(data=-found.values)


def work_of(run: Result, drive: str | Named) -> xr.DataArray:
    """Compute the work (J) that a drive (`Motion`) or a motor has put into the mechanism since the start of a motion,
    at every instant: the integral of its power, along monotone cubics between the recorded instants. If too few were
    kept (``every=``, ``times=``) to determine it to 1 % of the gross work (to and fro), it is refused.

    drive  the part, or its name

    >>> import pliant as pl
    >>> m = pl.Model("wheel")
    >>> ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5, position=(0.0, 0.0), angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), wheel.at()), pl.Motor("motor", ground.at(0, 0), wheel.at(), 2.0))
    >>> run = pl.transient(pl.compile(m), end_time=1.0, step=0.01)
    >>> float(pl.work_of(run, "motor")[-1].round(6))  # T^2 t^2 / 2 J
    4.0
    """
    name = str(getattr(drive, "name", drive))
    if run.kind != "motion":
        raise OptionError(f"work_of: this is a {run.kind} result; work is done in a motion (pl.transient).")
    known: list[str] = []
    for dimension, variable in POWERS.items():
        if variable not in run.data.variables:
            continue
        power = getattr(run, variable)
        if name in (names := power[dimension].values.tolist()):
            told = power.sel({dimension: name})
            if not np.isnan(told.values).any():
                work = _integral(run.time.values, told.values)
                _check_instants(run, name, told.values, work)
                return told.copy(data=work).rename("work").assign_attrs({"units": "J"})
        known += [each for k, each in enumerate(names) if not np.isnan(power.values[:, k]).any()]
    what = nearest(name, known) if known else "The model has none: see pl.Motion and pl.Motor."
    raise OptionError(f"work_of: there is no drive or motor {name!r}. {what}")


def _integral(time: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Integrate the power from the first instant to every other."""
    if time.size < 2:
        return np.zeros(time.size)
    return np.asarray(interpolate.PchipInterpolator(time, power).antiderivative()(time))


def _check_instants(run: Result, name: str, power: np.ndarray, work: np.ndarray) -> None:
    """Raise unless the recorded instants determine the work: compare with every second one; all steps suffice."""
    time = run.time.values
    if time.size >= run.outcome.figures.get("steps", 0):
        return
    if run.energy.sel(energy_kind="supplied").values[0] != 0.0:
        raise OptionError(f"work_of {name!r}: the motion does not keep its start. Add it to times=, or leave them out.")
    half = np.union1d(np.arange(0, time.size, 2), [time.size - 1])
    apart = np.max(np.abs(_integral(time[half], power[half]) - work[half]))
    if time.size < FEWEST or apart > ORDER * RESOLVED * _integral(time, np.abs(power))[-1]:
        raise OptionError(
            f"work_of {name!r}: {time.size} instants of {run.outcome.steps} steps are too few to integrate its power. "
            "Keep more (every=, times=); energy holds what all drives and loads have supplied over all steps."
        )
