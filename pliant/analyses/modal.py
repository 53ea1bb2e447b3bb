"""Modes: small vibrations about an equilibrium, with preload, joints and the stiffness of the joint forces."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from pliant.analyses._common import require, result, whole
from pliant.analyses._operating_point import equilibrium
from pliant.analyses.statics import statics
from pliant.forces.state_force.callbacks import watched
from pliant.results import Outcome, Result
from pliant.solvers import eigen
from pliant.system.capabilities import Linearisable, Observer
from pliant.system.points import Points
from pliant.system.samples import Samples


@watched()
def modal(system: Linearisable, *, at: Any = None, modes: int = 10, damped: bool = False) -> Result:
    """The lowest modes about an equilibrium.

    at      Result of statics, a point of a path, or transient that has come to rest, of this system; unless given, the
            equilibrium nearest to the assembly. A state that moves is refused
    modes   how many
    damped  True: complex modes of ``l^2 M + l C + K`` with dampers, drag, Rayleigh and gyroscopic terms

    K holds the stiffness of the constraint forces, ``d(G^T lambda)/dq``: a hanging pendulum has omega^2 = g / l. An
    unstable mode has a real positive eigenvalue. ``outcome.figures["freedoms"]`` counts the motions that the joints
    allow, those of parts without mass too. Shapes are scaled to a largest displacement of 1 m; ``modal_mass`` belongs
    to that.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0, -2)))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), bob.at(0, 2)), pl.Gravity())
    >>> round(float(pl.modal(pl.compile(m), modes=1).frequency_hz[0]), 6)
    0.352484
    """
    require(system, Linearisable, "modal")
    whole("modes", modes)
    state, seen = equilibrium(system, statics(system) if at is None else at), system.observed
    matrices = system.matrices(state)
    unit = 1.0 / seen.weight
    plain = matrices.in_units(unit)
    if damped:
        values, vectors = eigen.damped(plain.stiffness, plain.damping, plain.mass, plain.jacobian, modes)
    else:
        squares, vectors = eigen.undamped(plain.stiffness, plain.mass, plain.jacobian, modes, system.conservative)
        values = np.sqrt(-squares.astype(complex))
        values = np.where(values.imag < 0.0, -values, values)
    vectors = unit[:, None] * vectors
    observer = seen.observer()
    data = observer.dataset(Samples.of(state), state).isel(time=0, drop=True)
    data = data.assign_coords(mode=np.arange(1, values.size + 1)).assign(
        _modes(observer, state.q, matrices.mass, values, vectors)
    )
    growing = int(np.sum(values.real > 1e-9 * np.maximum(np.abs(values), 1e-300)))
    message = f"{values.size} modes" + (f", {growing} of them growing" if growing else "")
    figures = {"unstable_modes": growing, "freedoms": eigen.freedoms(matrices.jacobian, seen.weight)}
    return result(system, "modes", data, Outcome(True, message, figures), {"modes": modes, "damped": damped})


def _modes(observer: Observer, q: np.ndarray, mass: Any, values: np.ndarray, vectors: np.ndarray) -> dict[str, Any]:
    """Labelled modes; the displacement of a point is linear in the mode's coordinates."""
    seen, _ = observer.stations()
    at = observer.points(list(observer.markers.values()))
    system, n = observer.system, observer.system.freedoms
    coordinates = np.vstack([vectors, np.zeros((system.size - n, vectors.shape[1]))]).T
    shapes = _displacement(seen, q, coordinates)
    size = np.max(np.abs(shapes), axis=(1, 2), initial=0.0)
    size = np.where(size > 0.0, size, 1.0)
    coordinates = coordinates / size[:, None]
    moved = mass @ coordinates[:, :n].T
    modal_mass = np.real(np.sum(coordinates[:, :n].conj() * moved.T, axis=1))
    if np.iscomplexobj(coordinates) and not np.any(coordinates.imag):
        coordinates = coordinates.real
    effective = np.abs(system.translations @ moved).T ** 2 / np.where(modal_mass > 0.0, modal_mass, 1.0)[:, None]
    turns = observer.turns(q, coordinates)
    return {
        "eigenvalue": ("mode", values),
        "frequency_hz": ("mode", np.abs(values) / (2.0 * np.pi)),
        "damping_ratio": ("mode", -values.real / np.maximum(np.abs(values), 1e-300)),
        "modal_mass": ("mode", modal_mass),
        "effective_mass": xr.DataArray(effective, dims=("mode", "axis"), attrs={"units": "kg"}),
        "mode_shape": (("mode", "station", "axis"), shapes / size[:, None, None]),
        "mode_position": (("mode", "marker", "axis"), _displacement(at, q, coordinates)),
        "mode_angle": xr.DataArray(turns, dims=("mode", "body", "axis")[: turns.ndim], attrs={"units": "rad"}),
    }


def _displacement(points: Points, q: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """(modes, points, 2), from the velocity map at q."""
    repeated = np.broadcast_to(q, (coordinates.shape[0], q.size))
    if np.iscomplexobj(coordinates):
        return points.velocity(repeated, coordinates.real) + 1j * points.velocity(repeated, coordinates.imag)
    return points.velocity(repeated, coordinates)


__all__ = ["modal"]
