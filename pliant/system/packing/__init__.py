"""Packing: parts as flat arrays, and the same arrays for other numbers of the model."""
