"""Parts with coordinates and inertia, one folder per family; `_family` defines what a family provides."""
