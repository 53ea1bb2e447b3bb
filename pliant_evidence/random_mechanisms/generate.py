"""A random rigid mechanism in space: a tree of bodies, loops, joints that say the same twice, parts without mass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant_evidence.random_mechanisms.newton_euler import Body, End, Joint, Mechanism, Spring

KINDS = ("Revolute", "Revolute", "Universal", "Spherical", "Prismatic", "Cylindrical", "Weld")
CLOSING = ("Spherical", "Universal", "Revolute", "Distance", "Distance")
GRAVITY = 9.81
REGULAR = 1e-3  # least eigenvalue of Z^T M Z (kg), and singular value of A that is not zero, of the largest


class Random:
    """A mechanism by its seed, by hand (``equations``) and as a model of pliant.

    traits  of "loop", "redundant", "without mass": those that it has
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([17, seed])
        self.seed, self.traits = seed, set[str]()
        count, flat = int(self.rng.integers(2, 7)), self.rng.random() < 0.2
        self.bodies = [self._body() for _ in range(3 if flat else count)]
        self.joints: list[Joint] = []
        if flat:
            self._flat_loop()
        else:
            for k in range(count):
                self._join(str(self.rng.choice(KINDS)), int(self.rng.integers(-1, k)), k)
        for _ in range(int(self.rng.integers(0, 3))):
            self._close()
        if self.rng.random() < 0.4:
            self._repeat()
        if self.rng.random() < 0.4:
            self._lighten()
        self.springs = [self._spring() for _ in range(2)]
        self.gravity = self._vector(GRAVITY)

    def _vector(self, size: float) -> np.ndarray:
        v = self.rng.normal(size=3)
        return np.asarray(size * v / np.linalg.norm(v))

    def _turn(self) -> np.ndarray:
        return np.asarray(Rotation.from_rotvec(self._vector(self.rng.uniform(0.0, 3.0))).as_matrix())

    def _body(self) -> Body:
        return Body(
            self.rng.uniform(0.5, 2.0), self.rng.uniform(0.02, 0.035, 3), self.rng.uniform(-1.0, 1.0, 3), self._turn()
        )

    def _end(self, body: int, point: np.ndarray, axes: np.ndarray | None = None) -> End:
        """Return a global point, with global axes, on a body."""
        axes = np.eye(3) if axes is None else axes
        if body < 0:
            return End(body, point, axes)
        known = self.bodies[body]
        return End(body, known.turn.T @ (point - known.place), known.turn.T @ axes)

    def _join(self, kind: str, a: int, b: int, axes: np.ndarray | None = None) -> None:
        """Join two bodies half way between them."""
        middle = 0.5 * (self.bodies[b].place + (self.bodies[a].place if a >= 0 else np.zeros(3))) + self._vector(0.2)
        other = middle + self._vector(0.4) if kind == "Distance" else middle
        axes = self._turn() if axes is None else axes
        self.joints.append(Joint(kind, self._end(a, middle, axes), self._end(b, other, axes)))

    def _flat_loop(self) -> None:
        """Add a four-bar in any direction: of its 20 conditions three say nothing new."""
        axes = self._turn()
        for k in range(3):
            self._join("Revolute", k - 1, k, axes)
        self._join("Revolute", -1, 2, axes)
        self.traits |= {"loop", "redundant"}

    def _close(self) -> None:
        """Close a loop, if it leaves some freedom and is not nearly locked."""
        a, b = sorted(self.rng.choice(np.arange(-1, len(self.bodies)), 2, replace=False).tolist())
        self._join(str(self.rng.choice(CLOSING)), a, b)
        if self._regular():
            self.traits.add("loop")
        else:
            self.joints.pop()

    def _repeat(self) -> None:
        """Repeat a joint: of a pin or a sleeve, another one further along its axis."""
        known = self.joints[int(self.rng.integers(len(self.joints)))]
        shift = 0.3 if known.kind in ("Revolute", "Cylindrical") else 0.0
        a, b = (end._replace(point=end.point + shift * end.axes[:, 2]) for end in (known.a, known.b))
        self.joints.append(Joint(known.kind, a, b))
        self.traits.add("redundant")

    def _lighten(self) -> None:
        """Take all mass from a body, if others determine how it moves."""
        k = int(self.rng.integers(len(self.bodies)))
        before, self.bodies[k] = self.bodies[k], self.bodies[k]._replace(mass=0.0, inertia=np.zeros(3))
        if self._regular():
            self.traits.add("without mass")
        else:
            self.bodies[k] = before

    def _regular(self) -> bool:
        trial = Mechanism(self.bodies, self.joints, (), np.zeros(3))
        rows, free = trial.constraints(np.zeros(trial.size))[0], trial.free()
        values = np.linalg.svd(rows, compute_uv=False)[: trial.size - free.shape[1]]
        if not free.shape[1] or values[-1] < REGULAR * values[0]:
            return False
        inertias = np.linalg.eigvalsh(free.T @ trial.mass() @ free)
        return bool(inertias[0] > REGULAR)

    def _spring(self) -> Spring:
        body = int(self.rng.integers(len(self.bodies)))
        ends = self._end(-1, self.rng.uniform(-2.0, 2.0, 3)), self._end(body, self.rng.uniform(-1.0, 1.0, 3))
        return Spring(*ends, *self.rng.uniform([10.0, 0.1, 0.2], [50.0, 1.0, 0.5]).tolist())

    def model(self) -> pl.Model:
        """Build the model of pliant, placed where it is."""
        m = pl.Model(f"random {self.seed}", plane=None)
        parts: list[Any] = [
            m.add(
                pl.Body(
                    f"body {k}",
                    mass=body.mass,
                    inertia=tuple(body.inertia.tolist()),
                    position=tuple(body.place.tolist()),
                    orientation=body.turn,
                    free=True,
                )
            )
            for k, body in enumerate(self.bodies)
        ]
        ground = m.add(pl.Ground())

        def at(end: End) -> Any:
            return (parts[end.body] if end.body >= 0 else ground).at(*end.point.tolist(), orientation=end.axes)

        for k, joint in enumerate(self.joints):
            m.add(getattr(pl, joint.kind)(at(joint.a), at(joint.b), name=f"joint {k}"))
        for k, spring in enumerate(self.springs):
            a, b, stiffness, damping, rest = spring
            m.add(pl.Spring(f"spring {k}", at(a), at(b), stiffness=stiffness, damping=damping, rest_length=rest))
        m.add(pl.Gravity(**dict(zip("xyz", self.gravity.tolist(), strict=True))))
        return m

    def equations(self) -> Mechanism:
        """Return the equations by hand."""
        return Mechanism(self.bodies, self.joints, self.springs, self.gravity)


