"""Modes: small vibrations about an equilibrium, with preload, joints and the stiffness of the joint forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._libraries import linalg as dense
from pliant.analyses.common import Start, require, result, whole, with_warnings
from pliant.analyses.friction import small_motions
from pliant.analyses.modes.resolution import SHORT, of_waves, resolved, too_short
from pliant.analyses.operating_point import equilibrium
from pliant.analyses.spin import in_its_axes
from pliant.analyses.statics.statics import statics
from pliant.errors import OptionError, PliantWarning, UnstableEquilibrium, warn
from pliant.forces.state_force.callbacks import watched
from pliant.linalg import eigen
from pliant.linalg import rounding as digits
from pliant.linalg.gyroscopic import gyroscopic
from pliant.linalg.spectrum import exact_modes
from pliant.results import Result
from pliant.results.lazy_arrays import Pending
from pliant.results.records import Check, judged
from pliant.solvers.nonlinear.equilibrium import falling
from pliant.system.capabilities import (
    HasEquations,
    Linearisable,
    LinearisableByForces,
    LinearisableByFrequency,
    Observer,
    TellsOfRest,
    Turning,
    can,
)
from pliant.system.limits.mesh_resolution import Vibrations
from pliant.system.observation.lazy_arrays import Deferred, together
from pliant.system.observation.points import Points
from pliant.system.samples import Samples
from pliant.system.state import Matrices, State

MANY = 10  # modes, unless their number is given
AT_STAKE = 1e-5  # of a frequency: where rounding may change more, modes are found once more from forces
MORE = 12  # additional modes, if the requested ones are all zero
BETWEEN = 0.01  # of a frequency: what vibrations of rods between nodes may change of it
ROUNDING = 1e-9  # of an eigenvalue: a larger real part grows
REMAINS = 0.1  # of what rounding in the matrix does, at most, remains then (0.02 at EA L^2/EI up to 1e13)

SHAPED = ("modal_mass", "effective_mass", "mode_shape", "mode_position", "mode_angle")


@with_warnings
@watched()
def modal(
    system: Linearisable,
    *,
    at: Start = None,
    modes: int | None = None,
    damped: bool = False,
    friction: str | None = None,
    normalise: str = "size",
) -> Result:
    """Compute the lowest modes about an equilibrium.

    at      Result of statics, a point of a path, or transient that has come to rest, of this system; unless given, the
            equilibrium nearest to the assembly. Of a steady spin (`statics` with ``spin``) the modes are those in axes
            that turn with it, with Coriolis forces and gyroscopic moments. Any other state that moves is refused
    modes   how many; unless given, up to ten that the meshes of beams resolve to a fifth of their frequency
    damped  True: complex modes of ``l^2 M + l C + K`` with dampers, drag, Rayleigh and gyroscopic terms, and their
            ``damping_ratio``, which other results do not have
    friction  of parts with dry friction (`Friction`, `PinFriction`, ...): "stuck" locks them, "free" leaves it out;
            needed where friction holds something
    normalise  "size": shapes have a largest displacement of 1 m; "mass": a modal mass of 1 kg

    K holds the stiffness of the constraint forces, ``d(G^T lambda)/dq``: a hanging pendulum has omega^2 = g / l. An
    unstable mode has a real positive eigenvalue. ``outcome.figures["freedoms"]`` counts the motions that the joints
    allow, including motions of parts without mass. ``modal_mass`` belongs to the shapes as they are scaled. Modes
    whose waves are too short for the elements of beams are not ok (`pl.estimate` gives their errors more exactly).

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0, -2)))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), bob.at(0, 2)), pl.Gravity())
    >>> round(float(pl.modal(pl.compile(m), modes=1).frequency_hz[0]), 6)
    0.352484
    """
    found = vibrations(system, at=at, modes=modes, damped=damped, friction=friction, normalise=normalise)
    for check in found.outcome.failed:
        if check.name == SHORT:
            warn(PliantWarning, f"Modes of {found.provenance.model!r}: {check!r}. {check.advice}")
    return found


def vibrations(
    system: Linearisable,
    *,
    at: Start = None,
    modes: int | None = None,
    damped: bool = False,
    friction: str | None = None,
    normalise: str = "size",
) -> Result:
    """Compute the modes of `modal` without a warning of unresolved ones, for callers that need more than they show."""
    require(system, Linearisable, "modal")
    whole("modes", MANY if modes is None else modes)
    if normalise not in ("size", "mass"):
        raise OptionError(f"normalise={normalise!r} is not known: give 'size' or 'mass'.")
    at = statics(system) if at is None else at
    system = in_its_axes(system, at, "modal")
    state, seen = equilibrium(system, at), system.observed
    matrices = small_motions(system, state, friction, "modal")
    unit = 1.0 / seen.weight
    plain = matrices.in_units(unit)
    find, count = _damped if damped else _gyroscopic if can(system, Turning) else _undamped, modes or MANY
    values, vectors, lost = find(system, state, plain, count)
    if values.size and not np.any(values):  # what rounding hides behind zeros shows beside others only
        values, vectors, lost = (found[..., :count] for found in find(system, state, plain, count + MORE))
    vectors = unit[:, None] * vectors
    found, inside = Vibrations.of(matrices.mass, values, vectors), 0.0
    if can(system, LinearisableByFrequency):
        found, inside = _by_frequency(system, state, matrices, count, found)
    observer = seen.observer()
    variables, coords = observer.moving(Samples.of(state), state)
    data = Pending(Deferred(variables), coords, observer.labelled)
    short = too_short(system, state, found)
    good = resolved(short, found.values)
    left_out = modes is None and good < short.size
    if left_out:
        count = max(good, 1)
        found, lost, short = found.first(count), lost[:count], short[:count]
    values = found.values
    if can(system, TellsOfRest):
        data = data.assign(system.own_variables(state))  # type: ignore[attr-defined]
    data = data.at_rest().assign(_modes(observer, state, found, normalise))
    if damped:
        ratio = -values.real / np.maximum(np.abs(values), 1e-300)
        data = data.assign({"damping_ratio": ("mode", ratio)})
    rounding = eigen.GROWS if unit.size > eigen.DENSE_LIMIT else ROUNDING
    growing = int(np.sum(values.real > rounding * np.maximum(np.abs(values), 1e-300)))
    message = f"{values.size} mode{'s' * (values.size != 1)}" + (f", {growing} of them growing" if growing else "")
    if left_out:
        message += (
            f", of the lowest {MANY} those that the mesh resolves" if good else ", which the mesh does not resolve"
        )
    if growing:
        warn(
            UnstableEquilibrium,
            f"{growing} of the modes of {system.model.name!r} grow: the equilibrium is unstable. Take one on the side "
            "you want (statics with start=, or a path).",
        )
    figures = {"unstable_modes": growing, "freedoms": eigen.freedoms(matrices.ties, seen.weight)}
    check = Check("rounding", np.max(lost, initial=0.0), digits.LIMIT, "of a frequency", digits.ADVICE)
    digits.warn(f"modal: {system.model.name!r}", check.value, _worst(values, lost))
    between = Check("vibrations between nodes", inside, BETWEEN, "of a frequency", "Take more subintervals=.")
    checks = [check, *([between] if can(system, LinearisableByFrequency) else of_waves(seen, short, values))]
    return result(
        system,
        "modes",
        data,
        judged(message, figures, checks),
        {"modes": count, "damped": damped, "normalise": normalise},
    )


def _by_frequency(
    system: Any, state: State, matrices: Matrices, count: int, found: Vibrations
) -> tuple[Vibrations, float]:
    """Compute modes by the dynamic stiffness, and the remaining relative error of their eigenvalues.

    With damping, or forces without a potential, the modes of the matrices stay, with the error of the undamped
    ones. Motions that cost nothing stay as they are, too: in them nothing is between nodes.
    """
    unit = 1.0 / system.observed.weight
    plain = matrices.in_units(unit)
    squares, shapes = eigen.undamped(plain.stiffness, plain.mass, plain.jacobian, count, True)
    still = int(np.sum(squares == 0.0))
    basis = unit[:, None] * eigen.null_space(plain.jacobian)
    exact = exact_modes(system.vibrating(state), basis, squares, still, count)
    if np.iscomplexobj(found.vectors) or not system.conservative:
        pairs = min(squares.size - still, exact.squares.size)
        off = np.abs(squares[still : still + pairs] / exact.squares[:pairs] - 1.0)
        return found, 0.5 * float(np.max(off, initial=0.0))
    free = Vibrations.of(matrices.mass, squares[:still], unit[:, None] * shapes[:, :still])
    return Vibrations(
        _roots(np.concatenate([free.values, exact.squares])),
        np.hstack([free.vectors, exact.vectors]),
        np.hstack([free.momenta, exact.momenta]),
        np.concatenate([free.masses, exact.masses]),
    ), 0.0


def _roots(squares: np.ndarray) -> np.ndarray:
    """Return l of l^2 = -omega^2, the one that turns forwards or grows."""
    values = np.sqrt(-squares.astype(complex))
    return np.where(values.imag < 0.0, -values, values)


def _falling(system: Any, state: State, plain: Matrices) -> int:
    """Return the number of growing modes, for a model so large that only some of its modes are computed."""
    large = plain.mass.shape[0] > eigen.DENSE_LIMIT and can(system, HasEquations) and not can(system, Turning)
    return falling(system, state) if large else 0


def _damped(system: Any, state: State, plain: Matrices, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return l, vectors, and the relative rounding error of l."""
    known = _falling(system, state, plain)
    values, vectors = eigen.damped(plain.stiffness, plain.damping, plain.mass, plain.ties, count, known)
    off = digits.rounding(plain.stiffness, vectors)
    return values, vectors, digits.shares(off, plain.damping, plain.mass, values, vectors)


