"""Faults are found by the right contract: laws, joints and elements with one error each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant_testing import check_element, check_part
from pliant_testing.probe import Probe

NUMBA_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"


@dataclass(frozen=True, eq=False)
class Rubber(pl.Between, pl.PointLaw):
    """A right one: ``f = k x^3 + c x'``."""

    units: ClassVar = {"k": "N/m^3", "c": "N s/m"}
    measures: ClassVar = ("distance",)
    numbers: ClassVar = ("k", "c")

    name: str
    a: pl.Marker
    b: pl.Marker
    k: float
    c: float = 0.4

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):
        f[0] = p[0] * x[0] ** 3 + p[1] * rate[0]
        f_x[0, 0] = 3.0 * p[0] * x[0] ** 2
        f_rate[0, 0] = p[1]

    @staticmethod
    def energy(p, x, u):
        return 0.25 * p[0] * x[0] ** 4


def law(**given: Any) -> type[Rubber]:
    """Return the right law with a change; a field makes it a kind of its own."""
    changed = dict(given)
    fields = {"__annotations__": {"size": "float"}, "size": 1.0, "numbers": ("k", "c", "size")}
    units = {"units": {"size": "1"} | changed.pop("units", {})}
    body = {"__module__": __name__, "__qualname__": "Wrong"} | fields | units | changed
    made = type(Rubber)(changed.get("__qualname__", "Wrong"), (Rubber,), body)
    return dataclass(frozen=True, eq=False)(made)


STIFFNESS, DAMPING, SIGN, ENERGY, NOTHING = 1.0, 2.0, 3.0, 4.0, 5.0


def resist_with_a_fault(p, x, rate, u, f, f_x, f_rate):
    """Return a force whose fault is a number of the law, so that the law is compiled once."""
    fault = p[3]
    size = 0.0 if fault == NOTHING else -1.0 if fault == SIGN else 1.0
    damping = 0.0 if fault == NOTHING else p[1]
    f[0] = size * p[0] * x[0] ** 3 + damping * rate[0]
    f_x[0, 0] = size * (2.0 if fault == STIFFNESS else 3.0) * p[0] * x[0] ** 2
    f_rate[0, 0] = -damping if fault == DAMPING else damping


def energy_with_a_fault(p, x, u):
    size = 0.5 if p[3] == ENERGY else 0.0 if p[3] == NOTHING else 0.25
    return size * p[0] * x[0] ** 4


def faulty(fault: float) -> dict[str, Any]:
    """Return a law with a fault."""
    fields = {"__annotations__": {"size": "float", "fault": "float"}, "fault": fault, "units": {"fault": "1"}}
    laws = {"resist": resist_with_a_fault, "energy": energy_with_a_fault}
    return fields | laws | {"numbers": ("k", "c", "size", "fault")}


def resist_wrong_shape(p, x, rate, u, f, f_x, f_rate):
    f[1] = p[0] * x[0]


def resist_that_raises(p, x, rate, u, f, f_x, f_rate):
    if x[0] > 0.0:
        raise ValueError("no such magnet")
    f[0] = 1.0


def resist_without_limit(p, x, rate, u, f, f_x, f_rate):
    f[0] = np.inf


def doubled(self: Any) -> None:
    pl.Between.__post_init__(self)
    self._set(k=2.0 * self.k)


WRONG = {
    "stiffness": (faulty(STIFFNESS), "its stiffness is not the derivative of its force by the places"),
    "damping": (faulty(DAMPING), "its damping is not the derivative of its force by the velocities"),
    "sign": (faulty(SIGN), r"its power is not what its energy gains \("),
    "energy": (faulty(ENERGY), r"its power is not what its energy gains \("),
    "shape": ({"resist": resist_wrong_shape}, "its law fails at .* IndexError"),
    "raises": ({"resist": resist_that_raises}, "its law fails at .* ValueError: no such magnet"),
    "not finite": ({"resist": resist_without_limit}, "its law is not finite"),
    "nothing": (faulty(NOTHING), "there was no force in any pose"),
    "at rest": ({"only_in_motion": True}, "it is said to act in motion only, but has a force at rest"),
    "units": ({"units": {"k": "N/m"}}, "in other units it is another force"),
    "frame": ({"ends": property(lambda self: (None, self.b)), "measures": ("x",)}, "when the mechanism is turned"),
    "file": ({"__post_init__": doubled}, "saved and loaded it is written otherwise"),
}


def wrapped(changed: dict[str, Any]) -> dict[str, Any]:
    return {key: staticmethod(each) if key in ("resist", "energy") else each for key, each in changed.items()}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_law_is_found(what: str) -> None:
    changed, message = WRONG[what]
    with pytest.raises(AssertionError, match=r"Wrong in the plane: .*" + f"({message})"):
        check_part(law(**wrapped(changed)), k=2.0)


def test_the_right_law_is_right() -> None:
    check_part(law(), k=2.0)


def test_a_law_of_z_needs_space() -> None:
    with pytest.raises(AssertionError, match=r"Wrong in the plane: it is refused: .*has none of its measures \('z',\)"):
        check_part(law(measures=("z",)), k=2.0)


