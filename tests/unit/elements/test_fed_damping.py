"""Damping of beams that are fed, beside beams that are not, and damping of what passes the nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant_gallery import fed_rod
from pliant_testing.probe import Kinematics, Probe

SOFT = replace(
    fed_rod.SECTION,
    axial_stiffness=60.0,
    shear_stiffness=40.0,
    shear_stiffness_z=50.0,
    rotary_inertia=1e-4,
    rotary_inertia_y=1e-4,
)
BETA = 2e-3
FINE = pl.Exact(3, order=2)


ALPHA = 3.0
BY_STRAIN, BY_MOTION = pl.Rayleigh(stiffness=BETA), pl.Rayleigh(ALPHA, 0.0, relative_to="ground")


def rod(
    axes: int, *, fed: bool = True, feed: Any = 0.0, length: float = 0.8, damping: pl.Rayleigh = BY_STRAIN
) -> pl.Model:
    """Build a damped rod with a force across its tip that is let go, fed by a motor or welded to the ground."""
    made = fed_rod.model(load=(0.0, 1.0, 0.0)[:axes], section=SOFT, feed=feed, length=length, stock=0.6)
    m = pl.Model("rod", plane=made.plane)
    ground, carriage = made.part("ground"), made.part("carriage")
    beam = replace(made.part("rod"), damping=damping)
    m.add(ground, beam)
    sleeve = ground.at(*(0.0,) * axes)
    m.add(pl.Weld(sleeve, beam.at(s=0), angle=0.0))
    m.add(pl.Force(beam.at(s=1), y=pl.Ramp(1.0, 0.0, 0.0, 0.01), name="push"))
    if fed:
        m.add(carriage, pl.Prismatic(sleeve, carriage.at()), pl.Motion(sleeve, carriage.at(), x=feed, name="motor"))
        m.add(replace(made.part("feed"), beam=beam))
    return m


@pytest.mark.parametrize("damping", [BY_STRAIN, BY_MOTION])
@pytest.mark.parametrize("axes", [2, 3])
def test_held_at_a_length_it_rings_down_as_the_beam_of_that_length(axes: int, damping: pl.Rayleigh) -> None:
    found = []
    for fed in (True, False):
        system = pl.compile(rod(axes, fed=fed, length=0.8 if fed else 1.0, damping=damping), elements=FINE)
        system = system.with_signals({"motor/x": 0.2}) if fed else system
        motion = pl.transient(system, start=pl.statics(system), end_time=0.1, step=2e-3)
        found.append([motion.position.sel(marker="rod/tip").values, *motion.energy.values.T])
    for one, other in zip(*found, strict=True):  # what Newton leaves; forces are equal to 1e-12 (contract)
        assert np.allclose(one, other, rtol=0.0, atol=1e-7 * np.max(np.abs(found[1][2])))
    assert found[0][4][-1] > 0.03 * found[0][2][0]  # what is dissipated of what was stored


@pytest.mark.parametrize("axes", [2, 3])
def test_modes_are_damped_by_half_beta_omega(axes: int) -> None:
    system = pl.compile(rod(axes), elements=FINE).with_signals({"motor/x": 0.2, "push/y": 0.0})
    found = pl.modal(system, at=pl.statics(system), modes=3, damped=True)
    value = found.eigenvalue.values
    assert np.allclose(-value.real / np.abs(value), 0.5 * BETA * np.abs(value), rtol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("axes", [2, 3])
def test_modes_decay_by_half_alpha(axes: int, order: int) -> None:
    """M w.. + alpha M w. + K w = 0, of elements of every order."""
    system = pl.compile(rod(axes, damping=BY_MOTION), elements=pl.Exact(4, order=order))
    system = system.with_signals({"motor/x": 0.2, "push/y": 0.0})
    value = pl.modal(system, at=pl.statics(system), modes=3, damped=True).eigenvalue.values
    assert np.allclose(value.real, -0.5 * ALPHA, rtol=1e-9)


@pytest.mark.parametrize("axes", [2, 3])
def test_pushed_along_a_clothoid_it_is_bent_as_it_goes(axes: int) -> None:
    """Curvature a s at s from the sleeve, of all that moves along with l.: the rate of curvature is a l. everywhere,
    and nothing else changes, so that ``beta EI (a l.)^2 l`` is dissipated. All points move with l. along the curve, and
    sections turn with the nodes, by ``s^2 a l./l``: that is ``alpha (rho l l.^2 + J (a l.)^2 l^3/5)``.
    """
    asked, other = (
        Probe("rod", rod(axes, damping=each), elements=pl.Exact(12, order=4)) for each in (BY_STRAIN, BY_MOTION)
    )
    system, a, length, speed = asked.system, 1.5, 1.0, 0.7
    width, turn = system.space.width, 2 if axes == 2 else 5
    change, v = np.zeros(system.freedoms), np.zeros(system.size)
    for node, (owner, place) in enumerate(zip(system.node_owners(), system.node_places(), strict=True)):
        if owner == "carriage":
            change[width * node], v[width * node] = 0.2, speed
            continue
        s, (x, weight) = place * length, np.polynomial.legendre.leggauss(20)
        along = 0.5 * s * (x + 1.0)
        angle = 0.5 * a * s**2
        at = 0.5 * s * np.array([weight @ np.cos(0.5 * a * along**2), weight @ np.sin(0.5 * a * along**2)])
        change[width * node : width * node + 2] = at - (0.8 * place, 0.0)
        change[width * node + turn] = angle
        v[width * node : width * node + 2] = place * speed * np.array([np.cos(angle), np.sin(angle)])
        v[width * node + turn] = place * speed * a * s
    state = Kinematics(system.moved(system.initial, change), v, 0.0 * v)
    power = asked.power(state)[1]
    assert power == pytest.approx(BETA * SOFT.bending_stiffness * (a * speed) ** 2 * length, rel=1e-6)
    inertia = SOFT.mass_per_length * length * speed**2 + SOFT.rotary_inertia * (a * speed) ** 2 * length**3 / 5.0
    assert other.power(state)[1] == pytest.approx(ALPHA * inertia, rel=1e-6)


@pytest.mark.parametrize("damping", [BY_STRAIN, BY_MOTION])
@pytest.mark.parametrize("axes", [2, 3])
def test_relative_coordinates_damp_it_alike_while_it_is_fed(axes: int, damping: pl.Rayleigh) -> None:
    """And the energy balance of each closes."""
    ends = []
    for formulation in ("dae", "relative"):
        made = rod(axes, feed=pl.Ramp(0.0, 0.05, 0.0, 0.1), damping=damping)
        motion = pl.transient(pl.compile(made, formulation=formulation, elements=FINE), end_time=0.1, accuracy=1e-5)
        assert motion.outcome.ok
        ends.append([*motion.position.sel(marker="rod/tip").values[-1, :2], *motion.energy.values[-1, 1:4]])
    assert np.allclose(*ends, rtol=0.0, atol=1e-4 * np.max(np.abs(ends[0])))


def test_what_is_not_damped_is_refused() -> None:
    with pytest.raises(ModelError, match=r"alpha = 3 1/s, relative .* Give relative_to='ground'"):
        rod(2, damping=pl.Rayleigh(ALPHA))
    with pytest.raises(OptionError, match=r"elements of order 1 .* Try pl\.Exact\(4, order=2\)"):
        pl.compile(rod(2), elements=pl.Exact(4))
    with pytest.raises(ModelError, match="has damping, which the formulation 'shooting' does not support for fed rods"):
        pl.compile(rod(2), formulation="shooting")
