"""Trees in relative coordinates, against Newton-Euler equations written here, multipliers, and exact motions."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import pliant as pl
from pliant.errors import CapabilityError, OptionError, SingularError
from pliant.formulations.relative import dynamics
from pliant.formulations.relative.equilibrium import Poses
from pliant.formulations.relative.system import Relative
from pliant.joints import rows as joints
from pliant.model import rotations
from pliant.solvers.nonlinear.stability import allowed_motions
from pliant.system.state import State

KINDS = ["Revolute", "Prismatic", "Cylindrical", "Universal", "Spherical", "Planar", "Screw", "Slider", "Weld"]
GRAVITY = np.array([0.3, -9.81, 1.0])


def random_tree(seed: int, *, spring: bool = False) -> pl.Model:
    """Build six bodies, each on one of those before by a pair of any kind, with either marker first."""
    g = np.random.default_rng(seed)
    m = pl.Model("tree", plane=None)
    parts: list[Any] = [m.add(pl.Ground())]
    for k in range(6):
        place, turn = tuple(g.standard_normal(3)), tuple(0.4 * g.standard_normal(3))
        inertia = (0.1 + 0.05 * g.random(), 0.12, 0.11)
        body = m.add(pl.Body(f"b{k}", mass=1.0 + g.random(), inertia=inertia, position=place, orientation=turn))
        kind = KINDS[(seed + 2 * k) % len(KINDS)]
        inner = parts[int(g.integers(len(parts)))].at(*g.standard_normal(3), orientation=tuple(g.standard_normal(3)))
        outer = body.at(*(0.3 * g.standard_normal(3)), orientation=tuple(g.standard_normal(3)))
        options: dict[str, Any] = {"pitch": 0.3} if kind == "Screw" else {}
        ends = (inner, outer) if g.random() < 0.6 else (outer, inner)
        m.add(getattr(pl, kind)(*ends, name=f"joint {k}", **options))
        parts.append(body)
    m.add(pl.Gravity(x=GRAVITY[0], y=GRAVITY[1], z=GRAVITY[2]))
    if spring:
        m.add(pl.Spring("spring", parts[0].at(0, 0, 0), parts[-1].at(0.1, 0, 0), stiffness=30.0, rest_length=0.5))
    return m


def compiled(model: pl.Model, **options: Any) -> Relative:
    return pl.compile(model, formulation="relative", **options)  # type: ignore[return-value]


def anywhere(system: Relative, seed: int, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray, State]:
    """Return a random pose and rates, and the state of the nodes."""
    g, n = np.random.default_rng(seed), len(system.names)
    step, v = 0.6 * g.standard_normal(n), np.zeros(system.coordinate_size)
    v[:n] = speed * g.standard_normal(n)
    step[system._locked] = v[system._locked] = 0.0
    q, room = system.displaced(system.coordinates(system.initial), step), system.room()
    dynamics.place(system.compiled, room, q, v, np.zeros(system.coordinate_size))
    return q, v, State(room.q.copy(), room.v.copy(), np.zeros(system.size), np.zeros(system.constraints))


def newton_euler(system: Relative, state: State) -> np.ndarray:
    """Return M a + f of rigid bodies under gravity, by hand: m (a - g), J w' + w x J w in the axes of each."""
    found = np.zeros((system.nodes, 6))
    for k, body in enumerate(system.layout.rigid_bodies):
        w, dw, inertia = state.v[6 * k + 3 : 6 * k + 6], state.a[6 * k + 3 : 6 * k + 6], body.inertia_matrix
        found[k, :3] = body.mass * (state.a[6 * k : 6 * k + 3] - GRAVITY)
        found[k, 3:] = inertia @ dw + np.cross(w, inertia @ w)
    return found.ravel()


@pytest.mark.parametrize("seed", range(9))
def test_accelerations_of_random_trees_obey_newton_and_euler(seed: int) -> None:
    system = compiled(random_tree(seed))
    q, v, state = anywhere(system, seed + 100)
    np.testing.assert_allclose(np.exp(1j * (system.coordinates(state.q) - q)), 1.0, atol=1e-12)  # up to whole turns
    np.testing.assert_allclose(system.rates(state), v, atol=1e-11)
    found, rows, n = system.accelerated(state), system.equations.rows, system.freedoms
    u = system.signals(np.zeros(1))[0]
    jacobian, bias, gap = (
        np.zeros((system.constraints, system.size)),
        np.zeros(system.constraints),
        np.zeros(system.constraints),
    )
    joints.residual(rows, found.q, u, gap)
    joints.jacobian_dense(rows, found.q, u, jacobian)
    joints.bias(rows, found.q, found.v, u, 0.0 * u, bias)
    assert np.max(np.abs(gap)) < 1e-11
    size = np.max(np.abs(found.a))
    assert np.max(np.abs(jacobian @ found.a + bias)) < 1e-9 * size
    force = newton_euler(system, found)
    free = allowed_motions(system, jacobian[:, :n])
    assert np.max(np.abs(free.T @ force)) < 1e-9 * np.max(np.abs(force))
    assert np.max(np.abs(force + jacobian[:, :n].T @ found.lam)) < 1e-9 * np.max(np.abs(force))


