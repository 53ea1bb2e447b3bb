"""A motion piece by piece: the same as one that is begun anew for every piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant.solvers.stepping import status
from pliant.solvers.stepping import stepwise_motion as pieces
from pliant_io.fmu.stepper import Stepper

OUTPUTS = ["position:rod/tip:x", "velocity:rod/tip:y", "resultant:rod@0.5:M"]


def arm(*, plane: str | None, moving: bool = False) -> pl.Model:
    """Build a flexible rod on a motor, with a load that swings if asked to."""
    m = pl.Model("arm", plane=plane)
    ground = m.add(pl.Ground())
    rod = m.add(pl.Beam("rod", length=0.5, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0), name="pin"), pl.Gravity())
    m.add(pl.Motor("motor", ground.at(0, 0), rod.at(s=0), 0.0))
    pull: Any = pl.Sine(0.2, frequency_hz=3.0) if moving else 0.1
    m.add(pl.Force(rod.at(s=1), x=0.0, y=pull, name="pull"))
    return m


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("moving", [False, True])
def test_pieces_are_those_of_motions_begun_anew(plane: str | None, moving: bool) -> None:
    system = pl.compile(arm(plane=plane, moving=moving), elements=2)
    names = OUTPUTS if plane else [*OUTPUTS[:2], "resultant:rod@0.5:Mz"]
    quick, anew = (Stepper(system, ["motor/torque", "pull/x"], names, step=1e-3) for _ in range(2))
    anew._quick = False
    for k in range(12):
        for stepper in (quick, anew):
            stepper.inputs["motor/torque"] = 0.05 * np.sin(0.7 * (k // 2))
            stepper.advance(2e-3 if k % 5 == 4 else 1e-3)
        for name, value in anew.values().items():
            assert quick.values()[name] == pytest.approx(value, rel=1e-9, abs=1e-12), (k, name)
    assert quick.time == pytest.approx(anew.time)
    np.testing.assert_allclose(quick.state.q, anew.state.q, atol=1e-13)


def test_a_step_that_fails_is_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    system, advance, calls = pl.compile(arm(plane="xy"), elements=2), pieces.advance, []

    def failing(*given: Any) -> Any:
        calls.append(given)
        return (status.NOT_CONVERGED, 0) if len(calls) == 2 else advance(*given)

    whole, halved = (Stepper(system, ["motor/torque"], OUTPUTS, step=1e-3) for _ in range(2))
    whole.advance(0.004)
    halved.advance(0.001)
    made = halved._pieces
    monkeypatch.setattr(pieces, "advance", failing)
    for _ in range(3):
        halved.advance(0.001)
    assert halved._pieces is made
    assert len(calls) == 3
    assert halved.time == pytest.approx(0.004)
    assert made.stepping.counts.cut_backs == 1
    place = "position:rod/tip:x"
    assert halved.values()[place] != whole.values()[place] == pytest.approx(halved.values()[place], rel=1e-6)


def test_a_stepper_goes_back_to_a_state() -> None:
    stepper = Stepper(pl.compile(arm(plane="xy"), elements=2), ["motor/torque"], OUTPUTS, step=1e-3)
    stepper.advance(0.005)
    kept, there = stepper.state, dict(stepper.values())
    stepper.advance(0.005)
    assert stepper.values() != there
    stepper.state = kept
    assert stepper.time == pytest.approx(0.005)
    assert stepper.values() == pytest.approx(there, rel=1e-9, abs=1e-12)


def test_a_formulation_without_equal_steps_is_refused_by_name() -> None:
    from pliant_gallery import pendulum

    system = pl.compile(pendulum.model(kind="rod", angle=0.0), formulation="kinked")
    with pytest.raises(OptionError, match="formulation 'kinked' has no equal steps"):
        Stepper(system, [], ["angle:rod 1"], step=0.01)
