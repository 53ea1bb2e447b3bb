"""A state goes from one system to another with the same parts and other joints: what was held is released."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CarriedOver, OptionError
from pliant.results import Provenance, Result
from pliant_gallery import four_bar

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def pendulum(*, hold: object = None, angle: float = 0.3) -> pl.Model:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=angle))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    if hold is not None:
        m.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=hold, name="hold"))
    return m


def cantilever(*, tip: float | None = None, force: float = 0.0) -> pl.Model:
    """Build a beam whose tip is held down by a joint, or by a force."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=force, name="tip"))
    if tip is not None:
        m.add(pl.Motion(ground.at(0, 0), beam.at(s=1), y=tip, name="hold"))
    return m


def linkage(*, held: bool = False, torque: float = 0.0) -> pl.Model:
    """Build a four-bar with a flexible coupler whose crank is held by a joint, or by a motor."""
    m = four_bar.model(coupler="flexible")
    ground, crank = m.part("ground"), m.part("crank")
    m.add(pl.Motor("motor", ground.at(0, 0), crank.at(s=0), torque))
    if held:
        m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=crank.angle, name="hold"))
    return m


def test_a_pendulum_released_is_one_that_starts_there() -> None:
    held = pl.statics(pl.compile(pendulum(hold=0.3)))
    run = pl.transient(pl.compile(pendulum()), start=held, end_time=1.0, step=1e-3)
    alone = pl.transient(pl.compile(pendulum()), end_time=1.0, step=1e-3)
    np.testing.assert_allclose(run.angle.values, alone.angle.values, atol=1e-12)
    np.testing.assert_allclose(run.reaction.values, alone.reaction.values, atol=1e-8)
    tip = run.acceleration.sel(marker="arm/tip").values[0]
    np.testing.assert_allclose(np.hypot(*tip), 1.5 * 9.81 * math.cos(0.3), rtol=1e-9)  # 3 g cos / 2 l
    assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_a_drive_let_go_leaves_its_speed() -> None:
    driven = pl.transient(pl.compile(pendulum(hold=pl.Expression("0.3 + 2*t"))), end_time=0.25, step=1e-3)
    run = pl.transient(pl.compile(pendulum()), start=driven, end_time=1.25, step=1e-3)
    assert float(run.time[0]) == 0.25
    assert float(run.angular_velocity[0, 0]) == pytest.approx(2.0, abs=1e-6)  # index 3: velocities to step squared
    alone = pl.transient(pl.compile(pendulum(angle=0.8)), end_time=1.0, step=1e-3, push={"arm": 2.0})
    np.testing.assert_allclose(run.angle.values, alone.angle.values, atol=2e-6)


def test_a_beam_released_by_a_joint_springs_as_one_released_by_a_force() -> None:
    held = pl.statics(pl.compile(cantilever(tip=-0.3)))
    force = float(held.reaction.sel(joint="hold", wrench="Fy"))
    loaded = pl.compile(cantilever(force=force))
    bent = pl.statics(loaded)
    assert float(bent.position.sel(marker="beam/tip", axis="y")) == pytest.approx(-0.3, abs=1e-9)
    options: dict[str, Any] = {"end_time": 0.3, "step": 1e-3}
    one = pl.transient(pl.compile(cantilever()), start=held, **options)
    other = pl.transient(loaded.with_signals({"tip/y": 0.0}), start=bent, **options)
    np.testing.assert_allclose(one.position.values, other.position.values, atol=1e-8)
    assert one.outcome.energy_error < 0.01 * one.outcome.energy_range
    assert float(one.position.sel(marker="beam/tip", axis="y").max()) > 0.1


@pytest.mark.filterwarnings("ignore:The equilibrium of 'flexible four-bar' is unstable")
def test_a_mechanism_released_by_a_joint_falls_as_one_released_by_a_motor() -> None:
    held = pl.statics(pl.compile(linkage(held=True), elements=4))
    torque = float(held.reaction.sel(joint="hold", wrench="M"))
    driven = pl.compile(linkage(torque=torque), elements=4)
    options: dict[str, Any] = {"end_time": 0.2, "step": 1e-3}
    one = pl.transient(pl.compile(linkage(), elements=4), start=held, **options)
    other = pl.transient(driven.with_signals({"motor/torque": 0.0}), start=pl.statics(driven, start=held), **options)
    np.testing.assert_allclose(one.position.values, other.position.values, atol=1e-7)
    assert one.outcome.constraint_error < 1e-9
    assert float(np.ptp(one.angle.sel(body="crank").values)) > 0.05


