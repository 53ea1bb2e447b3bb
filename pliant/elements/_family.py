"""Definition of an element (or force) family, and search for families.

A folder of this package contains one kind of element: `__init__.py` with its options (light), and one or more family
modules whose names begin with their space: `planar.py`, `planar_order.py`, `spatial.py`. A family has

    class Arrays(NamedTuple)      dofs, slots and the family's data, one row per element; C-ordered float64 and uint32
    pack(layout) -> Arrays        numpy; `slots` is filled by compile, and `stress_start` where the family has one.
                                  ``@packs_only(Spring)`` above it names its forces: it is not called for a model
                                  without them
    add(part, ...)                kernel: r += M a + internal force, s += ck K + cc C + cm M
    energy(part, ...)             kernel: kinetic and potential energy

and may have

    power(part, ...)              kernel: supplied and dissipated power
    stress_size(part)             number of values it stores in `stress`, from `stress_start` on, between iterations
    stretch(part, q, dq, stress)  kernel: stresses after a step, for mixed integration points
    pull(part, q, stress, r)      kernel: r += B(q)^T stress, the forces of given stresses
    meshes(layout)                beams with its mesh. Every family of beams has it, and energies, stations and
                                  resultants, by which strains are checked
    stations(mesh)                places along a beam of N, V, M, element by element
    resultants(part, q, v, out)   kernel: N, V, M there, one row each, beams in the order of the layout; in space N, Vy,
                                  Vz, T, My, Mz
    alpha_masses(part)            numpy: (n, k, k) matrix that alpha multiplies, if it is not the mass
    lines(layout)                 parts that run along a line through their markers: springs, tendons
    readings(part, ..., out)      kernel: length, rate and tension of these, one row each
    touches(layout)               parts that push when a gap closes: contacts, stops
    touching(part, q, v, out)     kernel: gap, normal force and friction (3) of these, one row each
    openings(part, q, close,      kernel: for places whose gap is at most ``close`` one row each, the gap, and by up to
             who, out)            24 freedoms its rate and two of sliding (kernels/contact_gaps.py); returns the number
    places(part)                  numpy: number of all places; belongs to `openings`
    rigid(part)                   numpy: arrays of these parts as conditions, without contact forces, if that is more
                                  than a law without stiffness
    unsymmetric(part)             whether `add` also writes w: the tangent is unsymmetric
    rubbing(part)                 likewise, but in motion only
    Arrays.border                 (n, k) numbers of `layout.border(name)`: k unknowns of the border of the matrix
                                  (linalg/pattern.py) that an element is coupled to; `slots` has their rows last. If
                                  ``layout.bordered`` is not true, another family must take these parts
    gyroscopic(part)              likewise, but so little that Newton in space ignores it
    dry(part, layout)             numpy: its parts that rub, as arrays with and without dry friction (forces/_dry.py),
                                  for the choice in small motions
    coupling(part, q, v, ck, cc)  numpy: freedoms and a matrix between all of them, several times: derivatives without
                                  slots, which modes and linear models need and Newton in motion ignores

In space every moment is measured in the exponential chart of its node's frame: a part with moment m adds the derivative
of m by the spin less ``skew(m)/2``, which is the Hessian if it has a potential. The halves of all parts sum to zero in
equilibrium.

Kernels name their arguments, out of ``FUNCTIONS`` of system/packing/fused.py, or several at once: `now` (q, v, a, u)
and `into` (ck, cc, cm, r, s, w; kernels/sums.py). Nothing else must be edited to add a family; an incomplete family is
refused by name (system/packing/family_checks.py). A family is imported, and called, if a model has a part or options of
a class that its folder's `__init__.py` defines, or whose `also_computed_in` names the folder; always, if the folder
defines no class.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast


class Family(Protocol):
    """Attributes that every family module has."""

    __name__: str
    Arrays: type[Any]
    pack: Callable[[Any], Any]
    add: Callable[..., None]
    energy: Callable[..., tuple[float, float]]


@cache
def families_of(folder: str, space: str) -> tuple[Family, ...]:
    """Return the family modules of a folder, in alphabetical order; for a file, an empty tuple.

    >>> [family.__name__ for family in families_of("pliant.elements.beam_corotational", "planar")]
    ['pliant.elements.beam_corotational.planar']
    """
    found = [name for name in modules(folder) if name.startswith(space)]
    return tuple(cast(Family, importlib.import_module(f"{folder}.{name}")) for name in found)


def families(space: str = "planar", package: str = "pliant.elements") -> tuple[Family, ...]:
    """Return the family modules of every folder of a package, in alphabetical order.

    >>> [family.__name__ for family in families()][:1]
    ['pliant.elements.beam_ancf.planar']
    """
    return tuple(family for folder in folders(package) for family in families_of(folder, space))


@cache
def folders(package: str = "pliant.elements") -> tuple[str, ...]:
    """Return the full names of the folders of a package; names beginning with an underscore are private."""
    path = importlib.import_module(package).__path__
    return tuple(f"{package}.{m.name}" for m in pkgutil.iter_modules(path) if m.ispkg and not m.name.startswith("_"))


@cache
def modules(folder: str) -> tuple[str, ...]:
    """Return the names of the modules of a folder; for a file, an empty tuple."""
    if folder not in sys.modules and importlib.util.find_spec(folder.partition(".")[0]) is None:
        return ()  # code outside of modules, such as on a page of the documentation
    module: ModuleType = importlib.import_module(folder)
    return tuple(found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ())))
