"""Functions of state belong to the system that uses them: they do not outlive it, and their failures stay with it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import pliant as pl
from pliant.errors import SignalError


class Push:
    """A force that counts nothing and may fail."""

    def __init__(self, fails: bool) -> None:
        self.fails = fails

    def __call__(self, time, pose, velocity):
        if self.fails:
            raise ValueError("broken")
        return 1.0, 0.0, 0.0


def system(fails: bool):
    push = Push(fails)
    m = pl.Model("mass")
    ground, mass = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0, position=(0, 0)))
    m.add(pl.Prismatic(ground.at(0, 0), mass.at()), pl.StateForce("push", mass.at(), push))
    return pl.compile(m), weakref.ref(push)


def test_a_function_dies_with_its_system() -> None:
    compiled, push = system(fails=False)
    compiled = compiled.with_signals({})
    assert compiled.unbalanced(*(compiled.start().q,) * 3, compiled.signals(np.zeros(1))[0])[0]
    assert push() is not None
    del compiled
    gc.collect()
    assert push() is None


def test_a_failure_stays_with_its_analysis() -> None:
    broken, sound = system(fails=True)[0], system(fails=False)[0]
    with pytest.raises(SignalError, match="broken"):
        pl.transient(broken, end_time=2e-3, step=1e-3)
    assert pl.transient(sound, end_time=2e-3, step=1e-3).outcome.ok
