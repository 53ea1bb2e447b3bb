"""Formulations that failed, kept to show what fails and why. Not part of the product: do not use them for design."""
