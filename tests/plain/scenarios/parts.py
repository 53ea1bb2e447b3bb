"""Every joint, force, contact and beam element: force, matrices, energy, power and conditions at a random pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

import pliant as pl
from pliant.system.samples import Samples
from pliant.system.state import State
from pliant_evidence.tendon_robot.models import rod
from pliant_gallery import fed_rod
from pliant_gallery.robots import ConcentricTubes, CurvedTube
from pliant_testing.parts import beam, example
from pliant_testing.probe import TIME, Probe
from tests.contract.test_parts_of_pliant import ARGUMENTS, OURS, VARIANTS
from tests.plain.scenarios import Numbers

OBSERVED = (
    "position",
    "velocity",
    "reaction",
    "resultant",
    "tension",
    "line_length",
    "gap",
    "normal_force",
    "momentum",
)


MORE: dict[str, list[dict[str, Any]]] = {
    "Contact": [
        {"rim": 0.9, "points": 3, "stiffness": 30.0, "exponent": 1.5},
        {"surface": "ring", "opening": 0.1, "stiffness": 30.0, "friction": 0.2},
        {"surface": "cone", "slope": 0.3, "opening": 0.1, "stiffness": 30.0},
    ],
    "DistributedLoad": [{"x": 1.0, "y": 2.0}],
    "Force": [{"x": 1.0}],
    "Motion": [{"x": 0.3}],
    "Stop": [{"upper": 3.0, "stiffness": 20.0}],
    "Tendon": [{"tension": 2.0, "largest_force": 3.0}],
}
"""Arguments of further variants of some parts, beside those of the contract tests."""


def scenarios() -> Iterator[tuple[str, Any]]:
    """Yield names, and what computes the numbers."""
    for kind in OURS:
        for space in kind.spaces():
            for k, given in enumerate((_usual(kind, space), *MORE.get(kind.__name__, ()))):
                yield f"{kind.__name__} {k} {space}", partial(_part, kind, space, given)
    for space in ("planar", "spatial"):
        yield f"tendons through guides {space}", partial(_guided, space)
        yield f"law of several measures {space}", partial(_law, space)
        yield f"lumps {space}", partial(_lumps, space)
        yield f"coincident {space}", partial(_coincident, space)
        yield f"fed beam {space}", partial(_fed, space)
        yield f"rod with a channel {space}", partial(_channel, space)
    yield "sleeves", _sleeve
    for options in VARIANTS:
        for space in options.spaces():
            yield f"{options} {space}", partial(_element, options, space)


def _usual(kind: Any, space: str) -> dict[str, Any]:
    """Return arguments of a part in the contract tests."""
    given = dict(ARGUMENTS.get(kind.__name__, {}))
    in_space = given.pop("in_space", given)
    return in_space if space == "spatial" else given


def _part(kind: Any, space: str, given: dict[str, Any]) -> Numbers:
    model, part = example(kind, space, given)
    model.add(part)
    return probed(model, 1)


def _fed(space: str) -> Numbers:
    """Feed a beam, at a random pose, and at rest in its sleeve."""
    model, feed = example(pl.Feed, space, {"stock": 0.7})
    model.add(feed, pl.Gravity())
    rod = fed_rod.model(load=(0.1, 0.2, 0.3)[: 3 if space == "spatial" else 2])
    rest = pl.statics(pl.compile(rod, elements=pl.Exact(1, order=2)))
    return {**probed(model, pl.Exact(1, order=2)), "tip": rest.position.values}


def _sleeve() -> Numbers:
    """Move a sleeve around a beam, also at rest."""
    model = pl.Model("sleeve", plane=None)
    inside = model.add(beam(True))
    soft = pl.Material("soft", youngs_modulus=40.0, poisson_ratio=0.3, density=5.0)
    model.add(
        pl.Sleeve("one", inside, outer_radius=0.4, inner_radius=0.3, material=soft, curvature=0.8, angle=0.7),
        pl.Sleeve("two", inside, outer_radius=0.6, inner_radius=0.5, material=soft, angle=pl.Sine(1.0, 2.0), end=0.5),
    )
    tube = CurvedTube(length=0.1, straight=0.0, curvature=5.0, outer_radius=1e-3, inner_radius=5e-4)
    wider = replace(tube, outer_radius=2e-3, inner_radius=1.5e-3)
    robot = ConcentricTubes(tubes=(tube, wider), bases=(0.0, 0.0), angles=(0.0, 0.5)).model()
    rest = pl.statics(pl.compile(robot, elements=pl.Exact(1, order=2)))
    return {**probed(model, pl.Exact(2, order=2)), "tip": rest.position.values}


def _channel(space: str) -> Numbers:
    """Return a rod that a tendon in it bends, at rest."""
    offset = (0.01, 0.005) if space == "spatial" else 0.01
    model = rod([(offset, 2.0)], plane=None if space == "spatial" else "xy")
    return {"tip": pl.statics(pl.compile(model, elements=pl.Exact(1, order=2))).position.values}


def _bodies(space: str) -> tuple[pl.Model, list[pl.Body]]:
    """Return four free bodies."""
    spatial = space == "spatial"
    model = pl.Model("bodies", plane=None if spatial else "xy")
    inertia: Any = (0.02, 0.03, 0.04) if spatial else 0.02
    places = [(0.0, 0.0, 0.1), (0.4, 0.3, -0.2), (0.9, -0.1, 0.3), (1.4, 0.5, 0.0)]
    made = [
        pl.Body(f"body {k}", mass=1.0, inertia=inertia, position=place if spatial else place[:2], angle=0.1, free=True)
        for k, place in enumerate(places)
    ]
    for each in made:
        model.add(each)
    return model, made


def _guided(space: str) -> Numbers:
    """Probe tendons: one that rubs and slides, one pulled by a signal, one straight, one through many guides."""
    model, bodies = _bodies(space)
    first, *guides, last = (body.at(0.1, 0.05) for body in bodies)
    model.add(
        pl.Tendon("rough", first, last, guides=tuple(guides), stiffness=30.0, rest_length=1.0, friction=0.2,
                  friction_speed=0.5, damping=0.1),
        pl.Tendon("pulled", first, last, guides=tuple(guides), tension=pl.Sine(2.0, 1.0, offset=3.0)),
        pl.Tendon("straight", first, last, stiffness=20.0, rest_length=1.0, damping=0.1),
        pl.Tendon("long", first, last, guides=[*guides, *(body.at(0.0, 0.1) for body in bodies[:0:-1])],
                  stiffness=30.0, rest_length=1.0, damping=0.1),
        pl.Tendon("sliding", first, last, guides=[bodies[k % 4].at(0.01 * k, 0.1) for k in range(1, 16)],
                  stiffness=30.0, rest_length=1.0, friction=0.02, friction_speed=0.5, sliding=1, damping=0.1),
    )  # fmt: skip
    return probed(model, 1)


def _law(space: str) -> Numbers:
    """Evaluate a law of a distance, an angle and a place at once, without potential."""

    @dataclass(frozen=True, eq=False)
    class Mixed(pl.Between, pl.PointLaw):
        """A law of three measures."""

        units: ClassVar = {"size": "N"}
        measures: ClassVar = ("distance", "angle", "x")
        numbers: ClassVar = ("size",)

        name: str
        a: pl.Marker
        b: pl.Marker
        size: float

        @staticmethod
        def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
            for i in range(3):
                f[i] = p[0] * x[i] * x[i] + 0.1 * rate[i]
                f_x[i, i] = 2.0 * p[0] * x[i]
                f_rate[i, i] = 0.1

    model, bodies = _bodies(space)
    model.add(Mixed("mixed", bodies[0].at(0.1, 0), bodies[1].at(0, 0.2), size=2.0))
    return probed(model, 1)


def _lumps(space: str) -> Numbers:
    """Return masses off the nodes, a body that does not spin, and a beam that carries one."""
    model, bodies = _bodies(space)
    spatial = space == "spatial"
    model.add(beam(spatial))
    model.add(pl.PointMass("lump", bodies[0].at(0.2, 0.1), mass=0.5))
    model.add(pl.PointMass("tip", model.beams[0].at(s=1, y=0.1), mass=0.3))
    still = pl.Body("still", mass=1.0, inertia=(0, 0, 0) if spatial else 0.0, position=(2, 0, 0)[: 3 if spatial else 2],
                    angle=0.0, free=True)  # fmt: skip
    model.add(still)
    return probed(model, 1)


def _coincident(space: str) -> Numbers:
    """Return a spring between points that are at the same place."""
    model, (body, *_) = _bodies(space)
    other = model.add(replace(body, name="other"))
    model.add(pl.Spring("spring", body.at(0.1, 0), other.at(0.1, 0), stiffness=3.0, rest_length=0.0))
    return probed(model, 1, size=0.0)


def _element(options: Any, space: str) -> Numbers:
    model = pl.Model("an element", plane=None if space == "spatial" else "xy")
    model.add(beam(space == "spatial", damping=pl.Rayleigh(0.3, 0.02)))
    return probed(model, replace(options, elements=1))


def probed(model: pl.Model, elements: Any, *, size: float = 0.1) -> Numbers:
    """Return all that a model's equations are at a random state, so far from the assembled one (m, rad)."""
    probe, rng = Probe("plain", model, elements=elements), np.random.default_rng(1)
    at = probe.random(rng, size, accelerated=True)
    lam = rng.standard_normal(probe.system.constraints)
    K, C, M, G = probe.matrices(at, lam)
    numbers = {"force": probe.force(at, lam), "stiffness": K, "damping": C, "mass": M, "jacobian": G}
    numbers |= {"energy": probe.energy(at), "power": probe.power(at), "gaps": probe.gaps(at.q)}
    state = State(at.q, at.v, at.a, lam, TIME)
    seen = probe.system.observer().dataset(Samples.of(state), state)
    return numbers | {name: seen[name].values for name in OBSERVED if name in seen}
