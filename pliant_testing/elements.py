"""Beam elements: every contract by one call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import pliant as pl
from pliant.elements._options import BeamElement
from pliant_testing import contracts
from pliant_testing.parts import WORDS, beam
from pliant_testing.probe import Kinematics, Probe, nothing_else_raised

CLOSE = 1e-6  # tolerance of derivatives
SLENDER = 100.0  # length over height of the cantilever: shear is 1e-4 of its deflection
NEAR = 0.01  # of a cantilever of so many elements, of the exact deflection
FINE = 2e-4  # of it: shear, which an element may leave out


def check_element(options: Any, *, seed: int = 0) -> None:
    """Check a beam element by all contracts, in the plane (unless ``spatial_only``) and in space (unless
    ``planar_only``).

    options  what ``compile(elements=...)`` takes, such as ``pl.Exact()``; its `elements` are chosen here
    seed     of the random poses and velocities

    Stiffness, damping and mass are derivatives of its force, which follows from its energies and dissipation; at rest
    it is free of stress; it does not care where it lies and, with ``finite_rotation``, how it is turned; a
    two-node element is in the plane what it is in space; in other units it is the same; its mass is the beam's; it
    stretches, bends and twists evenly (patch tests); a slender cantilever bends as it should, the better the finer.

    >>> check_element(pl.Corotational())
    """
    if not (isinstance(options, BeamElement) and options.decorated()):
        raise TypeError(f"check_element({options!r}): give options of a beam element, a dataclass such as pl.Exact().")
    for space in options.spaces():
        with nothing_else_raised(f"{options!r} {WORDS[space]}"):
            _check(options, space, np.random.default_rng(seed))


def _probe(options: Any, space: str, elements: int, **given: Any) -> Probe:
    model = pl.Model("check of an element", plane=None if space == "spatial" else "xy")
    model.add(beam(space == "spatial", **given))
    return Probe(f"{options!r} {WORDS[space]}", model, elements=replace(options, elements=elements), tolerance=CLOSE)


def _check(options: Any, space: str, rng: np.random.Generator) -> None:
    probe = _probe(options, space, 2, damping=pl.Rayleigh(0.3, 0.02))
    nothing = probe.system.start()
    force = probe.force(Kinematics(nothing.q, nothing.v, nothing.a))
    probe.same("it is not free of stress at rest", force, 0.0 * force, size=300.0, tolerance=1e-12)
    at = probe.random(rng, 0.05, accelerated=True)
    still = replace(at, v=0.0 * at.v, a=0.0 * at.a)
    contracts.check_stiffness(probe, still, np.zeros(0))
    contracts.check_rates(probe, at)
    contracts.check_symmetry(probe, at)
    contracts.check_work(probe, at)
    if options.finite_rotation:
        contracts.check_place(probe, still, rng.standard_normal(3), rng.standard_normal(3))
    if space == "planar" and not options.planar_only and options.order == 1:
        contracts.check_plane_in_space(probe, still)
    contracts.check_units(probe, at)
    _check_mass(probe)
    _check_patches(options, space)
    _check_cantilever(options, space)


def _check_mass(probe: Probe) -> None:
    """Check the mass: the whole beam's along every axis, and positive in every motion."""
    still = np.zeros(probe.system.size)
    M = probe.matrices(Kinematics(probe.system.initial, still, still), np.zeros(0))[2]
    whole = probe.model.beams[0].mass
    for axis, along in enumerate(probe.system.translations):
        probe.same(f"its mass along {probe.system.space.axes[axis]} is not the beam's", along @ M @ along, whole)
    least = float(np.min(np.linalg.eigvalsh(M)))
    if least <= 0.0:
        raise AssertionError(f"{probe.owner}: its mass matrix is not positive definite: {least:.3g} is an eigenvalue.")


