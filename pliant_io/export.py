"""Export of all objects: the suffix of the file selects the format."""

from __future__ import annotations

import importlib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.errors import FileError, OptionError

if TYPE_CHECKING:
    from pliant.control.controllers.controller import Controller
    from pliant.control.models.linear_model import LinearModel
    from pliant.model import Model
    from pliant.results import Result

# kind of thing: suffix -> module and function that write it
FORMATS = {
    "Result": {
        ".nc": "pliant.results.io:save_result",
        ".csv": "pliant_io.tables:write_csv",
        ".mat": "pliant_io.matlab:write_mat",
        ".pvd": "pliant_io.vtk:write_vtk",
        **dict.fromkeys((".html", ".gif", ".mp4"), "pliant.results.drawing.animation:animate"),
    },
    "LinearModel": {
        ".nc": "pliant_io.linear_models:write_linear_netcdf",
        ".csv": "pliant_io.tables:write_linear_csv",
        ".mat": "pliant_io.matlab:write_linear_mat",
    },
    "Model": {
        ".toml": "pliant.model.files.io:save",
        ".fmu": "pliant_io.fmu.export:write_fmu",
        ".urdf": "pliant_io.robots.robot_writers:write_urdf",
        **dict.fromkeys((".mjcf", ".xml"), "pliant_io.robots.robot_writers:write_mjcf"),
    },
}
CALLED = {"Result": "a result", "LinearModel": "a linear model", "Model": "a model"}


def export(
    thing: Result | LinearModel | Controller | Model,
    path: str | PathLike[str],
    *,
    overwrite: bool = False,
    **options: object,
) -> Path:
    """Write a result, a linear model, a controller or a model in the format of the suffix of `path`; return the path.

    Result       .nc netCDF; .csv a column for each quantity; .mat MATLAB; .pvd ParaView (and a folder of .vtu files);
                 .html, .gif, .mp4 as `animate`
    LinearModel  .nc; .csv; .mat (``model.to_control()`` gives a control.StateSpace)
    Controller   like a LinearModel: sampled, from outputs and references to inputs, its delay included
    Model        .toml; .fmu for co-simulation, with the options ``inputs``, ``outputs``, ``step``, ``elements``,
                 ``start``, ``fmi`` = 2 or 3 (see `pliant_io.fmu.export`); .urdf, .mjcf or .xml (MuJoCo): the rigid
                 skeleton as assembled, beams as rigid links; a warning names the omissions

    A file is written whole or not at all, and never over another unless ``overwrite=True``.

    >>> import pathlib, tempfile
    >>> import pliant as pl
    >>> from pliant_gallery import cantilever
    >>> modes = pl.modal(pl.compile(cantilever.model()), modes=2)
    >>> path = pl.export(modes, pathlib.Path(tempfile.mkdtemp()) / "modes.csv")
    >>> path.read_text().split(",")[:4]
    ['mode', 'eigenvalue.real [1/s]', 'eigenvalue.imag [1/s]', 'frequency_hz [Hz]']
    """
    if type(thing).__name__ == "Controller":
        thing = importlib.import_module("pliant.control.models.open_loop").compensator(thing)
    path, kind = Path(path), type(thing).__name__
    if kind not in FORMATS:
        raise OptionError(f"export: a {kind} cannot be written. Give a Result, a LinearModel, a Controller or a Model.")
    known = FORMATS[kind]
    if path.suffix.lower() not in known:
        raise OptionError(f"{path}: {CALLED[kind]} is not written as {path.suffix!r}. It can be {', '.join(known)}.")
    if path.exists() and not overwrite:
        raise FileError(f"{path} exists already; give another name or overwrite=True.")
    module, _, function = known[path.suffix.lower()].partition(":")
    write = getattr(importlib.import_module(module), function)
    if function in ("save", "save_result"):
        options = {**options, "overwrite": overwrite}
    try:
        write(thing, path, **options)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise OptionError(f"{path}: {error}; {path.suffix} takes other options.") from error
    return path
