"""Coordinates that parts have beside the nodes' (modes of superelements, stretches, angles of sleeves).

Their number is seldom a multiple of a node's. The norm of Newton's increment read beyond the last of them, whatever was
there: now and then a motion was "no longer finite" at its start.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
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


@pytest.mark.parametrize("spatial", [False, True])
def test_a_pushed_reduced_body_moves_as_a_rigid_one(spatial: bool) -> None:
    """The modes moved too, with least kinetic energy (0.57 of what it has), and rang; their momentum was added, in the
    plane, to the bodies' momentum.
    """
    length, mass, inside, spin = 0.5, 0.2, 3, 3.0
    M, K = _rods(inside + 2, length, mass, spatial)
    width, last = 6 if spatial else 3, inside + 1
    interface = [*range(width), *range(width * last, width * (last + 1))]
    M, K = pl.craig_bampton(M, K, interface, 2)
    nodes = {"base": (0, 0, 0)[: 2 + spatial], "tip": (length, 0, 0)[: 2 + spatial]}
    body = pl.reduced_body("arm", nodes, mass=M, stiffness=K, orientation=(0, 0, 0) if spatial else 0.0)
    model = pl.Model("pendulum", plane=None if spatial else "xy")
    ground = model.add(pl.Ground())
    model.add(*body)
    model.add(pl.Revolute(ground.at(0, 0), body.at("base")))
    push = {"arm base": (0.0, 0.0, spin) if spatial else spin}
    run = pl.transient(pl.compile(model), end_time=1e-3, step=1e-4, push=push)
    J = mass * length**2 * (1.0 + 0.5 / (inside + 1) ** 2) / 3.0  # lumps, half of one at both ends
    assert float(run.energy.sel(energy_kind="kinetic")[0]) == pytest.approx(0.5 * J * spin**2, rel=1e-6)
    right = (0, 0.5 * mass * spin * length, 0, 0, 0, J * spin) if spatial else (0, 0.5 * mass * spin * length, J * spin)
    np.testing.assert_allclose(run.momentum.values[0], right, atol=1e-6 * J * spin)


def _rods(count: int, length: float, mass: float, spatial: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return lumps of a strip and the stiffness of Euler-Bernoulli's elements between them."""
    l, width = length / (count - 1), 6 if spatial else 3
    M, K = np.zeros((2, width * count, width * count))
    bend = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], float)
    bend *= np.outer([1.0, l, 1.0, l], [1.0, l, 1.0, l]) / l**3
    pull = np.array([[1.0, -1.0], [-1.0, 1.0]]) / l
    for e in range(count - 1):
        a, b, share = width * e, width * (e + 1), 0.5 * mass / (count - 1)
        lines = [((0,), 1e5 * pull), ((1, width - 1), 10.0 * bend)]
        if spatial:
            other = np.diag([1.0, -1.0, 1.0, -1.0])
            lines += [((3,), 5.0 * pull), ((2, 4), 10.0 * other @ bend @ other)]
        for axes, stiff in lines:
            rows = [first + axis for first in (a, b) for axis in axes]
            K[np.ix_(rows, rows)] += stiff
        for first in (a, b):
            M[range(first, first + 2 + spatial), range(first, first + 2 + spatial)] += share
            M[range(first + 2 + spatial, first + width), range(first + 2 + spatial, first + width)] += 1e-9 * share
    return M, K
