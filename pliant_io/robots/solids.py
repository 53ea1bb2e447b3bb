"""Volume and moments of inertia of simple solids of even density, about their centres; the axis of round ones is z."""

from __future__ import annotations

from math import pi

import numpy as np


def solid(kind: str, size: list[float]) -> tuple[float, np.ndarray] | None:
    """Volume (m^3) and principal moments of a kilogram (m^2); None if the kind has no volume that is known.

    kind  "sphere" (radius), "capsule" and "cylinder" (radius, half length), "box" (half sides), "ellipsoid" (semi-axes)

    >>> volume, moments = solid("cylinder", [0.1, 0.5])
    >>> round(volume, 6), moments.round(6)  # pi r^2 l, and (3 r^2 + l^2) / 12, r^2 / 2
    (0.031416, array([0.085833, 0.085833, 0.005   ]))
    """
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None or len(size) < needed or min(size[:needed]) <= 0.0:
        return None
    if kind == "sphere":
        r = size[0]
        return 4.0 / 3.0 * pi * r**3, np.full(3, 0.4 * r**2)
    if kind == "box":
        x, y, z = (2.0 * each for each in size[:3])
        return x * y * z, np.array([y**2 + z**2, x**2 + z**2, x**2 + y**2]) / 12.0
    if kind == "ellipsoid":
        a, b, c = size[:3]
        return 4.0 / 3.0 * pi * a * b * c, np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 5.0
    r, length = size[0], 2.0 * size[1]
    tube = pi * r**2 * length
    across, along = (3.0 * r**2 + length**2) / 12.0, 0.5 * r**2
    if kind == "cylinder":
        return tube, np.array([across, across, along])
    ball = 4.0 / 3.0 * pi * r**3  # two half balls, whose centres are 3 r / 8 from their flat faces
    whole, share = tube + ball, ball / (tube + ball)
    caps = 0.4 * r**2 + 0.25 * length**2 + 0.375 * r * length
    return whole, np.array([*[(1.0 - share) * across + share * caps] * 2, (1.0 - share) * along + share * 0.4 * r**2])
