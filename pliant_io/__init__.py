"""What leaves pliant for other tools, and what comes in: CSV, MATLAB, VTK, FMU, URDF."""
