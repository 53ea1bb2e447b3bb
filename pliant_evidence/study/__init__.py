"""Studies: how many runs a second, on how many workers."""
