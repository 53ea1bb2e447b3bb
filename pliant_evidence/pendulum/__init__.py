"""Evidence on pendulums."""
