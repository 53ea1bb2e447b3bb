"""Parts of another package that are not whole: refused by name where nothing computes them, never ignored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant.model.conditions import Condition, Term
from pliant_testing import check_element, check_part
from pliant_testing.probe import Probe
from tests.stranger.conftest import SOURCE

WIND = '''
"""A force with kernels of its own."""

from dataclasses import dataclass
from typing import ClassVar

import pliant as pl


@dataclass(frozen=True, eq=False)
class FlatWind(pl.Load):
    """Pushes a marker along x."""

    units: ClassVar = {"force": "N"}
    name: str
    marker: pl.Marker
    force: float
'''
PLANAR = """
from typing import NamedTuple

import numpy as np
from flat_parts.wind import FlatWind

from pliant.jit import kernel


class Arrays(NamedTuple):
    dofs: np.ndarray
    slots: np.ndarray
    force: np.ndarray


def pack(layout):
    parts = list(layout.forces(FlatWind))
    force = np.array([part.force for part in parts], float)
    dofs = layout.dofs([layout.node(part.marker) for part in parts])
    return Arrays(dofs, np.empty((len(parts), 0), np.uint32), force)


@kernel
def add(part, r):
    for e in range(part.force.size):
        r[part.dofs[e, 0]] -= part.force[e]


@kernel
def energy(part, q):
    total = 0.0
    for e in range(part.force.size):
        total -= part.force[e] * q[part.dofs[e, 0]]
    return 0.0, total
"""


@pytest.fixture(scope="module")
def flat_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with kernels for the plane only: an element, and a force."""
    site = tmp_path_factory.mktemp("flat")
    for name in ("__init__.py", "planar.py"):
        text = (SOURCE / "strange_parts" / "bernoulli" / name).read_text()
        (site / "flat_parts" / "bernoulli").mkdir(parents=True, exist_ok=True)
        text = text.replace("strange_parts", "flat_parts").replace("Bernoulli", "FlatBernoulli")
        (site / "flat_parts" / "bernoulli" / name).write_text(text)
    (site / "flat_parts" / "wind").mkdir()
    (site / "flat_parts" / "__init__.py").write_text('"""Parts of the plane."""\n')
    (site / "flat_parts" / "wind" / "__init__.py").write_text(WIND)
    (site / "flat_parts" / "wind" / "planar.py").write_text(PLANAR)
    return site


@pytest.fixture
def flat(flat_site: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(flat_site))
    import flat_parts.bernoulli
    import flat_parts.wind

    from pliant.model.kinds import KINDS

    KINDS["FlatWind"] = flat_parts.wind.FlatWind
    return flat_parts


def cart(plane: str | None) -> tuple[pl.Model, Any, Any]:
    m = pl.Model("cart", plane=plane)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=1.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()))
    return m, ground, body


def test_a_force_with_kernels_of_the_plane_works_there_and_is_refused_in_space(flat: Any) -> None:
    m, _, body = cart("xy")
    m.add(flat.wind.FlatWind("wind", body.at(), 3.0))
    run = pl.transient(pl.compile(m), end_time=1.0, step=0.1)
    assert float(run.position.values[-1].ravel()[0]) == pytest.approx(0.5 * 3.0 / 2.0, rel=1e-9)
    m, _, body = cart(None)
    m.add(flat.wind.FlatWind("wind", body.at(), 3.0))
    message = (
        r'FlatWind "wind" would be ignored: nothing computes a FlatWind in space.*the plane only: write spatial.py'
    )
    with pytest.raises(ModelError, match=message):
        pl.compile(m)
    with pytest.raises(AssertionError, match=r"FlatWind of the plane, in space: it is refused: .*write spatial.py"):
        check_part(flat.wind.FlatWind)


def test_an_element_with_kernels_of_the_plane_is_refused_in_space(flat: Any) -> None:
    m = pl.Model("beam", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)))
    message = (
        r'Beam "beam" would be ignored: nothing computes a Beam with elements FlatBernoulli\(elements=3\) in space'
    )
    with pytest.raises(ModelError, match=message):
        pl.compile(m, elements=flat.bernoulli.FlatBernoulli(3))
    with pytest.raises(AssertionError, match=r"FlatBernoulli.*of the plane, in space: it is refused.*write spatial.py"):
        check_element(flat.bernoulli.FlatBernoulli())


