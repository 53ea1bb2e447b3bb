"""Evidence on motions in space."""
