"""Loops in relative coordinates, against multipliers, independent coordinates and forces by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.errors import ModelError, SingularError
from pliant.formulations.relative.equilibrium import Poses
from pliant.formulations.relative.system import Relative
from pliant.joints import rows as joints
from pliant.model.model import promoted
from pliant_gallery import four_bar
from tests import models

SOFT = pl.Section.rectangle(0.02, 0.003, pl.Material("soft", youngs_modulus=2e9, density=1200.0))
MESH: dict[str, Any] = {"elements": pl.Exact(2, order=2)}

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")


def compiled(model: pl.Model, **options: Any) -> Relative:
    return pl.compile(model, formulation="relative", **options)  # type: ignore[return-value]


def six_bar() -> pl.Model:
    """Build a four-bar, and two more links on its rocker."""
    m = pl.Model("six-bar")
    ground, crank, coupler, rocker, lever, tail = m.add(
        pl.Ground(), pl.Link("crank", length=0.1, mass=0.2, angle=1.2),
        pl.Link("coupler", length=0.3, mass=0.4, angle=0.3), pl.Link("rocker", length=0.25, mass=0.3, angle=1.6),
        pl.Link("lever", length=0.25, mass=0.3, angle=-0.5), pl.Link("tail", length=0.3, mass=0.3, angle=1.8),
    )  # fmt: skip
    m.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)),
        pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(0.3, 0), rocker.at(s=0)),
        pl.Revolute(rocker.at(s=0.6), lever.at(s=0)), pl.Revolute(lever.at(s=1), tail.at(s=1)),
        pl.Revolute(ground.at(0.6, 0), tail.at(s=0)), pl.Gravity(),
    )  # fmt: skip
    return m


def soft_slider_crank() -> pl.Model:
    """Build a connecting rod that bends."""
    m = pl.Model("soft slider-crank")
    ground, crank, rod, slider = m.add(
        pl.Ground(), pl.Link("crank", length=0.1, mass=0.2, angle=1.0),
        pl.Beam("rod", length=0.3, section=SOFT, damping=pl.Rayleigh(0.0, 1e-3)),
        pl.Body("slider", mass=0.3, inertia=1e-4),
    )  # fmt: skip
    m.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)),
        pl.Revolute(rod.at(s=1), slider.at(0, 0)), pl.Prismatic(ground.at(0, 0), slider.at(0, 0)), pl.Gravity(),
    )  # fmt: skip
    return m


def rssr() -> pl.Model:
    """Build crank and rocker about axes that cross, and a coupler on two balls, free to spin about itself."""
    m, thick = pl.Model("RSSR", plane=None), (1e-3, 2e-3, 2e-3)
    ground, crank, coupler, rocker = m.add(
        pl.Ground(), pl.Body("crank", mass=0.3, inertia=thick, position=(0.05, 0, 0)),
        pl.Body("coupler", mass=0.4, inertia=(1e-4, 3e-3, 3e-3)),
        pl.Body("rocker", mass=0.3, inertia=thick, position=(0.35, 0.1, 0.1)),
    )  # fmt: skip
    m.add(
        pl.Revolute(ground.at(0, 0, 0), crank.at(-0.05, 0, 0), axis="z"),
        pl.Spherical(crank.at(0.05, 0, 0), coupler.at(-0.15, 0, 0)),
        pl.Spherical(coupler.at(0.15, 0, 0), rocker.at(0, 0, 0.1)),
        pl.Revolute(ground.at(0.35, 0.1, 0), rocker.at(0, 0, -0.1), axis="x"), pl.Gravity(),
    )  # fmt: skip
    return m


def platform() -> pl.Model:
    """Build a body on six legs, each a Cardan joint, a sprung ram and a ball."""
    m = pl.Model("platform", plane=None)
    ground = m.add(pl.Ground())
    top = m.add(pl.Body("top", mass=2.0, inertia=(0.02, 0.02, 0.04), position=(0.0, 0.0, 0.5), free=True))
    for k in range(6):
        turned = 0.15 if k % 2 else -0.15
        a, b = (k + turned) * np.pi / 3, (k - turned) * np.pi / 3
        foot, head = (r * np.array([np.cos(x), np.sin(x), 0.0]) for r, x in ((0.3, a), (0.2, b)))
        way = head + [0.0, 0.0, 0.5] - foot
        length = float(np.linalg.norm(way))
        across = np.cross([0.0, 1.0, 0.0], way / length)
        across /= np.linalg.norm(across)
        axes = np.column_stack([across, np.cross(way / length, across), way / length])
        low, high = (m.add(pl.Body(f"{name} {k}", mass=0.2, inertia=(1e-3, 1e-3, 1e-4))) for name in ("low", "high"))
        m.add(
            pl.Universal(ground.at(*foot, orientation=axes), low.at(0, 0, -0.15)),
            pl.Prismatic(low.at(0, 0, 0), high.at(0, 0, -0.2), axis="z"),
            pl.Spherical(high.at(0, 0, length - 0.35), top.at(*head)),
            pl.Spring(
                f"spring {k}", low.at(0, 0, -0.15), high.at(0, 0, length - 0.35), stiffness=500.0, damping=5.0,
                rest_length=length + 0.01,
            ),
        )  # fmt: skip
    m.add(pl.Gravity(y=0.0, z=-9.81))
    return m


def held_cranks() -> pl.Model:
    """Build three equal cranks under one bar, held up by a spring."""
    m = models.parallel_cranks()
    m.add(pl.TorsionSpring("hold", m.part("ground").at(0, 0), m.part("crank 0").at(s=0), 50.0, rest_angle=1.0))
    return m


LOOPS = {  # model, rows that are left, of which so many do not depend on each other
    "four-bar": (four_bar.model, 2, 2),
    "four-bar in space": (lambda: promoted(four_bar.model(), {}), 5, 2),
    "four-bar with a leaf": (lambda: four_bar.model(coupler="flexible"), 0, 0),
    "six-bar": (six_bar, 4, 4),
    "slider-crank with a soft rod": (soft_slider_crank, 0, 0),
    "soft slider-crank in space": (lambda: promoted(soft_slider_crank(), {}), 0, 0),
    "parallel cranks": (held_cranks, 4, 3),
    "platform": (platform, 15, 15),
}


@pytest.mark.parametrize("name", LOOPS)
def test_equilibria_reactions_and_modes_of_loops_are_those_with_multipliers(name: str) -> None:
    make, rows, rank = LOOPS[name]
    tree, other = compiled(make(), **MESH), pl.compile(make(), **MESH)
    assert (tree.loops.number.size, tree.loops.rank) == (rows, rank)
    found = pl.statics(tree)
    wanted = pl.statics(other, start=found)
    assert found.outcome.ok
    assert found.outcome.figures["unstable_directions"] == wanted.outcome.figures["unstable_directions"] == 0
    np.testing.assert_allclose(found.position, wanted.position, atol=1e-9)
    np.testing.assert_allclose(found.reaction, wanted.reaction, atol=1e-7 * float(np.max(np.abs(wanted.reaction))))
    one, two = (pl.modal(each, at=at, modes=1).frequency_hz for each, at in ((tree, found), (other, wanted)))
    np.testing.assert_allclose(one, two, rtol=1e-8)


@pytest.mark.parametrize("make", [four_bar.model, lambda: promoted(four_bar.model(), {}), six_bar, rssr, platform])
@pytest.mark.parametrize("method", ["DOP853", "SDIRK4"])
def test_loops_move_as_with_multipliers_eliminated(make: Any, method: str) -> None:
    times = np.linspace(0.0, 0.3, 4)
    tree, other = compiled(make()), pl.compile(make(), formulation="udwadia_kalaba")
    run = pl.transient(tree, end_time=0.3, times=times, method=method, accuracy=1e-9)
    wanted = pl.transient(other, end_time=0.3, times=times, accuracy=1e-11)
    assert run.outcome.ok
    assert run.outcome.figures["constraint_error"] < 1e-8
    np.testing.assert_allclose(run.position, wanted.position, atol=2e-6)
    np.testing.assert_allclose(run.reaction, wanted.reaction, atol=1e-4 * float(np.max(np.abs(wanted.reaction))))
    balance = run.energy.sel(energy_kind="balance")
    assert float(np.max(np.abs(balance))) < 1e-6 * run.outcome.figures["energy_at_work"]


@pytest.mark.parametrize("spatial", [False, True])
def test_a_loop_with_a_beam_is_cut_inside_it_and_moves_as_with_multipliers(spatial: bool) -> None:
    model = promoted(soft_slider_crank(), {}) if spatial else soft_slider_crank()
    run = pl.transient(compiled(model, **MESH), end_time=0.2, times=[0.1, 0.2], accuracy=1e-8)
    far, near = (
        pl.transient(pl.compile(model, **MESH), end_time=0.2, step=h, every=round(0.1 / h)).position.values[1:]
        for h in (1e-3, 5e-4)
    )
    assert run.outcome.ok
    assert run.outcome.figures["constraint_error"] == 0.0
    np.testing.assert_allclose(run.position, near + (near - far) / 3.0, atol=1e-8)


def test_a_controller_drives_a_loop() -> None:
    m = four_bar.model()
    m.add(pl.Motor("motor", m.part("ground").at(*four_bar.CRANK_BASE), m.part("crank").at(s=0), torque=0.0))
    loop = pl.Controller.proportional({"motor/torque": {"angle:crank": -20.0}}, sample_time=0.01)
    found, wanted = (
        pl.transient(system, end_time=0.3, controller=loop, **options).position.values[-1]
        for system, options in ((compiled(m), {"accuracy": 1e-9}), (pl.compile(m), {"step": 5e-5}))
    )
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_the_stiffness_of_a_loop_is_the_derivative_of_the_forces_along_it() -> None:
    system = compiled(platform())
    poses = Poses(system, system.inputs(0.0)[0], system.room())
    start = poses.closed(system.coordinates(system.initial))
    at, step = poses.slope(start), 1e-5  # type: ignore[arg-type]
    found = []
    for direction in np.eye(system.degrees):
        ends = [poses.moved(start, at, sign * step * direction) for sign in (1.0, -1.0)]  # type: ignore[arg-type]
        energies = [_potential(system, each) for each in ends]
        middle = _potential(system, start)
        found.append((energies[0] - 2.0 * middle + energies[1]) / step**2)
    np.testing.assert_allclose(np.diag(at.stiffness), found, rtol=1e-3)


def _potential(system: Relative, q: Any) -> float:
    """Return the potential of weight and springs, by hand."""
    nodes, total = system.nodes_at(q), 0.0
    for body in system.layout.rigid_bodies:
        total += body.mass * 9.81 * nodes[6 * system.layout.body_node(body) + 2]
    for spring in (part for part in system.model.forces if isinstance(part, pl.Spring)):
        a, b = (system.layout.place(end, nodes) for end in (spring.a, spring.b))
        total += 0.5 * spring.stiffness * (np.linalg.norm(np.subtract(a, b)) - spring.rest_length) ** 2
    return total


def pulled() -> pl.Model:
    """Build two links whose end is pulled along x: no coordinate of a pair."""
    m = pl.Model("pulled")
    ground, one, two = m.add(
        pl.Ground(), pl.Link("one", length=1.0, mass=1.0, angle=1.0), pl.Link("two", length=1.0, mass=1.0, angle=-0.8)
    )
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0)), pl.Revolute(one.at(s=1), two.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), two.at(s=1), x=pl.Expression("1.2 + 0.3*sin(4*t)"), name="pull"))
    return m


def geared() -> pl.Model:
    m = pl.Model("geared")
    ground, small, large = m.add(
        pl.Ground(), pl.Body("small", mass=1.0, inertia=0.1), pl.Body("large", mass=2.0, inertia=0.9, position=(1.0, 0))
    )
    m.add(pl.Revolute(ground.at(0, 0), small.at(0, 0)), pl.Revolute(ground.at(1, 0), large.at(0, 0)))
    m.add(pl.Gear(small.at(), large.at(), carrier=ground.at(0, 0), teeth_a=10, teeth_b=30, name="mesh"))
    m.add(pl.Motor("motor", ground.at(0, 0), small.at(0, 0), torque=2.0))
    return m


@pytest.mark.parametrize("make", [models.driven_slot, pulled])
def test_drives_and_bars_that_are_no_coordinates_stay_rows(make: Any) -> None:
    times = np.linspace(0.0, 0.5, 3)
    tree, other = compiled(make()), pl.compile(make(), formulation="udwadia_kalaba")
    found, wanted = (pl.transient(each, end_time=0.5, times=times, accuracy=1e-9) for each in (tree, other))
    assert found.outcome.ok
    np.testing.assert_allclose(found.position, wanted.position, atol=1e-7)
    supplied, known = (run.energy.sel(energy_kind="supplied").values for run in (found, wanted))
    assert np.max(np.abs(known)) > 0.01
    np.testing.assert_allclose(supplied, known, atol=1e-6 * np.max(np.abs(known)))
    rest = pl.statics(tree, time=0.3)
    np.testing.assert_allclose(rest.position, pl.statics(pl.compile(make()), start=rest, time=0.3).position, atol=1e-9)


def test_gears_in_relative_coordinates_turn_by_their_reflected_inertia() -> None:
    """J_1 + J_2 / n^2 turns under the torque of the motor."""
    run = pl.transient(compiled(geared()), end_time=0.5, times=[0.5], accuracy=1e-10)
    angle = 0.5 * 2.0 / (0.1 + 0.9 / 9.0) * 0.5**2
    np.testing.assert_allclose(run.coordinates.values[-1], [angle, -angle / 3.0], atol=1e-8)


def test_a_bar_without_mass_only_pulls_along_itself() -> None:
    """A coupler without mass between crank and rocker: the force on its pin has no part across it."""
    m = models.light_coupler()
    run = pl.transient(compiled(m), end_time=0.2, times=[0.1, 0.2], accuracy=1e-10)
    angle, force = run.angle.sel(body="coupler").values, run.reaction.sel(joint="pin").values
    along = force[:, 0] * np.cos(angle) + force[:, 1] * np.sin(angle)
    across = force[:, 1] * np.cos(angle) - force[:, 0] * np.sin(angle)
    assert np.min(np.abs(along)) > 0.01
    np.testing.assert_allclose(across, 0.0, atol=1e-9 * np.max(np.abs(along)))
    light, known = (
        pl.transient(pl.compile(m, formulation=name), end_time=0.2, times=[0.2], accuracy=1e-10)
        for name in ("relative", "udwadia_kalaba")
    )
    np.testing.assert_allclose(light.position, known.position, atol=1e-8)


def test_a_loop_that_folds_flat_stops_or_keeps_its_branch() -> None:
    m = models.parallel_cranks()
    run = pl.transient(
        compiled(m), end_time=3.0, times=np.linspace(0.0, 3.0, 31), accuracy=1e-8, push={"crank 0": 1.0}, partial=True
    )
    cranks = run.angle.sel(body=["crank 0", "crank 1", "crank 2"]).values
    assert np.max(np.abs(np.exp(1j * cranks) - np.exp(1j * cranks[:, :1]))) < 1e-5


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({}, 1e-6),
        ({"accuracy": 1e-7}, 1e-5),
        ({"accuracy": 1e-7, "estimate": False}, 1e-5),
        ({"accuracy": 1e-5, "estimate": False}, 1e-3),
        ({"accuracy": 1e-6, "method": "SDIRK4", "estimate": False}, 1e-4),
        ({"accuracy": 1e-8, "method": "RK45", "estimate": False}, 1e-6),
    ],
)
def test_both_cranks_of_a_parallelogram_that_folds_flat_keep_their_way(options: Any, most: float) -> None:
    """Lagrange's equation knows it; with accuracy=1e-7 it was 20.8 rad off, ok."""
    times = np.linspace(0.0, 2.0, 9)
    ratio = (1.0 + 0.2) / (1.0 + 0.4 / 3.0) * 9.81 / 0.3
    exact = solve_ivp(
        lambda _, z: (z[1], -ratio * np.cos(z[0])), (0.0, 2.0), (1.0, 15.0), t_eval=times, rtol=1e-12, atol=1e-12
    )
    run = pl.transient(compiled(models.parallelogram()), end_time=2.0, times=times, push={"crank 0": 15.0}, **options)
    assert run.outcome.ok
    assert run.outcome.figures["constraint_error"] < 1e-12
    for crank in ("crank 0", "crank 1"):
        np.testing.assert_allclose(run.angle.sel(body=crank), exact.y[0], atol=most)


