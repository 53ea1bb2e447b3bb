"""Evidence on the Princeton beam."""
