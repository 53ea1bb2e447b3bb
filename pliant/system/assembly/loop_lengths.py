"""Loops of pinned parts that close in no pose: one part is longer than all the others reach together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.model import Joint, Marker
from pliant.system.assembly.frames import Frames

SURE = 1.001  # times what the others reach


def too_long(frames: Frames, joints: Sequence[Joint], open_joint: Joint) -> str:
    """Which part of the loop that a joint closes is too long for it, and by how much; empty if none is, or if the
    joint closes no loop of joints that hold a point. Of n points in a ring no distance of neighbours is above the sum
    of all others, in plane and space, however the parts turn.
    """
    spatial = frames.space.quaternions
    pins = [each for each in joints if set(frames.space.axes) <= set(each.locked(spatial))]
    loop = _around(frames, pins, open_joint) if open_joint in pins else []
    if not loop:
        return ""
    spans = [float(np.linalg.norm(np.subtract(frames.arm(a), frames.arm(b)))) for a, b in loop]
    longest = int(np.argmax(spans))
    others = sum(spans) - spans[longest]
    if spans[longest] <= SURE * others:
        return ""
    body: Any = loop[longest][0].body
    bent = "" if body.rigid else f" unless {body.name!r} bends that far"
    return (
        f"No pose closes its loop{bent}: the joints on {body.name!r} are {spans[longest]:.3g} m apart, and the other "
        f"parts reach {others:.3g} m together. Check their lengths and units (m)."
    )


def _around(frames: Frames, pins: Sequence[Joint], closing: Joint) -> list[tuple[Marker, Marker]]:
    """The parts of the shortest loop through a joint, each by the two markers that it is pinned at; empty if none."""
    ways: list[list[Marker]] = [[closing.b]]
    seen = {frames.node(closing.b)}
    while ways:
        way = ways.pop(0)
        here = frames.node(way[-1])
        if here == frames.node(closing.a):
            return list(zip([*way[0::2]], [*way[1::2], closing.a], strict=True))
        for pin in pins:
            for near, far in ((pin.a, pin.b), (pin.b, pin.a)):
                if pin is not closing and frames.node(near) == here and frames.node(far) not in seen:
                    seen.add(frames.node(far))
                    ways.append([*way, near, far])
    return []
