"""Estimated errors of meshes beside true ones: exact solutions where there are any, else elements of order 4.

A row is the ratio of the two for one quantity, where its true error is the largest; it holds between 1/5 and 5. Errors
below rounding are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.cantilever import theory
from pliant_evidence.error_estimates.events import bifurcations
from pliant_evidence.error_estimates.mechanisms import mechanisms
from pliant_evidence.error_estimates.newer_cases import newer_cases
from pliant_evidence.error_estimates.ratios import FINE, against, itself, ratio, rows
from pliant_evidence.error_estimates.spins import turning
from pliant_evidence.error_estimates.steps import steps
from pliant_evidence.tapered_beam.validate import CONE
from pliant_evidence.tapered_beam.validate import cantilever as tapered
from pliant_gallery import (
    bend_45,
    cantilever,
    leg,
    lumped_beam,
    manipulator,
    princeton,
    shear_beam,
    six_rus,
    slider_crank,
    spinning_beam,
)
from pliant_gallery.leg import stages
from pliant_gallery.leg.theory import buckling_load
from pliant_testing.validation import Row, case

SMALL = 0.05  # N: bends the cantilever by 2e-4 of its length
MESHES: Mapping[str, Mapping[str, Any]] = {
    "4 exact": {"elements": 4},
    "2 exact of order 2": {"elements": pl.Exact(2, order=2)},
    "4 co-rotational": {"elements": pl.Corotational(4)},
    "6 linear": {"elements": pl.Linear(6)},
    "4 exact, relative": {"formulation": "relative", "elements": 4},
    "8 links with shear": {"formulation": "udwadia_kalaba", "elements": pl.Lumped(8, shear=True)},
    "2 kinked with shear": {"formulation": "kinked", "elements": 2, "shear": True},
}


@case("error-estimates", source="closed forms of cantilevers and columns; elements of order 4")
def error_estimates() -> Iterator[Row]:
    """Errors of the mesh as `pl.estimate` states them, over true errors: statics, modes, paths and motions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # meshes are coarse on purpose, and say so
        yield from vibrations()
        yield from deflections()
        yield from equilibria()
        yield from legs()
        yield from bifurcations()
        yield from turning()
        yield from mechanisms()
        yield from newer_cases()
        yield from motions()
        yield from steps()


def vibrations() -> Iterator[Row]:
    """Check three frequencies of a cantilever, in every element and formulation, against Timoshenko's."""
    model = cantilever.model(tip_force=0.0)
    exact = theory.frequencies(model.beams[0], 3)
    for name, options in MESHES.items():
        found = pl.estimate(pl.modal, pl.compile(model, **options), modes=3)
        errors = np.abs(found.frequency_hz.values - exact)
        for mode, error in enumerate(errors):
            estimated = float(found.frequency_hz_error.values[mode])
            yield ratio(f"cantilever, {name}: frequency {mode + 1}", estimated, float(error), "exact")


def deflections() -> Iterator[Row]:
    """Check the tip of a cantilever under a small load, where the mesh matters, against Timoshenko's."""
    model = cantilever.model(tip_force=-SMALL)
    beam = model.beams[0]
    exact = theory.bending_deflection(beam, SMALL, 0.0) + theory.shear_deflection(beam, SMALL, 0.0)
    for name in ("4 exact", "8 links with shear"):
        found = pl.estimate(pl.statics, pl.compile(model, **MESHES[name]))
        tip = {"marker": "beam/tip", "axis": "y"}
        true = abs(abs(float(found.position.sel(tip))) - exact)
        yield ratio(f"cantilever, {name}: deflection", float(found.position_error.sel(tip)), true, "exact")


def equilibria() -> Iterator[Row]:
    """Check large deflections in the plane and in space."""
    bent = cantilever.model(tip_force=-50.0)
    for name in ("4 exact", "2 exact of order 2", "4 co-rotational"):
        yield from against(f"bent cantilever, {name}", pl.statics, bent, MESHES[name])
    short: Any = {"formulation": "shooting", "subintervals": 2, "step": 0.25}
    yield from against("bent cantilever, shooting in 4 steps", pl.statics, bent, short)
    yield from against("cone, 4 exact", pl.statics, tapered(CONE, y=-50.0), {"elements": 4})
    yield from against("shear beam, 4 exact", pl.statics, shear_beam.model(), {"elements": 4})
    for name, elements in (("8 exact", 8), ("8 co-rotational", pl.Corotational(8))):
        yield from against(f"45-degree bend, {name}", pl.statics, bend_45.model(), {"elements": elements})
    yield from against("Princeton beam, 6 exact", pl.statics, princeton.model(), {"elements": 6})
    yield from against("6-RUS robot, 3 exact a rod", pl.statics, six_rus.model(), {"elements": 3})
    links: Any = {"formulation": "udwadia_kalaba", "elements": 6}
    yield from itself("lumped beam, 6 links", pl.modal, lumped_beam.model(), links, modes=5)


def legs() -> Iterator[Row]:
    """Check the leg's bifurcation against Euler's load, and its branch to the pretensioned pose."""
    given = leg.LEG

    def straight(system: Any) -> Any:
        return system.with_signals({stages.WEIGHT: 0.0}), stages.REST_LENGTH

    way: Any = {"begin": given.leaf_length, "to": given.tendon_rest_length}
    system, signal = straight(pl.compile(leg.model(), elements=6))
    found = pl.estimate(pl.path, system, signal, **way)
    load = buckling_load(given)
    rest = given.leaf_length * (1.0 - load / given.section.axial_stiffness) - load / given.tendon_stiffness
    true = abs(float(found.event_parameter[0]) - rest)
    yield ratio("leg, 6 exact: Euler's load", float(found.event_parameter_error[0]), true, "exact")
    side: Any = {"toward": (stages.MIDDLE, stages.OUTWARD)}
    fine, _ = straight(pl.compile(leg.model(), elements=FINE))
    bent = pl.estimate(pl.branch, system, pl.path(system, signal, **way), **side)
    yield from rows("leg bent, 6 exact", bent, pl.branch(fine, pl.path(fine, signal, **way), **side))


def motions() -> Iterator[Row]:
    """Check motions with equal steps, the reference's too."""
    spin: Any = {"end_time": 8.0, "step": 0.02}
    yield from against("spinning beam, 3 exact", pl.transient, spinning_beam.model(), {"elements": 3}, **spin)
    turn: Any = {"end_time": 0.5, "step": 2e-3}
    rubber = slider_crank.model(material="rubber")
    yield from against("rubber slider-crank, 4 exact", pl.transient, rubber, {"elements": 4}, **turn)
    arm: Any = {"formulation": "kinked", "elements": 1}
    times = np.linspace(0.0, 0.2, 21)  # steps adapt, to 1e-8 each
    yield from itself("arm, 1 kinked", pl.transient, manipulator.model(), arm, end_time=0.2, times=times)
