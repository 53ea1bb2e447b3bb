"""Outputs that can be measured: by name, their values at a state, and their derivatives.

    angle:<body>                 angular_velocity:<body>
    position:<marker>:x|y        velocity:<marker>:x|y
    line_length:<line>           line_rate:<line>           tension:<line>        (springs and tendons)
    reaction:<joint>:Fx|Fy|M     on the joint's marker b, global axes
    joint_angle:<pin>            joint_rate:<pin>           of marker b against marker a: an encoder in a Revolute
    gyro:<marker>                accelerometer:<marker>:x|y r'' - g in the marker's own axes (motion only)
    acceleration:<marker>:x|y    global axes (motion only)
    resultant:<beam>@<s>:N|V|M   strain:<beam>@<s>          (s from 0 to 1; bending strain at the surface, M h / 2 EI)

In space, ``rotation:<body>:x|y|z`` (rotation vector) replaces the angle, angular velocities and gyros have components,
axes are x|y|z, reactions Fx|Fy|Fz|Mx|My|Mz and resultants N|Vy|Vz|T|My|Mz. The angle of a pin is then from -pi to pi.

Names are as in results. Between its sections a beam's resultants are interpolated, beyond them extrapolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._spelling import direction, known_as
from pliant.errors import OptionError, nearest
from pliant.linalg.finite_differences import derivative
from pliant.model.loads import Line
from pliant.model.signals import sizes

if TYPE_CHECKING:
    from pliant.system.capabilities import Observer

COMPONENTS = {
    "angle": (),
    "angular_velocity": (),
    "position": ("x", "y"),
    "velocity": ("x", "y"),
    **dict.fromkeys(Line.results, ()),
    "reaction": ("Fx", "Fy", "M"),
    "resultant": ("N", "V", "M"),
    "strain": (),
    **dict.fromkeys(("joint_angle", "joint_rate", "gyro"), ()),
    **dict.fromkeys(("acceleration", "accelerometer"), ("x", "y")),
}
IN_MOTION = ("acceleration", "accelerometer")
UNITS = {
    **{"angle": "rad", "rotation": "rad", "angular_velocity": "rad/s", "position": "m", "velocity": "m/s"},
    **{**Line.results, "strain": "1", "joint_angle": "rad", "joint_rate": "rad/s", "gyro": "rad/s"},
    **dict.fromkeys(IN_MOTION, "m/s²"),
}
COMPONENTS_IN_SPACE = {
    **dict.fromkeys(("rotation", "angular_velocity", "position", "velocity", "gyro", *IN_MOTION), ("x", "y", "z")),
    **dict.fromkeys(("joint_angle", "joint_rate"), ()),
    **dict.fromkeys(Line.results, ()),
    "reaction": ("Fx", "Fy", "Fz", "Mx", "My", "Mz"),
    "resultant": ("N", "Vy", "Vz", "T", "My", "Mz"),
}
STEP = 0.05  # of the model's length, or rad: the largest displacement used for a derivative


def output_unit(name: str) -> str:
    """Return the unit of an output, by its name.

    >>> output_unit("angle:crank"), output_unit("reaction:pin:M"), output_unit("resultant:leaf@0.5:N")
    ('rad', 'N m', 'N')
    """
    variable, component = name.partition(":")[0], name.rpartition(":")[2]
    return UNITS.get(variable) or ("N m" if component[0] in "MT" else "N")


class States(NamedTuple):
    """Several states, in the form that an observer reads."""

    q: np.ndarray
    v: np.ndarray
    lam: np.ndarray
    a: np.ndarray

    @property
    def interior(self) -> None:
        """Return None: nothing is known between nodes."""

    @property
    def signals(self) -> None:
        """Return None: the signals of the system apply."""

    @property
    def time(self) -> np.ndarray:
        """Return zeros: nothing depends on time; signals are given separately."""
        return np.zeros(len(self.q))


class Term(NamedTuple):
    """One output: a weighted sum of entries (label, component) of a variable, and the freedoms it may depend on."""

    variable: str
    labels: np.ndarray
    component: int
    weights: np.ndarray
    freedoms: np.ndarray


class Slopes(NamedTuple):
    """Derivatives of the outputs: by coordinates and velocities (outputs, freedoms), multipliers, signals."""

    position: np.ndarray
    velocity: np.ndarray
    reaction: np.ndarray
    signal: np.ndarray


@dataclass(frozen=True, eq=False)
class Outputs:
    """Named outputs of the system of an observer."""

    observer: Observer
    names: tuple[str, ...]

    @cached_property
    def terms(self) -> list[Term]:
        """Return the term of every name; unknown names raise OptionError."""
        return [self._term(name) for name in self.names]

    def evaluate(
        self, q: np.ndarray, v: np.ndarray, lam: np.ndarray, u: np.ndarray, a: np.ndarray | None = None
    ) -> np.ndarray:
        """Return values (..., outputs) at one state or, with a leading dimension, at several; u are all signals.
        Accelerations are needed only for outputs that depend on them.
        """
        single = q.ndim == 1
        self._check_accelerations(a)
        a = np.zeros_like(v) if a is None else a
        q, v, lam, u, a = (np.ascontiguousarray(np.atleast_2d(x)) for x in (q, v, lam, u, a))
        known: dict[str, np.ndarray] = {}
        columns = []
        for term in self.terms:
            if term.variable not in known:
                known[term.variable] = self._values(term.variable, States(q, v, lam, a), u)
            columns.append(known[term.variable][:, term.labels, term.component] @ term.weights)
        out = np.column_stack(columns)
        return out[0] if single else out

    def slopes(
        self, q: np.ndarray, v: np.ndarray, lam: np.ndarray, u: np.ndarray, signals: Sequence[int], noise: float = 0.0
    ) -> Slopes:
        """Return derivatives at a state, also by the numbered signals; exact to about 11 digits.

        noise   moment (N m) below which a load is rounding
        """
        system = self.observer.system
        n, count = system.freedoms, len(self.terms)
        places = np.unique(np.concatenate([term.freedoms for term in self.terms]))
        places = places[places < n]
        position, velocity = np.zeros((2, count, n))
        for k in places:
            step = STEP / system.weight[k]
            position[:, k] = self._slope((q, v, lam, u), 0, k, step)
            velocity[:, k] = self._slope((q, v, lam, u), 1, k, step)
        signal = np.zeros((count, len(signals)))
        for column, k in enumerate(signals):
            name = next(name for name in system.signal_names if system.signal_number(name) == k)
            size = sizes.size(system.model, name, float(u[k]), system.length_scale, noise=noise)
            signal[:, column] = self._slope((q, v, lam, u), 3, k, STEP * size)
        reaction = np.zeros((count, lam.size))
        if any(term.variable == "reaction" for term in self.terms):  # linear in the multipliers
            same = [np.broadcast_to(x, (lam.size, x.size)) for x in (q, v, u)]
            pushed = self.evaluate(same[0], same[1], np.eye(lam.size), same[2])
            reaction = (pushed - self.evaluate(q, v, np.zeros_like(lam), u)).T
        return Slopes(position, velocity, reaction, signal)

    def _slope(self, state: tuple[np.ndarray, ...], which: int, k: int, step: float) -> np.ndarray:
        def along(t: np.ndarray) -> np.ndarray:
            arrays = [np.repeat(x[None], t.size, axis=0) for x in state]
            if which == 0:
                arrays[0] = np.array([self._moved(state[0], k, step) for step in t])
            else:
                arrays[which][:, k] += t
            return self.evaluate(*arrays)

        return derivative(along, step)

    def _moved(self, q: np.ndarray, k: int, step: float) -> np.ndarray:
        """Return the configuration with freedom k increased by a step."""
        system = self.observer.system
        increment = np.zeros(system.freedoms)
        increment[k] = step
        return system.moved(q, increment)

    def _check_accelerations(self, a: np.ndarray | None) -> None:
        for name, term in zip(self.names, self.terms, strict=True):
            if a is None and term.variable in IN_MOTION:
                raise OptionError(
                    f"outputs: {name!r} holds accelerations, which are known in a motion with a controller only. "
                    "Elsewhere take velocities."
                )

    def _values(self, variable: str, states: States, u: np.ndarray) -> np.ndarray:
        """Return (times, labels, components) of a variable."""
        still = variable == "strain"  # without material damping
        states = states._replace(v=np.zeros_like(states.v)) if still else states
        return self.observer.values("resultant" if still else variable, states, u)

    def _term(self, name: str) -> Term:
        variable, _, rest = str(name).partition(":")
        known = COMPONENTS_IN_SPACE if len(self.observer.axes) == 3 else COMPONENTS
        if not isinstance(name, str) or variable not in known:
            turn = "angle:arm" if "angle" in known else "joint_angle:pin"
            hint = direction(str(name), known) or nearest(variable, known)
            raise OptionError(
                f"outputs: {name!r} is not an output. {hint} Write variable:name or variable:name:component, such as "
                f'"{turn}" or "position:arm/tip:x".'
            )
        components = known[variable]
        label, component = rest, 0
        if components:
            label, _, word = rest.rpartition(":")
            if word not in components:
                raise OptionError(
                    f"outputs: {name!r} needs one of the components {', '.join(components)} at its end, such as "
                    f"{f'{variable}:{rest}:{components[0]}'!r}."
                )
            component = components.index(word)
        if variable in ("resultant", "strain"):
            return self._section(name, variable, label, component)
        return self._labelled(name, variable, label, component)

    def _labelled(self, name: str, variable: str, label: str, component: int) -> Term:
        what, known = self.observer.names(variable)
        label = known_as(label, known)
        if label not in known:
            raise OptionError(f"outputs: {name!r}: there is no {what} {label!r}. {nearest(label, known)}")
        k = known.index(label)
        freedoms = self.observer.freedoms(variable, k)
        return Term(variable, np.array([k]), component, np.ones(1), freedoms.astype(np.int64))

    def _section(self, name: str, variable: str, place: str, component: int) -> Term:
        """Return the term of any section of a beam, from the two computed sections next to it."""
        label, _, word = place.rpartition("@")
        _, beams = self.observer.names(variable)
        if label not in beams:
            raise OptionError(
                f"outputs: {name!r}: there is no beam {label!r}. {nearest(label, beams)} Write {variable}:<beam>@<s>, "
                "s from 0 to 1. A beam that was lumped is a chain of links, which has no resultants and no strain."
            )
        try:
            s = float(word)
        except ValueError:
            s = np.nan
        if not 0.0 <= s <= 1.0:
            raise OptionError(f"outputs: {name!r}: the place {word!r} on beam {label!r} must be from 0 to 1.")
        section, factor = self.observer.system.model.part(label).section_at(s), 1.0
        if variable == "strain":
            if section.law is not None:
                raise OptionError(
                    f"outputs: {name!r}: beam {label!r} is hyperelastic, and its strain is no multiple of a moment. "
                    f"Take resultant:{label}@{word}."
                )
            if section.height is None:
                raise OptionError(
                    f"outputs: {name!r}: the section of beam {label!r} has no height, so the strain at its surface is "
                    "not known. Give Section(..., height=...)."
                )
            component, factor = 2, 0.5 * section.height / section.bending_stiffness
        labels, weights, freedoms = self.observer.section(label, s)
        return Term(variable, labels, component, factor * weights, freedoms.astype(np.int64))
