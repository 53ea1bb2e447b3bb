"""Beams that are packed together are what each of them is alone."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant.model.bodies.beams import rest_poses
from pliant.system.numbering.numbering import stations

ROUND, WIDE = pl.Section.circle(0.01, pl.STEEL), pl.Section.rectangle(0.03, 0.004, pl.STEEL)
CONE = pl.Circle(radius=(0.006, 0.002), material=pl.STEEL)
ARGUMENTS = (
    {"length": 1.0, "section": ROUND},
    {"length": 0.7, "section": WIDE, "curvature": 0.4, "straight": 0.2},
    {"length": 0.5, "section": CONE},
    {"length": 0.9, "section": WIDE, "curvature": (0.0, 1.0, -0.5), "angle": 0.3},
    {"length": 1.2, "section": WIDE, "damping": pl.Rayleigh(mass=0.1, stiffness=1e-4)},
)
LUMPED = {"mass": "lumped"}
OPTIONS = (
    pl.Exact(2),
    pl.Exact(3, order=3),
    pl.Exact(2, order=2, **LUMPED),
    pl.Exact(1, order=3),
    pl.Exact(2, **LUMPED),
)


def _hung(numbers: list[int]) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Return places of the tips of cantilevers under their weight, and frequencies."""
    m = pl.Model("cantilevers")
    ground = m.add(pl.Ground())
    m.add(pl.Gravity())
    tips = {}
    for k in numbers:
        beam = m.add(pl.Beam(f"beam {k}", **ARGUMENTS[k]))
        m.add(pl.Weld(ground.at(0.0, 2.0 * k), beam.at(s=0)))
        tips[k] = m.add(beam.at(s=1, name="tip"))
    system = pl.compile(m, elements={f"beam {k}": OPTIONS[k] for k in numbers})
    at = pl.statics(system)
    found = {k: at.position.sel(marker=tip.label).values for k, tip in tips.items()}
    return found, pl.modal(system, at=at, modes=5).frequency_hz.values


def test_cantilevers_in_one_model_hang_and_vibrate_as_each_alone():
    together, rates = _hung([0, 1, 2, 3, 4])
    each = list[float]()
    for k in range(len(ARGUMENTS)):
        place, own = _hung([k])
        np.testing.assert_allclose(together[k], place[k], rtol=0.0, atol=1e-12)
        each += own.tolist()
    np.testing.assert_allclose(rates, sorted(each)[: rates.size], rtol=1e-8)


def test_rest_shapes_of_many_beams_are_those_of_each():
    beams = [pl.Beam(f"beam {k}", **given) for k, given in enumerate(ARGUMENTS)]
    places = [np.linspace(0.0, 1.0, k + 1) for k in range(len(beams))]
    expected = np.concatenate([beam.rest_pose(s) for beam, s in zip(beams, places, strict=True)])
    np.testing.assert_array_equal(rest_poses(beams, places), expected)


def test_elements_are_dealt_out_by_length():
    """Every side of a marker gets elements by its length."""
    np.testing.assert_allclose(stations("beam", [0.1], 5), [0.0, 0.1, 0.325, 0.55, 0.775, 1.0])


def test_a_body_is_laid_along_a_marker_that_is_turned_on_a_beam():
    """Behind a curved beam (0.4 rad at its end), on a marker turned by 0.5 rad; from both sides of the joint."""
    for turned_round in (False, True):
        m = pl.Model("laid")
        ground = m.add(pl.Ground())
        beam = m.add(pl.Beam("beam", length=1.0, section=ROUND, curvature=0.4))
        link = m.add(pl.Link("link", length=0.3, mass=0.1))
        ends = (beam.at(s=1, angle=0.5), link.at(s=0))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
        m.add(pl.Weld(*(ends[::-1] if turned_round else ends), angle=0.2))
        system = pl.compile(m, elements=pl.Exact(2))
        found = pl.statics(system).angle.sel(body="link")
        np.testing.assert_allclose(float(found), 0.9 + (-0.2 if turned_round else 0.2), atol=1e-12)
