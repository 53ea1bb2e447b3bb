"""Files from strangers, broken or meant to do harm: a clear message, nothing run, nothing written."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.errors import FileError, PliantError
from pliant.model.files import io as model_io
from pliant.results.io import load_result
from pliant_cli import main
from pliant_gallery import pendulum
from pliant_io.linear_models import load_linear

Files = dict[str, bytes]


class Bomb:
    """Unpickling it would run a command."""

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.system, ("touch PWNED",)


PICKLE = pickle.dumps(Bomb())
YAML = b"!!python/object/apply:os.system ['touch PWNED']\n"
HEAD = 'format = "pliant-model"\nversion = 1\nname = "m"\nplane = "xy"\n'
BODY = '[[body]]\nkind = "Ground"\nname = "ground"\n[[body]]\nkind = "Link"\nname = "arm"\nlength = 1.0\nmass = 1.0\n'
PIN = '[[joint]]\nkind = "Revolute"\na = {body = "ground", x = 0, y = 0}\nb = {body = "arm", s = 0}\n'
END = "[end]\n"
GOOD = HEAD + BODY + PIN + END


def toml(old: str, new: str) -> bytes:
    assert old in GOOD
    return GOOD.replace(old, new).encode()


def load_of(formula: str) -> bytes:
    signal = f'y = {{kind = "Expression", text = "{formula}"}}'
    force = f'[[force]]\nkind = "Force"\nmarker = {{body = "arm", s = 1}}\n{signal}\n'
    return (HEAD + BODY + PIN + force + END).encode()


MODELS: Files = {
    "empty": b"",
    "truncated": GOOD.encode()[:-20],
    "without its last line": GOOD.encode()[: -len(END)],
    "pickle": PICKLE,
    "yaml with code": YAML,
    "binary": bytes(range(256)) * 4,
    "another version": toml("version = 1", "version = 99"),
    "version true": toml("version = 1", "version = true"),
    "another format": toml("pliant-model", "exudyn-model"),
    "path as a name": toml('name = "m"', 'name = "../../etc/cron.d/m"'),
    "path as a part's name": toml('name = "arm"', 'name = "../../arm"'),
    "control characters": toml('name = "arm"', 'name = "arm\\u001b[2J"'),
    "infinite length": toml("length = 1.0", "length = inf"),
    "length that is no number": toml("length = 1.0", "length = nan"),
    "length beyond numbers": toml("length = 1.0", "length = 1e999"),
    "whole number beyond numbers": toml("length = 1.0", "length = 1" + "0" * 400),
    "whole number of 5000 digits": toml("length = 1.0", "length = 1" + "0" * 5000),
    "text for a number": toml("length = 1.0", 'length = "1.0"'),
    "list for a number": toml("length = 1.0", "length = [1.0, [2.0]]"),
    "table for a number": toml("length = 1.0", "length = {a = 1}"),
    "unknown kind": toml('kind = "Link"', 'kind = "os.system"'),
    "private kind": toml('kind = "Link"', 'kind = "__import__"'),
    "unknown key": toml("mass = 1.0", "mass = 1.0\n__class__ = 2"),
    "part that is not there": toml('b = {body = "arm"', 'b = {body = "leg"'),
    "lists within lists": toml("length = 1.0", "length = " + "[" * 100_000 + "]" * 100_000),
    "lists within lists, fewer": toml("length = 1.0", "length = " + "[" * 400 + "]" * 400),
    "tables within tables": toml("length = 1.0", "length = " + "{a = " * 900 + "1" + "}" * 900),
    "code in a formula": load_of("__import__('os').system('touch PWNED')"),
    "attribute in a formula": load_of("t.__class__.__mro__"),
    "endless formula": load_of("+".join(["t"] * 100_000)),
    "deep formula": load_of("(" * 5000 + "t" + ")" * 5000),
}


def dataset(**attributes: Any) -> bytes:
    """Return a pliant result of statics, with some attributes changed."""
    data = xr.Dataset({"position": (("marker", "axis"), np.zeros((1, 2)))}, {"marker": ["tip"], "axis": ["x", "y"]})
    outcome, origin = {"ok": True, "message": "", "figures": {}}, {"model": "m", "analysis": "statics", "settings": {}}
    texts = {"pliant_outcome": json.dumps(outcome), "pliant_provenance": json.dumps(origin), "pliant_empty": "[]"}
    data.attrs = {"pliant_format": 1, "pliant_kind": "statics", **texts, **attributes}
    return written(data)


def written(data: xr.Dataset) -> bytes:
    return bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))


def archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("../../PWNED", "text")
    return content.getvalue()


VALID = dataset()
HUGE = [{"name": "q", "dims": ["a"], "shape": [10**9], "dtype": "f", "attrs": {}, "is_coordinate": False}]
RESULTS: Files = {
    "empty": b"",
    "pickle": PICKLE,
    "zip with paths": archive(),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(200),
    "truncated": VALID[: len(VALID) // 2],
    "truncated head": VALID[:20],
    "dimension beyond the file": b"CDF\x02"
    + struct.pack(">IIII", 0, 10, 1, 1)
    + b"a\0\0\0"
    + struct.pack(">I", 2**31 - 1),
    "not ours": written(xr.Dataset({"a": ("x", [1.0])})),
    "another version": dataset(pliant_format=99),
    "unknown kind": dataset(pliant_kind="__import__('os')"),
    "code for an outcome": dataset(pliant_outcome="__import__('os').system('touch PWNED')"),
    "other fields in an outcome": dataset(pliant_outcome='{"ok": true, "message": "", "danger": 1}'),
    "nested JSON": dataset(pliant_provenance="[" * 100_000),
    "huge empty array": dataset(pliant_empty=json.dumps(HUGE)),
    "empty array with a huge side": dataset(
        pliant_empty=json.dumps([{**HUGE[0], "dims": ["a", "b"], "shape": [0, 10**14]}])
    ),
    "text for numbers": written(
        xr.load_dataset(io.BytesIO(VALID), engine="scipy").assign(position=(("marker", "axis"), [["a", "b"]]))
    ),
    "codes for the terminal": written(
        xr.load_dataset(io.BytesIO(VALID), engine="scipy").assign_coords(marker=["\x1b[2Jtip"])
    ),
    "objects": dataset(pliant_empty=json.dumps([{**HUGE[0], "shape": [0], "dtype": "O, O"}])),
    "not a number": written(
        xr.load_dataset(io.BytesIO(VALID), engine="scipy").assign(position=(("marker", "axis"), [[np.nan, 1.0]]))
    ),
}

LINEAR = {
    letter: (dims, np.ones((1, 1)))
    for letter, dims in {
        "A": ("r", "state"),
        "B": ("r", "input"),
        "C": ("output", "state"),
        "D": ("output", "input"),
    }.items()
}
VALUES = {"input_value": ("input", [0.0]), "output_value": ("output", [0.0])}
NAMES = {"state": ["x"], "input": ["u"], "output": ["y"]}
SIGNED = {"format": "pliant-linear-model", "version": 1, "sample_time": 0.0}
LINEARS: Files = {
    "pickle": PICKLE,
    "a result": VALID,
    "another version": written(xr.Dataset(LINEAR | VALUES, NAMES, SIGNED | {"version": 7})),
    "without B": written(xr.Dataset({k: v for k, v in (LINEAR | VALUES).items() if k != "B"}, NAMES, SIGNED)),
    "not a number": written(xr.Dataset(LINEAR | VALUES | {"A": (("r", "state"), [[np.nan]])}, NAMES, SIGNED)),
    "negative sample time": written(xr.Dataset(LINEAR | VALUES, NAMES, SIGNED | {"sample_time": -1.0})),
}

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK = f'<link name="{{}}"><inertial><mass value="{{}}"/>{INERTIA}</inertial></link>'
JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/></joint>'
PARTS = LINK.format("arm", 1) + JOINT.format("j", "continuous", "base", "arm")
ROBOT = f'<robot name="r"><link name="base"/>{PARTS}</robot>'
LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
URDFS: Files = {
    "empty": b"",
    "truncated": ROBOT.encode()[:-30],
    "pickle": PICKLE,
    "entity bomb": f'<!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>'.encode(),
    "file of the machine": b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
    "document type elsewhere": b'<!DOCTYPE r SYSTEM "http://127.0.0.1:9/a.dtd"><robot name="r"/>',
    "entity without declaration": b'<robot name="&x;"/>',
    "deep": b"<robot name='r'>" + b"<link name='a'>" * 100_000,
    "another root": b"<sdf/>",
    "strange encoding": b"<?xml version='1.0' encoding='utf-7'?><robot name='r'/>",
    "no name": b"<robot/>",
    "no link": b"<robot name='r'/>",
    "mass that is no number": ROBOT.replace('value="1"', 'value="nan"').encode(),
    "infinite mass": ROBOT.replace('value="1"', 'value="inf"').encode(),
    "mass beyond numbers": ROBOT.replace('value="1"', 'value="1e300"').encode(),
    "negative mass": ROBOT.replace('value="1"', 'value="-1"').encode(),
    "impossible inertia": ROBOT.replace('ixx="1"', 'ixx="9"').encode(),
    "text for a number": ROBOT.replace('value="1"', 'value="__import__(1)"').encode(),
    "no mass": ROBOT.replace('<mass value="1"/>', "").encode(),
    "unknown joint": ROBOT.replace("continuous", "screw").encode(),
    "missing link": ROBOT.replace('<child link="arm"/>', '<child link="leg"/>').encode(),
    "circle": f'<robot name="r">{LINK.format("a", 1)}{LINK.format("b", 1)}'.encode()
    + f"{JOINT.format('i', 'fixed', 'a', 'b')}{JOINT.format('j', 'fixed', 'b', 'a')}</robot>".encode(),
    "circle beside a tree": ROBOT.replace("</robot>", f"{LINK.format('a', 1)}{LINK.format('b', 1)}").encode()
    + f"{JOINT.format('x', 'fixed', 'a', 'b')}{JOINT.format('y', 'fixed', 'b', 'a')}</robot>".encode(),
    "two roots": ROBOT.replace("</robot>", '<link name="alone"/></robot>').encode(),
    "two parents": ROBOT.replace("</robot>", JOINT.format("k", "fixed", "base", "arm") + "</robot>").encode(),
    "name twice": ROBOT.replace("</robot>", '<link name="arm"/></robot>').encode(),
    "axis of zeros": ROBOT.replace("</joint>", '<axis xyz="0 0 0"/></joint>').encode(),
    "axis of two": ROBOT.replace("</joint>", '<axis xyz="0 1"/></joint>').encode(),
    "long name": ROBOT.replace('name="arm"', f'name="{"a" * 100_000}"').encode(),
}

PYTHONS: Files = {
    "no model": b"x = 1\n",
    "no function": b"model = 3\n",
    "not Python": b"def model(:\n",
    "fails": b"raise RuntimeError('broken')\n",
    "leaves": b"import sys; sys.exit(0)\n",
    "returns nothing": b"def model():\n    pass\n",
    "fails in its model": b"def model():\n    return {}['missing']\n",
}

READERS: dict[str, tuple[str, Callable[[Path], Any], Files]] = {
    "model": (".toml", pl.Model.load, MODELS),
    "result": (".nc", load_result, RESULTS),
    "linear model": (".nc", load_linear, LINEARS),
    "urdf": (".urdf", pl.load_urdf, URDFS),
}
CASES = [(kind, name) for kind, (_, _, files) in READERS.items() for name in files]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, made the working one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_cases_are_made_of_is_good(place: Path) -> None:
    (place / "a.toml").write_text(GOOD)
    (place / "a.nc").write_bytes(VALID)
    (place / "l.nc").write_bytes(written(xr.Dataset(LINEAR | VALUES, NAMES, SIGNED)))
    (place / "a.urdf").write_text(ROBOT)
    assert len(pl.Model.load("a.toml").bodies) == len(pl.load_urdf("a.urdf").model.bodies) == 1
    assert load_result("a.nc").kind == "statics"
    assert load_linear("l.nc").input_names == ("u",)


@pytest.mark.parametrize("kind, name", CASES)
def test_reader_refuses(kind: str, name: str, place: Path) -> None:
    suffix, read, files = READERS[kind]
    path = place / f"hostile{suffix}"
    path.write_bytes(files[name])
    with pytest.raises(FileError) as refusal:
        read(path)
    assert 10 < len(str(refusal.value)) < 1000
    assert list(place.iterdir()) == [path]


COMMANDS = [
    *(
        (".toml", name, MODELS[name])
        for name in ("truncated", "yaml with code", "lists within lists", "code in a formula")
    ),
    *((".urdf", name, URDFS[name]) for name in ("entity bomb", "circle", "mass that is no number")),
    *((".py", name, content) for name, content in PYTHONS.items()),
    (".pickle", "pickle", PICKLE),
    (".yaml", "yaml", YAML),
]


@pytest.mark.parametrize("suffix, name, content", COMMANDS, ids=[f"{each[0]} {each[1]}" for each in COMMANDS])
def test_command_refuses_a_model(
    suffix: str, name: str, content: bytes, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place / f"hostile{suffix}"
    path.write_bytes(content)
    with pytest.raises(SystemExit) as end:
        main(["run", path.name, "statics", "--out", "out"])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert told.startswith("Error: ")
    assert "Traceback" not in told
    assert "fault of pliant" not in told
    assert [each for each in place.iterdir() if each.name != "__pycache__"] == [path]


@pytest.mark.parametrize("name", RESULTS)
def test_commands_refuse_a_result(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = place / "hostile.nc"
    path.write_bytes(RESULTS[name])
    for command in (["export", path.name, "a.csv", "a.pvd"], ["compare", path.name, path.name]):
        with pytest.raises(SystemExit) as end:
            main(command)
        assert end.value.code == 2
        assert capsys.readouterr().err.startswith("Error: ")
    assert list(place.iterdir()) == [path]


def test_power_beyond_numbers_costs_nothing(place: Path) -> None:
    (place / "a.toml").write_bytes(load_of("9**9**9**9"))
    model = pl.Model.load("a.toml")
    with pytest.raises(PliantError, match="force"):
        pl.statics(pl.compile(model))


DEEP = ".".join(["a"] * 40_000)


@pytest.mark.parametrize(
    "lines",
    [
        f"{DEEP} = 1",
        f"[{DEEP}]",
        f"[[ {DEEP} ]]",
        f"x = {{ {DEEP} = 1}}",
        f"x = [{{b = 1, {DEEP} = 1}}]",
        DEEP.replace("a", '"."'),
    ],
)
def test_keys_of_80_kilobytes_are_not_parsed(lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of TOML took 95 s and 7 GB for one."""
    monkeypatch.setattr("tomllib.loads", lambda text: pytest.fail("it was parsed"))
    with pytest.raises(FileError, match=r"m\.toml: the key in line 5 has more than 16 parts"):
        model_io.loads(HEAD + lines + "\n" + END, "m.toml")


