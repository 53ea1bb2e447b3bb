"""Rests of rigid arms that their own formulation refused: of a hanging arm all loads on its angle cancel."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import pytest

import pliant as pl

FORMULATIONS = ["dae", "udwadia_kalaba", "kinked"]


def arm(angle: float) -> tuple[pl.Model, pl.Link]:
    m = pl.Model("arm")
    ground, link = m.add(pl.Ground(), pl.Link("arm", length=1.5, mass=2.0, angle=angle))
    m.add(pl.Revolute(ground.at(0, 0), link.at(s=0)), pl.Motor("motor", ground.at(0, 0), link.at(s=0), 0.0))
    return m, link


@pytest.mark.filterwarnings("ignore:The equilibrium of .* is unstable")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("angle", "sign"), [(-pi / 2, -1), (pi / 2, 1)])
def test_an_arm_under_its_weight(formulation: str, angle: float, sign: int) -> None:
    """omega^2 = 3 g / 2 l, stable below and unstable above."""
    m, _ = arm(angle)
    m.add(pl.Gravity())
    system = pl.compile(m, formulation=formulation)
    found = pl.statics(system)
    assert found.outcome.figures["force_scale"] == pytest.approx(2.0 * 9.81, rel=1e-9)
    expected = sqrt(1.5 * 9.81 / 1.5) * (1.0 if sign > 0 else 1.0j)
    assert complex(pl.modal(system, at=found, modes=1).eigenvalue[0]) == pytest.approx(expected, rel=1e-6)
    poles = pl.linearise(system, at=found, inputs=["motor/torque"], outputs=["angle:arm"]).poles()
    assert max(abs(poles - expected).min(), abs(poles + expected).min()) < 1e-6


@pytest.mark.filterwarnings("ignore:The equilibrium of .* is unstable")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_arm_pulled_along_itself(formulation: str, sign: float) -> None:
    """Without weight, a force of 1 N along the arm: J phi'' = -F l phi with J = m l^2 / 3."""
    m, link = arm(0.7)
    m.add(pl.Force(link.at(s=1), sign * cos(0.7), sign * sin(0.7)))
    system = pl.compile(m, formulation=formulation)
    found = complex(pl.modal(system, modes=1).eigenvalue[0])
    assert found == pytest.approx(sqrt(3.0 / (2.0 * 1.5)) * (1.0j if sign > 0 else 1.0), rel=1e-6)
