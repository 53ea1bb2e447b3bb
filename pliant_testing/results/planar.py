"""Small results made by hand: a swinging link that carries a bending beam. They are patterns of what analyses return.

Used by the tests of this package and as a pattern for new analyses; kinematics only, no equations of motion.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pliant._libraries import xarray as xr
from pliant.results.records import Outcome, Provenance
from pliant.results.result import Result

LINK, BEAM = 0.3, 0.4  # lengths, m
EI = 2.0  # bending stiffness of the beam, N m²
MASS = 0.5  # of the link, kg
PLACES = ["x", "y"]

Array = npt.NDArray[np.float64]


def example_motion(outputs: int = 61, end_time: float = 2.0) -> Result:
    """Return two seconds of swinging at 1 Hz while the beam vibrates at 2 Hz."""
    time = np.linspace(0.0, end_time, outputs)
    angle = 0.6 * np.sin(2.0 * np.pi * time) - 0.5 * np.pi
    rate = 0.6 * 2.0 * np.pi * np.cos(2.0 * np.pi * time)
    deflection = 0.06 * np.sin(4.0 * np.pi * time)
    shape = np.stack([_shape(*each) for each in zip(angle, deflection, strict=True)])
    position = shape[:, [1, -1]]
    kinetic = 0.5 * MASS * LINK**2 / 3.0 * rate**2
    balance = 1e-9 * time
    coords = (
        _stations()
        | _sections()
        | {
            "time": time,
            "marker": ["link/tip", "beam/tip"],
            "body": ["link", "beam"],
            "joint": ["pivot"],
            "wrench": ["Fx", "Fy", "M"],
            "energy_kind": ["kinetic", "potential", "supplied", "dissipated", "balance"],
        }
    )
    variables = {
        "position": (("time", "marker", "axis"), position),
        "velocity": (("time", "marker", "axis"), np.gradient(position, time, axis=0)),
        "angle": (("time", "body"), np.stack([angle, angle], axis=1)),
        "angular_velocity": (("time", "body"), np.stack([rate, rate], axis=1)),
        "shape": (("time", "station", "axis"), shape),
        "resultant": (("time", "section", "component"), np.stack([_resultant(each) for each in deflection])),
        "reaction": (("time", "joint", "wrench"), _reaction(angle)),
        "energy": (
            ("time", "energy_kind"),
            np.stack([kinetic, 1.0 - kinetic, 0.0 * time, 0.0 * time, balance], axis=1),
        ),
        "state_q": ("state_coordinate", np.arange(6.0)),
        "state_lam": ("state_multiplier", np.empty(0)),
    }
    figures = {"steps": 200, "iterations": 401, "cut_backs": 0, "constraint_error": 3e-12, "energy_error": 1.5e-7}
    return Result(
        xr.Dataset(variables | _ground(), coords),
        "motion",
        Outcome(True, f"reached {end_time:g} s", figures),
        Provenance("swinging link and beam", "transient", {"end_time": end_time, "outputs": outputs}),
    )


def example_statics() -> Result:
    """Return an equilibrium: the link hangs, the beam is bent by a force at its tip."""
    variables = {
        "shape": (("station", "axis"), _shape(-0.5 * np.pi, 0.06)),
        "resultant": (("section", "component"), _resultant(0.06)),
        "reaction": (("joint", "wrench"), _reaction(np.array([-0.5 * np.pi]))[0]),
    }
    coords = _stations() | _sections() | {"joint": ["pivot"], "wrench": ["Fx", "Fy", "M"]}
    return Result(
        xr.Dataset(variables | _ground(), coords),
        "statics",
        Outcome(
            True, "equilibrium found", {"iterations": 5, "residual": 2e-11, "stable": True, "unstable_directions": 0}
        ),
        Provenance("swinging link and beam", "statics"),
    )


def example_modes(count: int = 4) -> Result:
    """Return modes about the hanging position: the beam bends in 1, 2, ... half waves; damped, so complex."""
    number = np.arange(1, count + 1)
    base = _shape(-0.5 * np.pi, 0.0)
    s = np.concatenate([[0.0, 0.0], np.linspace(0.0, 1.0, 21)])
    displacement = np.zeros((count, len(s), 2), dtype=complex)
    displacement[:, :, 0] = np.sin((number[:, None] - 0.5) * np.pi * s) * np.exp(0.3j * s)
    frequency, ratio = 5.0 * number**2, 0.01 * number
    eigenvalue = 2.0 * np.pi * frequency * (-ratio + 1j * np.sqrt(1.0 - ratio**2))
    variables = {
        "shape": (("station", "axis"), base),
        "frequency_hz": ("mode", frequency.astype(float)),
        "damping_ratio": ("mode", ratio),
        "eigenvalue": ("mode", eigenvalue),
        "mode_shape": (("mode", "station", "axis"), displacement),
    }
    return Result(
        xr.Dataset(variables | _ground(), _stations() | {"mode": number}),
        "modes",
        Outcome(True, f"{count} modes", {"residual": 1e-10}),
        Provenance("swinging link and beam", "modal", {"modes": count}),
    )


def example_path(points: int = 41) -> Result:
    """Return a path: the beam snaps through under a force at its tip, which has two limit points.

    force = 100 N (s³/3 - s²/2 + 0.21 s), turning at s = 0.3 and 0.7; the tip has moved across by 0.25 m times s.
    """
    s = np.linspace(0.0, 1.0, points)
    turning = [int(np.argmin(np.abs(s - place))) for place in (0.3, 0.7)]
    s[turning] = 0.3, 0.7
    force = 100.0 * (s**3 / 3.0 - s**2 / 2.0 + 0.21 * s)
    unstable = (s >= 0.3) & (s <= 0.7)
    shape = np.stack([_shape(-0.5 * np.pi, 0.25 * each) for each in s])
    sideways = (_shape(-0.5 * np.pi, 0.5) - _shape(-0.5 * np.pi, 0.0)) / 0.5
    coords = (
        _stations()
        | _sections()
        | {
            "point": np.arange(points),
            "parameter": ("point", force, {"name": "push/x", "units": "N"}),
            "arclength": ("point", s),
            "unstable_directions": ("point", unstable.astype(int)),
            "stable": ("point", ~unstable),
            "event_kind": ("event", ["limit point", "limit point"]),
            "event_parameter": ("event", force[turning]),
            "event_point": ("event", turning),
            "marker": ["link/tip", "beam/tip"],
            "body": ["link", "beam"],
        }
    )
    variables = {
        "position": (("point", "marker", "axis"), shape[:, [1, -1]]),
        "angle": (("point", "body"), np.full((points, 2), -0.5 * np.pi)),
        "shape": (("point", "station", "axis"), shape),
        "resultant": (("point", "section", "component"), np.stack([_resultant(0.25 * each) for each in s])),
        "event_shape": (("event", "station", "axis"), np.stack([sideways, sideways])),
        "event_direction": (("event", "coordinate"), np.ones((2, 6))),
        "path_q": (("point", "coordinate"), np.outer(s, np.arange(6.0))),
        "path_lam": (("point", "row"), np.outer(s, [1.0, -1.0])),
    }
    figures = {"points": points, "limit_points": 2, "bifurcations": 0, "iterations": 3 * points, "residual": 1e-10}
    return Result(
        xr.Dataset(variables | _ground(), coords),
        "path",
        Outcome(True, f"reached {force[-1]:g} N", figures),
        Provenance("swinging link and beam", "path", {"parameter": "push/x"}),
    )


def _stations() -> dict[str, object]:
    names = ["link"] * 2 + ["beam"] * 21
    return {
        "axis": PLACES,
        "part": ("station", names),
        "part_kind": ("station", ["rigid" if name == "link" else "beam" for name in names]),
        "s": ("station", np.concatenate([[0.0, 1.0], np.linspace(0.0, 1.0, 21)])),
    }


def _sections() -> dict[str, object]:
    return {
        "component": ["N", "V", "M"],
        "beam": ("section", ["beam"] * 11),
        "section_s": ("section", np.linspace(0.0, 1.0, 11)),
    }


def _ground() -> dict[str, object]:
    return {"ground_position": xr.DataArray([[0.0, 0.0]], dims=("ground", "axis"), coords={"ground": ["ground(0, 0)"]})}


def _shape(angle: float, deflection: float) -> Array:
    """Return the link from the pivot, then the beam clamped to it, bent like a cantilever with a force at its tip."""
    s = np.linspace(0.0, 1.0, 21)
    along = np.concatenate([[0.0, LINK], LINK + BEAM * s])
    across = np.concatenate([[0.0, 0.0], deflection * s**2 * (3.0 - s) / 2.0])
    c, k = np.cos(angle), np.sin(angle)
    return np.stack([c * along - k * across, k * along + c * across], axis=1)


def _resultant(deflection: float) -> Array:
    """Return N, V, M of that cantilever: M = EI w'' = 3 EI deflection (1 - s) / L²."""
    s = np.linspace(0.0, 1.0, 11)
    shear = np.full_like(s, 3.0 * EI * deflection / BEAM**3)
    return np.stack([np.zeros_like(s), shear, shear * BEAM * (1.0 - s)], axis=1)


def _reaction(angle: Array) -> Array:
    weight = 9.81 * MASS
    force = weight * np.sin(angle) ** 2
    return np.stack([0.5 * weight * np.sin(2.0 * angle), force, np.zeros_like(angle)], axis=1)[:, None, :]
