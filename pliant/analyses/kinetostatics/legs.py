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
    foot: tuple[float, ...]  # of the joint with the ground (m)
    arm: tuple[float, ...]  # from the platform's frame to its joint, in axes of the body (m)

    @property
    def name(self) -> str:
        """Its parts."""
        return " - ".join(self.parts)


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
    spans = _spans(effector, legs, target.position[None], np.asarray(target.turn)[None])
    if _reached(legs, spans).all():
        return
    for leg, span, reached in zip(legs, spans[0].tolist(), _reached(legs, spans)[0], strict=True):
        if reached:
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
    return np.asarray(_reached(legs, _spans(effector, legs, points, turns)).all(axis=1))


def tightest(effector: Effector, legs: tuple[Leg, ...], target: Target) -> str:
    """Sentence about the leg that is nearest to its full length at a pose; empty if no bound is known."""
    if not legs:
        return ""
    found = _spans(effector, legs, target.position[None], np.asarray(target.turn)[None])
    spans = dict(zip(legs, found[0].tolist(), strict=True))
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
    layout: Any = effector.system.layout
    foot, arm = layout.arm(base), np.subtract(layout.arm(anchor), layout.arm(effector.marker))
    return Leg(
        tuple(names) or (last.name,), base, anchor, tuple(joints), longest, shortest, tuple(map(float, foot)),
        tuple(map(float, arm)),
    )  # fmt: skip


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


def _spans(effector: Effector, legs: tuple[Leg, ...], points: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(poses, legs) distances from the joint with the ground to the joint with the platform, at poses of its frame."""
    shape = len(legs), points.shape[1]
    arms, feet = (np.array([getattr(leg, name) for leg in legs]).reshape(shape) for name in ("arm", "foot"))
    if effector.system.space.quaternions:
        turned = rotations.product(turns, rotations.conjugate(effector.turn))
        anchors = rotations.rotate(turned[:, None], arms)
    else:
        c, s = np.cos(turns - effector.turn)[:, None], np.sin(turns - effector.turn)[:, None]
        anchors = np.stack([c * arms[:, 0] - s * arms[:, 1], s * arms[:, 0] + c * arms[:, 1]], axis=2)
    return np.asarray(np.linalg.norm(points[:, None] + anchors - feet, axis=2))


def _reached(legs: tuple[Leg, ...], spans: np.ndarray) -> np.ndarray:
    """(poses, legs) whether the parts of legs allow distances."""
    shortest, longest = np.array([leg.shortest for leg in legs]), np.array([leg.longest for leg in legs])
    longer = 1.0 + STRETCH
    return np.asarray((shortest <= spans * longer) & (spans <= longest * longer))
