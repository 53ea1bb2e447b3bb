"""Forces: one folder each, the spec in ``__init__.py`` (the user's classes) and its kernels next to it."""

from pliant.forces.channel import ChannelTendon
from pliant.forces.collisions import Collisions
from pliant.forces.contact import Contact
from pliant.forces.dashpot import Dashpot
from pliant.forces.distributed import DistributedLoad
from pliant.forces.drag import Drag
from pliant.forces.friction import Friction
from pliant.forces.gravity import Gravity
from pliant.forces.motor import Motor
from pliant.forces.point import Force, Moment
from pliant.forces.relative_damping import RelativeDamping
from pliant.forces.spring import Spring
from pliant.forces.state_force import StateForce
from pliant.forces.stop import Stop
from pliant.forces.tendon import Tendon
from pliant.forces.torsion_spring import TorsionSpring

__all__ = [
    *("Gravity", "Force", "Moment", "Motor", "DistributedLoad"),
    *("Spring", "TorsionSpring", "Tendon", "ChannelTendon", "Drag", "Dashpot", "RelativeDamping", "StateForce"),
    *("Contact", "Collisions", "Stop", "Friction"),
]
