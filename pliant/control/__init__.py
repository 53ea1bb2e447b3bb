"""Control about an equilibrium: linear models, regulators, observers, sampled controllers."""
