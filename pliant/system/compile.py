"""Model -> System, through the formulation of the given name."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from pliant import formulations
from pliant.errors import ModelError, OptionError, nearest
from pliant.model import Model
from pliant.warm_up import warm_up


def compile(model: Model, *, formulation: str = "dae", **options: Any) -> Any:
    """Turn a model into a system of flat arrays that the analyses understand.

    formulation  "dae": absolute coordinates, joints as multipliers; "geometric": one-freedom rigid loops, reduced;
                 "udwadia_kalaba": explicit accelerations, beams as chains of rigid links
    elements     ("dae") number of elements of every beam, or element options such as ``Exact(8)``,
                 ``Corotational(20)``, ``Linear(10)``, or a mapping from beam names to either;
                 ("udwadia_kalaba") number of links, "auto", ``Lumped(...)``, or such a mapping
    friction     ("udwadia_kalaba") ``Friction(...)`` of some joints, by their names
    coordinate   ("geometric") name of the body whose angle is the independent coordinate

    >>> import pliant as pl
    >>> m = pl.Model("pendulum", plane="xy")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    >>> joint = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    >>> pl.compile(m)
    System('pendulum': 3 coordinates, 2 constraint rows, 0 beams, formulation 'dae')
    """
    known = [item.name for item in pkgutil.iter_modules(formulations.__path__)]
    if formulation not in known:
        raise OptionError(f"Formulation {formulation!r} is not known. {nearest(formulation, known)}")
    if model.plane is None and formulation != "dae":
        raise ModelError(
            f"Model {model.name!r}: the formulation {formulation!r} is for planar models. Compile this one, which is "
            "spatial, with formulation='dae'."
        )
    model.check()
    warm_up()
    build = importlib.import_module(f"pliant.formulations.{formulation}.build").build
    try:
        return build(model, **options)
    except TypeError as error:
        if "unexpected keyword argument" in str(error) and "build()" in str(error):
            raise OptionError(
                f"Formulation {formulation!r}: {error}. See pliant.formulations.{formulation}."
            ) from error
        raise
