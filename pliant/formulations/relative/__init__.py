"""Trees of rigid bodies and beams in relative coordinates, in the plane and in space."""
