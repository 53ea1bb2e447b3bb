"""Beams that are fed: what is refused, and what a sleeve pushes back with."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError, PliantWarning, UnreachableError
from pliant.solvers.nonlinear import equilibrium
from pliant_gallery import fed_rod
from pliant_gallery.robots import ContinuumStewart

SECTION = pl.Section(axial_stiffness=1e8, shear_stiffness=1e8, bending_stiffness=1.0, mass_per_length=0.1)
FINE = pl.Exact(4, order=3)


def sleeve(*, force: float = 0.5, stock: float = 1.0, driven: bool = True, **changes: Any) -> pl.Model:
    """Build a rod fed through a sleeve at the origin by a driven carriage, a force across its tip."""
    m = pl.Model("sleeve", plane="xy")
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", **{"length": 1.0, "section": SECTION, **changes}))
    carriage = m.add(pl.Body("carriage", mass=0.2, inertia=0.01))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0), angle=0.0), pl.Prismatic(ground.at(0, 0), carriage.at()))
    if driven:
        m.add(pl.Motion(ground.at(0, 0), carriage.at(), x=0.0, name="motor"))
    m.add(pl.Feed("feed", rod, guide=ground.at(0, 0), carriage=carriage.at(), stock=stock))
    m.add(pl.Force(rod.at(s=1), y=force, name="push"))
    return m


def test_the_sleeve_pushes_back_by_the_moment_squared() -> None:
    """Bigoni et al. 2015: M^2 / 2 EI, of an inextensible rod without shear."""
    rest = pl.statics(pl.compile(sleeve(), elements=FINE))
    moment = 0.5 * float(rest.position.sel(marker="rod/tip", axis="x"))
    assert -float(rest.reaction.sel(joint="motor", wrench="Fx")) == pytest.approx(0.5 * moment**2, rel=1e-6)


def test_a_fed_rod_is_a_longer_rod() -> None:
    system = pl.compile(sleeve(), elements=FINE).with_signals({"motor/x": pl.Constant(0.35)})
    longer = pl.compile(sleeve(length=1.35), elements=FINE)
    one, other = (pl.statics(each).position.sel(marker="rod/tip").values for each in (system, longer))
    assert np.allclose(one, other, rtol=0.0, atol=1e-10)


def test_fed_beyond_its_stock_is_not_ok() -> None:
    system = pl.compile(sleeve(stock=0.3), elements=FINE).with_signals({"motor/x": pl.Constant(0.35)})
    with pytest.warns(PliantWarning, match=r"length fed by 'feed': 0\.35 m, more than 0\.3\. .* give it more stock="):
        failed = pl.statics(system).outcome.failed
    assert [check.name for check in failed] == ["length fed by 'feed'"]
    assert "give it more stock=" in failed[0].advice


def test_all_of_the_stock_may_be_fed() -> None:
    """The stock's rounding is not too much; a little too much is reported so."""
    system = pl.compile(sleeve(stock=0.3), elements=pl.Exact(2, order=2))
    assert pl.statics(system.with_signals({"motor/x": 0.1 + 0.2})).outcome.ok
    with pytest.warns(PliantWarning, match=r"0\.30001 m, more than 0\.3\. "):
        assert not pl.statics(system.with_signals({"motor/x": 0.30001})).outcome.ok


def test_a_rod_drawn_in_by_its_length_is_named() -> None:
    system = pl.compile(sleeve(), elements=pl.Exact(2, order=2)).with_signals({"motor/x": -1.0})
    with pytest.raises(ConvergenceError, match=r'Feed "feed": Beam "rod" is drawn in by 1 m .* Feed it more'):
        pl.statics(system)


def test_relative_coordinates_name_a_rod_that_is_drawn_in_wholly() -> None:
    system = pl.compile(sleeve(), formulation="relative", elements=pl.Exact(2, order=2))
    with pytest.raises(ConvergenceError, match=r'Feed "feed": Beam "rod" is drawn in by 1\.2 m .* its length is 1 m'):
        pl.statics(system.with_signals({"motor/x": -1.2}))


