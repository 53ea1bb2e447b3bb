"""Systems with other values of one parameter, for difference quotients of explicit equations.

Only parts that depend on the parameter, directly or by position, are made again; only the families and rows of joints
that depend on it (`dependencies.py`) are packed again, and for one other value only if numbers are powers of the
parameter. A length changes the assembled pose as well, but packed numbers mostly do not depend on it: then nothing is
assembled.

Numbers that are powers of a parameter follow, for all of its values, from a system with one other value:

    N(p) = c p^k   ->   k = log(N(p') / N(p)) / log(p' / p),   N(p'') = N(p) (p'' / p)^k

Most numbers are powers: stiffnesses and masses of a modulus, a density, a length, forces of themselves, the bending
stiffness of a strip is the cube of its thickness, its damping the root of this. A whole or half k is no coincidence: if
N is not a power, k depends on p' and is not whole to nine digits. Numbers that are zero except for rounding, and change
arbitrarily, are left constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from math import log
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pliant.elements import _beams
from pliant.joints.rows import Rows
from pliant.model import Beam, Joint, Parameter, Section
from pliant.model.copies import in_numbers
from pliant.model.formulas import smooth
from pliant.model.parts import Load, Part
from pliant.system.assembly.assembly import assemble, guessed_constants, reassemble
from pliant.system.assembly.configuration import assembled_coordinates, lay_alone
from pliant.system.observation.labels import labels_of
from pliant.system.packing import build, catalogue, fused
from pliant.system.packing.along_derivative import Numbers, Perturbed, alike, numbers_of, values
from pliant.system.packing.dependencies import Dependents, packed_loads, posed_families
from pliant.system.packing.joint_rows import pack
from pliant.system.packing.repack import Change, differences
from pliant.system.system import System

WHOLE = 1e-9  # tolerance of a whole or half exponent; rounding is 1e-10
DUST, AT_WILL = 1e-14, 0.01  # of an array's largest number: rounding; of itself: its change then


class Powers(NamedTuple):
    """Numbers, and their exponents: NaN if not a power, an empty array if unchanged."""

    here: Numbers
    exponents: Numbers

    @classmethod
    def of(cls, here: Numbers, other: Numbers, sizes: Numbers, ratio: float) -> Powers:
        """Find the exponents from the numbers for a parameter larger by a ratio, none if this is not positive;
        ``sizes``: the largest number of the array that contains each.
        """
        return cls(here, Numbers(*(_exponents(ratio, *each) for each in zip(here, other, sizes, strict=True))))

    def unknown(self, name: str) -> np.ndarray:
        """Return which numbers of an array are not powers."""
        return np.isnan(self._of(name))

    def changed(self, name: str) -> np.ndarray:
        """Return which numbers of an array depend on the parameter."""
        return np.asarray(self._of(name) != 0.0)

    def _of(self, name: str) -> np.ndarray:
        exponents: np.ndarray = getattr(self.exponents, name)
        return exponents if exponents.size else np.zeros(getattr(self.here, name).shape)

    @property
    def all(self) -> bool:
        """Return whether all numbers are powers."""
        return not any(np.isnan(each).any() for each in self.exponents)

    def at(self, ratio: float, packed: Numbers | None = None) -> Numbers:
        """Return the numbers for a parameter larger by a ratio; from ``packed`` if they are not powers."""
        others = packed or self.here
        return Numbers(*(_at(ratio, *each) for each in zip(self.here, self.exponents, others, strict=True)))


def _at(ratio: float, here: np.ndarray, exponents: np.ndarray, packed: np.ndarray) -> np.ndarray:
    if not exponents.size:
        return here
    return np.where(np.isnan(exponents), packed, here * ratio**exponents)


def _exponents(ratio: float, here: np.ndarray, other: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the exponents; zero for unchanged numbers."""
    if other is here:
        return np.empty(0)
    found, changed = np.zeros(here.shape), other != here
    low, high = here[changed], other[changed]
    powers = np.full(low.size, np.nan)
    if ratio > 0.0:
        with np.errstate(divide="ignore", invalid="ignore"):
            twice = 2.0 * np.log(high / low) / log(ratio)
            whole = np.rint(twice)
            known = np.abs(twice - whole) <= 2.0 * WHOLE
        powers[known] = 0.5 * whole[known]
    dust = np.maximum(np.abs(low), np.abs(high)) <= DUST * np.broadcast_to(size, here.shape)[changed]
    powers[dust & (np.abs(high - low) > AT_WILL * np.abs(low))] = 0.0
    found[changed] = powers
    return found


