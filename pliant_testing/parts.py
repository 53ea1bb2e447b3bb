"""Contracts of joints and forces, checked by one call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning, warn
from pliant.forces._law import PointLaw, numbers_of
from pliant.model.markers import Marker
from pliant.model.parts import Joint, Load, Part
from pliant_testing import contracts
from pliant_testing.parameters import check_parameters
from pliant_testing.probe import Kinematics, Probe, nothing_else_raised

WORDS = {"planar": "in the plane", "spatial": "in space"}
PLACES = ("x", "y", "z", "distance")  # measures that vanish where the markers coincide
SIZES = (0.05, 0.2)  # of random moves about the assembled pose, m and rad
BODIES = (("first", 0.0, 0.0), ("second", 0.7, 0.4), ("third", -0.5, 0.6))
KNOWN_DERIVATIVES, UNKNOWN = 1e-7, 1e-4  # tolerance of derivatives; of those that a part takes by differences itself


def check_part(kind: type[Part], *, seed: int = 0, in_space: Mapping[str, Any] | None = None, **arguments: Any) -> None:
    """Check a class of joints or forces by every contract that pliant's own parts keep.

    kind       the class
    seed       of the random poses and velocities
    in_space   arguments in space, where they are others
    arguments  of its fields; markers, beams and joints are made here, numbers without default are 1 unless given

    It is computed in the plane (unless ``spatial_only``) and in space (unless ``planar_only``). Stiffness and damping
    are the derivatives of its force, the Jacobian is the derivative of its conditions; its power is accounted for by
    energy, supplied and dissipated power; it does not care where the mechanism lies and how it is turned (a force on
    one marker: where); in the plane it is what it is in space; in other units and after a file it is the same. Its
    numbers may be parameters. A law without a finite value where its markers coincide is named in a warning.

    >>> check_part(pl.Spring, rest_length=0.4, damping=0.1)
    """
    if not (isinstance(kind, type) and issubclass(kind, Joint | Load) and kind.decorated()):
        raise TypeError(f"check_part({kind!r}): give a class of joints or forces, a dataclass.")
    for space in kind.spaces():
        given = arguments if in_space is None or space == "planar" else dict(in_space)
        (model, part), (without, _) = (example(kind, space, given) for _ in range(2))
        owner = f"{kind.__name__} {WORDS[space]}"
        with nothing_else_raised(owner):
            model.add(part)
            _check(Probe(owner, model, without, 2, UNKNOWN if _opaque(part) else KNOWN_DERIVATIVES), part, seed)
            check_parameters(owner, part)


def _opaque(part: Part) -> bool:
    return bool(getattr(part, "opaque", False))


def _check(probe: Probe, part: Part, seed: int) -> None:
    owner, opaque, rng = probe.owner, _opaque(part), np.random.default_rng(seed)
    if isinstance(part, PointLaw):
        _check_law(owner, part, spatial=probe.model.spatial)
    lam = rng.standard_normal(probe.system.constraints)
    acts = bool(lam.size) and isinstance(part, Joint)
    for size in SIZES:
        at = probe.random(rng, size)
        acts |= bool(np.any(probe.force(at)))
        contracts.check_rates(probe, at)
        contracts.check_stiffness(probe, replace(at, v=0.0 * at.v) if opaque else at, lam)
        contracts.check_symmetry(probe, at)
        contracts.check_work(probe, at)
    if not acts:
        raise AssertionError(f"{owner}: there was no force in any pose, so that nothing was checked. Give arguments.")
    if isinstance(part, PointLaw) and part.only_in_motion:
        force = probe.force(Kinematics(at.q, 0.0 * at.v, at.a))
        probe.same("it is said to act in motion only, but has a force at rest", force, 0.0 * force, size=1.0)
    if not opaque:  # what a user's function does is not known
        contracts.check_file(probe, at)
        if not _of_places(part):
            turn = rng.standard_normal(3) if len(part.markers) > 1 else np.zeros(3)
            contracts.check_place(probe, at, turn, rng.standard_normal(3))
    if not (probe.spatial or part.planar_only or getattr(part, "between_nodes", False)):
        contracts.check_plane_in_space(probe, at)
    if not part.unscalable():
        contracts.check_units(probe, at)


def _of_places(part: Part) -> bool:
    """Return whether a part depends on the place of its only marker."""
    return isinstance(part, PointLaw) and len(part.markers) < 2 and not part.only_in_motion


def _check_law(owner: str, part: PointLaw, *, spatial: bool) -> None:
    """Check the law's functions as plain Python, which names errors that compiled code hides."""
    words = part.measured(spatial)
    count = len(words)
    if not count:
        return  # compile refuses it
    rng = np.random.default_rng(0)
    x, rate = rng.uniform(0.5, 1.5, count), rng.standard_normal(count)
    if fault := _fault(part, x, rate):
        raise AssertionError(f"{owner}: its law {fault}")
    together = np.where([word in PLACES for word in words], 0.0, x)
    if fault := _fault(part, together, rate):
        warn(
            PliantWarning,
            f"{owner}: its law {fault} A motion through this place has no answer: round the law off, as 1/(x^2 + c^2) "
            "does, unless a model keeps its markers apart.",
        )


