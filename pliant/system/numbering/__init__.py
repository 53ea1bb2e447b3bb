"""Numbering: nodes, freedoms, signals, numbers of elements."""
