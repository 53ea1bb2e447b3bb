"""Derivatives of goals of a motion backwards in time: as those forwards, and as whole motions say; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.sensitivities import models, motions

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of steps that are large

SWINGS = {swing.name: swing for swing in motions.swings()}


def goals(run: pl.Result) -> dict[str, pl.Goal]:
    """Return goals of the marker that moves most, and of everything."""
    most = int(np.argmax(np.ptp(run.position.sel(axis="y").values, axis=0)))

    def height(_: Any, run: pl.Result) -> Any:
        return run.position.isel(marker=most).sel(axis="y")

    return {
        "mean": pl.Goal(lambda system, run: height(system, run) ** 2, over="mean"),
        "lowest": pl.Goal(height, over="smallest"),
        "energy": pl.Goal(lambda _, run: run.energy.sel(energy_kind="kinetic"), over="integral"),
    }


@pytest.mark.parametrize("name", ["leg, released", "strip in space", "ball on a floor"])
def test_backwards_as_forwards(name: str) -> None:
    """Beams damped against their own rigid motion, tendons, rotations in space, contact."""
    swing = SWINGS[name]
    system, held = motions.compiled(swing)
    with motions.to_rounding():
        run, how = motions.moved(swing, system, held)
        of = goals(run)
        back, forth = (pl.sensitivity(system, run, of=of, adjoint=adjoint, **how) for adjoint in (True, False))
    assert max(back.error.values()) < 1e-8
    for goal in of:
        a, b = back.derivative[goal].values, forth.derivative[goal].values
        np.testing.assert_allclose(a, b, atol=1e-8 * np.max(np.abs(b)))


def test_as_whole_motions() -> None:
    system = pl.compile(models.cantilever("xy", load=-2.0), elements=2)
    options: Any = {"end_time": 0.05, "step": 1e-3, "estimate": False}
    with motions.to_rounding():
        run = pl.transient(system, **options)
        of = goals(run)
        found = pl.sensitivity(system, run, of=of, adjoint=True)
        parameter = system.model.parameters["L"]
        step, whole = 1e-3 * parameter.size, 0.0
        for place, weight in zip(motions.PLACES, motions.WEIGHTS, strict=True):
            beside = system.with_parameters(L=parameter.value + place * step)
            whole += weight / step * of["mean"](beside, pl.transient(beside, **options))
    assert found.derivative["mean"].sel(parameter="L").item() == pytest.approx(whole, rel=1e-8)


def test_it_is_taken_where_it_is_cheaper() -> None:
    """An oscillator has three parameters: forwards; on request backwards; both the same."""
    system = pl.compile(models.oscillator(), elements=2)
    run = pl.transient(system, end_time=0.1, step=1e-2, push={"slide": (1.0, 0.0, 0.0)})
    goal = {"end": pl.Goal("position:slide(0, 0):x")}
    how: Any = {"push": {"slide": (1.0, 0.0, 0.0)}}
    plain, back = (pl.sensitivity(system, run, of=goal, adjoint=adjoint, **how) for adjoint in (None, True))
    np.testing.assert_allclose(plain.derivative["end"], back.derivative["end"], rtol=1e-8)
    assert len(set(plain.error.values())) > 1
    assert len(set(back.error.values())) == 1


def test_what_has_no_adjoint_is_refused_by_name() -> None:
    system = pl.compile(models.oscillator())
    run = pl.transient(system, end_time=0.1, step=1e-2)
    goal = {"end": pl.Goal("position:slide(0, 0):x")}
    with pytest.raises(OptionError, match="'position' is no pl\\.Goal"):
        pl.sensitivity(system, run, of=["position"], adjoint=True)
    with pytest.raises(OptionError, match="has the shape"):
        pl.Goal(lambda _, run: run.position)(system, run)
    with pytest.raises(OptionError, match="over='middle' is not known"):
        pl.Goal("time", over="middle")
    projected = pl.transient(system, end_time=0.1, step=1e-2, constraints="projection")
    with pytest.raises(OptionError, match="constraints='position', or adjoint=False"):
        pl.sensitivity(system, projected, of=goal, adjoint=True)
    with pytest.raises(OptionError, match="does not keep every step"):
        pl.sensitivity(system, pl.transient(system, end_time=0.1, step=1e-2, every=2), of=goal, adjoint=True)
    with pytest.raises(OptionError, match="these are for motions"):
        pl.sensitivity(system, pl.statics(system), of=["position"], adjoint=True)
