"""Assembly: placement of bodies so that the joints close."""
