"""Parts of another package that are not whole: refused by name where nothing computes them, never ignored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.testing import check_element, check_part
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

from pliant._jit import kernel


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
