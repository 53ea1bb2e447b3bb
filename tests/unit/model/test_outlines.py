"""Shapes of bodies: what they are made of, their files, what pictures and other programs' files make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError
from pliant.model.bodies.mesh_files import read_mesh, write_stl
from pliant.results.drawing import scene
from pliant.results.drawing.view import view_of

TETRA = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
SHAPES = [
    pl.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], thickness=0.5),
    pl.Box(1.0, 2.0, 3.0, position=(1.0, 0.0), orientation=0.3),
    pl.Cylinder(0.5, 2.0),
    pl.Sphere(0.5),
    pl.Sphere(0.5, 1.0),
    pl.Mesh(TETRA, FACES),
]
VOLUMES = [1.5, 6.0, np.pi * 0.5, np.pi / 6.0, np.pi / 6.0 + np.pi / 4.0, 1.0 / 6.0]


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    """Return the volume by the divergence theorem: right, and positive, only if all triangles look outwards."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(("shape", "expected"), [*zip(SHAPES, VOLUMES, strict=True)])
def test_surfaces_are_closed_and_look_outwards(shape, expected) -> None:
    assert volume(*shape.surface) == pytest.approx(expected, rel=0.03)  # round ones have 24 sides
    sides = shape.surface.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    keys = np.unique(np.round(shape.surface.points, 9), axis=0, return_inverse=True)[1].reshape(-1)[sides]
    assert sorted(map(tuple, keys.tolist())) == sorted(map(tuple, keys[:, ::-1].tolist()))  # each side both ways


