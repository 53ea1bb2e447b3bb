"""Convex hulls that collide: boxes that slide, tip, rock and stand on each other, in closed form."""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest

import pliant as pl

G = 9.81
RIGID = {"contact": "complementarity"}
ROUND = 2e-3


def flying(
    name: str, size: tuple[float, ...], place: tuple[float, ...], turn: float = 0.0, *, mass: float = 1.0
) -> Any:
    """Return a solid block of x, y (z): in the plane of two numbers, in space of three, turned about z."""
    if len(size) == 2:
        inertia: Any = mass * (size[0] ** 2 + size[1] ** 2) / 12.0
        return pl.Body(name, mass=mass, inertia=inertia, position=place, angle=turn, free=True)
    x, y, z = (each**2 * mass / 12.0 for each in size)
    return pl.Body(name, mass=mass, inertia=(y + z, x + z, x + y), position=place, orientation=(0, 0, turn), free=True)


def box(size: tuple[float, ...]) -> pl.Box:
    return pl.Box(*size, *(1.0,) * (3 - len(size)))


def on_incline(size: tuple[float, ...], slope: float, **law: Any) -> pl.Model:
    """Build a box on a floor that falls towards x; its height is the last of its sizes."""
    spatial = len(size) == 3
    m = pl.Model("incline", plane=None if spatial else "xy")
    ground = m.add(pl.Ground())
    up = (sin(slope), *(0.0,) * spatial, cos(slope))
    block = flying("block", size, tuple(0.5 * size[-1] * each for each in up), mass=2.0)
    turned = {"orientation": (0, slope, 0)} if spatial else {"angle": -slope}
    block = m.add(pl.Body("block", mass=2.0, inertia=block.inertia, position=block.position, free=True, **turned))
    m.add(pl.Gravity())
    floor = ground.at(0, 0, **turned)
    given = {"shape": box(size), "radius": ROUND, "floors": [floor], "stiffness": 1e6, **law}
    m.add(pl.Collisions("floor", [block.at()], **given))
    return m


def last(run: Any, marker: str, what: str = "position") -> np.ndarray:
    return np.asarray(getattr(run, what).sel(marker=f"{marker}(0, 0)").values[-1])


@pytest.mark.parametrize("size", [(0.2, 0.1), (0.2, 0.15, 0.1)], ids=["plane", "space"])
@pytest.mark.parametrize("options", [{"step": 1e-3, **RIGID}, {"accuracy": 1e-6}], ids=["rigid", "penalty"])
def test_a_box_slides_down_an_incline(size: tuple[float, ...], options: dict[str, Any]) -> None:
    """x = g (sin a - mu cos a) t^2 / 2, and none where mu > tan a."""
    slope, mu = radians(30.0), 0.4
    law = {"friction": mu, "friction_speed": 1e-3, "damping": 5.0}
    run = pl.transient(pl.compile(on_incline(size, slope, **law)), end_time=0.3, **options)
    assert run.outcome.ok
    speed = sqrt(float(np.sum(last(run, "block", "velocity") ** 2)))
    rel = 1e-9 if "step" in options else 2e-3
    assert speed == pytest.approx(G * (sin(slope) - mu * cos(slope)) * 0.3, rel=rel)
    assert float(run.normal_force[-1, 0]) == pytest.approx(2.0 * G * cos(slope), rel=rel)
    if "step" in options:
        held = pl.transient(pl.compile(on_incline(size, slope, friction=0.6)), end_time=0.1, **options)
        assert held.outcome.ok
        assert np.max(np.abs(last(held, "block", "velocity"))) < 1e-12


@pytest.mark.parametrize("size", [(0.1, 0.3), (0.1, 0.15, 0.3)], ids=["plane", "space"])
@pytest.mark.parametrize("more", [0.99, 1.01])
def test_a_tall_box_tips_where_its_weight_leaves_its_base(size: tuple[float, ...], more: float) -> None:
    """tan a = b / h, with b between the places where the rounded edges touch."""
    threshold = (size[0] - 2.0 * ROUND) / size[-1]
    model = on_incline(size, np.arctan(more * threshold), friction=1.5)
    run = pl.transient(pl.compile(model), end_time=0.4, step=1e-3, estimate=False, **RIGID)
    moved = np.max(np.abs(last(run, "block", "velocity")))
    assert moved > 0.01 if more > 1.0 else moved < 1e-12


