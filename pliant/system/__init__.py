"""The compiled form: a model as flat arrays, ready for the analyses."""