def test_velocities_and_accelerations_keep_loops_closed() -> None:
    system = compiled(models.parallelogram())
    run = pl.transient(system, end_time=0.5, push={"crank 0": 15.0}, estimate=False)
    for name in ("velocity", "acceleration"):
        tip, end = (run.data[name].sel(marker=marker) for marker in ("crank 1/tip", "bar/tip"))
        np.testing.assert_allclose(tip, end, atol=1e-12 * float(np.max(np.abs(run.data[name]))))


def test_a_flat_start_is_refused_by_name() -> None:
    with pytest.raises(SingularError, match=r"revolute ground\(0, 0\) - crank 0/base.*dead centre"):
        pl.transient(compiled(models.parallelogram(angle=0.0)), end_time=1.0)


def test_joint_dynamics_of_a_loop_are_refused_by_name() -> None:
    system = compiled(six_bar())
    still = np.zeros(len(system.names))
    with pytest.raises(ModelError, match=r"inverse_dynamics: Revolute .* closes a loop"):
        pl.inverse_dynamics(system, system.coordinates(system.initial), still, still)
    gap = np.zeros(system.constraints)
    joints.residual(system.equations.rows, system.nodes_at(system.coordinates(system.initial)), np.zeros(2), gap)
    assert np.max(np.abs(gap)) < 1e-12
