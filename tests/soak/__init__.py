"""Very many random mechanisms and damaged files: ``python -m tests.soak`` (docs/soak.md)."""
