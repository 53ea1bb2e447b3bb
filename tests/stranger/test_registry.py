"""Parts defined outside the package: known by being defined, saved, drawn, and refused where nothing computes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pliant as pl
from pliant.elements._options import BeamElement
from pliant.errors import FileError, ModelError, PliantWarning
from pliant.model import Joint, Marker
from pliant.model.files import io
from pliant.model.kinds import KINDS, find
from pliant.model.parts import Between, Load, Part
from pliant.model.signals.base import SignalLike
from pliant.system.numbering.spatial_layout import SpatialLayout
from pliant.system.observation.labels import labels_of


@dataclass(frozen=True, eq=False)
class BareMagnet(Between, Load):
    """A force without kernels."""

    units: ClassVar = {"strength": "N m^2", "current": "1"}

    name: str
    a: Marker
    b: Marker
    strength: float
    current: SignalLike = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("current")

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers


class SoftSpring(pl.Spring):
    """A spring, and no more."""


@dataclass(frozen=True, eq=False)
class StiffSpring(pl.Spring):
    """A spring with other defaults."""

    stiffness: float = 1e5
    rest_length: float = 0.1


@dataclass(frozen=True, eq=False)
class PreloadedSpring(pl.Spring):
    """A spring with a field that no kernel reads."""

    units: ClassVar = {"preload": "N"}

    preload: float = 1.0


@dataclass(frozen=True, eq=False)
class WireSpring(pl.Spring, computed_as=pl.Spring):
    """A spring whose stiffness follows from its wire: G d^4 / (8 D^3 n)."""

    units: ClassVar = {"wire": "m", "diameter": "m"}

    stiffness: float = 0.0
    rest_length: float = 0.1
    damping: float = 0.0
    wire: float = 2e-3
    diameter: float = 2e-2

    def __post_init__(self) -> None:
        self._set(stiffness=80e9 * self.wire**4 / (8.0 * self.diameter**3 * 10))
        super().__post_init__()


class Belt(pl.Motor):
    """A motor that is drawn as a line."""

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers


@dataclass(frozen=True, eq=False)
class RubbingSlot(pl.Slider):
    """A joint with a field that no row reads."""

    units: ClassVar = {"friction": "1"}

    friction: float = 0.1


@dataclass(frozen=True, eq=False)
class Swivel(Joint):
    """A joint that holds b's point on a's x axis, in the plane and in space."""

    locks: ClassVar[tuple[str, ...]] = ("y", "z")


class DottedSlider(pl.Slider):
    """A joint that is drawn otherwise."""

    drawing: ClassVar[str] = "none"


@dataclass(frozen=True, eq=False)
class Label(Part):
    """Neither body, joint nor force."""

    group: ClassVar[str] = "force"

    name: str


class Touch(Joint):
    """A joint that says nothing about what it locks."""


def model(make: Callable[[Any, Any], Part] | None = None, *, spatial: bool = False, beam: bool = False) -> pl.Model:
    """A pendulum, and one part more, between the ground and its tip."""
    m = pl.Model("pendulum", plane=None if spatial else "xy")
    section = pl.Section.circle(0.01, pl.STEEL)
    bar = pl.Beam("bar", length=1.0, section=section) if beam else pl.Link("bar", length=1.0, mass=1.0, angle=0.3)
    ground, bar = m.add(pl.Ground(), bar)
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)))
    if make is not None:
        m.add(make(ground.at(2, 0), bar.at(s=1)))
    return m


STRANGE = {
    "magnet": (lambda a, b: BareMagnet("magnet", a, b, 3.0), r'BareMagnet "magnet".*a BareMagnet in {}. Give it a law'),
    "spring with a field": (
        lambda a, b: PreloadedSpring("preloaded", a, b, 3.0, 0.5),
        r'PreloadedSpring "preloaded".*in {}.*class PreloadedSpring\(Spring, computed_as=Spring\)',
    ),
    "label": (lambda a, b: Label("here"), r'Label "here".*a Label in {}.*derive its class'),
    "joint": (lambda a, b: Touch(a, b, name="touch"), r'Touch "touch".*a Touch in {}.*no rows'),
    "joint with a field": (
        lambda a, b: RubbingSlot(a, b, name="rubbing"),
        r'RubbingSlot "rubbing".*in {}.*class RubbingSlot\(Slider, computed_as=Slider\)',
    ),
}
FORMULATIONS = {
    "dae": {},
    "udwadia_kalaba": {},
    "shooting": {"subintervals": 2},
    "relative": {},
}


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_what_nothing_computes_is_refused_in_the_plane(what: str, formulation: str) -> None:
    make, message = STRANGE[what]
    with pytest.raises(ModelError, match=message.format("the plane") + f".*formulation='{formulation}'"):
        pl.compile(model(make, beam=formulation == "shooting"), formulation=formulation, **FORMULATIONS[formulation])


@pytest.mark.parametrize("what", STRANGE)
def test_what_nothing_computes_is_refused_in_space(what: str) -> None:
    make, message = STRANGE[what]
    with pytest.raises(ModelError, match=message.format("space") + r".*formulation='dae'"):
        pl.compile(model(make, spatial=True))


@pytest.mark.parametrize("what", STRANGE)
def test_what_nothing_computes_is_refused_by_the_arm(what: str) -> None:
    make, message = STRANGE[what]
    with pytest.raises(ModelError, match=r"formulation 'kinked' takes|" + message.format("the plane")):
        pl.compile(model(make), formulation="kinked")


def test_a_force_with_kernels_for_the_plane_only_is_refused_in_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dashpot as if its spatial.py had not been written."""
    from pliant.forces.dashpot import spatial

    packed = spatial.pack(SpatialLayout(pl.Model("empty", plane=None), {}))
    monkeypatch.setattr(spatial, "pack", lambda layout: packed)
    dashpot = lambda a, b: pl.Dashpot("air", b, x=3.0)  # noqa: E731
    assert pl.compile(model(dashpot)).model.forces
    with pytest.raises(ModelError, match=r'Dashpot "air" would be ignored: nothing computes a Dashpot in space.*only'):
        pl.compile(model(dashpot, spatial=True))


