"""Files of pliant are read back by the tools they are meant for, with the numbers they had."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as tree
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.errors import FileError, OptionError
from pliant.results import Result
from pliant.results.quantities import number, quantities, quantity
from pliant_gallery import four_bar, leg
from pliant_io.linear_models import load_linear
from pliant_io.names import identifiers


@pytest.fixture(scope="module")
def system() -> object:
    return pl.compile(leg.model(motor=0.0), elements=4)


@pytest.fixture(scope="module")
def rest(system: object) -> Result:
    return pl.statics(system)


@pytest.fixture(scope="module")
def run(rest: Result) -> Result:
    free = pl.compile(leg.model(hold=None, motor=0.0), elements=4)
    return pl.transient(free, start=rest, end_time=0.02, step=1e-3, every=5)


@pytest.fixture(scope="module")
def plant(system: object, rest: Result) -> pl.LinearModel:
    return pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=["angle:lower link", "tension:tendon"])


def test_csv_has_a_row_an_instant_and_units_in_its_head(run: Result, tmp_path: Path) -> None:
    path = pl.export(run, tmp_path / "run.csv")
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    columns = dict(zip(head, np.array(rows, float).T, strict=True))
    assert head[0] == "time [s]"
    assert len(set(head)) == len(head)
    np.testing.assert_array_equal(columns["time [s]"], run.time.values)
    np.testing.assert_array_equal(columns["angle:upper link [rad]"], run.angle.sel(body="upper link").values)
    np.testing.assert_array_equal(
        columns["position:leaf@0.5:y [m]"], run.position.sel(marker="leaf@0.5", axis="y").values
    )
    middle = run.resultant.sel(component="M").isel(section=run.section_s.values.tolist().index(0.5))
    np.testing.assert_array_equal(columns["resultant:leaf@0.5:M [N m]"], middle.values)


def test_csv_of_modes_splits_complex_numbers(system: object, rest: Result, tmp_path: Path) -> None:
    modes = pl.modal(system, at=rest, modes=2)
    lines = pl.export(modes, tmp_path / "modes.csv").read_text().splitlines()
    head, first = lines[0].split(","), lines[1].split(",")
    assert len(lines) == 3
    row = dict(zip(head, first, strict=True))
    assert float(row["frequency_hz [Hz]"]) == float(modes.frequency_hz[0])
    assert float(row["eigenvalue.imag [1/s]"]) == float(modes.eigenvalue[0].imag)


def test_matlab_file(run: Result, tmp_path: Path) -> None:
    from scipy.io import loadmat

    found = loadmat(pl.export(run, tmp_path / "run.mat"), simplify_cells=True)
    names = [name for name in found if not name.startswith("__")]
    assert names == identifiers(names)
    assert found["time"].tolist() == run.time.values.tolist()
    crank = found["body"].tolist().index("lower link")
    np.testing.assert_array_equal(found["angle"][:, crank], run.angle.sel(body="lower link").values)
    assert found["units"]["angle"] == "rad"
    assert found["dimensions"]["position"].tolist() == ["time", "marker", "axis"]
    assert found["info"]["model"] == "leg"


def test_vtk_series_is_read_by_meshio(run: Result, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    collection = tree.parse(pl.export(run, tmp_path / "run.pvd")).getroot()
    sets = collection.findall("Collection/DataSet")
    assert {each.get("name") for each in sets} == {"beams", "bodies", "lines"}
    beams = [each for each in sets if each.get("name") == "beams"]
    assert [float(str(each.get("timestep"))) for each in beams] == run.time.values.tolist()
    last = meshio.read(tmp_path / str(beams[-1].get("file")))
    on_leaf = run.part.values == "leaf"
    np.testing.assert_array_equal(last.points[:, :2], run.shape.isel(time=-1).values[on_leaf])
    assert not last.points[:, 2].any()
    assert last.cells_dict["line"].tolist() == [[k, k + 1] for k in range(int(on_leaf.sum()) - 1)]
    sections = run.resultant.isel(time=-1).sel(component="N").values
    assert (
        sections.min() <= last.point_data["axial_force"].min() <= last.point_data["axial_force"].max() <= sections.max()
    )
    assert last.point_data["bending_moment"].shape == last.point_data["speed"].shape == (on_leaf.sum(),)
    lines = next(
        each for each in sets if each.get("name") == "lines" and each.get("timestep") == beams[-1].get("timestep")
    )
    tension = meshio.read(tmp_path / str(lines.get("file"))).point_data["tension"]
    assert set(tension) == {float(run.tension.isel(time=-1).sel(line="tendon"))}


def test_vtk_speed_is_that_of_a_turning_link(tmp_path: Path) -> None:
    """A rod turned at 2 rad/s without gravity: its tip moves with 2 m/s."""
    meshio = pytest.importorskip("meshio")
    m = pl.Model("rotor")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)))
    run = pl.transient(pl.compile(m), push={"rod": 2.0}, end_time=0.1, step=1e-3)
    pl.export(run, tmp_path / "rotor.pvd")
    middle = meshio.read(tmp_path / "rotor_frames" / "bodies_00050.vtu")
    assert middle.point_data["speed"].max() == pytest.approx(2.0, rel=1e-5)  # differences: (2 rad/s * 1 ms)^2 / 6


def test_vtk_of_modes_and_paths(system: object, rest: Result, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    pl.export(pl.modal(system, at=rest, modes=2), tmp_path / "modes.pvd")
    assert meshio.read(tmp_path / "modes_frames" / "beams_00001.vtu").point_data["displacement"].shape[1] == 3


def test_vtk_leaves_a_strangers_folder_alone(run: Result, tmp_path: Path) -> None:
    (tmp_path / "run_frames").mkdir()
    (tmp_path / "run_frames" / "thesis.tex").write_text("years of work")
    with pytest.raises(FileError, match="holds other things"):
        pl.export(run, tmp_path / "run.pvd")
    assert [path.name for path in tmp_path.rglob("*")] == ["run_frames", "thesis.tex"]


def test_linear_model_in_every_format(plant: pl.LinearModel, tmp_path: Path) -> None:
    from scipy.io import loadmat

    again = load_linear(pl.export(plant, tmp_path / "plant.nc"))
    for letter in "ABCD":
        np.testing.assert_array_equal(getattr(again, letter), getattr(plant, letter))
    assert (again.state_names, again.input_names, again.output_names) == (
        plant.state_names,
        plant.input_names,
        plant.output_names,
    )
    np.testing.assert_array_equal(again.output_values, plant.output_values)
    found = loadmat(pl.export(plant, tmp_path / "plant.mat"), simplify_cells=True)
    np.testing.assert_array_equal(found["A"], plant.A)
    assert found["output_names"].tolist() == list(plant.output_names)
    assert found["sample_time"] == 0.0
    with pl.export(plant, tmp_path / "plant.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    whole = np.array([row[1:] for row in rows], float)
    np.testing.assert_array_equal(whole, np.block([[plant.A, plant.B], [plant.C, plant.D]]))
    assert head[-1] == "input:motor/torque"
    assert rows[-1][0] == "output:tension:tendon"


def test_export_refuses(run: Result, tmp_path: Path) -> None:
    pl.export(run, tmp_path / "run.nc")
    with pytest.raises(FileError, match="exists already"):
        pl.export(run, tmp_path / "run.nc")
    with pytest.raises(OptionError, match=r"not written as '.xlsx'.*\.csv"):
        pl.export(run, tmp_path / "run.xlsx")
    with pytest.raises(OptionError, match="a dict cannot be written"):
        pl.export({}, tmp_path / "a.csv")
    with pytest.raises(OptionError, match="takes other options"):
        pl.export(run, tmp_path / "b.csv", colour="red")
    with pytest.raises(OptionError, match="needs variables"):
        pl.export(four_bar.model(), tmp_path / "a.fmu")
    with pytest.raises(FileError, match="does not exist"):
        pl.export(run, tmp_path / "nowhere" / "run.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


def test_quantities_by_name(run: Result, rest: Result) -> None:
    assert number(rest, "tension:tendon") == (float(rest.tension.sel(line="tendon")), "N")
    assert number(run, "max:angle:leaf") == (float(run.angle.sel(body="leaf").max()), "rad")
    assert quantity(rest, "reaction:O:Fy").units == "N"
    assert quantity(rest, "reaction:hold:M").units == "N m"
    assert len({each.name for each in quantities(run)}) == len(list(quantities(run)))
    with pytest.raises(OptionError, match="Did you mean tension:tendon"):
        number(rest, "tension:tendn")


def test_identifiers_are_what_matlab_and_fmi_accept() -> None:
    names = ["a/b", "a b", "a:b", "", "7", "x" * 200, "x" * 300, "if"]
    found = identifiers(names)
    assert len(set(found)) == len(names)
    assert all(name.isidentifier() and name.isascii() and len(name) <= 63 for name in found)


def motored(coupler: str = "rigid") -> pl.Model:
    model = four_bar.model(coupler=coupler)
    pivot = model.joints[0]
    model.add(pl.Motor("motor", pivot.a, pivot.b, 0.0))
    return model


@pytest.fixture(scope="module", params=[2, 3])
def fmu(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pythonfmu")
    path, outputs = tmp_path_factory.mktemp("fmu") / "four-bar.fmu", ["angle:crank", "angle:rocker"]
    return pl.export(motored(), path, inputs=["motor/torque"], outputs=outputs, step=1e-3, fmi=request.param)


class Slave:
    """An instance of an FMU as fmpy calls it, the same for both standards, initialised at `begin`."""

    def __init__(self, fmu: Path, folder: Path, begin: float = 0.0) -> None:
        fmpy = pytest.importorskip("fmpy")
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        self.told = fmpy.read_model_description(str(fmu))
        self.number = {each.name: each.valueReference for each in self.told.modelVariables}
        three = self.told.fmiVersion.startswith("3")
        kind = FMU3Slave if three else FMU2Slave
        self.fmu = kind(
            guid=self.told.guid, unzipDirectory=fmpy.extract(str(fmu), str(folder)),
            modelIdentifier=self.told.coSimulation.modelIdentifier, instanceName="slave",
        )  # fmt: skip
        self.state = self.fmu.getFMUState if three else self.fmu.getFMUstate
        self.restore = self.fmu.setFMUState if three else self.fmu.setFMUstate
        self.fmu.instantiate()
        if three:
            self.fmu.enterInitializationMode(startTime=begin)
        else:
            self.fmu.setupExperiment(startTime=begin)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.write = self.fmu.setFloat64 if three else self.fmu.setReal
        self.read = self.fmu.getFloat64 if three else self.fmu.getReal

    def torque(self, value: float) -> None:
        self.write([self.number["motor_torque"]], [value])

    @property
    def crank(self) -> float:
        return float(self.read([self.number["angle_crank"]])[0])


def test_fmu_is_valid(fmu: Path) -> None:
    fmpy = pytest.importorskip("fmpy")
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(fmu)) == []
    description = fmpy.read_model_description(str(fmu))
    variables = {each.name: each for each in description.modelVariables}
    assert description.modelName == "four_bar"
    assert [name for name, each in variables.items() if each.causality == "input"] == ["motor_torque"]
    assert (variables["angle_crank"].unit, variables["angle_crank"].description) == ("rad", "angle:crank")


def test_fmu_moves_as_transient_does(fmu: Path) -> None:
    """A torque that jumps at a communication point; equal to rounding, for the method and its steps are the same."""
    fmpy = pytest.importorskip("fmpy")
    torque = np.array([(0.0, 2.0), (0.1, 2.0), (0.1, -1.0), (0.2, -1.0)], [("time", float), ("motor_torque", float)])
    names = ["angle_crank", "angle_rocker"]
    found = fmpy.simulate_fmu(str(fmu), stop_time=0.2, output_interval=0.01, input=torque, output=names)
    drive = pl.Expression("where(t < 0.1, 2, -1)")
    system = pl.compile(motored()).with_signals({"motor/torque": drive})
    run = pl.transient(system, end_time=0.2, step=1e-3, times=found["time"])
    for name in names:
        expected = run.angle.sel(body=name.removeprefix("angle_")).values
        assert np.ptp(expected) > 0.1
        np.testing.assert_allclose(found[name], expected, rtol=0.0, atol=1e-11)


def test_a_step_of_an_fmu_is_taken_again_from_a_state_that_was_kept(fmu: Path, tmp_path: Path) -> None:
    slave = Slave(fmu, tmp_path)
    assert slave.told.coSimulation.canGetAndSetFMUstate
    slave.fmu.doStep(0.0, 0.05)
    kept, ends = slave.state(), []
    for torque in (1.0, 3.0, 1.0):
        slave.restore(kept)
        slave.torque(torque)
        slave.fmu.doStep(0.05, 0.05)
        ends.append(slave.crank)
    slave.fmu.terminate()
    slave.fmu.freeInstance()
    assert ends[0] == ends[2]
    assert abs(ends[1] - ends[0]) > 1e-4


@pytest.mark.parametrize("fmi", [2, 3])
def test_another_fmu_in_the_same_process_starts_from_an_equilibrium(tmp_path: Path, fmi: int) -> None:
    fmpy = pytest.importorskip("fmpy")
    pytest.importorskip("pythonfmu")
    model = motored("flexible")
    rest = pl.statics(pl.compile(model, elements=4))
    path = pl.export(model, tmp_path / "a.fmu", outputs=["angle:crank"], elements=4, start=rest, fmi=fmi)
    for _ in range(2):
        found = fmpy.simulate_fmu(str(path), stop_time=0.02, output_interval=0.01, output=["angle_crank"])
    np.testing.assert_allclose(found["angle_crank"], float(rest.angle.sel(body="crank")), atol=1e-8)


def test_fmu_refuses_steps_that_are_none(fmu: Path, tmp_path: Path) -> None:
    """Steps of no length, steps that jump and inputs that are no numbers are discarded; the next good one goes on."""
    slave = Slave(fmu, tmp_path, begin=5.0)
    from fmpy.fmi1 import FMICallException

    slave.fmu.doStep(5.0, 0.01)
    before = slave.crank
    for at, length in ((5.01, 0.0), (5.01, -0.1), (5.01, float("nan")), (5.01, 1e9), (5.0, 0.01)):
        with pytest.raises(FMICallException):
            slave.fmu.doStep(at, length)
    slave.torque(float("nan"))
    with pytest.raises(FMICallException):
        slave.fmu.doStep(5.01, 0.01)
    assert slave.crank == before
    slave.torque(1.0)
    slave.fmu.doStep(5.01, 0.01)
    assert slave.crank != before
    slave.fmu.terminate()
    slave.fmu.freeInstance()


def test_fmu_refuses_a_driven_joint(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="drives a joint"):
        pl.export(leg.model(), tmp_path / "leg.fmu", inputs=["hold/angle"], outputs=["angle:leaf"])
    with pytest.raises(OptionError, match="Did you mean motor/torque"):
        pl.export(motored(), tmp_path / "leg.fmu", inputs=["motor/torqe"], outputs=["angle:crank"])
    with pytest.raises(OptionError, match="fmi = 1: an FMU is written for FMI 2 or 3"):
        pl.export(motored(), tmp_path / "leg.fmu", outputs=["angle:crank"], fmi=1)
    assert list(tmp_path.iterdir()) == []


def test_sweep_dataset_is_plain_netcdf(tmp_path: Path) -> None:
    from pliant_cli import main

    path = tmp_path / "sweep.nc"
    with pytest.raises(SystemExit) as end:
        main(
            [
                "sweep",
                "cantilever",
                "statics",
                "--over",
                "length=0.1,0.2",
                "--show",
                "position:beam/tip:y",
                "--out",
                str(path),
            ]
        )
    assert not end.value.code
    data = xr.load_dataset(path, engine="scipy")
    assert data.sizes == {"length": 2}
    assert data["position:beam_tip:y"].attrs["units"] == "m"