def test_accelerations_and_reactions_are_those_with_multipliers() -> None:
    model = random_tree(3, spring=True)
    system, other = compiled(model), pl.compile(model)
    state = anywhere(system, 5)[2]
    found, wanted = system.accelerated(state), other.accelerated(state)
    np.testing.assert_allclose(found.a, wanted.a, atol=1e-9 * np.max(np.abs(wanted.a)))
    np.testing.assert_allclose(found.lam, wanted.lam, atol=1e-9 * np.max(np.abs(wanted.lam)))


@pytest.mark.parametrize("seed", range(4))
def test_the_stiffness_is_the_derivative_of_the_forces_where_nothing_is_balanced(seed: int) -> None:
    system = compiled(random_tree(seed, spring=True))
    q = anywhere(system, seed)[0]
    poses = Poses(system, system.inputs(0.0)[0], system.room())
    at, step = poses.slope(q), 1e-5
    columns = []
    for direction in np.eye(system.degrees):
        ahead, behind = (poses.slope(poses.moved(q, at, sign * step * direction)).gradient for sign in (1.0, -1.0))
        columns.append((ahead - behind) / (2.0 * step))
    differences = np.column_stack(columns)
    symmetric = 0.5 * (differences + differences.T)  # of forces in charts that turn along, the rest is theirs
    np.testing.assert_allclose(at.stiffness, symmetric, atol=1e-6 * np.max(np.abs(differences)))


def test_a_top_precesses_steadily() -> None:
    """J1 W^2 cos(tilt) - J3 w3 W + m g l = 0, with J1 about the pivot: the centre goes round at the rate W."""
    mass, arm, tilt, rate, own, axial = 1.0, 0.2, 0.5, 4.0, 0.01, 0.004
    spin = ((own + mass * arm**2) * rate**2 * np.cos(tilt) + mass * 9.81 * arm) / (axial * rate)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    m = pl.Model("top", plane=None)
    ground, turn = m.add(pl.Ground()), (0.0, tilt, 0.0)
    body = m.add(pl.Body("top", mass=mass, inertia=(own, own, axial), position=tuple(arm * axis), orientation=turn))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at(0, 0, -arm), name="pivot"), pl.Gravity(y=0.0, z=-9.81))
    m.add(pl.Force(body.at(0, 0, 0, name="centre"), name="none"))
    upright = np.array([0.0, 0.0, rate])
    w = upright + (spin - upright @ axis) * axis
    times = np.linspace(0.0, 2.0 * np.pi / rate, 9)
    push = {"top": (*np.cross(w, arm * axis), *(rotations.matrix(rotations.exponential(turn)).T @ w))}
    run = pl.transient(compiled(m), end_time=times[-1], times=times, accuracy=1e-11, push=push)
    angle = rate * times
    centre = np.column_stack([np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle), np.cos(tilt) + 0.0 * angle])
    np.testing.assert_allclose(run.position.sel(marker="top/centre").values, arm * centre, atol=1e-7 * arm)


def bent_arm() -> pl.Model:
    """Build a driven shaft that carries a beam, at the end of which hangs a body on a cross."""
    m = pl.Model("bent arm", plane=None)
    ground, shaft = m.add(pl.Ground(), pl.Link("shaft", length=0.3, mass=0.5))
    beam = m.add(pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, 0.003, pl.STEEL)))
    bob = m.add(pl.Body("bob", mass=0.2, inertia=1e-4))
    m.add(pl.Revolute(ground.at(0, 0, 0), shaft.at(s=0), axis="z", name="hub"))
    m.add(pl.Motion(ground.at(0, 0, 0), shaft.at(s=0), angle=0.4, axis="z", name="turn"))
    m.add(pl.Weld(shaft.at(s=1), beam.at(s=0), name="root"))
    level = pl.rotation(x=np.pi / 2)
    m.add(pl.Universal(beam.at(s=1, orientation=level), bob.at(0, 0.1, 0, orientation=level), name="cross"))
    m.add(pl.Gravity(), pl.Force(beam.at(s=1), z=4.0, name="load"))
    return m


