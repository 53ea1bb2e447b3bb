"""Bodies, beams, and their shapes."""
