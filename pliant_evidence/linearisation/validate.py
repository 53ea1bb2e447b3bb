"""Linear models against difference quotients of the nonlinear equations, and poles in several sets of coordinates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as dense
import xarray as xr

import pliant as pl
from pliant.analyses.common import state_of
from pliant.control.models.linear_model import LinearModel
from pliant.errors import ModelError, PliantWarning
from pliant.formulations.relative import poses
from pliant.joints import rows as joints
from pliant.linalg.finite_differences import derivative
from pliant.model.signals.base import Expression
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.solvers.stepping.consistent_start import consistent
from pliant.system.observation.observer import Observer
from pliant.system.samples import Samples
from pliant.system.state import State
from pliant_gallery import cantilever, four_bar, leg, pendulum
from pliant_gallery.leg.stages import LIGHT_DAMPER, pretension
from pliant_testing.validation import Kind, Row, at_most, case

REACH = 0.02  # lengths of the model, rad: the largest displacement of a difference quotient
SLOWEST = 8  # poles that are compared
LENGTH, TORQUE, DAMPING = 0.7, 1.0, 0.2  # of the pendulum


class Example(NamedTuple):
    """A system, an operating point of it, what goes in and out, and its poles by a way of its own, with its name."""

    name: str
    system: Multipliers
    at: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    own: tuple[str, Callable[[], np.ndarray]] | None = None

    def plant(self) -> LinearModel:
        """Return the linear model."""
        return pl.linearise(self.system, at=self.at, inputs=self.inputs, outputs=self.outputs, frozen=True)


@case("linearise", source="difference quotients of the nonlinear equations; closed forms; pl.modal")
def linearise() -> Iterator[Row]:
    """A, B, C, D of five mechanisms against differences; poles in redundant, reduced and minimal coordinates."""
    for example in (hanging_rod(), linkage(), clamped_beam(), *legs(), swinging_chain()):
        yield from rows(example)


def rows(example: Example) -> Iterator[Row]:
    """Check one mechanism."""
    plant = example.plant()
    for name, error in mismatch(plant, Nonlinear(example, plant).quotients()).items():
        yield at_most(
            f"{example.name}: {name}, from difference quotients", "relative", error, limit=1e-6, kind="itself"
        )
    if not plant.frozen:
        yield from poles(example, plant)


def hanging_rod() -> Example:
    """Return a rod held aside by a motor, with a damper: I phi'' = tau - m g L/2 cos(phi) - c phi'."""
    m = pendulum.model(kind="rod", length=LENGTH, angle=-1.2)
    rod, pivot = m.part("rod 1"), _ground(m).at(0, 0)
    m.add(
        pl.Motor("motor", pivot, rod.at(s=0), TORQUE),
        pl.TorsionSpring("damper", pivot, rod.at(s=0), stiffness=0.0, damping=DAMPING),
    )
    system = pl.compile(m)
    pin = f"reaction:{m.joints[0].name}"
    outputs = ("angle:rod 1", "velocity:rod 1/tip:x", f"{pin}:Fx", f"{pin}:Fy")

    def exact() -> np.ndarray:
        inertia, weight = LENGTH**2 / 3.0, 0.5 * pendulum.GRAVITY * LENGTH
        stiffness = sqrt(weight**2 - TORQUE**2)  # m g L/2 sin|phi| where m g L/2 cos(phi) = tau
        return np.roots([inertia, DAMPING, stiffness])

    own = "closed form", exact
    return Example("pendulum", system, pl.statics(system), ("motor/torque", "gravity/y"), outputs, own)


def linkage() -> Example:
    """Return the rigid four-bar at rest, a motor on its crank; its poles from the equation of the crank's angle."""
    m = four_bar.model()
    m.add(pl.Motor("motor", _ground(m).at(*four_bar.CRANK_BASE), m.part("crank").at(s=0), 2.0))
    system = pl.compile(m)
    rest = pl.statics(system)
    names = [joint.name for joint in m.joints]
    outputs = ("angle:rocker", "angular_velocity:coupler", f"reaction:{names[1]}:Fx", f"reaction:{names[3]}:Fy")

    def exact() -> np.ndarray:
        reduced = pl.compile(m, formulation="relative")
        q, angle = state_of(system, rest).q, float(rest.angle.sel(body="crank"))
        place = 3 * system.layout.body_node(m.part("crank")) + 2

        def second(y: float, rate: float) -> list[float]:
            return [poses.point(reduced, "crank", y, rate, q).a[place]]

        stiff = derivative(lambda t: np.array([second(angle + s, 0.0) for s in t]), REACH)[0]
        lossy = derivative(lambda t: np.array([second(angle, s) for s in t]), REACH)[0]
        return np.roots([1.0, -lossy, -stiff])

    inputs, own = ("motor/torque", "gravity/x", "gravity/y"), ("angle of the crank alone", exact)
    return Example("four-bar", system, rest, inputs, outputs, own)


