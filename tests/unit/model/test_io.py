"""Model files: exact round trip, and refusal of everything that is not a whole, known, plain file."""

from __future__ import annotations

import doctest
import math
import stat
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import FileError, ModelError
from pliant.model.files import io
from pliant.model.kinds import kinds_of, load_all
from pliant.model.parts import Part
from pliant.model.signals.base import Signal

SECTION = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def everything() -> pl.Model:
    """Build one of each kind that can be saved, added in mixed order."""
    m = pl.Model("every thing-1.0")
    ground, link = m.add(
        pl.Ground("base plate"), pl.Link("link", length=1 / 3, mass=0.1, angle=0.1, position=(0.0, 1e-17))
    )
    a, b = ground.at(0.1, 0.2, angle=math.pi / 3), link.at(s=1 / 7)
    m.add(pl.Gravity(), pl.Revolute(a, b), pl.Weld(a, b), pl.Weld(a, b, angle=0.3), pl.Revolute(a, b, name="pin"))
    body = m.add(pl.Body("body", mass=1e-300, inertia=1e50, free=True))
    leaf = m.add(
        pl.Beam("leaf", length=0.5, section=SECTION, curvature=(0.1, -0.2, 0.3), damping=pl.Rayleigh(0.1, 1e-4))
    )
    wire = m.add(
        pl.Beam("wire", length=0.5, section=pl.Section(1, 2, 3, 4), damping=pl.Rayleigh.of_modes(0.01, "clamped-free"))
    )
    m.add(pl.PointMass("payload", leaf.at(s=1, y=0.01), mass=0.1, inertia=0.2))
    m.add(
        pl.Prismatic(a, body.at()),
        pl.Slider(a, wire.at(s=1)),
        pl.Distance(link.at(x=0.1, y=0.2), body.at(0.1, 0.2, angle=0.3)),
    )
    m.add(
        pl.Distance(a, leaf.at(0), length=0.2),
        pl.Motion(a, b, angle=pl.Sine(1, 2, 3, 4)),
        pl.Motion(a, b, x=pl.Ramp(0, 1, 2, 3)),
    )
    m.add(
        pl.Force(leaf.at(0.5), x=pl.Expression("0.1*sin(t) if t < 1 else 0"), y=-1.0, follower=True),
        pl.Force(leaf.at(0.5)),
    )
    m.add(pl.Moment(b, pl.Table([0, 1, 2], [0, 0.1, 1e22])), pl.Motor("motor", a, b, 5e-324))
    m.add(pl.DistributedLoad(leaf, y=2.0), pl.Drag(wire, 0.1, 0.2), leaf.at(0.5, name="middle"))
    m.add(pl.Dashpot("air", leaf.at(1), x=0.1, y=0.2, turn=0.3))
    m.add(pl.Spring("spring", a, leaf.at(1), 10, 0.1, 0.01), pl.TorsionSpring("hinge", a, b, 1.0, 0.2, 0.3), wire.at(1))
    m.add(pl.Tendon("tendon", a, leaf.at(1), guides=(body.at(0, 0.1), wire.at(0.5)), stiffness=2, force=1, sliding=-1))
    slide = m.add(pl.Prismatic(a, link.at(s=1), name="slide"))
    m.add(pl.Contact("floor", a, body.at(), stiffness=10.0, rim=0.1, surface="cone", opening=0.3, slope=1 / 3))
    m.add(pl.Stop(slide, lower=-1 / 3, stiffness=1.0), pl.Stop(slide, upper=1 / 3, stiffness=1.0, name="end"))
    m.add(pl.Tendon("muscle", a, leaf.at(1), tension=pl.Sine(1, 2, 3, 4), damping=0.1, largest_force=9.0))
    return m


