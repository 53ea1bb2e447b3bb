"""Derivatives of results by parameters of the model."""
