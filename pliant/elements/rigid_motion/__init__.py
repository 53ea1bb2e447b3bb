"""Beams with Rayleigh damping relative to their rigid motion: subtraction of the rigid part.

The equations are in kernels/rigid_motion.
"""
