"""A branch that turns where it meets its path has a bifurcation there, at the load of the path, not a limit point.

The rule was a threshold on how much the load pushes in the critical direction, 2e-5, between 4e-6 left of nothing and
1e-4 of a limit point; columns of 8, 12 and 20 elements had 2.1e-5 to 5.8e-5. Where the step ended on the bifurcation,
the tangent kept for `branch` was NaN.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.buckling.theory import truss
from pliant_gallery.examples import column


@pytest.mark.parametrize("to", [-6.0, -8.0])
@pytest.mark.parametrize("elements", [8, 12, 20])
def test_a_buckled_column_meets_its_straight_path_at_a_bifurcation(elements: int, to: float) -> None:
    system = pl.compile(column(), elements=elements)
    straight = pl.path(system, "load/x", to=to, until="bifurcation")
    bent = pl.branch(system, straight)
    back = pl.path(system, "load/x", start=bent.equilibrium(), to=0.0, until="bifurcation")
    assert back.outcome.ok
    assert back.event_kind.values.tolist() == ["bifurcation"]
    assert back.event_parameter.values == pytest.approx(straight.event_parameter.values, rel=1e-7)
    assert np.isfinite(back.event_tangent).all()
    again = pl.branch(system, back, to=(0.0, to))
    assert again.outcome.ok


def test_a_limit_point_that_the_load_hardly_pushes_stays_one() -> None:
    """A truss of two springs snaps through as in its closed form, also where most of the load is on a stiff spring
    elsewhere, so that the cosine of load and critical direction is 1e-5.
    """
    m = pl.Model("truss beside a stiff spring")
    ground, apex, other = m.add(
        pl.Ground(),
        pl.Body("apex", mass=1.0, inertia=1.0, position=(0.0, 0.5), angle=0.0),
        pl.Body("other", mass=1.0, inertia=1.0, position=(5.0, 0.0), angle=0.0),
    )
    for side in (-1, 1):
        m.add(pl.Spring(f"truss {side}", ground.at(side, 0), apex.at(), stiffness=1.0, rest_length=sqrt(1.25)))
    m.add(
        pl.TorsionSpring("turn", ground.at(0, 0), apex.at(), stiffness=1.0),
        pl.Prismatic(ground.at(4, 0), other.at()),
        pl.Spring("stiff", ground.at(4, 0), other.at(), stiffness=1e9, rest_length=1.0),
        pl.Force(apex.at(), name="push"),
        pl.Force(other.at(), name="aside"),
    )
    found = pl.path(pl.compile(m), {"push/y": -1.0, "aside/x": 1e5}, to=0.2)
    limit = truss(0.5).limit
    assert limit is not None
    assert found.event_kind.values.tolist() == ["limit point", "limit point"]
    assert found.event_parameter.values == pytest.approx([limit, -limit], rel=1e-6)
