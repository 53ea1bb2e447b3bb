"""Packing: parts as flat arrays, and repacking for other numbers of the model."""
