"""Derivatives of mechanisms whose joints lock a motion twice: rows that repeat others were a little soft in the vectors
of modes and of critical loads, and corrections of the equilibrium's derivative ended before they were taken out.

A table on three equal cranks: derivatives of its frequency were 1.5 % off, with ok, derivatives of its places 1e-5.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl


def table(*, upright: bool = False) -> pl.Model:
    """Build a table on three cranks: k, L, d; upright a torsion spring holds it, against a load along the cranks."""
    k, length, d = pl.Parameter("k", 200.0), pl.Parameter("L", 0.3), pl.Parameter("d", 0.4)
    m = pl.Model("table")
    ground, top = m.add(pl.Ground(), pl.Link("top", length=2.0 * d, mass=1.0, angle=0.0))
    for name, x in (("left", 0.0), ("middle", 1.0), ("right", 2.0)):
        crank = m.add(pl.Link(name, length=length, mass=0.1, angle=np.pi / 2.0 if upright else 1.2))
        m.add(pl.Revolute(ground.at(x * d, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), top.at(s=0.5 * x)))
    if upright:
        m.add(
            pl.TorsionSpring("spring", ground.at(0, 0, angle=np.pi / 2.0), m.part("left").at(s=0), stiffness=0.05 * k)
        )
        m.add(pl.Force(top.at(s=0.5), y=-1.0, name="load"))
    else:
        m.add(pl.Spring("spring", ground.at(0, 0.1), top.at(s=1), k, 0.3), pl.Gravity())
    return m


@pytest.mark.filterwarnings("ignore:Redundant")
def test_places_and_frequencies() -> None:
    system, other = (pl.compile(table(), formulation=each) for each in ("dae", "relative"))
    assert system.redundant
    for of, tolerance in (("position", 1e-7), ("frequency_hz", 1e-6)):
        mine, theirs = (
            pl.sensitivity(each, pl.statics(each), of=[of], modes=1).derivative[of].values for each in (system, other)
        )
        sizes = np.max(np.abs(theirs.reshape(3, -1)), axis=1)
        apart = np.max(np.abs((mine - theirs).reshape(3, -1)), axis=1) / sizes
        assert np.all(apart < tolerance), (of, apart)


@pytest.mark.filterwarnings("ignore:Redundant", "ignore:The path")
def test_the_load_at_which_it_falls() -> None:
    """P = c / L, with c = 0.05 k of the spring, which is not stressed: rounding of its force was treated as an
    imperfection, without a derivative (NaN).
    """
    system = pl.compile(table(upright=True))
    found = pl.sensitivity(system, pl.path(system, "load/y", to=-60.0, begin=-1.0), of=["event_parameter"])
    slopes = dict(zip(found.parameters, found.derivative.event_parameter.values[:, 0], strict=True))
    assert slopes["k"] == pytest.approx(-0.05 / 0.3, rel=1e-5)
    assert slopes["L"] == pytest.approx(10.0 / 0.3**2, rel=1e-5)
    assert abs(slopes["d"]) < 1e-4 * slopes["L"]
