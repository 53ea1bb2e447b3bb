"""Waiting time of a new user: first computations with an empty cache of compiled kernels."""
