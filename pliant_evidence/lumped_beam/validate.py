"""Free beam of the Udwadia-Kalaba paper: springs and frequencies of 3, 5, 9 and 20 rigid elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import pi

import numpy as np

import pliant as pl
from pliant.formulations.udwadia_kalaba.chain import cut
from pliant_evidence.lumped_beam import theory
from pliant_gallery.crank_slider import PAPER
from pliant_gallery.lumped_beam import model
from pliant_testing.validation import Row, at_most, case, order, printed, relative

SPRINGS = {3: ("3.6637", "2.9849"), 5: ("7.3274", "7.3303"), 9: ("14.655", "14.657"), 20: ("34.805", "34.806")}
"""Table 3: K_T from EI / l, and fitted to the beam's first frequency (N m/rad)."""
FREQUENCIES = {
    3: ("1.704", "2.880"),
    5: ("1.704", "4.693", "10.15", "11.28"),
    9: ("1.704", "4.695", "9.190", "15.12", "22.24", "29.63", "43.08", "43.37"),
    20: ("1.704", "4.697", "9.207", "15.22", "22.73", "31.73", "42.20", "54.12", "67.44", "82.07"),
}
FINITE_ELEMENTS = ("1.704", "4.697", "9.208", "15.22", "22.74", "31.76", "42.28", "54.30", "67.83", "82.86")
"""Table 4 (Hz); the elements have the fitted springs."""
FIT = 1e-4  # relative; the paper fits by hand, to a first frequency that it prints with four digits
RIGID_MODES = 3
STILL = 1e-4  # of the highest frequency: below, rigid motion and drift of the constraints, which rounding makes move


@case("lumped-beam", source="Udwadia-Kalaba paper, section 4, tables 3 and 4, figure 8")
def lumped_beam() -> Iterator[Row]:
    """Spring stiffness, theoretical and fitted, and frequencies of 3, 5, 9 and 20 rigid elements; finite elements."""
    beam = model().beams[0]
    reference = float(theory.euler_bernoulli(beam.section, beam.length, 1)[0])
    for elements, (plain, fitted) in SPRINGS.items():
        name = f"{elements} elements"
        yield printed(f"{name}, spring EI / l", "N m/rad", plain, float(cut(beam, pl.Lumped(elements)).stiffness[0]))
        found = pl.identify_stiffness(beam, elements, reference)
        yield relative(f"{name}, fitted spring", "N m/rad", float(fitted), found, tolerance=FIT, kind="published")
        yield relative(
            f"{name}, fitted spring, independently", "N m/rad",
            theory.fitted(beam.section, beam.length, elements, reference), found,
            tolerance=1e-9, kind="independent code",
        )  # fmt: skip
    for elements, texts in FREQUENCIES.items():
        spring = float(SPRINGS[elements][1])
        ours = frequencies(pl.Lumped(elements, stiffness=spring), len(texts))
        exact = theory.lumped(beam.section, beam.length, elements, spring)
        for mode, text in enumerate(texts):
            # one unit: 54.125 Hz is printed 54.12, from a spring of five digits
            yield printed(f"{elements} elements, mode {mode + 1}", "Hz", text, ours[mode], units=1.0)
        difference = np.abs(ours / exact[: ours.size] - 1.0).max()
        yield at_most(
            f"{elements} elements, against plain matrices", "relative", difference, limit=1e-8, kind="independent code"
        )
    solid = pl.modal(pl.compile(model(), elements=pl.Exact(40, order=3)), modes=RIGID_MODES + len(FINITE_ELEMENTS))
    for mode, text in enumerate(FINITE_ELEMENTS):
        yield printed(f"finite elements, mode {mode + 1}", "Hz", text, float(solid.frequency_hz[RIGID_MODES + mode]))
    coarse = frequencies(pl.Lumped(3, stiffness=float(SPRINGS[3][1])), 2)[1]
    short = 100.0 * (1.0 - coarse / float(solid.frequency_hz[RIGID_MODES + 1]))
    yield printed("figure 8: largest difference, 3 elements", "%", "38.68", short, units=1.0)
    slender, counts = replace(beam.section, rotary_inertia=0.0), (11, 21, 41)
    limit = theory.euler_bernoulli(slender, beam.length, 4)[3]
    errors = [abs(frequencies(pl.Lumped(count), 4, slender)[3] / limit - 1.0) for count in counts]
    lengths = [1.0 / (count - 1) for count in counts]
    yield order("order of mode 4 in the length of an element", lengths, errors, expected=4.0, kind="exact")


def frequencies(elements: pl.Lumped, modes: int, section: pl.Section = PAPER.section) -> np.ndarray:
    """Return bending frequencies (Hz) from the eigenvalues of the formulation's Jacobian, as in the paper."""
    system = pl.compile(model(section=section), formulation="udwadia_kalaba", elements=elements)
    values = np.linalg.eigvals(system.jacobian(system.start()))
    bending = values.imag[values.imag > STILL * np.abs(values).max()]
    return np.asarray(np.sort(bending)[:modes] / (2.0 * pi))
