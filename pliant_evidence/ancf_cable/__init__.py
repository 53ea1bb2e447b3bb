"""Evidence on ANCF cables: exact solutions, and the same element in Exudyn."""
