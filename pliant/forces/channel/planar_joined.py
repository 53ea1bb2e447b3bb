"""Channels along beams in the plane whose tension changes with their length, joined by a border of the matrix."""

from pliant.forces.channel import rows
from pliant.forces.channel.planar import add_gradient, travel
from pliant.forces.channel.sums import joining_of, no_energy

Arrays, pack, energy = rows.JoinedArrays, rows.pack_joined, no_energy
add = joining_of(travel, add_gradient)
