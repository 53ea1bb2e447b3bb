"""Input and output of results as netCDF 3 files, which every netCDF tool reads. Loading never executes code.

netCDF 3 knows neither complex numbers nor dimensions of length zero: `eigenvalue` is stored as `eigenvalue_real` and
`eigenvalue_imag`, and empty variables as a line of JSON. Loading restores both.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import FileError
from pliant.results.records import Provenance, read_outcome
from pliant.results.result import Result
from pliant.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Hashable

FORMAT = 1
_COMPLEX = "pliant_part_of"  # attribute of the two real variables that hold a complex one
TEXTS = ("well", "state_part", "path_part")  # variables of names: the rests of `basins`, parts of nodes


OF_EXPORT = (".csv", ".mat", ".pvd", ".html", ".gif", ".mp4")  # formats of `export`, which are not netCDF


def save_result(result: Result, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write `result` to `path`, whole or not at all."""
    path = Path(path)
    if path.suffix.lower() in OF_EXPORT:
        raise FileError(
            f"{path}: save writes netCDF: name it {path.stem}.nc, or write it by pl.export(result, {path.name!r})."
        )
    if path.exists() and not overwrite:
        raise FileError(f"{path} exists already; give another name or overwrite=True")
    data = _encode(result)
    plain = {name: {"_FillValue": None} for name, variable in data.variables.items() if variable.dtype.kind == "f"}
    with whole_file(path) as part:
        try:
            data.to_netcdf(part, engine="scipy", format="NETCDF3_64BIT", encoding=plain)
        except (TypeError, ValueError, OverflowError) as error:
            raise FileError(f"cannot write {path}: netCDF 3 cannot hold this result ({error})") from error
    return path


def load_result(path: str | Path) -> Result:
    """Read a result that `Result.save` wrote; raise FileError, which names the defect, if it is invalid.

    >>> import tempfile
    >>> from pliant_testing.results.planar import example_statics
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = example_statics().save(f"{folder}/rest.nc")
    ...     load_result(f"{folder}/rest.nc").kind
    'statics'
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    if not content.startswith((b"CDF\x01", b"CDF\x02")):
        raise FileError(f"{path} is not a pliant result (a netCDF 3 file); it starts with {content[:4]!r}")
    try:
        data = xr.load_dataset(
            io.BytesIO(content), engine="scipy", mask_and_scale=False, decode_times=False, decode_timedelta=False
        )
    except Exception as error:  # the reader fails in many ways on a damaged header
        raise FileError(f"{path} is truncated or damaged: {error}; compute or copy it again") from error
    if "pliant_format" not in data.attrs:
        raise FileError(f"{path} is a netCDF file but not a pliant result: it lacks the attribute pliant_format")
    if data.attrs["pliant_format"] != FORMAT:
        raise FileError(
            f"{path} has format {data.attrs['pliant_format']} and this pliant reads format {FORMAT}; "
            "read it with the version that wrote it, or compute it again"
        )
    try:
        return _decode(data)
    except Exception as error:
        raise FileError(f"{path} is damaged: {error}; compute or copy it again") from error


def _encode(result: Result) -> xr.Dataset:
    data = result.data.copy()
    empty: list[dict[str, Any]] = []
    for name, variable in result.data.variables.items():
        if 0 in variable.shape:
            empty.append(_describe(name, variable, is_coordinate=name in data.coords))
            data = data.drop_vars([name])
        elif variable.dtype.kind == "c":
            data = data.drop_vars([name])
            for suffix, values in (("real", variable.values.real), ("imag", variable.values.imag)):
                data[f"{name}_{suffix}"] = (variable.dims, values, {**variable.attrs, _COMPLEX: str(name)})
    data.attrs |= {
        "pliant_format": FORMAT,
        "pliant_kind": result.kind,
        "pliant_outcome": json.dumps(result.outcome.as_dict()),
        "pliant_provenance": json.dumps(asdict(result.provenance)),
        "pliant_empty": json.dumps(empty),
    }
    return data


def _describe(name: Hashable, variable: xr.Variable, *, is_coordinate: bool) -> dict[str, Any]:
    return {
        "name": str(name),
        "dims": list(variable.dims),
        "shape": list(variable.shape),
        "dtype": variable.dtype.kind,
        "attrs": {key: str(value) for key, value in variable.attrs.items()},
        "is_coordinate": is_coordinate,
    }


def _decode(data: xr.Dataset) -> Result:
    attrs = dict(data.attrs)
    for entry in json.loads(attrs.pop("pliant_empty")):
        if 0 not in entry["shape"] or entry["dtype"] not in set("biufcSUO"):
            raise ValueError(f"{entry['name']!r:.40} is declared empty but is not")
        if max(entry["shape"]) > len(data.attrs["pliant_empty"]) + max(data.sizes.values(), default=0):
            raise ValueError(f"{entry['name']!r:.40} is declared empty but larger than all else")
        variable = xr.Variable(entry["dims"], np.empty(entry["shape"], dtype=entry["dtype"]), entry["attrs"])
        data = (
            data.assign_coords({entry["name"]: variable})
            if entry["is_coordinate"]
            else data.assign({entry["name"]: variable})
        )
    for name in [name for name in data.data_vars if _COMPLEX in data[name].attrs and str(name).endswith("_real")]:
        whole = data[name].attrs.pop(_COMPLEX)
        imaginary = f"{whole}_imag"
        values = data[name].values + 1j * data[imaginary].values
        data = data.assign({whole: (data[name].dims, values, data[name].attrs)}).drop_vars([name, imaginary])
    for name, variable in data.variables.items():
        if variable.dtype.kind == "O":
            data[name] = (variable.dims, variable.values.astype(str), variable.attrs)
    _check_texts(data)
    del attrs["pliant_format"]
    kind = attrs.pop("pliant_kind")
    outcome = read_outcome(json.loads(attrs.pop("pliant_outcome")))
    provenance = Provenance(**json.loads(attrs.pop("pliant_provenance")))
    data = data.drop_encoding()
    data.attrs = attrs
    return Result(data, kind, outcome, provenance)


def _check_texts(data: xr.Dataset) -> None:
    """Check that labels can be printed (no codes that a terminal obeys), and that all else is numbers."""
    for name, variable in data.variables.items():
        if variable.dtype.kind not in "SU":
            continue
        if name in data.data_vars and name not in TEXTS:
            raise ValueError(f"{name!r:.40} is text and must be numbers")
        for label in variable.values.reshape(-1).tolist():
            if not str(label).isprintable():
                raise ValueError(f"{name!r:.40} holds a name that cannot be printed, {label!r:.60}")
