"""Elements between the markers of a beam: the same from either end, none much longer than the others, not too many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pliant as pl
from pliant.elements._options import BeamElement
from pliant.system.numbering.numbering import stations

PLACES = st.one_of(
    st.floats(0.0, 1.0), st.integers(0, 60).map(lambda k: k / 60), st.sampled_from([1e-6, 0.7, 1 - 1e-6])
)
MARKED = st.lists(PLACES, max_size=6).filter(lambda s: np.all(np.diff(np.unique([0.0, *s, 1.0])) > 1e-7))
STEEL_WIRE = pl.Section.circle(0.01, pl.STEEL)


def compiled(marked: list[float], elements: object = None, **options: object) -> pl.System:
    """Return a clamped beam with loads at some places."""
    m = pl.Model("marked")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STEEL_WIRE))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), *(pl.Force(beam.at(s=s), y=0.0) for s in marked))
    return pl.compile(m, **({} if elements is None else {"elements": elements}), **options)


def ends(system: pl.System) -> np.ndarray:
    """Return ends of the elements of its beam."""
    (mesh,) = system.observed.layout.beams
    return np.asarray(mesh.s[:: mesh.options.order])


def pieces(marked: list[float]) -> np.ndarray:
    return np.diff(np.unique([0.0, *marked, 1.0]))


def mirrored(marked: list[float]) -> list[float]:
    return [1.0 - s for s in marked]


def own_counts(places: np.ndarray, marked: list[float]) -> np.ndarray:
    """Count the elements of each piece."""
    breaks = np.unique([0.0, *marked, 1.0])
    return np.diff([int(np.argmin(np.abs(places - s))) for s in breaks])


@given(marked=MARKED)
@example(marked=[0.3])  # 0.7 of the beam: 2.1 of three elements, and a rounding error
def test_default_mesh_of_a_reversed_beam_is_mirrored(marked: list[float]) -> None:
    here, there = ends(compiled(marked)), ends(compiled(mirrored(marked)))
    assert here == pytest.approx(1.0 - there[::-1], abs=1e-9)


@given(marked=MARKED)
def test_default_mesh_is_even_and_small(marked: list[float]) -> None:
    """Elements of at most 1.1 L/3, undivided pieces alone shorter than half the longest element, and few of them."""
    places, spans = ends(compiled(marked)), pieces(marked)
    counts, sizes = own_counts(places, marked), np.diff(places)
    assert np.max(sizes) < 1.1 / 3.0 + 1e-9
    assert max(3, spans.size) <= np.sum(counts) <= 3 + spans.size - 1
    divided = np.repeat(counts > 1, counts)
    assert np.all(sizes[divided] > 0.5 * np.max(sizes) - 1e-9)


@given(marked=MARKED, more=st.integers(0, 20))
@example(marked=[1 / 3, 2 / 3], more=17)
@example(marked=[0.4, 0.6], more=1)
def test_given_number_of_elements_is_dealt_out_alike_from_either_end(marked: list[float], more: int) -> None:
    """But for two equal halves with an odd number, which cannot be."""
    spans = pieces(marked)
    elements = spans.size + more
    here, there = stations("beam", marked, elements), stations("beam", mirrored(marked), elements)
    assert here.size == there.size == elements + 1
    symmetric = np.allclose(spans, spans[::-1], rtol=0.0, atol=1e-9)
    if not (symmetric and spans.size % 2 == 0 and elements % 2):
        assert here == pytest.approx(1.0 - there[::-1], abs=1e-9)
    counts, sizes = own_counts(here, marked), np.diff(here)
    shortest = sizes[np.repeat(counts > 1, counts)].min(initial=1.0)
    if not (symmetric and spans.size % 2):  # there the middle piece has what no pair can share
        assert shortest > 0.5 * np.max(sizes) - 1e-9


@pytest.mark.parametrize(
    ("marked", "elements", "expected"),
    [
        ([0.5], 3, [2, 1]),  # as given: there is no other way
        ([1 / 3, 2 / 3], 20, [7, 6, 7]),
        ([0.4, 0.6], 4, [1, 2, 1]),
        ([0.4, 0.6], 6, [2, 2, 2]),
        ([0.25, 0.5, 0.75], 18, [5, 4, 4, 5]),
    ],
)
def test_given_numbers_are_kept(marked: list[float], elements: int, expected: list[int]) -> None:
    assert own_counts(stations("beam", marked, elements), marked).tolist() == expected


@pytest.mark.parametrize("formulation", ["dae", "relative"])
@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ([], [3]),
        ([0.5], [2, 2]),
        ([0.05, 0.95], [1, 3, 1]),
        ([0.001], [1, 3]),
        ([1 / 3], [1, 2]),
        ([0.001, 0.002, 0.003], [1, 1, 1, 3]),
    ],
)
def test_a_marker_makes_no_element_longer(marked: list[float], expected: list[int], formulation: str) -> None:
    system = compiled(marked, formulation=formulation)
    assert own_counts(ends(system), marked).tolist() == expected


@pytest.mark.parametrize("elements", ["auto", pl.Auto(accuracy=0.3, modes=1)])
def test_automatic_meshes_are_symmetric(elements: object) -> None:
    places = ends(compiled([0.25, 0.5, 0.75], elements))
    assert places == pytest.approx(1.0 - places[::-1], abs=1e-12)


@pytest.mark.parametrize("kind", [pl.Corotational(7), pl.Linear(7), pl.Exact(7)])
def test_all_elements_are_dealt_out_alike(kind: BeamElement) -> None:
    (mesh,) = compiled([0.2, 0.8], kind).observed.layout.beams
    assert own_counts(mesh.s, [0.2, 0.8]).tolist() == [2, 3, 2]


def test_a_finer_mesh_has_twice_as_many_elements_on_both_sides() -> None:
    assert own_counts(ends(pl.refine(compiled([0.5]))), [0.5]).tolist() == [4, 4]
