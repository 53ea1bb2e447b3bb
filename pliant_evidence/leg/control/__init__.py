"""Evidence on the leg under control."""
