"""A package outside pliant, with a force, a joint and a beam element: contracts, analyses, files, pictures, cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
import pliant.extend
from pliant.jit import cache_folder
from pliant.model.files import io
from pliant.model.kinds import find
from pliant.results.drawing import scene
from pliant_testing import check_element, check_part
from tests.stranger.conftest import SOURCE

pytestmark = pytest.mark.usefixtures("strangers")
both = pytest.mark.parametrize("plane", ["xy", None], ids=["plane", "space"])
SECTION = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def parts() -> Any:
    """The package, as a user imports it."""
    import strange_parts

    return strange_parts


def test_it_is_found_by_its_entry_point() -> None:
    assert find("Magnet").__module__ == "strange_parts.magnet"
    assert pl.Rack is parts().Rack


def test_the_force_keeps_the_contracts() -> None:
    check_part(parts().Magnet, strength=2.0)
    check_part(parts().Magnet, strength=2.0, current=pl.Sine(1.0, 2.0))


def test_the_joint_keeps_the_contracts() -> None:
    check_part(parts().Rack, radius=0.3)


def test_the_element_keeps_the_contracts() -> None:
    check_element(parts().Bernoulli())


WRONG = {
    "twist": (lambda made: {"stiffness": made.stiffness * (1, 1, 1, 1.1, 1, 1)}, "in space: it does not twist evenly"),
    "shear": (
        lambda made: {"stiffness": made.stiffness * (1, 1, 1e-3, 1, 1, 1)},
        "16 elements, bent along z, is off by",
    ),
    "mass": (lambda made: {"mass": 1.1 * made.mass}, "in space: its mass along x is not the beam's"),
    "rest": (lambda made: {"rest": made.rest + (0, 0, 1e-6, 0, 0, 0)}, "in the plane: in space it leaves the plane"),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_element_with_wrong_data_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from strange_parts.bernoulli import spatial

    pack, (changed, message) = spatial.pack, WRONG[what]

    def wrong(layout: Any) -> Any:
        made = pack(layout)
        return made._replace(**changed(made))

    monkeypatch.setattr(spatial, "pack", wrong)
    with pytest.raises(AssertionError, match=rf"Bernoulli\(elements=8\) .*{message}"):
        check_element(parts().Bernoulli())


def press(plane: str | None, *, torque: float = 0.0) -> pl.Model:
    """A pinion that drives a rack against a magnet and a spring; a leaf on the pinion swings."""
    strange = parts()
    m = pl.Model("press", plane=plane)
    ground = m.add(pl.Ground())
    pinion, rack = m.add(pl.Body("pinion", mass=1.0, inertia=2e-3), pl.Body("rack", mass=0.5, inertia=1e-3))
    leaf = m.add(pl.Beam("leaf", length=0.2, section=SECTION, damping=pl.Rayleigh(0.5, 1e-5)))
    m.add(pl.Revolute(ground.at(0, 0), pinion.at()), pl.Prismatic(ground.at(0, -0.1), rack.at()))
    m.add(pl.Weld(pinion.at(0.02, 0), leaf.at(s=0), angle=0.0))
    m.add(strange.Rack(pinion.at(), rack.at(), frame=ground.at(0, 0), radius=0.1, name="mesh"))
    m.add(strange.Magnet("magnet", ground.at(0.3, -0.1), rack.at(0.05, 0), strength=0.02))
    m.add(pl.Spring("spring", ground.at(-0.4, -0.1), rack.at(-0.05, 0), stiffness=200.0, rest_length=0.35))
    m.add(pl.Motor("motor", ground.at(0, 0), pinion.at(), torque))
    return m


def compiled(plane: str | None, **given: Any) -> Any:
    return pl.compile(press(plane, **given), elements=parts().Bernoulli(4))


@both
def test_statics(plane: str | None) -> None:
    """The rack comes to rest where spring and magnet balance, the torque shared by the pinion's radius."""
    torque = 0.3
    rest = pl.statics(compiled(plane, torque=torque))
    x = float(rest.position.sel(marker="rack(0.05, 0)").values.ravel()[0]) - 0.05
    angle = -x / 0.1
    pulled, pushed = 0.02 / ((0.25 - x) ** 2 + 0.01), 200.0 * x
    assert pulled - pushed == pytest.approx(torque / 0.1, rel=1e-6)
    assert abs(angle) > 0.01
    assert float(rest.tension.sel(line="magnet")) == pytest.approx(pulled, rel=1e-9)


@both
def test_modes_path_and_linear_model(plane: str | None) -> None:
    system = compiled(plane)
    rest = pl.statics(system)
    first = float(pl.modal(system, at=rest, modes=1).frequency_hz[0])
    assert first > 1.0
    assert pl.path(system, "motor/torque", to=0.3).outcome.ok
    plant = pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=["position:rack(0.05, 0):x"])
    turning = np.abs(np.linalg.eigvals(plant.A).imag)
    assert np.min(turning[turning > 1e-3]) == pytest.approx(2.0 * pi * first, rel=1e-3)


