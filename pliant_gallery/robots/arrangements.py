"""Ways to arrange legs: around a planar platform, and in pairs under a spatial one."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.parameters import to_numbers
from pliant_gallery.robots import frames
from pliant_gallery.robots.legs import LegKind
from pliant_gallery.robots.robot import Leg, Platform, Robot, direction

WORDS = {3: "three", 6: "six"}


def planar(
    kind: LegKind,
    *,
    legs: int,
    platform: Platform,
    radius: float = 0.12,
    skew: float = 20 * pi / 180,
    chord: float | None = None,
    **options: Any,
) -> Robot:
    """Arrange legs around a planar platform at the origin, their cranks square to them.

    radius   of the circle of anchors on the platform (m)
    skew     angle of an anchor from its leg's outer end (rad): for an even number of legs alternating in sign, so that
             their pulls turn the platform both ways
    chord    from crank to anchor as assembled (m); default: 0.78 of the member's length

    Other options are fields of `Robot`.
    """
    owner = "planar"
    count = legs
    if isinstance(count, bool) or not isinstance(count, int) or count < 3:
        raise ModelError(f"{owner}: legs={legs!r}: a planar platform has three freedoms; give three legs at least.")
    checks.instance(owner, "kind", kind, LegKind, hint="Try LeafLeg() or RodLeg().")
    radius, skew = checks.positive(owner, "radius", radius), checks.number(owner, "skew", skew)
    chord = checks.positive(owner, "chord", 0.78 * kind.length if chord is None else chord)
    if chord <= radius * abs(sin(skew)):
        raise checks.refuse(owner, "chord", chord, f"above {radius * abs(sin(skew)):.4g} m, or no leg ends outside")
    outer = radius * cos(skew) + np.sqrt(chord**2 - (radius * sin(skew)) ** 2)  # radius of the cranks' tips
    found = []
    for k in range(count):
        side = -1.0 if count % 2 == 0 and k % 2 else 1.0
        out = 2.0 * pi * k / count
        anchor, tip = radius * direction(out + side * skew), outer * direction(out)
        along = (anchor - tip) / chord
        crank = side * np.array([-along[1], along[0]])
        foot = tip - kind.crank_length * crank
        turn = float(np.arctan2(crank[1], crank[0]))
        found.append(Leg(kind, tuple(foot.tolist()), tuple(anchor.tolist()), turn=turn))
    return Robot(f"{WORDS.get(count, str(count))}-leg planar robot", platform, tuple(found), **options)


def paired(
    kind: LegKind,
    *,
    platform: Platform,
    motor_spacing: float = 0.0675,
    motor_side: float = 0.21841,
    platform_spacing: float = 0.05374,
    platform_side: float = 0.29711,
    angle: float = 0.4,
    name: str = "6-RUS",
    **options: Any,
) -> Robot:
    """Arrange six legs in pairs, every pair of motors side by side, its rods crossing to two corners of the platform.

    Motors 1 2 | 3 4 | 5 6 and their frames are turned 0, 120, -120 degrees about z. Default geometry: the published
    6-RUS (m); numbers may be `Parameter`s; `angle` of all cranks (rad).
    """
    lengths = {"motor_spacing": motor_spacing, "motor_side": motor_side}
    lengths |= {"platform_spacing": platform_spacing, "platform_side": platform_side}
    for key, value in lengths.items():
        checks.positive("paired", key, to_numbers(value, "paired", key, "m"), hint="Give it in metres.")
    turns = (0.0, 2.0 * pi / 3.0, -2.0 * pi / 3.0)
    right = np.array([platform_spacing, -2 / 3 * platform_side * cos(pi / 6), 0.0])
    left = right * (-1.0, 1.0, 1.0)
    corners = ((1, right), (2, left), (2, right), (0, left), (0, right), (1, left))
    found = []
    for k, (corner, point) in enumerate(corners):
        turn, side = turns[k // 2], 1.0 if k % 2 == 0 else -1.0
        foot = frames.about_z(turn) @ (side * motor_spacing, 2 / 3 * motor_side * cos(pi / 6), 0.0)
        anchor = frames.about_z(turns[corner]) @ point
        found.append(Leg(kind, tuple(foot.tolist()), tuple(anchor.tolist()), turn=turn, angle=angle))
    return Robot(name, platform, tuple(found), **options)
