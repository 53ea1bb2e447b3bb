"""Random mechanisms in other units and elsewhere: the assembled pose, the equilibrium and the motion stay the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pliant as pl
from tests.properties.mechanisms import Mechanism, Placing

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
SIZES = {"mm": 1e-3, "um": 1e-6, "km": 1e3}
CLOSE = 1e-6  # closing loops leaves the root of rounding in directions that joints leave free


def answers(model: pl.Model, time: float = 1.0) -> list[pl.Result]:
    """Rest and motion; the latter begins with the assembled pose."""
    system = pl.compile(model, elements=2)
    return [pl.statics(system), pl.transient(system, end_time=5e-3 * time, step=5e-4 * time)]


# mechanism 4 has several equilibria, and Newton on the whole load wandered about until rounding chose one
few, mechanisms = settings(max_examples=6), {"seed": st.integers(0, 10**6), "spatial": st.booleans()}


@few
@example(seed=4, spatial=True, unit="km", dense=False, time=1.0)
@given(**mechanisms, unit=st.sampled_from(sorted(SIZES)), dense=st.booleans(), time=st.sampled_from([1e-3, 1.0, 60.0]))
def test_units(seed: int, spatial: bool, unit: str, dense: bool, time: float) -> None:
    """A mechanism so small or large, as heavy as it was or of the same density, and as much faster or slower."""
    model, size = Mechanism(seed, spatial=spatial).model, SIZES[unit]
    scales = pl.Scales(length=1.0 / size, mass=1.0 / size**3 if dense else 1.0, time=1.0 / time)
    for here, there in zip(answers(model), answers(model.scaled(scales), time), strict=True):
        np.testing.assert_allclose(there.position / size, here.position, atol=CLOSE)
        assert there.outcome.ok == here.outcome.ok


@few
@example(seed=4, spatial=True)
@given(**mechanisms)
def test_frames(seed: int, spatial: bool) -> None:
    """A mechanism turned and shifted, with its guesses, loads and gravity."""
    placing = Placing.random(np.random.default_rng(seed), spatial)
    elsewhere = answers(Mechanism(seed, spatial=spatial, placing=placing).model)
    for here, there in zip(answers(Mechanism(seed, spatial=spatial).model), elsewhere, strict=True):
        axes = here.position.axis.size
        seen = np.zeros((*here.position.shape[:-1], 3))
        seen[..., :axes] = here.position.values
        placed = placing.point(seen.reshape(-1, 3)).reshape(seen.shape)[..., :axes]
        np.testing.assert_allclose(there.position, placed, atol=CLOSE)
