"""Measures: functions of two frames, with gradient and Hessian. Joints constrain them, forces act on them.

=========  ===============================================================  ===============
PLACE      ``n . D``, D the vector from marker a to b, n fixed in space      plane and space
TURNING    ``n . D`` with n fixed to a                                       plane and space
DISTANCE   ``|D|``                                                           plane and space
ANGLE      of b from a about an axis; in space the twist, from -pi to pi     plane and space
CROSSED    ``e_a . e_b``, cosine between a direction of a and one of b       space
ALIGNED    of the shortest rotation from an axis of a to one of b: component space
           along another axis of a
TURNED     of the rotation of b against a since a reference pose: component  space
           along an axis of a
=========  ===============================================================  ===============

`planar.py` and `spatial.py` have the equations. All measures depend on the difference of the nodes' positions only.
"""

from __future__ import annotations

PLACE, TURNING, DISTANCE, ANGLE, CROSSED, ALIGNED, TURNED = range(7)
