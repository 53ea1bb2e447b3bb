"""Beams whose Rayleigh damping is relative to their own rigid motion: what is taken off that again.

The equations are in kernels/rigid_motion.
"""
