"""Loads that change along a beam: closed forms, every formulation, files, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError
from pliant.model.model import promoted

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
WAYS: list[tuple[dict[str, Any], float]] = [
    ({"elements": pl.Exact(4, order=3)}, 1e-6),
    ({"formulation": "shooting", "subintervals": 4}, 1e-6),
    ({"formulation": "udwadia_kalaba", "elements": 40}, 2e-3),
]


def cantilever(along: Any, **load: Any) -> pl.Model:
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.DistributedLoad(beam, y=-1e-3, along=along, name="load", **load))
    return m


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize(("options", "within"), WAYS)
def test_a_load_that_falls_to_nothing_at_the_tip(options: dict[str, Any], within: float, spatial: bool) -> None:
    model = cantilever((1.0, 0.0))
    model = promoted(model, {}) if spatial else model
    rest = pl.statics(pl.compile(model, **options))
    bent, sheared = 0.5**4 / (30.0 * STRIP.bending_stiffness), 0.5**2 / (6.0 * STRIP.shear_stiffness)
    tip = float(rest.position.sel(marker="beam/tip", axis="y"))
    assert tip == pytest.approx(-1e-3 * (bent + sheared), rel=within)
    if options.get("formulation") == "shooting":
        moment = float(rest.resultant.sel(component="Mz" if spatial else "M")[0])
        assert moment == pytest.approx(-1e-3 * 0.5**2 / 6.0, rel=1e-5)


def test_a_function_of_s_is_what_its_values_are() -> None:
    tips = [
        pl.statics(pl.compile(cantilever(along), elements=pl.Exact(4, order=3))).position.sel(marker="beam/tip").values
        for along in ((2.0, 0.5), lambda s: 2.0 - 1.5 * s, np.array([2.0, 1.25, 0.5]))
    ]
    np.testing.assert_allclose(tips[1:], [tips[0]] * 2, atol=1e-13)


def test_loads_along_rods_in_other_questions() -> None:
    """Path, stability, modes and motion of a rod pushed along itself by a load that falls off towards its tip."""
    model = cantilever((1.0, 0.2), x=0.0)
    mesh, rods = pl.compile(model, elements=pl.Exact(8, order=3)), pl.compile(model, formulation="shooting")
    ends = [pl.path(each, "load/x", to=-50.0) for each in (mesh, rods)]
    np.testing.assert_allclose(ends[1].position.values[-1], ends[0].position.values[-1], atol=1e-9)
    pressed = [each.with_signals({"load/x": -50.0, "load/y": -1.0}) for each in (mesh, rods)]
    rests = [pl.statics(each) for each in pressed]
    assert rests[0].outcome.stable == rests[1].outcome.stable
    tones = [pl.modal(each, at=rest, modes=2).frequency_hz for each, rest in zip(pressed, rests, strict=True)]
    np.testing.assert_allclose(tones[1], tones[0], rtol=1e-5)
    runs = [pl.transient(each, end_time=0.02, step=1e-3, estimate=False) for each in pressed]
    np.testing.assert_allclose(runs[1].position.values, runs[0].position.values, atol=2e-6)


def test_files_hold_values_and_no_functions(tmp_path) -> None:
    file = tmp_path / "model.toml"
    cantilever((1.0, 0.5, 0.0)).save(file)
    (load,) = pl.Model.load(file).forces
    assert load.along == (1.0, 0.5, 0.0)
    with pytest.raises(FileError, match="along is a Python function, which a file cannot hold"):
        cantilever(lambda s: s).save(tmp_path / "other.toml")


@pytest.mark.parametrize(
    ("along", "message"),
    [
        ("half", r"along = 'half' is not allowed; it must be a number"),
        ((1.0,), "along = .* at least 2 numbers"),
        (lambda s: None, r"along\(0\) = None is not allowed"),
        (float("nan"), "along = nan"),
    ],
)
def test_other_factors_are_refused(along: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        cantilever(along)
