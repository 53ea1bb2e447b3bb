"""Compiled code against the same kernels as plain Python, and how much of them is run: `make coverage`."""
