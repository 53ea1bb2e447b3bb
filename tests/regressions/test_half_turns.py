"""Springs and bushings in space that turn beyond half a turn: they pushed to the other side, with ok."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
K, J = 2.0, 0.1
OMEGA = np.sqrt(K / J)


def wheel(kind: str, *, plane: str | None, rest: float = 0.0) -> pl.System:
    m = pl.Model("wheel", plane=plane)
    at = (0, 0) if plane else (0, 0, 0)
    guess: dict[str, Any] = {"angle": 0.0} if plane else {"orientation": (0.0, 0.0, 0.0)}
    ground, body = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=J, position=at, **guess))
    m.add(pl.Revolute(ground.at(*at), body.at(*at)))
    if kind == "bushing":
        m.add(pl.Bushing("spring", ground.at(*at), body.at(*at), turning_stiffness=(0.0, 0.0, K)))
    else:
        m.add(pl.TorsionSpring("spring", ground.at(*at), body.at(*at), K, rest))
    return pl.compile(m)


def swing(system: pl.System, amplitude: float) -> pl.Result:
    push = amplitude * OMEGA
    spatial = system.space.quaternions
    return pl.transient(system, end_time=1.0, step=2e-3, push={"wheel": (0, 0, 0, 0, 0, push) if spatial else push})


@pytest.mark.parametrize("kind", ["bushing", "spring"])
def test_a_swing_is_right_or_not_ok(kind: str) -> None:
    """phi = A sin(omega t), exactly. In the plane angles are known for ever."""
    for amplitude in (3.0, 3.5, 6.0):
        flat = swing(wheel(kind, plane="xy"), amplitude)
        exact = amplitude * np.sin(OMEGA * flat.time.values)
        assert flat.outcome.ok
        np.testing.assert_allclose(flat.angle.sel(body="wheel"), exact, atol=0.01 * amplitude)
        full = swing(wheel(kind, plane=None), amplitude)
        assert full.outcome.ok == (amplitude < np.pi)
        if amplitude > np.pi:
            assert "turn of 'spring'" in full.outcome.message


def test_turns_are_counted_from_where_the_law_means_them() -> None:
    """A spring with its rest at 2 rad may turn to 5."""
    assert swing(wheel("spring", plane=None, rest=2.0), 0.5).outcome.ok
    assert pl.statics(wheel("spring", plane=None, rest=2.0)).outcome.ok


def test_what_does_not_resist_turning_may_turn() -> None:
    m = pl.Model("wheel", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=J, position=(0, 0, 0)))
    ends = ground.at(0, 0, 0), body.at(0, 0, 0)
    m.add(pl.Revolute(*ends), pl.Bushing("mount", *ends, stiffness=1e3, turning_damping=0.01))
    assert pl.transient(pl.compile(m), end_time=1.0, step=5e-3, push={"wheel": (0, 0, 0, 0, 0, 20.0)}).outcome.ok
