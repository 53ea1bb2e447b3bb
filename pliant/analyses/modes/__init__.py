"""Small motion: modes, linear models, frequency responses."""
