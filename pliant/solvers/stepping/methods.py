"""Methods of time stepping as objects: values of ``method=`` in `transient`, and the words that select them.

A method defines a step and has its own options; the size of the steps (``step``, ``accuracy``, ``tolerances``) and the
records are arguments of `transient`. Every formulation lists its methods, the default first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from pliant.errors import OptionError, nearest

CONTACTS = ("penalty", "complementarity")
SCHEMES = ("generalized-alpha", "momentum")
UNDAMPED = 0.95  # spectral radius above which reactions may grow


@dataclass(frozen=True)
class Method:
    """Method of time stepping with its options.

    order  in the size of the steps, for an error estimate by a second motion with other steps; None: unknown, or the
           method bounds its errors itself
    rounds the local errors of a first and of a second motion with adaptive steps, over the accuracy of the whole
    """

    order: ClassVar[int | None] = None
    rounds: ClassVar[tuple[float, float]] = (64.0, 16.0)

    def settings(self) -> dict[str, object]:
        """Return the method's name and its options, without unset ones."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"method": type(self).__name__} | {name: value for name, value in own.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ConstraintMethod(Method):
    """Method that keeps the joints closed in one of several ways."""

    constraints: str | None = None  # None: the formulation's own way
    baumgarte: tuple[float, float] | None = None
    ways: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        way = self.constraints
        if way is not None and way not in self.ways:
            raise OptionError(f"constraints={way!r} is not known. {nearest(str(way), self.ways)}")
        if self.baumgarte is not None:
            numbers("baumgarte", self.baumgarte, 2, "(omega, zeta)")
            if way != "baumgarte" or not min(self.baumgarte) > 0.0:
                raise OptionError(
                    f"baumgarte={self.baumgarte!r}: give two positive numbers, and constraints='baumgarte'."
                )


@dataclass(frozen=True)
class Index3(ConstraintMethod, ABC):
    """Method that solves the equations with multipliers at the end of every step."""

    order = 2
    ways: ClassVar[tuple[str, ...]] = ("position", "baumgarte", "projection")

    @property
    def undamped(self) -> bool:
        """Return whether the fastest vibrations are hardly damped: with ``constraints="position"`` reactions then grow
        without bound (A. Cardona, M. Geradin 1989), so that "projection" is the default.
        """
        return self.fastest > UNDAMPED

    @property
    @abstractmethod
    def fastest(self) -> float:
        """Return the factor by which a step reduces the fastest vibrations."""


@dataclass(frozen=True)
class GeneralizedAlpha(Index3):
    """Generalized-alpha of second order on the index-3 equations (J. Chung, G. M. Hulbert 1993; M. Arnold, O. Bruls
    2007), with ``alpha_m = (2 rho - 1) / (rho + 1)`` and ``alpha_f = rho / (rho + 1)`` for a spectral radius rho.

    spectral_radius  factor by which a step reduces the fastest vibrations. 1: no numerical damping; 0: largest damping
    constraints      "position" (index 3), "projection" (velocities too), "baumgarte" (stabilisation by feedback).
                     Default: "position"; "projection" where reactions would oscillate or grow: with moving drives, and
                     above a spectral radius of 0.95
    baumgarte        (omega, zeta) of that; (10 / step, 0.7) unless given

    >>> GeneralizedAlpha(0.8, constraints="projection").settings()
    {'method': 'GeneralizedAlpha', 'constraints': 'projection', 'spectral_radius': 0.8}
    """

    spectral_radius: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers("spectral_radius", self.spectral_radius, 1, "a number between 0 and 1")
        if not 0.0 <= self.spectral_radius <= 1.0:
            raise OptionError(f"spectral_radius={self.spectral_radius!r}: it must lie between 0 and 1. Try 0.9.")

    @property
    def fastest(self) -> float:
        return self.spectral_radius


