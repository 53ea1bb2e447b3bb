"""Commands on real mechanisms: output, files, and what remains when something fails."""

from __future__ import annotations

import csv
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main
import typer.rich_utils
import xarray as xr

import pliant as pl
import pliant_gallery as gallery
from pliant.analyses.workflow import Done
from pliant.errors import FileError
from pliant.results.io import load_result
from pliant_cli import main, show
from pliant_cli.app import app
from pliant_cli.commands import study as cli_study
from pliant_cli.source import source
from pliant_gallery import leg, pendulum

Call = Callable[[str], tuple[int, str, str]]
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
SHORT = "--time 0.02 --step 1e-3"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command line in a folder of its own; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        return end.value.code or 0, *capsys.readouterr()  # type: ignore[return-value]

    return run


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let demonstration and benchmarks only print that they were called; what is compared is not refined, and in two
    ways where none are named: other tests do.
    """
    from pliant_cli.commands import compare
    from pliant_gallery.leg import demo
    from pliant_testing import benchmarking

    asked: list[str] = []

    def in_two_ways(*asked: Any, formulations: Any = None, **options: Any) -> Any:
        ways = formulations or ["dae", "udwadia_kalaba"]
        return pl.compare(*asked, formulations=ways, **options | {"levels": 1})

    monkeypatch.setattr(compare, "compare", in_two_ways)
    monkeypatch.setattr(demo, "run", lambda out, console: asked.append(str(out)))
    monkeypatch.setattr(benchmarking, "run", lambda name: asked.append(name) or [])
    return asked


def examples(call: Call, command: str) -> list[str]:
    """Return the command lines below the help of a command."""
    code, text, _ = call(f"{command} --help")
    assert code == 0
    lines = [line.strip(" │\n") for line in text[text.index("Examples:") :].splitlines()]
    return [line for line in lines if line.startswith("pliant ")]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("view", "studio")])
def test_examples_of_the_help_run(command: str, call: Call, quick: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typer.rich_utils, "MAX_WIDTH", 300)
    lines = examples(call, command)
    assert any(line.startswith(f"pliant {command}") for line in lines)
    for line in lines:
        code, _, errors = call(line.removeprefix("pliant "))
        assert (code, line, errors) == (0, line, errors)
    assert quick == {"demo": ["my-demo"], "bench": ["leg"]}.get(command, [])


def test_examples_of_the_page_run(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typer.rich_utils, "MAX_WIDTH", 300)
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 3
    shown = {line for command in ("compare", "study") for line in examples(call, command)}  # which run there
    for line in [line for line in lines if line not in shown or line.startswith("pliant run")]:
        code, _, errors = call(line.removeprefix("pliant "))
        assert (code, line, errors) == (0, line, errors)


def test_help_of_the_whole_tells_exit_codes(call: Call) -> None:
    text = call("--help")[1]
    assert "Exit codes" in text
    assert all(name in text for name in COMMANDS)


def test_start_is_light() -> None:
    """Help and version load neither arrays nor kernels: that is what makes them quick."""
    heavy = "numpy", "numba", "scipy", "xarray", "matplotlib"
    program = (
        "import sys\nfrom pliant_cli import main\ntry:\n    main(['run', '--help'])\nexcept SystemExit:\n"
        f"    print('loaded', [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "loaded []" in done.stdout


def test_steps_go_on_from_each_other(call: Call) -> None:
    code, text, _ = call(
        f"run leg statics modes simulate --release hold --elements 4 {SHORT} --json --out a --also csv,mat"
    )
    rest, modes, motion = records(text)
    assert code == 0
    assert [rest["step"], modes["step"], motion["step"]] == ["statics", "modes", "simulate"]
    tension = rest["quantities"]["tension:tendon"]
    assert tension["units"] == "N"
    assert motion["quantities"]["tension:tendon"]["first"] == pytest.approx(tension["value"], rel=1e-9)
    system = pl.compile(gallery.model("leg"), elements=4)
    assert modes["quantities"]["frequency_hz"]["values"] == pytest.approx(
        pl.modal(system, at=leg.start(system)).frequency_hz.values.tolist(), rel=1e-6
    )
    names = {path.name for path in Path("a").iterdir()}
    results = {f"{stem}.{suffix}" for stem in ("statics", "modes", "motion") for suffix in ("nc", "csv", "mat")}
    assert names == results | {"model.toml", "run.json"}
    assert load_result("a/motion.nc").joint.values.tolist() == ["O", "A", "B", "C"]
    assert json.loads(Path("a/run.json").read_text())["steps"][0]["figures"]["stable"] is True


def test_the_leg_begins_on_the_branch_of_its_pictures_and_falls(call: Call) -> None:
    code, text, warned = call(f"run leg statics simulate --release hold --elements 6 {SHORT} --json")
    rest, motion = records(text)
    assert code == 0
    assert "buckled" not in warned
    x = {name: rest["quantities"][f"position:{name}:x"]["value"] for name in ("leaf/base", "leaf@0.5", "leaf/tip")}
    assert x["leaf@0.5"] > max(x["leaf/base"], x["leaf/tip"]) + 0.05
    assert motion["quantities"]["energy:kinetic"]["max"] > 1e-3
    for slack in ("--set tendon/rest_length=0.45", "--set tendon/rest_length=0.6", "--set hold=none"):
        system = pl.compile(gallery.model("leg", **({"hold": None} if "none" in slack else {})), elements=6)
        if "none" not in slack:
            system = system.with_signals({"tendon/rest_length": float(slack.rpartition("=")[2])})
        assert leg.start(system) is None  # not held, or too long to buckle: as `pl.statics` finds it
    chain = pl.compile(gallery.model("leg"), formulation="udwadia_kalaba", elements=4)
    assert leg.start(chain) is None or float(leg.start(chain).position.sel(marker="leaf@0.5", axis="x")) > 0.3


def test_path_is_followed_and_left_at_its_end(call: Call) -> None:
    code, text, _ = call("run leg path statics --follow tendon/rest_length --to 0.3 --elements 4 --json")
    path, rest = records(text)
    assert code == 0
    end = path["quantities"]["tension:tendon"]["last"]
    assert rest["quantities"]["tension:tendon"]["value"] == pytest.approx(end, rel=1e-6)


def test_model_from_files(call: Call) -> None:
    Path("mine.py").write_text(
        "from pliant_gallery import pendulum\n\ndef model(length=1.0):\n    return pendulum.model(length=length)\n"
    )
    assert call("export mine.py mine.toml --set length=4")[0] == 0
    frequencies = []
    for line in ("run mine.py modes --modes 1 --json", "run mine.toml modes --modes 1 --json"):
        code, text, _ = call(line)
        assert code == 0
        frequencies += records(text)[0]["quantities"]["frequency_hz"]["values"]
    assert frequencies[1] == pytest.approx(frequencies[0] / 2.0, rel=1e-9)  # sqrt(g / l) of 1 m and 4 m


def test_settings_are_options_fields_and_signals(call: Call) -> None:
    def tension(more: str) -> float:
        code, text, _ = call(f"run leg statics --elements 4 --json {more}")
        assert code == 0
        return float(records(text)[0]["quantities"]["tension:tendon"]["value"])

    longer = tension("--set tendon_rest_length=0.25")
    assert tension("--set tendon/rest_length=0.25") == pytest.approx(longer, rel=1e-9)
    assert tension("") > longer


@pytest.mark.parametrize(
    "line, told",
    [
        ("run legg statics", "Did you mean leg"),
        ("run leg static", "Did you mean statics?"),
        ("run leg path", "--follow"),
        ("run leg linearise", "--input"),
        ("run leg statics --set tendon=1", "Which of tendon/rest_length, tendon/tension?"),
        ("run leg statics --set mass", "NAME=VALUE"),
        ("run leg statics --set hold=q3 --set hold=q1", "twice"),
        ("run leg statics --also csv", "--out FOLDER"),
        ("run leg simulate --release grip", "no such joint"),
        ("run leg simulate --newmark 0.25", "write BETA,GAMMA"),
        ("compare cantilever simulate --newmark 0.25,0.5", "each by its own method"),
        ("run leg statics --formulation dea", "Did you mean dae"),
        ("run nowhere.toml statics", "cannot be read"),
        ("run nowhere.py statics", "no such file"),
        ("sweep leg statics --over lower_mass", "FIRST:LAST:COUNT"),
        ("sweep leg statics --over lower_mass=1:2:0", "FIRST:LAST:COUNT"),
        ("sweep leg statics --over lower_mass=1:nan:3", "FIRST:LAST:COUNT"),
        ("sweep pendulum statics --over length=1:2:400 --over angle=0:1:400", "more than 100000 points"),
        ("sweep pendulum statics --over length=1,2 --out a.xlsx", ".csv or .nc"),
        ("sweep pendulum statics --over length=1,2 --show tension:rope", "no quantity"),
        ("study pendulum statics --over length=1:2 --out a.zarr --design sobol", "--runs 1024"),
        ("study pendulum statics --over length=1:2:3 --out a.zarr --design sobol --runs 2", "NAME=LEAST:MOST"),
        ("study pendulum statics --over length=1,2 --out a.zarr --design halton", "choose grid, random"),
        ("study pendulum statics --over length=1,2 --out a.zarr --scheduler here", "on='here': choose"),
        ("compare nowhere.nc elsewhere.nc", "no such result"),
        ("export pendulum a.csv", "can be written as .toml, .fmu"),
        ("export pendulum a.toml --input motor/torque", "no target ends in .fmu"),
    ],
)
def test_mistakes_are_answered(line: str, told: str, call: Call, tmp_path: Path) -> None:
    code, text, errors = call(line)
    assert (code, text) == (2, "")
    assert errors.startswith("Error: ")
    assert told in errors.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_folder_is_not_written_over(call: Call) -> None:
    assert call("run pendulum statics --out a")[0] == 0
    before = {path: path.read_bytes() for path in Path("a").iterdir()}
    code, _, errors = call("run pendulum modes --out a")
    assert code == 2
    assert "--force" in errors
    assert {path: path.read_bytes() for path in Path("a").iterdir()} == before
    assert call("run pendulum modes --out a --force")[0] == 0
    assert Path("a/modes.nc").exists()


def test_a_step_that_is_refused_leaves_those_before_it(call: Call) -> None:
    code, _, errors = call("run pendulum statics linearise --input gravity/y --output angle:bob --out a")
    assert code == 2  # an output that is not there
    assert "kept: " in errors
    assert {path.name for path in Path("a").iterdir()} == {"statics.nc", "model.toml", "run.json"}


def test_a_failing_motion_is_1_and_kept(call: Call) -> None:
    Path("wild.py").write_text(
        "import pliant as pl\n\ndef model():\n    m = pl.Model('wild')\n"
        "    g, a = m.add(pl.Ground(), pl.Link('arm', length=1.0, mass=1.0, angle=0.0))\n"
        "    m.add(pl.Revolute(g.at(0, 0), a.at(s=0)))\n"
        "    m.add(pl.Motor('motor', g.at(0, 0), a.at(s=0), pl.Expression('where(t < 0.01, 0, 1e12)')))\n    return m\n"
    )
    code, _, _ = call("run wild.py simulate --time 0.05 --step 1e-3 --out a")
    assert code == 1
    kept = load_result("a/motion.nc")
    assert not kept.outcome.ok
    assert float(kept.time[-1]) >= 0.009


def test_ctrl_c_keeps_what_was_computed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def impatient(label: str, total: float) -> Iterator[Callable[[float], None]]:
        def report(done: float) -> None:
            if done > 0.0:
                raise KeyboardInterrupt

        yield report

    monkeypatch.setattr("pliant.analyses.motion.transient.progress", impatient)
    code, _, errors = call("run pendulum statics simulate --set angle=0.5 --time 100 --step 1e-3 --out a")
    assert code == 130
    assert "Stopped" in errors
    assert {path.name for path in Path("a").iterdir()} == {"statics.nc", "motion.nc", "model.toml", "run.json"}
    assert "interrupted" in load_result("a/motion.nc").outcome.message


def test_sweep_against_theory(call: Call) -> None:
    """A pendulum's frequency goes as 1 / sqrt(length)."""
    code, text, _ = call(
        "sweep pendulum modes --over length=1,4 --over count=1 --show frequency_hz:1 --json --out a.csv"
    )
    one, four = records(text)
    assert code == 0
    assert one["frequency_hz:1"] == pytest.approx(2.0 * four["frequency_hz:1"], rel=1e-9)
    with open("a.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["length", "count", "frequency_hz:1 [Hz]"]
    assert float(rows[1]["frequency_hz:1 [Hz]"]) == four["frequency_hz:1"]
    code, _, errors = call("sweep pendulum modes --over length=1,4 --out a.csv")
    assert code == 2
    assert "--force" in errors


def test_sweep_tells_which_points_failed(call: Call) -> None:
    code, text, errors = call("sweep cantilever statics --over length=1,-1,2 --json")
    assert code == 1
    assert "length -1" in errors
    assert [record["length"] for record in records(text)] == [1, -1, 2]
    assert "error" in records(text)[1]


def test_a_study_against_theory(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pendulum's frequency goes as 1 / sqrt(length); the same command goes on where it was."""
    pytest.importorskip("zarr")
    monkeypatch.setattr(cli_study, "PROCESSES", "threads")
    line = "study pendulum modes --over length=1:4 --design random --runs 6 --show frequency_hz:1 --out a.zarr"
    code, text, _ = call(f"{line} --json --page progress.html")
    assert code == 0
    assert records(text)[0]["figures"]["runs"] == 6
    assert "6 of 6 runs" in Path("progress.html").read_text()
    found = pl.open_study("a.zarr")
    product = found.data["frequency_hz:1"] * np.sqrt(found.data["length"])
    assert np.allclose(product, product[0], rtol=1e-9)
    code, text, _ = call(f"{line} --resume")
    assert code == 0
    assert "6 of 6 runs computed: a.zarr" in text
    assert call(line)[0] == 2  # it is there already


def test_compare_finds_the_difference(call: Call) -> None:
    for step, name in ((1e-3, "fine"), (8e-3, "coarse")):
        assert call(f"run pendulum simulate --set angle=0 --time 0.4 --step {step} --out {name}")[0] == 0
    code, text, _ = call("compare fine coarse --json")
    assert code == 0
    angle = next(row for row in records(text) if row["quantity"].startswith("angle:"))
    fine, coarse = (load_result(f"{name}/motion.nc").angle[-1, 0].item() for name in ("fine", "coarse"))
    assert angle["last"] == [fine, coarse]
    assert abs(fine - coarse) <= angle["difference"] * (1.0 + 1e-9)
    assert call("compare fine coarse --tolerance 1e-12")[0] == 1
    assert call("compare fine fine --tolerance 0")[0] == 0
    assert call("compare fine/motion.nc coarse")[0] == 0


def test_fault_of_pliant_is_3(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pliant_cli.commands.doctor.run", lambda **_: {}["missing"])
    code, _, errors = call("doctor")
    assert code == 3
    assert "Traceback" not in errors
    assert "--debug" in errors
    with pytest.raises(KeyError):
        main(["doctor", "--debug"])


def test_animations_are_of_what_moves(call: Call) -> None:
    code, _, _ = call(f"run pendulum statics simulate --set angle=0 {SHORT} --out a --also html,csv")
    assert code == 0
    assert Path("a/motion.html").is_file()
    assert Path("a/statics.csv").is_file()
    assert not Path("a/statics.html").exists()


def test_a_folder_that_cannot_be_is_refused_before_anything_is_computed(call: Call) -> None:
    Path("file").write_text("")
    Path("link").symlink_to("nowhere")
    for name in ("file/inside", "link"):
        code, shown, told = call(f"run pendulum statics --out {name}")
        assert (code, shown) == (2, "")
        assert name.split("/")[0] in told
    assert not Path("nowhere").exists()


def test_a_run_too_long_for_memory_is_refused(call: Call) -> None:
    code, _, told = call("run pendulum simulate --time 1e12 --step 1e-6")
    assert code == 2
    assert "more than memory holds" in told


def test_damping_is_shown_where_it_was_looked_at(call: Call) -> None:
    line = "run cantilever modes --elements 2 --modes 1"
    assert "damping ratio" not in call(line)[1]
    assert "damping ratio" in call(f"{line} --damped")[1]


def test_parts_that_rub_are_held_or_freed(call: Call) -> None:
    m = pl.Model("sealed")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.1))
    ends = ground.at(0, 0), wheel.at()
    spring = pl.TorsionSpring("spring", *ends, stiffness=4.0)
    m.add(pl.Revolute(*ends), spring, pl.PinFriction("seal", *ends, 0.01), pl.Motor("motor", *ends, 0.0))
    m.save("sealed.toml")
    ports = "--input motor/torque --output angle:wheel"
    for line in ("run sealed.toml statics modes", f"run sealed.toml linearise {ports}"):
        code, _, told = call(line)
        assert code != 0
        assert "'seal' of 'sealed' rub" in told
        code, shown, _ = call(f"{line} --friction free")
        assert code == 0
        assert "1.0065" in shown  # sqrt(4 / 0.1) / 2 pi


def test_unstable_points_and_growing_modes_are_marked(call: Call) -> None:
    line = "run pendulum statics modes --set angle=1.5707963267948966"
    code, text, _ = call(line)
    assert code == 0
    assert text.count("! UnstableEquilibrium") == 2
    _, text, _ = call(f"{line} --json")
    assert [record["warnings"] for record in records(text)] == [["UnstableEquilibrium"]] * 2
    over = "--over angle=-1.5707963267948966,1.5707963267948966"
    _, text, _ = call(f"sweep pendulum statics modes {over} --json --out found.csv")
    assert [row.get("warnings") for row in records(text)] == [None, "UnstableEquilibrium"]
    with Path("found.csv").open() as file:
        assert [row["warnings"] for row in csv.DictReader(file)] == ["", "UnstableEquilibrium"]
    _, text, _ = call(f"sweep pendulum statics {over} --show 'angle:bob 1' --out found.nc")
    assert text.count("UnstableEquilibrium") == 1
    assert xr.load_dataset("found.nc")["warnings"].values.tolist() == ["", "UnstableEquilibrium"]


ROTOR = """
import pliant as pl

def model():
    m = pl.Model("rotor")
    ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=2.0, inertia=1.0))
    m.add(pl.TorsionSpring("shaft", ground.at(0, 0), disc.at(), stiffness=1e3))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        m.add(pl.Spring(f"at {x} {y}", ground.at(x, y), disc.at(), stiffness=50.0, rest_length=1.0))
    return m
"""


def test_a_spin_and_its_campbell_diagram(call: Call, tmp_path: Path) -> None:
    """A Jeffcott rotor, k = 100 N/m and m = 2 kg: frequencies |sqrt(50) -+ rate| in axes that turn."""
    (tmp_path / "rotor.py").write_text(ROTOR)
    code, text, _ = call("run rotor.py statics modes campbell --spin 3 --rates 1,10,4 --modes 2 --json")
    _, modes, campbell = records(text)
    assert code == 0
    found = modes["quantities"]["frequency_hz"]["values"]
    assert found == pytest.approx([(50**0.5 - 3.0) / 6.2831853, (50**0.5 + 3.0) / 6.2831853], rel=1e-6)
    assert campbell["figures"]["critical_rates"] == pytest.approx([50**0.5], rel=1e-6)
    code, text, _ = call("run rotor.py campbell --rates 1,10,4 --modes 2")
    assert code == 0
    assert "critical rate rad/s" in text
    assert "7.07107" in text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run four-bar campbell", "--rates 0,20,11"),
        ("run four-bar campbell --rates 5,1,3", "increasing rates"),
        ("run four-bar statics --spin fast", "--spin 12,y"),
    ],
)
def test_a_spin_that_is_none_is_named(call: Call, line: str, told: str) -> None:
    code, _, text = call(line)
    assert code != 0
    assert told in text


