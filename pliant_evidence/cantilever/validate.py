"""Thesis, chapter 3: tables 3.2, 3.4 and 3.5, the transient of section 3.9, and exact beam theory beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.modes.modal import modal
from pliant.analyses.motion.transient import transient
from pliant.analyses.statics.statics import statics
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_exact import Exact
from pliant.elements.beam_linear import Linear
from pliant.model import Rayleigh
from pliant.system.compile import compile
from pliant_evidence.cantilever import theory
from pliant_gallery.cantilever import ALLOY, TEST_STEEL, model
from pliant_testing.validation import Row, absolute, case, printed, relative

FORCE, GRAVITY = 5.0, 9.81  # N, m/s^2
MATLAB = Linear(10, integration="reduced", mass="hermite")
DESCRIBED = Linear(10, integration="reduced")
BEST = Exact(40, order=3)


@case("beam-static", source="thesis, table 3.4 and section 3.9; ERRATA 9")
def beam_static() -> Iterator[Row]:
    """Tip deflection of a cantilever under 5 N, with and without its weight, at rest and after a transient."""
    yield from deflections("", False, matlab="3.0807", analytic="3.0857", adams=3.0875)
    yield from deflections(", with gravity", True, matlab="3.0918", analytic="3.0968", adams=3.0986)
    yield from settling()


def deflections(note: str, gravity: bool, *, matlab: str, analytic: str, adams: float) -> Iterator[Row]:
    """Check one line of table 3.4, and theory beside it."""
    beam = model().beams[0]
    load = beam.section.mass_per_length * GRAVITY if gravity else 0.0
    bending = 1e3 * theory.bending_deflection(beam, FORCE, load)
    timoshenko = bending + 1e3 * theory.shear_deflection(beam, FORCE, load)
    elastica = 1e3 * theory.large_deflection(beam, FORCE, load)
    yield printed(f"10 reduced elements{note}", "mm", matlab, tip(DESCRIBED, gravity))
    yield printed(f"Euler-Bernoulli closed form{note}", "mm", analytic, bending)
    # a load per length is shared between the nodes beside it, so that with weight the error falls as 1/elements^2
    phi = Linear(400 if gravity else 10, integration="exact")
    exact = tip(phi, gravity)
    yield relative(
        f"{phi.elements} exact elements, Timoshenko{note}", "mm", timoshenko, exact, tolerance=1e-8, kind="exact"
    )
    turning = tip(BEST, gravity)
    yield relative(
        f"40 cubic elements, elastica{note}", "mm", elastica, turning, tolerance=1e-8, kind="independent code"
    )
    chords = tip(Corotational(80), gravity)
    yield relative(
        f"80 co-rotational elements, elastica{note}", "mm", elastica, chords, tolerance=1e-6, kind="independent code"
    )
    # Adams turns its elements too; how many there are is not published
    yield relative(f"Adams column{note}", "mm", adams, turning, tolerance=2e-4, kind="published")


def tip(elements: object, gravity: bool) -> float:
    """Return the downward tip deflection (mm) at equilibrium."""
    rest = statics(compile(model(tip_force=-FORCE, gravity=gravity), elements=elements))
    return -1e3 * float(rest.position.sel(marker="beam/tip", axis="y"))


def settling() -> Iterator[Row]:
    """Check section 3.9: 5 N suddenly applied, steps of 1e-4 s. The thesis prints no damping ratio: 2 % here."""
    ratio = 0.02
    damping = Rayleigh.of_modes(ratio, supports="clamped-free", relative_to="ground")  # of all motion: section 3.7
    system = compile(model(tip_force=-FORCE, damping=damping), elements=DESCRIBED)
    run = transient(system, end_time=1.5, step=1e-4)
    deflection = -1e3 * run.position.sel(marker="beam/tip", axis="y").values
    rest, end = tip(DESCRIBED, False), float(deflection[-1])
    yield printed("transient with Rayleigh damping settles", "mm", "3.0807", end)
    yield relative("transient, end against statics", "mm", rest, end, tolerance=1e-8, kind="itself")
    inner = deflection[1:-1]
    peaks = inner[(inner > deflection[:-2]) & (inner >= deflection[2:])][:20] - rest
    decrement = -np.polyfit(np.arange(peaks.size), np.log(peaks), 1)[0]
    found = float(decrement / np.hypot(2.0 * np.pi, decrement))
    yield absolute(
        "transient, damping ratio from the decrement", "1", ratio, found, tolerance=0.01 * ratio, kind="exact"
    )


class Printed(NamedTuple):
    """Frequencies of a table (Hz)."""

    name: str
    beam: dict[str, Any]
    matlab: tuple[str, ...]
    adams: tuple[float, ...]
    ansys: tuple[float, ...] = ()


TABLES = (
    Printed(
        "table 3.2",
        {"length": 1.0, "width": 0.04, "height": 0.04, "material": TEST_STEEL, "tip_force": 0.0},
        matlab=("51.1", "322.4", "913.3"),
        adams=(50.97, 317.7, 881.97),
        ansys=(50.97, 317.5, 880.6),
    ),
    Printed(
        "table 3.5",
        {"material": ALLOY, "tip_force": 0.0},
        matlab=("186.5", "1177.6", "3337.8", "6659.7", "8656.8"),
        adams=(186.1, 1160.9, 3227.4, 6261.9, 8647.9),
    ),
)


@case("beam-modes", source="thesis, tables 3.2 and 3.5; ERRATA 8")
def beam_modes() -> Iterator[Row]:
    """Frequencies of two cantilevers: the thesis's element, the one it describes, and exact Timoshenko theory."""
    for table in TABLES:
        count = len(table.matlab)
        names = [f"{table.name}, mode {n + 1}" for n in range(count)]
        for name, text, ours in zip(names, table.matlab, frequencies(table, MATLAB), strict=True):
            yield printed(f"{name}, MATLAB element", "Hz", text, ours)
        beam = model(**table.beam).beams[0]
        described = theory.reduced_element_frequencies(beam, DESCRIBED.elements, count)  # the text's (ERRATA 8)
        for name, plain, ours in zip(names, described, frequencies(table, DESCRIBED), strict=True):
            yield relative(f"{name}, element as described", "Hz", plain, ours, tolerance=1e-9, kind="independent code")
        best = frequencies(table, BEST)
        exact = theory.frequencies(beam, count)
        for name, timoshenko, ours in zip(names, exact, best, strict=True):
            yield relative(
                f"{name}, 40 cubic elements, Timoshenko", "Hz", timoshenko, ours, tolerance=1e-7, kind="exact"
            )
        # Adams: a shear factor near 1 (ERRATA 8), and a mesh that is not published and stiffens its higher modes
        stiffer = frequencies(table, BEST, shear_factor=1.0)
        for name, theirs, ours in zip(names, table.adams, stiffer, strict=True):
            yield relative(f"{name}, Adams, shear factor 1", "Hz", theirs, ours, tolerance=1e-3, kind="published")
        for name, theirs, ours in zip(names, table.ansys, best, strict=False):  # a solid model, its mesh not published
            yield relative(f"{name}, Ansys", "Hz", theirs, ours, tolerance=1e-3, kind="published")


def frequencies(table: Printed, elements: object, **changes: Any) -> list[float]:
    """Compute as many of the lowest frequencies (Hz) as the table has."""
    system = compile(model(**table.beam, **changes), elements=elements)
    return [float(f) for f in modal(system, modes=len(table.matlab)).frequency_hz.values]
