"""Linear models and their properties."""
