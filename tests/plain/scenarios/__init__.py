"""Small computations that together go through all kernels; each returns a few numbers under their names."""
