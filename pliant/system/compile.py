"""Compile a model into a system, by the formulation of the given name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pliant import formulations
from pliant._lazy import collected_later, entries, uncollected
from pliant.errors import DoubtfulUnits, ModelError, OptionError, nearest, warn
from pliant.jit import assistant
from pliant.jit.cache import nothing_compiled
from pliant.model import Model, Parameter
from pliant.model.plausibility import doubts
from pliant.system.capabilities import Compiled, Observed, offers
from pliant.system.packing.along_derivative import Perturbed
from pliant.system.packing.refusals import UnusedPart
from pliant.system.variants import Variant

RECIPE = "recipe"  # note of a system: how it was compiled


class Recipe(NamedTuple):
    """Model, formulation and options from which a system was compiled."""

    model: Model
    formulation: str
    options: Mapping[str, Any]


def compile(model: Model, *, formulation: str = "dae", **options: object) -> Any:
    """Compile a model into a system of equations for all analyses.

    formulation  "dae": absolute coordinates, joints as multipliers; "udwadia_kalaba": explicit accelerations,
                 beams as chains of rigid links; "kinked": open arms in relative coordinates, without multipliers;
                 "relative": trees of bodies and beams, and loops, in relative coordinates; "shooting": beams
                 integrated along their length by Runge-Kutta, joints as end conditions
    elements     ("dae", "relative") number of elements per beam, "auto" (as many as its modes need, see `Auto`),
                 element options such as ``Exact(8)``, ``Corotational(20)``, ``Linear(10)``, or a mapping from beam
                 names to any of these; default: ``Exact(3, order=3)``, with more elements between markers, so that none
                 is more than 10 % longer than a third of the beam. A given number is kept; an odd one cannot be
                 symmetric about a marker in the middle; ("udwadia_kalaba") number of links, "auto", ``Lumped(...)``, or
                 such a mapping
    strain, frames, modes  ("kinked") "mean", "nonlinear", "linear", ...; "element" or "link"; "component" or "system"
    rods         ("shooting") how beams are integrated, see ``Rod``; also subintervals, order, step, tolerance,
                 extensible, shear, linear and jacobian (``pliant.formulations.shooting.build``)

    >>> import pliant as pl
    >>> m = pl.Model("pendulum", plane="xy")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    >>> joint = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    >>> pl.compile(m)
    System('pendulum': 3 coordinates, 2 constraint rows, 0 beams, formulation 'dae')
    """
    if formulation == "geometric":
        warn(DeprecationWarning, "formulation='geometric' is now 'relative'. The former name ends with version 1.1.")
        formulation = "relative"
    if formulation not in _own() and formulation not in formulation_names():
        raise OptionError(f"Formulation {formulation!r} is not known. {nearest(formulation, formulation_names())}")
    if model.spatial and not in_space(formulation):
        others = " or ".join(f"formulation={name!r}" for name in formulation_names() if in_space(name))
        raise ModelError(
            f"Model {model.name!r}: the formulation {formulation!r} is for planar models. Compile this one, which is "
            f"spatial, with {others}."
        )
    model.check()
    for doubt in doubts(model):
        warn(DoubtfulUnits, doubt)
    assistant.expect(formulation, "spatial" if model.spatial else "planar", all_missing=nothing_compiled)
    build = _builder(formulation)
    if unknown := [name for name in options if name not in _options(build)]:
        raise OptionError(_describe_unknown(formulation, unknown))
    try:
        with collected_later():
            system = build(model, **options)
    except UnusedPart as unused:
        raise ModelError(f"{unused} It was compiled with formulation={formulation!r}.") from None
    system.observed.notes[RECIPE] = Recipe(model, formulation, options)
    return system


def refine(system: Compiled, *, factor: int = 2) -> Any:
    """Compile the same model by the same formulation on a mesh finer by a factor, with the system's present signals.

    The factor multiplies the number of elements ("dae", "kinked"), of links ("udwadia_kalaba"), or of subintervals and
    steps ("shooting").

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL)))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    >>> refine(pl.compile(m, elements=pl.Exact(3, order=2)))
    System('cantilever': 39 coordinates, 3 constraint rows, 1 beams, formulation 'dae')
    """
    if isinstance(factor, bool) or not isinstance(factor, int) or factor < 1:
        raise OptionError(f"factor={factor!r}: give a whole number of at least 1.")
    model, formulation, options = recipe_of(system, "refine")
    finer = getattr(importlib.import_module(_home(formulation)), "finer", None)
    if not model.beams or finer is None:
        raise OptionError(
            f"refine: {model.name!r} has no beams in the formulation {formulation!r}, so there is no mesh."
        )
    found = compile(model, formulation=formulation, **finer(model, factor, **options))
    layout: Any = system.observed.layout  # type: ignore[attr-defined]
    signals = {named.name: named.signal for named in layout.named_signals}
    return found.with_signals(signals) if signals else found


def with_parameters(system: Compiled, **values: float | str) -> Any:
    """Compile the same model with other values of its parameters, with the system's options and signals. If only
    numbers change, only their dependents are packed again (`pliant.system.packing.repack`); a result of one system is a
    valid start for the other.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=pl.Parameter("length", 1.0), mass=1.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> longer = with_parameters(pl.compile(m), length=2.0)
    >>> longer.model.parameters
    {'length': Parameter('length', 2.0)}
    """
    recipe = recipe_of(system, "with_parameters")
    return of_model(system, recipe.model.with_parameters(**values))


def of_model(system: Compiled, model: Model) -> Any:
    """Compile a model with other parameters by the formulation, options and signals of a system."""
    _, formulation, options = recipe_of(system, "with_parameters")
    again = getattr(importlib.import_module(_home(formulation)), "again", None)
    found = again(system, model) if again else None
    if found is None:
        found = compile(model, formulation=formulation, **options)
    else:
        found.observed.notes[RECIPE] = Recipe(model, formulation, options)
    replaced = set(system.settings.get("signals", {}))
    layout: Any = system.observed.layout  # type: ignore[attr-defined]
    signals = {named.name: named.signal for named in layout.named_signals if named.name in replaced}
    return found.with_signals(signals) if signals else found


def dependents_of(system: Compiled, parameter: Parameter) -> Any:
    """Return the numbers that a parameter may change, for `twins_of`; None if unknown, or without twins."""
    home = importlib.import_module(_home(recipe_of(system, "sensitivity").formulation))
    return home.dependents_of(system, parameter.name) if hasattr(home, "twins") else None


def twins_of(system: Compiled, wanted: Sequence[tuple[Any, Sequence[Parameter]]]) -> list[list[Perturbed] | None]:
    """Return systems with other values of parameters of known reach, without recipes, for difference quotients of
    explicit equations; None where more than numbers changes (`pliant.system.packing.perturbed`).
    """
    home = importlib.import_module(_home(recipe_of(system, "sensitivity").formulation))
    found: list[list[Perturbed] | None] = home.twins(system, wanted) if wanted else []
    return found


def parameters_of(system: Compiled | Observed) -> dict[str, Parameter]:
    """Return the parameters of the model from which a system was compiled."""
    recipe = getattr(getattr(system, "observed", system), "notes", {}).get(RECIPE)
    model: Model = recipe.model if isinstance(recipe, Recipe) else system.model
    return model.parameters


def parameter_values(system: Compiled | Observed) -> dict[str, float]:
    """Return the values of the parameters by name."""
    return {name: each.value for name, each in parameters_of(system).items()}


def recipe_of(system: Compiled, asked: str) -> Recipe:
    """Return the recipe of a system; OptionError if it has none."""
    recipe = getattr(getattr(system, "observed", None), "notes", {}).get(RECIPE)
    if not isinstance(recipe, Recipe):
        raise OptionError(
            f"{asked}: {system!r:.60} was not made by compile, or was bent since (imperfect): compile what you want "
            "yourself."
        )
    return recipe


@cache
def formulation_names() -> tuple[str, ...]:
    """Return the names of all formulations, the default first."""
    return tuple(sorted({*_own(), *_elsewhere()}, key=lambda name: (name != "dae", name)))


@cache
def _own() -> frozenset[str]:
    """Return the names of the formulations of pliant."""
    return frozenset(item.name for item in pkgutil.iter_modules(formulations.__path__))


@cache
def _elsewhere() -> dict[str, str]:
    """Return the packages of formulations that are installed with other packages:

    [project.entry-points."pliant.formulations"]
    kinked = "pliant_papers.kinked"
    """
    return {entry.name: entry.value for entry in entries("pliant.formulations")}


def formulations_with(capability: type, *, spatial: bool = False) -> list[str]:
    """Return the names of the formulations whose planar or spatial systems offer a capability."""
    names = (name for name in formulation_names() if not spatial or in_space(name))
    return [name for name in names if offers(kind_of(name, spatial=spatial), capability)]


def in_space(formulation: str) -> bool:
    """Return whether a formulation takes spatial models, as its systems state."""
    return bool(getattr(kind_of(formulation, spatial=True), "in_space", False))


def kind_of(formulation: str, *, spatial: bool = False) -> type:
    """Return the class of a formulation's systems: the return annotation of its builder or, for spatial models, the
    class ``IN_SPACE`` beside it.
    """
    build = _builder(formulation)
    home = inspect.getmodule(build)
    kind: type = getattr(home, build.__annotations__["return"])
    return getattr(home, "IN_SPACE", kind) if spatial else kind


def variants_of(formulation: str, model: Model) -> list[Variant]:
    """Return the variants in which a formulation compiles a model, or would if it could."""
    variants_of = getattr(inspect.getmodule(_builder(formulation)), "variants", None)
    return [Variant(formulation)] if variants_of is None else list(variants_of(model))


def _home(formulation: str) -> str:
    package = f"pliant.formulations.{formulation}" if formulation in _own() else _elsewhere()[formulation]
    return f"{package}.build"


@cache
def _builder(formulation: str) -> Any:
    with uncollected():
        return importlib.import_module(_home(formulation)).build


@cache
def _options(build: Any) -> tuple[str, ...]:
    """Return the names of the options of a formulation."""
    return tuple(inspect.signature(build).parameters)[1:]


def _describe_unknown(formulation: str, names: Sequence[str]) -> str:
    """Return a message about unknown options, with the formulations that have them."""
    others = [other for other in formulation_names() if set(names) <= set(_options(_builder(other)))]
    advice = " or ".join(f"formulation={other!r}" for other in others)
    mine = _options(_builder(formulation))
    taken = ", ".join(mine) or "none"
    told = f"{', '.join(names)}: not an option of the formulation {formulation!r}, which takes {taken}."
    return f"{told} Compile with {advice}." if others else f"{told} {nearest(names[0], mine)}"
