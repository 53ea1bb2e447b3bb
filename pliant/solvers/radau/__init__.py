"""Radau IIA of order 5 on the index-3 equations of motion."""
