"""Results and linear models as MATLAB files (.mat, version 5), which Octave and SciPy read too.

A result becomes arrays under its own names, with ``units``, ``dimensions`` and ``info`` beside them:

    run = load('run.mat');
    crank = strcmp(run.body, 'crank');
    plot(run.time, run.angle(:, crank)), ylabel(run.units.angle)

A linear model becomes A, B, C, D and its names: ``sys = ss(m.A, m.B, m.C, m.D)``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pliant.control.models.linear_model import LinearModel
from pliant.results import Result
from pliant.whole_files import whole_file
from pliant_io.names import identifiers

RESERVED = ("units", "dimensions", "info", "names")


def write_mat(result: Result, path: Path) -> None:
    """Write a result."""
    variables = {str(name): variable for name, variable in result.data.variables.items()}
    words = identifiers([*RESERVED, *variables])[len(RESERVED) :]
    named = dict(zip(words, variables.items(), strict=True))
    origin = result.provenance
    content: dict[str, Any] = {word: _array(variable.values) for word, (_, variable) in named.items()}
    content["units"] = {word: str(variable.attrs.get("units", "1")) for word, (_, variable) in named.items()}
    content["dimensions"] = {word: _words(list(map(str, variable.dims))) for word, (_, variable) in named.items()}
    content["names"] = {word: name for word, (name, _) in named.items()}
    content["info"] = {
        "model": origin.model,
        "analysis": origin.analysis,
        "kind": result.kind,
        "ok": result.outcome.ok,
        "message": result.outcome.message,
        "pliant": origin.version,
        "created": origin.created,
    }
    _save(path, content)


def write_linear_mat(model: LinearModel, path: Path) -> None:
    """Write a linear model; ``sample_time`` is 0 for a continuous one, as in MATLAB."""
    names = {f"{what}_names": _words(getattr(model, f"{what}_names")) for what in ("state", "input", "output")}
    values = {f"{what}_values": getattr(model, f"{what}_values") for what in ("input", "output")}
    matrices = {letter: getattr(model, letter) for letter in "ABCD"}
    _save(path, {**matrices, **names, **values, "sample_time": model.sample_time or 0.0})


def _save(path: Path, content: dict[str, Any]) -> None:
    from scipy.io import savemat

    with whole_file(path) as part:
        savemat(part, content, long_field_names=True, do_compression=True, oned_as="column", appendmat=False)


def _array(values: np.ndarray) -> Any:
    if values.dtype.kind in "OUS":
        return _words([str(value) for value in values.reshape(-1).tolist()])
    return values.astype(float) if values.dtype.kind in "iu" else values


def _words(names: Any) -> np.ndarray:
    """Return texts as a column, a cell array."""
    cells = np.empty((len(names), 1), dtype=object)
    cells[:, 0] = list(names)
    return cells
