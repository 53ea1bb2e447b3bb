"""Linearisation of an arm: in its own coordinates at any state, in the observed system's at rest, and the natural
frequencies along a motion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import sparse
from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.system.state import Matrices, State
from pliant_papers.kinked import inertia, recursion, strain, view
from pliant_papers.kinked import tree as trees
from pliant_papers.kinked.starting import TINY, begin_from
from pliant_papers.kinked.system import FORMS, Kinked


class Tangents(NamedTuple):
    """``M dQ'' + C dQ' + K dQ``, derivatives of the equations of motion at a state."""

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray


def tangents(system: Kinked, q: Any, v: Any, a: Any, signals: np.ndarray) -> Tangents:
    """Compute exact derivatives of ``M Q'' + h + V_Q - loads`` by a complex step in every coordinate and rate."""
    n = system.freedoms
    steps = 1j * TINY * np.eye(n)
    stiffness = [system.residual(q + step, v, a, signals=signals).imag for step in steps]
    damping = [system.residual(q, v + step, a, signals=signals).imag for step in steps]
    return Tangents(system.mass_matrix(q), np.column_stack(damping) / TINY, np.column_stack(stiffness) / TINY)


def slopes(system: Kinked, q: np.ndarray) -> np.ndarray:
    """Return dQ by the observed coordinates, (n, observed), for Q as computed by `view.relative`."""
    work, found = trees.work(system.tree, complex), np.zeros((system.observed.freedoms, system.freedoms + 3), complex)
    for k, row in enumerate(found):
        moved = q.astype(complex)
        moved[k] += 1j * TINY
        view.relative(system.tree, system.nodes, moved, work, row)
    return found.imag[:, :-3].T / TINY


def matrices(system: Kinked, state: State) -> Matrices:
    """Return the matrices in the observed coordinates, ``W^T M W`` with W = dQ/dq, and the Jacobian of the joints, at
    rest in the pose of a state: exact for motions that the joints allow.
    """
    q, _ = begin_from(system, state, None)
    still, w = np.zeros_like(q), slopes(system, state.q)
    found = tangents(system, q, still, still, system.inputs(state.time)[0])
    mass, damping, stiffness = (sparse.csc_matrix(w.T @ matrix @ w) for matrix in found)
    return Matrices(stiffness, damping, mass, system.observed.matrices(state).ties)


def natural_frequencies(system: Kinked, run: Any, *, modes: int, stiffness: str) -> xr.DataArray:
    """Return the frequencies (Hz) of ``(K + Delta K(Q)) x = omega^2 M(Q) x`` at every instant of a motion.

    Free rotations, omega = 0, are omitted.
    """
    if stiffness not in ("linear", *FORMS):
        raise OptionError(f"stiffness={stiffness!r} is not known. {nearest(str(stiffness), ('linear', *FORMS))}")
    if "coordinates" not in getattr(run, "data", ()) or tuple(run.coordinate.values) != system.names:
        raise OptionError("run: it has no coordinates of this arm. Give a result of its own transient or statics.")
    coordinates = run.coordinates.values.reshape(-1, run.coordinates.shape[-1])
    free = np.setdiff1d(np.arange(system.freedoms), [joint for joint, _ in system.driven])
    loose = int(np.sum(~np.any(system.stiffness[free], axis=1)))
    if not 1 <= modes <= free.size - loose:
        raise OptionError(f"modes={modes}: the arm has {free.size - loose} modes with stiffness.")
    mass, stiff = batch(system, coordinates, FORMS.get(stiffness, (0.0, 0.0, 0.0)))
    mass, stiff = (matrix[:, free[:, None], free] for matrix in (mass, stiff))
    lower = np.linalg.cholesky(mass)
    half = np.linalg.solve(lower, stiff)
    squares = np.linalg.eigvalsh(np.linalg.solve(lower, np.swapaxes(half, 1, 2)))[:, loose : loose + modes]
    values = np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)
    coords = {"mode": np.arange(1, modes + 1)}
    if "time" in run.coordinates.dims:
        coords["time"] = run.time.values
        return xr.DataArray(values, coords, ("time", "mode"), "frequency_hz", {"units": "Hz"})
    return xr.DataArray(values[0], coords, ("mode",), "frequency_hz", {"units": "Hz"})


def batch(system: Kinked, coordinates: np.ndarray, form: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return M and K + Delta K at many Q, (times, n, n) each."""
    n, count = system.freedoms, len(coordinates)
    tree, work, still = system.tree._replace(order=system.tree.order * form), trees.work(system.tree), np.zeros(n + 3)
    mass, stiffness = np.zeros((2, count, n + 3, n + 3))
    for k, q in enumerate(coordinates):
        place = system.padded(q)
        recursion.outwards(tree, place, still, still, 0.0, 0.0, work, False)
        inertia.mass_matrix(tree, place, work, mass[k])
        strain.strain(tree, place, still.copy(), stiffness[k], True)
    return mass[:, :n, :n], stiffness[:, :n, :n]
