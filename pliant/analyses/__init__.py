"""Analyses: one question each, a system in, a Result out."""
