"""Sampled controllers."""
