"""Non-ideal joints: Coulomb friction that depends on the normal force of its joint.

The force C that a joint puts against its sliding is -(F0 + mu |N|) tanh(s' / speed) times the gradient of the sliding
coordinate s: the angle of a pin (mu times its radius then), the way of a slider. A guide of length l carries a force N
and a moment M at its ends, N/2 + M/l and N/2 - M/l: it rubs with mu max(|N|, 2 |M| / l). It enters the accelerations as

    M^-1/2 (I - B^+ B) M^-1/2 C,   B = A M^-1/2

(Udwadia, Kalaba, Explicit equations of motion for mechanical systems with nonideal constraints, J. Appl. Mech. 68,
2001). Friction changes the normal forces of other joints: both are found together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.formulations.udwadia_kalaba import accelerations as kernels
from pliant.model import Joint
from pliant.model.conditions import Condition, Term
from pliant.system.joint_rows import Row, pack_rows
from pliant.system.system import System

PIN, SLOT, SLIDE = {"x", "y"}, {"y"}, {"y", "rz"}  # what joints lock that may have friction


@dataclass(frozen=True)
class Friction:
    """Coulomb friction in a Revolute, Slider or Prismatic joint.

    coefficient  mu, of the normal force
    radius       of the pin of a Revolute (m), at which mu |N| acts
    length       of the guide of a Prismatic (m), with marker b in its middle, which also carries the joint's moment;
                 inf: the moment does not rub
    constant     friction that does not depend on the normal force: N m in a Revolute, N else
    speed        at which it has tanh(1) = 76 % of its size; rad/s in a Revolute, m/s else

    >>> Friction(0.2, radius=5e-3)
    Friction(coefficient=0.2, radius=0.005, length=None, constant=0.0, speed=0.001)
    """

    coefficient: float = 0.0
    _: KW_ONLY
    radius: float = 0.0
    length: float | None = None
    constant: float = 0.0
    speed: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("coefficient", "radius", "constant", "speed"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
            if not (number and 0.0 <= value < np.inf) or (name == "speed" and value == 0.0):
                allowed = "positive" if name == "speed" else "zero or positive"
                raise OptionError(f"Friction: {name} is {value!r}; it must be a finite number, {allowed}.")
        number = isinstance(self.length, int | float | np.floating) and not isinstance(self.length, bool)
        if self.length is not None and not (number and self.length > 0.0):
            raise OptionError(f"Friction: length is {self.length!r}; it must be a positive number, or inf.")


def pack_friction(system: System, given: Mapping[str, Friction] | None) -> kernels.Friction:
    """Arrays of the friction in joints, by their names."""
    if given and system.model.spatial:
        raise OptionError("friction: joints in space have none. Leave it out, or describe the mechanism in a plane.")
    owners = {rows.joint.name: rows for rows in system.joints}
    chosen: list[Any] = []
    for name, friction in (given or {}).items():
        if name not in owners:
            raise OptionError(f"friction: there is no joint {name!r}. {nearest(str(name), owners)}")
        words = set(owners[name].joint.locked(False))
        if not isinstance(friction, Friction) or words not in (PIN, SLOT, SLIDE):
            raise OptionError(
                f"friction of {name!r}: got {friction!r:.60} for a {type(owners[name].joint).__name__}; give a "
                "Friction(...) for a Revolute, Slider or Prismatic."
            )
        if words == PIN and friction.coefficient and not friction.radius:
            raise OptionError(f"friction of {name!r}: a Revolute needs the radius= of its pin, at which mu |N| acts.")
        if words == SLIDE and friction.coefficient and friction.length is None:
            raise OptionError(
                f"friction of {name!r}: a Prismatic needs the length= of its guide, at whose ends its moment rubs; "
                "length=inf leaves the moment out."
            )
        if words != SLIDE and friction.length is not None:
            raise OptionError(f"friction of {name!r}: length= is of the guide of a Prismatic; leave it out.")
        chosen.append((owners[name], friction))
    pins = [set(rows.joint.locked(False)) == PIN for rows, _ in chosen]
    arms = [friction.radius if pin else 1.0 for (_, friction), pin in zip(chosen, pins, strict=True)]
    return kernels.Friction(
        sliding=pack_rows([_sliding(rows.joint) for rows, _ in chosen], system.layout, 1.0, system.layout.signal),
        first=np.searchsorted(system.equations.rows.row, [rows.first for rows, _ in chosen]).astype(np.int64),
        number=np.array([2 if pin else 1 for pin in pins], np.int64),
        coefficient=np.array([f.coefficient * arm for (_, f), arm in zip(chosen, arms, strict=True)], float),
        lever=np.array([2.0 / friction.length if friction.length else 0.0 for _, friction in chosen], float),
        constant=np.array([friction.constant for _, friction in chosen], float),
        speed=np.array([friction.speed for _, friction in chosen], float),
    )


def _sliding(joint: Joint) -> Row:
    """The coordinate that slides, as a row: the angle of a pin, the way along marker a's x axis."""
    return Row(joint, Condition((Term("angle", "z") if set(joint.locked(False)) == PIN else Term("place", "x"),)))
