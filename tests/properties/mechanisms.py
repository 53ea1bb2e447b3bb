"""Random mechanisms, placed anywhere: chains and loops of bodies and beams, with springs, loads and drives.

Every joint closes in a pose that is known beforehand. All random numbers are drawn before anything is placed, in the
mechanism's own axes: two placings of one seed are one mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl

FREE = {"Revolute": 1, "Prismatic": 1, "Universal": 2, "Spherical": 3, "Weld": 0}
KINDS = {
    False: ("Revolute", "Revolute", "Revolute", "Prismatic", "Weld"),
    True: ("Revolute", "Revolute", "Universal", "Spherical", "Prismatic", "Weld"),
}


@dataclass
class Turn:
    """A rotation, and in the plane its angle: there whole turns count."""

    rotation: Rotation = field(default_factory=Rotation.identity)
    angle: float = 0.0

    @staticmethod
    def random(rng: np.random.Generator, spatial: bool) -> Turn:
        """Return any turn, in space or about z."""
        return Turn(Rotation.random(random_state=rng)) if spatial else Turn.about_z(rng.uniform(-3.0, 3.0))

    @staticmethod
    def about_z(angle: float) -> Turn:
        """Return a turn in the plane."""
        return Turn(Rotation.from_rotvec([0.0, 0.0, angle]), angle)

    def __mul__(self, other: Turn) -> Turn:
        return Turn(self.rotation * other.rotation, self.angle + other.angle)

    def inv(self) -> Turn:
        """Return the inverse turn."""
        return Turn(self.rotation.inv(), -self.angle)

    def apply(self, vectors: Any) -> np.ndarray:
        """Return the vectors turned."""
        return np.asarray(self.rotation.apply(vectors))


@dataclass
class Placing:
    """Place of a mechanism: its axes and origin in world axes. In the plane it turns about z."""

    turn: Turn = field(default_factory=Turn)
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @staticmethod
    def random(rng: np.random.Generator, spatial: bool) -> Placing:
        """Return a placing anywhere within a few lengths."""
        shift = rng.uniform(-5.0, 5.0, 3) * (1.0, 1.0, float(spatial))
        return Placing(Turn.random(rng, spatial), shift)

    def point(self, p: np.ndarray) -> np.ndarray:
        """Return a point in the world."""
        return np.asarray(self.turn.apply(p) + self.shift)


@dataclass
class Pose:
    """A part where it is, and where the model says that it is."""

    part: Any
    place: np.ndarray
    turn: Turn


class Mechanism:
    """A random mechanism as a model."""

    noise = 0.02  # m, rad: of the guesses of where its parts are

    def __init__(self, seed: int, *, spatial: bool, placing: Placing | None = None) -> None:
        self.rng, self.spatial, self.placing = np.random.default_rng(seed), spatial, placing or Placing()
        self.model = pl.Model(f"mechanism {seed}", plane=None if spatial else "xy")
        self.ground = Pose(self.model.add(pl.Ground()), np.zeros(3), Turn())
        count, self.freedom, before = int(self.rng.integers(1, 4)), 0, self.ground
        hook = np.zeros(3)
        for number in range(count):
            before, hook = self._next(number, before, hook)
        self._load(before, hook)
        if self.rng.random() < 0.5:
            self._close(before, hook)

    def _vector(self, low: float, high: float) -> np.ndarray:
        """Return a vector of random direction and length."""
        v = self.rng.normal(size=3) * (1.0, 1.0, float(self.spatial))
        return np.asarray(v / np.linalg.norm(v) * self.rng.uniform(low, high))

    def _next(self, number: int, before: Pose, hook: np.ndarray) -> tuple[Pose, np.ndarray]:
        """Hang a body or a beam on the part before, at a point; the part, and the point for the next one."""
        beam, way, noise = self.rng.random() < 0.3, self._vector(0.3, 0.8), self.noise * self.rng.normal(size=6)
        kind = self.rng.choice(KINDS[self.spatial][: None if number else -1])
        frame = Turn.random(self.rng, self.spatial)
        turn = Turn.random(self.rng, self.spatial) if not beam else self._along(way)
        end = hook + way
        place = hook if beam else hook + 0.5 * way
        noise *= (1.0, 1.0, float(self.spatial), float(self.spatial), float(self.spatial), 1.0)
        guess = self._guess(place + noise[:3], Turn(Rotation.from_rotvec(noise[3:]), noise[5]) * turn)
        if beam:
            section = pl.Section.rectangle(
                0.03, 0.01, pl.Material("soft", youngs_modulus=2e9, poisson_ratio=0.3, density=1200.0)
            )
            part: Any = pl.Beam(f"beam {number}", length=float(np.linalg.norm(way)), section=section, **guess)
        else:
            inertia = self.rng.uniform(0.02, 0.03, 3)
            part = pl.Body(f"body {number}", mass=self.rng.uniform(0.5, 1.5), inertia=self._inertia(inertia), **guess)
        pose = Pose(self.model.add(part), place, turn)
        a, b = self._marker(before, hook, frame), self._marker(pose, hook, frame)
        self.model.add(getattr(pl, kind)(a, b, name=f"joint {number}", **self._kept(kind)))
        self._hold(number, kind, a, b, pose, end)
        return pose, end

    def _hold(self, number: int, kind: str, a: Any, b: Any, pose: Pose, end: np.ndarray) -> None:
        """Drive a joint, or hold it by springs."""
        stiff, drive, swing = self.rng.uniform(10.0, 30.0), self.rng.random() < 0.3, self.rng.uniform(-0.4, 0.4, 2)
        if kind == "Revolute" and drive:
            signal = pl.Expression(f"{swing[0]:.6f} + {swing[1]:.6f}*sin(5*t)")
            self.model.add(pl.Motion(a, b, angle=signal, name=f"drive {number}"))
            return
        self.freedom += FREE[kind]
        if kind == "Revolute":
            self.model.add(pl.TorsionSpring(f"coil {number}", a, b, stiffness=stiff, damping=0.1))
        elif kind != "Weld":
            for k in range(FREE[kind] + 1):
                far = end + self._vector(0.5, 1.0)
                ends = self._marker(self.ground, far), self._marker(pose, end + self._vector(0.1, 0.2))
                rest = self.rng.uniform(0.2, 0.5)
                self.model.add(
                    pl.Spring(f"spring {number} {k}", *ends, stiffness=3.0 * stiff, rest_length=rest, damping=1.0)
                )

    def _load(self, last: Pose, hook: np.ndarray) -> None:
        """Add gravity, and a force at the end."""
        force, down = (
            dict(zip("xyz", self.placing.turn.apply(v), strict=True)) for v in (self._vector(1, 5), (0, -9.81, 0))
        )
        if not self.spatial:
            force.pop("z"), down.pop("z")
        self.model.add(pl.Force(self._marker(last, hook), **force), pl.Gravity(**down))

    def _close(self, last: Pose, hook: np.ndarray) -> None:
        """Add a second way to the ground, where that leaves some freedom."""
        pin = pl.Spherical if self.spatial else pl.Revolute
        ends = self._marker(self.ground, hook), self._marker(last, hook)
        if self.freedom > (3 if self.spatial else 2):
            self.model.add(pin(*ends, name="closing"))
        elif self.freedom > 1:
            apart = self._vector(0.5, 0.8)
            self.model.add(
                pl.Distance(
                    self._marker(self.ground, hook + apart),
                    ends[1],
                    length=float(np.linalg.norm(apart)),
                    name="closing",
                )
            )

    def _along(self, way: np.ndarray) -> Turn:
        """Return the orientation whose x axis is along a way."""
        x = way / np.linalg.norm(way)
        y = np.cross((0.0, 0.0, 1.0), x)
        y /= np.linalg.norm(y)
        return Turn(Rotation.from_matrix(np.column_stack([x, y, np.cross(x, y)])), float(np.arctan2(x[1], x[0])))

    def _inertia(self, moments: np.ndarray) -> Any:
        return tuple(moments.tolist()) if self.spatial else float(moments[2])

    def _guess(self, place: np.ndarray, turn: Turn) -> dict[str, Any]:
        """Return the guess of a body's pose."""
        point, turn = self.placing.point(place), self.placing.turn * turn
        if self.spatial:
            return {"position": tuple(point.tolist()), "orientation": turn.rotation.as_matrix()}
        return {"position": tuple(point[:2].tolist()), "angle": float(turn.angle)}

    def _kept(self, kind: str) -> dict[str, Any]:
        """Return the known pose, which a clamp keeps, not the guess."""
        if kind != "Weld":
            return {}
        return {"orientation": (0.0, 0.0, 0.0)} if self.spatial else {"angle": 0.0}

    def _marker(self, on: Pose, point: np.ndarray, frame: Turn | None = None) -> Any:
        """Return the marker at a point of the mechanism's own axes, with axes if there are any."""
        frame = frame or Turn()
        if on is self.ground:
            local, turn = self.placing.point(point), self.placing.turn * frame
        else:
            local, turn = on.turn.inv().apply(point - on.place), on.turn.inv() * frame
        axes: dict[str, Any] = (
            {"orientation": turn.rotation.as_matrix()} if self.spatial else {"angle": float(turn.angle)}
        )
        if isinstance(on.part, pl.Beam):
            s = float(np.clip(local[0] / on.part.length, 0.0, 1.0))
            s = min((0.0, 0.5, 1.0), key=lambda known: abs(known - s))
            local = local - (s * on.part.length, 0.0, 0.0)
            places: dict[str, Any] = {"s": s} | {
                k: x for k, x in zip("xyz"[: 3 if self.spatial else 2], local, strict=False) if abs(x) > 1e-12
            }
            return on.part.at(**places, **axes)
        return on.part.at(*local[: 3 if self.spatial else 2].tolist(), **axes)