def test_points_in_values_are_no_keys(place: Path) -> None:
    formula = "+".join(f"{k}.5*t" for k in range(100))
    (place / "a.toml").write_bytes(load_of(formula))
    assert pl.Model.load("a.toml").part("arm").length == 1.0


def test_a_rim_of_millions_of_points_is_refused(place: Path) -> None:
    touch = 'a = {body = "ground", x = 0, y = 0}\nb = {body = "arm", s = 1}\nstiffness = 1e5\nrim = 0.1\n'
    contact = f'[[force]]\nkind = "Contact"\nname = "rim"\n{touch}points = 30000000\n'
    (place / "a.toml").write_text(HEAD + BODY + PIN + contact + END)
    with pytest.raises(PliantError, match=r"points = 30000000 is not allowed.*from 2 to 10000"):
        pl.Model.load("a.toml")


def test_a_search_in_tiny_steps_is_refused(place: Path) -> None:
    ramp = 'signal = {kind = "Expression", text = "sin(t)"}, largest_rate = 0.5, resolution = 1e-13'
    force = f'[[force]]\nkind = "Force"\nmarker = {{body = "arm", s = 1}}\ny = {{kind = "Limited", {ramp}}}\n'
    (place / "a.toml").write_text(HEAD + BODY + PIN + force + END)
    system = pl.compile(pl.Model.load("a.toml"))
    with pytest.raises(PliantError, match=r"resolution = 1e-13 is not allowed; it must be at least"):
        pl.transient(system, end_time=1.0, step=1e-2)


