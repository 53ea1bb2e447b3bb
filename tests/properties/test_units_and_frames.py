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
UNRESOLVED = 1.0  # local error of a step, in sizes of the model


def positions(model: pl.Model, time: float = 1.0) -> dict[str, np.ndarray]:
    """Return places of all markers: assembled, at rest, in motion. Where a step cannot follow the motion at all (a beam
    that a spring throws), rounding decides what comes of it, and it is left out.
    """
    system = pl.compile(model, elements=2)
    motion = pl.transient(system, end_time=5e-3 * time, step=5e-4 * time)
    resolved = motion.outcome.figures["local_error"] < UNRESOLVED
    found = {"assembled": motion.position.values[0], "rest": pl.statics(system).position.values}
    return found | ({"motion": motion.position.values} if resolved else {})


# mechanism 4 has several equilibria, and Newton on the whole load wandered about until rounding chose one
few, mechanisms = settings(max_examples=6), {"seed": st.integers(0, 10**6), "spatial": st.booleans()}


@few
@example(seed=4, spatial=True, unit="km", dense=False, time=1.0)
@given(**mechanisms, unit=st.sampled_from(sorted(SIZES)), dense=st.booleans(), time=st.sampled_from([1e-3, 1.0, 60.0]))
def test_units(seed: int, spatial: bool, unit: str, dense: bool, time: float) -> None:
    """A mechanism so small or large, as heavy as it was or of the same density, and as much faster or slower."""
    model, size = Mechanism(seed, spatial=spatial).model, SIZES[unit]
    scales = pl.Scales(length=1.0 / size, mass=1.0 / size**3 if dense else 1.0, time=1.0 / time)
    there = positions(model.scaled(scales), time)
    for what, here in positions(model).items():
        np.testing.assert_allclose(there[what] / size, here, atol=CLOSE, err_msg=what)


@few
@example(seed=4, spatial=True)
@given(**mechanisms)
def test_frames(seed: int, spatial: bool) -> None:
    """A mechanism turned and shifted, with its guesses, loads and gravity."""
    placing = Placing.random(np.random.default_rng(seed), spatial)
    there = positions(Mechanism(seed, spatial=spatial, placing=placing).model)
    for what, here in positions(Mechanism(seed, spatial=spatial).model).items():
        flat = np.zeros((*here.shape[:-1], 3))
        flat[..., : here.shape[-1]] = here
        placed = placing.point(flat.reshape(-1, 3)).reshape(flat.shape)[..., : here.shape[-1]]
        np.testing.assert_allclose(there[what], placed, atol=CLOSE, err_msg=what)
