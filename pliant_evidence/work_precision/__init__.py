"""Work and precision beside peers: six motions, from coarse to fine, with all errors, the mesh's included."""
