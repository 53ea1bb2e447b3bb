"""Rigid motion of beams, which relative damping leaves undamped although elements apply Rayleigh's alpha to all motion.

T(q) has the rigid velocities of the nodes (three in the plane, six in space), M is the mass of the beam, B = M T. The
motion W = (V, omega) with the beam's momentum and angular momentum solves ``G W = B^T v``, ``G = T^T M T``; it
minimises the energy of ``v - T W``. The force ``alpha M (v - T W)`` has no resultant and no moment, as ``T^T M (v - T
W) = 0``. Elements add alpha M v; here ``alpha B W`` is subtracted (elements/rigid_motion, forces/relative_damping).

This couples all nodes of a beam by matrices of rank three or six. They are exact in `coupling`, which modes and linear
models use. Newton in motion keeps its sparse matrix without alpha (`masses.without`); its error shrinks by a factor of
about alpha h / 2 per iteration with step h: 3e-4 for a damping ratio of 1 % and 100 steps per period.
"""