@pytest.mark.parametrize("spatial", [False, True])
def test_a_block_rocks_as_housner_says(spatial: bool) -> None:
    """The block turns about one edge, strikes with the other, and goes on with the rest of its angular momentum.

    (G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bull. Seism. Soc. Am. 53, 1963,
    equations 2 and 8, for edges that roll on their rounding.)
    """
    b, h, tilt, mass = 0.1, 0.4, 0.1, 2.0
    c = 0.5 * b - ROUND
    place = (c * cos(tilt) - (0.5 * h - ROUND) * sin(tilt), ROUND + c * sin(tilt) + (0.5 * h - ROUND) * cos(tilt))
    size = (b, 0.15, h) if spatial else (b, h)
    m = pl.Model("rocking", plane=None if spatial else "xy")
    ground = m.add(pl.Ground())
    block = flying("block", size, place, mass=mass)
    where: dict[str, Any] = {"position": place, "angle": tilt}
    if spatial:  # about -y, so that z is up
        where = {"position": (place[0], 0.0, place[1]), "orientation": (0, -tilt, 0)}
    block = m.add(pl.Body("block", mass=mass, inertia=block.inertia, free=True, **where))
    m.add(pl.Gravity())
    law = {"radius": ROUND, "stiffness": 1e6, "friction": 2.0}
    m.add(pl.Collisions("floor", [block.at()], shape=box(size), floors=[ground.at(0, 0)], **law))
    run = pl.transient(pl.compile(m), end_time=0.4, step=2e-4, estimate=False, **RIGID)
    spin = run.angular_velocity.sel(body="block").values
    spin = -spin[:, 1] if spatial else spin
    height, own = place[1] - 0.5 * h, mass * (b**2 + h**2) / 12.0
    about = own + mass * (0.25 * h**2 + c**2)
    before = sqrt(2.0 * mass * G * height / about)
    after = before * (own + mass * (0.25 * h**2 - c**2)) / about
    k = int(np.argmin(spin))
    assert spin[k] == pytest.approx(-before, rel=3e-3)
    assert spin[k + 1 : k + 3].mean() == pytest.approx(-after, rel=3e-3)
    assert after / before == pytest.approx(1.0 - 1.5 * sin(np.arctan(b / h)) ** 2, rel=0.02)  # of sharp edges
    assert "energy" not in run.outcome.message


@pytest.mark.parametrize("options", [{"step": 1e-3, **RIGID}, {"accuracy": 1e-5}], ids=["rigid", "penalty"])
@pytest.mark.parametrize("turn", [None, 0.0, 0.3, pi / 4], ids=["plane", "flush", "turned", "octagon"])
def test_blocks_stand_on_each_other(turn: float | None, options: dict[str, Any]) -> None:
    """Each presses with the weight of all above; a place yields its share of it. Of squares turned by 45 degrees they
    are the eight places where their edges cross.
    """
    spatial, stiffness = turn is not None, 1e6
    side, masses = 0.1, (3.0, 2.0, 1.0)
    size = (side,) * (3 if spatial else 2)
    m = pl.Model("stack", plane=None if spatial else "xy")
    ground = m.add(pl.Ground())
    m.add(pl.Gravity())
    blocks = []
    for k, mass in enumerate(masses):
        place = (*(0.0,) * (1 + spatial), (k + 0.5) * side)
        blocks.append(m.add(flying(f"block {k}", size, place, (turn or 0.0) * (k == 1), mass=mass)))
    law = {"shape": box(size), "radius": ROUND, "stiffness": stiffness, "friction": 0.5, "damping": 20.0}
    m.add(pl.Collisions("below 0", [blocks[0].at()], floors=[ground.at(0, 0)], **law))
    for k in (1, 2):
        m.add(pl.Collisions(f"below {k}", [blocks[k - 1].at(), blocks[k].at()], **law))
    run = pl.transient(pl.compile(m), end_time=0.02 if "step" in options else 0.3, **options)
    assert run.outcome.ok
    rel = 1e-9 if "step" in options else 1e-3
    for k in range(3):
        assert float(run.normal_force.sel(contact=f"below {k}")[-1]) == pytest.approx(G * sum(masses[k:]), rel=rel)
    places = {None: 4, 0.0: 8}.get(turn, 8)
    sunk = 0.0
    for k in range(3):
        if "accuracy" in options:
            sunk += G * sum(masses[k:]) / stiffness / (places if k else 2 + 2 * spatial)
        assert last(run, f"block {k}")[-1] == pytest.approx((k + 0.5) * side - sunk, abs=1e-9 if not sunk else 1e-7)


