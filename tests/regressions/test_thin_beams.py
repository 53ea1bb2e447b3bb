"""Very thin beams lost digits, and at last a mode (0.5596 Hz became 0), silently."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import pliant as pl
from pliant.errors import DigitsLost, NeutralEquilibrium

CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382]) ** 2 / (2.0 * math.pi)  # Hz, EI = rho A = L = 1
FREE = np.array([4.7300407449, 7.8532046241]) ** 2 / (2.0 * math.pi)
FINE = pl.Exact(16, order=4)
MESHES = (pl.Exact(8, order=3), FINE)


def beam(ratio: float, support: str, *, load: float = 0.0, angle: float = 0.0) -> pl.Model:
    """Build a beam with EI = rho A = L = 1, EA = GA = ratio."""
    m = pl.Model("thin")
    section = pl.Section(ratio, ratio, 1.0, 1.0, 1e-9)
    ground, strip = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=angle))
    if support == "clamped":
        m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)))
    elif support == "pinned":
        m.add(pl.Revolute(ground.at(0, 0), strip.at(s=0)), pl.Slider(ground.at(0, 0), strip.at(s=1)))
    m.add(pl.Force(strip.at(s=1), x=-load, name="load"))
    return m


@contextmanager
def digits_reported() -> Iterator[list[str]]:
    reported: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield reported
    reported += [str(each.message) for each in caught if issubclass(each.category, DigitsLost)]


@pytest.mark.parametrize("mesh", MESHES, ids=["8x3", "16x4"])
@pytest.mark.parametrize("ratio", [1e6, 1e9, 1e11, 1e12, 1e13])
def test_modes_keep_their_digits(ratio: float, mesh: pl.Exact) -> None:
    system = pl.compile(beam(ratio, "clamped", angle=0.7), elements=mesh)
    with digits_reported() as reported:
        modes = pl.modal(system, modes=3)
    # 3e-5: shear at 1e6, and the coarser mesh; then the remaining digits of 1e13 (before: 0 Hz from 3e11 on)
    np.testing.assert_allclose(modes.frequency_hz, CANTILEVER, rtol=5e-3 if ratio == 1e13 else 2e-4)
    assert modes.outcome.ok == (not reported)
    if ratio <= 1e11:
        assert not reported


@pytest.mark.parametrize("mesh", MESHES, ids=["8x3", "16x4"])
@pytest.mark.parametrize("modes", [1, 4])
def test_damped_modes_are_right_to_a_percent_or_said_not_to_be(mesh: pl.Exact, modes: int) -> None:
    lost = 0
    for ratio in 10.0 ** np.arange(6, 14):
        with digits_reported() as reported:
            found = pl.modal(pl.compile(beam(ratio, "clamped", angle=0.7), elements=mesh), modes=modes, damped=True)
        assert found.outcome.ok == (not reported)
        right = abs(float(found.frequency_hz[0]) / CANTILEVER[0] - 1.0) < 0.01
        assert right or reported
        lost += not right
        assert ratio > 1e9 or not reported
    assert lost > 0  # the last of these have no digits left


def test_rigid_motions_of_a_thin_beam_are_zero_and_the_others_are_not() -> None:
    with digits_reported() as reported:
        modes = pl.modal(pl.compile(beam(1e10, "free", angle=0.3), elements=FINE), modes=5)
    assert not reported
    assert not np.any(modes.frequency_hz.values[:3])
    np.testing.assert_allclose(modes.frequency_hz.values[3:], FREE, rtol=1e-5)


def test_preloaded_beam_keeps_its_first_mode() -> None:
    """omega^2 = pi^4 (1 - P / pi^2), 0.98696 at 0.99 of the critical load: came out as 0 at a ratio of 1e10."""
    system = pl.compile(beam(1e10, "pinned", load=0.99 * math.pi**2), elements=pl.Exact(10, order=4))
    first = pl.modal(system, modes=1).eigenvalue.values[0].imag
    assert first == pytest.approx(0.1 * math.pi**2, rel=1e-4)


def test_linear_model_path_and_stability_say_where_digits_end() -> None:
    thin = pl.compile(beam(1e11, "clamped"), elements=FINE)
    with pytest.warns(DigitsLost, match="linearise: rounding may change"):
        pl.linearise(thin, inputs=["load/x"], outputs=["position:beam/tip:y"])
    with pytest.warns(DigitsLost, match="rounding may shift events"):
        path = pl.path(thin, "load/x", to=-3.0)
    assert not path.outcome.ok
    with pytest.warns(DigitsLost, match="rounding hides whether this equilibrium is stable"):
        rest = pl.statics(pl.compile(beam(1e11, "pinned", load=0.999 * math.pi**2), elements=FINE))
    assert rest.outcome.stable is None
    assert rest.outcome.ok  # where it rests is right


@pytest.mark.parametrize("mesh", [pl.Exact(4, order=3), pl.Exact(4, order=1), pl.Corotational(4)], ids=repr)
@pytest.mark.parametrize("thickness", [1e-3, 1e-5])
def test_a_free_hinge_is_neutral_not_thin(mesh: pl.Exact | pl.Corotational, thickness: float) -> None:
    """A free hinge was "too thin for double precision" (order 3) or unstable (co-rotational)."""
    m = pl.Model("hinge")
    section = pl.Section.rectangle(10e-3, thickness, pl.STEEL)
    ground, arm = m.add(pl.Ground(), pl.Beam("arm", length=0.7, section=section))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    with digits_reported() as reported, pytest.warns(NeutralEquilibrium, match="arm can move"):
        rest = pl.statics(pl.compile(m, elements=mesh))
    assert not reported
    assert rest.outcome.stable is None


@pytest.mark.parametrize("ratio", [1e4, 1.2e7, 1e8])
def test_ordinary_beams_lose_nothing(ratio: float) -> None:
    with digits_reported() as reported:
        for damped in (False, True):
            pl.modal(pl.compile(beam(ratio, "free"), elements=FINE), modes=6, damped=damped)
        clamped = pl.compile(beam(ratio, "clamped"), elements=FINE)
        pl.linearise(clamped, inputs=["load/x"], outputs=["position:beam/tip:y"])
        path = pl.path(clamped, "load/x", to=-3.0)
        rest = pl.statics(pl.compile(beam(ratio, "pinned", load=0.99 * math.pi**2), elements=FINE))
    assert not reported
    assert path.outcome.ok
    assert rest.outcome.stable


def test_a_large_model_says_it_too() -> None:
    """Above the size up to which A, B, C, D are made at once."""
    system = pl.compile(beam(1e11, "clamped"), elements=pl.Exact(80, order=4))
    plant = pl.linearise(system, at=system.start(), inputs=["load/x"], outputs=["position:beam/tip:y"])
    with pytest.warns(DigitsLost, match="poles: rounding may change"):
        plant.poles(2)
