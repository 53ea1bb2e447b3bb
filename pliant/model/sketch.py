"""Sketch: the assembled pose of a model, before anything is solved, as a result for pictures, with open joints."""

from __future__ import annotations

import io
import warnings
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pliant.errors import AssemblyError, ModelError, PliantWarning
from pliant.model.copies import copy_part, marker_on

if TYPE_CHECKING:
    from pliant.model.model import Model
    from pliant.model.parts import Joint
    from pliant.results import Result
    from pliant.system.capabilities import Compiled


def sketch(model: Model, system: Compiled | None = None) -> Result:
    """Return the assembled pose of a model, or of a system compiled from it, as a result of kind "sketch".

    If the joints cannot be closed, the open joint is left out, and the variable ``open_ends`` has its two ends.
    """
    from pliant.results import Result
    from pliant.results.records import Outcome, Provenance
    from pliant.system.samples import Samples

    known: dict[Any, Any] = {}
    open_joints: list[Joint] = []
    if system is None:
        system, known, open_joints = _compiled(model)
    seen: Any = system.observed
    state, observer = seen.start(), seen.observer()
    data = observer.dataset(Samples.of(state), state).isel(time=0, drop=True)
    if open_joints:
        ends = [marker_on(end, known) for joint in open_joints for end in (joint.a, joint.b)]
        places = observer.labels.points(ends).position(state.q[None])[0].reshape(len(open_joints), 2, -1)
        data = data.assign_coords(open_joint=[joint.name for joint in open_joints])
        data = data.assign(open_ends=(("open_joint", "end", "axis"), places, {"units": "m"}))
    names = ", ".join(repr(joint.name) for joint in open_joints)
    outcome = Outcome(not open_joints, f"{names} cannot be closed" if open_joints else "as assembled")
    return Result(data, "sketch", outcome, Provenance(model.name, "sketch"))


def _compiled(model: Model) -> tuple[Any, dict[Any, Any], list[Joint]]:
    """Return the system without joints that cannot be closed, its parts by the model's parts, and these joints."""
    from pliant.system.assembly.assembly import assemble
    from pliant.system.compile import compile
    from pliant.system.packing.build import length_scale

    twin, known, open_joints = model, {part: part for part in model}, list[Any]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # compiling the model shows them
        while True:
            try:
                return compile(twin), known, open_joints
            except AssemblyError:
                worst = assemble(twin, length_scale(twin)).worst
                blamed = next((joint for joint in model.joints if joint.name == worst), None)
                if blamed is None or blamed in open_joints:
                    raise
                open_joints.append(blamed)
                try:
                    twin, known = _without(model, open_joints)
                    twin.check()
                except ModelError as error:  # something is connected by that joint alone
                    raise AssemblyError(f"{model.name!r} cannot be drawn: {error}") from error


def _without(model: Model, joints: list[Any]) -> tuple[Model, dict[Any, Any]]:
    """Return the model without some joints and parts that refer to them, and its parts by the model's parts."""
    from pliant.model.model import Model

    twin, known = Model(model.name, plane=model.plane), dict[Any, Any]()
    for part in model:
        if part in joints or any(getattr(part, f.name) in joints for f in fields(part)):  # type: ignore[arg-type]
            continue
        known[part] = twin.add(copy_part(part, known))
    return twin, known


def svg(model: Model) -> str:
    """Return the picture of a model, for notebooks."""
    import matplotlib.pyplot as plt

    from pliant.results.plots import plot_shape

    figure: Any = plot_shape(sketch(model)).figure
    page = io.StringIO()
    figure.savefig(page, format="svg")
    plt.close(figure)
    return page.getvalue()
