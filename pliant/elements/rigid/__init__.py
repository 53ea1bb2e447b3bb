"""Rigid inertia: links, bodies and attached point masses."""