def test_urdf_opens_no_other_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = '<visual><geometry><mesh filename="../../../../etc/passwd"/></geometry></visual></link>'
    (place / "a.urdf").write_text(ROBOT.replace("</link>", mesh))
    opened: list[str] = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: opened.append(self.name) or read(self))
    (left,) = pl.load_urdf("a.urdf").left_out
    assert left.startswith("link arm: visual (mesh '../../../../etc/passwd' is not beside the file")
    assert opened == ["a.urdf"]


def test_names_never_leave_the_folder(place: Path) -> None:
    """Names of parts and models go into files, never into their paths."""
    model = pendulum.model()
    model.name = "../../outside"  # as no constructor allows
    rest = pl.statics(pl.compile(pendulum.model()))
    inside = place / "inside"
    inside.mkdir()
    for suffix in (".csv", ".mat", ".pvd", ".nc"):
        pl.export(rest, inside / f"rest{suffix}")
    if pytest.importorskip("pythonfmu"):
        path = pl.export(model, inside / "a.fmu", outputs=["angle:bob 1"])
        with zipfile.ZipFile(path) as file:
            assert not [name for name in file.namelist() if ".." in name or name.startswith("/")]
    assert [each.name for each in place.iterdir()] == ["inside"]


def test_large_urdf_is_not_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pliant_io.robots.safe_xml.LARGEST", 100)
    (place / "a.urdf").write_text(ROBOT)
    with pytest.raises(FileError, match="more than 100 bytes"):
        pl.load_urdf("a.urdf")
