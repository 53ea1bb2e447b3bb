"""Channels along beams in the plane with friction: how the tension along them changes with all that they pass."""

from pliant.forces.channel import rows
from pliant.forces.channel.planar import add_gradient, add_turning, travel, turned_until
from pliant.forces.channel.sums import fading_of, no_energy

Arrays, pack, energy, unsymmetric = rows.ElasticArrays, rows.pack_rough, no_energy, rows.unsymmetric
add = fading_of(travel, add_gradient, add_turning, turned_until)
