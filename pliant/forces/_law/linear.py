"""Linear springs with a damper."""

from __future__ import annotations

from pliant.forces._law import PointLaw


class LinearLaw(PointLaw, abstract=True):
    """``f = k (x - x0) + c x'`` of one measure x; `numbers` are k, x0 and c."""

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f = k (x - x0) + c x'."""
        f[0] = p[0] * (x[0] - p[1]) + p[2] * rate[0]
        f_x[0, 0] = p[0]
        f_rate[0, 0] = p[2]

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """Return V = k (x - x0)^2 / 2."""
        return 0.5 * p[0] * (x[0] - p[1]) ** 2
