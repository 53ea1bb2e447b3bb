"""Cost of one call of an analysis besides its numbers."""