def clamped_beam() -> Example:
    """Return a cantilever bent by its tip force; its clamped node left out gives minimal coordinates."""
    damping = pl.Rayleigh(0.5, 1e-3)
    m = cantilever.model(length=0.5, height=1e-3, width=1e-2, gravity=True, tip_force=-0.05, damping=damping)
    system = pl.compile(m, elements=5)
    rest = pl.statics(system)
    outputs = ("position:beam/tip:y", "resultant:beam@0.4:M", f"reaction:{m.joints[0].name}:M", "velocity:beam/tip:x")

    def exact() -> np.ndarray:
        matrices = system.matrices(state_of(system, rest))
        free = slice(3, system.freedoms)
        return quadratic(*(x.toarray()[free, free] for x in (matrices.mass, matrices.damping, matrices.stiffness)))

    inputs, own = (f"{m.forces[0].name}/y", "gravity/x"), ("clamped node left out", exact)
    return Example("cantilever", system, rest, inputs, outputs, own)


def legs() -> Iterator[Example]:
    """Yield pretensioned leg: held and driven at q3, and held there by the torque of a motor, where it is unstable."""
    outputs = (
        "angle:lower link", "position:leaf@0.5:x", "velocity:leaf@0.5:y", "line_length:tendon", "line_rate:tendon",
        "tension:tendon", "reaction:A:Fx", "reaction:O:Fy", "resultant:leaf@0.5:M",
    )  # fmt: skip
    given = replace(leg.LEG, tendon_damping=LIGHT_DAMPER)
    held = pl.compile(leg.model(given), elements=4)
    rest = pretension(held, given).rest
    inputs = ("tendon/rest_length", "tendon/tension", "gravity/y")
    yield Example("leg held", held, rest, (*inputs, "hold/angle"), (*outputs, "reaction:hold:M"))
    m = leg.model(given, hold=None)
    pivot, link = _ground(m).at(*given.upper_pivot), m.part("upper link").at(s=0)
    m.add(pl.Motor("motor", pivot, link, float(rest.reaction.sel(joint="hold", wrench="M"))))
    free = pl.compile(m, elements=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the posture is unstable
        posture = pl.statics(free, start=rest)
    yield Example("leg on a motor", free, posture, (*inputs, "motor/torque"), (*outputs, "angle:upper link"))


def swinging_chain() -> Example:
    """Return two rods with a lump off their axis on a pivot that is driven sideways: a point of a motion."""
    m = pl.Model("swinging chain")
    ground, cart, upper, lower = m.add(
        pl.Ground(),
        pl.Body("cart", mass=0.5, inertia=0.01, position=(0.0, 0.0), angle=0.0),
        pl.Link("upper", length=0.6, mass=1.0, angle=-0.4),
        pl.Link("lower", length=0.5, mass=0.7, angle=-1.9),
    )
    m.add(
        pl.Prismatic(ground.at(0, 0), cart.at(), name="rail"),
        pl.Motion(ground.at(0, 0), cart.at(), x=pl.Sine(0.1, 1.5), name="base"),
        pl.Revolute(cart.at(), upper.at(s=0), name="hip"),
        pl.Revolute(upper.at(s=1), lower.at(s=0), name="knee"),
        pl.PointMass("lump", lower.at(s=0.7, y=0.1), mass=0.4),
        pl.Spring("spring", ground.at(0.6, -0.5), lower.at(s=1), stiffness=30.0, rest_length=0.3, damping=2.0),
        pl.Motor("motor", upper.at(s=1), lower.at(s=0), pl.Sine(1.0, 0.7)),
        pl.Gravity(),
    )
    system = pl.compile(m)
    run = pl.transient(system, end_time=0.37, step=1e-3)
    outputs = (
        "angle:lower", "position:lower/tip:x", "velocity:lower/tip:y", "line_rate:spring", "tension:spring",
        "reaction:hip:Fx", "reaction:base:Fx",
    )  # fmt: skip
    return Example("double pendulum in motion", system, run, ("motor/torque", "gravity/y", "base/x"), outputs)


def _ground(m: pl.Model) -> pl.Ground:
    if m.ground is None:
        raise ModelError(f"Model {m.name!r} has no ground.")
    return m.ground


@dataclass
class Nonlinear:
    """Accelerations and outputs of the nonlinear equations near an operating point, in the states of its linear model.

    With the joints closed, L (q - q0) = L (Z x + R w) determines q, for L = Z^T M; derivatives likewise. Accelerations
    and joint forces belong to the consistent start of a motion.
    """

    example: Example
    plant: LinearModel

    def __post_init__(self) -> None:
        self.system, names = self.example.system, self.plant.state_names
        self.state = state_of(self.system, self.example.at)
        self.driven = [name for name in self.example.inputs if name in names]
        self.positions = sum(not name.endswith(" rate") for name in names)
        self.free = self.positions - len(self.driven)

    @cached_property
    def basis(self) -> np.ndarray:
        """Return the matrix from (x, w) to coordinates."""
        return np.asarray(self.plant.basis)[:, : self.positions]

    @cached_property
    def chart(self) -> np.ndarray:
        """L = Z^T M, which is blind to what moves fast but has no mass."""
        return np.asarray((self._mass @ self.basis[:, : self.free]).T)

    @cached_property
    def _mass(self) -> Any:
        return self.system.matrices(self.state).mass

    @cached_property
    def _turning(self) -> np.ndarray:
        """Z'^T M (Z', R'): what the frame's own turning adds to x''."""
        rates = np.asarray(self.plant.velocity_basis)[:, : self.positions]
        return np.asarray(rates[:, : self.free].T @ (self._mass @ rates))

    def _coordinates(self, x: np.ndarray) -> np.ndarray:
        """Return L q of (x, w), or of their derivatives."""
        return np.asarray(self.chart @ (self.basis @ x))

    def quotients(self) -> dict[str, np.ndarray]:
        """Return A, B, C, D by extrapolated central differences."""
        columns = [derivative(self._along(k), self._step(k)) for k in range(self._count)]
        table, states = np.array(columns).T, len(self.plant.A)
        return {
            "A": table[:states, :states],
            "B": table[:states, states:],
            "C": table[states:, :states],
            "D": table[states:, states:],
        }

    @property
    def _count(self) -> int:
        return len(self.plant.A) + len(self.example.inputs)

    def _step(self, k: int) -> float:
        """Return the size of a perturbation: no point of the mechanism moves by more than its reach."""
        if k >= len(self.plant.A):
            return REACH * max(1.0, abs(self.plant.input_values[k - len(self.plant.A)]))
        shape = self.basis[:, k % self.positions] * self.system.equations.weight
        return REACH / float(np.max(np.abs(shape)))

    def _along(self, k: int) -> Callable[[np.ndarray], np.ndarray]:
        return lambda steps: self.evaluate(np.outer(steps, np.eye(self._count)[k]))

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.system)

    def evaluate(self, deviations: np.ndarray) -> np.ndarray:
        """Return state rates and outputs at deviations of states and inputs, one row each; observed all at once."""
        found = [self._moved(deviation) for deviation in deviations]
        states, rates, signals = zip(*found, strict=True)
        q, v, a, lam = (np.array([getattr(state, key) for state in states]) for key in ("q", "v", "a", "lam"))
        samples = Samples(np.full(len(states), self.state.time), q, v, a, lam, signals=np.array(signals))
        data = self._observer.dataset(samples, states[0])
        return np.column_stack([rates, *(reading(data, name) for name in self.example.outputs)])

    def _moved(self, deviation: np.ndarray) -> tuple[State, np.ndarray, np.ndarray]:
        """Return state at deviations of states and inputs, the rates of the linear model's states, and all signals."""
        z, u = np.split(deviation, [len(self.plant.A)])
        places, rates = z[: self.positions], z[self.positions :]
        pushed = dict(zip(self.example.inputs, u.tolist(), strict=True))
        changed = self._signals(pushed, places[self.free :], rates[self.free :])
        system = self.system.with_signals(changed) if changed else self.system
        state = self._on_constraints(system, self._coordinates(places), self._coordinates(rates))
        state = consistent(system, state, time=self.state.time, velocity=None, step=1e-7)
        driven = np.array([pushed[name] for name in self.driven])
        led = self._coordinates(np.append(np.zeros(self.free), driven))
        second = self.chart @ state.a[: self.system.freedoms] - led + self._turning @ places
        signals = system.signals(np.array([self.state.time]))[0]
        return state, np.concatenate([rates, second, driven]), signals

    def _signals(self, pushed: dict[str, float], values: np.ndarray, rates: np.ndarray) -> dict[str, Any]:
        """Return signals that the deviation changes; drives are parabolas about the instant."""
        at = np.array([self.state.time])
        numbers = {named.name: k for k, named in enumerate(self.system.layout.signals)}
        u, (speeds, seconds) = self.system.signals(at)[0], self.system.signal_rates(at)
        found: dict[str, Any] = {name: float(u[numbers[name]] + change) for name, change in pushed.items() if change}
        for name, value, rate in zip(self.driven, values, rates, strict=True):
            k, second = numbers[name], pushed[name]
            terms = (u[k] + value, speeds[0, k] + rate, 0.5 * (seconds[0, k] + second))
            x, v, a = (repr(float(term)) for term in terms)
            found[name] = Expression(f"{x} + {v} * (t - {self.state.time!r}) + {a} * (t - {self.state.time!r}) ** 2")
        return found

    def _on_constraints(self, system: Multipliers, places: np.ndarray, rates: np.ndarray) -> State:
        """Return coordinates and velocities with closed joints and the given x and x'."""
        n, m, rows = system.freedoms, system.constraints, system.equations.rows
        at = np.array([self.state.time])
        u, (speeds, _) = system.signals(at)[0], system.signal_rates(at)
        q, v, gap, jacobian = self.state.q.copy(), np.zeros(n + 3), np.zeros(m), np.zeros((m, n + 3))
        for _ in range(20):
            joints.residual(rows, q, u, gap)
            joints.jacobian_dense(rows, q, u, jacobian)
            short = np.concatenate([gap, self.chart @ (q - self.state.q)[:n] - places])
            move = np.linalg.solve(np.vstack([jacobian[:, :n], self.chart]), short)
            q[:n] -= move
            if np.max(np.abs(move)) < 1e-14:
                break
        joints.jacobian_dense(rows, q, u, jacobian)
        joints.velocity(rows, q, v, u, speeds[0], gap)
        known = np.concatenate([-gap, self.chart @ self.state.v[:n] + rates])
        v[:n] = np.linalg.solve(np.vstack([jacobian[:, :n], self.chart]), known)
        return State(q, v, np.zeros(n + 3), np.zeros(m), self.state.time)


