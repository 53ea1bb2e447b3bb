"""Evidence on the cantilever."""
