"""Formulations x questions x (plane, space) x (tree, loop): each cell agrees with finite elements, or is refused by
name, with the formulations that can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polynomial

import pliant as pl
from pliant.errors import CapabilityError, ModelError, OptionError
from pliant.model.model import promoted
from pliant.system.capabilities import (
    QUESTIONS,
    Bendable,
    Differentiable,
    HasEquilibrium,
    HasInverse,
    HasJointDynamics,
    HasMotion,
    HasMotionSlopes,
    HasPaths,
    HasResidual,
    HasSampling,
    HasSlip,
    HasSpin,
    HasStabilityOption,
    Linearisable,
    LinearisableInMotion,
    offers,
)
from pliant.system.compile import formulation_names, formulations_with, in_space, kind_of

QUADRATIC, CUBIC = {"elements": pl.Exact(8, order=2)}, {"elements": pl.Exact(3, order=3)}
OPTIONS: dict[str, dict[str, Any]] = {"dae": QUADRATIC, "udwadia_kalaba": {"elements": 30}, "relative": CUBIC}
WITHIN = {  # of the answer
    "dae": 1e-4,
    "shooting": 1e-3,
    "kinked": 0.02,
    "udwadia_kalaba": 0.02,
    "relative": 1e-4,
}
LOOSER: dict[type, float] = {LinearisableInMotion: 200.0}  # times that: vibrations at an instant depend on the steps
TREES_ONLY = {"kinked": ModelError}  # what they raise for a loop
NO_RESULTANTS = {"udwadia_kalaba": r"Chains of links.*{others}"}
STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


@cache
def model(kind: str, rigid: bool, spatial: bool) -> pl.Model:
    """Build a model of a kind, one that bends or a rigid one, since each formulation knows one of them.

    tree  a bent cantilever, or a pendulum pushed aside
    loop  a slider-crank with a spring, whose connecting rod is the arm
    """
    m = pl.Model(kind)
    ground = m.add(pl.Ground())
    length = pl.Parameter("length", 0.5)
    turned = -1.5 if kind == "tree" and rigid else -0.2 if kind == "loop" else 0.0
    arm = m.add(
        pl.Link("arm", length=length, mass=0.2, angle=turned) if rigid else pl.Beam("arm", length=length, section=STRIP)
    )
    load = pl.Force(arm.at(s=1), x=0.1, y=0.0, name="load")
    if kind == "tree":
        m.add((pl.Revolute if rigid else pl.Weld)(ground.at(0, 0), arm.at(s=0)))
    else:
        crank, slider = m.add(
            pl.Link("crank", length=0.15, mass=0.2, angle=1.0), pl.Body("slider", mass=0.3, inertia=1e-4)
        )
        m.add(
            pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), arm.at(s=0)),
            pl.Revolute(arm.at(s=1), slider.at(0, 0)), pl.Prismatic(ground.at(0, 0), slider.at(0, 0)),
            pl.Spring("spring", ground.at(0.9, 0), slider.at(0, 0), stiffness=100.0, rest_length=0.3),
        )  # fmt: skip
    m.add(pl.Gravity(), load)
    return promoted(m, {}) if spatial else m


def tip(found: pl.Result, k: int = -1) -> np.ndarray:
    place = found.position.sel(marker="arm/tip", axis=["x", "y"])
    return np.asarray(
        place.isel(time=k) if "time" in place.dims else place.isel(point=k) if "point" in place.dims else place
    )


def carried(system: Any) -> np.ndarray:
    """Return joint forces, in the plane, and the potential energy; "kinked" books the load's as work."""
    rest = pl.statics(system)
    names = [name for name in rest.joint.values.tolist() if " pin " not in name]  # of a chain
    reactions = rest.reaction.sel(joint=names).values[:, [0, 1, -1]]
    energy = float(rest.energy.sel(energy_kind="potential"))
    return np.append(reactions, energy - (0.1 * tip(rest)[0] if system.formulation == "kinked" else 0.0))


def inside(system: Any) -> np.ndarray:
    """Return N, V and M at two places of the arm, by a polynomial along it; "kinked" gives means over elements."""
    rest = pl.statics(pl.refine(system, factor=4) if system.formulation == "kinked" else system)
    mine = rest.resultant.values[rest.resultant.beam.values == "arm"][:, [0, 1, -1]]
    places = rest.resultant.section_s.values[rest.resultant.beam.values == "arm"]
    return polynomial.polyval([0.4, 0.6], polynomial.polyfit(places, mine, 4)).ravel()


def slopes(system: Any) -> np.ndarray:
    """Return how the tip moves if the arm is longer."""
    found = pl.sensitivity(system, pl.statics(system), of=["position"], to=["length"])
    return found.derivative.position.sel(marker="arm/tip", axis=["x", "y"]).values.ravel()


def response(system: Any, **at: Any) -> np.ndarray:
    plant = pl.linearise(system, inputs=["load/x"], outputs=["position:arm/tip:x"], **at)
    return np.abs(plant.frequency_response(1.0).values).ravel()


def moved(system: Any, loop: pl.Controller | None = None) -> pl.Result:
    """Return a motion without an estimate, since the cells themselves check its error; a system moves once."""
    if (id(system), loop is None) not in MOVED:
        MOVED[id(system), loop is None] = (system, _moved(system, loop))
    return MOVED[id(system), loop is None][1]


def _moved(system: Any, loop: pl.Controller | None) -> pl.Result:
    adapting: dict[str, dict[str, Any]] = {
        "udwadia_kalaba": {"method": "TRBDF2", "accuracy": 1e-4},  # chains are stiff, most so in space
        "relative": {"accuracy": 1e-5},
        "kinked": {},
    }
    step = adapting.get(system.formulation, {"step": 1e-3})
    return pl.transient(system, end_time=0.04, controller=loop, estimate=False, **step)