def _fault(part: PointLaw, x: np.ndarray, rate: np.ndarray) -> str:
    """Return why the law has no finite force and energy at x, in words; empty if it has."""
    p, u, count = numbers_of(part), np.ones(len(part.inputs)), x.size
    f, f_x, f_rate = np.zeros(count), np.zeros((count, count)), np.zeros((count, count))
    try:
        with np.errstate(all="ignore"):
            part.resist(p, x, rate, u, f, f_x, f_rate)
            potential = 0.0 if part.energy is None else part.energy(p, x, u)
        finite = np.isfinite(float(potential)) and all(np.all(np.isfinite(each)) for each in (f, f_x, f_rate))
    except Exception as error:  # whatever a stranger's law raises
        return (
            f"fails at x = {x}, rate = {rate}, p = {p}, u = {u}, with f of {count} numbers: {type(error).__name__}: "
            f"{error}."
        )
    return "" if finite else f"is not finite at x = {x}, rate = {rate}: f = {f}, energy = {potential}."


def example(kind: type[Part], space: str, arguments: dict[str, Any]) -> tuple[pl.Model, Part]:
    """Return a model of three free bodies, a beam if the part needs one, and the part between them, not yet added."""
    rng = np.random.default_rng(7)
    spatial = space == "spatial"
    model = pl.Model(f"check {kind.__name__}", plane=None if spatial else "xy")
    markers = iter([_marker(model, name, x, y, spatial, rng) for name, x, y in BODIES])
    given: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        words = set(re.findall(r"\w+", str(each.type)))
        if each.name in arguments or not each.init or not each.default is each.default_factory is MISSING:
            continue
        if {"Marker", "tuple"} <= words:
            given[each.name] = tuple(markers)
        elif "Marker" in words:
            given[each.name] = next(markers)
        elif "Beam" in words:
            given[each.name] = model.add(beam(spatial))
        elif "Joint" in words:
            given[each.name] = model.add(pl.Revolute(next(markers), next(markers)))
        elif each.name == "name":
            given["name"] = "part"
        elif words & {"float", "SignalLike", "Signal", "int"}:
            given[each.name] = 1 if "int" in words else 1.0
        else:
            raise TypeError(f"check_part({kind.__name__}): {each.name} ({each.type}) is needed; give {each.name}=...")
    return model, kind(**given, **arguments)


def _marker(model: pl.Model, name: str, x: float, y: float, spatial: bool, rng: np.random.Generator) -> Marker:
    """Return a marker on a new body, with its own axes."""
    position, inertia = ((x, y, 0.2 * x), (0.02, 0.03, 0.04)) if spatial else ((x, y), 0.02)
    body = model.add(pl.Body(name, mass=1.0, inertia=inertia, position=position, angle=0.2 + x, free=True))
    dx, dy, dz = rng.uniform(-0.1, 0.1, 3)
    turned = rng.uniform(-0.4, 0.4, 3)
    return body.at(dx, dy, dz, orientation=tuple(turned)) if spatial else body.at(dx, dy, angle=turned[2])


def beam(spatial: bool, **given: Any) -> pl.Beam:
    """Return a soft, curved, damped, free beam."""
    section = pl.Section(
        axial_stiffness=300.0,
        shear_stiffness=120.0,
        bending_stiffness=2.0,
        mass_per_length=1.7,
        rotary_inertia=0.02,
        bending_stiffness_y=3.0,
        torsional_stiffness=1.5,
        shear_stiffness_z=110.0,
        rotary_inertia_y=0.03,
    )
    position = (0.1, 0.2, 0.3) if spatial else (0.1, 0.2)
    usual: dict[str, Any] = {"position": position, "angle": 0.3, "curvature": 0.8, "free": True}
    return pl.Beam("beam", **{"length": 1.3, "section": section, **usual, **given})
