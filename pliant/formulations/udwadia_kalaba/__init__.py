"""Udwadia-Kalaba: explicit constrained accelerations, beams as chains of rigid links (Yap and others, 2022)."""