@both
def test_motion_keeps_the_balance_of_energy_and_is_drawn(plane: str | None, tmp_path: Path) -> None:
    run = pl.transient(compiled(plane, torque=0.3), end_time=0.05, step=5e-4)
    assert run.outcome.ok
    assert run.outcome.constraint_error < 1e-9
    assert run.outcome.energy_error < 1e-4
    drawn = {part.name: part.kind for part in scene.parts(run)}
    assert drawn["magnet"] == "line"
    assert drawn["leaf"] == "beam"
    run.save(tmp_path / "press.nc")
    assert pl.load_result(tmp_path / "press.nc").outcome.ok


def test_plane_and_space_move_alike() -> None:
    ends = [
        pl.transient(compiled(plane, torque=0.3), end_time=0.02, step=5e-4).position.values[-1][:, :2]
        for plane in ("xy", None)
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_the_force_works_in_another_formulation() -> None:
    """A chain of rigid bodies, by explicit accelerations."""
    m = pl.Model("pendulum")
    ground, bob = m.add(pl.Ground(), pl.Link("bob", length=0.3, mass=0.4, angle=-1.2))
    m.add(pl.Revolute(ground.at(0, 0), bob.at(s=0)))
    m.add(parts().Magnet("magnet", ground.at(0.4, -0.3), bob.at(s=1), strength=0.05))
    steps: dict[str, dict[str, Any]] = {"dae": {"step": 1e-3}, "udwadia_kalaba": {}}
    runs = [pl.transient(pl.compile(m, formulation=name), end_time=0.3, **step) for name, step in steps.items()]
    tips = [run.position.values[-1] for run in runs]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-5)


@both
def test_saved_and_loaded(plane: str | None, tmp_path: Path) -> None:
    model = press(plane)
    model.save(tmp_path / "press.toml")
    loaded = pl.Model.load(tmp_path / "press.toml")
    assert io.dumps(loaded) == io.dumps(model)
    assert type(loaded.part("magnet")) is parts().Magnet


SCRIPT = """
import pliant as pl
m = pl.Model("m", plane="xy")
ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=0.2, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
body = m.add(pl.Body("body", mass=1.0, inertia=1e-3))
m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0), angle=0.0), pl.Weld(leaf.at(s=1), body.at(), angle=0.0))
m.add(pl.Spring("spring", ground.at(0.2, 0.3), body.at(), stiffness=10.0, rest_length=0.1))
elements = pl.Corotational(2)
{strange}
assert pl.transient(pl.compile(m, elements=elements), end_time=0.01, step=1e-3).outcome.ok
"""
MAGNET = """
import strange_parts
m.add(strange_parts.Magnet("magnet", ground.at(0.3, -0.2), body.at(), strength=0.1))
"""
OWN = ("strange_parts", "resist", "add", "energy", "power", "readings", "resultants", "ends", "rates")
"""Names of kernels that the package brings with it, and of those that are made around its law."""


def kernels(cache: Path) -> set[str]:
    return {path.name for path in (cache / "kernels").glob("*.kernel")}


def new_kernels(code: str, cache: Path, site: Path) -> set[str]:
    """Return the kernels that a script compiles in a new process."""
    before, folders = kernels(cache), [str(site), str(Path(pl.__file__).parents[1])]
    known = os.environ | {"PLIANT_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(folders)}
    known |= {"PLIANT_NO_ASSISTANT": "1"}  # it compiles ahead what may be needed
    done = subprocess.run([sys.executable, "-c", code], env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return kernels(cache) - before


@pytest.mark.slow
@pytest.mark.skipif(cache_folder() is None or bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is kept")
def test_a_part_compiles_only_itself_and_a_second_process_nothing(site: Path, tmp_path: Path) -> None:
    """In a cache that begins with pliant's own kernels, as far as they are at hand."""
    shutil.copytree(cache_folder() or site, tmp_path / "kernels", ignore=shutil.ignore_patterns("*.claim", "*.part"))
    new_kernels(SCRIPT.format(strange=""), tmp_path, site)
    added = new_kernels(SCRIPT.format(strange=MAGNET), tmp_path, site)
    element = MAGNET + "elements = strange_parts.Bernoulli(2)"
    added |= new_kernels(SCRIPT.format(strange=element), tmp_path, site)
    assert [name for name in added if not name.startswith(OWN)] == []
    assert len(added) <= 25
    assert new_kernels(SCRIPT.format(strange=element), tmp_path, site) == set()


def test_the_package_imports_only_what_is_public() -> None:
    """`pliant` and `pliant.extend`, every name of which is explained in docs/extending.md."""
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()
    lines = [line for path in SOURCE.rglob("*.py") for line in path.read_text().splitlines()]
    used = {line.split()[1] for line in lines if re.match(r"(from|import) pliant", line)}
    assert used == {"pliant", "pliant.extend"}
    assert [name for name in pliant.extend.__all__ if f"`{name}`" not in page] == []


def test_names_for_packages_are_loaded_when_used() -> None:
    code = "import sys, pliant.extend as e; assert 'numba' not in sys.modules; e.kernel; assert 'numba' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match=r"pliant.extend has no name 'kernal'. Did you mean kernel"):
        _ = pliant.extend.kernal
    assert pliant.extend.PointLaw is pl.PointLaw
