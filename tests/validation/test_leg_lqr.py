"""The controlled leg: its case, and what the case does not say."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.leg.control import validate
from pliant_evidence.leg.control.studies import q3, region
from pliant_gallery.leg.control import DAMPER, TORQUE, Posture, by_motor, by_motor_and_gauge, by_tendon, posture, run
from pliant_gallery.leg.stages import LIGHT_DAMPER


@pytest.fixture(scope="module")
def light() -> Posture:
    return posture(elements=10)


def test_rows_of_the_light_damper_hold() -> None:
    """Rows of the light damper hold; `pliant validate leg-lqr` has the prototype's, other sensors, noise and delay."""
    at = posture(LIGHT_DAMPER)
    motor, gauged, tendon = by_motor(at.plant), by_motor_and_gauge(at.plant), by_tendon(at.plant)
    rows = [
        *validate.operating_point("light damper", at),
        *validate.flexible_mode(at, gauged),
        *validate.robustness("light damper", {"motor": motor, "motor, all sensors": gauged, "tendon": tendon}),
        *validate.perturbations("motor", at, motor, validate.LARGE[:2], per_rad=validate.BY_MOTOR),
        *validate.limits(at, motor, tendon),
    ]
    assert [row for row in rows if not row.ok] == []


def test_the_motor_does_what_the_hold_did_and_the_leg_falls_without_a_controller(light: Posture) -> None:
    still = run(light, None, light.equilibrium, end_time=1.0)
    assert np.abs(q3(still) - light.q3).max() < 1e-9
    fallen = run(light, None, light.displaced(0.1), end_time=2.0)
    assert np.abs(q3(fallen) - light.q3).max() > 1.0
    kept = run(light, by_motor(light.plant).controller, light.displaced(0.1), end_time=2.0)
    assert abs(q3(kept)[-1] - light.q3) < 1e-5


def test_both_designs_hold_with_both_dampers() -> None:
    for damping in (15.0, DAMPER):
        at = posture(damping, elements=10)
        for design in (by_motor(at.plant, length=1e-3 if damping < 100.0 else 5e-5), by_tendon(at.plant)):
            motion = run(at, design.controller, at.displaced(0.01), end_time=10.0)
            assert abs(q3(motion)[-1] - at.q3) < 1e-4
            assert pl.spillover(design.controller, reduced=design.small).ok


def test_limits_are_kept_at_every_sample_even_when_the_leg_is_lost(light: Posture) -> None:
    weak = by_motor(light.plant).controller.limited(low=1.3, high=1.45)
    motion = run(light, weak, light.displaced(0.3), end_time=2.0)
    torque = motion.applied.sel(input=TORQUE).values
    assert torque.min() == 1.3
    assert torque.max() == 1.45


def test_region_repeats_and_shrinks_without_control(light: Posture) -> None:
    controller = by_motor(light.plant).controller.limited(low=-5.0, high=5.0)
    first, again = (region(light, controller, reach=0.3, runs=2, seed=3, end_time=2.0) for _ in range(2))
    assert first.data.identical(again.data)
    assert bool((first.held == 1.0).all())
    assert int(region(light, None, reach=0.3, runs=2, seed=3, end_time=2.0).held.sum()) < 2