def test_a_mechanism_may_be_held_where_it_is() -> None:
    free = pl.statics(pl.compile(pendulum()))
    rest = pl.statics(pl.compile(pendulum(hold=float(free.angle[0]) + 0.2)), start=free)
    assert float(rest.angle[0]) == pytest.approx(float(free.angle[0]) + 0.2, abs=1e-12)


def test_reactions_of_other_joints_are_not_taken_over() -> None:
    """A rod in place of the hold: as many rows, other joints."""
    m = pendulum()
    ground, arm = m.part("ground"), m.part("arm")
    m.add(pl.Distance(ground.at(0, 1), arm.at(s=1), name="rod"))
    system = pl.compile(m)
    held = pl.statics(pl.compile(pendulum(hold=0.3)))
    assert held.state is not None
    assert held.state["lam"].size == system.constraints
    run = pl.transient(system, start=held, end_time=0.02, step=1e-2)
    np.testing.assert_allclose(run.reaction.values[0], pl.statics(system).reaction.values, rtol=1e-9, atol=1e-9)


def test_modes_are_refused_until_the_equilibrium_is_found() -> None:
    held = pl.statics(pl.compile(cantilever(tip=-0.1)))
    free = pl.compile(cantilever())
    with pytest.raises(OptionError, match=r"with other joints \(hold\).*statics\(system, start="):
        pl.modal(free, at=held, modes=1)
    rest = pl.statics(free, start=held)
    assert float(rest.position.sel(marker="beam/tip", axis="y")) == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(pl.modal(free, at=rest, modes=2).frequency_hz, pl.modal(free, modes=2).frequency_hz)


def test_modes_about_a_state_of_other_loads_are_refused() -> None:
    system = pl.compile(cantilever(force=-1.0))
    strong = system.with_signals({"tip/y": -5.0})
    bent = pl.statics(strong)
    with pytest.raises(OptionError, match=r"no equilibrium of this system: .* N is not balanced.*statics\(system"):
        pl.modal(system, at=bent)
    assert pl.modal(strong, at=bent, modes=1).outcome.ok
    assert pl.modal(system, at=pl.statics(system, start=bent), modes=1).outcome.ok


@pytest.mark.parametrize(
    "parameter, value, message",
    [
        ("tip/y", -5.0, r"point of a path: use system\.with_signals\(\{'tip/y': -5\.0\}\)"),
        ({"tip/y": -10.0}, 0.5, r"point of a path: use system\.with_signals\(\{'tip/y': -5\.0\}\)"),
        ("thickness", 0.002, r"the system that was made for thickness = 0\.002"),
    ],
)
def test_a_point_of_a_path_names_the_signals_it_belongs_to(parameter: object, value: float, message: str) -> None:
    system = pl.compile(cantilever(force=-1.0))
    bent = pl.statics(system.with_signals({"tip/y": -5.0}))
    point = Result(
        bent.data, "statics", bent.outcome, Provenance("m", "statics", {"parameter": parameter, "value": value})
    )
    with pytest.raises(OptionError, match=message):
        pl.modal(system, at=point)


