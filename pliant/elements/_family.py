"""What an element (or force) family is, and how families are found.

A folder of this package holds one kind of element: `__init__.py` with its options (light), and one or more family
modules whose names begin with the space they live in: `planar.py`, `planar_order.py`, `spatial.py`. A family has

    class Arrays(NamedTuple)      dofs, slots and the family's data, one row per element; C-ordered float64 and uint32
    pack(layout) -> Arrays        numpy; `slots` is filled by compile, and `stress_start` where the family has one.
                                  ``@packs_only(Spring)`` above it says which forces it is of, and nothing else: it is
                                  not asked where a model has none
    add(part, ...)                kernel: r += M a + internal force, s += ck K + cc C + cm M
    energy(part, ...)             kernel: kinetic and potential energy

and may have

    power(part, ...)              kernel: supplied and dissipated power
    stress_size(part)             how many numbers it keeps in `stress`, from `stress_start` on, between iterations
    stretch(part, q, dq, stress)  kernel: stresses after a step, for mixed integration points
    pull(part, q, stress, r)      kernel: r += B(q)^T stress, the forces of given stresses
    meshes(layout)                beams that it is the mesh of. Every family of beams has it, and energies, stations and
                                  resultants, by which strains are checked
    stations(mesh)                where along a beam N, V, M are known, element by element
    resultants(part, q, v, out)   kernel: N, V, M there, one row each, beams in the order of the layout; in space N, Vy,
                                  Vz, T, My, Mz
    alpha_masses(part)            numpy: (n, k, k) what alpha multiplies, where it is not the mass
    lines(layout)                 parts that run along a line through their markers: springs, tendons
    readings(part, ..., out)      kernel: length, rate and tension of those, one row each
    touches(layout)               parts that push when a gap closes: contacts, stops
    touching(part, q, v, out)     kernel: gap, normal force and friction (3) of those, one row each
    openings(part, q, close,      kernel: of their places whose gap is at most ``close`` one row each, the gap, and by
             who, out)            up to 24 freedoms its rate and two of sliding (kernels/contact_gaps.py); returns how
             many
    places(part)                  numpy: how many places they have in all; belongs to `openings`
    rigid(part)                   numpy: arrays of the same parts as conditions, that push with no force of their own,
                                  where that is more than a law without stiffness
    unsymmetric(part)             whether `add` also writes w: the tangent is not symmetric
    rubbing(part)                 the same, but in motion only
    Arrays.border                 (n, k) numbers of `layout.border(name)`: k unknowns of the border of the matrix
                                  (linalg/pattern.py) that an element is coupled to; `slots` has their rows last. Where
                                  ``layout.bordered`` is not true, another family has to take the same parts
    gyroscopic(part)              the same, but so little that Newton in space does without
    dry(part, layout)             numpy: its parts that rub, as arrays with and without dry friction (forces/_dry.py):
                                  small motions ask what to do with it
    coupling(part, q, v, ck, cc)  numpy: freedoms and a matrix between all of them, several times: derivatives without
                                  slots, which modes and linear models need and Newton in motion does without

In space every moment is measured in the exponential chart of its node's frame: a part whose moment is m adds the
derivative of m by the spin less ``skew(m)/2``, which is the Hessian where it has a potential. The halves of all parts
sum to zero in equilibrium.

Kernels ask for what they need by parameter name, out of ``FUNCTIONS`` of system/packing/fused.py, or for several at
once: `now`
(q, v, a, u) and `into` (ck, cc, cm, r, s, w; kernels/sums.py). Nothing else has to be edited to add a family; what is
not whole is refused by name (system/packing/family_checks.py). A family is imported, and asked, where a model has a
part or
options of a class that its folder's `__init__.py` defines, or whose `also_computed_in` names the folder; always, if
the folder defines no class.
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
    """The part of a family module that every family has."""

    __name__: str
    Arrays: type[Any]
    pack: Callable[[Any], Any]
    add: Callable[..., None]
    energy: Callable[..., tuple[float, float]]


@cache
def families_of(folder: str, space: str) -> tuple[Family, ...]:
    """Family modules of a folder, in alphabetical order; none of a file.

    >>> [family.__name__ for family in families_of("pliant.elements.beam_corotational", "planar")]
    ['pliant.elements.beam_corotational.planar']
    """
    found = [name for name in modules(folder) if name.startswith(space)]
    return tuple(cast(Family, importlib.import_module(f"{folder}.{name}")) for name in found)


def families(space: str = "planar", package: str = "pliant.elements") -> tuple[Family, ...]:
    """Family modules of every folder of a package, in alphabetical order.

    >>> [family.__name__ for family in families()][:1]
    ['pliant.elements.beam_ancf.planar']
    """
    return tuple(family for folder in folders(package) for family in families_of(folder, space))


@cache
def folders(package: str = "pliant.elements") -> tuple[str, ...]:
    """Full names of the folders of a package; those beginning with an underscore are private."""
    path = importlib.import_module(package).__path__
    return tuple(f"{package}.{m.name}" for m in pkgutil.iter_modules(path) if m.ispkg and not m.name.startswith("_"))


@cache
def modules(folder: str) -> tuple[str, ...]:
    """Names of the modules of a folder; none of a file."""
    if folder not in sys.modules and importlib.util.find_spec(folder.partition(".")[0]) is None:
        return ()  # code that is in no module, such as that of a page of the documentation
    module: ModuleType = importlib.import_module(folder)
    return tuple(found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ())))
