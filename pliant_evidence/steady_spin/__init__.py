"""Relative equilibria of mechanisms that spin, against closed forms and an independent Ritz solution."""
