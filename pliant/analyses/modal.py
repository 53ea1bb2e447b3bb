"""Modes: small vibrations about an equilibrium, with preload, joints and the stiffness of the joint forces."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import xarray as xr

from pliant.analyses._common import advice, other_joints, require, result, state_of, whole
from pliant.analyses.statics import statics
from pliant.errors import OptionError, PliantWarning
from pliant.forces.state_force.callbacks import watched
from pliant.results import Outcome, Result
from pliant.solvers import eigen
from pliant.system.capabilities import Linearisable, Observer
from pliant.system.points import Points
from pliant.system.samples import Samples
from pliant.system.state import State


@watched()
def modal(system: Linearisable, *, at: Any = None, modes: int = 10, damped: bool = False) -> Result:
    """The lowest modes about an equilibrium.

    at      Result of statics, a point of a path, or transient (its last state), of this system; unless given, the
            equilibrium nearest to the assembly
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
    state, seen = _equilibrium(system, statics(system) if at is None else at), system.observed
    if np.any(np.abs(state.v[: seen.freedoms]) * seen.weight > 1e-6):
        warnings.warn(
            f"modal: {system.model.name!r} is moving in the state given; its modes are those of a frozen instant, not "
            "of an equilibrium. Start from statics(...).",
            PliantWarning,
            stacklevel=3,
        )
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


def _equilibrium(system: Linearisable, at: Any) -> State:
    """The state to linearise about; refused if it is that of other joints or of other loads.

    The end of a motion need not be in balance (its own inertia may hold it): it is taken as it is.
    """
    seen = system.observed
    different = other_joints(seen, at)
    if different:
        raise OptionError(
            f"at: that state is of other joints ({', '.join(different)}), whose reactions it holds. "
            "Find the equilibrium of this system first: statics(system, start=...)."
        )
    state = state_of(seen, at, "at", driven=True)
    if state.abar is not None:
        return state
    unbalanced, loads, rounding = system.balance(state)
    if unbalanced > max(1e-4 * loads, rounding):
        raise OptionError(
            f"at: that state is no equilibrium of this system: {unbalanced / seen.length_scale:.3g} N is not "
            f"balanced, of {loads / seen.length_scale:.3g} N at work. {advice(seen, at)}"
        )
    return state


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