def test_an_overhanging_box_rests_on_an_edge_and_a_corner() -> None:
    """The edge of the box below and its own corner share the weight by their levers, and yield accordingly."""
    stiffness, out, width, height = 1e6, 0.03, 0.1, 0.04
    m = pl.Model("overhang")
    ground = m.add(pl.Ground())
    block = m.add(flying("block", (width, height), (out, 0.5 * height), mass=2.0))
    m.add(pl.Gravity())
    shapes = [pl.Box(width, 0.2, 0.1, position=(0, -0.1)), pl.Box(width, height, 0.1)]
    law = {"radius": ROUND, "stiffness": stiffness, "friction": 0.5, "damping": 20.0}
    m.add(pl.Collisions("table", [ground.at(0, 0), block.at()], shape=shapes, **law))
    run = pl.transient(pl.compile(m), end_time=0.5, accuracy=1e-6)
    assert run.outcome.ok
    edge, corner = 0.5 * width - ROUND - out, 0.5 * width - ROUND  # from the middle of the block, to either side
    right, left = (2.0 * G * each / (edge + corner) / stiffness for each in (corner, edge))
    assert float(run.angle.sel(body="block")[-1]) == pytest.approx((left - right) / (edge + corner), rel=2e-3)
    middle = 0.5 * height - (right * corner + left * edge) / (edge + corner)
    assert last(run, "block")[1] == pytest.approx(middle, abs=1e-7)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_ball_slides_off_the_edge_of_a_box(spatial: bool) -> None:
    """Around the rounded edge its centre is on a circle, which it leaves where cos t = (2 + v^2 / (g r)) / 3."""
    rounding, ball, speed = 0.02, 0.03, 0.2
    m = pl.Model("edge", plane=None if spatial else "xy")
    ground = m.add(pl.Ground())
    up = (0.0,) * spatial
    body = m.add(
        pl.Body("ball", mass=1.0, inertia=4e-4, position=(-rounding, *up, ball), free=True, **_upright(spatial))
    )
    m.add(pl.Gravity())
    shapes = [pl.Box(0.2, 0.2, 0.2, position=(-0.1, *up, -0.1)), "round"]
    law = {"stiffness": 1e6, "restitution": 0.0}
    m.add(pl.Collisions("edge", [ground.at(0, 0), body.at()], shape=shapes, radius=(rounding, ball), **law))
    push = {"ball": (speed, *(0.0,) * (5 if spatial else 2))}
    run = pl.transient(pl.compile(m), end_time=0.2, step=2e-4, estimate=False, push=push, **RIGID)
    place = run.position.sel(marker="ball(0, 0)").values[:, [0, -1]] - (-rounding, -rounding)
    reach = np.hypot(*place.T)
    leaves = int(np.flatnonzero(run.normal_force[:, 0].values > 0.0)[-1])
    expected = (2.0 + speed**2 / G / (rounding + ball)) / 3.0
    assert cos(np.arctan2(place[leaves, 0], place[leaves, 1])) == pytest.approx(expected, abs=0.01)
    np.testing.assert_allclose(reach[: leaves - 5], rounding + ball, rtol=2e-4)


def _upright(spatial: bool) -> dict[str, Any]:
    return {"orientation": (0, 0, 0)} if spatial else {"angle": 0.0}


@pytest.mark.parametrize("options", [{"step": 5e-4, **RIGID}, {"accuracy": 1e-5}], ids=["rigid", "penalty"])
def test_a_capsule_lies_across_a_box(options: dict[str, Any]) -> None:
    """The capsule is longer than the box is wide: it lies on two edges, its weight between them as its levers say."""
    m, mass, radius, off, width = pl.Model("across", plane=None), 1.5, 0.02, 0.01, 0.1
    ground = m.add(pl.Ground())
    inertia = (3e-4, 0.02, 0.02)
    rod = m.add(pl.Body("rod", mass=mass, inertia=inertia, position=(off, 0, radius), orientation=(0, 0, 0), free=True))
    m.add(pl.Gravity())
    shapes, k = [pl.Box(width, 0.3, 0.1, position=(0, 0, -0.05)), "round"], 1e6
    law = {"radius": (ROUND, radius), "length": (0, 0.4), "stiffness": k, "friction": 0.5, "damping": 20.0}
    m.add(pl.Collisions("across", [ground.at(0, 0), rod.at()], shape=shapes, **law))
    run = pl.transient(pl.compile(m), end_time=0.02 if "step" in options else 0.4, **options)
    assert run.outcome.ok
    assert float(run.normal_force[-1, 0]) == pytest.approx(mass * G, rel=1e-3)
    half = 0.5 * width - ROUND
    right, left = (mass * G * (half + side * off) / (2.0 * half) / k for side in (1.0, -1.0))
    sunk = (right * (half + off) + left * (half - off)) / (2.0 * half) if "accuracy" in options else 0.0
    assert last(run, "rod")[2] == pytest.approx(radius - sunk, abs=2e-7)