def test_a_concave_polygon_is_covered_once() -> None:
    comb = [(0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
    points, triangles = pl.Polygon(comb).surface
    a, b, c = np.moveaxis(points[triangles][..., :2], 1, 0)
    areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert areas.min() > 0.0
    assert areas.sum() == pytest.approx(11.0)


@pytest.mark.parametrize(
    "points", [[(0, 0), (1, 1)], [(0, 0), (1, 1), (1, 0), (0, 1)], [(0, 0), (1, 0), (2, 0)], "abc"]
)
def test_what_is_no_polygon_is_refused(points) -> None:
    with pytest.raises(ModelError, match="Polygon: points"):
        pl.Polygon(points)


def test_meshes_are_read_from_all_three_formats(tmp_path: Path) -> None:
    write_stl(tmp_path / "a.stl", TETRA, FACES)
    lines = ["solid t"]
    for face in FACES:
        lines += [
            "facet normal 0 0 0",
            "outer loop",
            *(f"vertex {x} {y} {z}" for x, y, z in TETRA[face]),
            "endloop",
            "endfacet",
        ]
    (tmp_path / "b.stl").write_text("\n".join([*lines, "endsolid t"]))
    rows = [f"v {x} {y} {z}" for x, y, z in TETRA] + [f"f {a + 1}/1/1 {b + 1}//2 {c - 4}" for a, b, c in FACES]
    (tmp_path / "c.obj").write_text("\n".join(["# tetrahedron", *rows]))
    for name in ("a.stl", "b.stl", "c.obj"):
        assert volume(*read_mesh(tmp_path / name)) == pytest.approx(1.0 / 6.0)
    assert volume(*pl.Mesh.read(tmp_path / "c.obj", scale=0.5).surface) == pytest.approx(1.0 / 48.0)


HOSTILE = {
    "short.stl": b"x" * 80 + (10**6).to_bytes(4, "little"),
    "nan.stl": b"solid\n" + 3 * b"vertex nan 0 0\n",
    "words.stl": b"solid\n" + 3 * b"vertex a b c\n",
    "two.stl": b"solid\n" + 2 * b"vertex 0 0 0\n",
    "far.obj": b"v 0 0 0\nf 1 2 3\n",
    "back.obj": b"v 0 0 0\nf -1 -2 -3\n",
    "zero.obj": b"v 0 0 0\nf 0 0 0\n",
    "zero before more.obj": b"v 0 0 0\nv 1 0 0\nf 0 1 2\nv 0 1 0\n",
    "huge.obj": b"v 0 0 0\nf 1 2 99999999999999999999\n",
    "text.obj": b"v 0 0 0\nf a b c\n",
    "empty.obj": b"",
    "other.step": b"ISO-10303-21;",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_damaged_files_are_refused_by_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(HOSTILE[name])
    with pytest.raises(FileError, match=name):
        pl.Mesh.read(path)
    with pytest.raises(FileError, match="missing"):
        pl.Mesh.read(tmp_path / "missing.stl")


def model(plane: str | None = "xy") -> pl.Model:
    m = pl.Model("shapes", plane=plane)
    ground = m.add(pl.Ground(shape=pl.Box(0.5, 0.1, 0.1, position=(0.0, -0.2))))
    arm = m.add(pl.Link("arm", length=0.4, mass=1.0, inertia=0.02, shape=SHAPES))
    joint = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    m.add(pl.TorsionSpring("coil", joint.a, joint.b, 1.0, 0.0), pl.Gravity(0.0, -9.81))
    return m


@pytest.mark.parametrize("plane", ["xy", None])
def test_files_scales_and_copies_keep_them(plane: str | None, tmp_path: Path) -> None:
    m = model(plane)
    m.save(tmp_path / "m.toml")
    names: dict[str, pl.Model] = {}
    exec(m.as_python(), names)  # type: ignore[arg-type]
    scaled = m.scaled(pl.Scales(length=0.5)).part("arm").shape
    for other in (pl.Model.load(tmp_path / "m.toml"), names["m"]):
        found = [each.surface for each in other.part("arm").shape]
        for each, shape, half in zip(found, SHAPES, scaled, strict=True):
            np.testing.assert_array_equal(each.points, shape.surface.points)
            np.testing.assert_allclose(half.surface.points, 2.0 * shape.surface.points, atol=1e-15)
    with pytest.raises(ModelError, match='Link "arm": shape'):
        pl.Link("arm", length=1.0, mass=1.0, shape="box")


@pytest.mark.parametrize("plane", ["xy", None])
def test_shapes_move_with_their_body(plane: str | None) -> None:
    """Shapes are where the pose of the body takes them at every instant; in modes too."""
    m = model(plane)
    system = pl.compile(m)
    run = pl.transient(system, end_time=0.2, step=2e-3)
    arm = next(each for each in scene.solids(run) if each.name == "arm")
    points = np.concatenate([each.surface.points for each in SHAPES])[:, : run.data.sizes["axis"]]
    angle = float(run.angle.sel(body="arm")[-1]) if plane else None
    if plane:
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s], [s, c]])
    else:
        from pliant.model import rotations

        R = rotations.matrix(run.orientation.sel(body="arm").values[-1])
    np.testing.assert_allclose(arm.points(run.data["shape"].values[-1])[: len(points)], points @ R.T, atol=1e-12)
    modes = pl.modal(system, modes=1)
    moved = arm.points(modes.data["mode_shape"].values[0])
    tip = modes.mode_position.sel(marker="arm/tip").values[0] / 0.4  # it turns about the origin: v = w x r
    rest = arm.points(modes.data["shape"].values)
    turned = np.stack([-rest[:, 1], rest[:, 0]], axis=-1)
    x, y = modes.position.sel(marker="arm/tip").values[:2] / 0.4
    np.testing.assert_allclose(moved[:, :2], turned * (tip[1] * x - tip[0] * y), atol=1e-9)


