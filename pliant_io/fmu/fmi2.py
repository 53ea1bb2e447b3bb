"""Slave of FMI 2.0, called by PythonFMU, with an extended description."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import DefaultExperiment, Fmi2Causality, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status

from pliant_io.fmu.slave import Cosimulation


class PliantSlave(Cosimulation, Fmi2Slave):
    """Class that PythonFMU finds in the script of an FMU."""

    failed = Fmi2Status.error

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.settle(self.resources)
        self.default_experiment = DefaultExperiment(start_time=0.0, stop_time=1.0, step_size=self.settings["step"])
        for name, each in self.variables(Fmi2Causality):
            self.register_variable(Real(name, variability=Fmi2Variability.continuous, **each), nested=False)

    def to_xml(self, *options: Any) -> Element:
        """Return the description, with units and the initial unknowns, which FMI 2 requires but PythonFMU omits."""
        root = super().to_xml(*options)
        root.insert(1, self.unit_definitions())  # after CoSimulation
        for real, each in zip(root.iter("Real"), self.given, strict=True):
            real.set("unit", each["units"])
        structure = root.find("ModelStructure")
        if structure is not None and self.outputs:
            unknowns = SubElement(structure, "InitialUnknowns")
            for number in range(len(self.inputs) + 1, len(self.given) + 1):
                SubElement(unknowns, "Unknown", index=str(number))
        return root
