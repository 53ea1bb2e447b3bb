"""The legs of a robot: chains of parts from the ground to the platform, and how far each can reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.analyses.kinetostatics.effector import Effector, Target
from pliant.elements.beam_fed import longest_of
from pliant.errors import UnreachableError
from pliant.model import Beam, Ground, Marker, rotations

STRETCH = 1e-3  # that a beam may add to its length


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

    @property
    def name(self) -> str:
        """Its parts."""
        return " - ".join(self.parts)

    def span(self, effector: Effector, target: Target) -> float:
        """Distance from the joint with the ground to the joint with the platform at a pose of the platform."""
        return float(self.spans(effector, target.position[None], np.asarray(target.turn)[None])[0])

    def spans(self, effector: Effector, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The same at many poses, given by points and turns."""
        layout: Any = effector.system.layout
        away = _anchored(effector, self.anchor, points, turns) - np.array(layout.arm(self.base))
        return np.asarray(np.linalg.norm(away, axis=1))

    def reaches(self, spans: np.ndarray) -> np.ndarray:
        """Whether its parts allow these distances."""
        longer = spans * (1.0 + STRETCH)
        return np.asarray((self.shortest <= longer) & (spans <= self.longest * (1.0 + STRETCH)))


def legs_of(effector: Effector) -> tuple[Leg, ...]:
    """All legs whose joints hold points together; others have no bounds that could be known beforehand."""
    system, body = effector.system, effector.marker.body
    if isinstance(body, Beam):
        return ()
    joints = [rows.joint for rows in system.joints if _pins(rows.joint, system.space.quaternions)]
    found = []
    for joint in joints:
        for mine, other in ((joint.a, joint.b), (joint.b, joint.a)):
            if mine.body is body:
                found += [_leg(effector, mine, chain) for chain in _chains(other, joint, joints, body)]
    return tuple(found)


def check_reach(effector: Effector, legs: tuple[Leg, ...], target: Target) -> None:
    """Refuse a pose that is beyond the reach of a leg, whatever its motor does."""
    for leg in legs:
        span = leg.span(effector, target)
        if leg.reaches(np.array([span]))[0]:
            continue
        short = span > leg.longest
        bound = f"reach {leg.longest:.4g} m at most" if short else f"keep at least {leg.shortest:.4g} m"
        what = "stretched" if short else "folded"
        raise UnreachableError(
            f"{target} cannot be reached: leg {leg.name!r} would have to be {what} to {span:.4g} m between joints "
            f"{leg.joints[0]!r} and {leg.joints[-1]!r}, its parts {bound}. Ask for a pose that is "
            f"{abs(span - (leg.longest if short else leg.shortest)):.3g} m {'nearer to' if short else 'further from'} "
            f"{leg.base.label}, or give the leg other lengths."
        )


def within_reach(effector: Effector, legs: tuple[Leg, ...], points: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(poses,) which of many poses no leg is too short or too long for."""
    found = np.ones(len(points), bool)
    for leg in legs:
        found &= leg.reaches(leg.spans(effector, points, turns))
    return found


def tightest(effector: Effector, legs: tuple[Leg, ...], target: Target) -> str:
    """Sentence about the leg that is nearest to its full length at a pose; empty if no bound is known."""
    spans = {leg: leg.span(effector, target) for leg in legs}
    if not spans:
        return ""
    leg = max(spans, key=lambda leg: spans[leg] / leg.longest)
    return f" Leg {leg.name!r} is stretched most there, {spans[leg]:.4g} m of the {leg.longest:.4g} m of its parts."


def _leg(effector: Effector, anchor: Marker, chain: list[tuple[Any, Marker, Marker]]) -> Leg:
    """From the anchor on the platform through (joint, near marker, far marker) to the ground."""
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
    return Leg(tuple(names) or (last.name,), base, anchor, tuple(joints), longest, shortest)


def _chains(
    start: Marker, through: Any, joints: list[Any], platform: Any, seen: tuple[Any, ...] = ()
) -> Iterator[list[tuple[Any, Marker, Marker]]]:
    """Ways from a marker to the ground that do not pass the platform; the last entry is the marker on the ground."""
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
    """Whether a joint holds two points together."""
    if not hasattr(joint, "a"):
        return False
    return set("xyz" if spatial else "xy") <= set(joint.locks)


def _length(effector: Effector, a: Marker, b: Marker) -> float:
    """Largest distance of two markers of a part."""
    layout: Any = effector.system.layout
    if isinstance(a.body, Beam):
        along = abs((a.s or 0.0) - (b.s or 0.0)) * longest_of(a.body, effector.system.model)
        return float(along + np.linalg.norm(layout.arm(a)) + np.linalg.norm(layout.arm(b)))
    return float(np.linalg.norm(np.subtract(layout.arm(a), layout.arm(b))))


def _anchored(effector: Effector, anchor: Marker, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Where a marker of the platform is when the platform's frame is at poses."""
    layout: Any = effector.system.layout
    arm = np.subtract(layout.arm(anchor), layout.arm(effector.marker))
    if effector.system.space.quaternions:
        return np.asarray(points + rotations.rotate(rotations.product(turns, rotations.conjugate(effector.turn)), arm))
    c, s = np.cos(turns - effector.turn), np.sin(turns - effector.turn)
    return points + np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=1)
