"""Records of a deck: its beams in SI units, and the format of its numbers. Models are made in `load`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pliant.errors import FileError, ModelError
from pliant.model import Material, Section
from pliant.units import parse_units

LARGEST = 200_000_000  # bytes
MOST = 1_000_000  # nodes, or elements, or members of a set


@dataclass(frozen=True)
class Units:
    """Units of length and mass of a deck in SI; its time is in seconds."""

    length: float = 1.0
    mass: float = 1.0

    @staticmethod
    def of(length: str, mass: str) -> Units:
        """Return the units with these names, "mm" and "t"."""
        sizes = []
        for argument, given, exponents, example in (("length", length, (1, 0), "mm"), ("mass", mass, (0, 1), "t")):
            try:
                found = parse_units(given)
            except (ValueError, TypeError, AttributeError) as error:
                raise FileError(
                    f"{argument}={given!r}: give the deck's unit of {argument}, such as {example!r}."
                ) from error
            if (found.length, found.mass) != exponents or found.time or found.angle or found.current:
                raise FileError(f"{argument}={given!r}: that is no unit of {argument}.")
            sizes.append(float(found.factor))
        return Units(*sizes)

    @property
    def force(self) -> float:
        return self.mass * self.length

    @property
    def stress(self) -> float:
        return self.mass / self.length

    @property
    def density(self) -> float:
        return self.mass / self.length**3


@dataclass(frozen=True)
class Piece:
    """One element between two nodes; y is any direction in the plane of its section's x and y axes."""

    number: int
    a: int
    b: int
    section: str
    y: tuple[float, float, float]


@dataclass
class Deck:
    """The beams of a deck, their supports and loads; coordinates are global."""

    path: Path
    name: str
    units: Units
    nodes: dict[int, np.ndarray] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    sections: dict[str, Section] = field(default_factory=dict)
    masses: list[tuple[int, float, np.ndarray]] = field(default_factory=list)
    held: dict[int, set[int]] = field(default_factory=dict)  # freedoms 1 to 6 of nodes
    loads: dict[int, np.ndarray] = field(default_factory=dict)
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    planar: bool = False
    left_out: Counter[str] = field(default_factory=Counter)

    def fail(self, what: str) -> FileError:
        return FileError(f"{self.path}: {what}")

    def number(self, text: str, owner: str) -> float:
        """Parse a finite number, also in Nastran's form: 1.5-3 for 1.5e-3, 2.1D11."""
        word = text.strip().upper().replace("D", "E")
        place = max(word.rfind("+"), word.rfind("-"))
        if place > 0 and word[place - 1] != "E":
            word = f"{word[:place]}E{word[place:]}"
        try:
            found = float(word)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise self.fail(f"{owner}: {text.strip()!r:.40} is no finite number")
        return found

    def whole(self, text: str, owner: str) -> int:
        """Parse the number of a node, an element, a property."""
        word = text.strip()
        if not word.isascii() or not word.lstrip("+").isdigit() or len(word) > 12:
            raise self.fail(f"{owner}: {word!r:.40} is no whole number")
        return int(word)

    def material(self, name: str, constants: dict[str, float]) -> Material:
        """Make a material from E, nu or G, rho in the deck's units."""
        for key in ("E", "rho"):
            if key not in constants:
                told = {"E": "no Young's modulus", "rho": "no density"}[key]
                raise self.fail(f"material {name!r} has {told}")
        units = self.units
        try:
            return Material(
                f"material {name}",
                youngs_modulus=constants["E"] * units.stress,
                density=constants["rho"] * units.density,
                poisson_ratio=constants.get("nu"),  # type: ignore[arg-type]
                shear_modulus=constants["G"] * units.stress if "G" in constants else None,  # type: ignore[arg-type]
            )
        except ModelError as error:
            raise self.fail(f"material {name!r}: {error}") from error

    def section(self, name: str, shape: str, sizes: list[float], material: Material) -> Section:
        """Make a section: "rectangle" (height along y, width), "circle" (radius), "tube" (outer and inner radius)."""
        scaled = [size * self.units.length for size in sizes]
        try:
            if shape == "rectangle":
                return Section.rectangle(scaled[1], scaled[0], material)
            if shape == "circle":
                return Section.circle(scaled[0], material)
            return Section.tube(scaled[0], scaled[1], material)
        except (ModelError, IndexError) as error:
            raise self.fail(f"section {name!r}: {error}") from error

    def of_moments(
        self,
        name: str,
        area: float,
        moments: tuple[float, float, float],
        material: Material,
        shear: tuple[float, float],
    ) -> Section:
        """Make a section from area, second moments about z and y, torsion constant, shear factors along y and z."""
        square, fourth = self.units.length**2, self.units.length**4
        A, (Iz, Iy, J) = area * square, (each * fourth for each in moments)
        E, G, rho = material.youngs_modulus, material.shear_modulus, material.density
        try:
            return Section(
                axial_stiffness=E * A,
                shear_stiffness=shear[0] * G * A,
                bending_stiffness=E * Iz,
                mass_per_length=rho * A,
                rotary_inertia=rho * Iz,
                bending_stiffness_y=E * Iy,
                torsional_stiffness=G * J,
                shear_stiffness_z=shear[1] * G * A,
                rotary_inertia_y=rho * Iy,
            )
        except ModelError as error:
            raise self.fail(f"section {name!r}: {error}") from error

    def load(self, node: int, freedom: int, value: float) -> None:
        """Add a force (N) or moment (N m) on a node."""
        size = self.units.force * (self.units.length if freedom > 3 else 1.0)
        self.loads.setdefault(node, np.zeros(6))[freedom - 1] += value * size


def lines_of(path: Path) -> list[str]:
    """Return the lines of a deck; refuse it if it is too large or no text."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: more than {LARGEST} bytes are not read")
        content = path.read_bytes()
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    if b"\0" in content:
        raise FileError(f"{path}: is no text")
    return content.decode("utf-8", errors="replace").splitlines()