def test_large_faces_are_split_and_stay_the_same() -> None:
    m = pl.Model("table", plane=None)
    m.add(pl.Ground(shape=pl.Box(2.0, 1.0, 0.1)), ball := pl.Body("ball", mass=1.0, inertia=0.1, free=True))
    m.add(ball.at(0.1, 0, 0))
    result = m.sketch()
    (table,) = scene.solids(result)
    points = table.points(result.data["shape"].values)
    assert volume(points, table.triangles) == pytest.approx(0.2)
    ends = points[table.triangles]
    assert np.linalg.norm(ends - np.roll(ends, -1, axis=1), axis=2).max() <= 0.12 * 2.0 * (1.0 + 1e-9)


def test_sections_are_as_thick_as_they_are() -> None:
    """A tapered leaf turned by a quarter about its axis, and a tube."""
    m = pl.Model("sections", plane=None)
    ground = m.add(pl.Ground())
    leaf = pl.Rectangle(width=(0.04, 0.02), height=0.002, material=pl.STEEL)
    beams = m.add(
        pl.Beam("leaf", length=0.3, section=leaf),
        pl.Beam("tube", length=0.3, section=pl.Section.tube(0.01, 0.008, pl.STEEL)),
    )
    m.add(*(pl.Weld(ground.at(0, k, 0, orientation=(np.pi / 2, 0, 0)), each.at(s=0)) for k, each in enumerate(beams)))
    result = m.sketch()
    found = {each.name: each for each in scene.solids(result)}
    assert [found[name].kind for name in ("leaf", "tube")] == ["edge", "tube"]
    points = found["leaf"].points(result.data["shape"].values)
    ends = [points[points[:, 0] < 1e-9], points[points[:, 0] > 0.3 - 1e-9]]
    assert [np.ptp(end, axis=0).round(6).tolist() for end in ends] == [[0.0, 0.04, 0.002], [0.0, 0.02, 0.002]]
    around = np.linalg.norm(found["tube"].points(result.data["shape"].values)[:, 1:] - [1.0, 0.0], axis=1)
    np.testing.assert_allclose(around, 0.01)


def test_rails_walls_stops_and_welds_are_seen() -> None:
    m = pl.Model("marks")
    ground = m.add(pl.Ground())
    block, leaf = m.add(
        pl.Body("block", mass=1.0, inertia=0.1),
        pl.Beam("leaf", length=0.2, section=pl.Section.rectangle(0.02, 0.001, pl.STEEL)),
    )
    slide = m.add(pl.Prismatic(ground.at(0, 0), block.at(), name="slide"))
    m.add(pl.Stop(slide, lower=-0.1, upper=0.3, stiffness=1e4), pl.Weld(ground.at(0, 0.1), leaf.at(s=0)))
    m.add(pl.Contact("wall", ground.at(0.4, 0, angle=np.pi / 2), block.at(), radius=0.05, stiffness=1e4))
    m.add(pl.Force(block.at(), x=1.0))
    run = pl.transient(pl.compile(m), end_time=0.5, step=5e-3)
    found = {}
    for each in scene.solids(run):
        found.setdefault((each.name, each.kind), []).append(each)
    assert set(run.shape.part_kind.values) <= {"beam", "rigid", "line"}  # what only completes pictures is in data
    last = run.data["shape"].values[-1]
    (rail,) = found["slide", "rail"]
    travel = run.joint_travel.sel(joint="slide").values
    reach = rail.points(last)
    assert reach[:, 1].tolist() == [0.0, 0.0]
    assert reach[0, 0] < travel.min()
    assert reach[1, 0] > travel.max()
    assert [each.points(last)[:, 0].round(9).tolist() for each in found["stop slide", "stroke"]] == [
        [-0.1] * 2,
        [0.3] * 2,
    ]
    (wall,) = found["wall", "wall"]
    assert np.all(wall.points(last)[:2, 0] == pytest.approx(0.4))
    assert wall.points(last)[:, 0].max() > 0.4
    (ball,) = found["wall", "outline"]
    middle = run.position.sel(marker="block(0, 0)").values[-1]
    assert np.linalg.norm(ball.points(last) - middle, axis=1).max() == pytest.approx(0.05)
    assert len(scene.clamps(run)) == 1
    assert len(scene.supports(run)["clamp"]) == 1
    assert len(scene.supports(run)["pin"]) == 0
    assert view_of(run, None).angles is None


