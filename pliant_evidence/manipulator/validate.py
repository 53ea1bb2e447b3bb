"""Flexible manipulators: appendix A, generated matrices and an independent derivation against each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.manipulator.appendix_a import MISPRINTS, SIZE, Kinked
from pliant_evidence.manipulator.theory import Arm, Element
from pliant_testing.validation import Row, absolute, at_most, case, relative

EXACT = 1e-12  # issue 7
CONFIGURATIONS = 20
PAPER = "manipulator paper"


@case("manipulator-matrices", source=f"{PAPER}, appendix A, equations 6, 14, 19 and 23")
def matrices() -> Iterator[Row]:
    """Appendix A with its misprints corrected, generated matrices, and energies differentiated by themselves."""
    yield from itertools.chain(closed_form(), misprints(), two_forms(), any_arm())


def closed_form() -> Iterator[Row]:
    """Check two elements of different data with a kink, in SI units made non-dimensional, at random configurations."""
    errors: dict[str, list[float]] = {}
    for Q, rate, closed, system, scale in configurations():
        q, v = Q * scale.unit, rate * scale.unit / scale.time
        pairs = {
            "mass matrix M": (closed.mass(Q), scale.matrix(system.mass_matrix(q), inertia=True)),
            "stiffness K": (closed.stiffness(), scale.matrix(system.stiffness)),
            "geometric stiffness, eq. 14": (
                closed.geometric_stiffness(Q),
                scale.matrix(system.geometric_stiffness(q, form="force")),
            ),
            "elastic forces": (closed.elastic_forces(Q), scale.vector(system.gradient(q))),
            "centrifugal and Coriolis terms": (closed.inertia_forces(Q, rate), scale.vector(system.bias(q, v))),
        }
        for name, (reference, found) in pairs.items():
            errors.setdefault(name, []).append(off(found, reference))
    for name, values in errors.items():
        yield at_most(
            f"appendix A: {name}, {len(values)} configurations",
            "of its largest",
            max(values),
            limit=EXACT,
            kind="published",
        )


def misprints() -> Iterator[Row]:
    """Check every entry that is wrong in print, corrected; and that these are all."""
    worst = dict.fromkeys(MISPRINTS, 0.0)
    wrong: set[tuple[int, int]] = set()
    for Q, _, closed, system, scale in configurations():
        found = scale.matrix(system.geometric_stiffness(Q * scale.unit, form="force"))
        right, printed = closed.geometric_stiffness(Q), closed.geometric_stiffness(Q, printed=True)
        size = np.abs(right).max()
        wrong |= {(int(i) + 1, int(j) + 1) for i, j in np.argwhere(np.triu(np.abs(printed - found)) > 1e-6 * size)}
        for i, j in worst:
            worst[i, j] = max(worst[i, j], abs(right[i - 1, j - 1] - found[i - 1, j - 1]) / size)
    for (i, j), why in MISPRINTS.items():
        yield at_most(
            f"Delta K({i},{j}) corrected; in print {why}", "of the largest", worst[i, j], limit=EXACT, kind="exact"
        )
    yield absolute("entries of Delta K wrong in print", "1", len(MISPRINTS), len(wrong), tolerance=0.0, kind="itself")
    others = wrong - set(MISPRINTS)
    yield absolute("of these not in our list", "1", 0.0, len(others), tolerance=0.0, kind="itself")


def two_forms() -> Iterator[Row]:
    """Check that eq. 10 and eq. 14 cannot share one Delta K: with appendix A's, eq. 10 is half as much again."""
    ratios = []
    for Q, _, closed, system, scale in configurations():
        q = Q * scale.unit
        third = system.potential(q) - 0.5 * q @ system.stiffness @ q
        ratios.append(0.5 * Q @ closed.geometric_stiffness(Q) @ Q * scale.energy / third)
    yield relative(
        "eq. 10 with the Delta K of eq. 14, of the third-order energy",
        "1",
        1.5,
        ratios[0],
        tolerance=1e-8,
        kind="exact",
    )
    yield at_most("the same at all configurations: range", "1", float(np.ptp(ratios)), limit=1e-8, kind="exact")


def any_arm() -> Iterator[Row]:
    """Check other arms and options against energies differentiated by complex steps and Cauchy's integral."""
    random = np.random.default_rng(2)
    for name, arm, options in arms():
        each = 1 if arm.frames == "element" else 2
        given = chain(arm.elements[::each], times=each)
        system = pl.compile(
            given,
            formulation="kinked",
            elements=each,
            frames=arm.frames,
            **{"strain": "nonlinear", "shear": False, **options},
        )
        order = places(arm, system, each)
        worst = np.zeros(4)
        for _ in range(5):
            Q, rate = random.uniform(-0.4, 0.4, arm.size), random.standard_normal(arm.size)
            q, v = Q[order], rate[order]
            found = (system.mass_matrix(q), system.bias(q, v), system.gradient(q), system.hessian(q))
            table = np.ix_(order, order)
            reference = (
                arm.mass(Q)[table],
                arm.inertia_forces(Q, rate)[order],
                arm.elastic_forces(Q)[order],
                arm.tangent(Q)[table],
            )
            worst = np.maximum(worst, [off(a, b) for a, b in zip(found, reference, strict=True)])
        for what, error in zip(("M", "h", "grad V", "Hessian of V"), worst, strict=True):
            # the Hessian's reference is a difference of energies: it has fewer digits
            limit = 1e-9 if what == "Hessian of V" else EXACT
            yield at_most(f"{name}: {what}", "of its largest", error, limit=limit, kind="independent code")


