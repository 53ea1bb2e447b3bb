"""Coordinates that parts have beside those of nodes (modes of superelements, stretches, angles of sleeves).

Their number is seldom a multiple of a node's. The norm of Newton's increment read beyond the last of them, whatever was
there: now and then a motion was "no longer finite" at its start.
"""

from __future__ import annotations

import numpy as np
import pytest

from pliant.kernels.vectors import sizes


@pytest.mark.parametrize(("axes", "count"), [(2, 7), (2, 8), (3, 13), (3, 16), (2, 6), (3, 12)])
def test_nothing_beyond_the_last_coordinate_is_read(axes: int, count: int) -> None:
    x = np.full(count + 6, np.nan)
    x[:count] = np.arange(1.0, count + 1.0)
    weight = np.full(count + 6, np.nan)
    weight[:count] = 1.0
    found = sizes(x, x, x, weight[:count], axes)
    width = 3 * axes - 3
    groups = [x[i:count][: (axes if k == 0 else width - axes)]
              for first in range(0, count, width) for k, i in enumerate((first, first + axes))]  # fmt: skip
    assert found == pytest.approx([max(float(np.linalg.norm(group)) for group in groups)] * 3)
