"""Modes of a square beam in space come in pairs: their derivatives belong to the two into which a pair parts, also
if only one of them is differentiated; shapes of a pair have none.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl


@pytest.fixture(scope="module")
def square() -> tuple[pl.Model, object, pl.Result]:
    width, height = pl.Parameter("width", 5e-3, unit="m"), pl.Parameter("height", 5e-3, unit="m")
    m = pl.Model("square", plane=None)
    section = pl.Section.rectangle(width, height, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)))
    system = pl.compile(m, elements=2)
    return m, system, pl.statics(system)


@pytest.mark.parametrize("modes", [1, 2, 3])
def test_frequencies(square: tuple[pl.Model, object, pl.Result], modes: int) -> None:
    _, system, rest = square
    found = pl.sensitivity(system, rest, of=["frequency_hz"], to=["height"], modes=modes)
    f, by = found.value.frequency_hz.values, found.derivative.frequency_hz.values[0]
    expected = np.array([0.0, f[0] / 5e-3, 0.0])[:modes]  # across, along the height; rotary inertia counts for little
    assert np.allclose(by, expected, atol=2e-3 * f[-1] / 5e-3)
    assert f"modes {', '.join(str(k + 1) for k in range(modes))} are repeated" in found.notes[0]


def test_shapes(square: tuple[pl.Model, object, pl.Result]) -> None:
    _, system, rest = square
    found = pl.sensitivity(system, rest, of=["mode_shape"], to=["height"], modes=1)
    assert np.all(np.isnan(found.derivative.mode_shape.values))
    assert "none has a derivative" in found.notes[0]


@pytest.mark.parametrize("apart", [1e-5, 3e-6])
def test_frequencies_that_are_nearly_one(apart: float) -> None:
    """A rod that is nearly square bends either way by one of its sides alone; of six legs, whose lowest three modes are
    4e-6 apart, rounding mixed the vectors: derivatives were off by 1e-5.
    """
    b, h = pl.Parameter("b", 4e-3), pl.Parameter("h", 4e-3 * (1.0 + apart))
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.3, section=pl.Section.rectangle(b, h, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0, 0), rod.at(s=0)))
    system = pl.compile(m, elements=4)
    found = pl.sensitivity(system, pl.statics(system), of=["frequency_hz"], modes=2).relative.frequency_hz.values
    assert not np.allclose(found[0, 0], 0.0, atol=0.5)
    np.testing.assert_allclose(found, found[0, 0] * np.eye(2), atol=1e-7)
