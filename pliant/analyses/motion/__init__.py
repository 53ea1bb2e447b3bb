"""Motion in time and its error."""
