"""Models of the gallery that bend, by four formulations: elements with multipliers, relative coordinates, chains of
links, shooting; at rest, in their lowest modes, and two of them in motion.

A mesh twice as fine gives the error of an answer. Two formulations may differ by the sum of their errors and half of it
more, since an error is known to about that. Chains in the plane do not stretch: Lee's frame has 100 times its EA here.
Chains know no beams that are fed (boom, fed-rod, stewart-continuum); `fed-rod` and `stewart-continuum` are cases with
references of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_gallery import (
    bend_45,
    boom,
    buckling,
    cantilever,
    crank_slider,
    delta,
    docking,
    elastic_four_bar,
    fed_rod,
    flexible_arm,
    flexure_stage,
    four_bar,
    gripper,
    lateral_buckling,
    leg,
    lumped_beam,
    manipulator,
    pacoma,
    princeton,
    rod_platform,
    shear_beam,
    six_leg,
    six_rus,
    slider_crank,
    spatial_dynamics,
    spinning_beam,
    stewart_continuum,
    walker,
)
from pliant_testing.validation import Row, at_most, case

MODELS: dict[str, Callable[[], pl.Model]] = {
    "bend-45": bend_45.model,
    "boom": boom.model,
    "buckling (Lee's frame)": lambda: buckling.lee_frame(section=replace(buckling.SLENDER, axial_stiffness=1e8)),
    "cantilever": cantilever.model,
    "crank-slider": lambda: crank_slider.model(flexible=True),
    "delta": delta.model,
    "docking": lambda: docking.model(held=True),
    "elastic-four-bar": elastic_four_bar.model,
    "fed-rod": fed_rod.model,
    "fed-rod (in space)": lambda: fed_rod.model(load=(-0.5, 1.0, -0.7)),
    "flexible-arm": flexible_arm.model,
    "flexure-stage": flexure_stage.model,
    "four-bar": lambda: four_bar.model(coupler="flexible"),
    "gripper": gripper.model,
    "lateral-buckling": lateral_buckling.cantilever,
    "leg": leg.model,
    "lumped-beam": lumped_beam.model,
    "manipulator": manipulator.model,
    "pacoma": pacoma.model,
    "princeton": princeton.model,
    "rod-platform": rod_platform.model,
    "shear-beam": shear_beam.model,
    "six-leg": six_leg.model,
    "six-rus": six_rus.model,
    "slider-crank": slider_crank.model,
    "spatial-dynamics (rod)": spatial_dynamics.rod,
    "spinning-beam": spinning_beam.model,
    "stewart-continuum": stewart_continuum.model,
    "walker": walker.model,
}
FED: dict[str, dict[str, float]] = {
    "boom": {"motor/x": 0.4},
    "fed-rod": {"motor/x": 0.3},
    "fed-rod (in space)": {"motor/x": -0.3},
    "stewart-continuum": {"motor 1/x": 0.02, "motor 4/x": -0.01},
}
"""How far from where they are assembled."""
FREE = ("lumped-beam", "spatial-dynamics (rod)")  # tied to nothing: they rest anywhere
SEVERAL: dict[str, Callable[[], pl.Result]] = {
    "six-leg": lambda: pl.statics(pl.compile(six_leg.model(), formulation="relative", **ELEMENTS[2])),
    "pacoma": lambda: pacoma.start(None),
}
"""Straight they are unstable, and legs buckle to either side: all start from one stable rest."""
MOVED = ("cantilever", "shear-beam")
ELEMENTS: dict[int, dict[str, Any]] = {n: {"elements": pl.Exact(4 * n, order=3)} for n in (1, 2)}
WAYS: dict[str, Callable[[int], dict[str, Any]]] = {
    "relative coordinates": lambda n: {"formulation": "relative", "elements": pl.Exact(4 * n, order=2)},
    "chains": lambda n: {"formulation": "udwadia_kalaba", "elements": pl.Lumped(10 * n, shear=True)},
    "shooting": lambda n: {"formulation": "shooting", "subintervals": 10 * n},
}
REFUSED = {
    "pacoma": ("shooting",),  # whose rods in space know no damping relative to themselves
    **dict.fromkeys(FED, ("chains",)),
}
COARSE = {"crank-slider": ("chains",)}  # so that terms of higher order count: all meshes are twice as fine
MOVING = ("relative coordinates", "chains")
STEPS: dict[str, dict[str, Any]] = {"udwadia_kalaba": {"method": "TRBDF2"}}
WITHIN = 1.5  # of the errors stated
ROUND = 1e-6  # of the size, or of a frequency: what no error that is stated has to be below
ACCURACY = 1e-5  # in time, of the size
FREQUENCIES = 2
ZERO = 1e-5  # of the seventh frequency: lower ones belong to free motions, six at most


@case("gallery-formulations", source="each other: finite elements, relative coordinates, chains of links, shooting")
def gallery_formulations() -> Iterator[Row]:
    """Models of the gallery that bend: four formulations at rest and in their modes, two of them in motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # six-leg slides from where it is assembled, arms are neutral
        yield from rows(MODELS, MOVED)


