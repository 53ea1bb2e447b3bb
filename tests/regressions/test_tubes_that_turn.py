"""A tube that is turned about the beam inside turns this the other way, if it can: what the base of the tube has of its
inertia was left out, a share of 1 / 18 with three elements of order 2.
"""

from __future__ import annotations

import pytest

import pliant as pl

LENGTH = 0.1


@pytest.mark.parametrize(("start", "turned_at"), [(0.0, None), (0.25, 0.0)])
def test_angular_momentum_is_kept(start: float, turned_at: float | None) -> None:
    """J_i w + J_h w + J_o (w + angle') = 0 about the common axis, with a holder that is not turned if there is one."""
    material = pl.Material("nitinol", youngs_modulus=60e9, poisson_ratio=0.3, density=6450.0)
    m = pl.Model("tubes", plane=None)
    ground, hub = m.add(pl.Ground(), pl.Body("hub", mass=1e-3, inertia=1e-12, position=(0, 0, 0)))
    section = pl.Section.tube(1e-3, 0.6e-3, material)
    inner = m.add(pl.Beam("inner", length=LENGTH, section=section, position=(0, 0, 0)))
    m.add(pl.Revolute(ground.at(0, 0, 0), hub.at(), axis="x", name="pin"))
    m.add(pl.Weld(hub.at(), inner.at(s=0), orientation=(0, 0, 0)))
    outer = pl.Sleeve(
        "outer",
        inner,
        outer_radius=2e-3,
        inner_radius=1.2e-3,
        material=material,
        angle=pl.Ramp(0.0, 1.0, 0.0, 0.05),
        start=start,
        turned_at=turned_at,
    )
    m.add(outer)
    run = pl.transient(pl.compile(m, elements=pl.Exact(3, order=2)), end_time=0.05, step=1e-4)
    own = 2.0 * section.rotary_inertia * LENGTH + 1e-12
    all_of_it = 2.0 * outer.section.rotary_inertia * LENGTH
    expected = -(1.0 - start) * all_of_it / (own + all_of_it)
    assert run.outcome.ok
    assert float(run.joint_angle.sel(joint="pin")[-1]) == pytest.approx(expected, rel=2e-3)