def reading(data: xr.Dataset, name: str) -> np.ndarray:
    """Return an output, at all instants if there are any, read from a result by the labels in its name."""
    variable, label, *component = name.split(":")
    array = data[variable]
    if variable == "resultant":
        beam, place = label.split("@")
        there = ((data["beam"] == beam) & (np.abs(data["section_s"] - float(place)) < 1e-9)).values
        return np.asarray(array.sel(component=component[0]).isel(section=there).mean("section").values)
    for labels in ([label], component):
        if labels:
            dimension = next(d for d in array.dims if d != "time" and labels[0] in array[d].values)
            array = array.sel({dimension: labels[0]})
    return np.asarray(array.values)


def mismatch(plant: LinearModel, found: dict[str, np.ndarray]) -> dict[str, float]:
    """Return largest differences. Slow and fast modes count alike: entries of stiffness and damping are in parts of the
    geometric mean of their two diagonal entries (hardly damped modes are scaled as critically damped), columns of
    drives and of B in parts of their largest; C in parts of the row's, x scaled to the energy of x'; D of
    itself or of the response near the slowest swing, whichever is larger.
    """
    half, off = len(plant.A) // 2, {name: np.abs(getattr(plant, name) - x) for name, x in found.items()}
    below = np.abs(plant.A[half:])
    stiff, damped = np.diag(below[:, :half]), np.diag(below[:, half:])
    omega = np.sqrt(stiff)
    drag = np.maximum(damped, omega)
    sizes = np.sqrt(np.hstack([np.outer(stiff, stiff), np.outer(drag, drag)]))
    sizes = np.where(sizes > 0.0, sizes, np.maximum(np.max(below, axis=0), 1.0))
    scale = np.append(1.0 / np.where(omega > 0.0, omega, 1.0), np.ones(half))
    swing = np.min(np.abs(plant.poles()[plant.poles().imag > 0.0]))
    response = np.abs(plant.frequency_response(1.1 * swing).values[:, :, 0])
    parts = {
        "A": np.vstack([off["A"][:half], off["A"][half:] / sizes]),
        "B": off["B"] / np.max(np.abs(plant.B), axis=0),
        "C": off["C"] * scale / np.max(np.abs(plant.C) * scale, axis=1, keepdims=True),
        "D": off["D"] / np.maximum(response, np.abs(plant.D)),
    }
    return {name: float(np.max(part)) for name, part in parts.items()}


