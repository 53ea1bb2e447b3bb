"""Invariance of the answer: where and how the model is placed, its units, which way a load is given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl

few = settings(max_examples=5)


@dataclass(frozen=True)
class Units:
    """A model in other units of length, mass and time."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    def section(self, axial: float, shear: float, bending: float, mass: float, rotary: float) -> pl.Section:
        force, length = self.force, self.length
        return pl.Section(
            axial * force,
            shear * force,
            bending * force * length**2,
            mass * self.mass / length,
            rotary * self.mass * length,
        )


SI = Units()


def linkage(units: Units = SI, *, turn: float = 0.0, shift: tuple[float, float] = (0.0, 0.0)) -> pl.Model:
    """Build a crank with an elastic arm, a spring and a tip mass, the whole turned and shifted, gravity and all."""
    length, force = units.length, units.force

    def at(x: float, y: float) -> tuple[float, float]:
        c, s = math.cos(turn), math.sin(turn)
        return length * (shift[0] + c * x - s * y), length * (shift[1] + s * x + c * y)

    model = pl.Model("linkage")
    ground = model.add(pl.Ground())
    crank = model.add(pl.Link("crank", length=0.4 * length, mass=0.5 * units.mass, angle=turn + 0.2))
    section = units.section(4e4, 1.6e4, 1.0, 0.6, 1e-4)
    arm = model.add(pl.Beam("arm", length=0.7 * length, section=section, angle=turn - 0.4))
    model.add(
        pl.Revolute(ground.at(*at(0, 0)), crank.at(s=0), name="pin"), pl.Weld(crank.at(s=1), arm.at(s=0), angle=-0.6)
    )
    stiffness = 30.0 * force / length
    model.add(
        pl.Spring(
            "spring",
            ground.at(*at(0.5, 0.6)),
            crank.at(s=1),
            stiffness=stiffness,
            rest_length=0.3 * length,
            damping=0.2 * force / length * units.time,
        )
    )
    model.add(pl.PointMass("lump", arm.at(s=1), mass=0.2 * units.mass))
    pull = 9.81 * length / units.time**2
    model.add(pl.Gravity(x=pull * math.sin(turn), y=-pull * math.cos(turn)))
    return model


def motion(units: Units = SI, **placed: object) -> tuple[pl.Result, pl.Result]:
    """Return rest and motion in the model's own units."""
    system = pl.compile(linkage(units, **placed), elements=pl.Exact(4))
    return pl.statics(system), pl.transient(system, end_time=0.3 * units.time, step=2e-3 * units.time)