@dataclass(frozen=True)
class Noodle(BeamElement):
    """A beam element without kernels."""

    elements: int = 2
    order: ClassVar[int] = 1
    mass: ClassVar[str] = "lumped"


@pytest.mark.parametrize(("spatial", "where"), [(False, "the plane"), (True, "space")])
def test_an_element_without_kernels_is_refused(spatial: bool, where: str) -> None:
    message = rf'Beam "bar" would be ignored: nothing computes a Beam with elements Noodle\(elements=3\) in {where}'
    with pytest.raises(ModelError, match=message):
        pl.compile(model(beam=True, spatial=spatial), elements=Noodle(3))


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("kind", [SoftSpring, StiffSpring, WireSpring])
def test_a_spring_with_other_defaults_is_a_spring(kind: type[pl.Spring], spatial: bool) -> None:
    given: dict[str, Any] = {"stiffness": 30.0, "rest_length": 0.2} if kind is SoftSpring else {}
    made = kind("spring", pl.Ground().at(0, 0), pl.Link("bar", length=1.0, mass=1.0).at(0), **given)
    plain = {key: getattr(made, key) for key in ("stiffness", "rest_length", "damping")}
    energies = [
        system.energy(system.start())
        for system in (
            pl.compile(model(lambda a, b: kind("spring", a, b, **given), spatial=spatial)),
            pl.compile(model(lambda a, b: pl.Spring("spring", a, b, **plain), spatial=spatial)),
        )
    ]
    assert energies[0] == energies[1]
    assert energies[0][1] > 0.1


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("kind", [Swivel, DottedSlider])
def test_a_joint_of_ones_own_has_the_rows_it_states(kind: type[Joint], spatial: bool) -> None:
    own, known = (
        pl.compile(model(lambda a, b, kind=kind: kind(a, b, name="guide"), spatial=spatial))
        for kind in (kind, pl.Slider)
    )
    assert own.constraints == known.constraints
    assert labels_of(own).coords["joint_drawing"] == ("joint", ["pin", kind.drawing])


