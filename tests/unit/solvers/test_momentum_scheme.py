"""The scheme that keeps momentum: every kind of element and joint, in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

SOFT = pl.Section.general(
    np.diag([4e3, 1.5e3, 1.5e3, 0.6, 0.8, 0.8]), mass_per_length=0.7, rotary_inertia=1e-3, rotary_inertia_y=1e-3
)
ELEMENTS = [pl.Exact(3), pl.Exact(2, order=2), pl.Corotational(3)]


def tree(*, plane: str | None) -> pl.Model:
    """Build a beam, a body pinned to its tip, and a spring between them; all of it flies."""
    m = pl.Model("tree", plane=plane)
    section = SOFT if plane is None else pl.Section(4e3, 1.5e3, 0.8, 0.7, 1e-3)
    place = (0, 0, 0) if plane is None else (0, 0)
    beam = m.add(pl.Beam("beam", length=1.0, section=section, position=place, free=True))
    inertia: Any = (1e-3, 2e-3, 3e-3) if plane is None else 3e-3
    bob = m.add(pl.Body("bob", mass=0.3, inertia=inertia))
    m.add(pl.Revolute(beam.at(s=1), bob.at(-0.2, 0), name="pin"))
    m.add(pl.Spring("spring", beam.at(s=0), bob.at(0.1, 0), stiffness=20.0, rest_length=1.0))
    return m


def fly(elements: Any, *, plane: str | None, step: float = 4e-3, **options: Any) -> pl.Result:
    push = {"beam": (1.0, 0.5, 4.0)} if plane else {"beam": (1.0, 0.5, -0.2, 3.0, 2.0, 4.0)}
    system = pl.compile(tree(plane=plane), elements=elements)
    return pl.transient(system, end_time=0.2, step=step, scheme="momentum", push=push, **options)


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("elements", ELEMENTS, ids=repr)
def test_momentum_is_kept_to_rounding(elements: Any, plane: str | None) -> None:
    run = fly(elements, plane=plane)
    momentum = run.momentum.values
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-11)
    assert run.outcome.constraint_error < 1e-12
    assert run.outcome.energy_error < 2e-2 * run.outcome.energy_range  # 0.4 % to 1.2 % at this step


@pytest.fixture(scope="module")
def pendulums() -> Any:
    m = pl.Model("pendulums")
    ground, upper, lower = m.add(
        pl.Ground(),
        pl.Link("upper", length=1.0, mass=1.0, angle=0.0),
        pl.Link("lower", length=0.5, mass=1.0, angle=0.5),
    )
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)), pl.Gravity())
    return pl.compile(m)


def test_reactions_and_accelerations_are_told_at_the_end_of_a_step(pendulums: Any) -> None:
    """Extrapolated from halfway: of second order, as the rest."""

    def last(**options: Any) -> np.ndarray:
        run = pl.transient(pendulums, end_time=0.5, **options)
        return np.concatenate([run.reaction.values[-1].ravel(), run.acceleration.values[-1].ravel()])

    exact = last(step=2e-4)
    errors = [np.max(np.abs(last(step=h, scheme="momentum") - exact)) for h in (4e-3, 2e-3)]
    assert errors[1] < 0.3 * errors[0]


def test_a_motion_goes_on_as_if_it_had_not_been_stopped(pendulums: Any) -> None:
    whole = pl.transient(pendulums, end_time=0.2, step=0.02, scheme="momentum")
    first = pl.transient(pendulums, end_time=0.1, step=0.02, scheme="momentum")
    rest = pl.transient(pendulums, end_time=0.2, step=0.02, scheme="momentum", start=first)
    for name in ("position", "velocity", "acceleration", "reaction"):
        np.testing.assert_array_equal(rest.data[name].values, whole.data[name].values[5:])


def test_drive_moves_what_it_should_and_its_work_is_counted() -> None:
    m = pl.Model("driven")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=2.0, angle=0.0))
    hub = ground.at(0, 0)
    m.add(pl.Revolute(hub, arm.at(s=0)), pl.Motion(hub, arm.at(s=0), angle=pl.Expression("t**2")), pl.Gravity())
    run = pl.transient(pl.compile(m), end_time=1.0, step=5e-3, scheme="momentum")
    assert float(run.angle.sel(body="arm")[-1]) == pytest.approx(1.0, abs=1e-12)
    assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_adaptive_steps_and_parts_without_mass() -> None:
    m = pl.Model("lever")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=0.5, mass=0.0, angle=0.3))
    weight = m.add(pl.Body("weight", mass=1.0, inertia=0.01))
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Weld(bar.at(s=1), weight.at(0, 0)), pl.Gravity())
    run = pl.transient(pl.compile(m), end_time=0.5, accuracy=1e-6, scheme="momentum")
    same = pl.transient(pl.compile(m), end_time=0.5, step=2e-4)
    assert run.outcome.energy_error < 1e-4 * run.outcome.energy_range
    np.testing.assert_allclose(run.position.values[-1], same.position.values[-1], atol=2e-4)


@pytest.mark.parametrize("options", [{"spectral_radius": 0.9}, {"newmark": (0.25, 0.5)}, {"constraints": "position"}])
def test_choices_of_other_schemes_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="scheme='momentum'"):
        fly(3, plane="xy", **options)


def test_contact_needs_a_step() -> None:
    m = pl.Model("ball")
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=0.5, inertia=1e-3, position=(0, 0.2), free=True))
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.05, stiffness=2e4), pl.Gravity())
    system = pl.compile(m)
    with pytest.raises(OptionError, match=r"floor.*step="):
        pl.transient(system, end_time=0.4, accuracy=1e-6, scheme="momentum")
    run = pl.transient(system, end_time=0.4, step=1e-3, scheme="momentum")
    assert run.outcome.energy_error < 0.01 * run.outcome.energy_range  # 0.5 %


def test_unknown_scheme_is_refused() -> None:
    with pytest.raises(OptionError, match="momentum"):
        pl.transient(pl.compile(tree(plane="xy")), end_time=1.0, scheme="momentun")
