"""Evidence on buckling and snap-through."""
