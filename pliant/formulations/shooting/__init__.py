"""Generalized multiple shooting: beams marched as initial-value problems, joints as terminal equations."""