@dataclass(frozen=True)
class Newmark(Index3):
    """Newmark's family (N. M. Newmark 1959): ``q+ = q + h v + h^2 ((1/2 - beta) a + beta a+)``,
    ``v+ = v + h ((1 - gamma) a + gamma a+)``. Unless given it is the trapezoidal rule, which damps nothing.

    beta, gamma             positive; at least 1/2
    constraints, baumgarte  as of `GeneralizedAlpha`

    >>> Newmark(0.3025, 0.6).settings()
    {'method': 'Newmark', 'newmark': (0.3025, 0.6)}
    """

    beta: float = 0.25
    gamma: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        both = (self.beta, self.gamma)
        numbers("newmark", both, 2, "(beta, gamma)")
        if not (self.beta > 0.0 and self.gamma >= 0.5):
            raise OptionError(f"newmark={both!r}: beta must be positive and gamma at least 0.5. Try (0.25, 0.5).")

    @property
    def fastest(self) -> float:
        """Return the factor of the member with the most damping for this gamma, beta = (gamma + 1/2)^2 / 4."""
        return max(0.0, (1.5 - self.gamma) / (self.gamma + 0.5))

    @property
    def order(self) -> int:  # type: ignore[override]
        """Return 1 with gamma above 1/2, else 2."""
        return 2 if self.gamma == 0.5 else 1

    def settings(self) -> dict[str, object]:
        """Return the method's name and its options; beta and gamma as in the option ``newmark``."""
        own = super().settings()
        newmark = own.pop("beta"), own.pop("gamma")
        return {**own, "newmark": newmark}


@dataclass(frozen=True)
class Momentum(Method):
    """Midpoint rule that conserves linear and angular momentum of free bodies and does not dissipate energy (J. C.
    Simo, K. K. Wong 1991; O. Gonzalez 1999). Velocities are projected on the joints after every step.

    >>> Momentum().settings()
    {'method': 'Momentum'}
    """

    order = 2


@dataclass(frozen=True)
class Radau5(Method):
    """Radau IIA with three stages, of order 5, on the index-3 equations; positions and velocities are projected onto
    the joints after every step (E. Hairer, C. Lubich, M. Roche 1989; E. Hairer, G. Wanner 1996). For smooth motion:
    few, long steps whose size follows from the error. The fastest vibrations are damped.

    >>> Radau5().settings()
    {'method': 'Radau5'}
    """

    order = 3  # for stiff parts, at any step size; errors are estimated with it
    rounds = (2.0, 0.1)


@dataclass(frozen=True)
class Moreau(Method):
    """Moreau and Jean's time stepping: contacts and stops are rigid, impacts have restitution and friction (J. J.
    Moreau 1988; M. Jean 1999). Equal steps; impacts are not located within them.

    >>> Moreau().settings()
    {'method': 'Moreau'}
    """


@dataclass(frozen=True)
class RungeKutta(ConstraintMethod):
    """Method for ordinary differential equations with adaptive steps.

    constraints  with joints: "projection" (joints that drift are closed after a step), "baumgarte" (feedback), "none"
    baumgarte    (omega, zeta) of the stabilisation; default: ten times the rate of the initial motion, and 1
    """

    ways: ClassVar[tuple[str, ...]] = ("projection", "baumgarte", "none")


@dataclass(frozen=True)
class DOP853(RungeKutta):
    """Dormand and Prince's explicit method of order 8 (E. Hairer, S. P. Norsett, G. Wanner 1993). Options as of
    `RK45`.

    >>> DOP853(constraints="none").settings()
    {'method': 'DOP853', 'constraints': 'none'}
    """


@dataclass(frozen=True)
class RK45(RungeKutta):
    """Dormand and Prince's explicit method of order 5 (1980).

    constraints  with joints: "projection" (default; joints that drift apart are closed after a step), "baumgarte"
                 (stabilisation by feedback), "none"
    baumgarte    (omega, zeta) of the stabilisation; default: ten times the rate of the initial motion, and 1

    >>> RK45(constraints="baumgarte", baumgarte=(100.0, 1.0)).settings()
    {'method': 'RK45', 'constraints': 'baumgarte', 'baumgarte': (100.0, 1.0)}
    """