def test_a_robot_that_would_need_more_stock_is_told() -> None:
    robot = ContinuumStewart(stock=0.05)
    legs = pl.Kinetostatics(pl.compile(robot.model(), elements=2), platform="platform", motors=robot.motors)
    assert robot.limits[1] == 0.05
    with pytest.raises(UnreachableError, match=r"its parts reach 0\.5344 m at most"):
        legs.inverse((0.0, 0.1, 0.58))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"section": pl.Circle(radius=(2e-3, 1e-3), material=pl.STEEL)}, "the section of Beam .* changes along it"),
        ({"curvature": (0.0, 1.0)}, "the curvature of Beam .* changes along it"),
        (
            {"damping": pl.Rayleigh.of_modes(0.01)},
            r"a part of mass, alpha = .* rigid motion, which is not known",
        ),
    ],
)
def test_rods_that_cannot_be_fed(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        sleeve(**changes)


def test_other_bad_input() -> None:
    m = sleeve()
    feed = m.part("feed")
    with pytest.raises(ModelError, match="stock = -1"):
        replace(feed, stock=-1.0)
    with pytest.raises(ModelError, match="on two rigid bodies"):
        replace(feed, carriage=feed.guide)
    with pytest.raises(OptionError, match=r"only pl\.Exact"):
        pl.compile(m, elements=pl.Corotational(4))
    m.add(pl.DistributedLoad(m.part("rod"), y=1.0))
    with pytest.raises(ModelError, match="is fed, and a load per length is not supported"):
        pl.compile(m)


@pytest.mark.parametrize("loose", [False, True])
def test_relative_coordinates_are_fed_as_absolute_ones_are(loose: bool) -> None:
    """Both agree at rest, in modes, and thrown from there; the carriage driven, or on a spring."""
    section = replace(SECTION, rotary_inertia=1e-4)
    found = []
    for formulation in ("dae", "relative"):
        m = sleeve(section=section, stock=0.8, driven=not loose)
        ground, carriage = m.part("ground"), m.part("carriage")
        if loose:
            m.add(pl.Spring("spring", ground.at(-1, 0), carriage.at(), stiffness=4.0, rest_length=1.2))
        m.add(pl.Gravity(x=0.3, y=-1.0))
        system = pl.compile(m, formulation=formulation, elements=pl.Exact(2, order=2))
        rest = pl.statics(system)
        motion = pl.transient(system, end_time=0.02, accuracy=1e-5)
        places = [rest.position.values, rest.reaction.values, motion.position.values[-1]]
        found.append(np.concatenate([*map(np.ravel, places), pl.modal(system, at=rest, modes=3).frequency_hz.values]))
    assert np.allclose(*found, rtol=0.0, atol=2e-6 * np.max(np.abs(found[0])))


@pytest.mark.parametrize("formulation", ["udwadia_kalaba", "kinked"])
def test_formulations_that_do_not_feed_say_so(formulation: str) -> None:
    with pytest.raises(ModelError, match=r"'dae'|would be ignored"):
        pl.compile(sleeve(), formulation=formulation)


SOFT = pl.Section(
    axial_stiffness=60.0,
    shear_stiffness=40.0,
    bending_stiffness=1.0,
    mass_per_length=0.1,
    bending_stiffness_y=0.7,
    torsional_stiffness=0.5,
    shear_stiffness_z=50.0,
)


def pushed(axes: int, *, loose: bool) -> pl.Model:
    """Build a soft rod that is fed by a motor, or by a spring; under its weight."""
    m = fed_rod.model(load=(0.4, 1.2, 0.3)[:axes], section=SOFT, feed=None if loose else 0.0, length=0.8, stock=0.9)
    if loose:
        back = (-1.0, 0.0, 0.0)[:axes]
        m.add(pl.Spring("spring", m.part("ground").at(*back), m.part("carriage").at(), stiffness=4.0, rest_length=1.0))
    m.add(pl.Gravity(**dict(zip("xyz", (0.5, -1.0, 0.3)[:axes], strict=False))))
    return m


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("axes", [2, 3])
def test_shooting_feeds_as_elements_do(axes: int, loose: bool) -> None:
    """Places, forces in all joints (the motor's included) and energies; modes where the length is held, and in
    space where it is not.
    """
    found, modes = [], []
    for options in ({"elements": pl.Exact(8, order=4)}, {"formulation": "shooting"}):
        system = pl.compile(pushed(axes, loose=loose), **options)
        system = system if loose else system.with_signals({"motor/x": 0.3})
        rest = pl.statics(system)
        assert rest.outcome.ok
        tip = rest.position.sel(marker="rod/tip").values
        found.append(np.concatenate([tip, rest.reaction.values.ravel(), rest.energy.values.ravel()]))
        if axes == 3 or not loose:
            modes.append(pl.modal(system, at=rest, modes=2).frequency_hz.values)
        elif "formulation" in options:
            with pytest.raises(ModelError, match="fed by a carriage that is free to move"):
                pl.modal(system, at=rest)
    assert np.allclose(*found, rtol=0.0, atol=1e-9 * np.max(np.abs(found[0])))
    if modes:
        assert modes[0] == pytest.approx(modes[1], rel=1e-6 if axes == 2 else 2e-4)


@pytest.mark.parametrize("axes", [2, 3])
def test_shooting_follows_a_feed_to_where_the_rod_buckles(axes: int) -> None:
    system = pl.compile(fed_rod.model(load=(-1.0, 0.0, 0.0)[:axes]), formulation="shooting", subintervals=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # that it has buckled at the end of the path
        found = pl.path(system, "motor/x", begin=0.0, to=0.7)
    assert 1.0 + float(found.event_parameter[0]) == pytest.approx(0.5 * np.pi, rel=1e-7)


@pytest.mark.parametrize("options", [{}, {"order": 4, "step": 0.5}])
def test_loads_that_marches_do_not_bear_are_told(options: dict[str, Any]) -> None:
    system = pl.compile(fed_rod.model(load=(0.0, 1e4, 0.0)), formulation="shooting", **options)
    with pytest.raises(ConvergenceError, match=r'Beam "rod": its march grew out of bounds in steps of .* load is too'):
        pl.statics(system)


def test_what_shooting_does_not_feed_is_refused() -> None:
    with pytest.raises(OptionError, match="linear=True of beam 'rod'"):
        pl.compile(sleeve(), formulation="shooting", linear=True)
    for load in ((0.0, 0.5), (0.0, 0.5, 0.0)):
        system = pl.compile(fed_rod.model(load=load), formulation="shooting", subintervals=2)
        with pytest.raises(ModelError, match="are fed at rest only"):
            pl.transient(system, end_time=0.1, step=0.01)


def test_a_load_that_is_too_large_is_not_put_down_to_a_drive() -> None:
    """Joints that Newton has torn open, of a drive that is where it was, or that has moved to where joints close."""
    system = pl.compile(sleeve(), elements=pl.Exact(2, order=2))
    closed, moved = system.start().q, system.with_signals({"motor/x": 0.1})
    torn = closed + 0.1
    equilibrium._check_reach(system, closed, torn, system.signals(np.zeros(1))[0])
    equilibrium._check_reach(moved, closed, torn, moved.signals(np.zeros(1))[0])


def test_a_platform_that_buckles_is_not_put_down_to_its_motors() -> None:
    """Till's robot is fed, and its load, 3 N down, is beyond a limit point: its carriages are where they were asked."""
    robot = ContinuumStewart()
    feeds = dict(zip(robot.motors, (0.05, 0.02, 0.08, 0.03, 0.0, 0.06), strict=True))
    system = pl.compile(robot.model(), elements=pl.Exact(2, order=3))
    with pytest.raises(ConvergenceError, match="may be beyond a limit point"):
        pl.statics(system.with_signals({**feeds, "load/x": 1.0, "load/z": -3.0}))


def test_rods_that_are_drawn_in_wholly_are_named_by_shooting() -> None:
    robot = ContinuumStewart()
    system = pl.compile(robot.model(), formulation="shooting")
    with pytest.raises(ConvergenceError, match=r"\"rod 1\" is drawn in by 0.49 m and has no free length left"):
        pl.statics(system.with_signals(dict.fromkeys(robot.motors, -0.49)))