def test_a_beam_is_propped_by_the_edge_of_a_wedge() -> None:
    """A force F at the tip of a clamped beam of length l with a prop at a: that carries F (3 l - a) / (2 a)."""
    m = pl.Model("prop")
    ground = m.add(pl.Ground())
    radius, length, a, force = 0.01, 1.0, 0.6, 10.0
    section = pl.Section(
        axial_stiffness=1e8, shear_stiffness=1e9, bending_stiffness=1e3, mass_per_length=0.8, rotary_inertia=1e-5
    )
    beam = m.add(pl.Beam("beam", length=length, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-force))
    wedge = pl.Polygon([(a, -radius), (a - 0.1, -radius - 0.1), (a + 0.1, -radius - 0.1)])
    down = ROUND * (sqrt(2.0) - 1.0)  # the rounding is within the faces
    m.add(
        pl.Collisions(
            "prop", [ground.at(0, down), beam.at(s=0)], shape=[wedge, "round"], radius=(ROUND, radius), stiffness=1e9
        )
    )
    found = pl.statics(pl.compile(m, elements=pl.Exact(elements=10, order=2)))
    assert found.outcome.ok
    assert float(found.normal_force[0]) == pytest.approx(force * (3.0 * length - a) / (2.0 * a), rel=2e-3)


@pytest.mark.parametrize("spatial", [False, True])
def test_boxes_that_strike_keep_momentum_and_lose_energy(spatial: bool) -> None:
    """Whatever strikes and rubs, with both laws."""
    rng = np.random.default_rng(3)
    size = (0.1, 0.08, 0.06) if spatial else (0.1, 0.08)
    m = pl.Model("boxes", plane=None if spatial else "xy")
    bodies, push, width = [], {}, 6 if spatial else 3
    for k in range(3):
        place = np.array([0.16 * (k - 1), 0.03 * (-1) ** k, 0.01 * k])[: len(size)]
        bodies.append(m.add(flying(f"box {k}", size, tuple(place), float(rng.uniform(0, 1)), mass=1.0 + k)))
        push[f"box {k}"] = tuple(np.r_[-4.0 * place, rng.standard_normal(width - len(size))])
    law = {"radius": ROUND, "stiffness": 1e6, "friction": 0.3, "restitution": 0.3, "damping": 0.5}
    m.add(pl.Collisions("all", [each.at() for each in bodies], shape=box(size), **law))
    for options in ({"step": 2e-4, **RIGID}, {"step": 5e-5, "newmark": (0.25, 0.5)}):
        run = pl.transient(pl.compile(m), end_time=0.1, estimate=False, push=push, **options)
        assert float(run.normal_force.sum()) > 0.0
        momentum = run.momentum.values
        np.testing.assert_allclose(momentum[:, : len(size)], momentum[[0] * len(momentum), : len(size)], atol=1e-9)
        np.testing.assert_allclose(momentum, momentum[[0] * len(momentum)], atol=2e-3)
        lost = run.energy.sel(energy_kind="dissipated").values
        assert np.min(np.diff(lost)) > -1e-6 * lost[-1]
        assert lost[-1] > 0.0
        assert not any("energy" in check.name or "depth" in check.name for check in run.outcome.failed)


