"""Slave of a pliant FMU of either standard: it passes the simulator's calls to a Stepper.

The FMU holds the model (model.toml), its settings (fmu.json) and, if there is one, the start (start.nc); pliant itself
must be installed in the Python that the simulator loads. `fmi2` and `fmi3` join this to PythonFMU and PythonFMU3.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

SETTINGS, MODEL, START = "fmu.json", "model.toml", "start.nc"

MOST_STEPS = 1_000_000  # largest number of steps of the method in a communication step
TIME = "time"  # the independent variable, required by FMI 3


class Cosimulation:
    """Co-simulation with inputs held over a communication step, which is divided into steps of the method."""

    if TYPE_CHECKING:
        failed: Any  # status of the standard for a failed step
        log: Any  # of PythonFMU's slave

    def settle(self, resources: str | Path) -> None:
        """Read the settings: names and start values of the variables; the model is compiled at initialization."""
        self.folder = Path(resources)
        self.settings = json.loads((self.folder / SETTINGS).read_text(encoding="utf-8"))
        self.modelName = self.settings["identifier"]
        self.description = self.settings["description"]
        self.version = self.settings["version"]
        self.stepper: Any = None
        self.origin: float | None = None  # the simulator's time where the model's clock is at 0
        self.inputs = {name: each["start"] for name, each in self.settings["inputs"].items()}
        self.outputs = {name: each["start"] for name, each in self.settings["outputs"].items()}

    def variables(self, causality: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield names and options of the inputs, then the outputs, with causalities of the standard's enumeration."""
        for kind, role in (("inputs", causality.input), ("outputs", causality.output)):
            values = getattr(self, kind)
            for name, each in self.settings[kind].items():
                ways = {"getter": partial(values.get, name), "setter": partial(values.__setitem__, name)}
                yield each["name"], {"causality": role, "description": name, **ways}

    def unit_definitions(self) -> Element:
        """Return the units of all variables."""
        units = Element("UnitDefinitions")
        for name in dict.fromkeys(each["units"] for each in self.given):
            SubElement(units, "Unit", name=name)
        return units

    @property
    def given(self) -> list[dict[str, Any]]:
        """Return the settings of the inputs, then the outputs."""
        return [*self.settings["inputs"].values(), *self.settings["outputs"].values()]

    def enter_initialization_mode(self) -> None:
        """Compile the model and set its start."""
        import pliant as pl
        from pliant_io.fmu.element_options import unpacked
        from pliant_io.fmu.stepper import Stepper

        self.origin = None
        start = self.folder / START
        self.stepper = Stepper(
            pl.compile(pl.Model.load(self.folder / MODEL), elements=unpacked(self.settings["elements"])),
            list(self.inputs),
            list(self.outputs),
            step=self.settings["step"],
            start=pl.load_result(start) if start.exists() else None,
        )
        self._show()

    def exit_initialization_mode(self) -> None:
        """Compute the outputs for the inputs set during initialization."""
        self._show()

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Advance; return False, with a message in the log, if the motion fails or the step is invalid."""
        from pliant.errors import PliantError

        try:
            self._check(current_time, step_size)
            self.stepper.inputs.update(self.inputs)
            self.stepper.advance(step_size)
            self._show()
        except PliantError as error:
            self.log(str(error), status=self.failed)
            return False
        return True

    def _get_fmu_state(self) -> dict[str, Any]:
        """Return the state for the next step: a simulator may repeat steps from here."""
        kept = {"origin": self.origin, "inputs": dict(self.inputs), "outputs": dict(self.outputs)}
        return {**kept, "motion": None if self.stepper is None else deepcopy(self.stepper.state)}

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        """Restore a stored state."""
        self.origin = state["origin"]
        self.inputs.update(state["inputs"])
        self.outputs.update(state["outputs"])
        if self.stepper is not None and state["motion"] is not None:
            self.stepper.state = deepcopy(state["motion"])

    def _check(self, current_time: float, step_size: float) -> None:
        """Refuse a step that does not continue the last one or a restored state, or that is empty."""
        from pliant.errors import OptionError

        if not (math.isfinite(step_size) and step_size > 0.0):
            raise OptionError(f"communication step {step_size!r} s: it must be positive and finite.")
        if step_size > MOST_STEPS * self.settings["step"]:
            raise OptionError(f"communication step {step_size!r} s: more than {MOST_STEPS} steps of the method.")
        if self.origin is None:
            self.origin = current_time - self.stepper.time
        here = self.origin + self.stepper.time
        if abs(current_time - here) > 1e-6 * max(step_size, self.settings["step"]) + 1e-9 * abs(here):
            raise OptionError(
                f"step at t = {current_time!r} s: the motion is at {here!r} s and cannot go back or jump."
            )
        for name, value in self.inputs.items():
            if not math.isfinite(value):
                raise OptionError(f"input {name!r} is {value!r}: it must be a finite number.")

    def _show(self) -> None:
        self.stepper.inputs.update(self.inputs)
        self.outputs.update(self.stepper.values())
