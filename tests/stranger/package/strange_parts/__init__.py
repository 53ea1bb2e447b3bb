"""A force, a joint and a beam element for pliant, of another package."""

from strange_parts.bernoulli import Bernoulli
from strange_parts.magnet import Magnet
from strange_parts.rack import Rack

__all__ = ["Bernoulli", "Magnet", "Rack"]
