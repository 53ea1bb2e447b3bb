"""Evidence on flexible manipulators."""
