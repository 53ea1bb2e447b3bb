"""Warnings about physics: each is raised by its own class, can be filtered, and is in the outcome."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant import errors
from pliant.errors import PliantWarning
from pliant.results import Result
from pliant.results.io import load_result
from pliant_gallery import examples, pendulum
from pliant_gallery.buckling import bistable

STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def column(load: float, side: float = 0.0, elements: int = 8) -> Any:
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-load, y=side, name="load"))
    return pl.compile(m, elements=elements)


def upside_down() -> Result:
    return pl.statics(pl.compile(pendulum.model(angle=90 * pl.DEG)))


def growing_modes() -> Result:
    return pl.modal(pl.compile(pendulum.model(angle=90 * pl.DEG)))


def free_link() -> Result:
    m = pl.Model("wheel")
    ground, wheel = m.add(pl.Ground(), pl.Link("wheel", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at(s=0)))
    return pl.statics(pl.compile(m))


def far_start() -> Result:
    bent = pl.statics(column(3.0, side=0.5))
    return pl.path(column(3.0), "load/x", start=bent, begin=0.0, to=-1.0)


def slid() -> Result:
    m = pl.Model("fallen")
    ground = m.add(pl.Ground())
    links = m.add(*(pl.Link(f"link{k}", length=0.2, mass=0.1, angle=80 * pl.DEG) for k in range(6)))
    ends = [ground.at(0, 0), *(link.at(s=1) for link in links)]
    m.add(*(pl.Revolute(end, link.at(s=0)) for end, link in zip(ends, links, strict=False)), pl.Gravity())
    return pl.statics(pl.compile(m))


def buckled_path() -> Result:
    return pl.path(column(1.0), "load/x", to=-6.0)


def squeezed(load: float) -> Any:
    """Return a beam bowed upwards, loaded where it is unstable and not yet at its limit."""
    return pl.compile(bistable(), elements=12).with_signals({"load/y": load})


def slack() -> Result:
    m = pl.Model("hanging")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.Tendon("rope", arm.at(s=1), ground.at(0, -2), stiffness=1e3, rest_length=1.5))
    return pl.statics(pl.compile(m))


def strained() -> Result:
    m = pl.Model("bar")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.2 * STRIP.axial_stiffness))
    return pl.statics(pl.compile(m, elements=2))


def ringing(step: float) -> Result:
    m = pl.Model("ringing")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.1, position=(1.0, 0)))
    m.add(pl.Prismatic(ground.at(0, 0), bob.at(0, 0)))
    m.add(pl.Spring("spring", ground.at(0, 0), bob.at(0, 0), stiffness=1e4, rest_length=0.9))
    return pl.transient(pl.compile(m), end_time=60 * step, step=step)


def unresolved() -> Result:
    return ringing(6e-3)  # omega h = 0.6


def resolved() -> Result:
    return ringing(1e-3)


def chattering() -> Result:
    m = pl.Model("chatter")
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.1, position=(0, 0.1), angle=0.0, free=True))
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.1, stiffness=1e6), pl.Gravity())
    return pl.transient(pl.compile(m), end_time=0.1, step=1e-3, push={"ball": (0.0, -0.015, 0.0)})


def stiff() -> Result:
    """Compute a damper, c / m = 4 10^6 1/s, on a slow spring: steps of a microsecond, though nearly nothing moves."""
    m = pl.Model("stiff")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1e-3, inertia=0.1, position=(1.0, 0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), bob.at(0, 0)))
    m.add(pl.Spring("spring", ground.at(0, 0), bob.at(0, 0), stiffness=1e3, rest_length=0.9, damping=4e3))
    system = pl.compile(m, formulation="udwadia_kalaba")
    return pl.transient(system, end_time=0.013, times=[0.0, 0.013], accuracy=1e-6, method="RK23")


CASES: dict[str, tuple[Callable[[], Result], ...]] = {
    "UnstableEquilibrium": (upside_down, growing_modes),
    "NeutralEquilibrium": (free_link,),
    "OtherBranch": (far_start, slid),
    "Buckled": (buckled_path, lambda: pl.statics(squeezed(-15.0))),
    "SlackTendon": (slack,),
    "StrainBeyondRange": (strained,),
    "UnresolvedFrequency": (unresolved,),
    "StiffMotion": (stiff,),
    "ContactChatter": (chattering,),
    "CarriedOver": (lambda: pl.statics(column(1.0, elements=7), start=pl.statics(column(1.0))),),
}


@pytest.mark.parametrize(("name", "make"), [(name, make) for name, makers in CASES.items() for make in makers])
def test_it_is_raised_by_name_and_kept(name: str, make: Callable[[], Result], tmp_path: Path) -> None:
    kind: type[Warning] = getattr(errors, name)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = make()
    raised = [each for each in heard if issubclass(each.category, kind)]
    assert raised
    assert name in found.outcome.warnings
    assert Path(raised[0].filename).name == Path(__file__).name  # at the line of the user
    assert load_result(found.save(tmp_path / "found.nc")).outcome.warnings == found.outcome.warnings
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", kind)
        again = make()
    assert not [each for each in heard if issubclass(each.category, kind)]
    assert again.outcome.warnings == found.outcome.warnings  # filtered, and said all the same


@pytest.mark.parametrize(
    "make", [resolved, lambda: pl.statics(column(1.0)), lambda: pl.path(column(1.0), "load/x", to=-3.0)]
)
def test_nothing_is_said_where_nothing_is_to_be_said(make: Callable[[], Result]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        assert make().outcome.warnings == ()


def two_link_arm() -> pl.Kinetostatics:
    return pl.Kinetostatics(
        pl.compile(examples.two_links()), platform="lower/tip", motors=["shoulder/angle", "elbow/angle"]
    )


def test_a_stretched_arm_is_nearly_singular() -> None:
    arm = two_link_arm()
    with pytest.warns(errors.NearSingularPose, match="nearly singular"):
        arm.forward([0.3, 1e-4])
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        arm.forward([0.3, 1.0])
        warnings.simplefilter("ignore", errors.NearSingularPose)
        arm.forward([0.3, 1e-4])


def test_every_kind_is_on_the_page() -> None:
    page = (Path(pl.__file__).parent.parent / "docs" / "what-ok-means.md").read_text()
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PliantWarning)]
    assert len(kinds) > 10
    for kind in kinds:
        assert f"`{kind.__name__}`" in page
    assert np.all([kind.__doc__ for kind in kinds])
