"""Errors of the mesh: what is estimated against exact solutions, in every formulation, and what is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Buckled, OptionError
from pliant.results.io import load_result
from pliant_gallery import leg, pendulum

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of meshes that are coarse on purpose

LENGTH, LOAD = 0.5, 0.02
STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def cantilever(plane: str | None = "xy", **loads: Any) -> pl.Model:
    m = pl.Model("cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"), pl.Force(beam.at(s=1), name="load", **loads))
    return m


def tip(result: pl.Result, variable: str = "position") -> float:
    return float(result.data[variable].sel(marker="beam/tip", axis="y"))


EI, GA = STRIP.bending_stiffness, STRIP.shear_stiffness
DEFLECTION = -LOAD * LENGTH**3 / (3.0 * EI) - LOAD * LENGTH / GA
ROOTS = np.array([1.8751040687, 4.6940911330])  # of cos x cosh x = -1


def hertz(root: float) -> float:
    """Return frequencies of a free clamped beam without shear and rotary inertia, which change it by 1e-6 here."""
    return float((root / LENGTH) ** 2 * np.sqrt(EI / STRIP.mass_per_length) / (2.0 * np.pi))


SYSTEMS: dict[str, dict[str, Any]] = {
    "exact": {"elements": 4},
    "exact, order 2": {"elements": pl.Exact(2, order=2, mass="lumped")},
    "corotational": {"elements": pl.Corotational(4)},
    "linear": {"elements": pl.Linear(4)},
    "chain": {"formulation": "udwadia_kalaba", "elements": 6},
    "kinked": {"formulation": "kinked", "elements": 1},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_frequencies_are_off_by_what_is_said(name: str) -> None:
    found = pl.estimate(pl.modal, pl.compile(cantilever(y=0.0), **SYSTEMS[name]), modes=2)
    true = np.abs(found.frequency_hz.values - [hertz(root) for root in ROOTS])
    ratio = found.frequency_hz_error.values / true
    assert np.all((ratio > 0.2) & (ratio < 5.0)), ratio
    assert found.outcome.space_error == pytest.approx(np.max(found.frequency_hz_error / found.frequency_hz))
    assert found.outcome.ok is bool(found.outcome.space_error < 0.01)


def test_a_deflection_is_off_by_what_is_said() -> None:
    """Reduced elements of order 1 bend by PL^3/3EI (1 - 1/4n^2)."""
    found = pl.estimate(pl.statics, pl.compile(cantilever(y=-LOAD), elements=4))
    assert tip(found, "position_error") == pytest.approx(abs(tip(found) - DEFLECTION), rel=0.05)
    assert tip(found, "position_error") == pytest.approx(abs(DEFLECTION) / 64.0, rel=0.05)
    assert [check.name for check in found.outcome.failed] == ["error of the mesh"]
    assert found.outcome.failed[0].value == pytest.approx(1.0 / 96.0, rel=0.05)  # of the angle, which is 3/2 of it
    assert pl.estimate(pl.statics, pl.compile(cantilever(y=-LOAD), elements=8)).outcome.ok
    assert found.largest_resultant.sel(flexible="beam", component="V") == pytest.approx(LOAD, rel=1e-3)


def test_steps_of_shooting_are_judged() -> None:
    system = pl.compile(cantilever(y=-2.0), formulation="shooting", subintervals=1, step=0.5)
    true = tip(pl.statics(pl.compile(cantilever(y=-2.0), formulation="shooting")))
    found = pl.estimate(pl.statics, system)
    assert 0.2 < tip(found, "position_error") / abs(tip(found) - true) < 5.0


def test_a_path_knows_the_error_of_its_buckling_load(tmp_path: Path) -> None:
    system = pl.compile(cantilever(x=-1.0), elements=6)
    found = pl.estimate(pl.path, system, "load/x", to=-6.0)
    euler = np.pi**2 * EI / (4.0 * LENGTH**2)
    true = abs(-found.event_parameter.values[0] - euler)
    assert found.event_parameter_error.values[0] == pytest.approx(true, rel=0.1)
    assert "Buckled" in found.outcome.warnings
    back = load_result(found.save(tmp_path / "path.nc"))
    assert back.event_parameter_error.values == pytest.approx(found.event_parameter_error.values)
    bent = pl.estimate(pl.branch, system, pl.path(system, "load/x", to=-6.0), toward=("beam/tip", (0.0, 1.0)))
    true_bent = pl.path(fine := pl.compile(cantilever(x=-1.0), elements=pl.Exact(8, order=4)), "load/x", to=-6.0)
    end = pl.branch(fine, true_bent, toward=("beam/tip", (0.0, 1.0)))
    apart = np.abs(end.position.values[-1] - bent.position.values[-1])
    assert bent.position_error.max() == pytest.approx(np.max(apart), rel=0.5)


def test_a_motion_in_space_and_its_rest_on_the_finer_mesh() -> None:
    system = pl.compile(cantilever(None, y=0.0, z=-0.3), elements=3)
    rest = pl.statics(system)
    freed = system.with_signals({"load/z": 0.0})
    options: dict[str, Any] = {"end_time": 0.2, "step": 5e-3}
    found = pl.estimate(pl.transient, freed, start=rest, **options)
    finer = pl.compile(cantilever(None, y=0.0, z=-0.3), elements=12)
    true = pl.transient(finer.with_signals({"load/z": 0.0}), start=pl.statics(finer), **options)
    apart = np.abs(found.position - true.position).max()
    assert found.position_error.max() == pytest.approx(float(apart), rel=0.7)


def questions() -> Iterator[tuple[str, Any]]:
    rigid = pl.compile(pendulum.model())
    yield "has no beams", lambda: pl.estimate(pl.statics, rigid)
    system = pl.compile(cantilever(x=-1.0), elements=4)
    straight = pl.path(system, "load/x", to=-6.0)
    bent = pl.imperfect(system, straight, amplitude=1e-3)
    yield "bent since", lambda: pl.estimate(pl.statics, bent)
    yield "is not statics", lambda: pl.estimate(pl.linearise, system, inputs=["load/x"], outputs=["angle:beam"])
    yield "takes a factor only", lambda: pl.estimate(lambda k: straight, None, modes=3)
    yield "must return a result", lambda: pl.estimate(lambda k: k)
    chain = pl.compile(cantilever(y=-1.0), formulation="udwadia_kalaba", elements=pl.Lumped(4, stiffness=3.0))
    yield "given its stiffness", lambda: pl.estimate(pl.statics, chain)
    held, free = (pl.compile(leg.model(hold=hold), elements=4) for hold in ("q3", None))
    rest = pl.statics(held)
    yield "no rest of this system", lambda: pl.estimate(pl.transient, free, start=rest, end_time=0.1, step=0.01)
    yield "factor=0", lambda: pl.refine(system, factor=0)


def test_what_has_no_second_answer_is_refused_by_name() -> None:
    for message, ask in questions():
        with pytest.raises(OptionError, match=message):
            ask()


def test_a_function_of_the_refinement_serves_where_a_hold_is_released() -> None:
    def fall(k: int) -> pl.Result:
        held, free = (pl.compile(leg.model(hold=hold), elements=4 * k) for hold in ("q3", None))
        return pl.transient(free, start=pl.statics(held), end_time=0.05, step=5e-3)

    found = pl.estimate(fall)
    assert np.all(np.isfinite(found.position_error))
    assert found.outcome.space_error > 1e-4


def test_signals_are_those_of_the_system() -> None:
    system = pl.compile(cantilever(y=-LOAD), elements=4).with_signals({"load/y": -0.5 * LOAD})
    assert tip(pl.statics(pl.refine(system))) == pytest.approx(0.5 * DEFLECTION, rel=0.01)


def test_an_event_that_the_finer_mesh_lacks_is_not_ok() -> None:
    def to(k: int) -> pl.Result:
        return pl.path(pl.compile(cantilever(x=-1.0), elements=6), "load/x", to=-6.0 if k == 1 else -3.0)

    with pytest.warns(Buckled):
        found = pl.estimate(to)
    assert np.isnan(found.event_parameter_error.values[0])
    assert not found.outcome.ok


def test_the_finer_mesh_turns_too() -> None:
    """A rod that spins about its middle: a finer one at rest would be 0.6 rad behind at the end."""
    m = pl.Model("rod")
    m.add(pl.Ground(), pl.Beam("rod", length=LENGTH, section=STRIP, free=True, position=(-0.5 * LENGTH, 0.0)))
    system = pl.compile(m, elements=4)
    spun = pl.statics(system, spin=30.0)
    found = pl.estimate(pl.transient, system, start=spun, end_time=0.02, step=1e-3)
    assert np.ptp(found.position.sel(marker="rod/tip", axis="y").values) > 0.1
    assert float(found.position_error.max()) < 1e-3