def test_a_planar_box_moves_in_space_as_in_the_plane() -> None:
    """Rigid contacts have no stiffness that more corners would add to."""
    m = pl.Model("tumbling")
    ground = m.add(pl.Ground())
    block = m.add(flying("block", (0.1, 0.06), (0.0, 0.15), 0.5))
    m.add(pl.Gravity())
    law = {"radius": 5e-3, "stiffness": 1e5, "friction": 0.3, "restitution": 0.4}
    m.add(pl.Collisions("floor", [block.at()], shape=pl.Box(0.1, 0.06, 0.08), floors=[ground.at(0, 0)], **law))
    options = {"end_time": 0.3, "step": 1e-3, "estimate": False, "push": {"block": (0.5, 0.0, 3.0)}}
    plane = pl.transient(pl.compile(m), **options, **RIGID)
    options["push"] = {"block": (0.5, 0.0, 0.0, 0.0, 0.0, 3.0)}
    space = pl.transient(pl.compile(m.promoted()), **options, **RIGID)
    assert float(plane.normal_force.sum()) > 0.0
    np.testing.assert_allclose(last(space, "block")[:2], last(plane, "block"), atol=1e-9)


def test_the_core_of_a_hull() -> None:
    """A cube less its rounding; all that is inside or double of the given points is dropped, and flat faces are one."""
    from pliant.forces.collisions.items import core_of

    rng = np.random.default_rng(0)
    corners = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    cloud = np.vstack([corners, corners, rng.uniform(-1.0, 1.0, (50, 3)), [(0.3, 0.2, 1.0)]])
    body = pl.Body("b", mass=1.0, inertia=0.1)
    part = pl.Collisions("c", [body.at()], radius=0.1, stiffness=1.0, floors=[pl.Ground().at(0, 0)])
    core = core_of(part, pl.Hull(cloud), 0.25, True)
    assert sorted(map(tuple, core.corners.round(9))) == sorted(map(tuple, 0.75 * corners))
    assert (len(core.edges), len(core.faces), core.room) == (12, 6, pytest.approx(1.0))
    assert all(len(face.sides) == 4 for face in core.faces)
    square = core_of(part, pl.Hull(cloud[:, :2]), 0.25, False)
    assert (len(square.corners), len(square.edges), len(square.faces)) == (4, 0, 4)
    assert square.room == pytest.approx(1.0)


CUBE = pl.Box(1.0, 1.0, 1.0).surface
L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
STAR = np.vstack([CUBE.points, [(0, 0, 0.2)]])
BAD = [
    (pl.Polygon(L_SHAPE), False, "the Polygon is not convex: its surface is up to 0.707 m within its hull"),
    (pl.Polygon(L_SHAPE, thickness=1.0), True, "the Polygon is not convex"),
    (pl.Polygon([(0, 0), (1, 0), (0, 1)]), True, "the Polygon is flat, or a point. Give at least 4 points"),
    (pl.Mesh(STAR, [*CUBE.triangles[4:], (0, 1, 8), (1, 2, 8), (2, 3, 8), (3, 0, 8)]), True, "the Mesh is not convex"),
    (pl.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), True, "the Mesh is flat"),
    (
        pl.Mesh([(*p, 0) for p in L_SHAPE], [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]),
        False,
        "the Mesh is not convex",
    ),
    (pl.Box(1.0, 1.0, 0.15), True, r"radius = 0.1 is not allowed; it must be below 0.075. It rounds the edges of Box"),
]


@pytest.mark.parametrize(("shape", "space", "message"), BAD)
def test_shapes_that_are_no_hulls_are_refused(shape: Any, space: bool, message: str) -> None:
    m = pl.Model("bad", plane=None if space else "xy")
    body = m.add(pl.Body("b", mass=1.0, inertia=(0.1,) * 3 if space else 0.1, free=True))
    m.add(pl.Collisions("c", [body.at()], radius=0.1, stiffness=1.0, shape=shape, floors=[m.add(pl.Ground()).at(0, 0)]))
    with pytest.raises(pl.errors.ModelError, match='Collisions "c": .*' + message):
        pl.compile(m)