def everything_in_space() -> pl.Model:
    """Build a model of everything, and what only space has."""
    m = everything().promoted(sections={"wire": pl.Section.circle(0.001, pl.STEEL)})
    ground, link, body, leaf = (m.part(name) for name in ("base plate", "link", "body", "leaf"))
    a, b = (
        ground.at(0.1, 0.2, 0.3, orientation=pl.rotation(z=1 / 3, x=0.1)),
        link.at(s=1 / 7, z=0.1, orientation=(0, 0, 1)),
    )
    inertia = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.5]]
    plate = m.add(
        pl.Body("plate", mass=1, inertia=inertia, position=(0, 1 / 3, 1), orientation=(0.1, 0.2, 0.3), free=True)
    )
    coupled = np.diag([1e6, 4e5, 3e5, 50.0, 60.0, 70.0]) + 1 / 3
    section = pl.Section.general(coupled, mass_per_length=0.1, rotary_inertia=1e-4)
    coil = m.add(pl.Beam("coil", length=1, section=section, curvature=(1 / 3, 0.1, 0.2), orientation=(0.0, 1e-17, 0.0)))
    m.add(pl.PointMass("lump", coil.at(s=1, z=0.1), mass=0.1, inertia=(0.1, 0.1, 0.2)))
    m.add(
        pl.Perpendicular(a, b),
        pl.Spherical(a, b),
        pl.Universal(a, b),
        pl.Cylindrical(a, b, axis=(1 / 3, 0, 1)),
        pl.Planar(a, b, axis="x"),
    )
    m.add(
        pl.Revolute(a, b, axis="x"),
        pl.Weld(a, b, orientation=(0.1, 0.2, 1 / 3)),
        pl.Motion(a, b, angle=pl.Ramp(0, 1, 2, 3), axis="y"),
    )
    m.add(
        pl.Motion(a, plate.at(0, 0, 1), z=pl.Sine(1, 2, 3, 4)),
        pl.Prismatic(a, body.at(z=1), axis="z"),
        pl.Slider(a, b, axis=(0, 1, 0)),
    )
    m.add(
        pl.Force(b, z=pl.Sine(1, 2, 3, 4)),
        pl.Moment(b, x=1.0, follower=True),
        pl.DistributedLoad(leaf, z=0.1),
        pl.Drag(leaf, 1, 2, z=3),
    )
    m.add(
        pl.Dashpot("more air", b, z=0.1),
        pl.Motor("spin", a, b, 1.0, axis="x"),
        pl.TorsionSpring("hinge y", a, b, 1.0, axis="y"),
    )
    m.add(pl.Gravity(), pl.Gravity(x=1.0, z=0.1, name="moon"), coil.at(0.5, z=0.1, name="eye"))
    return m


@pytest.mark.parametrize("make", [everything, everything_in_space])
def test_round_trip_is_exact(tmp_path, make) -> None:
    model, path = make(), tmp_path / "model.toml"
    model.save(path)
    again = pl.Model.load(path)
    assert str(again.name) == model.name
    assert io.dumps(again) == io.dumps(model)
    assert sorted(part.name for part in again) == sorted(part.name for part in model)
    for kind in ("bodies", "beams", "joints", "forces", "point_masses", "watched"):
        assert [repr(part) for part in getattr(again, kind)] == [repr(part) for part in getattr(model, kind)]


def all_parts() -> list[type[Part]]:
    """Return every kind of part of the package."""
    load_all()
    return [kind for kind in kinds_of(Part) if kind.__module__.startswith("pliant.")]


