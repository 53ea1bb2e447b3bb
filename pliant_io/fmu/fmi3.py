"""Slave of FMI 3.0, called by PythonFMU3, with an extended description."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from pythonfmu3 import DefaultExperiment, Float64, Fmi3Causality, Fmi3Slave, Fmi3Status, Fmi3Variability

from pliant_io.fmu.slave import TIME, Cosimulation


class PliantSlave(Cosimulation, Fmi3Slave):
    """Class that PythonFMU3 finds in the script of an FMU."""

    failed = Fmi3Status.error

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.settle(self.resources)
        self.default_experiment = DefaultExperiment(start_time=0.0, stop_time=1.0, step_size=self.settings["step"])
        for name, each in self.variables(Fmi3Causality):
            self._register(name, each)
        self._register(TIME, {"causality": Fmi3Causality.independent, "getter": self._time, "description": "s"})

    def _register(self, name: str, options: dict[str, Any]) -> None:
        self.register_variable(Float64(name, variability=Fmi3Variability.continuous, **options), nested=False)

    def _time(self) -> float:
        return 0.0 if self.stepper is None else (self.origin or 0.0) + self.stepper.time

    def to_xml(self, *options: Any) -> Element:
        """Return the description, with units; allows steps of variable length, which PythonFMU3 0.3 does not write."""
        root = super().to_xml(*options)
        root.insert(1, self.unit_definitions())  # after CoSimulation
        for real, each in zip(root.iter("Float64"), self.given, strict=False):  # time, the last, is in seconds
            real.set("unit", each["units"])
        root[0].set("canHandleVariableCommunicationStepSize", "true")
        return root
