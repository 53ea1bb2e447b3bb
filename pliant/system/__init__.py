"""The compiled form of a model: flat arrays, ready for the analyses."""
