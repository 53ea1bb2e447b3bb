"""From an equilibrium to a controller that holds it: linear models, regulators, observers, sampled controllers."""
