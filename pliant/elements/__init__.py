"""Things that own coordinates and inertia, one folder per family; `_family` says what a family offers."""
