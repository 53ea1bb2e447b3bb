"""Rotors of motors (`GearedMotor` with ``rotor_inertia``): inertia that spins with b, n times as fast, carried by a.

With the axis e on the body of a, the rotor's spin and momentum are

    sigma = e . w_a + n e . (w_b - w_a),   p = J sigma,   T = J sigma^2 / 2

and the inertia forces ``(1 - n) p' e + p w_a x e`` on a, ``n p' e`` on b: the reflected inertia n^2 J, and the
gyroscopic moment of a carrier that turns. Mass and inertia across the axis belong to the body that carries it.
"""
