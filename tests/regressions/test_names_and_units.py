"""Names and units that one analysis took and another refused."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

STRIP = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)


def stage(plane: str | None = "xy") -> pl.Model:
    """Build a body on a leaf of thickness h, pushed to the side."""
    m, h = pl.Model("stage", plane=plane), pl.Parameter("h", "0.6 mm", low="0.2 mm", high="3 mm", unit="m")
    body: dict[str, object] = {"inertia": 1e-4} if plane else {"inertia": (1e-4, 1e-4, 1e-4)}
    ground, top = m.add(
        pl.Ground(), pl.Body("top", mass=0.3, position=(0.1, *([0.0] if plane else [0.0, 0.0])), **body)
    )
    leaf = m.add(pl.Beam("leaf", length=0.1, section=pl.Section.rectangle(12e-3, h, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0)), pl.Weld(leaf.at(s=1), top.at()))
    m.add(pl.Force(top.at(), y=-0.1, name="push"))
    return m


@pytest.mark.parametrize("plane", ["xy", None])
def test_the_name_of_a_body_is_that_of_its_centre(plane: str | None) -> None:
    system = pl.compile(stage(plane), elements=2)
    rest = pl.statics(system)
    there = rest.position.sel(marker="top(0, 0)")
    assert rest.position.sel(marker="top").equals(there)
    assert rest.sel(marker=["top"]).position.isel(marker=0).equals(there)
    model = pl.linearise(system, at=rest, inputs=["push/y"], outputs=["position:top:y"])
    assert model.output_names == ("position:top:y",)
    kept = pl.study(system, over={"push/y": [-0.1]}, analysis=pl.statics, keep=["position:top:y"], on="threads")
    assert float(kept.data["position:top:y"][0]) == pytest.approx(float(there.sel(axis="y")))


def test_an_angle_in_space_is_called_rotation() -> None:
    system = pl.compile(stage(None), elements=2)
    with pytest.raises(OptionError, match=r"In space write rotation:top:z\."):
        pl.linearise(system, inputs=["push/y"], outputs=["angle:top"])
    with pytest.raises(AttributeError, match="In space write rotation"):
        _ = pl.statics(system).angle


def test_parameters_are_varied_in_studies() -> None:
    system = pl.compile(stage(), elements=2)
    over = {"h": ["0.6 mm", 1.2e-3], "push/y": ["-100 mN", -0.2]}
    found = pl.study(system, over=over, analysis=pl.statics, keep=["position:top:y"], on="threads")
    y = found.data["position:top:y"]
    assert y.h.values.tolist() == [0.6e-3, 1.2e-3]
    assert (y.h.attrs["units"], y["push/y"].attrs["units"]) == ("m", "N")
    sag = (y / y.sel({"h": 0.6e-3, "push/y": -0.1})).values  # F / h^3
    assert sag == pytest.approx(np.array([[1.0, 2.0], [0.125, 0.25]]), rel=1e-3)
    listed = pl.study(stage(), over=[{"h": "0.6 mm"}], analysis=pl.modal, keep=["frequency_hz:1"], on="threads")
    alone = pl.modal(pl.compile(stage())).frequency_hz[0]
    assert float(listed.data["frequency_hz:1"][0]) == pytest.approx(float(alone), rel=1e-9)
    with pytest.raises(OptionError, match=r"'hh' is no signal and no parameter of the model\. Did you mean h\?"):
        pl.study(system, over={"hh": [1.0]}, analysis=pl.statics, on="threads")


def test_bounds_and_deviations_have_units() -> None:
    system = pl.compile(stage(), elements=2)
    best = pl.optimise(system, minimise="mass", subject_to=["frequency_hz:1 >= 15 Hz"], over=["h"])
    assert best.result["frequency_hz:1"] == pytest.approx(15.0, rel=1e-6)
    of = ["frequency_hz:1"]
    found = pl.uncertainty(system, to={"h": "0.02 mm"}, of=of, limits=["frequency_hz:1 >= 1e-3 kHz"], samples=0)
    plain = pl.uncertainty(system, to={"h": 2e-5}, of=of, samples=0)
    assert found.first_order[of[0]].std == pytest.approx(plain.first_order[of[0]].std)
    ranged = pl.uncertainty(system, to={"h": ("0.59 mm", "0.61 mm")}, of=of, samples=0)
    assert ranged.first_order[of[0]].std == pytest.approx(plain.first_order[of[0]].std / (2.0 * np.sqrt(3.0)), rel=1e-6)
    with pytest.raises(OptionError, match="must be a number in Hz"):
        pl.optimise(system, minimise="mass", subject_to=["frequency_hz:1 >= 15 mm"], over=["h"])
    own = pl.Constraint(pl.Quantity(lambda _, rest: float(rest.energy.sum()), name="e"), low="1 J")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="units of this quantity are not known"):
        pl.optimise(system, minimise="mass", subject_to=[own], over=["h"])
    with pytest.raises(OptionError, match="'lots' is no number"):
        pl.optimise(system, minimise="mass", subject_to=["frequency_hz:1 >= lots"], over=["h"])


def test_sensitivities_take_the_names_of_single_numbers() -> None:
    system = pl.compile(stage(), elements=2)
    rest = pl.statics(system)
    whole = pl.sensitivity(system, rest, of=["frequency_hz", "position"], modes=1).derivative
    one = pl.sensitivity(system, rest, of=["frequency_hz:1", "position:top:y"]).derivative
    assert float(one["frequency_hz:1"][0]) == pytest.approx(float(whole.frequency_hz[0, 0]), rel=1e-9)
    there = whole.position.sel(marker="top(0, 0)", axis="y")
    assert float(one["position:top:y"][0]) == pytest.approx(float(there[0]), rel=1e-9)
    modes = pl.modal(system, at=rest, modes=1)
    again = pl.sensitivity(system, modes, of=["frequency_hz:1"]).derivative
    assert float(again["frequency_hz:1"][0]) == pytest.approx(float(one["frequency_hz:1"][0]), rel=1e-6)
    with pytest.raises(OptionError, match="Give the Result of statics"):
        pl.sensitivity(system.with_signals({"push/y": -0.2}), modes, of=["frequency_hz:1"])
    with pytest.raises(OptionError, match="Did you mean frequency_hz:"):
        pl.sensitivity(system, rest, of=["frequency_hz:x"])


def test_a_force_of_a_contact_is_drawn_over_a_path() -> None:
    m = pl.Model("stopped")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="push"))
    m.add(pl.Contact("floor", ground.at(0, -0.01), beam.at(s=1), stiffness=1e4))
    found = pl.path(pl.compile(m), "push/y", to=-1.0)
    ax = pl.plots.plot_path(found, quantity="normal_force", contact="floor")
    np.testing.assert_allclose(ax.lines[0].get_ydata()[-1], found.normal_force.sel(contact="floor")[-1])
    assert float(found.normal_force[-1, 0]) > 0.0


def test_what_is_meant_is_named() -> None:
    with pytest.raises(TypeError, match="takes length and section by keyword"):
        pl.Beam("b", 0.3, STRIP)  # type: ignore[misc,arg-type]
    found = pl.Stiffness("stage", np.zeros(2), np.eye(3), 1.0)
    with pytest.raises(AttributeError, match=r"It is called \.matrix here"):
        _ = found.stiffness
    with pytest.raises(AttributeError, match="Did you mean compliance"):
        _ = found.complience
