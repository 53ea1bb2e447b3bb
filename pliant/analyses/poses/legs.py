"""The legs of a robot: chains of parts from the ground to the platform, and how far each can reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.analyses.poses.effector import Effector, Target
from pliant.elements.beam_fed import longest_of
from pliant.errors import UnreachableError
from pliant.model import Beam, Ground, Marker, rotations

LONGER = 1.001  # times its length a beam may be
BOUNDS = ("shortest", "longest")


@dataclass(frozen=True)
class Leg:
    """Parts between a joint with the ground and a joint with the platform.

    ``longest`` and ``shortest`` distance of the two joints that the parts allow: links keep theirs, beams may bend.
    """

    parts: tuple[str, ...]
    base: Marker
    anchor: Marker
    joints: tuple[str, ...]
    longest: float
    shortest: float
    foot: np.ndarray  # of the joint with the ground (m)
    arm: np.ndarray  # from the platform's frame to its joint, in axes of that frame (m)

    @property
    def name(self) -> str:
        """Return the names of its parts."""
        return " - ".join(self.parts)


class Reach:
    """The legs of a robot whose joints hold points together; other legs have no bounds that are known beforehand."""

    def __init__(self, effector: Effector) -> None:
        self.legs, width = tuple(_legs(effector)), len(effector.system.space.axes)
        self.arms, self.feet = (
            np.array([getattr(leg, name) for leg in self.legs]).reshape(-1, width) for name in ("arm", "foot")
        )
        self.shortest, self.longest = (np.array([getattr(leg, name) for leg in self.legs]) for name in BOUNDS)

    def check(self, target: Target) -> None:
        """Refuse a pose that is beyond the reach of a leg, whatever its motor does."""
        spans = self._spans(target.position, np.asarray(target.turn))
        reached = self._reached(spans)
        if reached.all():
            return
        leg, span = next((leg, span) for leg, span, near in zip(self.legs, spans, reached, strict=True) if not near)
        short = span > leg.longest
        bound = f"reach {leg.longest:.4g} m at most" if short else f"keep at least {leg.shortest:.4g} m"
        what = "stretched" if short else "folded"
        raise UnreachableError(
            f"{target} cannot be reached: leg {leg.name!r} would have to be {what} to {span:.4g} m between joints "
            f"{leg.joints[0]!r} and {leg.joints[-1]!r}, its parts {bound}. Ask for a pose that is "
            f"{abs(span - (leg.longest if short else leg.shortest)):.3g} m {'nearer to' if short else 'further from'} "
            f"{leg.base.label}, or give the leg other lengths."
        )

    def within(self, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Return (poses,) which of many poses no leg is too short or too long for."""
        return np.asarray(self._reached(self._spans(points[:, None], turns[:, None])).all(axis=1))

    def tightest(self, target: Target) -> str:
        """Return a sentence about the leg that is nearest to its full length at a pose; empty if no bound is known."""
        if not self.legs:
            return ""
        spans = self._spans(target.position, np.asarray(target.turn))
        k = int(np.argmax(spans / self.longest))
        leg, span = self.legs[k], spans[k]
        return f" Leg {leg.name!r} is stretched most there, {span:.4g} m of the {leg.longest:.4g} m of its parts."

    def _spans(self, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Return (..., legs) distances from the joint with the ground to the joint with the platform, at poses of its
        frame: points (..., axes), turns (..., 4), or angles in the plane (...).
        """
        ways = points + _turned(turns, self.arms) - self.feet
        return np.asarray(np.sqrt(np.sum(ways * ways, axis=-1)))

    def _reached(self, spans: np.ndarray) -> np.ndarray:
        """Return whether the parts of legs allow distances."""
        return np.asarray((self.shortest <= spans * LONGER) & (spans <= self.longest * LONGER))


def _legs(effector: Effector) -> Iterator[Leg]:
    system, body = effector.system, effector.marker.body
    if isinstance(body, Beam):
        return
    joints = [rows.joint for rows in system.joints if _pins(rows.joint, system.space.quaternions)]
    for joint in joints:
        for mine, other in ((joint.a, joint.b), (joint.b, joint.a)):
            if mine.body is body:
                for chain in _chains(other, joint, joints, body):
                    yield _leg(effector, mine, chain)


def _leg(effector: Effector, anchor: Marker, chain: list[tuple[Any, Marker, Marker]]) -> Leg:
    """Return the leg from the anchor on the platform through (joint, near marker, far marker) to the ground."""
    *links, (last, base, _) = chain
    spans = [(near.body, _length(effector, near, far)) for _, near, far in links]
    if effector.task < effector.width:  # the platform may turn about its own frame: it is a part of the leg
        spans.insert(0, (effector.marker.body, _length(effector, effector.marker, anchor)))
        anchor = effector.marker
    longest = sum(length for _, length in spans)
    rigid = [length for body, length in spans if not isinstance(body, Beam)]
    names = [body.name for body, _ in reversed(spans)]
    joints = [joint.name for joint, _, _ in reversed(chain)]
    shortest = max([0.0, *(2.0 * length - longest for length in rigid)])
    layout: Any = effector.system.layout
    arm = np.subtract(layout.arm(anchor), layout.arm(effector.marker))[None]
    back = rotations.conjugate(effector.turn) if effector.system.space.quaternions else -effector.turn
    foot = np.asarray(layout.arm(base), float)
    return Leg(
        tuple(names) or (last.name,), base, anchor, tuple(joints), longest, shortest, foot, _turned(back, arm)[0]
    )


def _chains(
    start: Marker, through: Any, joints: list[Any], platform: Any, seen: tuple[Any, ...] = ()
) -> Iterator[list[tuple[Any, Marker, Marker]]]:
    """Yield chains from a marker to the ground without the platform; the last entry is the marker on the ground."""
    if isinstance(start.body, Ground):
        yield [(through, start, start)]
        return
    if start.body is platform or start.body in seen:
        return
    for joint in joints:
        if joint is through:
            continue
        for mine, other in ((joint.a, joint.b), (joint.b, joint.a)):
            if mine.body is start.body:
                for rest in _chains(other, joint, joints, platform, (*seen, start.body)):
                    yield [(through, start, mine), *rest]


def _pins(joint: Any, spatial: bool) -> bool:
    """Return whether a joint holds two points together."""
    if not hasattr(joint, "a"):
        return False
    return set("xyz" if spatial else "xy") <= set(joint.locks)


def _length(effector: Effector, a: Marker, b: Marker) -> float:
    """Return the largest distance of two markers of a part."""
    layout: Any = effector.system.layout
    if isinstance(a.body, Beam):
        along = abs((a.s or 0.0) - (b.s or 0.0)) * longest_of(a.body, effector.system.model)
        return float(along + np.linalg.norm(layout.arm(a)) + np.linalg.norm(layout.arm(b)))
    return float(np.linalg.norm(np.subtract(layout.arm(a), layout.arm(b))))


def _turned(turn: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Return vectors after a rotation, a quaternion (..., 4), or an angle in the plane (...)."""
    if arms.shape[1] == 3:
        return rotations.rotate(turn, arms)
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * arms[:, 0] - s * arms[:, 1], s * arms[:, 0] + c * arms[:, 1]], axis=-1)
