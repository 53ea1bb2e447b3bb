"""Paths of equilibria: points, events, branches, parameters of every kind, and what can go wrong."""

from __future__ import annotations

import signal
from functools import cache
from math import pi

import numpy as np
import pytest
import scipy.linalg

import pliant as pl
from pliant.analyses.common import state_of
from pliant.errors import ConvergenceError, Interrupted, OptionError, PliantWarning
from pliant.linalg import eigen
from pliant.solvers.nonlinear.equilibrium import stiffness_scale

STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
EI = STRIP.bending_stiffness
LENGTH = 0.5


def column(*, follower: bool = False, weight: float = 0.0, elements: int = 16) -> pl.System:
    """Return the cantilever pushed at its tip."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=STRIP))
    m.add(
        pl.Weld(ground.at(0, 0), beam.at(s=0)),
        pl.Force(beam.at(s=1), x=-1.0, y=weight, name="load", follower=follower),
    )
    return pl.compile(m, elements=elements)


def truss(*, series: float | None = None) -> pl.System:
    """Compile two springs that meet at a low apex, pushed down there, on request by a spring in series (von Mises)."""
    m = pl.Model("truss")
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=0.0, position=(0.0, 0.3)))
    m.add(
        pl.Spring("left", ground.at(-1, 0), apex.at(0, 0), stiffness=100.0, rest_length=np.hypot(1.0, 0.3)),
        pl.Spring("right", ground.at(1, 0), apex.at(0, 0), stiffness=100.0, rest_length=np.hypot(1.0, 0.3)),
        pl.Slider(ground.at(0, 0, angle=pi / 2), apex.at(0, 0)),
    )
    if series is None:
        m.add(pl.Force(apex.at(0, 0), y=-1.0, name="load"))
        return pl.compile(m)
    head = m.add(pl.Body("head", mass=1.0, inertia=0.0, position=(0.0, 1.3)))
    m.add(
        pl.Slider(ground.at(0, 0, angle=pi / 2), head.at(0, 0)),
        pl.Spring("series", apex.at(0, 0), head.at(0, 0), stiffness=series, rest_length=1.0),
        pl.Motion(ground.at(0, 0), head.at(0, 0), y=1.3, name="press"),
    )
    return pl.compile(m)


def push(y: np.ndarray) -> np.ndarray:
    """Return the force that holds the apex of the truss at height y."""
    rest, length = np.hypot(1.0, 0.3), np.hypot(1.0, y)
    return 2.0 * 100.0 * (length - rest) * y / length


@cache
def straight() -> tuple[pl.System, pl.Result]:
    system = column()
    return system, pl.path(system, "load/x", to=-6.0)


def test_every_point_is_an_equilibrium_with_the_stability_of_a_dense_eigenvalue_problem() -> None:
    system, found = straight()
    for k in range(0, found.data.sizes["point"], 3):
        twin = system.with_signals({"load/x": float(found.parameter[k])})
        state = state_of(twin, found.equilibrium(k))
        matrices = twin.matrices(state)
        basis = eigen.null_space(matrices.jacobian)
        values = scipy.linalg.eigvalsh(basis.T @ (matrices.stiffness @ basis))
        assert int(found.unstable_directions[k]) == int(np.sum(values < 0.0))
    assert found.outcome.residual < 1e-6
    assert found.outcome.constraint_error < 1e-12


def test_truss_snaps_through_at_the_limit_loads_of_its_closed_form() -> None:
    found = pl.path(truss(), "load/y", to=-100.0)
    height = found.position.sel(marker="apex(0, 0)", axis="y").values
    heights = np.linspace(-0.3, 0.3, 200001)
    forces = push(heights)
    np.testing.assert_allclose(found.event_parameter.values, [forces.min(), forces.max()], rtol=1e-7)
    assert found.event_kind.values.tolist() == ["limit point", "limit point"]
    assert found.unstable_directions.values.max() == 1
    np.testing.assert_allclose(found.parameter.values, push(height), atol=1e-7)


def test_snap_back_under_a_prescribed_motion_is_followed() -> None:
    """A soft spring in series makes the pressed point itself turn back: y + push(y) / k is not monotonic."""
    stiffness = 4.0
    found = pl.path(truss(series=stiffness), "press/y", to=0.3)
    heights = np.linspace(-0.5, 0.3, 400001)
    head = heights + 1.0 + push(heights) / stiffness
    turning = np.flatnonzero(np.diff(np.sign(np.diff(head))))[::-1] + 1
    assert turning.size == 2
    np.testing.assert_allclose(found.event_parameter.values, head[turning], rtol=1e-6)
    assert found.outcome.ok


def test_events_do_not_depend_on_the_step() -> None:
    system, found = straight()
    for step in (0.01, 0.3):
        other = pl.path(system, "load/x", to=-6.0, step=step)
        np.testing.assert_allclose(other.event_parameter.values, found.event_parameter.values, rtol=1e-6)


def test_both_sides_of_a_pitchfork_mirror_each_other() -> None:
    system, found = straight()
    sides = [pl.branch(system, found, side=side) for side in (1, -1)]
    tips = [side.position.sel(marker="beam/tip").values[-1] for side in sides]
    np.testing.assert_allclose(tips[0], tips[1] * (1, -1), atol=1e-9)
    assert tips[0][1] > 0.3
    up = pl.branch(system, found, toward=("beam/tip", (0.0, 1.0)))
    assert up.position.sel(marker="beam/tip", axis="y").values[-1] > 0.3


def test_there_and_back_is_the_same_path() -> None:
    system, found = straight()
    bent = pl.branch(system, found)
    back = pl.path(system, "load/x", begin=-6.0, start=bent.equilibrium(), to=-4.0)
    forth = pl.path(system, "load/x", begin=-4.0, start=back.equilibrium(), to=-6.0)
    np.testing.assert_allclose(forth.path_q.values[-1], bent.path_q.values[-1], atol=1e-8)


def test_a_weight_unfolds_the_pitchfork() -> None:
    system = column(weight=-0.01)
    found = pl.path(system, "load/x", to=-6.0)
    assert not found.event_kind.size
    assert bool(found.stable.all())
    assert found.position.sel(marker="beam/tip", axis="y").values[-1] < -0.3


def test_an_imperfection_unfolds_the_pitchfork_and_vanishes_with_its_amplitude() -> None:
    system, found = straight()
    bent = pl.branch(system, found, side=1)
    misses = []
    for amplitude in (1e-3, 1e-4):
        crooked = pl.imperfect(system, found, amplitude=amplitude)
        grown = pl.path(crooked, "load/x", to=-6.0)
        assert not grown.event_kind.size
        assert bool(grown.stable.all())
        misses.append(np.abs(grown.shape.values[-1] - bent.shape.values[-1]).max())
    assert misses[0] < 5e-3
    assert misses[1] == pytest.approx(0.1 * misses[0], rel=0.1)
    other = pl.path(pl.imperfect(system, found, amplitude=-1e-3), "load/x", to=-6.0)
    assert other.position.sel(marker="beam/tip", axis="y").values[-1] < -0.3


def test_signal_mapping_and_function_of_the_parameter_agree() -> None:
    """P at constant E, a load factor, and 1 / E at constant P are the same path, since only P L^2 / EI matters."""
    system, found = straight()
    factor = pl.path(system, {"load/x": -2.0}, to=3.0)
    np.testing.assert_allclose(-2.0 * factor.event_parameter.values, found.event_parameter.values, rtol=1e-6)

    def softer(share: float) -> pl.System:
        m = pl.Model("column")
        steel = pl.Material("softer", youngs_modulus=210e9 / share, poisson_ratio=0.3, density=7850.0)
        section = pl.Section.rectangle(0.02, 0.001, steel)
        ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=section))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-2.0, name="load"))
        return pl.compile(m, elements=16)

    made = pl.path(softer, "softness", begin=0.5, to=3.0)
    scale = pl.STEEL.youngs_modulus / 210e9
    np.testing.assert_allclose(-2.0 * made.event_parameter.values * scale, found.event_parameter.values, rtol=2e-5)
    bent = pl.branch(softer, made, side=1)
    other = pl.branch(system, found, side=1, to=-6.0 * scale)
    tips = [run.position.sel(marker="beam/tip").values[-1] for run in (bent, other)]
    np.testing.assert_allclose(np.abs(tips[0]), np.abs(tips[1]), atol=2e-6)


def test_prescribed_angle_winds_a_strip_into_a_circle() -> None:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Motion(ground.at(0, 0), beam.at(s=1), angle=0.0, name="turn"))
    found = pl.path(pl.compile(m, elements=12), "turn/angle", to=2.0 * pi)
    np.testing.assert_allclose(found.position.sel(marker="beam/tip").values[-1], (0.0, 0.0), atol=1e-9)
    moment = found.resultant.sel(component="M").values[-1]
    np.testing.assert_allclose(moment, 2.0 * pi * EI, rtol=1e-9)


def test_follower_load_flutters_and_does_not_buckle() -> None:
    """Beck 1952: flutter at 20.05 EI / L^2; 16 two-node elements are 2 % stiff in the modes that merge."""
    found = pl.path(column(follower=True), "load/x", to=-25.0 * EI / LENGTH**2)
    assert found.event_kind.values.tolist() == ["flutter"]
    critical = -float(found.event_parameter[0]) * LENGTH**2 / EI
    assert critical == pytest.approx(20.0509, rel=0.02)
    assert "flutter" in found.outcome.message
    assert "no static buckling" in found.outcome.message


def test_until_ends_a_path_at_a_place() -> None:
    system, found = straight()
    bent = pl.branch(system, found, toward=("beam/tip", (0, 1)), until=("beam/tip", "y", 0.2))
    assert bent.position.sel(marker="beam/tip", axis="y").values[-1] == pytest.approx(0.2, abs=1e-6)


def test_gamma_is_positive_and_finite() -> None:
    system, _ = straight()
    start = system.start()
    u = system.signals(np.zeros(1))[0]
    assert 0.0 < stiffness_scale(system, start.q, start.lam, u, system.scratch()) < np.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameter": "lode/x"}, "load/x"),
        ({"parameter": {}}, "mapping"),
        ({"parameter": 3}, "name of a signal"),
        ({"to": 0.0}, "another value"),
        ({"to": float("nan")}, "to="),
        ({"step": 0.0}, "step"),
        ({"step": -1.0}, "step"),
        ({"most_points": 0}, "most_points"),
        ({"until": ("beam/tip", "z", 1.0)}, "until"),
        ({"until": ("beam/tipp", "x", 1.0)}, "beam/tip"),
        ({"begin": float("inf")}, "begin"),
    ],
)
def test_bad_options_are_named(options: dict, message: str) -> None:
    system, _ = straight()
    arguments = {"parameter": "load/x", "to": -6.0, **options}
    with pytest.raises(OptionError, match=message):
        pl.path(system, arguments.pop("parameter"), **arguments)


def test_bad_branches_are_named() -> None:
    system, found = straight()
    with pytest.raises(OptionError, match="1 events"):
        pl.branch(system, found, 4)
    with pytest.raises(OptionError, match="give 1 or -1"):
        pl.branch(system, found, side=2)
    with pytest.raises(OptionError, match="does not move"):
        pl.branch(system, found, toward=("beam/tip", (1.0, 0.0)))
    with pytest.raises(OptionError, match="only a bifurcation"):
        pl.branch(truss(), pl.path(truss(), "load/y", to=-100.0), 0)
    with pytest.raises(OptionError, match=r"pl\.path"):
        pl.branch(system, pl.statics(system), 0)


def test_a_path_that_cannot_go_on_keeps_its_points_and_says_so() -> None:
    """A rod of fixed length: beyond its reach there is no equilibrium at all."""
    m = pl.Model("reach")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=pi / 4))
    m.add(
        pl.Revolute(ground.at(0, 0), arm.at(s=0)),
        pl.TorsionSpring("spring", ground.at(0, 0), arm.at(s=0), stiffness=1.0),
        pl.Motion(ground.at(0, 0), arm.at(s=1), x=0.7, name="pull"),
    )
    with pytest.warns(PliantWarning, match="points are in the result"):
        found = pl.path(pl.compile(m), "pull/x", to=1.5, most_points=60)
    assert not found.outcome.ok
    assert found.data.sizes["point"] > 3
    assert float(found.parameter.max()) <= 1.0 + 1e-6


def test_a_mechanism_nothing_holds_is_refused() -> None:
    m = pl.Model("loose")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Force(arm.at(s=1), x=1.0, name="load"))
    with pytest.raises(ConvergenceError, match="arm"):
        pl.path(pl.compile(m), "load/x", begin=0.0, to=1.0)


def test_most_points_and_interruption_keep_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    system, found = straight()
    with pytest.warns(PliantWarning, match="most_points"):
        short = pl.path(system, "load/x", to=-6.0, most_points=5)
    assert 5 <= short.data.sizes["point"] < found.data.sizes["point"]
    from pliant.solvers.paths.path import Tracer

    steps = []

    def interrupting(self: Tracer, start, length):
        steps.append(length)
        if len(steps) == 4:
            signal.raise_signal(signal.SIGINT)
        return original(self, start, length)

    original = Tracer.step
    monkeypatch.setattr(Tracer, "step", interrupting)
    with pytest.raises(Interrupted) as stopped:
        pl.path(system, "load/x", to=-6.0)
    assert stopped.value.result.data.sizes["point"] >= 3
