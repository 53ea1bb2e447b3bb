"""What one call of an analysis costs besides the numbers it is about."""
