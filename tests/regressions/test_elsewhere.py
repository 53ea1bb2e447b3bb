"""Systems that are sent to other processes, and parts that no motion can begin with as they are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError
from pliant.system.packing import fused


def damped(mass: float):
    """Build a body on a slide, with a spring of 10 N/m and a damper of 1 N s/m."""
    m = pl.Model("damped")
    ground, body = m.add(pl.Ground(), pl.Body("block", mass=mass, inertia=mass, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()))
    m.add(pl.Spring("spring", ground.at(0, 0), body.at(), stiffness=10.0, rest_length=0.5, damping=1.0))
    return pl.compile(m)


def test_a_body_without_mass_on_a_damper() -> None:
    """c x' = -k (x - l) where steps adapt; equal steps cannot begin, and say why. They blamed the energy."""
    system = damped(0.0)
    run = pl.transient(system, end_time=0.3)
    assert run.outcome.ok
    assert run.position.sel(marker="block(0, 0)", axis="x")[-1] == pytest.approx(0.5 + 0.5 * np.exp(-3.0), rel=1e-4)
    with pytest.raises(ConvergenceError, match=r"block has no mass.*give it mass"):
        pl.transient(system, end_time=0.3, step=1e-3)


def test_a_system_that_was_pickled_answers() -> None:
    """The kernels belong to the process it arrives in: "a kernel is called that was not prepared" otherwise."""
    system = damped(1.0)
    arrived = pickle.loads(pickle.dumps(system))
    assert pl.statics(arrived).position.equals(pl.statics(system).position)


def test_a_system_with_parts_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ModelError, match=r"family .unheard_of., which is not loaded in this process"):
        fused.unpack((np.empty(0), np.empty(0, np.uint32), np.empty(0, np.int64)), [("unheard_of", 0)], ())
