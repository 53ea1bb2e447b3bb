"""A system with other signals is the system of a model with those signals: same equilibria, motions and energies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant as pl
from pliant.analyses.common import signal_units
from pliant.errors import ModelError, OptionError
from pliant_gallery import four_bar

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
RAMP = pl.Ramp(0.0, -5.0, t0=0.0, t1=0.1)


def cantilever(load: object) -> pl.Model:
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=load, name="tip"))
    return m


def arm(angle: object) -> pl.Model:
    m = pl.Model("driven arm")
    ground, link = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    m.add(pl.Revolute(ground.at(0, 0), link.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), link.at(s=0), angle=angle, name="drive"))
    return m


def test_a_force_raised_gives_the_equilibrium_of_the_model_with_that_force() -> None:
    made, raised = pl.compile(cantilever(-5.0)), pl.compile(cantilever(-1.0)).with_signals({"tip/y": -5.0})
    one, other = pl.statics(made), pl.statics(raised)
    np.testing.assert_array_equal(one.position.values, other.position.values)
    np.testing.assert_array_equal(one.energy.values, other.energy.values)
    assert other.provenance.settings["signals"] == {"tip/y": -5.0}


def test_constants_share_all_arrays_and_leave_the_system_alone() -> None:
    system = pl.compile(cantilever(-1.0))
    raised = system.with_signals({"tip/y": -5.0})
    assert raised.equations is system.equations
    assert [value[0] for value in (system.signals(np.zeros(1))[:, -1], raised.signals(np.zeros(1))[:, -1])] == [-1, -5]
    both = raised.with_signals({"tip/x": 2.0})
    assert dict(zip(both.signal_names, both.signals(np.zeros(1))[0, 3:], strict=True)) == {"tip/x": 2.0, "tip/y": -5.0}
    assert both.settings["signals"] == {"tip/x": 2.0, "tip/y": -5.0}
    assert "signals" not in system.settings


@pytest.mark.parametrize("before, after", [(-1.0, RAMP), (RAMP, -5.0), (RAMP, pl.Sine(5.0, frequency_hz=3.0))])
def test_motion_and_energies_are_those_of_the_model_with_that_signal(before: object, after: object) -> None:
    options = {"end_time": 0.2, "step": 1e-3}
    made = pl.transient(pl.compile(cantilever(after), elements=4), **options)
    replaced = pl.transient(pl.compile(cantilever(before), elements=4).with_signals({"tip/y": after}), **options)
    np.testing.assert_array_equal(made.position.values, replaced.position.values)
    np.testing.assert_array_equal(made.energy.values, replaced.energy.values)
    # the work of the load is counted once, in the potential of a constant or as supplied; else the balance is far off
    assert replaced.outcome.energy_error < 0.02 * replaced.outcome.energy_range


def test_a_drive_is_moved_by_statics_and_runs_as_made() -> None:
    system = pl.compile(arm(0.3))
    moved = system.with_signals({"drive/angle": 0.5})
    rest = pl.statics(moved)
    assert float(rest.angle[0]) == pytest.approx(0.5, abs=1e-12)
    torque = 0.5 * 9.81 * math.cos(0.5)  # what the drive holds: m g l / 2 cos
    assert abs(float(rest.reaction.sel(joint="drive", wrench="M"))) == pytest.approx(torque, rel=1e-9)
    assert pl.transient(moved, start=rest, end_time=0.1, step=1e-2).outcome.energy_error < 1e-12
    ramp = pl.Ramp(0.3, 0.6, t0=0.0, t1=0.5)
    one = pl.transient(system.with_signals({"drive/angle": ramp}), end_time=0.5, step=1e-2)
    other = pl.transient(pl.compile(arm(ramp)), end_time=0.5, step=1e-2)
    np.testing.assert_array_equal(one.energy.values, other.energy.values)


def test_a_motion_does_not_start_with_a_drive_elsewhere() -> None:
    moved = pl.compile(arm(0.3)).with_signals({"drive/angle": 0.5})
    with pytest.raises(OptionError, match=r"drive 'drive' is 0\.2 away .* t = 0 s.*statics\(system, start="):
        pl.transient(moved, end_time=0.1, step=1e-2)


def test_relative_coordinates_take_them_too() -> None:
    weightless = {"gravity/x": 0.0, "gravity/y": 0.0}
    mechanism = pl.compile(four_bar.model(), formulation="relative").with_signals(weightless)
    run = pl.transient(mechanism, end_time=0.3, push={"crank": 5.0})
    kinetic = run.energy.sel(energy_kind="kinetic")
    assert float(kinetic.max() - kinetic.min()) < 1e-6 * float(kinetic.max())  # nothing works on it
    assert run.provenance.settings["signals"] == weightless


def test_every_signal_has_units() -> None:
    m = arm(0.3)
    ground, link = m.part("ground"), m.part("arm")
    beam = m.add(pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(link.at(s=1), beam.at(s=0)), pl.Force(beam.at(s=1), name="tip"), pl.Moment(beam.at(s=1), 1.0))
    m.add(pl.DistributedLoad(beam, y=1.0), pl.Motor("motor", ground.at(0, 0), link.at(s=0), 1.0))
    m.add(pl.Tendon("tendon", ground.at(0, 1), link.at(s=1), stiffness=100.0, rest_length=1.0))
    system = pl.compile(m, elements=2)
    units = {name.rpartition("/")[2]: signal_units(system, name) for name in system.signal_names if "beam" not in name}
    assert units == {"x": "N", "y": "N", "angle": "rad", "torque": "N m", "rest_length": "m", "tension": "N"}
    assert None not in {signal_units(system, name) for name in system.signal_names}
    assert signal_units(system, "gravity/y") == "m/s²"


@pytest.mark.parametrize(
    "signals, message",
    [
        ({"tip/z": 1.0}, r"no signal 'tip/z'\. Did you mean .*tip/y"),
        ({3: 1.0}, r"no signal 3\. Known are: tip/x, tip/y"),
        (["tip/y"], "give a mapping"),
        ({"tip/y": math.nan}, "tip/y"),
        ({"tip/y": "2*t"}, r"Expression\('2\*t'\)"),
    ],
)
def test_bad_signals_are_refused(signals: object, message: str) -> None:
    with pytest.raises((OptionError, ModelError), match=message):
        pl.compile(cantilever(-1.0)).with_signals(signals)


def test_a_model_changed_since_is_noticed() -> None:
    model = cantilever(-1.0)
    system = pl.compile(model)
    model.add(pl.Force(model.part("beam").at(s=1), x=1.0))
    with pytest.raises(ModelError, match="'cantilever' has changed since it was compiled"):
        system.with_signals({"tip/y": RAMP})
