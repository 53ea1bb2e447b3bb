"""Beams whose section changes along them, against exact solutions."""