def test_visuals_go_to_robots_and_come_back(tmp_path: Path) -> None:
    m = model(None)
    seen = np.concatenate([each.surface.points for each in SHAPES])
    for ending, load in (("urdf", pl.load_urdf), ("xml", pl.load_mjcf)):
        with pytest.warns(pl.errors.NotWritten):
            pl.export(m, tmp_path / f"robot.{ending}")
        arm = load(tmp_path / f"robot.{ending}").model.part("arm")
        back = np.concatenate([each.surface.points for each in arm.shape]) + [0.2, 0.0, 0.0]  # its centre of mass
        rows = [np.unique(each.round(6) + 0.0, axis=0) for each in (back, seen)]  # STL has seven digits
        np.testing.assert_allclose(*rows, atol=2e-6)
        base = load(tmp_path / f"robot.{ending}").model.part("ground").shape[0]
        assert base.surface.points[:, 1].min() == pytest.approx(-0.25)


SDF = """<sdf version="1.8"><model name="m"><link name="arm"><inertial><mass>1</mass></inertial>
<visual name="a"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></visual>
<visual name="b"><geometry><cylinder><radius>0.1</radius><length>2</length></cylinder></geometry></visual>
<visual name="c"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual>
<visual name="d"><geometry><mesh><uri>model://m/../../secret.stl</uri></mesh></geometry></visual></link>
<joint name="j" type="revolute"><parent>world</parent><child>arm</child></joint></model></sdf>"""


def test_visuals_of_sdf(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_text(SDF)
    found = pl.load_sdf(tmp_path / "m.sdf")
    sizes = [np.ptp(each.surface.points, axis=0).round(6).tolist() for each in found.model.part("arm").shape]
    assert sizes[0] == [1.0, 2.0, 3.0]
    assert sizes[1][2] == 2.0
    assert sizes[2] == [2.0, 4.0, 6.0]
    assert found.model.part("arm").shape[0].position == (0.0, 0.0, 1.0)
    assert any("is not beside the file" in line for line in found.left_out)


def test_what_would_take_too_long_or_fit_nothing_is_refused(tmp_path: Path) -> None:
    """A plate of very many corners; a mesh scaled along two axes."""
    angle = np.linspace(0.0, 2.0 * np.pi, 1001, endpoint=False)
    with pytest.raises(ModelError, match="3 to 1000 corners"):
        pl.Polygon(np.column_stack([np.cos(angle), np.sin(angle)]))
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for scale in ((1.0, 2.0), 0.0, (1.0, 0.0, 1.0), None, "mm"):
        with pytest.raises(ModelError, match=r"scale.* is not allowed; it must be a"):
            pl.Mesh.read(tmp_path / "a.obj", scale=scale)


def test_a_repeated_corner_is_taken_once() -> None:
    corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
    closed = pl.Polygon([corners[0], corners[0], *corners[1:], corners[0]])
    assert closed.points == pl.Polygon(corners).points
    with pytest.raises(ModelError, match="3 to 1000 corners"):
        pl.Polygon([corners[0], corners[1], corners[1], corners[0]])


def test_a_text_file_may_be_named_after_its_words(tmp_path: Path) -> None:
    corners = "".join(f"vertex {x} {y} 0\n" for x, y in ((0, 0), (1, 0), (0, 1)))
    text = f"solid vertex vertex 1\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid vertex\n"
    (tmp_path / "a.stl").write_text(text)
    assert len(read_mesh(tmp_path / "a.stl")[1]) == 1
    (tmp_path / "b.stl").write_text(text.replace("vertex 1 0 0", "vertex 1 0"))
    with pytest.raises(FileError, match="is damaged"):
        read_mesh(tmp_path / "b.stl")
