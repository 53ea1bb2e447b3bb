"""How long a new user waits: first computations with an empty cache of compiled kernels."""