def poles(example: Example, plant: LinearModel) -> Iterator[Row]:
    """Check the slowest poles, by routes that share no coordinates with the plant's."""
    system, at = example.system, state_of(example.system, example.at)
    matrices = replace(system, unsymmetric=True).matrices(at)
    mass, damping, stiffness = (x.toarray() for x in (matrices.mass, matrices.damping, matrices.stiffness))
    mine = plant.poles()[2 * sum(name in plant.state_names for name in example.inputs) :][:SLOWEST]
    routes = {"all coordinates and multipliers": redundant(mass, damping, stiffness, matrices.jacobian)}
    partition = partitioned(matrices.jacobian)
    routes["independent coordinates"] = quadratic(*(partition.T @ x @ partition for x in (mass, damping, stiffness)))
    if example.own is not None:
        name, exact = example.own
        routes[name] = exact()
    modes = pl.modal(system, at=example.at, modes=SLOWEST, damped=True).eigenvalue.values
    routes["modal"] = np.concatenate([modes, modes.conj()[np.abs(modes.imag) > 0.0]])
    for name, values in routes.items():
        kind: Kind = "exact" if name == "closed form" else "other formulation"
        quantity = f"{example.name}: {len(mine)} slowest poles, {name}"
        yield at_most(quantity, "relative", apart(mine, values), limit=1e-8, kind=kind)


