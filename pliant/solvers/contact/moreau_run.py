"""Workspace of the compiled steps with rigid contacts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pliant.jit.bundle import Bundle
from pliant.joints.rows import rubbing
from pliant.joints.rows.rubbing import Rubbing
from pliant.kernels.contact_gaps import OUT, WHO, WIDTH
from pliant.linalg.pattern import Pattern
from pliant.solvers.contact.cone_newton import Leap, leap_workspace
from pliant.solvers.contact.cones import Delassus, whole
from pliant.solvers.stepping.drivers import Counts
from pliant.system.equations import Equations, Scratch
from pliant.system.limits.contact_distances import Gaps
from pliant.system.system import System

ALL, NOWHERE = -2, -1
NEVER_STRUCK = -9.0  # earlier than any step


class Record(Bundle):
    """Recorded instants."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    pressed: np.ndarray  # (instants, parts, 5) impulses since the start
    rubbed: np.ndarray  # (instants, 3 joints) mean dry friction in the last step


class StepState(Bundle):
    """State between steps."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    pressed: np.ndarray  # (parts, 5) impulses since the start, per 1: the normal one, 2 to 4: friction on b
    rubbed: np.ndarray  # (3 joints) impulses of dry friction in the last step
    impulse: np.ndarray  # (places, 5) in the step of the next number, and the number of steps in a row
    struck: np.ndarray  # (parts of unknowns, 5) the last unsettled contact: place, step, instant, energy, restitution
    halved: np.ndarray  # (1) steps in which restitution was reduced
    stored: np.ndarray  # (1) kinetic and potential energy, less work supplied, and losses


class Places(Bundle):
    """Places of possible contact, and their parts.

    No entry of the matrix joins two parts: ``part`` is the number of the part of each unknown, whose unknowns and
    panels are listed from ``first`` and ``begin`` on.
    """

    starts: np.ndarray  # (families + 1) of their places
    firsts: np.ndarray  # (families + 1) of their parts
    friction: np.ndarray  # (parts)
    restitution: np.ndarray  # (parts)
    closeness: float
    part: np.ndarray
    first: np.ndarray
    unknowns: np.ndarray
    begin: np.ndarray
    panels: np.ndarray


class Touching(Bundle):
    """Active conditions: touching places, then rubbing joints; three rows each."""

    who: np.ndarray  # (conditions, WHO) of places (kernels/contact_gaps.py)
    out: np.ndarray  # (conditions, OUT)
    width: np.ndarray  # (rows) number of freedoms
    columns: np.ndarray  # (rows, WIDTH) freedoms
    rates: np.ndarray  # (rows, WIDTH)
    friction: np.ndarray  # (conditions)
    restitution: np.ndarray
    ball: np.ndarray  # (conditions) largest impulse of a joint; negative for a contact
    p: np.ndarray  # (rows) impulses
    before: np.ndarray  # (rows) speeds at the start of the step
    free: np.ndarray  # (rows) speeds without impulses
    answers: np.ndarray  # (rows, unknowns) velocities and multipliers for unit impulses, times h
    matrix: Delassus  # of one cluster
    b: np.ndarray
    some: np.ndarray  # (rows) impulses of one cluster
    leap: Leap
    mu: np.ndarray  # (conditions) its friction
    limit: np.ndarray  # (conditions) its largest impulses of joints
    reach: np.ndarray  # (rows, 2) parts that a row touches; NOWHERE: none, ALL: all
    root: np.ndarray  # (parts) of the cluster of each
    share: np.ndarray  # (parts) of the restitution, by root
    order: np.ndarray  # (conditions) cluster after cluster
    cluster: np.ndarray  # (conditions)
    count: np.ndarray  # (parts + 1)


class Workspace(Bundle):
    """Workspace arrays of a step."""

    equations: Equations
    scratch: Scratch
    viscous: Rubbing
    damped: bool  # whether joints have viscous friction
    unsymmetric: bool
    length: float  # of the model
    v: np.ndarray
    lam: np.ndarray
    change: np.ndarray  # (unknowns)
    mean: np.ndarray
    q: np.ndarray  # in the middle of the step
    half: np.ndarray  # there with the velocity at its start
    ahead: np.ndarray  # at its end
    reactions: np.ndarray
    waste: np.ndarray  # an unused matrix
    lifted: np.ndarray  # (1) whether contacts are put back on their surface by ``change``
    share: np.ndarray  # (1) part of the change of forces in the step that is added to the forces in its middle
    at_start: np.ndarray  # forces there
    stiff: np.ndarray  # their change in the step
    still: np.ndarray  # zero velocities
    counts: Counts


class Job(Bundle):
    """Running motion with contacts."""

    now: StepState
    places: Places
    some: Touching
    work: Workspace


def parts_of(pattern: Pattern) -> tuple[np.ndarray, ...]:
    """Return the part of every unknown; unknowns and panels part by part, with the start of each.

    A panel joins the unknowns of its front.
    """
    root = np.arange(pattern.size)
    fronts = [np.asarray(pattern.members[a:b], int) for a, b in pairwise(np.asarray(pattern.head, int).tolist())]
    for front in reversed(fronts):  # later unknowns have parts already: a front is one part except for its panel
        root[front] = root[front[-1]]
    numbers, part = np.unique(root, return_inverse=True)
    of_panels = np.array([part[front[0]] for front in fronts], int)
    listed = []
    for owner in (part, of_panels):
        listed += [np.searchsorted(np.sort(owner), np.arange(numbers.size + 1)), np.argsort(owner, kind="stable")]
    return part, *listed


def places_of(system: System, gaps: Gaps) -> Places:
    """Return the places of a system."""
    return Places(
        gaps.starts, gaps.firsts, gaps.friction, gaps.restitution, gaps.closeness,
        *parts_of(system.equations.pattern),
    )  # fmt: skip


def touching_of(system: System, places: Places, conditions: int, cluster: int) -> Touching:
    """Return arrays for ``conditions`` conditions, and ``cluster`` in a cluster."""
    rows, parts = 3 * conditions, places.first.size - 1
    return Touching(
        who=np.zeros((conditions, WHO), np.int64),
        out=np.zeros((conditions, OUT)),
        width=np.zeros(rows, np.int64),
        columns=np.zeros((rows, WIDTH), np.int64),
        rates=np.zeros((rows, WIDTH)),
        friction=np.zeros(conditions),
        restitution=np.zeros(conditions),
        ball=np.zeros(conditions),
        p=np.zeros(rows),
        before=np.zeros(rows),
        free=np.zeros(rows),
        answers=np.zeros((rows, system.freedoms + system.constraints)),
        matrix=whole(np.zeros((3 * cluster, 3 * cluster))),
        b=np.zeros(3 * cluster),
        some=np.zeros(3 * cluster),
        leap=leap_workspace(3 * cluster),
        mu=np.zeros(cluster),
        limit=np.zeros(cluster),
        reach=np.full((rows, 2), NOWHERE),
        root=np.zeros(parts, np.int64),
        share=np.zeros(parts),
        order=np.zeros(conditions, np.int64),
        cluster=np.zeros(conditions, np.int64),
        count=np.zeros(parts + 1, np.int64),
    )


def work_of(system: System, counts: Counts) -> Workspace:
    """Return new work arrays."""
    law = system.equations.rubbing.law.copy()
    law[:, [rubbing.COEFFICIENT, rubbing.CONSTANT]] = 0.0
    size, m, n = system.size, system.constraints, system.freedoms
    return Workspace(
        equations=system.equations,
        scratch=system.scratch(),
        viscous=system.equations.rubbing._replace(law=law),
        damped=bool(np.any(law[:, rubbing.VISCOUS])),
        unsymmetric=system.unsymmetric,
        length=system.length_scale,
        v=np.zeros(size),
        lam=np.zeros(m),
        change=np.zeros(n + m),
        mean=np.zeros(size),
        q=np.zeros(size),
        half=np.zeros(size),
        ahead=np.zeros(size),
        reactions=np.zeros(m),
        waste=np.zeros(int(system.equations.pattern.storage)),
        lifted=np.zeros(1),
        share=np.zeros(1),
        at_start=np.zeros(size),
        stiff=np.zeros(size),
        still=np.zeros(size),
        counts=counts,
    )
