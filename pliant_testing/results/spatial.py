"""Small spatial results made by hand: a coiled rod that carries a platform, held by a tendon. Kinematics only.

The rod is a helix about z with both ends on its axis, clamped to the ground and to the platform; when pulled it grows
longer and thinner, and sways in x. Resultants are a coil spring's under a force along its axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from pliant._libraries import xarray as xr
from pliant.results.records import Outcome, Provenance
from pliant.results.result import Result

RADIUS, HEIGHT, TURNS = 0.12, 0.4, 2.5  # of the helix, m and 1
PLATE = 0.15  # radius of the platform, m
STIFFNESS = 50.0  # of the coil along its axis, N/m
NODES, SECTIONS = 25, 13
ANCHOR = (0.3, 0.0, 0.0)  # of the tendon
MODEL = "platform on a coil"

Array = npt.NDArray[np.float64]


def spatial_motion(outputs: int = 61, end_time: float = 2.0) -> Result:
    """Return a motion: the platform bounces at 1 Hz and sways and turns at 0.5 Hz."""
    time = np.linspace(0.0, end_time, outputs)
    stretch, sway = 0.1 * np.sin(2.0 * np.pi * time), 0.12 * np.sin(np.pi * time)
    variables, coords = _configurations(stretch, sway, "time")
    position, rotation = variables["position"][1], variables["rotation"][1]
    kinetic = 0.5 * np.sum(np.gradient(position[:, 1], time, axis=0) ** 2, axis=1)
    potential = 9.81 * (HEIGHT + stretch) + 0.5 * STIFFNESS * stretch**2
    momentum = np.concatenate([np.gradient(position[:, 1], time, axis=0), rotation[:, 1]], axis=1)
    variables |= {
        "velocity": (("time", "marker", "axis"), np.gradient(position, time, axis=0)),
        "angular_velocity": (("time", "body", "axis"), np.gradient(rotation, time, axis=0)),
        "energy": (("time", "energy_kind"), np.stack([kinetic, potential, 0 * time, 0 * time, 1e-9 * time], axis=1)),
        "momentum": (
            ("time", "momentum_kind"),
            momentum,
            {"units": "N s, N s, N s, N m s, N m s, N m s"},
        ),
        "state_q": ("state_coordinate", np.arange(20.0)),
    }
    coords |= {
        "time": time,
        "energy_kind": ["kinetic", "potential", "supplied", "dissipated", "balance"],
        "momentum_kind": ["x", "y", "z", "angular x", "angular y", "angular z"],
    }
    return _result(variables, coords, "motion", "transient", f"reached {end_time:g} s")


def spatial_statics() -> Result:
    """Return an equilibrium: the coil is pulled and bent."""
    variables, coords = _configurations(np.array([0.08]), np.array([0.1]), "time")
    data = xr.Dataset(variables, coords).isel(time=0)
    return Result(data, "statics", Outcome(True, "equilibrium found"), Provenance(MODEL, "statics"))


def spatial_modes(count: int = 4) -> Result:
    """Return modes: up and down, along x, along y, and turning about z, with more and more half waves; complex."""
    number = np.arange(1, count + 1)
    variables, coords = _configurations(np.zeros(1), np.zeros(1), "time")
    data = xr.Dataset(variables, coords).isel(time=0)
    base, s = data["shape"].values, np.clip(data["shape"].values[:, 2] / HEIGHT, 0.0, 1.0)
    ways = np.zeros((4, len(s), 3))
    ways[[0, 1, 2], :, [2, 0, 1]] = 1.0
    ways[3, :, :2] = base[:, [1, 0]] * [-1.0, 1.0] / PLATE
    waves = np.sin((np.arange(count) // 4 + 0.5)[:, None] * np.pi * s)
    frequency, ratio = 2.0 * number.astype(float), 0.01 * number
    variables = {
        "frequency_hz": ("mode", frequency),
        "damping_ratio": ("mode", ratio),
        "eigenvalue": ("mode", 2.0 * np.pi * frequency * (-ratio + 1j * np.sqrt(1.0 - ratio**2))),
        "mode_shape": (("mode", "station", "axis"), waves[..., None] * ways[np.arange(count) % 4] * np.exp(0.2j)),
    }
    modes = data.assign(variables).assign_coords(mode=number)
    return Result(modes, "modes", Outcome(True, f"{count} modes"), Provenance(MODEL, "modal", {"modes": count}))


def spatial_path(points: int = 31) -> Result:
    """Return a path: the coil is pressed together and bends aside, with a bifurcation halfway."""
    s = np.linspace(0.0, 1.0, points)
    stretch, sway = -0.2 * s, 0.25 * np.sqrt(np.maximum(s - 0.5, 0.0))
    variables, coords = _configurations(stretch, sway, "point")
    shapes, half = variables["shape"][1], points // 2
    variables |= {
        "event_shape": (("event", "station", "axis"), (shapes[-1] - shapes[half])[None]),
        "path_q": (("point", "coordinate"), np.outer(s, np.arange(20.0))),
        "path_lam": (("point", "row"), np.outer(s, np.ones(6))),
    }
    coords |= {
        "point": np.arange(points),
        "parameter": ("point", STIFFNESS * stretch, {"name": "press/z", "units": "N"}),
        "arclength": ("point", s),
        "unstable_directions": ("point", (s > 0.8).astype(int)),
        "stable": ("point", s <= 0.8),
        "event_kind": ("event", ["bifurcation"]),
        "event_parameter": ("event", STIFFNESS * stretch[[half]]),
        "event_point": ("event", [half]),
    }
    return _result(variables, coords, "path", "path", "reached -10 N")


def _result(variables: dict[str, Any], coords: dict[str, Any], kind: str, analysis: str, message: str) -> Result:
    return Result(xr.Dataset(variables, coords), kind, Outcome(True, message), Provenance(MODEL, analysis))


def _turn(stretch: Array, sway: Array) -> Rotation:
    """Return the rotation of the platform: it tilts as it sways, and turns as the coil opens."""
    return Rotation.from_rotvec(np.stack([0.0 * sway, 1.5 * sway / HEIGHT, 2.0 * stretch / HEIGHT], axis=-1))


def _shape(stretch: float, sway: float) -> Array:
    """Return the stations of rod, platform and tendon."""
    s = np.linspace(0.0, 1.0, NODES)
    height = HEIGHT + stretch
    radius = RADIUS * (1.0 - 0.5 * stretch / HEIGHT) * np.sin(np.pi * s) ** 0.7
    turn = 2.0 * np.pi * TURNS * s
    rod = np.stack([radius * np.cos(turn), radius * np.sin(turn), height * s], axis=1)
    rod[:, 0] += sway * s**2 * (3.0 - s) / 2.0
    corners = PLATE * np.array([[np.cos(a), np.sin(a), 0.0] for a in 2.0 * np.pi * np.arange(3) / 3.0])
    plate = rod[-1] + np.concatenate([np.zeros((1, 3)), _turn(np.array(stretch), np.array(sway)).apply(corners)])
    guide = np.array([[ANCHOR[0], 0.0, 0.25 * HEIGHT]])
    return np.concatenate([rod, plate, [ANCHOR], guide, plate[[1]]])


def _configurations(stretch: Array, sway: Array, lead: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables of motions, paths and equilibria, with the leading dimension `lead`; the base is fixed."""
    shape, turn = np.stack([_shape(*each) for each in zip(stretch, sway, strict=True)]), _turn(stretch, sway)
    still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(shape), 4))
    orientation = np.stack([np.roll(turn.as_quat(), 1, axis=1), still], axis=1)
    rotation = np.stack([turn.as_rotvec(), np.zeros((len(shape), 3))], axis=1)
    force = STIFFNESS * stretch
    reaction = np.zeros((len(shape), 2, 6))
    reaction[:, :, 2] = np.stack([-force, force], axis=1)
    route = shape[:, NODES + 4 :]
    names = ["rod"] * NODES + ["platform"] * 4 + ["tendon"] * 3
    variables = {
        "position": ((lead, "marker", "axis"), shape[:, [0, NODES, NODES + 1]]),
        "orientation": ((lead, "body", "quaternion"), orientation),
        "rotation": ((lead, "body", "axis"), rotation),
        "shape": ((lead, "station", "axis"), shape),
        "resultant": ((lead, "section", "component"), _resultant(force, sway)),
        "reaction": ((lead, "joint", "wrench"), reaction),
        "tension": ((lead, "line"), 5.0 + 20.0 * np.abs(sway)[:, None], {"units": "N", "listed_along": "line"}),
        "line_length": (
            (lead, "line"),
            np.linalg.norm(np.diff(route, axis=1), axis=-1).sum(axis=1)[:, None],
            {"units": "m", "listed_along": "line"},
        ),
        "ground_position": (("ground", "axis"), np.array([(0.0, 0.0, 0.0), ANCHOR])),
    }
    coords: dict[str, Any] = {
        "axis": ["x", "y", "z"],
        "quaternion": ["w", "x", "y", "z"],
        "component": ["N", "Vy", "Vz", "T", "My", "Mz"],
        "wrench": ["Fx", "Fy", "Fz", "Mx", "My", "Mz"],
        "marker": ["rod/base", "rod/tip", "platform/corner"],
        "body": ["platform", "rod"],
        "joint": ["foot", "head"],
        "joint_kind": ("joint", ["weld", "weld"]),
        "joint_drawing": ("joint", ["clamp", "clamp"]),
        "joint_marker": ("joint", ["rod/base", "rod/tip"]),
        "line": ["tendon"],
        "ground": ["ground(0, 0, 0)", "ground(0.3, 0, 0)"],
        "part": ("station", names),
        "part_kind": ("station", [{"rod": "beam", "platform": "rigid", "tendon": "line"}[name] for name in names]),
        "s": ("station", np.concatenate([np.linspace(0.0, 1.0, n) for n in (NODES, 4, 3)])),
        "beam": ("section", ["rod"] * SECTIONS),
        "section_s": ("section", np.linspace(0.0, 1.0, SECTIONS)),
    }
    if lead == "time":
        coords["time"] = np.arange(len(shape), dtype=float)
    return variables, coords


def _resultant(force: Array, sway: Array) -> Array:
    """Return the resultants of a coil under an axial force F: torque F r cos(a), bending F r sin(a), pitch angle a."""
    s = np.linspace(0.0, 1.0, SECTIONS)
    radius = RADIUS * np.sin(np.pi * s) ** 0.7
    pitch = np.arctan2(HEIGHT, 2.0 * np.pi * TURNS * RADIUS)
    along, across = np.sin(pitch), np.cos(pitch)
    f, none = force[:, None], np.zeros((len(force), SECTIONS))
    bent = 4.0 * sway[:, None] * (1.0 - s)
    columns = [f * along + none, f * across + none, none, f * radius * across, f * radius * along, bent]
    return np.stack(columns, axis=-1)
