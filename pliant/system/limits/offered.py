"""Capabilities that checks use, each with the name of what a system offers, and `Limits`, which offers all of them for
systems of nodes. An outcome lists the checks of other formulations as not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from pliant.model.signals.base import Signal
from pliant.system.capabilities import Observed, Observer
from pliant.system.limits import contact_distances, rotation_limits, sticking
from pliant.system.limits.channels import bend_ratios, winding_angles
from pliant.system.limits.contact_distances import Depths
from pliant.system.limits.feeds import lengths_fed
from pliant.system.limits.mesh_resolution import Vibrations, wave_errors
from pliant.system.limits.short_waves import short_wave_share
from pliant.system.packing.dry_laws import abrupt
from pliant.system.samples import Samples
from pliant.system.state import State


class HasStrainLimits(Observer, Protocol):
    """An observer that knows the strains of beams."""

    def warn_of_ranges(self, values: Callable[..., Any], samples: Samples, *, brief: bool) -> tuple[float, float]:
        """Warn of beams outside the range of their theory; return the largest strain, and the largest that counts."""


class HasSignalFunctions(Observed, Protocol):
    """Knows the functions of its signals, and how smooth its forces are: for the order of steps, and for pulses."""

    @property
    def changing(self) -> Mapping[str, Signal]: ...  # signals that vary in time, by their names
    def abrupt(self) -> bool:
        """Return whether the force of some part can change at once."""


class HasRotationLimits(Observed, Protocol):
    """Knows turns of its laws and of its reduced bodies, by name."""

    def law_turns(self, q: np.ndarray) -> Iterable[tuple[str, float]]:
        """Yield the largest turn of every law in space over instants (rad)."""

    def interface_turns(self, q: np.ndarray) -> Iterable[tuple[str, float]]:
        """Yield the largest turn within every reduced body over instants (rad)."""

    def spin_errors(self, q: np.ndarray, v: np.ndarray) -> Iterable[tuple[str, float]]:
        """Yield the error of the deflection of every reduced body that spins, in lengths of the model."""

    def lost_forces(self, samples: Samples) -> Iterable[tuple[str, float]]:
        """Yield the share of its largest force that the modes of every reduced body that spins lack."""


class HasBeamLimits(Observed, Protocol):
    """Knows feeds and channels of its beams."""

    def lengths_fed(self, q: np.ndarray) -> Iterable[tuple[Any, np.ndarray]]:
        """Yield every feed, and the length that it has fed at every instant (m)."""

    def channel_bends(self, q: np.ndarray) -> Iterable[tuple[Any, float]]:
        """Yield every channel, and its largest offset over the radius of its beam's bend."""

    def channel_windings(self) -> Iterable[tuple[Any, float]]:
        """Yield every channel, and its largest turn between Gauss points (rad)."""


class HasContactDistances(Observed, Protocol):
    """Knows gaps and depths of its contacts and stops, and the forces of contacts that stick."""

    def closed_contacts(self, q: np.ndarray) -> np.ndarray:
        """Return the sorted numbers of the contacts that are closed."""

    def deepest(self, q: np.ndarray) -> tuple[Any, float]:
        """Return the contact that is furthest inside its surface, and its gap; (None, inf) without one."""

    def depths(self) -> Depths:
        """Return the depths of shapes in each other, to be updated configuration by configuration."""

    def slips(self, q: np.ndarray) -> Iterable[Any]:
        """Return the friction that every contact needs to stick, and its limit."""

    def rolled(self, q: np.ndarray, then: np.ndarray) -> Iterable[tuple[Any, float]]:
        """Return the contacts that stick, and how far their parts have turned about each other (rad)."""

    def late(self, q: np.ndarray) -> Iterable[tuple[str, int]]:
        """Return the names of contacts with friction that touch at places that do not stick, and how many places."""


class ResolvesWaves(Observed, Protocol):
    """Knows the waves that the meshes of its beams resolve."""

    def short_waves(self, v: np.ndarray) -> tuple[float, str]:
        """Return the largest share of velocities in waves too short for a mesh, and the name of its beam."""

    def wave_errors(self, state: State, modes: Vibrations, omega: np.ndarray, beyond: float) -> np.ndarray:
        """Estimate the relative errors of vibrations about a state, carefully where they are ``beyond`` a limit."""


class Limits:
    """The capabilities above, of a `System`: every function takes the system first, and is a method of it."""

    law_turns, interface_turns = rotation_limits.law_turns, rotation_limits.interface_turns
    spin_errors, lost_forces = rotation_limits.spin_errors, rotation_limits.lost_forces
    lengths_fed, channel_bends, channel_windings = lengths_fed, bend_ratios, winding_angles
    closed_contacts, deepest, depths = contact_distances.closed, contact_distances.deepest, contact_distances.depths
    slips, rolled, late = sticking.slips, sticking.rolling_angles, sticking.unstuck_contacts
    short_waves, wave_errors, abrupt = short_wave_share, wave_errors, abrupt
