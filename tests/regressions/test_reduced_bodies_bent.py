"""Reduced bodies that bend beyond the small strains they mean said ok, and such that spin, whose stiffness knows of no
tension; the elastica and rotating cantilevers show how far they are off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pliant as pl

LENGTH, EI = 0.5, 2.0


def elastica(load: float) -> float:
    """Return deflection of the tip of a cantilever under a load that keeps its direction: EI theta'' = -F cos theta."""

    def end(moment: float) -> np.ndarray:
        y = solve_ivp(
            lambda s, y: (y[1], -load / EI * np.cos(y[0]), np.sin(y[0])), (0, LENGTH), (0, moment, 0), rtol=1e-10
        ).y
        return y[:, -1]

    root = brentq(lambda moment: end(moment)[1], 0.0, 1.1 * load * LENGTH / EI)
    return float(end(root)[2])


def arm() -> pl.ReducedBody:
    """Return one Euler-Bernoulli element as a superelement."""
    L = LENGTH
    K = np.zeros((6, 6))
    K[np.ix_([0, 3], [0, 3])] = 1e6 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    bend = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], float)
    K[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = bend * np.outer([1, L, 1, L], [1, L, 1, L]) * EI / L**3
    M = np.diag([0.1, 0.1, 1e-4] * 2)
    return pl.reduced_body("arm", {"base": (0, 0), "tip": (L, 0)}, mass=M, stiffness=K, orientation=0.0)


def cantilever(load: float) -> Any:
    """Build a clamped cantilever."""
    body = arm()
    model = pl.Model("cantilever")
    ground = model.add(pl.Ground())
    model.add(*body)
    model.add(pl.Weld(ground.at(0, 0), body.at("base"), angle=0.0), pl.Force(body.at("tip"), y=load))
    found = pl.statics(pl.compile(model))
    return found, float(found.position.sel(marker=body.at("tip").label, axis="y"))


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_reduced_body_that_says_ok_is_bent_as_the_elastica() -> None:
    said = []
    for slope in (0.05, 0.19, 0.25, 0.8):
        load = 2.0 * slope * EI / LENGTH**2
        found, tip = cantilever(load)
        said.append(found.outcome.ok)
        off = abs(tip / elastica(load) - 1.0)
        assert off < 0.02 if found.outcome.ok else off > 0.02
    assert said == [True, True, False, False]
    assert "turn within 'arm'" in found.outcome.message


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize(("spin", "load", "ok"), [(0.1, 0.4, True), (0.6, 1e-3, True), (0.6, 0.4, False)])
def test_a_reduced_body_that_bends_and_spins_is_not_ok(spin: float, load: float, ok: bool) -> None:
    """A mass m on a massless arm vibrates at w_1^2 = 3 EI / (m L^3). Spinning at w, the arm's tension m w^2 L turns the
    centrifugal force across it, -w^2, into +w^2 / 5 (a geometric stiffness of 6/5 m w^2). Without it deflections are
    wrong by (w / w_1)^2 of themselves, and more where the load swings.
    """
    body, slowest = arm(), np.sqrt(3.0 * EI / (0.1 * LENGTH**3))
    model = pl.Model("spun")
    ground = model.add(pl.Ground())
    model.add(*body)
    turned = pl.Ramp(0.0, spin * slowest, 0.0, 1.0, smooth=False)
    model.add(pl.Revolute(ground.at(0, 0), body.at("base")), pl.Motion(ground.at(0, 0), body.at("base"), angle=turned))
    model.add(pl.Force(body.at("tip"), y=load))
    run = pl.transient(pl.compile(model), end_time=0.3, step=1e-3)
    assert run.outcome.ok == ok
    if not ok:
        assert [check.name for check in run.outcome.failed] == ["spin of 'arm'"]
