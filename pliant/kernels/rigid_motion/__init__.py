"""The best rigid motion of a beam: what Rayleigh's alpha, which every element applies to all motion, leaves alone.

T(q) are the rigid velocities of the nodes (three in the plane, six in space), M the mass of the beam, B = M T. The
motion W = (V, omega) with the beam's momentum and angular momentum solves ``G W = B^T v``, ``G = T^T M T``; no other
leaves less energy in ``v - T W``. The force ``alpha M (v - T W)`` has no resultant and no moment, as
``T^T M (v - T W) = 0``. Elements add alpha M v, and this takes
``alpha B W`` off again (elements/rigid_motion, forces/relative_damping).

This couples all nodes of a beam, by matrices of rank three or six. They are exact in `coupling`, which modes and linear
models are made with. Newton in motion keeps its sparse matrix, without alpha (`masses.without`), and converges by a
factor of about alpha h / 2 in a step h: with a ratio of 1 % and 100 steps in a period by 3e-4.
"""
