"""Evidence on the 45-degree bend, and on rods rolled up in space."""
