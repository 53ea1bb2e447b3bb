"""Evidence on the leg."""
