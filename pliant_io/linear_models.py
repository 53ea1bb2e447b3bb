"""Linear models in netCDF files: A, B, C, D with their names, read by `load_linear`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from pliant._libraries import xarray as xr
from pliant.control.models.linear_model import LinearModel
from pliant.errors import FileError, PliantError
from pliant.whole_files import whole_file

FORMAT, VERSION = "pliant-linear-model", 1


def write_linear_netcdf(model: LinearModel, path: Path) -> None:
    """Write a linear model, without its operating point and coordinates of the states."""
    data = xr.Dataset(
        {
            "A": (("rate", "state"), model.A),
            "B": (("rate", "input"), model.B),
            "C": (("output", "state"), model.C),
            "D": (("output", "input"), model.D),
            "input_value": ("input", model.input_values),
            "output_value": ("output", model.output_values),
        },
        {name: list(getattr(model, f"{name}_names")) for name in ("state", "input", "output")},
        {"format": FORMAT, "version": VERSION, "sample_time": model.sample_time or 0.0},
    )
    if 0 in data.sizes.values():
        raise FileError(f"cannot write {path}: a model without states, inputs or outputs has nothing to keep")
    with whole_file(path) as part:
        data.to_netcdf(part, engine="scipy", format="NETCDF3_64BIT", encoding={k: {"_FillValue": None} for k in data})


def load_linear(path: str | Path) -> LinearModel:
    """Read a linear model that `export` wrote. No code is run."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        data = xr.load_dataset(io.BytesIO(content), engine="scipy", mask_and_scale=False, decode_times=False)
    except Exception as error:  # the reader fails in many ways on a damaged header
        raise FileError(f"{path} is not a netCDF 3 file, or is damaged: {error}") from error
    if data.attrs.get("format") != FORMAT or data.attrs.get("version") != VERSION:
        raise FileError(f"{path} is not a linear model of version {VERSION}; write one with pl.export(model, ...)")
    try:
        matrices = {letter: data[letter].values for letter in "ABCD"}
        names = {f"{key}_names": tuple(map(str, data[key].values)) for key in ("state", "input", "output")}
        values = {f"{key}_values": data[f"{key}_value"].values for key in ("input", "output")}
        fields: dict[str, Any] = {**matrices, **names, **values}
        return LinearModel(**fields, sample_time=float(data.attrs["sample_time"]) or None)
    except (PliantError, KeyError, ValueError, TypeError) as error:
        raise FileError(f"{path} is damaged: {error}") from error
