"""Evidence on the planar robot with six legs."""
