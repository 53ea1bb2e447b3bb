"""A beam in space as a chain of rigid links: as in the plane (chain.py), with springs about three axes at every joint.

    K_i^-1 = int C ds,   C (3, 3) the compliance of the section in twist and in bending about y and z

from the middle of one link to the middle of the next. A link is the piece of the unstressed beam, with its curvature
and twist, made rigid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.errors import ModelError, OptionError
from pliant.formulations.udwadia_kalaba.chain import WITHOUT_MASS, at_joints, by_place, gauss, places_of, section_of
from pliant.formulations.udwadia_kalaba.lumped import Lumped
from pliant.model import Beam, Section, rotations


class SpatialChain(NamedTuple):
    """A beam divided into n links with n - 1 joints; points and quaternions in the axes of its base."""

    ends: np.ndarray  # (n + 1) places along the arc, from 0 to the length (m)
    points: np.ndarray  # (n + 1, 3) points at these places
    turns: np.ndarray  # (n + 1, 4) of the sections there
    mass: np.ndarray  # (n) kg
    centre: np.ndarray  # (n, 3) of mass
    frame: np.ndarray  # (n, 4) axes of the links: of the sections at their middles
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass, in these axes (kg m^2)
    stiffness: np.ndarray  # (n - 1, 3, 3) of rotations in the axes of the sections (N m/rad)
    damping: np.ndarray  # (n - 1, 3, 3) N m s/rad
    shear: np.ndarray | None  # (n - 1, 3, 3) of stretch and shear (N/m); None: the joints do not move apart
    beta: float  # of damping in proportion to stiffness (s)

    @property
    def places(self) -> np.ndarray:
        """Places of the frames of its links along the arc (m), except for centres of mass off their middles."""
        return 0.5 * (self.ends[:-1] + self.ends[1:])


def cut(beam: Beam, options: Lumped) -> SpatialChain:
    """Divide a beam into links by the options."""
    ends, portions = places_of(beam, options)
    options, length, count = by_place(options, ends / beam.length), beam.length, ends.size - 1
    points, turns = beam.rest_pose_in_space(np.clip(ends / length, 0.0, 1.0))
    _, frame = beam.rest_pose_in_space(0.5 * (ends[:-1] + ends[1:]) / length)
    mass, centre, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for k, (places, weights) in enumerate(zip(*gauss(ends), strict=True)):
        sections = [section_of(beam, options, s / length) for s in places]
        at, axes = beam.rest_pose_in_space(places / length)
        at = at + rotations.rotate(axes, np.array([section.centre for section in sections]))
        lines = weights * [each.mass_per_length for each in sections]
        mass[k] = np.sum(lines)
        if not mass[k] > 0.0:
            raise ModelError(WITHOUT_MASS.format(beam.owner))
        centre[k] = lines @ at / mass[k]
        for line, weight, section, place, turn in zip(lines, weights, sections, at, axes, strict=True):
            arm = rotations.rotate(rotations.conjugate(frame[k]), place - centre[k])
            seen = rotations.matrix(rotations.product(rotations.conjugate(frame[k]), turn))
            inertia[k] += line * (arm @ arm * np.eye(3) - np.outer(arm, arm))
            inertia[k] += weight * seen @ section.rotary @ seen.T
    stiffness = np.array([_joint(beam, options, slice(3, 6), *piece) for piece in zip(*gauss(portions), strict=True)])
    if options.stiffness is not None:
        stiffness = at_joints(beam, "stiffness", options.stiffness, ends, directions=3)[:, None] * np.eye(3)
    damping = at_joints(beam, "damping", options.damping, ends, directions=3)[:, None] * np.eye(3)
    beta = beam.damping.coefficients(beam)[1] if beam.damping else 0.0
    shear = None
    if options.shear:
        shear = np.array([_joint(beam, options, slice(0, 3), *piece) for piece in zip(*gauss(portions), strict=True)])
    return SpatialChain(
        ends,
        points,
        turns,
        mass,
        centre,
        frame,
        inertia,
        stiffness,
        beta * stiffness + damping,
        shear,
        beta,
    )


def _joint(beam: Beam, options: Lumped, part: slice, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the stiffness (3, 3) of a joint, in stretch and shear or in twist and bending, from its compliance."""
    flexible = np.zeros((3, 3))
    for s, weight in zip(places, weights, strict=True):
        section = section_of(beam, options, s / beam.length)
        _refuse_coupled(beam, section)
        flexible += weight * np.linalg.inv(section.stiffness[part, part])
    return np.asarray(np.linalg.inv(flexible))


def _refuse_coupled(beam: Beam, section: Section) -> None:
    coupled = section.stiffness[:3, 3:]
    if np.any(np.abs(coupled) > 1e-12 * np.max(np.abs(section.stiffness))):
        raise OptionError(
            f"{beam.owner}: its section couples stretch or shear with twist or bending, which springs between links "
            "do not. Compile with formulation='dae'."
        )
