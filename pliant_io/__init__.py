"""Exchange with other tools: CSV, MATLAB, VTK, FMU, URDF, MJCF, SDF, finite-element decks."""