def test_bad_shapes_are_refused() -> None:
    body, beam = (
        pl.Body("a", mass=1.0, inertia=0.1),
        pl.Beam("rod", length=1.0, section=pl.Section.rectangle(0.01, 0.01, pl.STEEL)),
    )
    given: dict[str, Any] = {"radius": 0.1, "stiffness": 1.0}
    cube, floor = pl.Box(1.0, 1.0, 1.0), [pl.Ground().at(0, 0)]
    with pytest.raises(pl.errors.ModelError, match=r"shape = .*Sphere.* A ball is radius=, a capsule has a length="):
        pl.Collisions("c", [body.at()], floors=floor, shape=pl.Sphere(0.1), **given)
    with pytest.raises(pl.errors.ModelError, match=r"shape = 'box' is not allowed.*Try Box"):
        pl.Collisions("c", [body.at()], floors=floor, shape="box", **given)
    with pytest.raises(pl.errors.ModelError, match="it must be one, or one for each of 1 markers"):
        pl.Collisions("c", [body.at()], floors=floor, shape=[cube, cube], **given)
    with pytest.raises(pl.errors.ModelError, match=r"length = 0.2 is not allowed; it must be 0 of a hull"):
        pl.Collisions("c", [body.at()], floors=floor, shape=cube, length=0.2, **given)
    with pytest.raises(pl.errors.ModelError, match="it must be None of Beam"):
        pl.Collisions("c", [body.at(), beam.at(s=0)], shape=cube, **given)
    with pytest.raises(pl.errors.ModelError, match="at least 4 points that are not all in one plane"):
        pl.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
    with pytest.raises(pl.errors.ModelError, match="at least 3 points that are not all in one line"):
        pl.Hull([(0, 0), (1, 1), (2, 2)])
    round_ = np.random.default_rng(0).standard_normal((300, 3))
    m = pl.Model("many", plane=None)
    ball = m.add(pl.Body("b", mass=1.0, inertia=(0.1,) * 3, free=True))
    shape = pl.Hull(round_ / np.linalg.norm(round_, axis=1)[:, None])
    m.add(pl.Collisions("c", [ball.at()], shape=shape, floors=[m.add(pl.Ground()).at(0, 0)], **given))
    with pytest.raises(pl.errors.ModelError, match="the Hull has 300 corners; at most 256 can collide"):
        pl.compile(m)


def test_parallel_pieces_meet_at_the_middle_of_what_overlaps() -> None:
    from pliant.forces.collisions.nearest import foot

    at = foot((1.0, 0.3, 0.0), (4.0, 0.0, 0.0), (6.0, 0.0, 0.0))  # from 0 to 4, and from 1 to 7
    assert (at.s, at.t) == (pytest.approx(2.5 / 4.0), pytest.approx(1.5 / 6.0))


@pytest.mark.parametrize("spatial", [False, True])
def test_within_a_hull_the_nearest_face_pushes(spatial: bool) -> None:
    """A ball 30 mm from one face of the core of a cube, 70 and more from the others: gap = -30 mm - both radii."""
    m = pl.Model("inside", plane=None if spatial else "xy")
    up = (0.0,) * spatial
    place = (0.07, 0.0, *up)
    ball = m.add(pl.Body("ball", mass=1.0, inertia=1e-3, position=place, free=True, **_upright(spatial)))
    shapes, law = [pl.Box(*(2.0 * (0.1 + ROUND),) * 3), "round"], {"radius": (ROUND, 1e-3), "stiffness": 1e3}
    m.add(pl.Collisions("c", [m.add(pl.Ground()).at(0, 0), ball.at()], shape=shapes, **law))
    with pytest.warns(pl.errors.PliantWarning):
        run = pl.transient(pl.compile(m), end_time=1e-4, step=1e-5)
    assert float(run.gap[0, 0]) == pytest.approx(-0.03 - ROUND - 1e-3, rel=1e-9)
    assert float(run.acceleration[0, 0, 0]) == pytest.approx(1e3 * (0.03 + ROUND + 1e-3), rel=1e-6)


def test_what_edges_are_said_to_press_is_what_they_do() -> None:
    """A square on another one, turned by 45 degrees: one of its corners is 0.5 mm beyond an edge, so that two crossings
    are as near to their ends.
    """
    side, mass, rounding = 0.1, 2.0, 0.01
    m, core = pl.Model("turned", plane=None), 0.5 * side - rounding
    ground = m.add(pl.Ground())
    place = (core + 5e-4 - sqrt(2.0) * core, 0.0, 0.5 * side)
    block = m.add(flying("block", (side,) * 3, place, pi / 4, mass=mass))
    shapes = [pl.Box(side, side, side, position=(0, 0, -0.5 * side)), pl.Box(side, side, side)]
    law = {"radius": rounding, "stiffness": 1e4, "damping": 20.0}
    m.add(pl.Collisions("c", [ground.at(0, 0), block.at()], shape=shapes, **law))
    m.add(pl.Gravity())
    run = pl.transient(pl.compile(m), end_time=0.02, step=1e-4, estimate=False)
    lifted = mass * (run.acceleration.sel(marker="block(0, 0)", axis="z").values + G)
    np.testing.assert_allclose(run.normal_force[:, 0], lifted, atol=2e-3 * mass * G)