AnySystem = TypeVar("AnySystem", bound=System)
OF_TERMS, OF_JOINTS = ("factor", "offsets", "direction"), ("offset", "period")  # fields of rows
NO_STIFFNESS = [each.name for each in fields(Section) if "stiffness" not in each.name]
WORDS = ("kind", "dofs", "frames", "acts_on_b")  # of terms: fields that are not numbers


class End(NamedTuple):
    """A layout with another value of a parameter, and its packed numbers."""

    layout: Any
    numbers: Numbers


def twins(system: System, wanted: Sequence[tuple[Dependents, Sequence[Parameter]]]) -> list[list[Perturbed] | None]:
    """Return systems with other values of single parameters of known reach; None if more than numbers changes. Their
    models have the parameters of this one.

    For each parameter the first value is packed, and for the others only numbers that are not powers of it.
    """
    firsts = _ends(system, [(reach, others[0]) for reach, others in wanted])
    told = [None if end is None else _series(system, *each, end) for each, end in zip(wanted, firsts, strict=True)]
    left = [each and each.left for each in told]
    asked = [(reach, other) for each, reach in zip(told, left, strict=True) if each and reach for other in each.others]
    later, found = iter(_ends(system, asked)), list[list[Perturbed] | None]()
    for each, reach in zip(told, left, strict=True):
        ends = [next(later) for _ in each.others] if each and reach else []
        found.append(None if each is None or None in ends else each.all(ends))
    return found


class _Series(NamedTuple):
    """Numbers for several values of a parameter, from the packed numbers for the first one."""

    system: System
    reach: Dependents
    value: float  # present value of the parameter
    first: Parameter
    others: Sequence[Parameter]
    end: End  # for the first
    powers: Powers
    alike: bool  # whether time-dependent signals are the same

    @property
    def left(self) -> Dependents | None:
        """The dependents to pack for each of the other values, if any."""
        if self.powers.all:
            return None
        if self.signals_differ:
            return self.reach
        found = _narrow(self.system, self.reach, self.powers.unknown)
        posed = not (posed_families(self.system) or set[str]()).isdisjoint(found.families)
        if found.joints or self.reach.posed and posed:
            return found
        return found._replace(parts=[part for part in found.parts if not isinstance(part, Joint)], posed=False)

    @property
    def signals_differ(self) -> bool:
        """Return whether signals differ; they are known only if their parts are packed."""
        return self.end.layout.signals != self.system.layout.signals

    def all(self, ends: Sequence[End | None]) -> list[Perturbed]:
        """Return the systems for all values; ``ends`` has the newly packed numbers."""
        later = zip(self.others, ends or [None] * len(self.others), strict=True)
        return [self._beside(self.first, self.end, self.end), *(self._beside(*each) for each in later)]

    def _beside(self, other: Parameter, left: End | None, whole: End | None = None) -> Perturbed:
        numbers = self.powers.at(_ratio(other.value, self.value), left and left.numbers)
        return Perturbed(numbers, self.alike, not self.reach.shifts, partial(self._made, other, whole))

    def _made(self, other: Parameter, end: End | None) -> Any:
        """The system with another value of a parameter, packed unless it is; None where more than numbers changes."""
        reached = self.reach if self.signals_differ else _narrow(self.system, self.reach, self.powers.changed)
        end = end or _ends(self.system, [(reached, other)])[0]
        return end and _made(self.system, self.reach, end)