LOOP = pl.Controller.proportional({"load/x": {"velocity:arm/tip:y": 0.3}}, sample_time=0.01)
ASKED: dict[type, tuple[Callable[[Any], np.ndarray], ...]] = {
    HasEquilibrium: (lambda system: tip(pl.statics(system)), carried, inside),
    Differentiable: (slopes,),
    Linearisable: (lambda system: pl.modal(system, modes=1).frequency_hz.values, response),
    LinearisableInMotion: (lambda system: response(system, at=moved(system), frozen=True),),
    HasPaths: (lambda system: tip(pl.path(system, "load/x", to=0.2)),),
    HasMotion: (lambda system: tip(moved(system)),),
    HasSampling: (lambda system: tip(moved(system, LOOP)),),
}
REFUSED: dict[type, Callable[[Any], object]] = {  # by those that cannot; what others answer is compared elsewhere
    HasSpin: lambda system: pl.statics(system, spin=1.0),
    HasSlip: lambda system: pl.statics(system, friction={}),
    HasStabilityOption: lambda system: pl.statics(system, stability=False),
    Bendable: lambda system: pl.imperfect(system, None, amplitude=1e-3),  # type: ignore[arg-type]
    HasInverse: lambda system: pl.inverse_statics(system, {"arm/tip": (0.4, -0.2)}, signals=["load/x", "load/y"]),
    HasResidual: lambda system: pl.sensitivity(system, None, of=["event_parameter"]),  # type: ignore[arg-type]
    HasMotionSlopes: lambda system: pl.sensitivity(system, moved(system), of=["position"]),
    HasJointDynamics: lambda system: pl.forward_dynamics(system, np.zeros(1), np.zeros(1)),
}
MOVED: dict[tuple[int, bool], tuple[Any, pl.Result]] = {}
SPACES = [(name, spatial) for name in formulation_names() for spatial in (False, True) if not spatial or in_space(name)]


@cache
def compiled(formulation: str, kind: str, spatial: bool) -> Any:
    return pl.compile(model(kind, False, spatial), formulation=formulation, **OPTIONS.get(formulation, {}))


@cache
def reference(kind: str, capability: type, number: int) -> np.ndarray:
    return ASKED[capability][number](pl.compile(model(kind, False, False), elements=pl.Exact(8, order=3)))


def cells() -> Iterator[tuple[str, bool, str, type, int]]:
    for formulation, spatial in SPACES:
        for kind in ("tree",) if formulation in TREES_ONLY else ("tree", "loop"):
            for capability, asked in ASKED.items():
                for number, ask in enumerate(asked):
                    answered = ask is not inside or formulation not in NO_RESULTANTS
                    if answered and not (ask is slopes and spatial and kind == "loop"):  # slow, and as in the plane
                        yield formulation, spatial, kind, capability, number


def test_all_questions_are_asked() -> None:
    assert {*ASKED, *REFUSED} == set(QUESTIONS)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize(("formulation", "spatial", "kind", "capability", "number"), list(cells()))
def test_a_cell_agrees_or_is_refused(formulation: str, spatial: bool, kind: str, capability: type, number: int) -> None:
    system, ask = compiled(formulation, kind, spatial), ASKED[capability][number]
    if not offers(kind_of(formulation, spatial=spatial), capability):
        refused = f"{formulation!r} (does not|is linearised about an equilibrium).*'dae'"
        with pytest.raises((CapabilityError, OptionError), match=refused):
            ask(system)
        return
    exact = reference(kind, capability, number)
    scale = 0.5 if exact.size > 1 else float(np.max(np.abs(exact)))  # the length of the arm
    within = min(WITHIN[formulation] * LOOSER.get(capability, 1.0), 0.02)
    np.testing.assert_allclose(ask(system), exact, atol=within * scale, rtol=0.0)


@pytest.mark.parametrize("capability", REFUSED)
@pytest.mark.parametrize(("formulation", "spatial"), SPACES)
def test_an_empty_cell_names_those_that_can(formulation: str, spatial: bool, capability: type) -> None:
    if not offers(kind_of(formulation, spatial=spatial), capability):
        names = " or ".join(map(repr, formulations_with(capability, spatial=spatial)))
        with pytest.raises(CapabilityError, match=f"{formulation!r} does not. Compile the model with .*{names}"):
            REFUSED[capability](compiled(formulation, "tree", spatial))


@pytest.mark.parametrize("formulation", NO_RESULTANTS)
@pytest.mark.parametrize("spatial", [False, True])
def test_where_there_are_no_resultants_those_that_have_them_are_named(formulation: str, spatial: bool) -> None:
    others = " or ".join(repr(name) for name in formulation_names() if name not in NO_RESULTANTS)
    with pytest.raises(AttributeError, match=NO_RESULTANTS[formulation].format(others=others)):
        inside(compiled(formulation, "tree", spatial))


@pytest.mark.parametrize("formulation", sorted(set(formulation_names()) - set(formulations_with(HasSlip))))
def test_no_band_of_rest_where_joints_do_not_rub(formulation: str) -> None:
    with pytest.raises(CapabilityError, match=f"{formulation!r} does not.*'dae' or 'udwadia_kalaba'"):
        pl.rest_band(compiled(formulation, "tree", False), "load/x")


@pytest.mark.parametrize("formulation", TREES_ONLY)
def test_a_loop_is_refused_where_only_trees_are_known(formulation: str) -> None:
    with pytest.raises(TREES_ONLY[formulation], match=r"'relative'.*'dae'"):
        compiled(formulation, "loop", False)
