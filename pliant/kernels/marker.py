"""Points fixed to planar nodes.

A marker sits at ``r = x + R(theta) d``; ``arm`` returns the turned offset ``p = R d``. Its derivative with respect to
the node's angle is the quarter turn ``(-p_y, p_x)``, its second derivative is ``-p``.
"""

from __future__ import annotations

from pliant.jit import flat_kernel
from pliant.kernels.circle import cos_sin

COINCIDENT = 1e-30  # m: below, two points coincide and have no direction between them


@flat_kernel
def arm(theta: float, dx: float, dy: float) -> tuple[float, float]:
    """Return the rotated offset p = R(theta) d."""
    if dx == 0.0 and dy == 0.0:
        return 0.0, 0.0
    c, s = cos_sin(theta)
    return c * dx - s * dy, s * dx + c * dy