@dataclass(frozen=True, eq=False)
class CubicSpring(Between, pl.PointLaw):
    """A force: k (l - l0)^3 along the line between its markers."""

    units: ClassVar = {"hardness": "N/m^3", "rest_length": "m"}
    measures: ClassVar[tuple[str, ...]] = ("distance",)
    numbers: ClassVar[tuple[str, ...]] = ("hardness", "rest_length")

    name: str
    a: Marker
    b: Marker
    hardness: float
    rest_length: float

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """f = k (l - l0)^3"""
        f[0] = p[0] * (x[0] - p[1]) ** 3
        f_x[0, 0] = 3.0 * p[0] * (x[0] - p[1]) ** 2

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """V = k (l - l0)^4 / 4"""
        return 0.25 * p[0] * (x[0] - p[1]) ** 4


@dataclass(frozen=True, eq=False)
class ForgetfulSpring(CubicSpring):
    """A law that is not given one of its fields."""

    units: ClassVar = {"preload": "N"}
    numbers: ClassVar[tuple[str, ...]] = ("hardness", "rest_length")

    preload: float = 0.0


@pytest.mark.parametrize("spatial", [False, True])
def test_a_law_of_ones_own_is_computed_read_and_drawn(spatial: bool) -> None:
    system = pl.compile(model(lambda a, b: CubicSpring("cubic", a, b, 8.0, 0.1), spatial=spatial))
    tip = labels_of(system).markers["bar/tip"]
    stretch = np.linalg.norm(system.layout.place(tip) - np.array([2.0, 0.0, 0.0])[: 3 if spatial else 2]) - 0.1
    assert system.energy(system.start())[1] == pytest.approx(2.0 * stretch**4, rel=1e-12)
    labels = labels_of(system)
    assert labels.coords["line"] == ["cubic"]
    assert dict(zip(labels.stations[1]["part"][1], labels.stations[1]["part_kind"][1], strict=True))["cubic"] == "line"
    assert CubicSpring.results["tension"] == "N"


def test_a_law_that_is_not_given_its_fields_is_refused() -> None:
    with pytest.raises(ModelError, match=r'ForgetfulSpring "odd" would be ignored.*(not use preload|computed_as)'):
        pl.compile(model(lambda a, b: ForgetfulSpring("odd", a, b, 8.0, 0.1)))


def test_a_strange_part_is_saved_and_loaded() -> None:
    made = model(lambda a, b: BareMagnet("magnet", a, b, 1 / 3, current=pl.Sine(1.0, 2.0)))
    text = io.dumps(made)
    assert 'kind = "BareMagnet"' in text
    assert io.dumps(io.loads(text)) == text
    assert isinstance(io.loads(text).part("magnet"), BareMagnet)


def test_a_strange_part_is_scaled_by_its_units() -> None:
    twin = model(lambda a, b: BareMagnet("magnet", a, b, 8.0)).scaled(pl.Scales(length=2.0, time=1.0, mass=1.0))
    assert twin.part("magnet").strength == 1.0  # N m^2 = kg m^3 / s^2
    assert twin.part("magnet").current == pl.Constant(1.0)


def test_a_strange_part_is_drawn_as_the_line_it_is() -> None:
    system = pl.compile(model(lambda a, b: Belt("belt", a, b, 1.0)))
    coords = labels_of(system).stations[1]
    drawn = dict(zip(coords["part"][1], coords["part_kind"][1], strict=True))
    assert drawn == {"bar": "rigid", "belt": "line"}
    assert labels_of(system).coords["joint_drawing"] == ("joint", ["pin"])


