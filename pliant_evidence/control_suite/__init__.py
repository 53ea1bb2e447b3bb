"""Controlled mechanisms against equations of motion written by hand."""
