"""Refusal, by name, of parts that are not steady in axes that turn with a mechanism and its ground.

A force is steady if it turns with the mechanism: with everything turned by an angle about the axis, the force must be
equal, but turned. Weight and forces along fixed axes are not, unless they are along the axis of the spin.
"""

from __future__ import annotations

import numpy as np

from pliant._libraries import sparse
from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.model.spin import Spin
from pliant.solvers.spin.turning_axes import TurningAxes
from pliant.system.packing import catalogue, fused
from pliant.system.packing.fused import NUMBER, Parts
from pliant.system.system import System

TURN = 1.0  # rad by which everything is turned: no angle of symmetry
DISPLACED = 0.1  # lengths of the model and rad by which parts are moved before
ROUNDING = 1e-9  # of a force
NOISE = 1e-12  # of the terms of a force
ELEMENTS = "pliant.elements."


def refuse_unsteady(system: System, spin: Spin, time: float) -> None:
    """Refuse moving drives, beams for small rotations only, and forces that do not turn with the mechanism."""
    name = system.model.name
    rates = system.signal_rates(np.array([time]))[0][0]
    for k in system.driving:
        if rates[k] != 0.0:
            signal = system.layout.signals[k].name
            raise OptionError(
                f"spin: {signal!r} of {name!r} moves (by {rates[k]:.4g} a second), which is no steady spin. The ground "
                f"turns with the mechanism: hold it there, system.with_signals({{{signal!r}: ...}}), and drive it in "
                "a motion in time only."
            )
    for mesh in system.layout.beams:
        if not mesh.options.finite_rotation:
            raise OptionError(
                f"spin: {mesh.beam.owner} has elements for small rotations, {mesh.options!r:.60}, which know no "
                "centrifugal stiffening. Compile with elements=pl.Exact(...) or pl.Corotational(...)."
            )
    if system.layout.stretches:
        raise OptionError(
            f"spin: nodes of {system.layout.stretched.owner} have an additional coordinate, which is "
            "not written in axes that turn. Leave sleeves out, or compile with elements=pl.Exact(...)."
        )
    u = system.signals(np.array([time]))[0]
    names, parts = catalogue.families(), system.equations.parts
    for row in range(len(parts.present)):
        family = catalogue.of(names[parts.present[row, NUMBER]]).__name__
        if family.startswith(ELEMENTS) or _steady(system, spin, _only(parts, row), u):
            continue
        culprits = _culprits(system, spin, _only(parts, row), u, family)
        raise OptionError(
            f"spin: {', '.join(culprits)} of {name!r} is not steady: it acts along axes that stand still "
            f"while the mechanism turns about {spin.axis}. Turn the axis of the spin, set it to zero "
            "(system.with_signals), or let the force follow its body."
        )


def loses_energy(system: System, spin: Spin) -> bool:
    """Return whether the spin itself costs power, as in a medium at rest: forces then have no potential."""
    axes = _displaced_configuration(system, spin.at(1.0))
    u = system.signals(np.zeros(1))[0]
    kinetic, _ = fused.energy(system.equations.parts, axes.q, axes.velocity, u)
    supplied, dissipated = fused.power(system.equations.parts, axes.q, axes.velocity, u)
    return max(abs(supplied), abs(dissipated)) > ROUNDING * kinetic


def _displaced_configuration(system: System, spin: Spin) -> TurningAxes:
    """Return a configuration without symmetry: nothing is on the axis, or in line."""
    shift = DISPLACED * np.random.default_rng(0).standard_normal(system.freedoms) / system.weight
    return TurningAxes(system.space, spin, system.moved(system.initial, shift), system.freedoms)


def _only(parts: Parts, row: int) -> Parts:
    """Return one of the families."""
    return parts._replace(present=parts.present[row : row + 1], calls=parts.calls[row : row + 1])


def _culprits(system: System, spin: Spin, parts: Parts, u: np.ndarray, family: str) -> list[str]:
    """Return the names of unsteady signals; if none is, the parts of the family."""
    base = np.zeros_like(u)
    base[:3] = u[:3]
    signals = []
    for name in system.signal_names:
        k, alone = system.signal_number(name), base.copy()
        alone[k] = u[k]
        if u[k] != 0.0 and not _steady(system, spin, parts, alone):
            signals.append(repr(name))
    if signals and _steady(system, spin, parts, base):
        return signals
    return [force.owner for force in system.model.forces if family.startswith(type(force).__module__)] or [family]


def _steady(system: System, spin: Spin, parts: Parts, u: np.ndarray) -> bool:
    """Return whether the forces of some parts turn with the mechanism."""
    here = _displaced_configuration(system, spin)
    there = TurningAxes(system.space, spin, here.turned_configuration(TURN), system.freedoms)
    (forces, terms), (found, _) = (_forces(system, parts, axes, u) for axes in (here, there))
    unit, expected = 1.0 / system.weight, here.turned_forces(forces, TURN)
    size = max(float(np.max(np.abs(force) * unit, initial=0.0)) for force in (expected, found))
    noise = max(ROUNDING * size, NOISE * terms)
    return bool(np.max(np.abs(found - expected) * unit, initial=0.0) <= noise)


def _forces(system: System, parts: Parts, axes: TurningAxes, u: np.ndarray) -> tuple[np.ndarray, float]:
    """Return forces on the freedoms, and a bound of their terms (N m): stiffness times a length of the model or a
    radian, damping times the speed of the spin there. The forces may be mere rounding of these.
    """
    s, n = system.scratch(), system.freedoms
    v, a = axes.velocity, axes.acceleration
    fused.add(parts, Instant(axes.q, v, a, u), Into(1.0, abs(axes.spin.rate), 0.0, s.r, s.s, s.w), s.stress, False)
    callbacks.reraise()
    unit = sparse.diags(1.0 / system.weight)
    terms = abs(unit @ ldl.to_csc(system.equations.pattern, s.s, None, n) @ unit)
    return s.r[:n].copy(), float(terms.max()) if n else 0.0
