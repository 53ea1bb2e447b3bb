"""Parameters of a model from measurements."""
