"""Ordinary differential equations: Runge-Kutta, scipy's integrators, multiple shooting."""