@dataclass(frozen=True)
class RK23(RungeKutta):
    """Bogacki and Shampine's explicit method of order 3 (1989). Options as of `RK45`.

    >>> RK23().settings()
    {'method': 'RK23'}
    """


@dataclass(frozen=True)
class DiagonallyImplicit(RungeKutta):
    """Method for stiff motion whose stages are solved in turn, with one matrix."""


@dataclass(frozen=True)
class SDIRK4(DiagonallyImplicit):
    """Five diagonally implicit stages of order 4, L-stable, for stiff motion (E. Hairer, G. Wanner 1996, table IV.6.5).
    Options as of `RK45`.

    >>> SDIRK4(constraints="projection").settings()
    {'method': 'SDIRK4', 'constraints': 'projection'}
    """


@dataclass(frozen=True)
class TRBDF2(DiagonallyImplicit):
    """The trapezoidal rule over 59 % of a step, then backward differentiation of order 2: L-stable, for stiff motion at
    low accuracy. It is MATLAB's ``ode23tb`` (R. E. Bank et al. 1985; M. E. Hosea, L. F. Shampine 1996, with their
    estimate of order 3). Options as of `RK45`.

    >>> TRBDF2().settings()
    {'method': 'TRBDF2'}
    """


@dataclass(frozen=True)
class ByScipy(RungeKutta):
    """Method of scipy, whose states cannot be changed between steps."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.constraints == "projection":
            raise OptionError(
                f"constraints='projection': scipy's {type(self).__name__} cannot be moved between its steps. Take "
                "'baumgarte' or 'none', or one of DOP853, RK45, RK23, SDIRK4, TRBDF2."
            )


@dataclass(frozen=True)
class Radau(ByScipy):
    """Scipy's Radau IIA of order 5, for stiff motion. ``constraints``: "none" (unless given) or "baumgarte".

    >>> Radau().settings()
    {'method': 'Radau'}
    """


@dataclass(frozen=True)
class BDF(ByScipy):
    """Scipy's backward differentiation, for stiff motion. ``constraints``: "none" (unless given) or "baumgarte".

    >>> BDF(constraints="baumgarte").settings()
    {'method': 'BDF', 'constraints': 'baumgarte'}
    """


@dataclass(frozen=True)
class LSODA(ByScipy):
    """Scipy's LSODA: Adams, or backward differentiation where it is stiff. ``constraints`` as of `BDF`.

    >>> LSODA().settings()
    {'method': 'LSODA'}
    """


KNOWN: dict[str, type[Method]] = {
    kind.__name__: kind
    for kind in (
        *(GeneralizedAlpha, Newmark, Momentum, Radau5, Moreau),
        *(DOP853, RK45, RK23, SDIRK4, TRBDF2, Radau, BDF, LSODA),
    )
}
Kinds = Sequence[type[Method]]


def choose(words: Mapping[str, Any], kinds: Kinds, formulation: str) -> Method:
    """Return the method for the words of `transient`, for a formulation with these kinds.

    words  ``method`` (an object, its class or its name), or instead of it ``spectral_radius``, ``newmark``, ``scheme``,
           ``contact``; ``constraints`` and ``baumgarte`` with any method that has them. None: not given

    >>> choose({"newmark": (0.25, 0.5), "constraints": "projection"}, [GeneralizedAlpha, Newmark], "dae")
    Newmark(constraints='projection', baumgarte=None, beta=0.25, gamma=0.5)
    >>> choose({"method": "radau"}, [GeneralizedAlpha, Radau5], "dae")
    Radau5()
    """
    given = {name: value for name, value in words.items() if value is not None}
    soft = given.get("contact") == "penalty"
    if soft:
        del given["contact"]
    found = _of(given, kinds, formulation)
    if soft and isinstance(found, Moreau):
        raise OptionError("contact='penalty': not with the method Moreau, of rigid contacts. Leave one of them out.")
    return found


def _of(given: dict[str, Any], kinds: Kinds, formulation: str) -> Method:
    """Choose the method from the options that are not None."""
    method = given.pop("method", None)
    if isinstance(method, type) and issubclass(method, Method):
        method = method.__name__
    if isinstance(method, Method):
        for name in given:
            raise OptionError(f"{name} and method={method!r}: give one of them; the method has options of its own.")
        return _check_known(method, f"method={type(method).__name__}", kinds, formulation)
    if method is not None:
        given["method"] = _by_name(str(method), kinds)
    return _translate(given, kinds, formulation)


def _by_name(name: str, kinds: Kinds) -> type[Method]:
    """Return the method with a name, in any case; a prefix suffices for the formulation's own methods."""
    exact = {kind.__name__.lower(): kind for kind in KNOWN.values()}.get(name.lower())
    begun = [kind for kind in kinds if kind.__name__.lower().startswith(name.lower())]
    if exact in kinds or len(begun) != 1:
        if exact is None:
            raise OptionError(f"method={name!r} is not known. {nearest(name, [kind.__name__ for kind in kinds])}")
        return exact
    return begun[0]


