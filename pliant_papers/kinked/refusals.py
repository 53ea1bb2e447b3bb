"""Refusal, by name, of parts that an arm in relative coordinates does not support."""

from __future__ import annotations

from math import pi

import numpy as np

from pliant.errors import ModelError, PliantWarning, warn
from pliant.forces import Force, Gravity, Moment, Motor, TorsionSpring
from pliant.model import Carrier, Constant, Joint, Model

FORCES = (Motor, Force, Moment, Gravity, TorsionSpring)
THICK = 0.01  # of the first frequency: permitted effect of shear and rotary inertia that are omitted by default
INSTEAD = "Compile with formulation='relative', or 'dae'."


def is_pin(joint: Joint) -> bool:
    """Return whether a joint holds two points together and nothing else."""
    return set(joint.locked(False)) == {"x", "y"} and len(joint.conditions(False)) == 2


def is_clamp(joint: Joint) -> bool:
    """Return whether a joint leaves no freedom."""
    return set(joint.locked(False)) == {"x", "y", "rz"}


def check(model: Model) -> None:
    """Refuse parts that an arm in relative coordinates does not support, by name."""
    if model.ground is None:
        raise ModelError(f"Model {model.name!r} has no Ground to hold the arm. Add one.")
    for joint in model.joints:
        if not (is_pin(joint) or is_clamp(joint) or joint.coordinate == "angle"):
            raise ModelError(
                f"{joint.owner}: the formulation 'kinked' takes Revolute, Weld (a kink) and Motion of an angle only. "
                f"{INSTEAD}"
            )
    _check_open(model)
    for force in model.forces:
        if force.computed_as not in FORCES:
            known = ", ".join(kind.__name__ for kind in FORCES)
            raise ModelError(f"{force.owner}: the formulation 'kinked' takes {known} only. {INSTEAD}")
    weights = [force for force in model.forces if isinstance(force, Gravity)]
    if len(weights) > 1:
        raise ModelError(f"Model {model.name!r} has more than one Gravity. Add their accelerations up in one.")
    if any(not isinstance(value, Constant) for force in weights for value in (force.x, force.y)):
        raise ModelError(
            f"{weights[0].owner} changes in time, which the formulation 'kinked' does not support. {INSTEAD}"
        )
    for beam in model.beams:
        beam.section.check_linear(beam.owner, "the formulation 'kinked'")
        if np.any(beam.curvature):
            raise ModelError(
                f"{beam.owner} is curved at rest; elements of the formulation 'kinked' are straight. Weld straight "
                "beams at an angle, or compile with formulation='dae'."
            )
        if beam.damping is not None:
            raise ModelError(f"{beam.owner} has damping, which the formulation 'kinked' does not support. {INSTEAD}")
        if beam.mass == 0.0:
            raise ModelError(f"{beam.owner} has no mass, so that its motion is not determined. Give it a density.")


def warn_of_thick(model: Model) -> None:
    """Warn of beams in which shear and rotary inertia matter, if ``shear`` was not given.

    These lower the first frequency of a pinned beam by the fraction ``(pi / L)^2 (EI / GA + rho I / rho A) / 2`` (S.P.
    Timoshenko, Phil. Mag. 43, 1922).
    """
    for beam in model.beams:
        section = beam.section_at(0.5)
        square = section.bending_stiffness / section.shear_stiffness + section.rotary_inertia / section.mass_per_length
        lower = 0.5 * (pi / beam.length) ** 2 * square
        if lower > THICK:
            warn(
                PliantWarning,
                f"{beam.owner} is thick: shear and rotary inertia, which are left out, would lower its first frequency "
                f"by about {100.0 * lower:.2g} %. Compile with shear=True, or with shear=False if that is wanted.",
            )


def _check_open(model: Model) -> None:
    """Refuse the first joint between parts that others connect already."""
    group: dict[Carrier, Carrier] = {}

    def root(body: Carrier) -> Carrier:
        while body in group:
            body = group[body]
        return body

    for joint in model.joints:
        if joint.coordinate:
            continue
        one, other = root(joint.a.body), root(joint.b.body)
        if one is other:
            raise ModelError(f"{joint.owner} closes a loop; the formulation 'kinked' takes open arms only. {INSTEAD}")
        group[one] = other
