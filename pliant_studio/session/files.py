"""Downloads of a session: the model, the program that reproduces it, the results."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from pliant.model.files import io as model_io
from pliant.results import Result
from pliant_studio.session.session import Session


def model_file(session: Session) -> str:
    """Return the model with the present values, as TOML: `pl.Model.load` reads it."""
    return model_io.dumps(session.mechanism.model(session.values))


def safe(name: str) -> str:
    """Convert a name to a file name.

    >>> safe("my leg: α/2")
    'my-leg-2'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "model"


def archive(results: Mapping[str, Result]) -> bytes:
    """Return a zip file of results, each as netCDF: `pl.load_result` reads them."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, result in results.items():
            zipped.write(result.save(Path(folder) / f"{name}.nc"), f"{name}.nc")
    return packed.getvalue()
