"""Model -> System, through the formulation of the given name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

from pliant import formulations
from pliant.errors import ModelError, OptionError, nearest
from pliant.model import Model
from pliant.warm_up import warm_up


def compile(model: Model, *, formulation: str = "dae", **options: Any) -> Any:
    """Turn a model into a system of flat arrays that the analyses understand.

    formulation  "dae": absolute coordinates, joints as multipliers; "geometric": one-freedom rigid loops, reduced;
                 "udwadia_kalaba": explicit accelerations, beams as chains of rigid links;
                 "shooting": beams marched by Runge-Kutta, joints as terminal equations
    elements     ("dae") number of elements of every beam, or element options such as ``Exact(8)``,
                 ``Corotational(20)``, ``Linear(10)``, or a mapping from beam names to either;
                 ("udwadia_kalaba") number of links, "auto", ``Lumped(...)``, or such a mapping
    friction     ("udwadia_kalaba") ``Friction(...)`` of some joints, by their names
    subintervals, order, step, tolerance, extensible, shear, linear, rods, jacobian
                 ("shooting") see ``pliant.formulations.shooting.build`` and ``Rod``
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
    if model.plane != "xy":
        raise ModelError(
            f"Model {model.name!r}: plane is {model.plane!r}; only planar models (plane='xy') compile so far."
        )
    model.check()
    warm_up()
    build = importlib.import_module(f"pliant.formulations.{formulation}.build").build
    own = [name for name in inspect.signature(build).parameters if name != "model"]
    for name in options:
        if name not in own:
            raise OptionError(f"Formulation {formulation!r} has no option {name!r}; it has {', '.join(own)}.")
    return build(model, **options)