def packing(**changed: Any) -> Any:
    """A function `pack` whose arrays are changed; None takes the function away."""
    return lambda pack: lambda layout: pack(layout)._replace(**{k: f(pack(layout)) for k, f in changed.items()})


def failing(pack: Any) -> Any:
    def wrong(layout: Any) -> Any:
        return pack(layout) if not layout.beams else 1 / 0

    return wrong


def asking_for_speed(add: Any) -> Any:
    def wrong(part: Any, q: Any, speed: Any) -> None: ...

    return wrong


def flat_where_empty(part: Any) -> Any:
    return part.rest if len(part.rest) else part.rest.ravel()


BROKEN = {
    "no pack": ("pack", None, "it has no pack"),
    "no energy": ("energy", None, "it has no energy, which belongs to its meshes"),
    "no stations": ("stations", None, "it has no stations, which belongs to its meshes"),
    "argument": (
        "add",
        asking_for_speed,
        r"its kernel add\(part, q, speed\) is given part, and by their names any of q",
    ),
    "raises": ("pack", failing, r"its pack\(layout\) fails: ZeroDivisionError: division by zero"),
    "no arrays": ("pack", lambda pack: lambda layout: (1, 2), "gives no named tuple with dofs and slots"),
    "single": (
        "pack",
        packing(rest=lambda part: part.rest.astype("f4")),
        "rest of its Arrays is of type float32; float64 and uint32 are known",
    ),
    "deep": ("pack", packing(rest=lambda part: part.rest[:, None, None]), "rest of its Arrays has 4 dimensions"),
    "empty": (
        "pack",
        packing(rest=flat_where_empty),
        "rest of its Arrays has 2 dimensions of float64, and 1 of float64 without elements",
    ),
    "narrow": ("pack", packing(dofs=lambda part: part.dofs[:, :5]), "dofs have 5 columns; 2 nodes have 6 freedoms"),
    "beyond": ("pack", packing(dofs=lambda part: part.dofs + 900), r"dofs contain 9\d\d; all nodes .* below 15"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_family_that_is_not_whole_is_refused(what: str, flat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code would read and write beside its arrays."""
    import flat_parts.bernoulli.planar as family

    from pliant.system.packing import catalogue, family_checks

    name, changed, message = BROKEN[what]
    for home, remembered in ((family_checks, "check_members"), (family_checks, "_types_of"), (catalogue, "empty")):
        getattr(home, remembered).cache_clear()
        monkeypatch.setattr(home, remembered, getattr(home, remembered).__wrapped__)
    if changed is None:
        monkeypatch.delattr(family, name)
    else:
        monkeypatch.setattr(family, name, changed(getattr(family, name)))
    m = pl.Model("beam")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), angle=0.0))
    with pytest.raises(ModelError, match=rf"flat_parts\.bernoulli\.planar: .*{message}"):
        pl.compile(m, elements=flat.bernoulli.FlatBernoulli(3))


def test_an_element_that_does_not_state_its_mesh_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Coarse: a beam element states elements, order, mass.*order is missing"):

        class Coarse(pl.BeamElement):
            """The nodes of an element are unknown."""

            elements: int = 2
            mass: ClassVar[str] = "lumped"


def test_two_elements_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Exact: the name Exact is taken by pliant.elements.beam_exact.Exact"):

        class Exact(pl.BeamElement):
            """Files of FMUs know elements by their names."""

            elements: int = 2
            order: ClassVar[int] = 1
            mass: ClassVar[str] = "lumped"


def test_an_element_that_is_no_dataclass_is_refused() -> None:
    class Undecorated(pl.BeamElement):
        """Something above it was forgotten."""

        elements: int = 2
        order: ClassVar[int] = 1
        mass: ClassVar[str] = "lumped"

    m = pl.Model("beam")
    m.add(pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL)))
    with pytest.raises(OptionError, match=r"beam 'beam': .*Undecorated is no dataclass; write @dataclass"):
        pl.compile(m, elements=Undecorated())
    with pytest.raises(TypeError, match="give options of a beam element, a dataclass"):
        check_element(Undecorated())


@pytest.mark.parametrize("space", ["plane", "space"])
@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (Condition((Term("plase", "x"),)), r"a condition on plase 'x', which .* does not have; it has point, place"),
        (Condition((Term("place", "w"),)), r"a condition on place 'w', which .* does not have; it has x, y"),
        (Condition((Term("place", "x", float("nan")),)), "the factor of place is nan; it must be finite"),
        (Condition((Term("distance"),), "as asembled"), "kept is 'as asembled'; it must be a finite number, 'as guess"),
        (Condition((Term("distance"),), float("inf")), "kept is inf; it must be a finite number"),
        (Condition(()), "its conditions hold Condition.* each is a Condition of one or more Terms"),
        (Term("place", "x"), "its conditions hold Term.* each is a Condition of one or more Terms"),
    ],
)
def test_a_condition_that_no_row_can_be_made_of_is_refused(condition: Any, message: str, space: str) -> None:
    @dataclass(frozen=True, eq=False)
    class Held(pl.Joint):
        """It states what is wrong above."""

        def conditions(self, spatial: bool) -> list[Condition]:
            return [condition]

    m, ground, body = cart("xy" if space == "plane" else None)
    with pytest.raises(ModelError, match=f'Held "held": {message}'):
        m.add(Held(ground.at(0, 0), body.at(), name="held"))
    with pytest.raises(AssertionError, match=f'Held in the plane: it is refused: Held ".*": {message}'):
        check_part(Held)


def test_a_condition_of_space_is_refused_in_the_plane() -> None:
    @dataclass(frozen=True, eq=False)
    class Crossed(pl.Joint):
        """Axes at a right angle, of which the plane knows nothing."""

        def conditions(self, spatial: bool) -> list[Condition]:
            return [Condition((Term("crossed", "xy"),))]

    m, ground, body = cart("xy")
    with pytest.raises(ModelError, match=r"a condition on crossed 'xy', which the plane does not have; it has point"):
        m.add(Crossed(ground.at(0, 0), body.at()))


def test_unknown_words_of_what_is_locked_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Wobbly: locks has 'yaw'; its words are x, y, z, rx, ry, rz"):

        class Wobbly(pl.Joint):
            """It would lock nothing."""

            locks: ClassVar[tuple[str, ...]] = ("x", "yaw")


def test_a_kernel_that_raises_is_named_by_the_check(flat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here instead of a kernel, which raises as well."""

    def broken(self: Any, *given: Any) -> Any:
        raise ValueError("broken beam")

    monkeypatch.setattr(Probe, "force", broken)
    with pytest.raises(
        AssertionError, match=r"FlatBernoulli\(elements=8\) in the plane: it fails with ValueError: broken"
    ):
        check_element(flat.bernoulli.FlatBernoulli())


def test_a_joint_without_rows_is_refused() -> None:
    @dataclass(frozen=True, eq=False)
    class Loose(pl.Joint):
        """It says nothing about what it locks."""

    m, ground, body = cart("xy")
    m.add(Loose(ground.at(0, 0), body.at(), name="loose"))
    with pytest.raises(ModelError, match=r'Loose "loose" would be ignored.*states no rows for the plane'):
        pl.compile(m)
    with pytest.raises(AssertionError, match=r"Loose in the plane: it is refused: .*states no rows"):
        check_part(Loose)


def test_a_law_with_a_field_that_it_is_not_given_is_refused() -> None:
    @dataclass(frozen=True, eq=False)
    class Preloaded(pl.Spring):
        """Its preload is in no equation."""

        units: ClassVar = {"preload": "N"}
        preload: float = 1.0

    m, ground, body = cart("xy")
    m.add(Preloaded("preloaded", ground.at(0, 0), body.at(1.0, 0.0), stiffness=1.0, rest_length=0.5))
    with pytest.raises(ModelError, match=r'Preloaded "preloaded" would be ignored: nothing computes a Preloaded'):
        pl.compile(m)
    with pytest.raises(AssertionError, match=r"Preloaded in the plane: it is refused"):
        check_part(Preloaded)
