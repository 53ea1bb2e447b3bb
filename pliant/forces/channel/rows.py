"""Conversion of channels to rows of elements, the arrays of their families in plane and space."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import ModelError
from pliant.forces.channel import ChannelTendon
from pliant.forces.tendon.planar import grip
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.shapes import gauss, lagrange, tables
from pliant.model import rotations
from pliant.model.kinds import packs_only


class Arrays(NamedTuple):
    """Elements with channels, a row each, channel after channel, and the laws of the channels."""

    dofs: np.ndarray  # (n, 3 (P + 1)), in space (n, 6 (P + 1)); padded with the ground's
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, P + 1)
    order: np.ndarray  # (n) uint32
    length: np.ndarray  # (n)
    offset: np.ndarray  # (n, P, 2), in space (n, P, 4): offset and slope at the Gauss points
    first: np.ndarray  # (channels + 1) uint32: where the elements of each begin
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    signals: np.ndarray  # (channels, 2) rest length, tension
    law: np.ndarray  # (channels, 3) stiffness, width of the transition to slack, largest force
    steady: np.ndarray  # (channels) 1 if rest length and tension are constant in time: it then has a potential
    curved: np.ndarray  # (n, P, 1), in space (n, P, 2): second derivative of the offset along the arc
    rough: np.ndarray  # (channels, 3) coefficient of friction, speed, bias of the direction of sliding
    until: np.ndarray  # (P + 1, P, P) by order: integrates values at the Gauss points up to each of them
    stress_start: int = 0


FIRM = 12.0  # steepness of friction in an assumed direction: tanh(12) = 1 - 8e-11 of it at rest
OF_CHANNELS = ("dofs", "slots", "signals", "law", "steady", "rough")
OF_ELEMENTS = ("members", "frames", "order", "length", "offset", "curved")


class ElasticArrays(NamedTuple):
    """One row a channel with the freedoms of all its nodes; `members` are its elements', the rest as above."""

    dofs: np.ndarray
    slots: np.ndarray
    members: np.ndarray
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray
    offset: np.ndarray
    first: np.ndarray
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    signals: np.ndarray
    law: np.ndarray
    steady: np.ndarray
    curved: np.ndarray
    rough: np.ndarray
    until: np.ndarray


class JoinedArrays(NamedTuple):
    """Elements with channels, a row each, with the border of the matrix that couples the elements of a channel."""

    dofs: np.ndarray
    slots: np.ndarray  # with the border's row last
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray
    offset: np.ndarray
    first: np.ndarray
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    signals: np.ndarray
    law: np.ndarray
    border: np.ndarray  # (n, 1)


@allocating_kernel  # counts references to the slots
def elements(part: ElasticArrays, slots: np.ndarray) -> Arrays:
    """Return the elements of channels, as the kernels of one element read them; slots of their entries."""
    return Arrays(
        part.members, slots, part.frames, part.order, part.length, part.offset, part.first, part.shape,
        part.slope, part.weight, part.signals, part.law, part.steady, part.curved, part.rough, part.until, 0,
    )  # fmt: skip


def stress_size(part: Arrays) -> int:
    """Return the size of the storage between iterations: S t and the tension S at all Gauss points."""
    return 4 * part.shape.shape[1] * int(part.length.size)


@kernel
def place(part: Arrays, e: int, g: int) -> int:
    """Return the place of S t at Gauss point g of element e in the storage; S follows."""
    return part.stress_start + 4 * (part.shape.shape[1] * e + g)


@packs_only(ChannelTendon)
def pack(layout: Any) -> Arrays:
    """Pack all channels of a model."""
    return arrays(layout, lines(layout))


@packs_only(ChannelTendon)
def pack_elastic(layout: Any) -> ElasticArrays:
    """Pack channels with a stiffness, for matrices without a border."""
    return _whole(layout, [] if layout.bordered else [tendon for tendon in lines(layout) if tendon.stiffness])


@packs_only(ChannelTendon)
def pack_joined(layout: Any) -> JoinedArrays:
    """Pack channels with a stiffness, for matrices that may have a border."""
    tendons = [tendon for tendon in lines(layout) if tendon.stiffness and layout.bordered]
    found = arrays(layout, tendons)._asdict()
    numbers = np.array([layout.border(tendon.name) for tendon in tendons], np.uint32)
    border = np.repeat(numbers, np.diff(found["first"]))[:, None]
    return JoinedArrays(**{name: found[name] for name in JoinedArrays._fields[:-1]}, border=border)