def _gyroscopic(_: Any, __: State, plain: Matrices, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return l, vectors and rounding errors in turning axes, without damping."""
    coupling = 0.5 * (plain.damping - plain.damping.T)
    values, vectors = gyroscopic(plain.stiffness, coupling, plain.mass, plain.ties, count)
    off = digits.rounding(plain.stiffness, vectors)
    return values, vectors, digits.shares(off, coupling, plain.mass, values, vectors)


def _undamped(system: Any, state: State, plain: Matrices, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return l, vectors and rounding errors without damping; from forces if rounding in the matrix leaves too
    little.
    """
    symmetric, known = system.conservative, _falling(system, state, plain)
    squares, vectors = eigen.undamped(plain.stiffness, plain.mass, plain.ties, count, symmetric, known)
    if np.any(squares.real < 0.0):  # some are rounding of the forces
        sizes = np.abs(squares) * np.abs(np.sum(vectors.conj() * (plain.mass @ vectors), axis=0))
        forces = digits.NOISE * digits.EPS * system.balance(state)[1]
        squares = np.where(sizes <= forces * np.sum(np.abs(vectors) ** 2, axis=0), 0.0, squares)
    values, off = _roots(squares), digits.rounding(plain.stiffness, vectors)
    lost = digits.shares(off, None, plain.mass, values, vectors)
    at_stake = np.any(lost > np.where(values == 0.0, digits.LIMIT, AT_STAKE))
    if not (at_stake and system.conservative and can(system, LinearisableByForces)):
        return values, vectors, lost
    squares, vectors = _by_forces(system, state, plain, squares, vectors)
    doubt = REMAINS * digits.rounding(plain.stiffness, vectors)
    values = _roots(np.where(np.abs(squares) <= doubt, 0.0, squares))  # of unit mass
    return values, vectors, digits.shares(doubt, None, plain.mass, values, vectors, noise=1.0)


def _by_forces(
    system: Any, state: State, plain: Matrices, squares: np.ndarray, vectors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return omega^2 and vectors of unit mass within the modes found, with their stiffness from forces (Ritz).

    Amplitudes are so small that what they strain of second order stays below what a mode bends: |K| a^2 = x^T K x.
    """
    terms = digits.rounding(plain.stiffness, vectors) / digits.EPS
    sizes = np.maximum(np.abs(squares) * np.sum(vectors * (plain.mass @ vectors), axis=0), digits.EPS * terms)
    steps = np.sqrt(sizes / np.maximum(terms, 1e-300)) / np.max(np.abs(vectors), axis=0)
    stiffness = system.stiffness_by_forces(state, vectors / system.observed.weight[:, None], steps)
    squares, turned = dense.eigh(0.5 * (stiffness + stiffness.T), vectors.T @ (plain.mass @ vectors))
    return squares, vectors @ turned


def _worst(values: np.ndarray, lost: np.ndarray) -> str:
    """Describe the modes that rounding may have changed."""
    least = np.min(np.abs(values[values != 0.0]), initial=np.inf)
    names = []
    for k in np.flatnonzero(lost > digits.LIMIT):
        hertz = abs(values[k]) / (2.0 * np.pi)
        if hertz > 0.0:
            names.append(f"mode {k + 1} ({hertz:.3g} Hz) by {100.0 * lost[k]:.1g} %")
        else:
            most = least * lost[k] / (2.0 * np.pi)
            names.append(f"mode {k + 1}, which may be of any frequency up to {most:.2g} Hz")
    return f"rounding may change {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}."


def _modes(observer: Observer, state: State, found: Vibrations, normalise: str) -> dict[str, Any]:
    """Return labelled modes; variables of their shapes are computed at the first use."""
    values = found.values
    return {
        "mode": np.arange(1, values.size + 1),
        "eigenvalue": ("mode", values),
        "frequency_hz": ("mode", np.abs(values) / (2.0 * np.pi)),
        **together(lambda: _shaped(observer, state, found, normalise), SHAPED),
    }


def _shaped(observer: Observer, state: State, found: Vibrations, normalise: str) -> dict[str, Any]:
    """Return shapes of modes at points, linear in their coordinates."""
    q, at, values = state.q, observer.points(list(observer.markers.values())), found.values
    system, n = observer.system, observer.system.freedoms
    coordinates = np.vstack([found.vectors, np.zeros((system.size - n, values.size))]).T
    states, squares = Samples.repeated(state, values.size), -np.real(values**2)
    shapes = observer.moves(states, coordinates.real, squares)
    if np.iscomplexobj(coordinates):
        shapes = shapes + 1j * observer.moves(states, coordinates.imag, squares)
    size = np.max(np.abs(shapes[:, : shapes.shape[1] - observer.beside]), axis=(1, 2), initial=0.0)
    if normalise == "mass":
        size = np.sqrt(np.maximum(found.masses, 0.0))
    size = np.where(size > 0.0, size, 1.0)
    coordinates = coordinates / size[:, None]
    modal_mass = found.masses / size**2
    if np.iscomplexobj(coordinates) and not np.any(coordinates.imag):
        coordinates = coordinates.real
    carried = np.abs(system.translations @ found.momenta).T / size[:, None]
    effective = carried**2 / np.where(modal_mass > 0.0, modal_mass, 1.0)[:, None]
    turns = observer.turns(q, coordinates)
    made = (
        ("mode", modal_mass),
        (("mode", "axis"), effective, {"units": "kg"}),
        (("mode", "station", "axis"), shapes / size[:, None, None]),
        (("mode", "marker", "axis"), _displacement(at, q, coordinates)),
        (("mode", "body", "axis")[: turns.ndim], turns, {"units": "rad"}),
    )
    return dict(zip(SHAPED, made, strict=True))


def _displacement(points: Points, q: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """Return (modes, points, 2) displacements, from the velocity map at q."""
    repeated = np.broadcast_to(q, (coordinates.shape[0], q.size))
    if np.iscomplexobj(coordinates):
        return points.velocity(repeated, coordinates.real) + 1j * points.velocity(repeated, coordinates.imag)
    return points.velocity(repeated, coordinates)


__all__ = ["modal"]
