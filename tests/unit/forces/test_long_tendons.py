"""Tendons through many guides, and elastic channels: a border of the matrix in the place of what couples all nodes."""

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.system.packing.build import unbordered

GUIDES = 16


def arm(*, spatial: bool, damping: float = 0.0, shortening: float = 0.01, friction: float = 0.0) -> pl.Model:
    """Build a rod with a tendon through eyes on one side and a channel with an elastic tendon on the other."""
    m = pl.Model("arm", plane=None if spatial else "xy")
    ground = m.add(pl.Ground())
    rod = m.add(pl.Beam("rod", length=0.5, section=pl.Section.circle(1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0), name="clamp"))
    eyes = [rod.at(s=(k + 1) / GUIDES, y=0.01) for k in range(GUIDES)]
    m.add(
        pl.Tendon(
            "pull", ground.at(-0.03, 0.01), eyes[-1], guides=(ground.at(-0.02, 0.01), ground.at(0, 0.01), *eyes[:-1]),
            stiffness=2e3, shortening=shortening, damping=damping, friction=friction, sliding=1 if friction else 0,
        )
    )  # fmt: skip
    offset = (-0.01, 0.003) if spatial else -0.01
    m.add(pl.ChannelTendon("back", rod, offset=offset, end=0.5, stiffness=1e3, shortening=0.002))
    m.add(pl.Force(rod.at(s=1), name="push", x=pl.Sine(-4.0, 3.0)))
    return m


def both(**how: Any) -> tuple[Any, Any]:
    """Return the system, and one in whose matrix all nodes of a tendon are coupled."""
    system = pl.compile(arm(**how), elements=GUIDES)
    dense = unbordered(system)
    unknowns = 2 + 2 * (GUIDES + 2) - 1 if how.get("friction") else 2
    assert (system.equations.pattern.borders, dense.equations.pattern.borders) == (unknowns, 0)
    assert dense.equations.pattern.storage > 1.2 * system.equations.pattern.storage
    return system, dense


@pytest.mark.parametrize("friction", [0.0, 0.1])
@pytest.mark.parametrize("spatial", [False, True])
def test_equilibria_modes_and_stability_are_the_same(spatial: bool, friction: float) -> None:
    answers = []
    for system in both(spatial=spatial, friction=friction):
        rest = pl.statics(system)
        assert rest.outcome.unstable_directions == 0
        modes = pl.modal(system, at=rest, modes=4)
        pushed = pl.statics(
            system.with_signals({"push/x": -3.0}), start=pl.statics(system.with_signals({"push/x": -1.0}))
        )
        answers.append((rest.shape, rest.tension, rest.reaction, modes.frequency_hz, pushed.shape))
    for one, other in zip(*answers, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("spatial", [False, True])
def test_motions_with_a_damper_are_the_same(spatial: bool) -> None:
    for method, apart in ((None, 1e-7), ("radau", 1e-7)):
        one, other = (
            pl.transient(system, end_time=0.01, step=1e-3, method=method, start=pl.statics(system))
            for system in both(spatial=spatial, damping=3.0, shortening=0.004)
        )
        np.testing.assert_allclose(one.tension[-1], other.tension[-1], rtol=apart)
        np.testing.assert_allclose(one.shape[-1], other.shape[-1], atol=apart)


@pytest.mark.parametrize("friction", [0.0, 0.1])
@pytest.mark.parametrize("spatial", [False, True])
def test_matrices_in_motion_are_those_of_all_nodes(spatial: bool, friction: float) -> None:
    """A damper's stiffness is not symmetric where ends move; friction changes with the sliding of all pieces."""
    system, dense = both(spatial=spatial, damping=3.0, friction=friction)
    state, rng = system.start(), np.random.default_rng(1)
    state.q[:] = system.moved(state.q, 1e-3 * rng.standard_normal(system.freedoms))
    state.v[: system.freedoms] = (3e-3 if friction else 1.0) * rng.standard_normal(system.freedoms)
    for whole in (False, True):
        one, other = (each.matrices(state, whole=whole) for each in (system, dense))
        for name in ("stiffness", "damping"):
            a, b = getattr(one, name).toarray(), getattr(other, name).toarray()
            np.testing.assert_allclose(a, b, atol=1e-11 * np.max(np.abs(b)))
    u = system.signals(np.zeros(1))[0]
    a, b = (each.unbalanced(state.q, state.v, state.a, u) for each in (system, dense))
    np.testing.assert_allclose(a, b, atol=1e-7)


def test_derivatives_of_motions_take_all_nodes() -> None:
    """Derivatives read the entries of the matrix, which is without a border then."""
    m = arm(spatial=False, shortening=0.004)
    load = pl.Parameter("load", 0.1, unit="N")
    m.add(pl.Force(m.beams[0].at(s=1), name="weight", y=pl.Sine(load, 20.0)))
    system = pl.compile(m, elements=GUIDES)
    rest = pl.statics(system)
    how: Any = {"end_time": 0.004, "step": 2e-4, "start": rest}
    run = pl.transient(system, **how)
    goal = {"energy": pl.Goal(lambda _, run: run.energy.sel(energy_kind="kinetic"), over="integral")}
    back, forth = (
        pl.sensitivity(system, run, of=goal, to=["load"], start=rest, adjoint=adjoint).derivative["energy"].values
        for adjoint in (True, False)
    )
    far, near = (
        goal["energy"](beside, pl.transient(beside, **how))
        for beside in (system.with_parameters(load=value) for value in (0.11, 0.09))
    )
    np.testing.assert_allclose([back, forth], (far - near) / 0.02, rtol=1e-5)
