"""Coordinates of joints in results: the angle of pins, the travel of slides, both of drives with effort and power;
reactions in the joint's own axes; torque and power of motors.

The angle of a joint is measured from marker a to marker b about its axis, its travel is the displacement of b's point
along the axis on a, ``s = e . (r_b - r_a)``, with ``s' = e . (v_b - v_a - w_a x (r_b - r_a))``. The effort of a drive
is the component of its reaction on b along or about its axis; its power is effort times speed, likewise for the torque
of a motor. The joint's axes are the axes of its frame on marker a (``axis="x"`` of a pin: its z). Joints without such a
coordinate have NaN there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces._law import numbers_of
from pliant.joints.motion import Motion
from pliant.model import rotations
from pliant.system.observation import instruments
from pliant.system.observation.lazy_arrays import CachedCall

if TYPE_CHECKING:
    from pliant.forces._law import PointLaw
    from pliant.model.parts import Joint
    from pliant.system.observation.observer import Observer
    from pliant.system.samples import Samples

NONE = "joints that have no such coordinate"
TURNING, SLIDING = ("joint_angle", "joint_rate"), ("joint_travel", "joint_speed")


def turns(joint: Joint) -> bool:
    """Return whether a joint has an angle."""
    if isinstance(joint, Motion):
        return joint.coordinate == "angle"
    return joint.stoppable == "angle" or slides(joint) == "z" and "rz" not in joint.locks


def slides(joint: Joint) -> str:
    """Return the axis of travel, in the joint's frame on a; empty without travel."""
    if isinstance(joint, Motion):
        return "" if joint.coordinate == "angle" else joint.coordinate
    return str(getattr(joint, "along", "x")) if joint.stoppable == "travel" else ""


def coordinate_kinds(joints: Iterable[Joint]) -> tuple[bool, bool, bool]:
    """Return whether some joints turn, some slide, some are driven."""
    every = list(joints)
    return any(map(turns, every)), any(map(slides, every)), any(isinstance(joint, Motion) for joint in every)


def variables(
    seen: Observer, samples: Samples, lead: str, reactions: Callable[[], np.ndarray], *, moving: bool
) -> dict[str, Callable[[], Any]]:
    """Return functions that compute the variables of joints, by name; rates and power only for motions.

    reactions  returns (times, joints, wrench) on their markers b, in global axes
    """
    joints, (turning, sliding, driven) = list(seen.labels.joints), seen.labels.joint_coordinates
    found: dict[str, Callable[[], Any]] = {}
    if turning:
        found["joint_angle"] = lambda: _per_joint(lead, _angles(seen, joints, samples), "rad")
        if moving:
            found["joint_rate"] = lambda: _per_joint(lead, _rates(seen, joints, samples), "rad/s")
    if sliding:
        found["joint_travel"] = lambda: _per_joint(lead, _travels(seen, joints, samples)[0], "m")
        if moving:
            found["joint_speed"] = lambda: _per_joint(lead, _travels(seen, joints, samples)[1], "m/s")
    if driven:
        units = ", ".join({True: "N m", False: "N"}[turns(j)] if isinstance(j, Motion) else "1" for j in joints)
        found["drive_effort"] = lambda: _per_joint(lead, _efforts(seen, joints, samples, reactions()), units)
        if moving:
            found["drive_power"] = lambda: _per_joint(lead, _powers(seen, joints, samples, reactions()), "W")
    wrench = {"units": ", ".join("N" if word.startswith("F") else "N m" for word in seen.system.space.wrench)}
    dims = lead, "joint", "wrench"
    found["reaction"] = lambda: (dims, reactions(), wrench)
    found["joint_reaction"] = lambda: (dims, _own_axes(seen, joints, samples, reactions()), wrench)
    return found


def motor_variables(seen: Observer, samples: Samples, u: np.ndarray, lead: str, *, moving: bool) -> dict[str, Any]:
    """Return functions that compute the torque of motors on the body of b and, for motions, their power."""
    listed = {"listed_along": "motor"}
    torque = CachedCall(lambda: _torques(seen, samples, u))
    found: dict[str, Any] = {"motor_torque": lambda: ((lead, "motor"), torque()[0], {"units": "N m", **listed})}
    if moving:
        found["motor_power"] = lambda: ((lead, "motor"), np.prod(torque(), axis=0), {"units": "W", **listed})
    return found


def motors(forces: Iterable[Any]) -> list[PointLaw]:
    """Return forces that turn b against a by a law of the angle which has an input."""
    return [each for each in forces if getattr(each, "measures", ()) == ("angle",) and each.inputs]