@pytest.mark.filterwarnings("ignore::pliant.errors.OtherBranch")
def test_equilibria_of_beams_are_those_with_multipliers() -> None:
    model, options = bent_arm(), {"elements": pl.Exact(2, order=2)}
    tree, other = compiled(model, **options), pl.compile(model, **options)
    found, wanted = pl.statics(tree), pl.statics(other)
    assert found.outcome.ok
    assert found.outcome.figures["unstable_directions"] == 0
    np.testing.assert_allclose(found.position, wanted.position, atol=1e-9)
    np.testing.assert_allclose(found.reaction, wanted.reaction, atol=1e-7)
    np.testing.assert_allclose(
        pl.modal(tree, at=found, modes=4).frequency_hz, pl.modal(other, at=wanted, modes=4).frequency_hz, rtol=1e-6
    )


def turning_arm() -> pl.Model:
    m = pl.Model("turning arm", plane=None)
    ground, arm, hand = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0), pl.Link("hand", length=0.3, mass=0.5))
    m.add(pl.Revolute(ground.at(0, 0, 0), arm.at(s=0), axis="z", name="hub"))
    m.add(pl.Motion(arm.at(s=0), ground.at(0, 0, 0), angle=pl.Expression("-9*t**2"), axis="z", name="turn"))
    m.add(pl.Revolute(arm.at(s=1), hand.at(s=0), axis="y", name="wrist"), pl.Gravity(y=0.0, z=-9.81))
    return m


@pytest.mark.parametrize("method", ["DOP853", "SDIRK4"])
def test_a_drive_is_followed_over_many_turns_and_does_work(method: str) -> None:
    times = np.linspace(0.0, 1.2, 5)
    run = pl.transient(compiled(turning_arm()), end_time=1.2, times=times, method=method)
    np.testing.assert_allclose(run.coordinates.sel(coordinate="hub"), 9.0 * times**2, atol=1e-9)
    np.testing.assert_allclose(run.coordinate_rates.sel(coordinate="hub"), 18.0 * times, atol=1e-9)
    energy = run.energy
    assert float(energy.sel(energy_kind="supplied")[-1]) > 10.0
    assert np.max(np.abs(energy.sel(energy_kind="balance"))) < 1e-4 * float(energy.sel(energy_kind="supplied")[-1])
    with_multipliers = pl.transient(pl.compile(turning_arm()), end_time=1.2, step=5e-4, every=600)
    np.testing.assert_allclose(run.position[-1], with_multipliers.position[-1], atol=2e-3)


def test_a_slender_rod_on_a_ball_swings_though_it_has_no_inertia_about_itself() -> None:
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, orientation=(0.0, 0.3, 0.0)))
    m.add(pl.Spherical(ground.at(0, 0, 0), rod.at(s=0), name="ball"), pl.Gravity(y=0.0, z=-9.81))
    run = pl.transient(compiled(m), end_time=0.5, times=[0.0, 0.5], accuracy=1e-10)
    flat = pl.Model("rod")
    ground, rod = flat.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, angle=-0.3))
    flat.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    plane = pl.transient(compiled(flat), end_time=0.5, times=[0.0, 0.5], accuracy=1e-10)
    tip = run.position.sel(marker="rod/tip", axis=["x", "z"])
    np.testing.assert_allclose(tip, plane.position.sel(marker="rod/tip"), atol=1e-8)
    spun = m.add(pl.Motor("spinner", m.part("ground").at(0, 0, 0), m.part("rod").at(s=0), 1.0, axis="x"))
    assert spun is not None
    with pytest.raises(SingularError, match="no mass moves with some coordinate"):
        pl.transient(compiled(m), end_time=0.5)


def test_forward_and_inverse_dynamics_undo_each_other() -> None:
    system, g = compiled(random_tree(4)), np.random.default_rng(1)
    n = len(system.names)
    q, v, _ = anywhere(system, 2)
    moving = np.setdiff1d(np.arange(n), system._locked)
    forces = np.zeros((3, n))
    forces[:, moving] = g.standard_normal((3, moving.size))
    a = pl.forward_dynamics(system, np.tile(q, (3, 1)), np.tile(v[:n], (3, 1)), forces)
    back = pl.inverse_dynamics(system, np.tile(q, (3, 1)), np.tile(v[:n], (3, 1)), a)
    np.testing.assert_allclose(back, forces, atol=1e-10 * np.max(np.abs(a)))
    one = pl.forward_dynamics(system, q, v[:n], forces[1])
    np.testing.assert_array_equal(one, a[1])
    with pytest.raises(OptionError, match=r"rates of shape \(2,\)"):
        pl.forward_dynamics(system, q, [0.0, 1.0])
    with pytest.raises(OptionError, match="rates=fast: give"):
        pl.forward_dynamics(system, q, "fast")  # type: ignore[arg-type]
    for wrong in (np.nan, "strong", [1.0, 2.0]):
        with pytest.raises(OptionError, match=r"forces.*give \d+ finite numbers"):
            pl.forward_dynamics(system, q, v[:n], wrong)  # type: ignore[arg-type]
    with pytest.raises(CapabilityError, match="'relative'"):
        pl.inverse_dynamics(pl.compile(random_tree(4)), q, v[:n], v[:n])