def _series(system: System, reach: Dependents, values: Sequence[Parameter], end: End) -> _Series:
    """Return the numbers for several values of a parameter by packing the first."""
    first, *others = values
    value = system.model.parameters[first.name].value
    ratio = _ratio(first.value, value) if all(map(smooth, reach.parts)) else 0.0
    powers = Powers.of(numbers_of(system), end.numbers, _sizes(system), ratio)
    return _Series(system, reach, value, first, others, end, powers, alike(system.layout.signals, end.layout.signals))


def _ratio(value: float, here: float) -> float:
    """Return the ratio of two values; zero if undefined."""
    return value / here if here else 0.0


def _sizes(system: System) -> Numbers:
    """Return, for every number, the largest number of the array that contains it."""
    known, here = vars(system), numbers_of(system)
    if "_sizes" not in known:
        whole = {name: np.max(np.abs(getattr(here, name)), initial=0.0) for name in here._fields}
        floats = np.zeros(here.floats.size)
        for span in [each for spans in system.equations.parts.spans.values() for each in spans]:
            if span.of is np.float64:
                own = np.abs(here.floats[span.first : span.last])
                floats[span.first : span.last] = np.max(own[np.isfinite(own)], initial=0.0)
        known["_sizes"] = Numbers(**whole | {"floats": floats})
    found: Numbers = known["_sizes"]
    return found


def _narrow(system: System, reach: Dependents, among: Callable[[str], np.ndarray]) -> Dependents:
    """Return the dependents reduced to the selected numbers; ``among`` returns the selection of an array by name."""
    rows, floats = system.equations.rows, among("floats")
    families = [name for name in reach.families if floats[fused.floats_of(system.equations.parts, name)].any()]
    joints = list[int]()
    if reach.joints:
        terms = np.hstack([among(name).reshape(rows.row.size, -1) for name in OF_TERMS]).any(axis=1)
        meant = np.any([among(name) for name in OF_JOINTS], axis=0)
        meant[rows.row[terms]] = True
        spans = ((k, system.joints[k]) for k in reach.joints)
        joints = [k for k, each in spans if meant[each.first : each.first + each.count].any()]
    if any(mesh.relative for mesh in system.layout.beams) and not all(map(packed_loads, families)):
        weighed = catalogue.having("meshes", system.layout)  # in a beam's own axes: by its masses
        families = [name for name in reach.families if name in families or name in weighed]
    return reach._replace(families=families, joints=joints)


def _ends(system: System, wanted: Sequence[tuple[Dependents, Parameter]]) -> list[End | None]:
    """Return layouts with other values of parameters and their packed numbers, all rows of elements of beams together;
    None if more than numbers changes.
    """
    layouts = [_layout(system, *each) for each in wanted]
    made, alone = list[Any](), list[Any]()
    for (reach, _), layout in zip(wanted, layouts, strict=True):
        new = [mesh for mesh in layout.beams if not mesh.known] if layout else []
        made, alone = made + new, alone + (new if reach.moving and not reach.posed else [])
    lay_alone(alone, system.layout.space)
    if not system.layout.space.quaternions:  # planar rows of elements are computed together
        for order in {mesh.options.order for mesh in made}:
            _beams.rows([mesh for mesh in made if mesh.options.order == order], order)
    return [layout and _pack(system, reach, layout) for (reach, _), layout in zip(wanted, layouts, strict=True)]


def _layout(system: System, reach: Dependents, other: Parameter) -> Any:
    """Return the layout with another value of a parameter; None if more than numbers changes."""
    instead = in_numbers(reach.parts, other)
    differs = (Change(new, *each) for old, new in instead.items() for each in differences(old, new))
    if not all(each.of_number for each in differs):
        return None
    if any(_places(new, reach.moving) != _places(old, reach.moving) for old, new in instead.items()):
        return None
    layout = system.layout.with_parts(instead)
    if reach.posed:
        model, known, scale = layout.model, layout.assembly, system.length_scale
        kept = None if reach.joints else reassemble(model, scale, known)
        layout.assembly = kept or assemble(model, scale, beside=known)
        if layout.assembly.gap:
            return None
        layout.assembled = assembled_coordinates(layout, layout.assembly)
    return layout


