"""FMUs and real-time steps."""
