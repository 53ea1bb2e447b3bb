"""Points fixed to planar nodes: pose, and the distance between two of them.

A marker sits at ``r = x + R(theta) d``; ``arm`` returns the turned offset ``p = R d``. Its derivative with respect to
the node's angle is the quarter turn ``(-p_y, p_x)``, its second derivative is ``-p``.
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from pliant._jit import kernel

COINCIDENT = 1e-12  # m; two points nearer than this have no direction between them


@kernel
def arm(theta: float, dx: float, dy: float) -> tuple[float, float]:
    """Turned offset p = R(theta) d."""
    if dx == 0.0 and dy == 0.0:
        return 0.0, 0.0
    c, s = cos(theta), sin(theta)
    return c * dx - s * dy, s * dx + c * dy


@kernel
def span(q: np.ndarray, dofs: np.ndarray, offsets: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray) -> float:
    """Distance l between two markers, with its gradient (6) and Hessian (lower triangle, 21) in (x y theta)_a (x y
    theta)_b.

    ``l_qq = D^T (I - e e^T) D / l + e . D_q`` with ``D = d(r_b - r_a)/dq`` and ``e`` the unit vector from a to b.
    """
    pax, pay = arm(q[dofs[2]], offsets[0], offsets[1])
    pbx, pby = arm(q[dofs[5]], offsets[2], offsets[3])
    x = q[dofs[3]] + pbx - q[dofs[0]] - pax
    y = q[dofs[4]] + pby - q[dofs[1]] - pay
    length = sqrt(x * x + y * y)
    if length > COINCIDENT:
        ex, ey = x / length, y / length
    else:  # any direction will do: a spring without rest length then still has the stiffness k in both
        length, ex, ey = COINCIDENT, 1.0, 0.0
    jacobian[0], jacobian[1], jacobian[2] = -ex, -ey, ex * pay - ey * pax
    jacobian[3], jacobian[4], jacobian[5] = ex, ey, ey * pbx - ex * pby
    # t . D: the transverse unit vector t = (-ey, ex) seen through D; l_qq = (t D)^T (t D) / l + curvature of the arms
    across = (ey, -ex, -(ey * pay + ex * pax), -ey, ex, ey * pby + ex * pbx)
    k = 0
    for i in range(6):
        for j in range(i + 1):
            hessian[k] = across[i] * across[j] / length
            k += 1
    hessian[5] += ex * pax + ey * pay
    hessian[20] -= ex * pbx + ey * pby
    return length
