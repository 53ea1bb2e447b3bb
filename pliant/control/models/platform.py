"""Model of a robot's platform: the wrenches of its actuators, and dynamics with the platform's freedoms only.

With a fixed platform, the legs are in equilibrium with the actuators' forces, and exert a wrench on the platform:

    w = map u

With a moved platform, they follow statically, ``q = T p``. By virtual work that gives a rigid body on springs,

    T^T M T p'' + T^T C T p' + k p = w

the rigidified model of the thesis, section 6.4 (Guyan, AIAA J. 3, 1965). It has no other motions of the legs, vibrating
around T p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant._libraries import sparse
from pliant.control import checks
from pliant.control.design.allocation import WrenchMap
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.second_order import SecondOrder, saddle
from pliant.errors import OptionError, SingularError, nearest

COMPONENTS = {3: ("Fx", "Fy", "M"), 6: ("Fx", "Fy", "Fz", "Mx", "My", "Mz")}
COORDINATES = {3: ("x", "y", "angle"), 6: ("x", "y", "z", "turn x", "turn y", "turn z")}


@dataclass(frozen=True, eq=False)
class PlatformModel:
    """Result of `platform_model`.

    map                       wrenches of the actuators on the platform
    mass, damping, stiffness  (components, components) of the platform with legs that follow it
    shape                     (freedoms, components) T: displacement of all freedoms with the platform
    linear                    as a LinearModel: inputs are the wrench, outputs the outputs of the plant that the
                              platform alone determines
    """

    body: str
    map: WrenchMap
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    shape: np.ndarray
    linear: LinearModel


def platform_model(plant: LinearModel, body: str = "platform") -> PlatformModel:
    """Compute the model of a robot's platform with legs that follow it statically, and the map from actuators to
    wrenches on the platform.

    plant   from `linearise` about an equilibrium, with actuators as inputs and the platform's pose among the outputs
    body    name of the platform

    Wrenches are about the platform's origin: forces along global axes, moments in space about the platform's own axes.

    >>> import pliant as pl
    >>> m = pl.Model("plate")
    >>> ground, plate = m.add(pl.Ground(), pl.Body("plate", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    >>> lines = m.add(
    ...     pl.Tendon("left", plate.at(-0.1, 0), ground.at(-1, 0), stiffness=100.0, force=10.0, tension=0.0),
    ...     pl.Tendon("right", plate.at(0.1, 0), ground.at(1, 0), stiffness=100.0, force=10.0, tension=0.0),
    ... )
    >>> pull, pose = ["left/tension", "right/tension"], ["position:plate(0, 0):x"]
    >>> found = platform_model(pl.linearise(pl.compile(m), inputs=pull, outputs=pose), "plate")
    >>> found.map.matrix[0].round(6).tolist(), float(found.stiffness[0, 0].round(6))
    ([-1.0, 1.0], 200.0)
    """
    checks.linear("platform_model", plant)
    form = plant.second_order
    if form is None:
        raise OptionError("platform_model: the model has no second-order form. Give what pl.linearise returned.")
    mine = np.flatnonzero([part == body for part in form.parts])
    if mine.size not in COMPONENTS:
        known = sorted({part for part in form.parts if form.parts.count(part) in COMPONENTS})
        raise OptionError(f"platform_model: there is no rigid body {body!r}. {nearest(body, known)}")
    if form.driven.size:
        name = plant.input_names[int(form.driven[0])]
        raise OptionError(
            f"platform_model: {name!r} drives a coordinate and makes no force. Name tensions and torques as inputs."
        )
    map_, shape, stiffness = _condensed(plant, form, mine, body)
    mass, damping = (shape.T @ (matrix @ shape) for matrix in (form.mass, form.damping))
    linear = _linear(plant, form, mine, (mass, damping, stiffness))
    return PlatformModel(body, map_, mass, damping, stiffness, shape, linear)


def _condensed(
    plant: LinearModel, form: SecondOrder, mine: np.ndarray, body: str
) -> tuple[WrenchMap, np.ndarray, np.ndarray]:
    """Return map, static shapes and stiffness: the legs under the actuators and under motions of the fixed platform."""
    ties = form.jacobian[form.independent]
    hold = np.zeros((mine.size, form.freedoms))
    hold[np.arange(mine.size), mine] = 1.0
    inputs = len(plant.input_names)
    top = np.hstack([form.load, np.zeros((form.freedoms, mine.size))])
    bottom = np.zeros((len(ties) + mine.size, inputs + mine.size))
    bottom[len(ties) :, inputs:] = np.eye(mine.size)
    try:
        found, pushes = saddle(
            sparse.csc_matrix(form.stiffness),
            sparse.csc_matrix(np.vstack([ties, hold])),
            top,
            bottom,
            "rest",
        )
    except SingularError as error:
        raise SingularError(
            f"platform_model: with {body!r} held some part can still move without any force, or {body!r} is tied by "
            "joints alone. Only a platform that is free to move has a map of wrenches."
        ) from error
    held = pushes[len(ties) :]
    names = COMPONENTS[mine.size]
    wrench_map = WrenchMap(names, plant.input_names, held[:, :inputs], plant.input_values)
    return wrench_map, found[:, inputs:], -held[:, inputs:]


def _linear(
    plant: LinearModel, form: SecondOrder, mine: np.ndarray, matrices: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> LinearModel:
    """Return the rigid body on springs, with the outputs of the plant that depend on the platform only."""
    (m, c, k), n = matrices, mine.size
    if np.min(np.linalg.eigvalsh(m)) <= 1e-12 * np.max(np.abs(m)):
        raise SingularError(
            "platform_model: the platform has no mass or no inertia. Give it some: pl.Body(mass=, inertia=)."
        )
    place, rate = (np.asarray(sparse.csr_matrix(matrix).todense()) for matrix in (form.position, form.velocity))
    others = np.ones(form.freedoms, bool)
    others[mine] = False
    seen = [
        i for i in range(len(place)) if not (place[i, others].any() or rate[i, others].any() or form.reaction[i].any())
    ]
    zero, one = np.zeros((n, n)), np.eye(n)
    inverse = np.linalg.inv(m)
    coordinates = COORDINATES[n]
    return LinearModel(
        np.block([[zero, one], [-inverse @ k, -inverse @ c]]),
        np.vstack([zero, inverse]),
        np.hstack([place[seen][:, mine], rate[seen][:, mine]]),
        np.zeros((len(seen), n)),
        state_names=(*coordinates, *(f"{name} rate" for name in coordinates)),
        input_names=COMPONENTS[n],
        output_names=tuple(plant.output_names[i] for i in seen),
        output_values=plant.output_values[seen],
    )