def by_udwadia_and_kalaba(system: Any, state: Any) -> np.ndarray:
    """Return accelerations at a state."""
    return np.asarray(system.accelerations(state)[0])


def by_recursion(system: Any, state: Any) -> np.ndarray:
    """Return accelerations at a state, found in relative coordinates."""
    return np.asarray(system.accelerated(state).a)


WAYS: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "udwadia_kalaba": by_udwadia_and_kalaba,
    "relative": by_recursion,
}


def difference(seed: int, formulation: str = "udwadia_kalaba") -> tuple[set[str], float]:
    """Return traits of a mechanism, and how far its accelerations by a formulation are from those by hand, at random
    velocities that the joints allow; as a part of the largest, or of gravity where nothing moves faster.
    """
    made = Random(seed)
    system: Any = pl.compile(made.model(), formulation=formulation)
    equations = made.equations()
    free = equations.free()
    velocity = free @ made.rng.normal(size=free.shape[1])
    exact = equations.accelerations(velocity)
    places, start = system.body_places(), system.start()
    v, found = np.zeros(system.size), np.zeros(equations.size)
    for k in range(len(made.bodies)):
        v[places[f"body {k}"] :][:6] = velocity[6 * k : 6 * k + 6]
    a = WAYS[formulation](system, replace(start, v=v))
    for k in range(len(made.bodies)):
        found[6 * k : 6 * k + 6] = a[places[f"body {k}"] :][:6]
    return made.traits, float(np.max(np.abs(found - exact)) / max(np.max(np.abs(exact)), GRAVITY))
