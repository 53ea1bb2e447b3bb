"""Formulations x questions x (plane, space): every cell agrees with finite elements, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CapabilityError
from pliant.model.promotion import promoted
from pliant.system.capabilities import HasEquilibrium, HasMotion, HasPaths, HasSampling, Linearisable, offers
from pliant.system.compile import in_space, kind_of, known

QUADRATIC = {"elements": pl.Exact(8, order=2)}
OPTIONS: dict[str, dict[str, Any]] = {"dae": QUADRATIC, "udwadia_kalaba": {"elements": 30}, "relative": QUADRATIC}
WITHIN = {  # of the answer
    "dae": 1e-4,
    "shooting": 1e-3,
    "kinked": 0.02,
    "udwadia_kalaba": 0.02,
    "geometric": 1e-4,
    "relative": 1e-4,
}


@cache
def model(rigid: bool, spatial: bool) -> pl.Model:
    """A bent cantilever, or a pendulum pushed aside: each formulation knows one of them."""
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    if rigid:
        arm = m.add(pl.Link("arm", length=0.5, mass=0.2, angle=-1.5))
        m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    else:
        arm = m.add(pl.Beam("arm", length=0.5, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
        m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    m.add(pl.Gravity(), pl.Force(arm.at(s=1), x=0.1, y=0.0, name="load"))
    return promoted(m, {}) if spatial else m


def tip(found: pl.Result, k: int = -1) -> np.ndarray:
    place = found.position.sel(marker="arm/tip", axis=["x", "y"])
    return np.asarray(
        place.isel(time=k) if "time" in place.dims else place.isel(point=k) if "point" in place.dims else place
    )


def linear(system: Any) -> np.ndarray:
    plant = pl.linearise(system, inputs=["load/x"], outputs=["position:arm/tip:x"])
    return np.abs(plant.frequency_response(1.0).values).ravel()


def moved(system: Any, loop: pl.Controller | None = None) -> np.ndarray:
    adapting: dict[str, dict[str, Any]] = {
        "udwadia_kalaba": {"method": "TRBDF2", "accuracy": 1e-4},  # chains are stiff, most so in space
        "relative": {"accuracy": 1e-5},
        "kinked": {},
        "geometric": {},
    }
    step = adapting.get(system.formulation, {"step": 1e-3})
    return tip(pl.transient(system, end_time=0.04, controller=loop, **step))


LOOP = pl.Controller.proportional({"load/x": {"velocity:arm/tip:y": 0.3}}, sample_time=0.01)


QUESTIONS: dict[type, tuple[Callable[[Any], np.ndarray], ...]] = {
    HasEquilibrium: (lambda system: tip(pl.statics(system)),),
    Linearisable: (lambda system: pl.modal(system, modes=1).frequency_hz.values, linear),
    HasPaths: (lambda system: tip(pl.path(system, "load/x", to=0.2)),),
    HasMotion: (moved,),
    HasSampling: (lambda system: moved(system, LOOP),),
}


@cache
def reference(rigid: bool, capability: type, number: int) -> np.ndarray:
    return QUESTIONS[capability][number](pl.compile(model(rigid, False), elements=pl.Exact(8, order=3)))


CELLS = [
    (name, spatial, capability, number)
    for name in known()
    for spatial in ((False, True) if in_space(name) else (False,))
    for capability, asked in QUESTIONS.items()
    for number in range(len(asked))
]


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize(("formulation", "spatial", "capability", "number"), CELLS)
def test_a_cell_agrees_or_is_refused(formulation: str, spatial: bool, capability: type, number: int) -> None:
    rigid = formulation == "geometric"
    system = pl.compile(model(rigid, spatial), formulation=formulation, **OPTIONS.get(formulation, {}))
    ask = QUESTIONS[capability][number]
    if not offers(kind_of(formulation, spatial=spatial), capability):
        with pytest.raises(CapabilityError, match=f"{formulation!r} does not.*'dae'"):
            ask(system)
        return
    exact = reference(rigid, capability, number)
    scale = 0.5 if exact.size > 1 else float(np.max(np.abs(exact)))  # the length of the arm
    np.testing.assert_allclose(ask(system), exact, atol=WITHIN[formulation] * scale, rtol=0.0)
