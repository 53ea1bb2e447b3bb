"""Evidence on the shear beam of the shooting paper."""