def apart(mine: np.ndarray, others: Sequence[complex] | np.ndarray) -> float:
    """Return the largest distance of a pole from the nearest other one, relative."""
    values = np.asarray(others)
    return float(max(np.min(np.abs(values - pole)) / abs(pole) for pole in mine))


def redundant(mass: np.ndarray, damping: np.ndarray, stiffness: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
    """Return slow eigenvalues of the pencil of all coordinates, velocities and multipliers: 1 / mu of ``A^-1 E``."""
    n, m = len(mass), len(jacobian)
    unit = 1.0 / np.sqrt(np.max(np.abs(stiffness), axis=1) + 1e-6 * np.max(np.abs(stiffness)))
    mass, damping, stiffness = (unit[:, None] * x * unit for x in (mass, damping, stiffness))
    jacobian = jacobian * unit / np.linalg.norm(jacobian * unit, axis=1, keepdims=True)
    a, e = np.zeros((2, 2 * n + m, 2 * n + m))
    a[:n, n : 2 * n], e[:n, :n] = np.eye(n), np.eye(n)
    a[n : 2 * n, :n], a[n : 2 * n, n : 2 * n], a[n : 2 * n, 2 * n :] = -stiffness, -damping, -jacobian.T
    a[2 * n :, :n], e[n : 2 * n, n : 2 * n] = jacobian, mass
    mu = dense.eigvals(np.linalg.solve(a, e))
    slow = sorted(mu[np.abs(mu) > 1e-6 * np.max(np.abs(mu))], key=abs, reverse=True)[: 2 * SLOWEST]
    return np.array([refine_eigenvalue(a, e, 1.0 / value) for value in slow])


def refine_eigenvalue(a: np.ndarray, e: np.ndarray, pole: complex) -> complex:
    """Return an eigenvalue of ``a x = pole e x`` that is nearly right, after inverse iteration."""
    near = dense.lu_factor(a - pole * e)
    x = dense.lu_solve(near, e @ np.ones(len(a)))
    x /= np.linalg.norm(x)
    return complex(pole + 1.0 / np.vdot(x, dense.lu_solve(near, e @ x)))


def quadratic(mass: np.ndarray, damping: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Return the eigenvalues l of l^2 M + l C + K, as reciprocals of 1 / l."""
    n = len(mass)
    back = np.linalg.solve(stiffness, np.hstack([damping, mass]))
    mu = dense.eigvals(np.block([[-back[:, :n], -back[:, n:]], [np.eye(n), np.zeros((n, n))]]))
    return 1.0 / mu[np.abs(mu) > 1e-12 * np.max(np.abs(mu))]


def partitioned(jacobian: np.ndarray) -> np.ndarray:
    """Return the motions allowed by the joints, named by some of the coordinates themselves: the others follow."""
    rows = len(jacobian)
    order = dense.qr(jacobian, mode="r", pivoting=True)[1]
    dependent, chosen = order[:rows], order[rows:]
    basis = np.zeros((jacobian.shape[1], chosen.size))
    basis[chosen] = np.eye(chosen.size)
    basis[dependent] = -np.linalg.solve(jacobian[:, dependent], jacobian[:, chosen])
    return basis
