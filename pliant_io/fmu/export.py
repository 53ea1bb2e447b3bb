"""Model -> FMU for co-simulation, packed by PythonFMU (FMI 2.0) or PythonFMU3 (FMI 3.0): named signals in, named
outputs out.

It runs in Python with pliant installed; the FMU contains the model file, the settings and the start.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pliant.errors import OptionError, PliantError
from pliant.model import Model
from pliant.results import Result
from pliant.whole_files import whole_file
from pliant_io.fmu.element_options import packed
from pliant_io.fmu.slave import TIME
from pliant_io.names import identifiers


class Standard(NamedTuple):
    """A version of FMI: the library that packs its FMUs, and the packed script."""

    library: str
    script: str
    code: str
    states: str  # option of the library: steps can be repeated


STANDARDS = {
    2: Standard(
        "pythonfmu",
        "pliant_fmu",
        """import sys

from pliant_io.fmu.fmi2 import PliantSlave

# PythonFMU 0.7 gives back names of this module that it only borrowed, once for every instance, and Python frees what
# nobody holds: hold them often, so that one process can run many instances.
HELD = [sys.modules[__name__], globals(), PliantSlave] * 10_000
""",
        "canGetAndSetFMUstate",
    ),
    3: Standard(
        "pythonfmu3",
        "pliant_fmu3",
        """from pythonfmu3 import Fmi3Slave

from pliant_io.fmu.fmi3 import PliantSlave


class Slave(PliantSlave, Fmi3Slave):
    "PythonFMU3 looks for this line."
""",
        "canGetAndSetFMUState",
    ),
}


def write_fmu(
    model: Model,
    path: Path,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    step: float = 1e-3,
    elements: Any = None,
    start: Result | None = None,
    fmi: int = 2,
) -> None:
    """Write `model` as an FMU.

    inputs    names of signals: "motor/torque", "tendon/rest_length", "load/x"; held over a communication step
    outputs   names as of `linearise`: "angle:crank", "position:coupler/tip:x", "tension:tendon"
    step      s, largest step of the method within a communication step
    elements  of beams, as in `compile`
    start     Result of statics or transient to start from; default: assembled and at rest
    fmi       version of the standard, 2 or 3
    """
    if fmi not in STANDARDS:
        raise OptionError(f"fmi = {fmi!r}: an FMU is written for FMI 2 or 3. Give fmi=2 or fmi=3.")
    standard = STANDARDS[fmi]
    try:
        builder = importlib.import_module(standard.library).FmuBuilder
    except ImportError as error:
        raise PliantError(f"An FMU of FMI {fmi} needs {standard.library}: pip install 'pliant[fmu]'.") from error
    if not inputs and not outputs:
        raise OptionError('An FMU needs variables: give inputs=["motor/torque"] or outputs=["angle:crank"].')
    settings = _settings(model, inputs, outputs, step, elements, start)
    with tempfile.TemporaryDirectory(prefix="pliant_fmu_") as temporary, whole_file(path) as part:
        folder = Path(temporary)
        model.save(folder / "model.toml")
        (folder / "fmu.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
        script = folder / f"{standard.script}.py"
        script.write_text(standard.code, encoding="utf-8")
        files = [folder / "model.toml", folder / "fmu.json"]
        if start is not None:
            files.append(start.save(folder / "start.nc"))
        with _imports_undone(standard.script):
            made = builder.build_FMU(script, dest=folder / "out", project_files=files, **{standard.states: True})
        shutil.copyfile(made, part)


def _settings(
    model: Model, inputs: Sequence[str], outputs: Sequence[str], step: float, elements: Any, start: Result | None
) -> dict[str, Any]:
    """Return the settings of the slave; compiles the model once, to find mistakes now."""
    import pliant
    from pliant.analyses.common import signal_units
    from pliant.control.models.outputs import output_unit
    from pliant.system.packing.build import element_options
    from pliant_io.fmu.stepper import Stepper

    system = pliant.compile(model, elements=elements)
    stepper = Stepper(system, inputs, outputs, step=step, start=start)
    names = dict(zip([*inputs, *outputs], identifiers([TIME, *inputs, *outputs])[1:], strict=True))
    values = stepper.values() if outputs else {}
    return {
        "identifier": identifiers([model.name])[0],
        "description": f"{model.name}, by pliant {pliant.__version__}; needs pliant in the Python that runs it",
        "version": pliant.__version__,
        "step": step,
        "elements": packed(element_options(model, elements)),
        "inputs": {
            name: {"name": names[name], "units": signal_units(system, name) or "1", "start": stepper.inputs[name]}
            for name in inputs
        },
        "outputs": {name: {"name": names[name], "units": output_unit(name), "start": values[name]} for name in outputs},
    }


@contextmanager
def _imports_undone(script: str) -> Iterator[None]:
    """Restore the search path and modules: PythonFMU imports the script it packs."""
    before = list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = before
        sys.modules.pop(script, None)
