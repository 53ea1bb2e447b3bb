"""Random driven arms, whose pose for any angles of their pins is known: a product of rotations about the pins."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl

LEAF = pl.Section.rectangle(0.03, 0.01, pl.Material("soft", youngs_modulus=2e9, poisson_ratio=0.3, density=1200.0))


class Arm:
    """Links one after another, each turned by a drive about a pin of random place and direction; now and then the arm
    goes on over a beam, which nothing bends.
    """

    def __init__(self, seed: int, *, spatial: bool, joints: int) -> None:
        rng = np.random.default_rng(seed)
        self.spatial, self.joints = spatial, joints
        self.model = pl.Model(f"arm {seed}", plane=None if spatial else "xy")
        part, origin = self.model.add(pl.Ground()), np.zeros(3)
        self.axes, self.places, self.centres = [], [], []
        for k in range(joints):
            pin, way = origin + self._vector(rng, 0.0, 0.2), self._vector(rng, 0.3, 0.8)
            frame = Rotation.random(random_state=rng) if spatial else Rotation.identity()
            link = self.model.add(self._link(f"link {k}", pin + 0.5 * way))
            ends = self._marker(part, origin, pin, frame), self._marker(link, pin + 0.5 * way, pin, frame)
            self.model.add(pl.Revolute(*ends, name=f"pin {k}"), pl.Motion(*ends, angle=0.0, name=f"drive {k}"))
            self.axes.append(frame.apply([0.0, 0.0, 1.0]))
            self.places.append(pin)
            self.centres.append(pin + 0.5 * way)
            part, origin = link, pin + 0.5 * way
            if rng.random() < 0.3:
                part, origin = self._flexible(k, link, origin, rng)
        self.motors = [f"drive {k}/angle" for k in range(joints)]

    def _vector(self, rng: np.random.Generator, low: float, high: float) -> np.ndarray:
        v = rng.normal(size=3) * (1.0, 1.0, float(self.spatial))
        return np.asarray(v / np.linalg.norm(v) * rng.uniform(low, high))

    def _link(self, name: str, centre: np.ndarray) -> Any:
        if self.spatial:
            return pl.Body(name, mass=1.0, inertia=0.02, position=tuple(centre), orientation=(0.0, 0.0, 0.0))
        return pl.Body(name, mass=1.0, inertia=0.02, position=tuple(centre[:2]), angle=0.0)

    def _marker(self, part: Any, origin: np.ndarray, point: np.ndarray, frame: Rotation) -> Any:
        """Return the marker at a point of a part, not turned."""
        if not self.spatial:
            return part.at(*(point - origin)[:2])
        return part.at(*(point - origin), orientation=frame.as_matrix())

    def _flexible(self, k: int, link: Any, origin: np.ndarray, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Return a beam along x that is welded to a link, and a body welded to its tip."""
        length = rng.uniform(0.2, 0.5)
        turn: dict[str, Any] = {"orientation": (0.0, 0.0, 0.0)} if self.spatial else {"angle": 0.0}
        far = origin + (length, 0.0, 0.0)
        beam = self.model.add(pl.Beam(f"beam {k}", length=length, section=LEAF, **turn))
        end = self.model.add(self._link(f"end {k}", far))
        self.model.add(pl.Weld(link.at(), beam.at(s=0), **turn), pl.Weld(beam.at(s=1), end.at(), **turn))
        return end, far

    def pose(self, angles: np.ndarray) -> tuple[np.ndarray, list[Rotation]]:
        """Return centres and orientations of the links, by the product of exponentials (Brockett 1984)."""
        turn, place = Rotation.identity(), np.zeros(3)  # a point p goes to turn p + place
        centres, turns = [], []
        for axis, pin, centre, angle in zip(self.axes, self.places, self.centres, angles, strict=True):
            own = Rotation.from_rotvec(angle * axis)
            place = turn.apply(pin - own.apply(pin)) + place
            turn = turn * own
            centres.append(turn.apply(centre) + place)
            turns.append(turn)
        return np.array(centres), turns

    def off(self, found: pl.Result, angles: np.ndarray) -> float:
        """Return how far the links of a result are turned from the required angles (rad)."""
        names = [f"link {k}" for k in range(self.joints)]
        if not self.spatial:
            return float(np.max(np.abs(found.angle.sel(body=names).values - np.cumsum(angles))))
        turns = zip(found.orientation.sel(body=names).values, self.pose(angles)[1], strict=True)
        return max(apart(quaternion, turn) for quaternion, turn in turns)


def apart(quaternion: np.ndarray, turn: Rotation) -> float:
    """Return the angle between an orientation (w, x, y, z) and a rotation."""
    return float((Rotation.from_quat(np.roll(quaternion, -1)).inv() * turn).magnitude())