def test_a_field_without_units_is_refused_by_name() -> None:
    with pytest.raises(
        TypeError, match=r"Sail: the field area is a number without units.*units = \{\"area\": \"N/m\"}"
    ):

        class Sail(Load):
            """Units are missing."""

            name: str
            area: float

    with pytest.raises(TypeError, match=r"Kite: the field pull is a number without units"):

        class Kite(Load):
            """A signal without units."""

            name: str
            pull: SignalLike


def test_wrong_units_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"Sail: units of area: 'acre' is not a known unit"):

        class Sail(Load):
            """Units that nobody knows."""

            units: ClassVar = {"area": "acre"}
            name: str
            area: float

    with pytest.raises(TypeError, match=r"Kite: units are given for arae, which is no field of it"):

        class Kite(Load):
            """Units of something else."""

            units: ClassVar = {"area": "m^2", "arae": "m^2"}
            name: str
            area: float


def test_a_field_that_hides_an_attribute_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Rail: the field line would hide what every Load has. Choose another name"):

        class Rail(Load):
            """Its `line` is a text."""

            name: str
            line: str


def test_a_taken_name_is_refused_with_both_homes() -> None:
    with pytest.raises(
        TypeError, match=r"test_registry.*Spring: the name Spring is taken by pliant.forces.spring.Spring"
    ):

        class Spring(Load):
            """Another spring."""

            name: str

    assert KINDS["Spring"] is pl.Spring


def test_the_same_class_defined_again_replaces_the_old_one() -> None:
    def define() -> type[Load]:
        class Gust(Load):
            """As a cell of a notebook that is run twice."""

            name: str

        return Gust

    first, second = define(), define()
    assert first is not second
    assert KINDS["Gust"] is second


GUST = '''
from dataclasses import dataclass
from typing import ClassVar
from pliant.model import Marker
from pliant.model.parts import Load

@dataclass(frozen=True, eq=False)
class Gust(Load):
    """Wind of another package."""
    units: ClassVar = {"speed": "m/s"}
    name: str
    marker: Marker
    speed: float
'''


def package(folder: Path, module: str, text: str) -> None:
    """An installed distribution with an entry point that names a module."""
    (folder / f"{module}.py").write_text(text)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[pliant.parts]\n{module} = {module}\n")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a package for one test."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield lambda module, text: package(tmp_path, module, text)
    for name in set(sys.modules) - before:
        if name.startswith("stranger_"):
            del sys.modules[name]


def test_an_installed_part_is_found_when_a_file_needs_it(installed: Callable[..., None]) -> None:
    block = '[[force]]\nkind = "Gust"\nname = "gust"\nmarker = {body = "bar", s = 1.0}\nspeed = 2.0\n\n[end]'
    text = io.dumps(model()).replace("[end]", block)
    with pytest.raises(FileError, match=r"kind = 'Gust' is not known.*entry point 'pliant.parts'"):
        io.loads(text)
    installed("stranger_wind", GUST)
    loaded = io.loads(text)
    assert type(loaded.part("gust")).__module__ == "stranger_wind"
    assert io.dumps(io.loads(io.dumps(loaded))) == io.dumps(loaded)


def test_an_installed_part_can_be_had_by_its_name(installed: Callable[..., None], monkeypatch: Any) -> None:
    with pytest.raises(AttributeError, match="pliant has no name 'Gust'"):
        _ = pl.Gust
    installed("stranger_breeze", GUST)
    assert pl.Gust.__module__ == "stranger_breeze"
    monkeypatch.delattr(pl, "Gust")


def test_a_package_that_cannot_be_imported_is_named_and_left_out(installed: Callable[..., None]) -> None:
    installed("stranger_broken", "raise RuntimeError('no licence')")
    with pytest.warns(PliantWarning, match=r"stranger_broken.*cannot be imported.*RuntimeError: no licence"):
        assert find("Gust") is None
    assert find("Spring") is pl.Spring
