"""`linearise` about a spin returned flap for lag (13.17 instead of 5.43), silently; `modal` warned and did it."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.errors import OptionError

SPEED = 12.0  # of sqrt(EI / rho A L^4)
FLAP = 13.17015  # of a rotating cantilever at that speed; its lag has sqrt(FLAP^2 - SPEED^2) = 5.42705


@pytest.fixture(scope="module")
def spun() -> tuple[pl.system.system.System, pl.results.Result]:
    m = pl.Model("rotating beam")
    section = pl.Section(1e8, 1e8, 1.0, 1.0, 1e-9)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="probe"))
    m.add(pl.Motion(ground.at(0, 0), beam.at(s=0), angle=pl.Expression(f"{SPEED}*t"), name="spin"))
    system = pl.compile(m, elements=pl.Exact(6, order=4))
    return system, pl.transient(system, end_time=0.05, step=1e-4, spectral_radius=0.0, estimate=False)


def test_a_state_that_moves_is_refused_by_modes_and_linear_models(spun) -> None:
    system, run = spun
    with pytest.raises(OptionError, match=r"moves in that state.*12 lengths.*frozen=True"):
        pl.linearise(system, at=run, inputs=["probe/y"], outputs=["position:beam/tip:y"])
    with pytest.raises(OptionError, match=r"moves in that state.*frozen=True"):
        pl.modal(system, at=run, modes=1)


def test_the_instant_is_given_by_name(spun) -> None:
    system, run = spun
    plant = pl.linearise(system, at=run, inputs=["probe/y"], outputs=["position:beam/tip:y"], frozen=True)
    assert plant.frozen
    assert plant.poles(1)[0].imag == pytest.approx(FLAP, rel=1e-4)
