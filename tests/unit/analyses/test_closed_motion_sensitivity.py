"""Derivatives of motions with a controller in their loop."""

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

READ, SPEED = "position:slide(0, 0):x", "velocity:slide(0, 0):x"
EDGE = 0.525  # between two readings in steps of 0.05
GAINS = {"kp": 20.0, "kd": 3.0}
HOW: dict[str, Any] = {"end_time": 0.4, "step": 5e-3, "estimate": False}


def held(system: Any, kp: float = GAINS["kp"], kd: float = GAINS["kd"]) -> pl.Controller:
    return pl.Controller.proportional({"push/x": {READ: kp, SPEED: kd}}, sample_time=0.02)


@pytest.fixture(scope="module")
def system() -> Any:
    m = pl.Model("slide")
    mass, x = pl.Parameter("m", 2.0, unit="kg"), pl.Parameter("x", EDGE, unit="m")
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=mass, inertia=1.0, position=(x, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Force(slide.at(), x=0.0, name="push"))
    return pl.compile(m)


@pytest.fixture(scope="module")
def run(system: Any) -> pl.Result:
    return pl.transient(system, controller=held(system), **HOW)


def test_gains_over_masses(system: Any, run: pl.Result) -> None:
    """Places depend on gains over masses alone."""
    gains = [pl.Parameter(name, value) for name, value in GAINS.items()]
    found = pl.sensitivity(system, run, of=["position"], to=["m", *gains], controller=held).derivative.position
    terms = {name: value * found.sel(parameter=name).values for name, value in {"m": 2.0, **GAINS}.items()}
    assert min(np.max(np.abs(terms[name])) for name in GAINS) > 0.01
    assert np.max(np.abs(sum(terms.values()))) < 1e-8


def test_one_number_of_it(system: Any, run: pl.Result) -> None:
    goal = pl.Goal(READ)
    found = pl.sensitivity(system, run, of={"last": goal, "places": "position"}, to=["m"], controller=held(system))
    last = found.derivative.places.sel(marker="slide(0, 0)", axis="x").values[:, -1]
    np.testing.assert_allclose(found.derivative["last"].values, last, rtol=1e-9)


def test_where_a_reading_jumps_there_is_none(system: Any) -> None:
    def coarse(system: Any) -> pl.Controller:
        return held(system).quantised(0.05)

    run = pl.transient(system, controller=coarse(system), **HOW)
    found = pl.sensitivity(system, run, of=["position"], to=["x"], controller=coarse)
    assert np.isnan(found.derivative.position.sel(axis="x").values[0, -1]).all()
    assert found.notes[0].startswith("position by x: motions beside it differ with the step")


def test_what_is_wrong_is_refused_by_name(system: Any, run: pl.Result) -> None:
    with pytest.raises(OptionError, match="give controller=, as to transient"):
        pl.sensitivity(system, run, of=["position"])
    with pytest.raises(OptionError, match="position of that motion is not what this system does"):
        pl.sensitivity(system, run, of=["position"], controller=lambda system: held(system, kp=21.0))
    with pytest.raises(OptionError, match="none was at work"):
        pl.sensitivity(system, pl.transient(system, **HOW), of=["position"], controller=held)
    with pytest.raises(OptionError, match="'places' is no variable"):
        pl.sensitivity(system, run, of=["places"], controller=held)