@pytest.mark.parametrize("seed", [1, 4, 7])
def test_markers_of_random_trees_move_as_their_jacobians_say(seed: int) -> None:
    system = compiled(random_tree(seed))
    q, v, state = anywhere(system, seed)
    layout: Any = system.layout
    for k, body in enumerate(layout.rigid_bodies):
        found = pl.jacobian(system, np.tile(q, (2, 1)), body.at(0.3, -0.2, 0.1)) @ v[: len(system.names)]
        turn, spin = layout.node_pose(k, state.q)[1], state.v[6 * k + 3 : 6 * k + 6]
        moved = state.v[6 * k : 6 * k + 3] + rotations.rotate(turn, np.cross(spin, (0.3, -0.2, 0.1)))
        np.testing.assert_allclose(found, np.tile([*moved, *rotations.rotate(turn, spin)], (2, 1)), atol=1e-12)


def test_sections_of_beams_move_as_their_jacobians_say() -> None:
    """Sections move as differences of places, in the plane, where the first joint hangs the other way round."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=0.3))
    beam = m.add(pl.Beam("beam", length=0.3, section=pl.Section.rectangle(0.02, 0.01, pl.STEEL)))
    m.add(pl.Revolute(arm.at(s=0.2), ground.at(0.1, 0.2)), pl.Weld(arm.at(s=1), beam.at(s=0), angle=0.4))
    tip = m.add(beam.at(s=1, y=0.02))
    system = compiled(m, elements=2)
    q, n = system.coordinates(system.initial), len(system.names)
    step = 1e-6 * np.eye(n)
    ahead, behind = (
        np.array(
            [[*system.layout.place(tip, at), at[3 * system.layout.node(tip) + 2]] for at in map(system.nodes_at, rows)]
        )
        for rows in (q + step, q - step)
    )
    np.testing.assert_allclose(pl.jacobian(system, q, tip), (ahead - behind).T / 2e-6, atol=1e-8)
    with pytest.raises(OptionError, match="there is no marker"):
        pl.jacobian(system, q, "ground(0.1, 0.2)")
    with pytest.raises(OptionError, match="coordinates of shape"):
        pl.jacobian(system, q[:-1], tip)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_tree_that_cannot_move_rests_where_it_is_held(spatial: bool) -> None:
    """A driven rod: its end, and the torque m g l cos(a) / 2 that holds it. It ended in an error of NumPy."""
    m, turn = pl.Model("rod", plane=None if spatial else "xy"), 0.3
    still: Any = {"orientation": (0.0, 0.0, 0.0)} if spatial else {"angle": 0.0}
    rod = pl.Body("rod", mass=2.0, inertia=(0.1,) * 3 if spatial else 0.1, position=(0.5, 0, 0)[: 2 + spatial], **still)
    ground, rod = m.add(pl.Ground(), rod)
    ends = ground.at(*(0.0,) * (2 + spatial)), rod.at(-0.5, *(0.0,) * (1 + spatial))
    m.add(pl.Revolute(*ends), pl.Motion(*ends, angle=turn, name="drive"), pl.Gravity(y=-9.81))
    rest = pl.statics(compiled(m))
    assert rest.outcome.ok
    place = rest.position.sel(marker="rod(0, 0)", axis=["x", "y"])
    np.testing.assert_allclose(place, (0.5 * np.cos(turn), 0.5 * np.sin(turn)), atol=1e-12)
    assert float(rest.drive_effort.sel(joint="drive")) == pytest.approx(2.0 * 9.81 * 0.5 * np.cos(turn), rel=1e-9)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
def test_a_motion_asks_numba_for_no_type_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types of the arguments of compiled code are known at once, as numba takes long to find one."""
    system = pl.compile(random_tree(0), formulation="relative")
    pl.transient(system, end_time=1e-3, estimate=False)
    asked, find = [], Dispatcher.typeof_pyval

    def record_type(dispatcher: Any, value: Any) -> Any:
        asked.append(type(value))
        return find(dispatcher, value)

    monkeypatch.setattr(Dispatcher, "typeof_pyval", record_type)
    pl.transient(system, end_time=1e-3, estimate=False)
    assert not asked