def examples(kind: type[Part], monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """Return the parts of a kind that its docstring makes."""
    made: list[Part] = []
    prepare = kind.__post_init__
    monkeypatch.setattr(kind, "__post_init__", lambda part, source: (made.append(part), prepare(part, source)))
    names = dict(vars(sys.modules[kind.__module__]))
    for example in doctest.DocTestParser().get_examples(kind.__doc__ or ""):
        exec(example.source, names)
    monkeypatch.undo()
    return [part for part in made if type(part) is kind]


def alone(part: Part) -> pl.Model:
    """Build a model of a part and of what it holds, in the plane if it belongs there."""
    held = [getattr(part, f.name) for f in fields(part)]
    held = [*(marker.body for marker in part.markers), *(each for each in held if isinstance(each, Part))]
    planar, spatial = pl.Model("alone"), pl.Model("alone", plane=None)
    try:
        planar.add(*dict.fromkeys([*held, part]))
    except ModelError:
        spatial.add(*dict.fromkeys([*held, part]))
        return spatial
    return planar


@pytest.mark.parametrize("kind", all_parts(), ids=lambda kind: kind.__name__)
def test_every_part_is_saved_as_its_example_makes_it(kind: type[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    made = examples(kind, monkeypatch)
    assert made, f"{kind.__name__}: its docstring makes none"
    for part in made:
        if any(callable(getattr(part, f.name)) and not isinstance(getattr(part, f.name), Signal) for f in fields(part)):
            with pytest.raises(FileError, match="a file cannot hold"):
                io.dumps(alone(part))
            continue
        text = io.dumps(alone(part))
        assert io.dumps(io.loads(text)) == text
        assert repr(io.loads(text).part(part.name)) == repr(part)


def test_plane_and_space_in_the_head() -> None:
    assert '\nplane = "none"\n' in io.dumps(everything_in_space())
    assert io.loads(io.dumps(everything_in_space())).spatial
    assert not io.loads(io.dumps(everything())).spatial
    assert "axis" not in io.dumps(everything())  # what only space uses is left out of the plane


angles = st.tuples(*[st.floats(-math.pi, math.pi)] * 3)
triples = st.tuples(*[st.floats(-1e50, 1e50)] * 3)


@settings(derandomize=True, max_examples=50)
@given(
    point=triples, turn=angles, guess=angles, position=triples, axis=triples.filter(lambda v: max(map(abs, v)) > 1e-20)
)
def test_rotations_survive_to_the_last_bit(point, turn, guess, position, axis) -> None:
    m = pl.Model("m", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("b", mass=1, inertia=1, position=position, orientation=guess))
    m.add(pl.Revolute(ground.at(*point, orientation=turn), body.at(*position, orientation=guess), axis=axis))
    again = io.loads(io.dumps(m))
    assert io.dumps(again) == io.dumps(m)
    joint, twin = m.joints[0], again.joints[0]
    assert (twin.a.turn.tolist(), twin.b.point.tolist()) == (joint.a.turn.tolist(), joint.b.point.tolist())
    assert twin.frame_a.tolist() == joint.frame_a.tolist()
    assert again.part("b").orientation == body.orientation


numbers = st.floats(min_value=1e-50, max_value=1e50)


@settings(derandomize=True, max_examples=100)
@given(length=numbers, mass=numbers, angle=st.floats(-1e50, 1e50), s=st.floats(0.0, 1.0))
def test_numbers_survive_to_the_last_bit(length, mass, angle, s) -> None:
    m = pl.Model("m")
    link = m.add(pl.Link("link", length=length, mass=mass, inertia=0.0, angle=angle))
    m.add(link.at(s=s))
    again = io.loads(io.dumps(m))
    twin = again.part("link")
    assert (twin.length, twin.mass, twin.angle, again.watched[0].s) == (length, mass, angle, s)


def test_the_file_is_readable() -> None:
    text = io.dumps(everything())
    assert text.startswith('format = "pliant-model"\nversion = 1\nname = "every thing-1.0"\nplane = "xy"\n')
    assert '\n[[joint]]\nkind = "Revolute"\n' in text
    assert '\nb = {body = "link", s = 0.14285714285714285}\n' in text
    assert '\nbeam = {part = "leaf"}\n' in text
    assert '\n[body.section]\nkind = "Section"\n' in text
    assert max(map(len, text.splitlines())) < 200


def test_a_file_may_be_written_by_hand() -> None:
    m = io.loads(
        """
        format = "pliant-model"
        version = 1
        name = "by hand"
        plane = "xy"
        body = [{kind = "Ground", name = "ground"}, {kind = "Link", name = "arm", length = 1, mass = 2}]
        [[joint]]
        kind = "Revolute"
        a = {body = "ground", x = 0, y = 0}
        b.body = "arm"
        b.s = 0
        [end]
        """
    )
    m.check()
    assert m.joints[0].name == "revolute ground(0, 0) - arm/base"


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path) -> None:
    path = tmp_path / "model.toml"
    everything().save(path)
    before = path.read_text()
    with_function, with_state = everything(), everything()
    tip = with_function.part("leaf").at(1)
    with_function.add(pl.Force(tip, x=math.sin, name="shake"))
    with pytest.raises(FileError, match=r'Force "shake": x: function is a Python .*Expression or a Table'):
        with_function.save(path)
    with_state.add(pl.StateForce("any", with_state.part("leaf").at(1), lambda t, pose, velocity: (0, 0, 0)))
    with pytest.raises(FileError, match=r'StateForce "any": function .*nothing was written'):
        with_state.save(tmp_path / "new.toml")
    assert [p.name for p in tmp_path.iterdir()] == ["model.toml"]
    assert path.read_text() == before


def test_a_write_that_fails_keeps_the_old_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "model.toml"
    everything().save(path)
    before = path.read_text()

    def disk_full(self: Path, data: str, **options: object) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", disk_full)
    with pytest.raises(FileError, match=r"cannot write .*model\.toml: No space left on device"):
        pl.Model("other").save(path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["model.toml"]
    assert path.read_text() == before


def test_an_existing_file_is_not_overwritten_unasked(tmp_path) -> None:
    path = tmp_path / "model.toml"
    path.write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        everything().save(path)
    assert path.read_text() == "mine"


def test_saved_files_have_usual_permissions(tmp_path) -> None:
    (tmp_path / "plain").write_text("")
    everything().save(tmp_path / "model.toml")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "model.toml")]
    assert modes[0] == modes[1]


def test_places_that_cannot_be_read_or_written(tmp_path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        pl.Model.load(tmp_path / "absent.toml")
    with pytest.raises(FileError, match="cannot be read"):
        pl.Model.load(tmp_path)
    with pytest.raises(FileError, match=r"cannot write .*the directory .*absent does not exist"):
        everything().save(tmp_path / "absent" / "model.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(FileError, match="not a text file"):
        pl.Model.load(tmp_path / "binary.toml")


def test_a_truncated_file_is_never_taken_for_a_whole_one() -> None:
    text = io.dumps(everything()).strip()
    io.loads(text)
    for end in [*range(0, len(text) - 100, 13), *range(len(text) - 100, len(text))]:
        with pytest.raises(FileError, match=r"cut\.toml"):
            io.loads(text[:end], "cut.toml")


HEAD = 'format = "pliant-model"\nversion = 1\nname = "m"\nplane = "xy"\n'
BODIES = '[[body]]\nkind = "Ground"\nname = "ground"\n[[body]]\nkind = "Link"\nname = "arm"\nlength = 1.0\nmass = 1.0\n'
GOOD = HEAD + BODIES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "format = None"),
        ('format = "other"', "format = 'other' is not a model file"),
        (GOOD.replace("version = 1", "version = 2"), "version = 2 is not known"),
        (GOOD.replace("version = 1", "version = true"), "version = True is not known"),
        (GOOD.replace('name = "m"\n', ""), "head lacks name"),
        (GOOD.replace('name = "m"', "name = 3"), "head: Model: name = 3"),
        (GOOD.replace('plane = "xy"', 'plane = "yz"'), "plane = 'yz'"),
        (GOOD.replace('plane = "xy"', 'planes = "xy"'), "lacks plane"),
        ("speed = 3\n" + GOOD, "key 'speed' is not known"),
        (GOOD + "[[bodies]]\n", r"key 'bodies' is not known\. Did you mean body"),
        (GOOD + "[joint]\n", r"Write \[\[joint\]\]"),
        (GOOD + "joint = 3\n", "key 'joint' is not known"),
        (HEAD + "body = 3\n", "body must be a list of tables"),
        (HEAD + "body = [3]\n", "body must be a list of tables"),
        (GOOD + '[[body]]\nname = "x"\n', r"\[\[body\]\] number 3: kind = None must be text"),
        (GOOD + "[[body]]\nkind = [1]\n", "must be text"),
        (GOOD + '[[body]]\nkind = "Lnk"\n', "kind = 'Lnk' is not known. Did you mean Link"),
        (GOOD + '[[body]]\nkind = "Revolute"\na = 1\nb = 2\n', r"number 3: Revolute: a = 1 is not allowed"),
        (GOOD + '[[body]]\nkind = "Gravity"\n', "kind = 'Gravity' does not belong here; it must be one of Ground, "),
        (GOOD + '[[body]]\nkind = "Sine"\namplitude = 1\nfrequency_hz = 1\n', "does not belong here"),
        (GOOD.replace("mass = 1.0", "mas = 1.0"), "key 'mas' is not known. Did you mean mass"),
        (GOOD.replace("mass = 1.0\n", ""), r"\[\[body\]\] number 2: Link lacks mass"),
        (GOOD.replace("mass = 1.0", "mass = nan"), 'Link "arm": mass = nan'),
        (GOOD.replace("mass = 1.0", "mass = -inf"), "mass = -inf"),
        (GOOD.replace("mass = 1.0", 'mass = "heavy"'), "mass = 'heavy' is not allowed; it must be a number"),
        (GOOD.replace("mass = 1.0", "mass = true"), "mass = True"),
        (GOOD.replace("mass = 1.0", "mass = [1.0]"), "mass = "),
        (GOOD.replace("mass = 1.0", "mass = {}"), "mass = {} is not understood"),
        (GOOD.replace("mass = 1.0", "mass = 1979-05-27"), "mass = .* is not understood"),
        (GOOD.replace("mass = 1.0", f"mass = 1{'0' * 400}"), "at most 1e"),
        (GOOD.replace("mass = 1.0", f"mass = 1{'0' * 9000}"), "not valid TOML"),
        (GOOD.replace("mass = 1.0", "mass = 1e999"), "mass = inf"),
        (GOOD.replace("mass = 1.0", "mass = " + "[" * 5000), "not valid TOML"),
        (GOOD.replace('"arm"', '"../../etc/passwd"'), "name = '../../etc/passwd' is not allowed"),
        (GOOD.replace('"arm"', '"ground"'), "name is taken"),
        (GOOD.replace('"arm"', '""'), "a name is missing"),
        (GOOD + '[[marker]]\nbody = "leg"\n', "no part 'leg'"),
        (GOOD + "[[marker]]\nbody = 3\n", "body = 3 must be text"),
        (GOOD + '[[marker]]\nbody = "arm"\ns = 2\n', "off its body"),
        (GOOD + '[[marker]]\nbody = "arm"\nr = 1\n', "key 'r' is not known"),
        (GOOD + '[[marker]]\nbody = "ground"\nx = 1\n', 'marker on Ground "ground" lacks y'),
        (GOOD + '[[force]]\nkind = "Gravity"\n[[marker]]\nbody = "gravity"\n', "carries no markers"),
        (GOOD + '[[force]]\nkind = "Gravity"\nx = {kind = "Expression", text = "open(1)"}\n', "'open' is not known"),
        (GOOD + '[[force]]\nkind = "Gravity"\nx = {kind = "Function", function = "exit"}\n', "function = 'exit'"),
        (GOOD + '[[force]]\nkind = "Gravity"\nx = {kind = "Section"}\n', "Section lacks"),
        (GOOD + '[[force]]\nkind = "Gravity"\nx = {kind = "Rayleigh"}\n', "x = Rayleigh"),
        (GOOD + '[[force]]\nkind = "Drag"\nbeam = {part = "arm"}\nx = 1\ny = 1\n', "a Beam, not a Link"),
        (GOOD + '[[force]]\nkind = "Drag"\nbeam = {part = "arm", s = 1}\nx = 1\ny = 1\n', "key 's' is not known"),
    ],
)
def test_bad_files_are_refused_with_place_and_reason(text, message) -> None:
    with pytest.raises(FileError, match=f"bad.toml: .*{message}"):
        io.loads(text + "\n[end]\n", "bad.toml")
