"""A mesh by the error that it may make: as few elements as keep it, beside exact frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant.system.numbering import element_counts as counting

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
CLAMPED = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])  # cos z cosh z = -1


def cantilever(*, length: float = 1.0, marked: tuple[float, ...] = ()) -> pl.Model:
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), *(pl.Force(beam.at(s=s), y=0.0) for s in marked))
    return m


def counts(system: object) -> list[int]:
    return [mesh.options.elements for mesh in system.layout.beams]  # type: ignore[attr-defined]


@pytest.mark.parametrize("formulation", ["dae", "relative"])
def test_frequencies_are_as_right_as_asked(formulation: str) -> None:
    system = pl.compile(cantilever(), formulation=formulation, elements=pl.Auto(accuracy=1e-5, modes=3))
    found = pl.modal(system, modes=3).frequency_hz.values
    exact = CLAMPED**2 / (2.0 * np.pi) * np.sqrt(STRIP.bending_stiffness / STRIP.mass_per_length)
    assert found == pytest.approx(exact, rel=5e-5)  # the exact ones are of Bernoulli's beam
    finer = pl.modal(pl.compile(cantilever(), elements=pl.Exact(20, order=4)), modes=3).frequency_hz.values
    assert found == pytest.approx(finer, rel=1e-5)


def test_one_element_less_is_too_few() -> None:
    finest = pl.modal(pl.compile(cantilever(), elements=pl.Exact(20, order=4)), modes=3).frequency_hz.values
    (count,) = counts(pl.compile(cantilever(), elements=pl.Auto(accuracy=1e-4, modes=3)))
    fewer = pl.modal(pl.compile(cantilever(), elements=pl.Exact(count - 1, order=3)), modes=3).frequency_hz.values
    assert np.max(np.abs(fewer / finest - 1.0)) > 1e-4


def test_markers_are_reached_and_their_elements_do_not_hide_the_error() -> None:
    """Four elements are the fewest with three markers, and four beside four would show no error."""
    system = pl.compile(cantilever(marked=(0.2, 0.5, 0.6)), elements="auto")
    assert counts(system)[0] > 8
    assert pl.estimate(pl.modal, system, modes=6).outcome.space_error < 2e-4


def test_shorter_beams_have_fewer_elements_and_others_keep_theirs() -> None:
    m = pl.Model("three")
    ground = m.add(pl.Ground())
    for name, length in (("long", 1.0), ("short", 0.3), ("given", 0.5)):
        beam = m.add(pl.Beam(name, length=length, section=STRIP))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    long, short, given = counts(pl.compile(m, elements={"long": "auto", "short": pl.Auto(), "given": 7}))
    assert short == int(np.ceil(0.3 * long))
    assert given == 7


def test_a_beam_that_bends_far_is_as_right() -> None:
    m = cantilever()
    m.add(pl.Force(m.beams[0].at(s=1), y=-30.0))
    rest = pl.estimate(pl.statics, pl.compile(m, elements="auto"))
    assert rest.outcome.ok
    assert rest.outcome.space_error < 1e-6


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"accuracy": 0.0}, "at least 1e-10"),
        ({"accuracy": float("nan")}, "finite"),
        ({"modes": 0}, "modes is 0"),
        ({"order": 17}, "order is 17"),
    ],
)
def test_bad_numbers_are_refused_by_name(wrong: dict[str, float], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        pl.Auto(**wrong)  # type: ignore[arg-type]


def test_what_no_mesh_gives_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST", 20)
    with pytest.raises(OptionError, match="20 elements do not give the first 10 modes"):
        pl.compile(cantilever(), elements=pl.Auto(modes=10, order=1, accuracy=1e-10))


def test_other_words_are_refused() -> None:
    with pytest.raises(OptionError, match="give a whole number, 'auto'"):
        pl.compile(cantilever(), elements="fine")
