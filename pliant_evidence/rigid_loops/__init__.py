"""Twenty rigid loops beside MuJoCo."""