def _bent(probe: Probe, load: np.ndarray, steps: int = 4) -> np.ndarray:
    """Return the increments of the last node's freedoms under a load on it, the first clamped (Newton's method)."""
    system, width = probe.system, probe.system.space.width
    q, still = system.initial, np.zeros(system.size)
    pushed = np.zeros(system.freedoms)
    tip = _tip(probe)
    for share in np.arange(1, steps + 1) / steps:
        pushed[tip] = share * load
        for _ in range(40):
            at = Kinematics(q, still, still)
            K, unbalanced = probe.matrices(at, np.zeros(0))[0], pushed - probe.force(at)
            step = np.zeros(system.freedoms)
            step[width:] = np.linalg.solve(K[width:, width:], unbalanced[width:])
            q = system.moved(q, step)
            if np.max(np.abs(step)) < 1e-11:
                break
        else:
            raise AssertionError(f"{probe.owner}: Newton's method does not converge under {share * load} at the tip.")
    found: np.ndarray = system.apart(system.initial, q)[tip]
    return found


def _tip(probe: Probe) -> slice:
    system, width = probe.system, probe.system.space.width
    last = int(system.layout.beams[0].connectivity[-1, -1])
    return slice(width * last, width * (last + 1))


def _check_patches(options: Any, space: str) -> None:
    """Check an even stretch, an even bend, in space an even twist: at the tip load times length over stiffness."""
    straight: dict[str, Any] = {"curvature": 0.0, "angle": 0.0}
    probe = _probe(options, space, 3, **straight)
    width, section = probe.system.space.width, probe.model.beams[0].section
    length, size = probe.model.beams[0].length, 0.5 if options.finite_rotation else 1e-6
    cases: list[tuple[str, int, float, Any]] = [
        ("stretch", 0, 10.0 * size, section.axial_stiffness),
        ("bend", width - 1, size, section.bending_stiffness),
    ]
    if space == "spatial":
        cases += [
            ("twist", 3, size, section.torsional_stiffness),
            ("bend about y", 4, size, section.bending_stiffness_y),
        ]
    for word, freedom, load, stiffness in cases:
        pushed = np.zeros(width)
        pushed[freedom] = load
        found = _bent(probe, pushed)[freedom]
        exact = options.order == 1 and not options.nodal_stretch  # else the shape between nodes is interpolated
        tolerance = 1e-8 if exact else 1e-4
        probe.same(f"it does not {word} evenly", found, load * length / stiffness, tolerance=tolerance)


def _check_cantilever(options: Any, space: str) -> None:
    """Compare a slender cantilever under a load across its tip, of 4, 8 and 16 elements, with the exact solution."""
    axial = 12.0 * SLENDER**2
    section = pl.Section(
        axial_stiffness=axial,
        shear_stiffness=axial / 3.12,
        bending_stiffness=1.0,
        mass_per_length=1.0,
        bending_stiffness_y=1.0,
        torsional_stiffness=0.8,
        shear_stiffness_z=axial / 3.12,
    )
    load, exact = (1.0, elastica(1.0)) if options.finite_rotation else (1e-3, (None, 1e-3 / 3.0))
    for axis in (1, 2) if space == "spatial" else (1,):
        errors = []
        for elements in (4, 8, 16):
            probe = _probe(options, space, elements, section=section, length=1.0, curvature=0.0, angle=0.0)
            pushed = np.zeros(probe.system.space.width)
            pushed[axis] = load
            moved = _bent(probe, pushed)
            errors.append(abs(moved[axis] / exact[1] - 1.0))
        what = f"{probe.owner}: a cantilever of 4, 8, 16 elements, bent along {'xyz'[axis]}, is off by {errors}"
        if errors[-1] > NEAR:
            raise AssertionError(f"{what}: more than {NEAR:g} of its deflection.")
        if errors[-1] > max(FINE, 0.4 * errors[0]):
            raise AssertionError(f"{what}: finer meshes are not better.")


def elastica(load: float) -> tuple[float, float]:
    """Return the tip (x, y) of an inextensible cantilever under a transverse load P L^2/EI (Bisshopp, Drucker 1945).

    >>> round(elastica(1.0)[1], 4)
    0.3017
    """

    def first(m: float) -> float:
        return float(np.arcsin(1.0 / np.sqrt(2.0 * m)))

    m = brentq(lambda m: ellipk(m) - ellipkinc(first(m), m) - np.sqrt(load), 0.5 + 1e-12, 1.0 - 1e-12, xtol=1e-15)
    y = 1.0 - 2.0 / np.sqrt(load) * (ellipe(m) - ellipeinc(first(m), m))
    return float(np.sqrt(2.0 * (2.0 * m - 1.0) / load)), float(y)
