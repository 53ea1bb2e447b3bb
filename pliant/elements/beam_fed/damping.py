"""Kelvin-Voigt damping of a beam that is fed: stress = C (z - z0 + beta z.), z. the rate of strain of its points.

Points of the rod pass the nodes (inertia.py), so that at a Gauss point of an element of the length L = share l

    z. = z_q v + d l./l,     d = b z_xi - z,     f_q = w L beta z_q C z.,     f_l = w share beta d C z.

with z_xi of the polynomial through the strains at the element's Gauss points. The power ``f_q v + f_l l.`` is
``w L beta z. C z.``, never negative, and zero for rigid motion. In the tangent the derivatives by q and l that vanish
at v = 0 are omitted (docs/decisions/0005-kelvin-voigt-damping.md).
"""

from __future__ import annotations

import numpy as np

from pliant.elements.beam_fed.rows import Arrays
from pliant.jit import kernel


@kernel
def drift(part: Arrays, e: int, g: int, strain: np.ndarray, out: np.ndarray) -> None:
    """Compute d at Gauss point g of element e from the strains at all its Gauss points."""
    p = part.order[e]
    b = (1.0 - part.start[e]) / part.share[e] - part.point[p, g]
    for k in range(out.size):
        slope = 0.0
        for h in range(p):
            slope += part.strain_slope[p, g, h] * strain[h, k]
        out[k] = b * slope - strain[g, k]
