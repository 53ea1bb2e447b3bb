"""Invariants of every motion: energy of a chain, momentum of a free beam."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.system.state import State
from pliant.system.system import System

few = settings(max_examples=5)
lengths = st.lists(st.floats(0.2, 1.5), min_size=1, max_size=3)


@few
@given(lengths=lengths, angle=st.floats(-3.0, 3.0), bend=st.floats(-1.0, 1.0), spin=st.floats(-3.0, 3.0))
def test_energy_of_a_pendulum_chain(lengths: list[float], angle: float, bend: float, spin: float) -> None:
    """Without damping the error is the method's: small, and a quarter with half the step."""
    model = pl.Model("chain")
    ground = model.add(pl.Ground())
    hook = ground.at(0, 0)
    for k, length in enumerate(lengths):
        link = model.add(pl.Link(f"link {k}", length=length, mass=0.5 + length, angle=angle + k * bend))
        model.add(pl.Revolute(hook, link.at(s=0)))
        hook = link.at(s=1)
    model.add(pl.Gravity())
    system = pl.compile(model)
    options = {"end_time": 0.5, "spectral_radius": 1.0, "constraints": "projection", "push": {"link 0": spin}}
    errors = []
    for step in (1e-3, 5e-4):
        run = pl.transient(system, step=step, **options)
        total = float(run.energy.sel(energy_kind=["kinetic", "potential"]).max())
        errors.append(run.outcome.energy_error / max(run.outcome.energy_range, 1e-3 * abs(total)))
    assert errors[0] < 2e-4
    assert errors[1] < 0.3 * errors[0] + 1e-9


def momenta(system: System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return momentum along x and y, and about the origin: the mass matrix between the velocity and a rigid motion."""
    mass = system.matrices(State(q, v, np.zeros_like(v), np.zeros(system.constraints))).mass
    x, y = q[:-3:3], q[1:-3:3]
    rigid = np.zeros((3, system.freedoms))
    rigid[0, 0::3] = rigid[1, 1::3] = rigid[2, 2::3] = 1.0
    rigid[2, 0::3], rigid[2, 1::3] = -y, x
    return np.asarray(rigid @ (mass @ v[:-3]))


@few
@given(
    velocity=st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-6, 6)),
    curvature=st.floats(-2, 2),
    lump=st.booleans(),
    options=st.sampled_from([pl.Exact(6), pl.Exact(3, order=2), pl.Corotational(6)]),
)
def test_momentum_of_a_free_beam(
    velocity: tuple[float, float, float], curvature: float, lump: bool, options: object
) -> None:
    """The beam spins, stretches and rings. Momentum along x and y is kept to rounding; about the origin it drifts as
    step^2, down to what Newton's tolerance (1e-5 of a step's acceleration) leaves in some hundred steps.
    """
    model = pl.Model("free")
    section = pl.Section(4e3, 1.5e3, 0.8, 0.7, 1e-3)
    beam = model.add(
        pl.Beam("beam", length=1.0, section=section, angle=0.4, position=(0.3, -0.2), curvature=curvature, free=True)
    )
    if lump:
        model.add(pl.PointMass("lump", beam.at(s=1), mass=0.3))
    system = pl.compile(model, elements=options)
    drift = []
    for step in (4e-3, 5e-4):
        first = pl.transient(system, end_time=step, step=step, push={"beam": velocity})
        last = pl.transient(system, start=first, end_time=0.4, step=step)
        before, after = (momenta(system, run.state["q"], run.state["v"]) for run in (first, last))
        scale = 1.0 + np.abs(before).max()
        np.testing.assert_allclose(after[:2], before[:2], rtol=0.0, atol=1e-9 * scale)
        drift.append(abs(after[2] - before[2]) / scale)
    assert drift[0] < 1e-3
    assert drift[1] < max(0.1 * drift[0], 1e-6)


@few
@given(
    velocity=st.tuples(*(st.floats(-3, 3) for _ in range(6))),
    curvature=st.tuples(*(st.floats(-2, 2) for _ in range(3))),
    turn=st.tuples(*(st.floats(-2, 2) for _ in range(3))),
    options=st.sampled_from([pl.Exact(4), pl.Exact(2, order=2), pl.Corotational(4)]),
)
def test_scheme_that_keeps_momentum_in_space(
    velocity: tuple[float, ...], curvature: tuple[float, ...], turn: tuple[float, ...], options: object
) -> None:
    """A curved beam tumbles: its momentum is kept to rounding, and the axes of the world do not matter."""
    section = pl.Section.general(
        np.diag([4e3, 1.5e3, 1.5e3, 0.6, 0.8, 0.7]), mass_per_length=0.7, rotary_inertia=1e-3, rotary_inertia_y=2e-3
    )
    seen = []
    for R in (np.eye(3), Rotation.from_rotvec(turn).as_matrix()):
        model = pl.Model("tumbling", plane=None)
        place = tuple((R @ (0.3, -0.2, 0.1)).tolist())
        model.add(
            pl.Beam("beam", length=1.0, section=section, position=place, orientation=R, curvature=curvature, free=True)
        )
        push = (*(R @ velocity[:3]).tolist(), *velocity[3:])
        system = pl.compile(model, elements=options)
        run = pl.transient(system, end_time=0.1, step=5e-3, scheme="momentum", push={"beam": push})
        momentum = run.momentum.values
        assert np.max(np.abs(momentum - momentum[0])) < 1e-11 * (1.0 + np.max(np.abs(momentum)))
        seen.append(run.position.sel(marker="beam/tip").values @ R)
    np.testing.assert_allclose(seen[1], seen[0], rtol=0.0, atol=1e-9)