@few
@given(turn=st.floats(-3.0, 3.0), shift=st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
def test_turning_and_shifting_everything_turns_and_shifts_the_answer(turn: float, shift: tuple[float, float]) -> None:
    c, s = math.cos(turn), math.sin(turn)
    rotation = np.array([[c, -s], [s, c]])
    for here, there in zip(motion(), motion(turn=turn, shift=shift), strict=True):
        seen = here.position.sel(marker="arm/tip").values @ rotation.T + np.array(shift)
        np.testing.assert_allclose(there.position.sel(marker="arm/tip"), seen, atol=1e-8)
        np.testing.assert_allclose(there.angle, here.angle + turn, atol=1e-8)
        np.testing.assert_allclose(there.resultant, here.resultant, atol=2e-5)
        force = here.reaction.sel(joint="pin", wrench=["Fx", "Fy"]).values @ rotation.T
        np.testing.assert_allclose(there.reaction.sel(joint="pin", wrench=["Fx", "Fy"]), force, atol=2e-5)
        np.testing.assert_allclose(
            there.energy.sel(energy_kind="kinetic"), here.energy.sel(energy_kind="kinetic"), atol=1e-7
        )


@few
@given(
    length=st.sampled_from([1e-3, 1.0, 1e3]),
    mass=st.sampled_from([1e-3, 1.0, 1e6]),
    time=st.sampled_from([1e-3, 1.0, 60.0]),
)
def test_other_units_give_the_same_answer(length: float, mass: float, time: float) -> None:
    """No tolerance of the solvers may be absolute."""
    units = Units(length, mass, time)
    for here, there in zip(motion(), motion(units), strict=True):
        np.testing.assert_allclose(there.position / length, here.position, atol=1e-7)
        np.testing.assert_allclose(there.angle, here.angle, atol=1e-7)
        np.testing.assert_allclose(
            there.reaction.sel(joint="pin", wrench="Fx") / units.force,
            here.reaction.sel(joint="pin", wrench="Fx"),
            atol=1e-3,
        )
        assert there.outcome.iterations <= 1.2 * here.outcome.iterations + 5


places = st.floats(0.05, 1.0).map(lambda s: round(s, 2))


@few
@given(
    first=places,
    second=places,
    angle=st.floats(-3, 3),
    other=st.floats(-3, 3),
    options=st.sampled_from([pl.Linear(4), pl.Exact(4), pl.Corotational(4)]),
)
def test_reciprocity(first: float, second: float, angle: float, other: float, options: object) -> None:
    """Maxwell and Betti: what a unit load at A does at B, along its direction, a unit load at B does at A."""

    def moved(load: tuple[str, float, float], seen: tuple[str, float, float]) -> float:
        model = pl.Model("frame")
        ground = model.add(pl.Ground())
        section = pl.Section(3e4, 1e4, 2.0, 1.0, 1e-4)
        beams = {
            "post": model.add(pl.Beam("post", length=1.0, section=section, angle=1.3)),
            "arm": model.add(pl.Beam("arm", length=0.8, section=section, angle=0.1, curvature=0.5)),
        }
        model.add(pl.Weld(ground.at(0, 0), beams["post"].at(s=0)), pl.Weld(beams["post"].at(s=1), beams["arm"].at(s=0)))
        here, there = (beams[name].at(s=s, name=label) for label, (name, s, _) in (("load", load), ("seen", seen)))
        model.add(here, there)
        x, y = (pl.Expression(f"t*({part(load[2])!r})") for part in (math.cos, math.sin))
        model.add(pl.Force(here, x=x, y=y))  # its size is the time
        system = pl.compile(model, elements=options)
        up, down = (
            pl.statics(system, time=load).position.sel(marker=f"{seen[0]}/seen").values for load in (1e-3, -1e-3)
        )
        return float((up - down) @ [math.cos(seen[2]), math.sin(seen[2])]) / 2e-3

    a, b = ("post", first, angle), ("arm", second, other)
    forth, back = moved(a, b), moved(b, a)
    assert abs(forth - back) < 1e-6 * (abs(forth) + abs(back)) + 1e-8


@few
@given(
    load=st.floats(0.2, 6.0),
    direction=st.floats(-3.0, 3.0),
    moment=st.floats(-2.0, 2.0),
    curvature=st.floats(-1.0, 1.0),
)
def test_two_kinds_of_beam_meet_as_the_mesh_is_refined(
    load: float, direction: float, moment: float, curvature: float
) -> None:
    model = pl.Model("bent")
    ground = model.add(pl.Ground())
    beam = model.add(pl.Beam("beam", length=1.0, section=pl.Section(3e3, 1e3, 1.0, 1.0, 1e-4), curvature=curvature))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Moment(beam.at(s=0.5), moment))
    # with a part that pulls: pressed beams have several equilibria
    model.add(pl.Force(beam.at(s=1), x=abs(load * math.cos(direction)), y=load * math.sin(direction)))
    gaps = []
    for count in (8, 32):
        tips = [
            pl.statics(pl.compile(model, elements=kind(count))).position.sel(marker="beam/tip").values
            for kind in (pl.Exact, pl.Corotational)
        ]
        gaps.append(float(np.abs(tips[0] - tips[1]).max()))
    assert gaps[1] < 2e-3
    assert gaps[1] < 0.12 * gaps[0] + 1e-7  # a sixteenth, where both elements' errors count
