"""A place that is a parameter and lies where another marker is: its derivative ended with an error of NumPy, for beside
this value there is one marker more.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl


def test_the_first_of_both_counts() -> None:
    m = pl.Model("arm")
    ground, upper = m.add(pl.Ground(), pl.Link("upper", length=0.3, mass=0.1, angle=-1.2))
    lower = m.add(pl.Link("lower", length=0.2, mass=0.1, angle=-1.0))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=pl.Parameter("s", 0.1))))
    m.add(pl.TorsionSpring("spring", upper.at(s=1), lower.at(s=0.1), 2.0), pl.Gravity())
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.statics(system), of=["position"]).derivative.position.isel(parameter=0)
    assert np.allclose(found.sel(marker="lower@0.1"), 0.0, atol=1e-9)  # the joint's, which stays at the upper arm
    assert np.allclose(found.sel(marker="lower/tip"), (0.0, 0.2), atol=1e-9)  # the arm hangs, and goes up by its length
    run = pl.transient(system, end_time=0.01, step=1e-3, estimate=False)
    assert np.all(np.isfinite(pl.sensitivity(system, run, of=["position"]).derivative.position))


def test_frequencies_with_friction_name_what_to_give() -> None:
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.3, mass=pl.Parameter("mass", 0.1), angle=-1.2))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    m.add(pl.Friction(pin, 0.05, radius=0.005), pl.TorsionSpring("spring", ground.at(0, 0), arm.at(s=0), 2.0))
    system = pl.compile(m)
    rest = pl.statics(system)
    with pytest.raises(pl.errors.OptionError, match='friction="stuck"'):
        pl.sensitivity(system, rest, of=["frequency_hz"])
    free = {"hertz": lambda system, rest: pl.modal(system, at=rest, friction="free").frequency_hz}
    relative = pl.sensitivity(system, rest, of=free).relative.hertz.values
    assert np.allclose(relative, -0.5, atol=1e-6)  # by the mass, to which the inertia is proportional