def arms() -> Iterator[tuple[str, Arm, dict[str, str]]]:
    """Yield arms of the independent derivation and the options that give the same."""
    first = Element(1.0, 3000.0, 1.3, 1.0, joint=True)
    bent, straight = Element(0.7, 2000.0, 0.8, 0.6, kink=0.9), Element(0.8, 2500.0, 1.1, 0.9)
    second = Element(0.9, 1500.0, 0.6, 0.7, joint=True)
    yield "kinked 1R, nonlinear", Arm([first, bent]), {}
    yield "kinked 1R, linear", Arm([first, bent], third=False, fourth=False), {"strain": "linear"}
    yield "2R, component modes", Arm([first, second]), {}
    yield "2R, system modes", Arm([first, second], system=True), {"modes": "system"}
    yield "3R with a kink", Arm([first, bent, second, second]), {}
    yield (
        "3R, system modes",
        Arm([first, second, second], system=True, fourth=False),
        {
            "modes": "system",
            "strain": "third",
        },
    )
    yield "3R, four elements, frames of tangents", Arm([first, straight, second, second]), {}
    halves = [first, replace(first, joint=False), second, replace(second, joint=False)]
    yield "2R, four elements, frames of links", Arm(halves, frames="link"), {}


def chain(elements: Any, *, times: int = 1) -> pl.Model:
    """Build beams, each so many times as long as an element, joined by rotary joints or welded at their kinks."""
    m = pl.Model("chain", plane="xy")
    end, angle, place = m.add(pl.Ground()).at(0.0, 0.0), 0.0, np.zeros(2)
    for k, element in enumerate(elements):
        angle += element.kink
        section = pl.Section(element.axial, element.axial, element.bending, element.density)
        length = times * element.length
        beam = m.add(pl.Beam(f"beam{k}", length=length, section=section, angle=angle, position=(place[0], place[1])))
        joint = pl.Revolute if element.joint else pl.Weld
        m.add(joint(end, beam.at(s=0), name=f"joint{k}"))
        end, place = beam.at(s=1), place + length * np.array([np.cos(angle), np.sin(angle)])
    return m


def places(arm: Arm, system: Any, each: int) -> np.ndarray:
    """Return the indices of the system's coordinates, `each` elements a beam, in the other derivation."""
    joints = [f"joint{k // each}" for k, element in enumerate(arm.elements) if element.joint]
    nodes = [f"beam{k // each}:{k % each + 1}" for k in range(len(arm.elements))]
    ours = joints + [f"{node}:{what}" for node in nodes for what in ("u", "w", "phi")]
    return np.array([ours.index(name) for name in system.names])


class Scale:
    """Non-dimensional form of section 3.5, by hand: by L, L / U_g and rho A L of the first part."""

    def __init__(self, length: float, velocity: float, density: float) -> None:
        self.unit = np.where(np.isin(np.arange(SIZE), (0, 3, 6)), 1.0, length)
        self.time = length / velocity
        self.energy = density * length * velocity**2

    def matrix(self, values: np.ndarray, *, inertia: bool = False) -> np.ndarray:
        """Return a stiffness, or a mass matrix."""
        return np.asarray(self.unit[:, None] * values * self.unit / (self.energy * (self.time**2 if inertia else 1.0)))

    def vector(self, values: np.ndarray) -> np.ndarray:
        """Return the generalised forces."""
        return np.asarray(self.unit * values / self.energy)


def configurations() -> Iterator[tuple[np.ndarray, np.ndarray, Kinked, Any, Scale]]:
    """Yield Q, Q', appendix A, the generated system, and its units; kink, ratios and all at random."""
    random = np.random.default_rng(1)
    for _ in range(CONFIGURATIONS):
        L1, density, m, L = random.uniform(0.5, 2.0, 4)
        bending, axial = random.uniform(20.0, 100.0, 2), random.uniform(1000.0, 5000.0, 2)
        closed = Kinked(bending[0], axial[0], bending[1], axial[1], m, L, float(random.uniform(-2.0, 2.0)))
        lengths, masses = (L1, L * L1), (density, m * density)
        parts = [
            Element(length, mass * a**2, mass * (g * length) ** 2, mass, joint=not k, kink=k * closed.kink)
            for k, (length, mass, a, g) in enumerate(zip(lengths, masses, axial, bending, strict=True))
        ]
        system = pl.compile(chain(parts), formulation="kinked", elements=1, strain="third", shear=False)
        Q = np.append(random.uniform(-3.0, 3.0), random.uniform(-0.3, 0.3, SIZE - 1))
        yield Q, random.standard_normal(SIZE), closed, system, Scale(L1, bending[0], density)


def off(found: np.ndarray, reference: np.ndarray) -> float:
    """Return the largest difference, of the largest value."""
    return float(np.abs(found - reference).max() / np.abs(reference).max())
