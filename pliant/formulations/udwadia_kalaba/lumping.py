"""Conversion of a model: every beam becomes a chain of rigid links, and joints and forces act on the links."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from math import cos, pi, sin
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pliant.errors import AssemblyError, ConvergenceError, ModelError, OptionError, nearest
from pliant.forces import Dashpot, DistributedLoad, Drag, Force, RelativeDamping, Spring, TorsionSpring
from pliant.formulations.udwadia_kalaba.chain import Chain, cut
from pliant.formulations.udwadia_kalaba.lumped import FEWEST, Lumped
from pliant.joints import Revolute, Slider
from pliant.model import Beam, Ground, Link, Marker, Model, checks
from pliant.model.parts import Joint, Load, Part
from pliant.model.signals.base import Constant, Signal, SignalLike, as_signal
from pliant.system.numbering.element_counts import AUTO, fewest

MESHES = (32, 16, 8, 64)  # elements of a beam, tried in this order, whose bent shape is the start of the links


Links: TypeAlias = int | str | Lumped
"""Number of links of a beam, "auto", or ``Lumped(...)``."""


def lump(model: Model, *, elements: Links | Mapping[str, Links] = 20) -> Model:
    """Replace every beam of a model by a chain of rigid links, pinned together, with a torsion spring at each pin.

    elements  number of links, "auto", ``Lumped(...)``, or a mapping from beam names to any of these

    The links of beam "arm" are "arm", "arm.2", "arm.3", ..., its pins "arm pin 1", ..., its springs "arm bend 1", ...
    Markers keep their labels: "arm/tip" is the end of the last link. Joints and forces at a place of the beam act on
    the link at that place; at a pin, on the link that begins there.

    >>> from pliant.joints import Revolute
    >>> from pliant.model import STEEL, Section
    >>> m = Model("pendulum")
    >>> ground, arm = m.add(Ground(), Beam("arm", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL)))
    >>> pin = m.add(Revolute(ground.at(0, 0), arm.at(s=0)))
    >>> lump(m, elements=5)
    <Model "pendulum": 5 rigid bodies, 0 beams, 5 joints, 4 forces>
    """
    return lumping(model, elements).model


def lumping(model: Model, elements: Any) -> Lumping:
    """Return the lumping of a model, planar or spatial."""
    from pliant.formulations.udwadia_kalaba.spatial_lumping import SpatialLumping

    return (SpatialLumping if model.spatial else Lumping)(model, elements)


def chain_options(model: Model, elements: Any) -> dict[str, Lumped]:
    """Return the options of every beam, with the number of links that "auto" yields in this model."""
    names = [beam.name for beam in model.beams]
    given = dict(elements) if isinstance(elements, Mapping) else dict.fromkeys(names, elements)
    for name in given:
        if name not in names:
            raise OptionError(f"elements: there is no beam {name!r} in the model. {nearest(str(name), names)}")
    options = {beam.name: _option(beam.name, given.get(beam.name, Lumped())) for beam in model.beams}
    auto = {name: each for name, each in options.items() if each.elements == AUTO}
    return options | _counted(model, options, auto) if auto else options


def _counted(model: Model, options: dict[str, Lumped], auto: dict[str, Lumped]) -> dict[str, Lumped]:
    """Return options with a number of links for the beams with "auto"."""
    from pliant.solvers.nonlinear.loop_closure import build

    for name, each in auto.items():
        if each.by_link:
            raise OptionError(f'elements of beam {name!r}: {each.by_link} has a list, which "auto" does not support.')

    def chosen(count: int) -> dict[str, Lumped]:
        return {name: replace(each, elements=count) for name, each in auto.items()}

    count = fewest(
        lambda count, refinement: build(lumping(model, options | chosen(refinement * count)).model),
        modes=max(each.modes for each in auto.values()),
        accuracy=min(each.accuracy for each in auto.values()),
        least=FEWEST, first=2 * FEWEST, what="links",
    )  # fmt: skip
    return chosen(count)


def _option(name: str, value: Any) -> Lumped:
    if isinstance(value, Lumped):
        return value
    if value == AUTO or (isinstance(value, int | np.integer) and not isinstance(value, bool)):
        return Lumped(value)
    raise OptionError(
        f'elements of beam {name!r}: got {value!r:.60}; the formulation "udwadia_kalaba" takes a whole number, "auto" '
        "or Lumped(...)."
    )


@dataclass(frozen=True, eq=False, repr=False)
class LumpedMarker(Marker):
    """A marker of a link with the label of the beam's marker."""

    shown: str = ""

    @property
    def label(self) -> str:
        return self.shown


