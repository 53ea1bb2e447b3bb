"""Numbering of nodes, freedoms and signals; numbers of elements."""
