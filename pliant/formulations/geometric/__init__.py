"""Explicit geometric reduction: rigid mechanisms as ordinary differential equations of independent coordinates."""
