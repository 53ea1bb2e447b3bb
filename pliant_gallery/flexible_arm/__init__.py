"""A two-link flexible arm: strips of aluminium between motors, in a horizontal plane (De Luca and Siciliano 1991).

shoulder     link 1      elbow     link 2      payload
   (o)==================(m)(o)==================(m)
"""

from __future__ import annotations

import pliant as pl

LENGTH, WIDTH, THICKNESS = 0.5, 0.03, 0.002  # of a strip (m)
HUB = 5e-3  # kg m^2, rotor of the shoulder
ELBOW, ELBOW_INERTIA = 0.5, 4e-4  # kg, kg m^2: the elbow motor's part that turns with link 1
ROTOR, ROTOR_INERTIA = 0.2, 1e-4  # kg, kg m^2: its part that turns with link 2
PAYLOAD, PAYLOAD_INERTIA = 0.15, 1e-4  # kg, kg m^2
DAMPING = 5e-4  # s: stress of a strip by its rate of strain, over its stiffness
ELEMENTS = pl.Exact(3, order=3)
SECTION = pl.Section.rectangle(WIDTH, THICKNESS, pl.ALUMINIUM)


def model() -> pl.Model:
    """Make the arm along x, at rest; pins "shoulder", "elbow", inputs "shoulder motor/torque", "elbow motor/torque".

    >>> model()
    <Model "flexible arm": 4 rigid bodies, 2 beams, 6 joints, 2 forces>
    """
    m = pl.Model("flexible arm")
    reach, damped = 2.0 * LENGTH, pl.Rayleigh(stiffness=DAMPING)
    ground, hub, elbow, rotor, payload = m.add(
        pl.Ground(),
        pl.Body("hub", mass=0.5, inertia=HUB),
        pl.Body("elbow body", mass=ELBOW, inertia=ELBOW_INERTIA, position=(LENGTH, 0.0)),
        pl.Body("rotor", mass=ROTOR, inertia=ROTOR_INERTIA, position=(LENGTH, 0.0)),
        pl.Body("payload", mass=PAYLOAD, inertia=PAYLOAD_INERTIA, position=(reach, 0.0)),
    )
    first, second = m.add(
        pl.Beam("link 1", length=LENGTH, section=SECTION, damping=damped),
        pl.Beam("link 2", length=LENGTH, section=SECTION, damping=damped, position=(LENGTH, 0.0)),
    )
    m.add(
        pl.Revolute(ground.at(0, 0), hub.at(), name="shoulder"),
        pl.Weld(hub.at(), first.at(s=0), name="root 1"),
        pl.Weld(first.at(s=1), elbow.at(), name="end 1"),
        pl.Revolute(elbow.at(), rotor.at(), name="elbow"),
        pl.Weld(rotor.at(), second.at(s=0), name="root 2"),
        pl.Weld(second.at(s=1), payload.at(), name="end 2"),
    )
    m.add(
        pl.Motor("shoulder motor", ground.at(0, 0), hub.at(), 0.0), pl.Motor("elbow motor", elbow.at(), rotor.at(), 0.0)
    )
    return m
