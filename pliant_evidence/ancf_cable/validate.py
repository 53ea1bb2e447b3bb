"""ANCF cables against exact solutions, published ones, and the same element in Exudyn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant_evidence.ancf_cable.cables import Cable
from pliant_evidence.ancf_cable.twin import RULES, Twin
from pliant_evidence.exudyn_beams import peer
from pliant_evidence.spinning_beam.validate import STEP, tip
from pliant_gallery.spinning_beam import data
from pliant_gallery.spinning_beam import model as spinning
from pliant_testing.elements import elastica
from pliant_testing.validation import Row, absolute, at_most, case, order, relative, skipped

LOAD = 4.0  # P L^2/EI: the tip goes by two thirds of the length
THIN = 1e8  # EA L^2/EI: it stretches by 4e-8
COUNTS = (4, 8, 16)


@case("ancf-cable", source="Bisshopp & Drucker 1945; Euler-Bernoulli; shooting paper, example 2; Exudyn's ANCFCable2D")
def ancf_cable() -> Iterator[Row]:
    """Elastica, circle, frequencies and a spinning arm by ANCF cables; the same nodes in Exudyn."""
    yield from _statics()
    yield from _frequencies()
    yield from _spinning()
    yield from _exudyn()


def _statics() -> Iterator[Row]:
    exact = np.array(elastica(LOAD))
    errors = [float(np.linalg.norm(Cable(THIN, load=LOAD).rest(pl.Ancf(n))[:2] - exact)) for n in COUNTS]
    yield at_most("elastica, tip, 16 elements", "L", errors[-1], limit=1e-5, kind="exact")
    widths = [1.0 / n for n in COUNTS]
    yield order("elastica, order of the tip", widths, errors, kind="exact", expected=4.0, tolerance=0.3)
    circles = [Cable(moment=2.0 * np.pi).rest(pl.Ancf(n)) for n in (8, 16, 32)]
    off = [float(np.linalg.norm(each[:2])) for each in circles]
    yield at_most("rolled up into a circle, tip from the clamp, 32 elements", "L", off[-1], limit=1e-4, kind="exact")
    widths = [1.0 / n for n in (8, 16, 32)]
    yield order("rolled up, order of the tip", widths, off, kind="exact", expected=4.0, tolerance=0.3)
    turned = abs(circles[-1][2] - 2.0 * np.pi)
    yield at_most("rolled up, angle of the tip, 32 elements", "rad", turned, limit=1e-4, kind="exact")


def _frequencies() -> Iterator[Row]:
    found = pl.modal(pl.compile(Cable(THIN).model(), elements=pl.Ancf(16))).frequency_hz.values
    for mode in (1, 2, 3):
        guess = (mode - 0.5) * np.pi
        root = brentq(lambda x: np.cos(x) + 1.0 / np.cosh(x), guess - 0.5, guess + 0.5)
        exact = root**2 / (2.0 * np.pi)
        name = f"clamped, frequency {mode}, 16 elements"
        yield relative(name, "Hz", exact, float(found[mode - 1]), tolerance=1e-4, kind="exact")


def _spinning() -> Iterator[Row]:
    given = data(1)
    run = pl.transient(pl.compile(spinning(case=1), elements=pl.Ancf(8)), end_time=20.0, step=STEP)
    time, _, across = tip(given, run)
    deepest = int(np.argmin(across))
    name = "spinning arm, 8 elements, largest tip deflection"
    yield absolute(name, "m", -0.280, across[deepest], tolerance=0.001, kind="published")
    yield absolute(f"{name}, when", "s", 7.0, time[deepest], tolerance=0.05, kind="published")
    damped = pl.compile(spinning(case=1, stiffness_damping=0.05), elements=pl.Ancf(8))
    _, settling, _ = tip(given, pl.transient(damped, end_time=60.0, step=STEP))
    name = "spinning arm, 8 elements, steady tip extension"
    yield relative(name, "m", given.steady_extension, settling[-1], tolerance=5e-4, kind="exact")


def _exudyn() -> Iterator[Row]:
    found = peer()
    for integration in RULES:
        names = [f"{word}, {integration}, 8 elements, tip by Exudyn" for word in ("bent", "swinging 0.5 s")]
        if found is None:
            yield from (skipped(name, "L", "Exudyn is not installed", kind="independent code") for name in names)
            continue
        elements = pl.Ancf(8, integration=integration)
        bent, swinging, steps = Cable(load=LOAD), Cable(1e3, 0.05, gravity=9.81), 4000
        apart = bent.rest(elements)[:2] - Twin(found.module, bent, 8, integration).rest()
        yield at_most(names[0], "L", float(np.linalg.norm(apart)), limit=1e-9, kind="independent code")
        here = swinging.motion(elements, end_time=0.5, steps=steps)
        twin = Twin(found.module, swinging, 8, integration)
        there = twin.move(twin.swinging(0.5, steps, looks=1, tolerance=1e-11))
        apart = float(np.linalg.norm(here[-1] - there[-1]))
        yield at_most(f"{names[1]}, steps of 0.125 ms", "L", apart, limit=1e-7, kind="independent code")
