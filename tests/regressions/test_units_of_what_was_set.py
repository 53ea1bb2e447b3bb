"""Loads in kilograms were read as newtons, deflections in centimetres for metres, milliseconds for seconds: results
were ok and ten or a hundred times wrong, or took minutes.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.identify import models

PLACE = "position:block(0, 0):x"
LOADS = np.linspace(1.0, 5.0, 5)


def hung(heading: str, factor: float, **more: object) -> pl.Identification:
    noise = 1e-5 * np.array([1.0, -2.0, 0.0, 1.5, -1.0])
    seen = {heading: factor * LOADS, "x [m]": 1.0 + LOADS / 80.0 + noise}
    measured = pl.Measurement(seen, {PLACE: "x"}, signals={"push/x": heading.split()[0]}, **more)
    return pl.identify(models.spring(60.0), parameters=["k"], measurements=[measured])


def test_a_load_in_units_of_something_else() -> None:
    """A mass is no force, and the message says which units it has when it hangs."""
    with pytest.raises(OptionError, match=r"push/x was set in kg, but its unit is N.* A mass weighs: say units"):
        hung("W [kg]", 1.0 / 9.80665)
    with pytest.raises(OptionError, match="push/x was set in mm, but its unit is N"):
        hung("W [mm]", 1.0)
    assert hung("W [kg]", 1.0 / 9.80665, units={"W": "kgf"}).values["k"] == pytest.approx(80.0, rel=1e-3)


def test_a_hundred_times_too_large() -> None:
    """A deflection in centimetres, without a unit."""
    seen = {"F": LOADS, "tip": -2.0 * LOADS}
    strip = pl.Measurement(seen, {"position:strip/tip:y": "tip"}, signals={"load/y": "F*-0.01"})
    with pytest.raises(OptionError, match="seems to be in cm"):
        pl.identify(models.strip(), parameters=["E"], measurements=[strip])


def test_a_time_in_milliseconds() -> None:
    """The motion is not computed for an hour to find that out."""
    t = np.linspace(0.0, 4000.0, 101)
    seen = {"t": t, "x [m]": 1.0 + 0.1 * np.cos(6.3e-3 * t)}
    swing = pl.Measurement(seen, {PLACE: "x"}, time="t", begin={"push/x": 8.0})
    with pytest.raises(OptionError, match="time seems to be in ms"):
        pl.identify(models.spring(), parameters=["k"], measurements=[swing])
    with pytest.raises(OptionError, match="It runs backwards: turn the rows around"):
        pl.Measurement({"t": t[::-1], "x": t}, {PLACE: "x"}, time="t")


def test_small_numbers_of_an_axis_are_not_doubted() -> None:
    """Places are looked at together: a frame that is to be found turns a large axis into a small one."""
    system = pl.compile(models.strip(), elements=2)
    loads, rests = np.linspace(0.1, 0.5, 5), []
    for load in loads:
        rests.append(pl.statics(system.with_signals({"load/y": -load}), start=rests[-1] if rests else None))
    marks = ("strip/base", "strip/tip")
    names = [f"position:{mark}:{axis}" for mark in marks for axis in "xy"]
    seen = {"F": loads}
    for mark in marks:
        places = np.array([rest.position.sel(marker=mark).values for rest in rests])
        seen |= {f"position:{mark}:x": places[:, 1], f"position:{mark}:y": -places[:, 0]}
    turned = pl.Measurement(seen, {n: n for n in names}, signals={"load/y": "F*-1"}, frame="find", error=1e-4)
    found = pl.identify(system.with_parameters(E=180e9), parameters=["E"], measurements=[turned])
    assert found.values["E"] == pytest.approx(210e9, rel=1e-3)