def test_a_law_that_reaches_beyond_its_arrays_is_refused_by_compile() -> None:
    m = pl.Model("m")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0))
    m.add(law(resist=staticmethod(resist_wrong_shape))("wide", ground.at(0, 0), body.at(1.0, 0), k=1.0))
    with pytest.raises(ModelError, match=r'Wrong "wide": its law reaches beyond its arrays in the plane.*1 measures'):
        pl.compile(m)


def test_a_law_that_cannot_be_compiled_is_refused_by_name() -> None:
    """Plain Python can; numbers, arrays and loops it is not."""

    def resist(p, x, rate, u, f, f_x, f_rate):
        f[0] = {"pull": p[0]}.setdefault(str(x), 1.0)

    if NUMBA_OFF:
        pytest.skip("nothing is compiled")
    with pytest.raises(AssertionError, match=r"Wrong in the plane: it is refused: .*Wrong.*its kernel 'add' cannot be"):
        check_part(law(resist=staticmethod(resist)), k=2.0)


def test_a_kernel_that_raises_stops_the_run() -> None:
    m = pl.Model("m")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0, position=(1.0, 0.0)))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()))
    m.add(law(resist=staticmethod(resist_that_raises))("bad", ground.at(0, 0), body.at(), k=1.0))
    with pytest.raises(ValueError, match="no such magnet"):
        pl.statics(pl.compile(m))


def turned(self: pl.Joint, spatial: bool) -> list[Condition]:
    """Return a turn along an axis of the ground."""
    return [Condition((Term("point", "x"),), ASSEMBLED)]


def other_in_space(self: pl.Joint, spatial: bool) -> list[Condition]:
    return [Condition((Term("place", "y" if spatial else "x"),), ASSEMBLED)]


def no_rows(self: pl.Joint, spatial: bool) -> list[Condition]:
    return [] if spatial else [Condition((Term("distance"),), ASSEMBLED)]


def long(self: pl.Joint, spatial: bool) -> list[Condition]:
    return [Condition((Term("distance"),), 0.8)]


JOINTS = {
    "frame": (turned, "the plane: its conditions do not hold when the mechanism is turned and shifted"),
    "plane and space": (other_in_space, "the plane: in space its conditions do not hold where they do in the plane"),
    "no rows": (no_rows, "would be ignored: nothing computes a Held in space"),
    "units": (long, "in other units its conditions are others"),
}


@pytest.mark.parametrize("what", JOINTS)
def test_a_wrong_joint_is_found(what: str) -> None:
    conditions, message = JOINTS[what]

    @dataclass(frozen=True, eq=False)
    class Held(pl.Joint):
        """A joint with the conditions above."""

    Held.conditions = conditions  # type: ignore[method-assign]
    with pytest.raises(AssertionError, match=r"Held .*" + message):
        check_part(Held)


def test_wrong_derivatives_of_rows_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jacobian and Hessian come from shared kernels: here they are bent afterwards."""
    whole = Probe.matrices

    def bent(which: int) -> Any:
        def matrices(self: Probe, *given: Any) -> Any:
            found = list(whole(self, *given))
            found[which] = found[which] * 1.001
            return tuple(found)

        return matrices

    monkeypatch.setattr(Probe, "matrices", bent(3))
    with pytest.raises(AssertionError, match="Revolute in the plane: its Jacobian is not the derivative"):
        check_part(pl.Revolute)
    monkeypatch.setattr(Probe, "matrices", bent(0))
    with pytest.raises(AssertionError, match="Revolute in the plane: its stiffness is not the derivative"):
        check_part(pl.Revolute)


@pytest.mark.parametrize(
    ("function", "place", "message"),
    [
        ("matrices", 0, "its stiffness is not"),
        ("matrices", 1, "its damping is not"),
        ("matrices", 2, "its mass is not"),
        ("energy", None, "its power is not"),
        ("power", 1, "its power is not"),
    ],
)
def test_a_wrong_element_is_found(function: str, place: int | None, message: str, monkeypatch: Any) -> None:
    whole = getattr(Probe, function)

    def bent(self: Probe, *given: Any) -> Any:
        found = whole(self, *given)
        if place is None:
            return 1.001 * found
        return tuple(1.001 * each if k == place else each for k, each in enumerate(found))

    monkeypatch.setattr(Probe, function, bent)
    with pytest.raises(AssertionError, match=r"Corotational.* in the plane: " + message):
        check_element(pl.Corotational())


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(TypeError, match="give a class of joints or forces"):
        check_part(pl.Body)
    with pytest.raises(TypeError, match="give options of a beam element"):
        check_element(pl.Spring)


def test_a_field_that_is_no_number_is_asked_for() -> None:
    with pytest.raises(TypeError, match=r"check_part\(StateForce\): function .* is needed; give function="):
        check_part(pl.StateForce)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"units": {"k": "acre"}}, "units of k: 'acre'"),
        ({"__annotations__": {"size": "float", "extra": "float"}, "extra": 1.0}, "extra is a number without units"),
        ({"__qualname__": "Spring"}, "the name Spring is taken by pliant.forces.spring.Spring"),
    ],
)
def test_what_is_refused_when_it_is_defined(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        law(**changed)
