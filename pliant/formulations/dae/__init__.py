"""Absolute coordinates with multipliers: ``M a + f + G^T lambda = 0``, ``g = 0``. See README.md."""
