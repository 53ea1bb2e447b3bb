"""How parts become one set of equations; one folder each, found by name."""