def test_points_of_a_path_are_equilibria_to_go_on_from(tmp_path: Any) -> None:
    system = pl.compile(cantilever())
    path = pl.path(system, "tip/y", to=-5.0)
    path = pl.load_result(path.save(tmp_path / "path.nc"))
    for point in (len(path.point) // 2, -1):
        bent = path.equilibrium(point)
        there = system.with_signals({"tip/y": float(path.parameter[point])})
        found = pl.statics(there)
        for name in ("position", "reaction", "resultant"):
            np.testing.assert_allclose(bent.data[name], found.data[name], rtol=1e-6, atol=1e-6)
        potential = [float(each.energy.sel(energy_kind="potential")) for each in (bent, found)]
        assert potential[0] == pytest.approx(potential[1], rel=1e-9)
        frequencies = [pl.modal(there, at=each, modes=3).frequency_hz.values for each in (bent, found)]
        np.testing.assert_allclose(*frequencies, rtol=1e-7)
        still = pl.transient(there, start=bent, end_time=0.02, step=1e-3)
        np.testing.assert_allclose(still.position.values[-1], bent.position.values, atol=1e-7)
        freed = pl.transient(system, start=bent, end_time=0.02, step=1e-3)  # without the load it springs back
        assert float(freed.position.sel(marker="beam/tip", axis="y")[-1] - bent.position.values[1, 1]) > 1e-3
        for given in (bent, path) if point == -1 else (bent,):
            with pytest.raises(OptionError, match=r"use system\.with_signals\(\{'tip/y': -"):
                pl.modal(system, at=given)


def test_points_of_a_path_over_a_drive_name_it() -> None:
    system = pl.compile(pendulum(hold=0.3))
    path = pl.path(system, "hold/angle", to=1.3)
    point = path.equilibrium()
    message = r"drive 'hold' is 1 away .* use system\.with_signals\(\{'hold/angle': 1\.3\}\)"
    with pytest.raises(OptionError, match=message):
        pl.modal(system, at=point)
    with pytest.raises(OptionError, match=message):
        pl.transient(system, start=point, end_time=0.1, step=1e-2)
    free = pl.transient(pl.compile(pendulum()), start=point, end_time=0.5, step=1e-3)
    alone = pl.transient(pl.compile(pendulum(angle=1.3)), end_time=0.5, step=1e-3)
    np.testing.assert_allclose(free.angle.values, alone.angle.values, atol=1e-9)


def test_modes_with_a_drive_elsewhere_are_refused() -> None:
    system = pl.compile(pendulum(hold=0.3))
    moved = system.with_signals({"hold/angle": 0.5})
    with pytest.raises(OptionError, match=r"at: drive 'hold' is 0\.2 away"):
        pl.modal(system, at=pl.statics(moved))


def test_open_joints_are_still_refused() -> None:
    longer = pl.Model("longer")
    ground, arm = longer.add(pl.Ground(), pl.Link("arm", length=2.0, mass=1.0, angle=0.3))
    longer.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    held = pl.statics(pl.compile(pendulum(hold=0.3)))
    with pytest.raises(OptionError, match=r"joint .* is open by .* another model"):
        pl.transient(pl.compile(longer), start=held, end_time=1.0, step=1e-2)


def test_an_angle_is_open_by_what_it_moves_at_the_length_of_the_model() -> None:
    """A joint turned by 1e-5 rad is closed enough in a model of a metre and in one of a millimetre."""
    for scale, turned, refused in ((1.0, 1e-5, False), (1e-3, 1e-5, False), (1.0, 0.01, True), (1e-3, 0.01, True)):
        m = pl.Model("welded")
        ground, arm = m.add(pl.Ground(), pl.Link("arm", length=scale, mass=1.0, angle=0.3))
        m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
        system = pl.compile(m)
        state = system.start()
        c, s = math.cos(0.3 + turned), math.sin(0.3 + turned)
        state.q[:3] = 0.5 * scale * c, 0.5 * scale * s, 0.3 + turned
        if refused:
            with pytest.raises(OptionError, match=r"open by 0\.01"):
                pl.statics(system, start=state)
        else:
            assert pl.statics(system, start=state).outcome.ok


def test_other_parts_are_refused_by_name() -> None:
    def pair(first: str, second: str) -> pl.System:
        m = pl.Model("pair")
        ground, *links = m.add(pl.Ground(), *(pl.Link(n, length=1.0, mass=1.0, angle=-1.5) for n in (first, second)))
        m.add(*(pl.Revolute(ground.at(k, 0), link.at(s=0)) for k, link in enumerate(links)), pl.Gravity())
        return pl.compile(m)

    rest = pl.statics(pair("left", "right"))
    with pytest.raises(OptionError, match=r"start: joint .* is open by 1 in that state, carried over"):
        pl.statics(pair("right", "left"), start=rest)


def test_elements_dealt_otherwise_are_carried_over() -> None:
    def frame(elements: dict[str, int]) -> pl.System:
        m = pl.Model("frame")
        ground, a, b = m.add(
            pl.Ground(), pl.Beam("a", length=1.0, section=STRIP), pl.Beam("b", length=1.0, section=STRIP)
        )
        m.add(pl.Weld(ground.at(0, 0), a.at(s=0)), pl.Weld(a.at(s=1), b.at(s=0)))
        return pl.compile(m, elements=elements)

    rest = pl.statics(frame({"a": 3, "b": 5}))
    with pytest.warns(CarriedOver, match="carried over along its parts"):
        other = pl.statics(frame({"a": 5, "b": 3}), start=rest)
    np.testing.assert_allclose(other.position.sel(marker="b/tip"), rest.position.sel(marker="b/tip"), atol=1e-12)


def test_a_released_state_from_a_file(tmp_path: Any) -> None:
    held = pl.statics(pl.compile(pendulum(hold=0.3)))
    loaded = pl.load_result(held.save(tmp_path / "held.nc"))
    one, other = (
        pl.transient(pl.compile(pendulum()), start=each, end_time=0.1, step=1e-2).angle.values
        for each in (held, loaded)
    )
    np.testing.assert_array_equal(one, other)