STRIP = """*NODE
1, 0, 0, 0
2, 100, 0, 0
*ELEMENT, TYPE=B31, ELSET=E
1, 1, 2
*MATERIAL, NAME=STEEL
*ELASTIC
210000, 0.3
*DENSITY
7.85e-9
*BEAM SECTION, ELSET=E, MATERIAL=STEEL, SECTION=RECT
1, 20
0, 1, 0
*BOUNDARY
1, 1, 6
*CLOAD
2, 2, 0.5
"""


def test_a_deck_is_a_model_and_its_units_are_options(call: Call) -> None:
    Path("strip.inp").write_text(STRIP)
    code, text, _ = call("run strip.inp statics --set length=mm --set mass=t --json")
    assert code == 0
    tip = records(text)[0]["quantities"]["position:beam 1/tip:y"]
    assert tip["value"] == pytest.approx(0.5 * 0.1**3 / (3.0 * 210e9 * 0.02 * 0.001**3 / 12.0), rel=1e-3)
    code, _, error = call("run strip.inp statics --set length=furlong")
    assert code == 2
    assert "furlong" in error
    Path("strip.step").write_text("")
    assert "a model is a gallery name, or a file .toml, .py, .bdf, .dat" in call("run strip.step statics")[2]


def test_a_file_with_one_model_in_a_variable_is_enough(tmp_path):
    """A script of a new user has one model in a variable; of several, the function model() has to choose."""
    path, lines = tmp_path / "swing.py", ["import pliant as pl", "m = pl.Model('swing')", "same = m"]
    path.write_text("\n".join(lines))
    assert source(str(path)).model({}).name == "swing"
    path.write_text("\n".join([*lines, "other = pl.Model('other')"]))
    with pytest.raises(FileError, match=r"no function model\(\), and several Models, same, other"):
        source(str(path))
    path.write_text("import pliant as pl")
    with pytest.raises(FileError, match=r"and no Model. Write def model\(\)"):
        source(str(path))


def test_checks_that_could_not_be_made_are_printed_and_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    rest = pl.statics(pl.compile(pendulum.model()))
    left = {"strain of beams": "the formulation has no strains"}
    done = Done("statics", rest.judged(replace(rest.outcome, not_checked=left)), 0.1)
    show.show(done)
    assert "not checked: strain of beams" in capsys.readouterr().out
    assert show.record(done)["not_checked"] == left