@dataclass(frozen=True)
class Scaled(Signal):
    """A signal times a factor: the share of one link in a load per length."""

    signal: Signal
    factor: float

    def __post_init__(self) -> None:
        self._set(
            signal=as_signal(self.signal, "Scaled", "signal"), factor=checks.number("Scaled", "factor", self.factor)
        )

    def _at(self, t: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        return self.factor * self.signal._at(t, order)


def scaled(signal: SignalLike, factor: float) -> Signal:
    """Return a signal times a factor; a constant remains a constant."""
    known = as_signal(signal)
    return Constant(factor * known.value) if isinstance(known, Constant) else Scaled(known, factor)


def _refuse_between_nodes(part: Part) -> None:
    """Refuse a part that runs along a beam between its nodes: a chain of links has no such path."""
    if isinstance(part, Load) and part.between_nodes:
        instead = f", or {part.elsewhere}" if part.elsewhere else ""
        raise ModelError(
            f"{part.owner}: the formulation 'udwadia_kalaba' replaces its beam by a chain of rigid links, which has no "
            f"strains. Compile with formulation='dae'{instead}."
        )


class Lumping:
    """Conversion of one model to another.

    model   the lumped model
    options options of the chain of every beam, by name
    chains  chain of every beam, by name
    shares  for every signal of a load per length, the signals that replace it, and their factors
    bent    whether its loops close only if beams bend
    """

    axes = "xy"

    def __init__(self, model: Model, elements: Any) -> None:
        options = self.options = chain_options(model, elements)
        self.chains: dict[str, Chain] = {beam.name: self._cut(beam, options[beam.name]) for beam in model.beams}
        self._place: dict[Any, Any]
        self._points: dict[Any, Any] = {}
        self.bent = self._assemble(model)
        self._whole = not model.joints
        self._links: dict[Any, list[Any]] = {}
        self._bodies: dict[Any, Any] = {}
        self._others: dict[Any, Any] = {}
        self.shares: dict[str, list[tuple[str, float]]] = {}
        self.model = Model(model.name, plane=model.plane)
        self.model.scales = model.scales
        for part in model:
            self._add(part)
        for marker in (*model.watched, *(beam.at(s) for beam in model.beams for s in (0.0, 1.0))):
            moved = self.marker(marker)
            if moved.label not in {known.label for known in self.model.watched}:
                self.model.add(moved)

    def _assemble(self, model: Model) -> bool:
        """Place the parts. Returns whether loops close only if beams bend; they are then bent, if possible."""
        from pliant.system.assembly.assembly import assemble
        from pliant.system.packing.build import length_scale

        assembly = assemble(model, length_scale(model))
        self._place = assembly.pose
        for count in MESHES if assembly.gap else ():
            with suppress(AssemblyError, ConvergenceError):
                self._place, self._points = self._bent(model, count)
                break
        return bool(assembly.gap)

    def _add(self, part: Part) -> None:
        """Add a part, or its replacement, to the lumped model."""
        if isinstance(part, Beam):
            self._add_chain(part)
        elif part in self._place:
            self._bodies[part] = self.model.add(replace(part, **self._guess(part)))  # type: ignore[type-var]
        elif isinstance(part, Ground):
            self._bodies[part] = self.model.add(part)
        elif isinstance(part, DistributedLoad) and part.computed_as is DistributedLoad:
            self._add_load(part)
        elif isinstance(part, Drag) and part.computed_as is Drag:
            self._add_drag(part)
        else:
            _refuse_between_nodes(part)
            self._others[part] = self.model.add(self._moved(part))

    def marker(self, marker: Marker) -> Marker:
        """Return the marker of the lumped model that represents one of the original model."""
        beam = marker.body
        if not isinstance(beam, Beam):
            return replace(marker, body=self._bodies[beam])
        return self._on_chain(beam, marker.s or 0.0, marker, label=marker.label)

    def _cut(self, beam: Beam, options: Lumped) -> Any:
        return cut(beam, options)

    def _guess(self, body: Any) -> dict[str, Any]:
        x, y, angle = (float(value) for value in self._place[body])
        return {"position": (x, y), "angle": angle}

    def _add_chain(self, beam: Beam) -> None:
        """Add links, pins and springs of a beam, in its pose."""
        chain = self.chains[beam.name]
        points = beam.rest_pose(np.clip(chain.ends / beam.length, 0.0, 1.0))[:, :2]
        steps = np.diff(points, axis=0)
        turns = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
        lengths = np.hypot(*steps.T)
        x, y, angle = self._place[beam]
        places = points @ np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]]) + (x, y)
        places = self._points.get(beam, places)
        ways = np.diff(places, axis=0)
        angles = turns + angle
        angles += (np.arctan2(ways[:, 1], ways[:, 0]) - angles + pi) % (2.0 * pi) - pi  # the whole turns of the beam's
        arcs = np.diff(chain.ends)
        links = [
            Link(
                beam.name if k == 0 else f"{beam.name}.{k + 1}",
                length=float(lengths[k]),
                mass=float(chain.mass[k]),
                inertia=float(chain.inertia[k]),
                centre=float((chain.centre[k] - chain.ends[k]) / arcs[k]),
                position=(float(places[k, 0]), float(places[k, 1])),
                angle=float(angles[k]),
                free=k == 0 and (beam.free or self._whole),
            )
            for k in range(chain.mass.size)
        ]
        self._links[beam] = links
        for link in links:
            self.model.add(link)
        for k in range(len(links) - 1):
            self._add_joint(beam, k, float(turns[k + 1] - turns[k]))
        self._add_damping(beam, links)

    def _add_damping(self, beam: Beam, links: list[Any]) -> None:
        """Add the mass-proportional part of the damping; the stiffness-proportional part is in the joints."""
        alpha = beam.damping.coefficients(beam)[0] if beam.damping else 0.0
        if not (beam.damping and alpha):
            return
        name, centres = f"{beam.name} damping", self._centres(links)
        if beam.damping.relative_to == "beam":
            first, second, *others = centres
            self.model.add(RelativeDamping(name, first, second, alpha, others=tuple(others)))
            return
        for k, (link, centre) in enumerate(zip(links, centres, strict=True)):
            self._brake(f"{name} {k + 1}", link, centre, alpha)

    def _centres(self, links: list[Any]) -> list[Marker]:
        """Return markers at the centres of mass of links."""
        return [LumpedMarker(link, link.centre * link.length, shown=f"{link.name}/centre") for link in links]

    def _brake(self, name: str, link: Any, centre: Marker, alpha: float) -> None:
        """Add damping of the motion of a link relative to the ground."""
        c = alpha * link.mass
        self.model.add(Dashpot(name, centre, c, c, alpha * link.inertia))

    def _add_joint(self, beam: Beam, k: int, rest_angle: float) -> None:
        """Add the joint between links k and k + 1."""
        chain, links, number = self.chains[beam.name], self._links[beam], k + 1
        shown = f"{beam.name}@{chain.ends[number] / beam.length:.6g}"
        a = LumpedMarker(links[k], links[k].length, shown=shown)
        b = LumpedMarker(links[number], shown=shown)
        if chain.shear is None:
            self.model.add(Revolute(a, b, name=f"{beam.name} pin {number}"))
        else:
            across = replace(a, angle=0.5 * pi)  # of equal name: results show the first, which is along
            self.model.add(
                Spring(f"{beam.name} shear {number}", a, b, stiffness=float(chain.shear[k]), rest_length=0.0),
                Slider(across, b, name=f"{beam.name} pin {number}"),
            )
        self.model.add(
            TorsionSpring(
                f"{beam.name} bend {number}",
                a,
                b,
                stiffness=float(chain.stiffness[k]),
                rest_angle=rest_angle,
                damping=float(chain.damping[k]),
            )
        )

    def _add_load(self, load: DistributedLoad) -> None:
        """Add one force a link, at the middle of its piece of the beam; a varying load by Simpson's rule."""
        beam, chain = load.beam, self.chains[load.beam.name]
        for k, (begin, end) in enumerate(zip(chain.ends, chain.ends[1:], strict=False)):
            s = 0.5 * (begin + end) / beam.length
            ends = load.factor(begin / beam.length) + load.factor(end / beam.length)
            factor = float(end - begin) * (4.0 * load.factor(s) + ends) / 6.0
            name = f"{load.name}.{k + 1}"
            self.model.add(
                Force(
                    self._on_chain(beam, s, label=f"{beam.name}@{s:.6g}"),
                    **{axis: scaled(getattr(load, axis), factor) for axis in self.axes},
                    follower=load.follower,
                    name=name,
                )
            )
            for axis in self.axes:
                self.shares.setdefault(f"{load.name}/{axis}", []).append((f"{name}/{axis}", factor))

    def _add_drag(self, drag: Drag) -> None:
        """Add dashpots at the pins and the middles of links, with Simpson's weights: exact for a rigid line."""
        beam, ends = drag.beam, self.chains[drag.beam.name].ends
        lengths = np.diff(ends)
        at = np.concatenate([ends, 0.5 * (ends[:-1] + ends[1:])]) / beam.length
        shares = np.concatenate([np.append(lengths, 0.0) + np.append(0.0, lengths), 4.0 * lengths]) / 6.0
        for k, (s, length) in enumerate(zip(at.tolist(), shares.tolist(), strict=True)):
            marker = self._on_chain(beam, s, label=f"{beam.name}@{s:.6g}")
            self._dash(drag, f"{drag.name}.{k + 1}", marker, length)

    def _dash(self, drag: Drag, name: str, marker: Marker, length: float) -> None:
        """Add the drag of a piece of a beam."""
        self.model.add(Dashpot(name, marker, drag.x * length, drag.y * length))

    def _link_at(self, beam: Beam, s: float) -> int:
        """Return the link at a place of the unstressed beam; at a pin, the one that begins there."""
        inner = self.chains[beam.name].ends[1:-1] / beam.length
        return int(np.searchsorted(inner * (1.0 - 1e-12), s, side="right"))

    def _on_chain(self, beam: Beam, s: float, marker: Marker | None = None, *, label: str) -> LumpedMarker:
        """Return a marker of a section of the unstressed beam, or of a marker on it, on the link at that place."""
        ends, links, k = self.chains[beam.name].ends, self._links[beam], self._link_at(beam, s)
        x, y, angle = (0.0, 0.0, 0.0) if marker is None else (marker.x, marker.y, marker.angle)
        (bx, by, _), (tx, ty, _), (px, py, turn) = beam.rest_pose([ends[k] / beam.length, ends[k + 1] / beam.length, s])
        chord = np.arctan2(ty - by, tx - bx)
        px, py = px + cos(turn) * x - sin(turn) * y - bx, py + sin(turn) * x + cos(turn) * y - by
        c, d = cos(chord), sin(chord)
        return LumpedMarker(
            links[k], float(c * px + d * py), float(c * py - d * px), float(turn + angle - chord), shown=label
        )

    def _moved(self, part: Part) -> Part:
        """Return a part with its markers on the bodies of the lumped model."""
        values = {f.name: getattr(part, f.name) for f in fields(part) if f.init}  # type: ignore[arg-type]
        changes = {name: self._value(value) for name, value in values.items()}
        if part.has_default_name:
            changes["name"] = ""
        try:
            return type(part)(**{**values, **changes})
        except ModelError as error:
            here = {m.body for m in part.markers if isinstance(m.body, Beam)}
            if len(here) == 1 and len({self.marker(m).body for m in part.markers}) == 1:
                beam = here.pop()
                raise ModelError(
                    f"{part.owner}: all its markers fall on one link of {beam.owner}. Take more elements for it."
                ) from error
            raise

    def _value(self, value: Any) -> Any:
        if isinstance(value, Marker):
            return self.marker(value)
        if isinstance(value, Joint):  # of a stop
            return self._others[value]
        if isinstance(value, tuple) and any(isinstance(item, Marker) for item in value):
            return tuple(self._value(item) for item in value)
        return value

    def _bent(self, model: Model, count: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Return poses of the bodies, and ends of the links, in the shape in which finite elements close the loops."""
        from pliant.solvers.nonlinear.loop_closure import build

        system = build(model, elements=count)
        layout, q = system.layout, system.initial
        poses: dict[Any, np.ndarray] = {}
        points: dict[Any, np.ndarray] = {}
        for body in layout.rigid_bodies:
            x, y, angle = q[3 * layout.body_node(body) :][:3]
            cx, cy = body.centre_of_mass
            c, s = cos(angle), sin(angle)
            poses[body] = np.array([x - c * cx + s * cy, y - s * cx - c * cy, angle])
        for mesh in layout.beams:
            nodes = q[3 * mesh.nodes[0] : 3 * mesh.nodes[-1] + 3].reshape(-1, 3)
            at = self.chains[mesh.beam.name].ends / mesh.beam.length
            poses[mesh.beam] = nodes[0]
            points[mesh.beam] = np.column_stack([np.interp(at, mesh.s, nodes[:, k]) for k in (0, 1)])
        return poses, points
