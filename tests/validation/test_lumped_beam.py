"""Free beam of the Udwadia-Kalaba paper: the case's rows, and its two independent sides."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.lumped_beam import theory
from pliant_evidence.lumped_beam.validate import FREQUENCIES, SPRINGS
from pliant_gallery.lumped_beam import model
from pliant_testing import validation


def test_every_row_holds() -> None:
    report = validation.run("lumped-beam")
    assert [row for row in report.rows if not row.ok] == []
    published = [row for row in report.rows if row.kind == "published"]
    # tables 3 (two columns of four) and 4 (24 frequencies and the ten of the finite elements), figure 8's percentage
    assert len(published) == 8 + 24 + 10 + 1


@pytest.mark.parametrize("elements", SPRINGS)
def test_plain_matrices_alone_give_the_table(elements: int) -> None:
    beam = model().beams[0]
    found = theory.lumped(beam.section, beam.length, elements, float(SPRINGS[elements][1]))
    for text, frequency in zip(FREQUENCIES[elements], found, strict=False):
        assert abs(frequency - float(text)) <= 10.0 ** -len(text.partition(".")[2])


def test_exact_beam_is_the_limit_of_the_elements() -> None:
    section, length = model().beams[0].section, model().beams[0].length
    exact = theory.euler_bernoulli(section, length, 3)
    np.testing.assert_allclose(theory.lumped(section, length, 101)[:3], exact, rtol=3e-5)  # rho I makes 2e-5 of mode 3
    np.testing.assert_allclose(
        exact[0] * 2.0 * np.pi * length**2,
        22.37328 * (section.bending_stiffness / section.mass_per_length) ** 0.5,
        rtol=1e-6,
    )


def test_model_takes_another_section() -> None:
    stiff = pl.Section(1e6, 1e6, 100.0, mass_per_length=1.0)
    beam = model(section=stiff, length=2.0).beams[0]
    assert (beam.length, beam.section, beam.free) == (2.0, stiff, True)
