"""Relative equilibria: their tangents against differences, what is refused, what results carry on."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CapabilityError, ModelError, OptionError
from pliant.joints import rows as joints


def hub_pendulum() -> pl.Model:
    m = pl.Model("pendulum on a hub", plane=None)
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=(0, 0, 0), position=(0, 0, -2)))
    m.add(pl.Revolute(ground.at(0, 0, 0), bob.at(0, 0, 2), axis="y"), pl.Gravity())
    return m


def rich(*, spatial: bool) -> pl.Model:
    """Build bodies with masses off their centres, beams, springs, tendons and dampers, none of it on the axis."""

    def at(part: object, *place: float) -> pl.Marker:
        return part.at(*place[: 3 if spatial else 2])  # type: ignore[attr-defined, no-any-return]

    m = pl.Model("rich", plane=None if spatial else "xy")
    strip = pl.Section.rectangle(0.02, 0.01, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.6, section=strip, damping=pl.Rayleigh(1.0, 1e-3)))
    body = m.add(pl.Body("body", mass=2.0, inertia=(0.3, 0.2, 0.4) if spatial else 0.3))
    m.add(pl.Weld(at(ground, 0.1, 0.2, 0.3), beam.at(s=0)))
    ball = pl.Spherical if spatial else pl.Revolute
    m.add(ball(beam.at(s=1), at(body, -0.3, 0.1, 0.1)), pl.PointMass("mass", at(body, 0.2, 0.3, 0.1), mass=0.5))
    for k, place in enumerate(((0.3, -0.5, 0.2), (0.8, 0.9, 1.0), (1.5, 0.2, -0.4))):
        ends = at(ground, *place), at(body, 0.1, 0.2 * k - 0.2, 0.1 * k)
        m.add(pl.Spring(f"spring {k}", *ends, stiffness=200.0, rest_length=0.5, damping=3.0))
    m.add(pl.Tendon("tendon", beam.at(s=0.5), at(body, 0.2, 0.0, 0.2), stiffness=500.0, rest_length=0.4, damping=2.0))
    return m


@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
def test_tangents_are_derivatives(spatial: bool) -> None:
    system = pl.compile(rich(spatial=spatial), elements=pl.Exact(2))
    turning = system.spinning(pl.Spin(3.0, about=(0.05, 0.1)))
    state = turning.find_equilibrium(turning.start(), time=0.0, load_steps=1).state
    matrices, n, size = turning.matrices(state), turning.freedoms, 1.0 / turning.weight
    u, still = turning.signals(np.zeros(1))[0], np.zeros(turning.size)

    def left(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        jacobian = np.zeros((turning.constraints, turning.size))
        joints.jacobian_dense(turning.equations.rows, q, u, jacobian)
        return turning.unbalanced(q, v, still, u) + jacobian[:, :n].T @ state.lam

    step, numeric = 1e-5, np.zeros((2, n, n))
    for k, e in enumerate(np.diag(step * size)):
        numeric[0, :, k] = left(turning.moved(state.q, e), still) - left(turning.moved(state.q, -e), still)
        v = np.pad(e, (0, turning.size - n))
        numeric[1, :, k] = left(state.q, v) - left(state.q, -v)
    numeric /= 2.0 * step * size
    units = size[:, None] * size
    expected = units * numeric[0]
    assert units * matrices.stiffness.toarray() == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())
    bare = (
        turning.damped.matrices(turning.absolute(state)).damping
        - type(system).matrices(turning, turning.absolute(state)).damping
    )  # of the beam, which `unbalanced` leaves out
    found = units * (matrices.damping - bare).toarray()
    assert found == pytest.approx(units * numeric[1], abs=1e-8 * np.abs(found).max())


def test_lag_of_a_blade_is_not_its_flap() -> None:
    """Found by a frozen linear model it was 13.17."""
    m = pl.Model("blade")
    section = pl.Section(1e8, 1e8, 1.0, 1.0, 1e-9)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="probe"))
    m.add(pl.Motion(ground.at(0, 0), beam.at(s=0), angle=0.0, name="hub"))
    system = pl.compile(m, elements=pl.Exact(4, order=3))
    rest = pl.statics(system, spin=12.0)
    plant = pl.linearise(system, at=rest, inputs=["probe/y"], outputs=["position:beam/tip:y"])
    assert np.max(plant.poles(2).imag) == pytest.approx(5.42705, rel=1e-4)
    assert pl.modal(system, at=rest, modes=1).eigenvalue.values[0].imag == pytest.approx(5.42705, rel=1e-4)
    driven = system.with_signals({"hub/angle": pl.Expression("12*t")})
    run = pl.transient(driven, start=rest, end_time=0.05, step=1e-4, spectral_radius=0.5)
    with pytest.raises(OptionError, match="spin="):
        pl.modal(driven, at=run)
    with pytest.raises(OptionError, match="'hub/angle' of 'blade' moves"):
        pl.statics(driven, spin=12.0)


def test_what_is_not_steady_is_refused_by_name() -> None:
    system = pl.compile(hub_pendulum())
    with pytest.raises(OptionError, match="'gravity/z' of 'pendulum on a hub' is not steady"):
        pl.statics(system, spin=pl.Spin(1.0, axis="x"))
    m = pl.Model("disc")
    ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=1.0, inertia=1.0))
    ends = ground.at(1, 0), disc.at()
    m.add(pl.Revolute(ground.at(0, 0), disc.at(0.1, 0)), pl.Spring("spring", *ends, stiffness=1.0, rest_length=1.0))
    even, uneven = (pl.Dashpot("dashpot", disc.at(), x=1.0, y=y) for y in (1.0, 2.0))
    m.add(uneven)
    with pytest.raises(OptionError, match='Dashpot "dashpot"'):
        pl.statics(pl.compile(m), spin=1.0)
    assert even.y == 1.0
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    m = pl.Model("beam")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    with pytest.raises(OptionError, match="small rotations"):
        pl.statics(pl.compile(m, elements=pl.Linear(2)), spin=1.0)
    with pytest.raises(CapabilityError, match="formulation='dae'"):
        pl.statics(pl.compile(m, formulation="shooting"), spin=1.0)
    with pytest.raises(ModelError, match="z in a planar model"):
        pl.statics(pl.compile(m), spin=pl.Spin(1.0, axis="x"))
    with pytest.raises(OptionError, match="about which axis"):
        pl.path(pl.compile(m), "spin rate", to=1.0)
    with pytest.raises(OptionError, match="increase"):
        pl.campbell(pl.compile(m), rates=[2.0, 1.0])


def test_gyroscopic_forces_hold_what_falls() -> None:
    """A spherical pendulum hangs stably, whoever looks at it; turning fast enough with it, its potential falls."""
    m = hub_pendulum()
    free = pl.Model("spherical pendulum", plane=None)
    ground, bob = free.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=(0, 0, 0), position=(0, 0, -2)))
    free.add(pl.Universal(ground.at(0, 0, 0), bob.at(0, 0, 2)), pl.Gravity())
    held = pl.statics(pl.compile(free), spin=pl.Spin(3.0)).outcome
    assert (held.stable, held.unstable_directions, held.falling_directions) == (True, 0, 2)
    assert "gyroscopic forces alone" in held.message
    with pytest.warns(pl.errors.PliantWarning, match="unstable"):
        falls = pl.statics(pl.compile(m), spin=pl.Spin(3.0)).outcome
    assert (falls.stable, falls.unstable_directions, falls.falling_directions) == (False, 1, 1)


def test_points_of_a_path_keep_their_spin(tmp_path) -> None:  # type: ignore[no-untyped-def]
    system = pl.compile(hub_pendulum())
    walked = pl.path(system, "spin rate", spin=pl.Spin(2.0), to=3.0)
    assert walked.stable.values[0]
    assert not walked.stable.values[-1]
    point = walked.equilibrium(0)
    saved = pl.load_result(point.save(tmp_path / "point.nc"))
    omega = np.sqrt(9.81 / 2.0 - 4.0)
    assert pl.modal(system, at=saved, modes=1).eigenvalue.values[0].imag == pytest.approx(omega, rel=1e-9)


def test_campbell_follows_modes_through_zero() -> None:
    m = pl.Model("rotor")
    ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=2.0, inertia=1.0))
    m.add(pl.TorsionSpring("shaft", ground.at(0, 0), disc.at(), stiffness=1e4))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        m.add(pl.Spring(f"spring {x} {y}", ground.at(x, y), disc.at(), stiffness=50.0, rest_length=1.0))
    found = pl.campbell(pl.compile(m), rates=[0.0, 3.0, 6.0, 9.0], modes=2)
    seen = np.sort(found.eigenvalue.values[1:].imag, axis=1)
    rates = np.array([3.0, 6.0, 9.0])
    assert seen == pytest.approx(np.sqrt(50.0) + np.outer(rates, [-1.0, 1.0]), rel=1e-9)
    assert np.sort(found.whirl.values[1:], axis=1) == pytest.approx(np.tile([-1.0, 1.0], (3, 1)))
    assert pl.plot_campbell(found, axes="fixed").get_ylabel() == "frequency in fixed axes [Hz]"
