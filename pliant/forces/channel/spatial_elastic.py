"""Channels along beams in space whose tension changes with their length, for matrices without a border."""

from pliant.forces.channel import rows
from pliant.forces.channel.spatial import add_gradient, travel
from pliant.forces.channel.sums import no_energy, stiffening_of

Arrays, pack, energy = rows.ElasticArrays, rows.pack_elastic, no_energy
add = stiffening_of(travel, add_gradient)