def _pack(system: System, reach: Dependents, layout: Any) -> End | None:
    """Pack the numbers of a layout; None if more than numbers changes."""
    here, known, families = system.equations, system.layout.signals, reach.families
    if all(old is new or _stiffer(old, new) for old, new in zip(system.model, layout.model, strict=True)):
        families = [name for name in families if not packed_loads(name)]
    arrays = build.pack_families(layout, families)[0] if families else {}
    parts = fused.refill(here.parts, arrays) if len(arrays) == len(families) else None
    rows = _rows(system, layout, reach) if reach.joints else here.rows
    if parts is None or rows is None or len(layout.signals) != len(known):
        return None
    for k, named in enumerate(known):
        if named.name in system.settings.get("signals", ()):
            layout.signals[k] = named
    signals = numbers_of(system).signals if layout.signals == known else values(layout.signals)
    return End(layout, Numbers.of(parts, rows, signals))


def _stiffer(old: Part, new: Part) -> bool:
    """Return whether a part is a beam that differs only in stiffness, which loads do not read."""
    sections = [part.section for part in (old, new) if isinstance(part, Beam) and isinstance(part.section, Section)]
    if len(sections) < 2 or any(field != "section" for field, *_ in differences(old, new)):
        return False
    return all(getattr(sections[0], name) == getattr(sections[1], name) for name in NO_STIFFNESS)


def _places(part: Part, moving: bool) -> list[tuple[Any, ...]]:
    """Return the positions of the markers of a part, including markers it creates; if it may move, only their nodes."""
    if moving:
        own = (part.straight / part.length,) if isinstance(part, Beam) else ()
        return [own, *((each.body.name, each.s) for each in part.markers)]
    return [(each.body.name, each.s, each.x, each.y, each.z) for each in part.markers if isinstance(part, Load)]


def _rows(system: System, layout: Any, reach: Dependents) -> Rows | None:
    """Return the rows with dependent joints packed again; None if more than numbers changes."""
    own = [layout.model.joints[k] for k in reach.joints]
    kept = [layout.assembly.kept[k] for k in reach.joints] if reach.posed else guessed_constants(layout.model, own)
    new = pack(own, layout, kept, system.length_scale, layout.signal)[0]
    old, (rows, terms) = system.equations.rows, _places_of(system, reach.joints)
    if new.row.size != terms.size or any(not np.array_equal(getattr(new, k), getattr(old, k)[terms]) for k in WORDS):
        return None
    if not np.array_equal(new.signal, old.signal[rows]) or not np.array_equal(new.gain, old.gain[rows]):
        return None
    changed = {}
    for names, places in ((OF_TERMS, terms), (OF_JOINTS, rows)):
        for name in names:
            mine, other = getattr(old, name), getattr(new, name)
            if not np.array_equal(mine[places], other):
                changed[name] = mine.copy()
                changed[name][places] = other
    return old._replace(**changed)


def _places_of(system: System, joints: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the rows of joints, and of their terms."""
    spans = [np.arange(each.first, each.first + each.count) for each in (system.joints[k] for k in joints)]
    rows = np.concatenate([np.empty(0, int), *spans])
    return rows, np.flatnonzero(np.isin(system.equations.rows.row, rows))


def _made(system: AnySystem, reach: Dependents, end: End) -> AnySystem:
    """Return the system with another value of a parameter, packed if necessary; None if more than numbers changes."""
    layout, numbers = end
    parts, rows = numbers.put(system.equations.parts, system.equations.rows)
    equations = system.equations._replace(parts=parts, rows=rows, gamma=build.gamma(layout), mass=build.mass(layout))
    vars(equations)["spare"] = system.equations.spare
    known = labels_of(system)
    found = replace(system, model=layout.model, layout=layout, equations=equations, notes={"labels": known})
    if reach.shifts:
        found.notes["labels"] = known.beside(found)
    return found
