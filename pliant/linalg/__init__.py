"""Linear algebra of mechanisms: sparse L D L^T and its ordering, small dense matrices, eigenvalues."""
