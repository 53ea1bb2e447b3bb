"""All faults, by what they break."""

from tests.mutants.faults import beams, control, forces, formulations, joints, masses, motion, newer, results

GROUPS = (masses, beams, forces, joints, motion, formulations, control, results, newer)
FAULTS = tuple(fault for group in GROUPS for fault in group.FAULTS)
