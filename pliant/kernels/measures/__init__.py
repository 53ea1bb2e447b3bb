"""Measures: numbers that two frames have between them, with gradient and Hessian. Joints keep them, forces act on them.

=========  ===============================================================  ===============
PLACE      ``n . D``, D the way from marker a to marker b, n fixed in space  plane and space
TURNING    ``n . D`` with n fixed to a                                       plane and space
DISTANCE   ``|D|``                                                           plane and space
ANGLE      of b from a about an axis; in space the twist, between -pi and pi plane and space
CROSSED    ``e_a . e_b``, the cosine between a direction of each             space
ALIGNED    of the shortest rotation from an axis of a to one of b: the part  space
           about another axis of a
TURNED     of the rotation from a pose that is kept to the one there is:     space
           the part about an axis of a
=========  ===============================================================  ===============

`planar.py` and `spatial.py` hold the equations. All of them depend on the nodes' places by their difference only.
"""

from __future__ import annotations

PLACE, TURNING, DISTANCE, ANGLE, CROSSED, ALIGNED, TURNED = range(7)
