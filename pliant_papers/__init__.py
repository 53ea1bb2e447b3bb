"""Formulations of published papers, added to pliant as by an external package."""
