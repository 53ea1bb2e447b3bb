"""A formulation that knows one mechanism: a massless rod on a torsion spring, with a mass and a force at its tip.

    m l^2 phi'' + k phi + l (F_x cos phi + F_y sin phi) = 0,     tip = (-l sin phi, l cos phi)

One minimal coordinate, everything in closed form, no compiled code: whatever analyses need of a system is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.sparse import csr_array

import pliant as pl
from pliant.extend import (
    ENERGIES,
    PLANE,
    Corrected,
    Equilibrium,
    Matrices,
    Plan,
    Samples,
    State,
    Survey,
    TimeHistory,
    as_signal,
    energy_columns,
)


def model(stiffness: float = 2.0, x: Any = 0.0, y: Any = 0.0) -> pl.Model:
    """A rod of 0.5 m with 3 kg at its tip."""
    m = pl.Model("strut")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=3.0, inertia=0.0, position=(0.0, 0.5), angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), bob.at(0.0, -0.5), name="foot"))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), bob.at(0.0, -0.5), stiffness=stiffness))
    m.add(pl.Force(bob.at(), x=x, y=y, name="load"))
    return m


def build(model: pl.Model) -> Strut:
    """Compile a model such as the one above; ``pl.compile(model, formulation="strut")`` does."""
    names = {part.name for part in model}
    if not {"bob", "foot", "spring", "load"} <= names or model.spatial:
        raise pl.errors.ModelError(
            f"Model {model.name!r}: the formulation 'strut' knows a rod on a torsion spring only."
        )
    load: Any = model.part("load")
    return Strut(model, {"load/x": load.x, "load/y": load.y})


@dataclass(frozen=True)
class Strut:
    """The system: it is what states are given in, too."""

    model: pl.Model
    given: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)

    formulation: ClassVar[str] = "strut"
    methods: ClassVar = (pl.DOP853,)
    space: ClassVar = PLANE
    freedoms = size = nodes = 1
    constraints = 0
    conservative = True
    joint_names: ClassVar[tuple[str, ...]] = ()
    signal_names: ClassVar[list[str]] = ["load/x", "load/y"]
    driving: ClassVar[tuple[int, ...]] = ()
    lengths: ClassVar[frozenset[int]] = frozenset()
    joint_arms: ClassVar[np.ndarray] = np.empty(0)
    weight, angular = np.ones(1), np.ones(1, bool)
    translations = np.array([[-2.0], [0.0]])  # the turn that moves the tip of an upright rod by 1 m

    @property
    def observed(self) -> Strut:
        return self

    @property
    def mass(self) -> float:
        return float(self.model.part("bob").mass)

    @property
    def length_scale(self) -> float:
        return float(self.model.part("bob").position[1])

    @property
    def stiffness(self) -> float:
        return float(self.model.part("spring").stiffness)

    def with_signals(self, signals: Mapping[str, Any]) -> Strut:
        return replace(self, given={**self.given, **signals})

    def signal_number(self, name: str) -> int:
        return self.signal_names.index(name)

    def named(self, u: np.ndarray) -> dict[str, float]:
        return dict(zip(self.signal_names, u.tolist(), strict=True))

    def signals(self, times: np.ndarray) -> np.ndarray:
        return np.column_stack([np.broadcast_to(as_signal(s)(times), times.shape) for s in self.given.values()])

    def signal_rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((times.size, 2)), np.zeros((times.size, 2))

    def drive_column(self, number: int) -> np.ndarray:
        return np.zeros(0)

    def node_owners(self) -> list[str]:
        return ["bob"]

    def freedom_owners(self) -> list[str]:
        return ["bob"]

    def body_places(self) -> dict[str, int]:
        return {}

    def start(self) -> State:
        return State(*np.zeros((3, 1)), np.zeros(0))

    def moved(self, q: np.ndarray, increment: np.ndarray) -> np.ndarray:
        return q + increment

    def apart(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        return after - before

    def widest_opening(self, state: State, *, drives: bool) -> None:
        return None

    def observer(self) -> Sight:
        return Sight(self)

    def force(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """k phi + l (F_x cos phi + F_y sin phi)"""
        return self.stiffness * q + self.length_scale * (u[..., :1] * np.cos(q) + u[..., 1:] * np.sin(q))

    def slope(self, q: np.ndarray, u: np.ndarray) -> float:
        return float(self.stiffness + self.length_scale * (u[1] * np.cos(q[0]) - u[0] * np.sin(q[0])))

    def find_equilibrium(self, start: State, *, time: float, load_steps: int) -> Equilibrium:
        q, u = start.q.copy(), self.signals(np.array([time]))[0]
        count, step = 0, np.ones(1)
        while count < 30 and abs(step[0]) > 1e-14:
            count, step = count + 1, -self.force(q, u) / self.slope(q, u)
            q += step
        state = State(q, *np.zeros((2, 1)), np.zeros(0), time)
        scale, unstable = float(np.max(np.abs(u))), int(self.slope(q, u) < 0.0)
        return Equilibrium(state, count, 1, float(np.abs(self.force(q, u))[0]) / 0.5, scale, 0.0, unstable)

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        k, m = self.slope(state.q, self.signals(np.array([state.time]))[0]), self.mass * self.length_scale**2
        return Matrices(np.array([[k]]), np.zeros((1, 1)), np.array([[m]]), csr_array((0, 1)))

    def balance(self, state: State) -> tuple[float, float, float]:
        u = self.signals(np.array([state.time]))[0]
        return float(np.abs(self.force(state.q, u))[0]), float(np.max(np.abs(u))), 1e-12

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self.mass * self.length_scale**2 * a + self.force(q, u)

    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.zeros(2)

    def continuation(self, parameter: Any, q: np.ndarray, lam: np.ndarray, p: float) -> Along:
        return Along(parameter)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        inertia, end = self.mass * self.length_scale**2, plan.end_time

        def rates(t: float, x: np.ndarray) -> np.ndarray:
            return np.array([x[1], -self.force(x[:1], self.signals(np.array([t]))[0])[0] / inertia])

        times = np.linspace(begin.time, end, 101) if plan.times is None else plan.times
        run = solve_ivp(rates, (begin.time, end), [*begin.q, *begin.v], "DOP853", times, rtol=1e-12, atol=1e-12)
        q, v = run.y[:1].T, run.y[1:].T
        a = -self.force(q, self.signals(run.t)) / inertia
        last = State(q[-1], v[-1], a[-1], np.zeros(0), end, abar=a[-1])
        return TimeHistory(
            run.t, q, v, a, np.zeros((run.t.size, 0)), np.zeros((run.t.size, 2)), last, iterations=run.nfev
        )


@dataclass
class Along:
    """A path of its equilibria."""

    parameter: Any

    def correct(self, arc: Any, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        q, count, step = arc.q + guess, 0, np.ones(2)
        while count < 30 and np.max(np.abs(step)) > 1e-12:
            count += 1
            along = arc.across * (q - arc.q) + arc.across_p * (p - arc.p) - arc.length
            rows = np.array([[self._slope(q, p), self.by_parameter(q, lam, p)[0]], [arc.across[0], arc.across_p]])
            step = np.linalg.solve(rows, [-self._force(q, p)[0], -along[0]])
            q, p = q + step[:1], p + step[1]
        return Corrected(count < 30, False, count, q, lam, float(p))

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        self.stiffness = self._slope(q, p)
        slope = -self.by_parameter(q, lam, p) / self.stiffness
        return Survey(self.stiffness != 0.0, int(self.stiffness < 0.0), abs(self._force(q, p)[0]), 0.0, slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        right /= self.stiffness

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        return self._force(q, p + 1.0) - self._force(q, p)  # linear

    def _force(self, q: np.ndarray, p: float) -> np.ndarray:
        return self.parameter.base.force(q, self.parameter.signals(p))

    def _slope(self, q: np.ndarray, p: float) -> float:
        return self.parameter.base.slope(q, self.parameter.signals(p))

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int, int]:
        return int(self._slope(q, p) < 0.0), 0

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        return "bob"

    def insides(self, samples: Samples, p: Sequence[float]) -> None:
        return None


@dataclass
class Rod:
    """Points of the rod, as parts of its length."""

    length: float
    shares: np.ndarray

    def position(self, q: np.ndarray) -> np.ndarray:
        return self.length * self.shares[:, None] * np.stack([-np.sin(q), np.cos(q)], axis=-1)

    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -self.length * self.shares[:, None] * np.stack([np.cos(q), np.sin(q)], axis=-1) * v[:, :, None]


@dataclass
class Sight:
    """What is shown: the tip, the rod as a line, the angle, the energies."""

    system: Strut
    axes: ClassVar[tuple[str, ...]] = ("x", "y")

    @property
    def markers(self) -> dict[str, Any]:
        return {"bob(0, 0)": self.system.model.part("bob").at()}

    def find(self, given: Any, argument: str) -> Any:
        return self.markers["bob(0, 0)"]

    def points(self, markers: list[Any]) -> Rod:
        return Rod(self.system.length_scale, np.ones(1))

    def stations(self) -> tuple[Rod, dict[str, Any]]:
        names, kinds, places = ["rod"] * 2, ["rigid"] * 2, [0.0, 1.0]
        labels = {"part": ("station", names), "part_kind": ("station", kinds), "s": ("station", places)}
        return Rod(self.system.length_scale, np.array([0.0, 1.0])), labels

    def nodes(self, prefix: str) -> dict[str, Any]:
        return {}

    beside = 0

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        return self.stations()[0].velocity(states.q, coordinates)

    def turns(self, q: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
        return coordinates

    def configurations(self, samples: Samples, lead: str) -> tuple[dict[str, Any], dict[str, Any]]:
        s, (rod, labels) = self.system, self.stations()
        u = s.signals(samples.time) if samples.signals is None else samples.signals
        tip = self.points([]).position(samples.q)
        potential = 0.5 * s.stiffness * samples.q[:, 0] ** 2 - np.sum(u * tip[:, 0], axis=1)
        kinetic = 0.5 * s.mass * s.length_scale**2 * samples.v[:, 0] ** 2
        energy = energy_columns(np.column_stack([kinetic, potential]), samples.work)
        variables = {
            "position": ((lead, "marker", "axis"), tip),
            "angle": ((lead, "body"), samples.q),
            "shape": ((lead, "station", "axis"), rod.position(samples.q)),
            "energy": ((lead, "energy_kind"), energy),
        }
        coords = {"marker": list(self.markers), "axis": ["x", "y"], "body": ["bob"], "energy_kind": ENERGIES}
        return variables, coords | labels

    def moving(self, samples: Samples, state: State) -> tuple[dict[str, Any], dict[str, Any]]:
        variables, coords = self.configurations(samples, "time")
        return variables | state.variables(), {**coords, "time": samples.time}

    def labelled(self, variables: Mapping[str, Any], coords: Mapping[str, Any]) -> xr.Dataset:
        return xr.Dataset(variables, coords)

    def names(self, variable: str) -> tuple[str, list[str]]:
        return {"angle": ("body", ["bob"]), "position": ("marker", list(self.markers))}.get(variable, ("part", []))

    def values(self, variable: str, samples: Any, u: np.ndarray) -> np.ndarray:
        return samples.q[:, :, None] if variable == "angle" else self.points([]).position(samples.q)

    def freedoms(self, variable: str, number: int) -> np.ndarray:
        return np.zeros(1, int)

    def sections(self) -> tuple[list[str], np.ndarray]:
        return [], np.zeros(0)

    def section(self, beam: str, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        raise KeyError(beam)