def _translate(given: dict[str, Any], kinds: Kinds, formulation: str) -> Method:
    """Return the method that words select: each names one kind, except options that several kinds share."""
    contact, scheme = given.pop("contact", None), given.pop("scheme", None)
    if contact is not None:
        if contact not in CONTACTS:
            raise OptionError(f"contact={contact!r} is not known. {nearest(str(contact), CONTACTS)}")
        why = "which has a time stepping of its own. Leave it out, or take contact='penalty'"
        _refuse_others("contact='complementarity'", given, why)
        return _check_known(Moreau(), "contact='complementarity'", kinds, formulation)
    if scheme is not None and scheme not in SCHEMES:
        raise OptionError(f"scheme={scheme!r} is not known. {nearest(str(scheme), SCHEMES)}")
    if scheme == "momentum":
        _refuse_others("scheme='momentum'", given, "which has no such choice. Give one of them")
        return _check_known(Momentum(), "scheme='momentum'", kinds, formulation)
    shared: dict[str, Any] = {name: given.pop(name) for name in ("constraints", "baumgarte") if name in given}
    if len(given) > 1:
        raise OptionError(f"{' and '.join(given)}: give one of them; each is a method of its own.")
    if scheme is not None and not given:
        given["spectral_radius"] = GeneralizedAlpha.spectral_radius
    if not given:
        return _make(kinds[0], shared)
    ((word, value),) = given.items()
    if word == "method":
        return _check_known(_make(value, shared), f"method={value.__name__!r}", kinds, formulation)
    if word == "newmark":
        numbers("newmark", value, 2, "(beta, gamma)")
        return _check_known(Newmark(*value, **shared), word, kinds, formulation)
    return _check_known(GeneralizedAlpha(value, **shared), word, kinds, formulation)


def _make(kind: type[Method], shared: Mapping[str, Any]) -> Method:
    if shared and not issubclass(kind, ConstraintMethod):
        raise OptionError(f"{', '.join(shared)}: not an option of the method {kind.__name__}. Leave it out.")
    return kind(**shared)


def _refuse_others(what: str, others: Mapping[str, Any], why: str) -> None:
    for name in others:
        raise OptionError(f"{name}: not with {what}, {why}.")


def _check_known(method: Method, what: str, kinds: Kinds, formulation: str) -> Method:
    if not isinstance(method, tuple(kinds)):
        raise OptionError(
            f"{what}: not an option of the formulation {formulation!r}, which knows the methods "
            f"{', '.join(kind.__name__ for kind in kinds)}. Take one of them, or compile with another formulation=."
        )
    return method


def numbers(name: str, values: Any, count: int, example: str) -> None:
    """Refuse anything but ``count`` finite numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        array = np.empty(0)
    if array.size != count or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise OptionError(f"{name}={values!r}: give {example}.")