@packs_only(ChannelTendon)
def pack_rough(layout: Any) -> ElasticArrays:
    """Pack channels with friction."""
    return _whole(layout, [tendon for tendon in lines(layout) if tendon.friction])


def unsymmetric(part: Any) -> bool:
    """Return whether the tension varies along some channel at rest."""
    return bool(np.any(part.rough[:, 0] * part.rough[:, 2]))


def rubbing(part: Any) -> bool:
    """Return whether the tension varies along some channel in motion."""
    return bool(np.any(part.rough[:, 0]))


def _whole(layout: Any, tendons: list[ChannelTendon]) -> ElasticArrays:
    members, slots, *rest, _ = arrays(layout, tendons)
    return ElasticArrays(all_freedoms(layout, tendons), slots[: len(tendons)], members, *rest)


def lines(layout: Any) -> list[ChannelTendon]:
    """Return the channels, in the order of their readings."""
    found: list[ChannelTendon] = layout.forces(ChannelTendon)
    return found


def arrays(layout: Any, tendons: list[ChannelTendon]) -> Arrays:
    """Pack these channels."""
    meshes = [_mesh(layout, tendon) for tendon in tendons]
    P, shape, slope, weight = tables([mesh.options.order for mesh in meshes])
    parts = [_one(layout, tendon, mesh, P) for tendon, mesh in zip(tendons, meshes, strict=True)]
    axes = 2 * (len(layout.space.axes) - 1)
    points = np.zeros((0, P, axes)), np.zeros((0, P, axes // 2))
    empty = np.zeros((0, P + 1), int), np.zeros(0, np.uint32), np.zeros(0), *points
    nodes, orders, length, offset, curved = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
    signals, law = [], []
    for tendon in tendons:
        route = route_length(layout, tendon)
        rest = layout.signal(tendon.rest(route), tendon, "rest_length") if tendon.stiffness else layout.ZERO
        signals.append((rest, layout.signal(0.0 if tendon.tension is None else tendon.tension, tendon, "tension")))
        largest = inf if tendon.largest_force is None else tendon.largest_force
        law.append((tendon.stiffness, tendon.slack(route), largest))
    return Arrays(
        dofs=layout.dofs(nodes, P + 1),
        slots=np.empty((len(nodes), 0), np.uint32),
        frames=layout.frames(nodes, P + 1),
        order=orders,
        length=length,
        offset=offset,
        first=np.cumsum([0, *(len(part[0]) for part in parts)]).astype(np.uint32),
        shape=shape,
        slope=slope,
        weight=weight,
        signals=np.array(signals, np.uint32).reshape(-1, 2),
        law=np.array(law, float).reshape(-1, 3),
        steady=np.array([all(map(layout.is_constant, pair)) for pair in signals], np.uint32)
        * np.array([not tendon.friction for tendon in tendons], np.uint32),
        curved=curved,
        rough=np.array([grip(tendon, FIRM) for tendon in tendons], float).reshape(-1, 3),
        until=_until(P),
    )


def _until(P: int) -> np.ndarray:
    """Return (P + 1, P, P) integrals of the polynomials through the Gauss points, up to each point, by order."""
    found = np.zeros((P + 1, P, P))
    for p in range(1, P + 1):
        x, _ = gauss(p)
        powers = np.arange(1, p + 1)
        found[p, :p, :p] = x[:, None] ** powers / powers @ np.linalg.inv(x[:, None] ** (powers - 1))
    return found


def all_freedoms(layout: Any, tendons: list[ChannelTendon]) -> np.ndarray:
    """Return (channels, freedoms) of all nodes of each channel, padded with the ground's."""
    meshes = [_mesh(layout, tendon) for tendon in tendons]
    pairs = zip(tendons, meshes, strict=True)
    found = [np.unique(_one(layout, tendon, mesh, mesh.options.order)[0]) for tendon, mesh in pairs]
    longest = max((len(nodes) for nodes in found), default=1)
    padded = [np.append(nodes, np.full(longest - len(nodes), layout.ground)) for nodes in found]
    freedoms: np.ndarray = layout.dofs(np.array(padded, int).reshape(-1, longest), longest)
    return freedoms


def _mesh(layout: Any, tendon: ChannelTendon) -> Any:
    mesh = layout.mesh(tendon.beam)
    if getattr(mesh.options, "continuous", False):
        raise ModelError(
            f"{tendon.owner}: {mesh.options!r:.60} along {tendon.beam.owner} does not support channels. Compile with "
            "formulation='dae' and elements=pl.Exact(...) or pl.Corotational(...)."
        )
    return mesh


def _one(layout: Any, tendon: ChannelTendon, mesh: Any, P: int) -> tuple[np.ndarray, ...]:
    p = mesh.options.order
    ends = np.asarray(mesh.s)[::p]
    middle = 0.5 * (ends[1:] + ends[:-1])
    inside = (middle > tendon.start) & (middle < tendon.end)
    places = ends[:-1, None] + np.diff(ends)[:, None] * gauss(p)[0]
    found = [[tendon.offset_at(s, layout.space.quaternions).ravel() for s in row] for row in places[inside].tolist()]
    offset = np.array(found)
    nodes = np.full((len(offset), P + 1), layout.ground)
    nodes[:, : p + 1] = mesh.connectivity[inside]
    bends = [[tendon.bend_at(s, layout.space.quaternions) for s in row] for row in places[inside].tolist()]
    padded, curved = np.zeros((len(offset), P, offset.shape[2])), np.zeros((len(offset), P, offset.shape[2] // 2))
    padded[:, :p], curved[:, :p] = offset, np.array(bends)
    return nodes, np.full(len(offset), p, np.uint32), np.diff(ends)[inside] * mesh.beam.length, padded, curved


def route_length(layout: Any, tendon: ChannelTendon, q: np.ndarray | None = None) -> float:
    """Return the length of a channel in a configuration, by default as assembled: ``int |x' + (R o)'| ds``."""
    mesh, q = _mesh(layout, tendon), layout.assembled if q is None else q
    p = mesh.options.order
    x, weight = gauss(p)
    nodes, _, length, offset, _ = _one(layout, tendon, mesh, p)
    along = _along_in_space if layout.space.quaternions else _along
    shape, slope = lagrange(p, x)
    per_length = np.broadcast_to(slope, (len(nodes), *slope.shape)) / length[:, None, None]
    found = along(layout, q, nodes, (shape, per_length), offset)
    return float(np.sum(length * (np.linalg.norm(found, axis=2) @ weight)))


def _along(layout: Any, q: np.ndarray, nodes: np.ndarray, tables: Any, offset: np.ndarray) -> np.ndarray:
    """Return (n, p, 2) ``E + (-theta' o, o')`` in the axes of the section."""
    pose = q[layout.dofs(nodes.ravel())].reshape(*nodes.shape, 3)
    dx, dy, turn = np.moveaxis(np.einsum("egi,eik->egk", tables[1], pose), 2, 0)
    theta, (o, slope) = pose[:, :, 2] @ tables[0].T, np.moveaxis(offset, 2, 0)
    c, s = np.cos(theta), np.sin(theta)
    return np.stack((c * dx + s * dy - turn * o, c * dy - s * dx + slope), axis=2)


def _along_in_space(layout: Any, q: np.ndarray, nodes: np.ndarray, tables: Any, offset: np.ndarray) -> np.ndarray:
    """Return (n, p, 3) ``Gamma + kappa x o + o'`` in the axes of the section."""
    place = q[layout.dofs(nodes.ravel())[:, :3]].reshape(*nodes.shape, 3)
    turn = q[layout.frames(nodes.ravel()) + np.arange(4)].reshape(*nodes.shape, 4)
    turn = turn * np.where(np.sum(turn * turn[:, :1], axis=2, keepdims=True) < 0.0, -1.0, 1.0)
    middle = np.einsum("gi,eik->egk", tables[0], turn)
    change, chord = (np.einsum("egi,eik->egk", tables[1], each) for each in (turn, place))
    size = np.linalg.norm(middle, axis=2, keepdims=True)
    back = rotations.conjugate(middle / size)
    kappa = 2.0 * rotations.product(back, change / size)[..., 1:]
    o, slope = (np.pad(each, ((0, 0), (0, 0), (1, 0))) for each in (offset[..., :2], offset[..., 2:]))
    return rotations.rotate(back, chord) + rotations.cross(kappa, o) + slope