def _torques(seen: Observer, samples: Samples, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the (times, motors) torques and rates."""
    parts = seen.labels.motors
    torques, rates = np.zeros((2, len(samples.q), len(parts)))
    f, f_x, f_rate = np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1))
    for k, part in enumerate(parts):
        angle, rate = (instruments.pin_value(seen.system, part, word, samples) for word in TURNING)
        given = u[:, [seen.system.signal_number(f"{part.name}/{key}") for key in part.inputs]]
        p, rates[:, k] = numbers_of(part), rate
        for t in range(len(angle)):
            part.resist(p, angle[t : t + 1], rate[t : t + 1], given[t], f, f_x, f_rate)
            torques[t, k] = -f[0]
    return torques, rates


def _per_joint(lead: str, values: np.ndarray, units: str) -> tuple[Any, ...]:
    return (lead, "joint"), values, {"units": units, "nan_means": NONE}


def _empty(samples: Samples, joints: list[Joint]) -> np.ndarray:
    return np.full((len(samples.q), len(joints)), np.nan)


def _angles(seen: Observer, joints: list[Joint], samples: Samples) -> np.ndarray:
    """Return angles; in space, where they are known up to whole turns, continuous in time."""
    out, more = _empty(samples, joints), samples.between or samples
    for k, joint in enumerate(joints):
        if turns(joint) and not seen.system.space.quaternions:
            out[:, k] = instruments.pin_value(seen.system, joint, "joint_angle", samples)
        elif turns(joint):
            angle, rate = (
                instruments.pin_value(seen.system, joint, word, more) for word in ("joint_angle", "joint_rate")
            )
            whole = _continue_turns(more.time, angle, rate)
            here = angle if more is samples else instruments.pin_value(seen.system, joint, "joint_angle", samples)
            near = whole if more is samples else np.interp(samples.time, more.time, whole)
            out[:, k] = here + _whole_turns(near - here)
    return out


def _continue_turns(time: np.ndarray, angle: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return an angle with the turns of its rate between instants, by the trapezoidal rule."""
    change, likely = np.diff(angle), 0.5 * (rate[1:] + rate[:-1]) * np.diff(time)
    return np.asarray(angle[0] + np.concatenate([[0.0], np.cumsum(change + _whole_turns(likely - change))]))


def _whole_turns(angle: np.ndarray) -> np.ndarray:
    """Return the nearest multiples of a turn."""
    return np.asarray(2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def _rates(seen: Observer, joints: list[Joint], samples: Samples) -> np.ndarray:
    out = _empty(samples, joints)
    for k, joint in enumerate(joints):
        if turns(joint):
            out[:, k] = instruments.pin_value(seen.system, joint, "joint_rate", samples)
    return out


def _travels(seen: Observer, joints: list[Joint], samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    """Return travels and their rates."""
    places, speeds = _empty(samples, joints), _empty(samples, joints)
    for k, joint in enumerate(joints):
        if slides(joint):
            places[:, k], speeds[:, k] = _travel(seen, joint, samples)
    return places, speeds


def _travel(seen: Observer, joint: Joint, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    ends = seen.points([joint.a, joint.b])
    apart = np.diff(ends.position(samples.q), axis=1)[:, 0]
    away = np.diff(ends.velocity(samples.q, samples.v), axis=1)[:, 0]
    e, turning = _axis(seen, joint, samples), _turning(seen, joint, samples, apart)
    return np.einsum("ti,ti->t", e, apart), np.einsum("ti,ti->t", e, away - turning)


def _axis(seen: Observer, joint: Any, samples: Samples) -> np.ndarray:
    """Return the (times, axes) axis of travel or of rotation, fixed to marker a."""
    turn = instruments.turn(seen.system, joint.a, samples.q)
    if not seen.system.space.quaternions:
        c, s = np.cos(turn), np.sin(turn)
        return np.stack([-s, c] if slides(joint) == "y" else [c, s], axis=1)
    own = np.array(rotations.AXES[slides(joint) or "z"])
    if turns(joint) or not isinstance(joint, Motion):  # a drive along x, y, z means the marker's own axes
        own = rotations.rotate(joint.frame_a, own)
    return np.asarray(rotations.rotate(turn, np.broadcast_to(own, (len(turn), 3))))


def _turning(seen: Observer, joint: Any, samples: Samples, apart: np.ndarray) -> np.ndarray:
    """Return w_a x (r_b - r_a)."""
    own = instruments.spins(seen.system, [joint.a], samples)[:, 0]
    if not seen.system.space.quaternions:
        return np.stack([-own[:, 0] * apart[:, 1], own[:, 0] * apart[:, 0]], axis=1)
    spin = rotations.rotate(instruments.turn(seen.system, joint.a, samples.q), own)
    return np.cross(spin, apart)


def _own_axes(seen: Observer, joints: list[Joint], samples: Samples, reactions: np.ndarray) -> np.ndarray:
    """Return the (times, joints, wrench) reactions on b, in the axes of the joint on marker a."""
    out, axes = reactions.copy(), len(seen.axes)
    for k, joint in enumerate(joints):
        turn = instruments.turn(seen.system, joint.a, samples.q)
        if seen.system.space.quaternions:
            back = rotations.conjugate(rotations.product(turn, joint.frame_a))
            out[:, k, :axes], out[:, k, axes:] = (rotations.rotate(back, out[:, k, i : i + 3]) for i in (0, 3))
        else:
            x, y, c, s = out[:, k, 0].copy(), out[:, k, 1].copy(), np.cos(turn), np.sin(turn)
            out[:, k, 0], out[:, k, 1] = c * x + s * y, c * y - s * x
    return out


def _efforts(seen: Observer, joints: list[Joint], samples: Samples, reactions: np.ndarray) -> np.ndarray:
    out, axes = _empty(samples, joints), len(seen.axes)
    for k, joint in enumerate(joints):
        if isinstance(joint, Motion):
            wrench = reactions[:, k, axes:] if turns(joint) else reactions[:, k, :axes]
            planar = turns(joint) and not seen.system.space.quaternions
            out[:, k] = wrench[:, 0] if planar else np.einsum("ti,ti->t", wrench, _axis(seen, joint, samples))
    return out


def _powers(seen: Observer, joints: list[Joint], samples: Samples, reactions: np.ndarray) -> np.ndarray:
    rates, speeds = _rates(seen, joints, samples), _travels(seen, joints, samples)[1]
    return _efforts(seen, joints, samples, reactions) * np.where(np.isnan(rates), speeds, rates)