def rows(names: Iterable[str], moved: Collection[str] = ()) -> Iterator[Row]:
    """Compare every model, formulation and question: the difference from elements over the errors stated."""
    for name in names:
        system = compile_model(name, ELEMENTS[2])
        start = SEVERAL[name]() if name in SEVERAL else None
        rest = None if name in FREE else pl.statics(system, start=start)
        size = system.length_scale
        exact = answers(name, ELEMENTS.__getitem__, rest, size, name in moved)
        for way, options in WAYS.items():
            if way in REFUSED.get(name, ()):
                continue
            mesh = finer(options) if way in COARSE.get(name, ()) else options
            for what, (value, error) in answers(name, mesh, rest, size, name in moved and way in MOVING).items():
                wanted, off = exact[what]
                ratio = np.max(np.abs(value - wanted) / (error + off + ROUND))
                row = f"{name}, {way}, {what}: difference from elements over the errors stated"
                yield at_most(row, "1", float(ratio), limit=WITHIN, kind="other formulation")


def compile_model(name: str, options: dict[str, Any]) -> Any:
    """Return a model with these options, its rods fed."""
    return pl.compile(MODELS[name](), **options).with_signals(FED.get(name, {}))


def finer(options: Callable[[int], dict[str, Any]]) -> Callable[[int], dict[str, Any]]:
    """Return the meshes twice as fine."""
    return lambda n: options(2 * n)


def answers(
    name: str, options: Callable[[int], dict[str, Any]], rest: pl.Result | None, size: float, moves: bool
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return answers and their errors: a third of the difference from half the mesh, and the error of the steps."""
    coarse, fine = (quantities(name, compile_model(name, options(n)), rest, size, moves) for n in (1, 2))
    found = {}
    for what, value in fine.items():
        change = np.abs(value - coarse[what])
        if what != "frequencies":  # the largest, since a place that crosses its limit gives no error
            change = np.max(change)
        found[what] = (value, change / 3.0 + (ACCURACY if what == "motion" else 0.0))
    return found


def quantities(name: str, system: Any, rest: pl.Result | None, size: float, moves: bool) -> dict[str, np.ndarray]:
    """Return places of markers at rest, in sizes of the model; logarithms of the lowest frequencies there that are not
    zero; places at the end of a motion from the assembled pose, a quarter of the slowest period long.
    """
    found: dict[str, np.ndarray] = {}
    at, labels = None, []
    if rest is not None:
        at, labels = pl.statics(system, start=rest if name in SEVERAL else None), rest.marker.values.tolist()
        found["at rest"] = np.asarray(at.position.sel(marker=labels)) / size
    modes = pl.modal(system, at=at, modes=8).frequency_hz.values
    lowest = np.sort(modes[modes > ZERO * modes[6]])[:FREQUENCIES]
    found["frequencies"] = np.log(lowest)  # differences are relative
    if moves:
        run = pl.transient(system, end_time=0.25 / lowest[0], accuracy=ACCURACY, **STEPS.get(system.formulation, {}))
        found["motion"] = np.asarray(run.position.sel(marker=labels).isel(time=-1)) / size
    return found
